//! Where printed bytes go. A printer fills a buffer; whoever owns the buffer decides when it is written.

use heist_searcher::Flow;

/// A growing buffer with an owner behind it.
///
/// The bytes of one file lie between [`begin_file`](Output::begin_file) and [`end_file`](Output::end_file); the owner
/// keeps them together.
pub trait Output {
    /// The first bytes of a file's output follow. `separator` belongs between them and what any worker printed before
    /// in this run, and is left out where nothing was.
    fn begin_file(&mut self, separator: &[u8]);

    /// The buffer to append to.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// The buffer ends with a whole line: its owner may write it out. `Break`: nobody reads any more, stop.
    fn commit(&mut self) -> Flow;

    /// The file's output, begun by `begin_file`, is complete.
    fn end_file(&mut self) -> Flow;
}

/// Collects everything, for tests and for callers that print later.
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
