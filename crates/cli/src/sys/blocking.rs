//! Streams on systems without a way to check whether a read would block.

use std::io::{self, Read};

use heist_searcher::Stream;

/// A stream that is never known to be ready.
#[derive(Debug)]
pub(crate) struct Blocking<F>(pub(crate) F);

impl<F: Send + Sync> Stream for Blocking<F>
where
    for<'a> &'a F: Read,
{
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }

    fn is_ready(&self) -> bool {
        false
    }

    /// The read itself blocks.
    fn wait(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_written_are_read() {
        let (reader, mut writer) = io::pipe().unwrap();
        io::Write::write_all(&mut writer, b"abc").unwrap();
        drop(writer);
        let (stream, mut buffer) = (Blocking(reader), [0; 8]);
        assert!(!stream.is_ready());
        stream.wait();
        assert_eq!(stream.read(&mut buffer).unwrap(), 3);
        assert_eq!(&buffer[..3], b"abc");
        assert_eq!(stream.read(&mut buffer).unwrap(), 0);
    }
}
