//! Windows: files by handles, paths of UTF-16, drives and shares.

use std::{
    borrow::Cow,
    ffi::OsString,
    fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

use heist_walk::FileId;
use winapi_util::{
    AsHandleRef,
    console::{Console, screen_buffer_info},
    file::typ,
    sysinfo::{ComputerNameKind, get_computer_name},
};

pub(crate) use std::os::windows::io::AsHandle as AsStream;

use super::terminal::TerminalSize;
pub(crate) use super::{
    blocking::Blocking as Pipe,
    interrupt::{clean_up_when_ended, is_ending, stop_if_ending},
};

/// Terminals show colours although no `TERM` is set.
pub(crate) const COLORS_WITHOUT_TERM: bool = true;

/// The extensions that a program's name may lack, in the shells' order.
pub(crate) const PROGRAM_EXTENSIONS: &[&str] = &["com", "exe", "bat", "cmd"];

/// The user's configuration directory, unless `XDG_CONFIG_HOME` names one. `variable` returns the
/// value of a variable that is set.
pub(crate) fn config_home(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("APPDATA")
}

/// Creates a file in `dir`.
pub(crate) fn temporary_file(
    builder: &mut tempfile::Builder<'_, '_>,
    dir: &Path,
) -> io::Result<tempfile::NamedTempFile> {
    builder.tempfile_in(dir)
}

/// Does nothing: a file has the owner of its directory.
pub(crate) fn keep_owner(_: &fs::File, _: &fs::Metadata) {}

/// Does nothing: no tree is watched on Windows.
pub(crate) fn detach() {}

/// There is no limit.
pub(crate) fn descriptor_limit() -> Option<usize> {
    None
}

/// Does nothing, likewise.
pub(crate) fn close_inherited() {}

/// Does nothing, likewise.
pub(crate) fn release_stdout() {}

/// Whether standard output has lost its reader. The pipes in MSYS's shells are named ones, which
/// report another error than in Windows's own.
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    const ERROR_PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == io::ErrorKind::BrokenPipe
        || error.raw_os_error() == Some(ERROR_PIPE_NOT_CONNECTED)
}

/// Returns whether standard output loses its reader within `time`: `false` at once, as the system
/// does not report it before something is written.
pub(crate) fn loses_reader(_: Duration) -> bool {
    false
}

/// Returns `bytes` as standard output takes them: a console shows characters only, so that others
/// become U+FFFD.
pub(crate) fn console_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    static IS_CONSOLE: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());
    if *IS_CONSOLE { lossy(bytes) } else { bytes.into() }
}

fn lossy(bytes: &[u8]) -> Cow<'_, [u8]> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(_) => bytes.into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}

/// Prepares the console of standard output for styles. Returns whether it shows them: consoles
/// before Windows 10 do not. A terminal that is no console, such as MSYS's, needs nothing.
pub(crate) fn enable_styles() -> bool {
    match Console::stdout() {
        Ok(mut console) => console.set_virtual_terminal_processing(true).is_ok(),
        Err(_) => true,
    }
}

/// The size of the console that standard output is, if it is one.
pub(crate) fn stdout_size() -> Option<TerminalSize> {
    console_size(io::stdout())
}

/// The size of the console that standard error is, if it is one.
pub(crate) fn stderr_size() -> Option<TerminalSize> {
    console_size(io::stderr())
}

fn console_size(console: impl AsHandleRef) -> Option<TerminalSize> {
    let window = screen_buffer_info(console).ok()?.window_rect();
    let count = |first: i16, last: i16| usize::try_from(last - first + 1).unwrap_or(0);
    TerminalSize::new(count(window.top, window.bottom), count(window.left, window.right))
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
    let mut file = stdin_file()?;
    let metadata = file.metadata().ok()?;
    (file.stream_position().ok()? == 0).then_some((file, metadata))
}

/// Standard input, as a file.
pub(crate) fn stdin_file() -> Option<fs::File> {
    file(io::stdin())
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

/// Sends bytes of `file` to `stream` without copying them through this process. Returns 0: this is
/// not possible.
pub(crate) fn send_file(
    _stream: &impl AsStream,
    _file: &fs::File,
    _offset: u64,
    _len: u64,
) -> io::Result<u64> {
    Ok(0)
}

/// The name of this host.
pub(crate) fn host_name() -> Option<String> {
    get_computer_name(ComputerNameKind::PhysicalDnsHostname).ok()?.into_string().ok()
}

/// Opens a file, which is no named pipe.
pub(crate) fn open_at_once(path: &Path) -> io::Result<fs::File> {
    fs::File::open(path)
}

/// Whether this is a named pipe. Windows has them below `\\.\pipe\`, where no walk meets them.
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

#[cfg(test)]
mod tests {
    use std::{fs::OpenOptions, io::Write};

    use super::*;

    #[test]
    fn bytes_that_are_no_characters_are_replaced_on_a_console() {
        assert!(matches!(lossy("é".as_bytes()), Cow::Borrowed(_)));
        assert_eq!(&*lossy(b"a\xffb"), "a\u{fffd}b".as_bytes());
    }

    #[test]
    fn drives_and_shares_are_below_the_root_of_a_url() {
        for (path, url) in [
            (r"C:\dir\file", r"/C:\dir\file"),
            (r"\\?\C:\dir", r"/C:\dir"),
            (r"\\host\share\file", r"/\host\share\file"),
            (r"\\?\UNC\host\share", r"/\host\share"),
        ] {
            assert_eq!(url_path(path.into()), url.as_bytes(), "{path}");
        }
    }

    #[test]
    fn a_pipe_without_a_reader_is_broken() {
        let (reader, mut writer) = io::pipe().unwrap();
        drop(reader);
        assert!(is_closed_pipe(&writer.write_all(b"gem").unwrap_err()));
        // The codes for pipes with and without a name, and the code for a full disk.
        for (code, expected) in [(109, true), (232, true), (233, true), (112, false)] {
            assert_eq!(is_closed_pipe(&io::Error::from_raw_os_error(code)), expected, "{code}");
        }
    }

    #[test]
    fn the_host_has_a_name() {
        assert!(host_name().is_some_and(|name| !name.is_empty()));
    }

    #[test]
    fn an_absolute_path_keeps_its_drive_and_no_verbatim_prefix() {
        let path = absolute("dir/../file".as_ref()).unwrap();
        assert!(path.is_absolute() && path.ends_with("file"));
        assert!(!path.to_str().unwrap().starts_with(r"\\?\"), "{path:?}");
    }

    #[test]
    fn a_file_is_recognised_although_another_program_appends_to_it() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("log");
        let mut log = OpenOptions::new().append(true).create(true).open(&path).unwrap();
        log.write_all(b"gem").unwrap();
        let id = FileId::of_file(&log).unwrap();
        assert_eq!(FileId::of_file(&fs::File::open(&path).unwrap()).unwrap(), id);
    }
}
