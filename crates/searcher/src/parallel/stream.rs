//! A stream, read by whoever has time, one at a time.

use std::io::{self, Read};

/// What gives its bytes once, in order, and may have to wait for them: a pipe, a socket. Never read by two workers at the
/// same time.
pub trait Stream: Send + Sync {
    /// Read some of what comes next; nothing only at the end.
    ///
    /// # Errors
    /// As the system says.
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Whether a read would give something without waiting, an end or an error included. Where that cannot be known it
    /// would not.
    fn is_ready(&self) -> bool;

    /// Wait until it is, where that can be known.
    fn wait(&self);

    /// A lot has come and more may: have as much as possible put aside while nobody reads.
    fn widen(&self) {}
}

/// Reads a stream as anything else is read.
pub(crate) struct BlockingRead<'a>(pub(crate) &'a dyn Stream);

impl Read for BlockingRead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
