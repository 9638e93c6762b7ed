//! Where results and messages go: to the standard streams, or through a pager.

use std::{
    error::Error,
    fs::File,
    io::{self, Write},
};

use super::{
    blocking_stdout::{BlockingStdout, write_beside_results, write_to_stderr},
    pager::pager,
    shared::SendFile,
};
use crate::sys;

/// Standard output, through a pager if there is one.
#[derive(Debug)]
pub(crate) struct Destination(BlockingStdout);

impl Destination {
    pub(super) fn new() -> Destination {
        Destination(BlockingStdout(io::stdout()))
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match pager() {
            Some(pager) => pager.write(bytes).map(|()| bytes.len()),
            None => self.0.write(bytes),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match pager() {
            Some(pager) => pager.write(bytes),
            None => self.0.write_all(bytes),
        }
    }

    /// What a pager holds is shown soon.
    fn flush(&mut self) -> io::Result<()> {
        match pager() {
            Some(_) => Ok(()),
            None => self.0.flush(),
        }
    }
}

impl SendFile for Destination {
    /// A pager gets everything through memory.
    fn send_file(&mut self, file: &File, offset: u64, len: u64) -> u64 {
        match pager() {
            Some(_) => 0,
            None => self.0.send_file(file, offset, len),
        }
    }
}

/// Writes a whole message to standard error, or into the pager that has its terminal.
pub(crate) fn write_message(message: &[u8]) -> io::Result<()> {
    match pager() {
        Some(pager) => pager.write_message(message),
        None => write_to_stderr(message),
    }
}

/// Writes a message as [`write_message`] does, but does not wait for results that another thread
/// is writing.
pub(crate) fn write_message_at_once(message: &[u8]) -> io::Result<()> {
    match pager() {
        Some(pager) => pager.write_message(message),
        None => write_beside_results(message),
    }
}

/// Prints `text`, apart from the output of workers. A closed pipe is no error.
pub(crate) fn print(text: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut stdout = Destination::new();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(err) if !sys::is_closed_pipe(&err) => Err(unwritable(&err)),
        _ => Ok(()),
    }
}

/// The error if standard output cannot be written.
pub(crate) fn unwritable(error: &io::Error) -> Box<dyn Error> {
    format!("writing to standard output: {error}").into()
}
