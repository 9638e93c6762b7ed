//! The destination of printed bytes. A printer fills a buffer; its owner decides when it is
//! written.

use heist_searcher::Flow;

/// A growing buffer and its owner.
///
/// The bytes of one file lie between [`begin_file`](Output::begin_file) and
/// [`end_file`](Output::end_file), and the owner keeps them together. `Vec<u8>` is an output that
/// collects everything.
pub trait Output {
    /// Begins the output of a file. `separator` must precede it if any worker printed anything
    /// before in this run.
    fn begin_file(&mut self, separator: &[u8]);

    /// The buffer to append to.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// The buffer ends with a whole line, so that its owner may write it. `Break` if the output is
    /// closed.
    fn commit(&mut self) -> Flow;

    /// Ends the output of the file begun by `begin_file`.
    fn end_file(&mut self) -> Flow;
}

impl Output for Vec<u8> {
    fn begin_file(&mut self, separator: &[u8]) {
        if !self.is_empty() {
            self.extend_from_slice(separator);
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self
    }

    fn commit(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn end_file(&mut self) -> Flow {
        Flow::Continue(())
    }
}
