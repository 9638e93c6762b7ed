//! A haystack in memory is searched as one block, after the question whether it has any match at all.
//!
//! That is what results would be if it were read block by block, except for NUL bytes: where there is one and it
//! matters, the haystack is read from memory through the line buffer, block by block.

use std::io;

use heist_matcher::{BlockScan, Finder};
use memchr::memchr;

use crate::{
    BinaryPolicy, SearchConfig, Sink,
    block_search::search_blocks,
    line_buffer::LineBuffer,
    line_search::{LineSearch, failure_as_error},
    matching::next_matching_line,
    source::Feed,
};

/// How far a NUL byte is looked for before the pattern: nearly every binary file has one here, and then the pattern
/// need not be looked for at all. Text pays some 20 ns for it. (An estimate; the number was not tuned.)
const EARLY: usize = 1 << 10;

/// Search `bytes`, all of a haystack, of which the first block holds `peek` bytes. The only error is one of the engine.
pub(crate) fn search<S: Sink>(
    config: &SearchConfig,
    line_buffer: &mut LineBuffer,
    finder: &mut Finder,
    (bytes, peek): (&[u8], usize),
    binary: BinaryPolicy,
    sink: &mut S,
) -> io::Result<()> {
    let wants_unmatched = sink.wants_unmatched();
    if !wants_unmatched
        && (bytes.is_empty() || is_dropped_early(config, line_buffer, bytes, peek, binary))
    {
        return Ok(());
    }
    // Where NUL bytes become line terminators they may also make lines match, so those are looked for first.
    let mut needs_blocks = binary == BinaryPolicy::Convert && memchr(0, bytes).is_some();
    let (mut known, mut scan) = (None, BlockScan::new(bytes));
    if !wants_unmatched && !needs_blocks && !config.invert && !config.passthru {
        known = next_matching_line(finder, &mut scan, 0, config);
        if known.is_none() {
            return failure_as_error(finder.take_failure());
        }
    }
    needs_blocks |= binary == BinaryPolicy::Quit && memchr(0, bytes).is_some();
    if needs_blocks {
        let feed = Feed::replay(bytes, peek);
        return search_blocks(config, line_buffer, finder, feed, binary, sink);
    }
    let mut search = LineSearch::new(config, finder, sink).with_known(known);
    if search.begin_if_wanted().is_continue() {
        // Broken or not, it is over.
        let _ = search.pass(&mut scan);
    }
    failure_as_error(search.finish(None))
}

/// Whether a NUL byte near the front ends the haystack within the first block, so that no line of it is searched.
fn is_dropped_early(
    config: &SearchConfig,
    line_buffer: &LineBuffer,
    bytes: &[u8],
    peek: usize,
    binary: BinaryPolicy,
) -> bool {
    let early = EARLY.min(line_buffer.capacity()).min(bytes.len());
    let peeked = &bytes[..peek.min(bytes.len())];
    binary == BinaryPolicy::Quit
        && memchr(0, &bytes[..early]).is_some()
        && memchr(config.line_terminator, peeked).is_none()
}
