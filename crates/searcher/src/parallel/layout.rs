//! How a haystack is cut into chunks, and what is found in one.

use memchr::memchr;

use crate::{SearchConfig, UnreadMatches, line_buffer::GROWTH};

/// The least size of a file that is searched by several workers, in bytes. Smaller ones are not
/// worth it: one worker searches them in the time that waking another takes some ten times.
pub const LARGE: u64 = 8 << 20;

/// How large the chunks of a file with `len` bytes are. A chunk and the other end of its copy fit
/// into a core's second-level cache.
///
/// Perf: a file of 9 MB takes 0.67 of the processor time that it takes in chunks of 1 MiB, because
/// these need buffers that have to be faulted in; one of 1.2 GB takes the same in chunks of 512
/// KiB, and more in smaller ones. See docs/decisions/0044-chunk-sizes.md.
pub(crate) fn chunk_size(len: u64) -> usize {
    if len < FAR { 128 << 10 } else { 512 << 10 }
}

/// The length from which on a file is cut into larger chunks.
const FAR: u64 = 32 << 20;

/// How a haystack is cut into chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The start of the text in the first chunk: after a byte order mark.
    pub(crate) start: usize,
    /// The size of a chunk in bytes.
    pub(crate) size: usize,
    /// Every run of this many bytes in a chunk's lines must contain a terminator. Then no line is
    /// longer than two strides, and the lines that `line_buffer` keeps from one block to the next
    /// never make a block grow beyond half a chunk.
    pub(crate) stride: usize,
    /// How many chunks may be claimed, counted from the one that is emitted next.
    pub(crate) ahead: u64,
    /// How many matching lines of a chunk are kept.
    pub(crate) most_hits: usize,
    /// Lines are only counted, and none is kept.
    pub(crate) is_counted: bool,
    /// Which matches are found of the lines that may be emitted unread.
    pub(crate) matches: UnreadMatches,
    /// NUL bytes matter.
    pub(crate) detects_nul: bool,
}

impl Layout {
    /// The layout for a file that `workers` workers search in chunks of `size` bytes, if its blocks
    /// start with `capacity` bytes.
    pub(crate) fn of_file(
        config: &SearchConfig,
        workers: usize,
        size: usize,
        capacity: usize,
    ) -> Layout {
        assert!(2 * capacity <= size, "a block has to fit into half a chunk");
        let mut block = capacity;
        while 2 * GROWTH * block <= size {
            block *= GROWTH;
        }
        // A block keeps the lines wanted as context, the last one if there is any context, and an
        // incomplete one.
        let kept = config.before_context.saturating_add(2);
        let stride = block / kept.saturating_mul(2);
        Layout { stride, ..Layout::of_stream(config, workers, size) }
    }

    /// Whether no line of `text` is too long for chunks; if one ends with `text`, it may be.
    pub(crate) fn has_short_lines(&self, config: &SearchConfig, text: &[u8]) -> bool {
        let has_end = |stride: &[u8]| memchr(config.line_terminator, stride).is_some();
        self.stride > 0 && text.chunks_exact(self.stride).all(has_end)
    }

    /// The layout for a stream that `workers` workers search in chunks of at most `size` bytes. Its
    /// blocks are whatever arrives, so that lines may have any length.
    pub(crate) fn of_stream(config: &SearchConfig, workers: usize, size: usize) -> Layout {
        Layout {
            start: 0,
            size,
            stride: usize::MAX,
            ahead: 2 * workers as u64 + 2,
            most_hits: size >> 5,
            is_counted: false,
            matches: UnreadMatches::Never,
            detects_nul: config.detects_nul(),
        }
    }
}

/// A matching line of a chunk or, in an inverted search, several successive ones; if matches may
/// span lines, a match that begins in the chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Where the hit starts, relative to the chunk's lines; `end` is where it ends.
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many terminators come before it in the chunk, if lines are numbered.
    pub(super) lines_before: u32,
}
