//! Standard output that may have been told not to wait: `O_NONBLOCK` belongs to the open file, which is shared with
//! whoever started this program, and with what else it runs. A slow reader is waited for all the same.

use std::io::{self, Write};

/// Standard output.
#[derive(Debug)]
pub(crate) struct Patient(pub(crate) io::Stdout);

impl Patient {
    /// What `attempt` gives once there is room.
    fn wait<T>(
        &mut self,
        mut attempt: impl FnMut(&mut io::Stdout) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match attempt(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait_for_room(error)?,
                other => return other,
            }
        }
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(|stdout| stdout.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait(Write::flush)
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
