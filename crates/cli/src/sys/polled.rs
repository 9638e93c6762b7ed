//! Streams about which the system reports whether they are ready.

use std::{io, os::fd::AsFd, thread, time::Duration};

use heist_searcher::Stream;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, retry_on_intr},
};

/// The capacity, in bytes, that a pipe gets once much has come through it: the most that any user
/// may set on Linux, where 64 KiB is the default.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// How long to wait for a stream if the system does not know whether it is ready.
const MAX_WAIT: Duration = Duration::from_millis(2);

/// Waits until `stream` is ready for `events`, or for a moment if the system does not know.
pub(super) fn wait_for(stream: impl AsFd, events: PollFlags) -> Result<(), Errno> {
    let mut fds = [PollFd::new(&stream, events)];
    retry_on_intr(|| poll(&mut fds, None))?;
    if !is_ready(fds[0].revents()) {
        thread::sleep(MAX_WAIT);
    }
    Ok(())
}

/// Whether these events show that a stream is ready, be it at its end. `poll` of macOS does not
/// support devices, which terminals are: it returns at once, with `NVAL`.
fn is_ready(events: PollFlags) -> bool {
    !events.is_empty() && !events.contains(PollFlags::NVAL)
}

/// A stream by its descriptor, without the buffer of its type.
#[derive(Debug)]
pub(crate) struct Polled<F>(pub(crate) F);

impl<F: AsFd + Send + Sync> Stream for Polled<F> {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match rustix::io::read(&self.0, &mut *buffer) {
                // The stream was made non-blocking by a process that shares it.
                Err(Errno::AGAIN) => wait_for(&self.0, PollFlags::IN)?,
                read => return Ok(read?),
            }
        }
    }

    fn is_ready(&self) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        // An error, such as a signal, does not mean that the stream is ready.
        poll(&mut fds, Some(&Timespec::default())).is_ok() && is_ready(fds[0].revents())
    }

    fn wait(&self) {
        // The same holds here: the caller reads next, which blocks.
        let _ = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], None);
    }

    #[cfg(target_os = "linux")]
    fn widen(&self) {
        use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
        // This fails if the stream is no pipe. If the system refuses, the pipe stays as it is.
        if fcntl_getpipe_size(&self.0).is_ok_and(|size| size < PIPE_BYTES) {
            let _ = fcntl_setpipe_size(&self.0, PIPE_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_stream_that_cannot_be_polled_is_not_ready() {
        for (events, expected) in [
            (PollFlags::empty(), false),
            (PollFlags::IN, true),
            (PollFlags::IN | PollFlags::HUP, true),
            (PollFlags::HUP, true),
            (PollFlags::ERR, true),
            (PollFlags::NVAL, false),
        ] {
            assert_eq!(is_ready(events), expected, "{events:?}");
        }
    }

    #[test]
    fn a_pipe_is_ready_if_it_contains_bytes_or_has_ended() {
        let (reader, mut writer) = io::pipe().unwrap();
        let (stream, mut buffer) = (Polled(reader), [0; 8]);
        assert!(!stream.is_ready());
        writer.write_all(b"abc").unwrap();
        assert!(stream.is_ready());
        stream.wait();
        stream.widen();
        assert_eq!(stream.read(&mut buffer).unwrap(), 3);
        assert!(!stream.is_ready());
        drop(writer);
        assert!(stream.is_ready());
        assert_eq!(stream.read(&mut buffer).unwrap(), 0);
    }
}
