//! Standard output that may have been told not to wait: `O_NONBLOCK` belongs to the open file, which is shared with
//! whoever started this program, and with what else it runs. A slow reader is waited for all the same.

use std::io::{self, Write};

/// Standard output.
#[derive(Debug)]
pub(crate) struct Patient(pub(crate) io::Stdout);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_some(&mut self.0.lock(), bytes)
    }

    /// All of it under one lock: who resets the style at the end of the run waits for the write that is going on.
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut stdout = self.0.lock();
        while !bytes.is_empty() {
            match write_some(&mut stdout, bytes)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => bytes = &bytes[written..],
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut stdout = self.0.lock();
        retry(|| stdout.flush())
    }
}

fn write_some(stdout: &mut io::StdoutLock<'_>, bytes: &[u8]) -> io::Result<usize> {
    retry(|| stdout.write(bytes))
}

/// What `attempt` gives once there is room.
fn retry<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait_for_room(error)?,
            other => return other,
        }
    }
}

/// Wait until standard output takes something. `full` is the error that says it does not.
#[cfg(unix)]
fn wait_for_room(_full: io::Error) -> io::Result<()> {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::retry_on_intr,
    };
    retry_on_intr(|| poll(&mut [PollFd::new(&io::stdout(), PollFlags::OUT)], None))?;
    Ok(())
}

#[cfg(not(unix))]
fn wait_for_room(full: io::Error) -> io::Result<()> {
    Err(full)
}
