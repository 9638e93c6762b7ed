//! How a haystack is cut into chunks.

use crate::{BinaryPolicy, SearchConfig};

/// The size from which on a file may be searched by several workers, in bytes. Less is not worth the trouble: one worker is done with it in the time that it takes to wake another
/// some ten times.
pub const LARGE: u64 = 8 << 20;

/// The size of a chunk in bytes, small enough for it and the buffer's other end to stay in a core's second-level cache.
pub(crate) const CHUNK_SIZE: usize = 1 << 20;

/// How a file is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Where its text begins, in the first chunk: behind a byte order mark.
    pub(crate) start: usize,
    /// The size of a chunk in bytes.
    pub(crate) size: usize,
    /// Of the lines of a chunk, each of so many successive bytes must hold a terminator. No line is then longer than two
    /// strides, and those that `line_buffer` keeps from one block to the next do not make the blocks grow beyond half a
    /// chunk.
    pub(crate) stride: usize,
    /// How many chunks may be claimed from the one on that is emitted next.
    pub(crate) ahead: u64,
    /// How many matching lines of a chunk are kept.
    pub(crate) most_hits: usize,
    /// Whether lines are only counted, and none kept.
    pub(crate) is_counted: bool,
    /// Whether a NUL byte matters.
    pub(crate) detects_nul: bool,
}

impl Layout {
    /// The layout for a text that begins at `start` and is searched by so many workers, in chunks of `size` bytes where
    /// blocks begin with `capacity`.
    pub(crate) fn new(
        config: &SearchConfig,
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
        config: &SearchConfig,
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
            detects_nul: match binary {
                BinaryPolicy::Text => false,
                BinaryPolicy::Quit => true,
                BinaryPolicy::Convert => config.line_terminator != 0,
            },
        }
    }
}
