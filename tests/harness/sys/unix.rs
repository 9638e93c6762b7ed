//! The system calls of Unix.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt, PermissionsExt},
        net::UnixListener,
        process::CommandExt,
    },
    path::Path,
    process::{Child, Command},
    time::{Duration, SystemTime},
};

use nix::{sys::stat, unistd::mkfifo};
use rustix::{
    fs::{CWD, Mode, OFlags, mkdirat, openat},
    process::{Pid, Signal, kill_process_group},
};

use super::proc;
pub(crate) use std::os::unix::fs::symlink;

/// The user and the group `nobody`.
const NOBODY: u32 = 65534;

/// The name that consists of these bytes.
pub(crate) fn name(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_os_string()
}

/// Creates a named pipe.
pub(crate) fn fifo(path: &Path) -> io::Result<()> {
    mkfifo(path, stat::Mode::from_bits_retain(0o644)).map_err(Into::into)
}

/// Creates a socket on which nothing listens.
pub(crate) fn socket(path: &Path) -> io::Result<()> {
    UnixListener::bind(path).map(drop)
}

/// Opens or creates a file for writing. A pipe without readers does not block it.
pub(crate) fn open_for_writing(path: &Path) -> io::Result<fs::File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::from_raw_mode(0o644))?.into())
}

/// When a file was last changed, by whatever means.
pub(crate) fn changed(metadata: &fs::Metadata) -> SystemTime {
    let seconds = Duration::from_secs(metadata.ctime().cast_unsigned());
    SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(metadata.ctime_nsec().cast_unsigned())
}

/// Whether a file lies on a file system that a process serves and that may never answer (FUSE).
pub(crate) fn is_on_fuse(file: &fs::File) -> bool {
    #[cfg(target_os = "linux")]
    {
        const FUSE_SUPER_MAGIC: u32 = 0x6573_5546;
        rustix::fs::fstatfs(file).is_ok_and(|stat| stat.f_type as u32 == FUSE_SUPER_MAGIC)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}

/// Sets the permissions of a file or directory.
pub(crate) fn chmod(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Creates a directory that all users can search.
pub(crate) fn create_public_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o755).create(path)
}

/// Makes `program` available as `hs` in the directory `bin`. It may be there already.
pub(crate) fn install(program: &Path, bin: &Path) {
    let _ = symlink(program, bin.join("hs"));
}

/// Creates `depth` nested directories called `name` in `top`, and the file `leaf` in the last. Its
/// path can be longer than system calls accept.
pub(crate) fn deep(
    top: &Path,
    name: &str,
    depth: usize,
    leaf: &str,
    contents: &[u8],
) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut dir = openat(CWD, top, flags, Mode::empty())?;
    for _ in 0..depth {
        mkdirat(&dir, name, Mode::from_raw_mode(0o755))?;
        dir = openat(&dir, name, flags, Mode::empty())?;
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
    let file = openat(&dir, leaf, flags, Mode::from_raw_mode(0o644))?;
    rustix::io::write(&file, contents)?;
    Ok(())
}

/// Writes a file to the disk and evicts it from the page cache, on Linux.
pub(crate) fn evict_from_page_cache(file: &fs::File) -> io::Result<()> {
    file.sync_data()?;
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

/// Whether this process may run others as another user.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Makes the user `nobody` run `command`.
pub(crate) fn set_nobody(command: &mut Command) {
    command.uid(NOBODY).gid(NOBODY);
}

/// Sets the variables without which no program of this system starts.
pub(crate) fn set_environment(command: &mut Command, home: &Path) {
    command.env("HOME", home);
}

/// Makes `command` a process group of its own, so that the children of a shell are killed with the
/// shell.
pub(crate) fn start_group(command: &mut Command) {
    command.process_group(0);
}

/// A child and its children, which share a process group.
#[derive(Clone, Copy)]
pub(crate) struct Group(Pid);

impl Group {
    /// The group of a child that [`start_group`] has prepared.
    pub(crate) fn of(child: &Child) -> Group {
        Group(Pid::from_child(child))
    }

    /// Whether the processes lack processor time, as [`proc::is_starved`] defines it.
    pub(crate) fn is_starved(self, timeout: std::time::Duration) -> bool {
        proc::is_starved(self.0, timeout)
    }

    /// A line for each thread: its state, and the system call in which it waits.
    pub(crate) fn describe_threads(self) -> String {
        proc::describe_threads(self.0)
    }

    pub(crate) fn kill(self) -> io::Result<()> {
        Ok(kill_process_group(self.0, Signal::KILL)?)
    }
}
