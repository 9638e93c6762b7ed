//! A pseudo-terminal, of which a test has the user's end.

use std::{
    fs::File,
    io::Read,
    thread::{self, JoinHandle},
};

use rustix::{
    fs::{Mode, OFlags, open},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

/// Children do not inherit the terminal, where the system has a flag for it.
const CLOEXEC: OpenptFlags = {
    #[cfg(target_os = "linux")]
    {
        OpenptFlags::CLOEXEC
    }
    #[cfg(not(target_os = "linux"))]
    OpenptFlags::empty()
};

/// A new terminal: the ends of the user and of programs.
pub(crate) fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | CLOEXEC).expect("a terminal");
    grantpt(&ours).expect("permission");
    unlockpt(&ours).expect("permission");
    let name = ptsname(&ours, Vec::new()).expect("a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = open(name, flags, Mode::empty()).expect("the other side");
    (ours.into(), theirs.into())
}

/// A new terminal of this size.
pub(crate) fn terminal_of(rows: u16, columns: u16) -> (File, File) {
    let (ours, theirs) = terminal();
    resize(&theirs, rows, columns);
    (ours, theirs)
}

/// Changes the size of a terminal.
pub(crate) fn resize(terminal: &File, rows: u16, columns: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("a terminal has a size");
}

/// Reads the rest of the output of a terminal, whose end is an error.
pub(crate) fn drain(mut terminal: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = terminal.read_to_end(&mut bytes);
    bytes
}

/// Reads what a terminal shows, so that programs do not wait, until its end.
pub(crate) fn watch(terminal: File) -> JoinHandle<String> {
    thread::spawn(move || String::from_utf8_lossy(&drain(terminal)).into_owned())
}
