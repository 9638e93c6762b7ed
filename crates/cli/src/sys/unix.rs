//! Unix: files by descriptors, signals, paths of bytes.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Seek},
    os::{
        fd::{AsFd, RawFd},
        unix::{
            ffi::OsStrExt,
            fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown},
        },
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use heist_walk::FileId;
use nix::sys::resource::{Resource, getrlimit};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{FileType, OFlags, Stat, fstat},
    io::Errno,
    termios::tcgetwinsize,
};

#[cfg(target_os = "linux")]
pub(crate) use super::ancestors::stdin_is_held_by_ancestor;
pub(crate) use std::os::fd::AsFd as AsStream;

use super::terminal::TerminalSize;
pub(crate) use super::{
    interrupt::{clean_up_when_ended, is_ending, stop_if_ending},
    polled::Polled as Pipe,
};

/// Terminals show colours if `TERM` is set, and not to `dumb`.
pub(crate) const COLORS_WITHOUT_TERM: bool = false;

/// The extensions that the name of a program may lack: none, so that the system finds programs.
pub(crate) const PROGRAM_EXTENSIONS: &[&str] = &[];

/// The user's configuration directory, unless `XDG_CONFIG_HOME` names one. `variable` returns the
/// value of a variable that is set.
pub(crate) fn config_home(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("HOME").map(|home| home.join(".config"))
}

/// Creates a file in `dir` that has the mode of any new file.
pub(crate) fn temporary_file(
    builder: &mut tempfile::Builder<'_, '_>,
    dir: &Path,
) -> io::Result<tempfile::NamedTempFile> {
    builder.permissions(fs::Permissions::from_mode(0o666)).tempfile_in(dir)
}

/// Gives `file` the owner that `metadata` has, if the system permits it.
pub(crate) fn keep_owner(file: &fs::File, metadata: &fs::Metadata) {
    // Only root may give a file away, and only root writes other users' files.
    let _ = fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}

/// Makes this process independent of the terminal and the directory in which it was started.
pub(crate) fn detach() {
    // The leader of a group remains in its session, which then was made for it.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
}

/// The number of descriptors that this process may have open.
pub(crate) fn descriptor_limit() -> Option<usize> {
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    usize::try_from(limit).ok()
}

/// Closes the descriptors that this process has inherited, but standard input, output and error:
/// the reader of a pipe among them would wait for this process to end. To be called before the
/// process opens any itself.
pub(crate) fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let number =
        |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok();
    // One belongs to the directory, which is closed by then.
    let numbers: Vec<_> = entries.filter_map(number).collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        let _ = nix::unistd::close(number);
    }
}

/// Closes the pipe that is standard output for its reader.
pub(crate) fn release_stdout() {
    if let Ok(null) = fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// Whether the reader of standard output has gone.
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Waits until the pipe or socket that is standard output has lost its reader, for at most `time`.
/// Returns whether it has. If standard output is something else, it returns at once.
pub(crate) fn loses_reader(time: Duration) -> bool {
    let stdout = io::stdout();
    let kind = fstat(&stdout).map(|stat| FileType::from_raw_mode(stat.st_mode));
    if !matches!(kind, Ok(FileType::Fifo | FileType::Socket)) {
        return false;
    }
    let Some(end) = Instant::now().checked_add(time) else { return false };
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else { return false };
        // Errors are always reported.
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut fds, Some(&left)) {
            Err(Errno::INTR) => {}
            Err(_) | Ok(0) => return false,
            Ok(_) => return fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP),
        }
    }
}

/// Returns `bytes` as standard output takes them.
pub(crate) fn console_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    bytes.into()
}

/// Prepares the terminal of standard output for styles. Returns whether it shows them.
pub(crate) fn enable_styles() -> bool {
    true
}

/// The size of the terminal that standard output is, if it is one.
pub(crate) fn stdout_size() -> Option<TerminalSize> {
    terminal_size(io::stdout())
}

/// The size of the terminal that standard error is, if it is one.
pub(crate) fn stderr_size() -> Option<TerminalSize> {
    terminal_size(io::stderr())
}

fn terminal_size(terminal: impl AsFd) -> Option<TerminalSize> {
    let size = tcgetwinsize(terminal).ok()?;
    TerminalSize::new(size.ws_row.into(), size.ws_col.into())
}

