//! A stream that several workers read in turn.

use std::io::{self, Read};

/// A source that returns its bytes once, in order, and may block: a pipe or a socket. Two workers
/// never read it at the same time.
pub trait Stream: Send + Sync {
    /// Reads some of the next bytes; 0 only at the end.
    ///
    /// # Errors
    /// The operating system's error.
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Whether a read would return without blocking, also with an end or an error. False if this
    /// cannot be determined.
    fn is_ready(&self) -> bool;

    /// Blocks until a read would not block, if this can be determined.
    fn wait(&self);

    /// Raises the capacity of the stream as far as possible, because much has arrived.
    fn widen(&self) {}
}

/// Reads a stream through [`Read`].
pub(crate) struct BlockingRead<'a>(pub(crate) &'a dyn Stream);

impl Read for BlockingRead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
