//! One large file, searched by several workers at once and told by one, in order.
//!
//! ```text
//! owner:    claim 0, search ─ claim 2, search ─ tell 0 ─ claim 4, search ─ tell 1, tell 2 ─ …
//! helpers:  claim 1, search ─ claim 3, search ─ …           nothing to claim: go away
//! ```
//!
//! The file is cut into *chunks* of equal size; a chunk owns the lines that begin in it, and whoever searches it reads on
//! to the end of the last one. So chunks can be searched in any order without knowing of each other (`find`), and the
//! owner puts what was found, in order, through the same [`LineSearch`](crate::line_search::LineSearch) that searches a
//! file block by block (`tell`). Context, limits, numbers and every way of printing are that code's, and the same.
//!
//! What cannot be had this way is the effect of NUL bytes, since that depends on the blocks in which a file is read from
//! its beginning (see `rolling`). Nor are lines longer than a chunk worth it. Where either shows up, the owner gives up,
//! searches the file block by block and leaves out as many events as it had told already. These are the same because a
//! chunk is told only when the next one is known to be harmless as well, and a block never reaches further than a chunk
//! ([`Layout::stride`] is why).
//!
//! Memory is bounded: no chunk is claimed that lies more than [`Layout::ahead`] behind the one to be told, and matches
//! beyond [`Layout::most_hits`] of one chunk are left to the owner.

mod board;
mod find;
mod read_at;
mod spans;
mod stream;
mod tell;

use std::sync::Arc;

use crate::{BinaryPolicy, Config};

pub use board::Chunks;
pub(crate) use read_at::Cursor;
pub use read_at::{FileRead, ReadAt};
pub(crate) use spans::tell_spans;
pub(crate) use stream::Drain;
pub use stream::Stream;
pub(crate) use tell::{Passed, Resumed, Told, Untold, tell, tell_stream};

/// The size from which on a file may be searched by several workers, in bytes. Less is not worth the trouble: one worker is done with it in the time that it takes to wake another
/// some ten times.
pub const LARGE: u64 = 8 << 20;

/// The size of a chunk in bytes, small enough for it and the buffer's other end to stay in a core's second-level cache.
pub(crate) const SIZE: usize = 1 << 20;

/// Other workers, who may help with a large haystack. Asked by the one who searches it.
pub trait Helpers {
    /// How many there are. Where there are none, nothing is cut into chunks.
    fn count(&self) -> usize;

    /// From now on `chunks` may be helped with: [`Chunks::assist`].
    fn begin(&mut self, chunks: &Arc<Chunks>);

    /// Call somebody who has nothing to do. Said before each chunk, if there is more to search than what can be read at once.
    fn call(&mut self);

    /// Whether the search is no longer wanted.
    fn is_stopped(&self) -> bool;

    /// No more help is needed with what was begun last.
    fn end(&mut self);
}

/// How a file is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Where its text begins, in the first chunk: behind a byte order mark.
    pub(crate) start: usize,
    /// The size of a chunk in bytes.
    pub(crate) size: usize,
    /// Of the lines of a chunk, each of so many successive bytes must hold a terminator. No line is then longer than two
    /// strides, and those that `rolling` keeps from one block to the next do not make the blocks grow beyond half a
    /// chunk.
    pub(crate) stride: usize,
    /// How many chunks may be claimed from the one on that is told next.
    pub(crate) ahead: u64,
    /// How many matching lines of a chunk are kept.
    pub(crate) most_hits: usize,
    /// Whether lines are only counted, and none kept.
    pub(crate) is_counted: bool,
    /// Whether a NUL byte matters.
    pub(crate) heeds_nul: bool,
}

impl Layout {
    /// The layout for a text that begins at `start` and is searched by so many workers, in chunks of `size` bytes where
    /// blocks begin with `capacity`.
    pub(crate) fn new(
        config: &Config,
        binary: BinaryPolicy,
        (start, workers): (usize, usize),
        (capacity, size): (usize, usize),
    ) -> Layout {
        assert!(2 * capacity <= size, "a block has to fit into half a chunk");
        // Blocks grow threefold.
        let mut block = capacity;
        while 2 * 3 * block <= size {
            block *= 3;
        }
        // Kept are the lines wanted as context, the last one if there is context at all, and one that has only begun.
        let kept = config.before_context.saturating_add(2);
        Layout {
            start,
            stride: block / kept.saturating_mul(2),
            ..Layout::of_stream(config, binary, workers, size)
        }
    }

    /// The layout for a stream that is searched by so many workers, in chunks of at most `size` bytes. Its blocks are what
    /// happens to come, so that lines may be of any length.
    pub(crate) fn of_stream(
        config: &Config,
        binary: BinaryPolicy,
        workers: usize,
        size: usize,
    ) -> Layout {
        Layout {
            start: 0,
            size,
            stride: usize::MAX,
            ahead: 2 * workers as u64 + 2,
            most_hits: size >> 5,
            is_counted: false,
            heeds_nul: match binary {
                BinaryPolicy::Text => false,
                BinaryPolicy::Quit => true,
                BinaryPolicy::Convert => config.line_terminator != 0,
            },
        }
    }
}