/// The file that standard output is written to, if it is a regular file.
pub(crate) fn stdout_file() -> Option<FileId> {
    let stat = fstat(io::stdout()).ok()?;
    // 32 bits wide and signed on macOS.
    #[allow(clippy::unnecessary_cast)]
    let device = stat.st_dev as u64;
    is_regular(&stat).then_some(FileId { device, inode: stat.st_ino })
}

/// Whether standard input is a file, a pipe or a socket. `/dev/null`, which many programs hand to
/// their children, is none of these.
pub(crate) fn stdin_is_readable() -> bool {
    let is_readable = |stat: Stat| {
        let kind = FileType::from_raw_mode(stat.st_mode);
        matches!(kind, FileType::RegularFile | FileType::Fifo | FileType::Socket)
    };
    fstat(io::stdin()).is_ok_and(is_readable)
}

/// The length of standard input in bytes: `u64::MAX` if it is no file, 0 if it is closed.
pub(crate) fn stdin_len() -> u64 {
    match fstat(io::stdin()) {
        Ok(stat) if is_regular(&stat) => u64::try_from(stat.st_size).unwrap_or(0),
        Ok(_) => u64::MAX,
        Err(_) => 0,
    }
}

fn is_regular(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// Standard input, if it is a file at its beginning.
pub(crate) fn whole_stdin() -> Option<(fs::File, fs::Metadata)> {
    let mut file = stdin_file()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && file.stream_position().ok()? == 0).then_some((file, metadata))
}

/// Standard input, as a file.
pub(crate) fn stdin_file() -> Option<fs::File> {
    io::stdin().as_fd().try_clone_to_owned().ok().map(fs::File::from)
}

/// Whether standard input has neither data nor an end for this many seconds.
pub(crate) fn stdin_is_silent(seconds: u32) -> bool {
    let stdin = io::stdin();
    let timeout = Timespec { tv_sec: seconds.into(), tv_nsec: 0 };
    // An error, for instance because of a signal, is no evidence.
    poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout)) == Ok(0)
}

/// Whether a process that started this one, directly or not, can write to standard input.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stdin_is_held_by_ancestor() -> bool {
    false
}

/// Blocks until `stream`, which is full, takes bytes.
pub(crate) fn wait_for_room(stream: &impl AsStream, _full: io::Error) -> io::Result<()> {
    Ok(super::polled::wait_for(stream, PollFlags::OUT)?)
}

/// Sends up to `len` bytes of `file` from `offset` on to `stream` without copying them through this
/// process. Returns how many were sent; 0 if that is not possible.
pub(crate) fn send_file(
    stream: &impl AsStream,
    file: &fs::File,
    offset: u64,
    len: u64,
) -> io::Result<u64> {
    #[cfg(target_os = "linux")]
    {
        if is_null_device(stream)? {
            return Ok(len);
        }
        let most = usize::try_from(len).unwrap_or(usize::MAX);
        let mut offset = offset;
        let sent = rustix::fs::sendfile(stream, file, Some(&mut offset), most)?;
        Ok(sent as u64)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (stream, file, offset, len);
        Ok(0)
    }
}

/// Whether `stream` is `/dev/null`, which takes bytes without looking at them.
#[cfg(target_os = "linux")]
fn is_null_device(stream: &impl AsStream) -> io::Result<bool> {
    let stat = rustix::fs::fstat(stream)?;
    let is_device = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_char_device();
    Ok(is_device && stat.st_rdev == rustix::fs::makedev(1, 3))
}

/// The name of this host.
pub(crate) fn host_name() -> Option<String> {
    rustix::system::uname().nodename().to_str().ok().map(str::to_owned)
}

/// Opens a file. If a named pipe has taken its place, that does not wait for a writer, nor does
/// reading it.
pub(crate) fn open_at_once(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    fs::OpenOptions::new().read(true).custom_flags(flags as i32).open(path)
}

/// Whether this is a named pipe.
pub(crate) fn is_pipe(metadata: &fs::Metadata) -> bool {
    metadata.file_type().is_fifo()
}

/// The argument that consists of these bytes.
pub(crate) fn argument(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}

/// The absolute path, as in ripgrep without symbolic links, so that a link shows what it opens.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// The path in a URL.
pub(crate) fn url_path(path: Vec<u8>) -> Vec<u8> {
    path
}
