//! The same on Windows.

use std::{
    ffi::OsString,
    fs, io,
    os::windows::fs::{symlink_dir, symlink_file},
    path::Path,
    process::{Child, Command},
    time::{Duration, SystemTime},
};

/// The name that consists of these bytes, which have to be UTF-8: Windows has no others.
pub(crate) fn name(bytes: &[u8]) -> OsString {
    str::from_utf8(bytes).expect("a name of Windows").into()
}

/// Creates a symbolic link, which requires the developer mode or an administrator. Its kind is that
/// of its target, which has to be there if it is a directory.
pub(crate) fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let (target, link) = (target.as_ref(), link.as_ref());
    let is_dir = link.parent().is_some_and(|parent| parent.join(target).is_dir());
    if is_dir { symlink_dir(target, link) } else { symlink_file(target, link) }
}

pub(crate) fn fifo(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn socket(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn open_for_writing(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

/// When a file was last written.
pub(crate) fn changed(metadata: &fs::Metadata) -> SystemTime {
    metadata.modified().expect("Windows knows it")
}

/// Windows has no such permissions; all users can search what a test creates.
pub(crate) fn chmod(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

pub(crate) fn create_public_dir(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

pub(crate) fn install(program: &Path, bin: &Path) {
    let _ = fs::hard_link(program, bin.join("hs.exe"));
}

/// The path of the tree begins with `\\?\`, so that it can have any length.
pub(crate) fn deep(
    top: &Path,
    name: &str,
    depth: usize,
    leaf: &str,
    contents: &[u8],
) -> io::Result<()> {
    let mut path = fs::canonicalize(top)?;
    (0..depth).for_each(|_| path.push(name));
    fs::create_dir_all(&path)?;
    fs::write(path.join(leaf), contents)
}

pub(crate) fn evict_from_page_cache(file: &fs::File) -> io::Result<()> {
    file.sync_data()
}

pub(crate) fn is_root() -> bool {
    false
}

/// Whether a file lies on a file system that may never answer.
pub(crate) fn is_on_fuse(_: &fs::File) -> bool {
    false
}

pub(crate) fn set_nobody(_: &mut Command) {}

/// The variables by which programs find the system and their temporary files are kept.
pub(crate) fn set_environment(command: &mut Command, home: &Path) {
    command.env("HOME", home).env("USERPROFILE", home).env("APPDATA", home.join(".config"));
    for name in ["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
}

pub(crate) fn start_group(_: &mut Command) {}

/// A child and its children.
#[derive(Clone, Copy)]
pub(crate) struct Group(u32);

impl Group {
    pub(crate) fn of(child: &Child) -> Group {
        Group(child.id())
    }

    pub(crate) fn is_starved(self, _: Duration) -> bool {
        false
    }

    pub(crate) fn describe_threads(self) -> String {
        String::new()
    }

    pub(crate) fn kill(self) -> io::Result<()> {
        Command::new("taskkill").args(["/t", "/f", "/pid", &self.0.to_string()]).output()?;
        Ok(())
    }
}
