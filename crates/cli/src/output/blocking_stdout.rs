//! Standard output and standard error that may have been told not to wait: `O_NONBLOCK` belongs to the open file, which is
//! shared with whoever started this program, and with what else it runs. A slow reader is waited for all the same.

use std::io::{self, Write};

/// Standard output.
#[derive(Debug)]
pub(crate) struct BlockingStdout(pub(crate) io::Stdout);

impl Write for BlockingStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry(&mut self.0, |stdout| stdout.write(bytes))
    }

    /// All of it under one lock: who resets the style at the end of the run waits for the write that is going on.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_all(&mut self.0.lock(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        retry(&mut self.0, Write::flush)
    }
}

/// Write a whole message to standard error.
pub(crate) fn write_message(bytes: &[u8]) -> io::Result<()> {
    write_all(&mut io::stderr().lock(), bytes)
}

fn write_all(stream: &mut impl Stream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match retry(stream, |stream| stream.write(bytes))? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

/// What `attempt` gives once `stream` has room.
fn retry<S: Stream, T>(
    stream: &mut S,
    mut attempt: impl FnMut(&mut S) -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match attempt(stream) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                stream.wait_for_room(error)?;
            }
            other => return other,
        }
    }
}

/// A stream that can be waited for.
trait Stream: Write {
    /// Wait until it takes something. `full` is the error that says it does not.
    fn wait_for_room(&self, full: io::Error) -> io::Result<()>;
}

#[cfg(unix)]
impl<S: Write + std::os::fd::AsFd> Stream for S {
    fn wait_for_room(&self, _full: io::Error) -> io::Result<()> {
        use rustix::{
            event::{PollFd, PollFlags, poll},
            io::retry_on_intr,
        };
        retry_on_intr(|| poll(&mut [PollFd::new(self, PollFlags::OUT)], None))?;
        Ok(())
    }
}

#[cfg(not(unix))]
impl<S: Write> Stream for S {
    fn wait_for_room(&self, full: io::Error) -> io::Result<()> {
        Err(full)
    }
}
