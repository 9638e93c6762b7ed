//! Standard output and standard error that block although they may be non-blocking, and that take
//! any bytes.
//!
//! `O_NONBLOCK` belongs to the open file, which the program shares with its parent and siblings. A
//! slow reader is waited for all the same.

use std::{
    fs::File,
    io::{self, Write},
};

use super::{shared::SendFile, status_line};
use crate::sys::{AsStream, console_text, send_file, wait_for_room};

/// Standard output.
#[derive(Debug)]
pub(crate) struct BlockingStdout(pub(crate) io::Stdout);

impl Write for BlockingStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry(&mut self.0, |stdout| stdout.write(bytes))
    }

    /// Writes all bytes under one lock, so that `interrupt` resets the style behind a whole write.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = self.0.lock();
        status_line::erase_for_results();
        write_all(&mut stdout, &console_text(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        retry(&mut self.0, Write::flush)
    }
}

impl SendFile for BlockingStdout {
    fn send_file(&mut self, file: &File, offset: u64, len: u64) -> u64 {
        let mut sent = 0;
        while sent < len {
            let send = |stdout: &mut io::Stdout| send_file(stdout, file, offset + sent, len - sent);
            match retry(&mut self.0, send) {
                // What fails now fails again when it is written.
                Ok(0) | Err(_) => break,
                Ok(more) => sent += more,
            }
        }
        sent
    }
}

/// Writes a whole message to standard error, at once and while standard output is locked, so that
/// it never interrupts a line of results on a terminal.
pub(super) fn write_to_stderr(message: &[u8]) -> io::Result<()> {
    let _results = io::stdout().lock();
    write_beside_results(message)
}

/// Writes a whole message to standard error, even while standard output is locked.
pub(super) fn write_beside_results(message: &[u8]) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    status_line::erase_from(&mut stderr);
    write_all(&mut stderr, message)
}

fn write_all(stream: &mut (impl Write + AsStream), mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match retry(stream, |stream| stream.write(bytes))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

/// Repeats `attempt` until `stream` has room, and returns its result.
fn retry<S: Write + AsStream, T>(
    stream: &mut S,
    mut attempt: impl FnMut(&mut S) -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match attempt(stream) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wait_for_room(stream, error)?;
            }
            other => return other,
        }
    }
}
