//! Windows: files by handles, paths of UTF-16, drives and shares.

use std::{
    ffi::OsString,
    fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::Child,
};

use heist_walk::FileId;
use winapi_util::{console::Console, file::typ};

pub(crate) use std::os::windows::io::AsHandle as AsStream;

pub(crate) use super::blocking::Blocking as Pipe;

/// Terminals show colours although no `TERM` is set.
pub(crate) const COLORS_WITHOUT_TERM: bool = true;

/// Prepares the console of standard output for styles. Returns whether it shows them: consoles
/// before Windows 10 do not. A terminal that is no console, such as that of MSYS, needs nothing.
pub(crate) fn enable_styles() -> bool {
    match Console::stdout() {
        Ok(mut console) => console.set_virtual_terminal_processing(true).is_ok(),
        Err(_) => true,
    }
}

/// The file that standard output is written to, if it is a regular file.
pub(crate) fn stdout_file() -> Option<FileId> {
    let file = file(io::stdout())?;
    file.metadata().ok()?.is_file().then(|| FileId::of_file(&file))?.ok()
}

/// Whether standard input is a file or a pipe. `NUL`, which many programs hand to their children,
/// is neither.
pub(crate) fn stdin_is_readable() -> bool {
    let kind = typ(io::stdin());
    !io::stdin().is_terminal() && kind.is_ok_and(|kind| kind.is_disk() || kind.is_pipe())
}

/// The length of standard input in bytes: `u64::MAX` if it is no file, 0 if it is closed.
pub(crate) fn stdin_len() -> u64 {
    match typ(io::stdin()) {
        Ok(kind) if kind.is_disk() => {
            file(io::stdin()).and_then(|file| file.metadata().ok()).map_or(0, |data| data.len())
        }
        Ok(_) => u64::MAX,
        Err(_) => 0,
    }
}

/// Standard input, if it is a file at its beginning.
pub(crate) fn whole_stdin() -> Option<(fs::File, fs::Metadata)> {
    use io::Seek;
    typ(io::stdin()).ok().filter(|kind| kind.is_disk())?;
    let mut file = file(io::stdin())?;
    let metadata = file.metadata().ok()?;
    (file.stream_position().ok()? == 0).then_some((file, metadata))
}

fn file(stream: impl AsStream) -> Option<fs::File> {
    stream.as_handle().try_clone_to_owned().ok().map(fs::File::from)
}

/// Whether standard input has neither data nor an end for this many seconds. Windows cannot wait
/// for a pipe without reading it.
pub(crate) fn stdin_is_silent(_seconds: u32) -> bool {
    false
}

/// Whether a process that started this one, directly or not, can write to standard input.
pub(crate) fn stdin_is_held_by_ancestor() -> bool {
    false
}

/// Blocks until `stream`, which is full, takes bytes. Streams of Windows block by themselves.
pub(crate) fn wait_for_room(_stream: &impl AsStream, full: io::Error) -> io::Result<()> {
    Err(full)
}

/// Resets the style of the terminal when Ctrl-C ends the program. The shells of Windows do so
/// themselves.
pub(crate) fn reset_style_when_ended() {}

/// Blocks forever once a signal has arrived.
pub(crate) fn stop_if_ending() {}

/// Requests that a program ends. Returns whether it may do so: Windows can only kill.
pub(crate) fn request_end(_child: &Child) -> bool {
    false
}

/// The name of this host.
pub(crate) fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// Whether this is a named pipe. Those of Windows are below `\\.\pipe\` and are met by no walk.
pub(crate) fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

/// The argument that consists of these bytes.
pub(crate) fn argument(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// The absolute path, as in ripgrep without access to the file system, which would return a
/// `\\?\` path that other programs cannot read.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// The path in a URL. Drives and shares are below one root: `/C:\dir`, `/\share\dir`.
#[expect(clippy::needless_pass_by_value, reason = "on Unix the path is returned as it is")]
pub(crate) fn url_path(path: Vec<u8>) -> Vec<u8> {
    let verbatim = path.strip_prefix(br"\\?\");
    let short = match verbatim {
        Some(rest) if rest.starts_with(br"UNC\") => &rest[br"UNC".len()..],
        Some(rest) => rest,
        None if path.starts_with(br"\\") || path.starts_with(b"//") => &path[1..],
        None => &path,
    };
    [b"/", short].concat()
}
