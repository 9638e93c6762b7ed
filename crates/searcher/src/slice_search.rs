//! Searches a haystack in memory as one block, after checking whether it has any match at all.
//!
//! The events are the same as when searching block by block, except for NUL bytes: where there is
//! one and it matters, the haystack is read from memory through the line buffer, block by block.

use std::io;

use memchr::memchr;

use crate::{
    BinaryPolicy, SearchConfig, Sink,
    line_search::{LineSearch, failure_as_error},
    matching::next_matching_line,
    search::Search,
    source::{Feed, Head},
};

/// How many bytes are checked for NUL before the pattern is searched for. Nearly every binary file
/// has one here, and then the pattern need not be searched for at all. Text pays some 20 ns for it.
/// (An estimate; the number was not tuned.)
const EARLY_NUL_BYTES: usize = 1 << 10;

impl<S: Sink> Search<'_, S> {
    /// Searches `text`, a whole haystack. The only error is a failure of the engine.
    pub(crate) fn slice(&mut self, text: Head<'_>) -> io::Result<()> {
        let Search { config, ref mut finder, ref mut buffers, ref mut sink } = *self;
        let (bytes, binary) = (text.bytes, config.binary);
        let wants_unmatched = sink.wants().unmatched;
        let block = buffers.line_buffer.capacity();
        if !wants_unmatched && (bytes.is_empty() || is_dropped_early(config, block, text)) {
            return Ok(());
        }
        // NUL bytes that become line terminators may also make lines match, so they are searched
        // for before the pattern.
        let mut needs_blocks = binary == BinaryPolicy::Convert && memchr(0, bytes).is_some();
        let (mut known, mut scan) = (None, finder.scan(bytes));
        if !wants_unmatched && !needs_blocks && !config.invert && !config.passthru {
            known = next_matching_line(finder, &mut scan, 0, config);
            if known.is_none() {
                finder.end_scan(scan);
                return failure_as_error(finder.take_failure());
            }
        }
        needs_blocks |= binary == BinaryPolicy::Quit && memchr(0, bytes).is_some();
        if needs_blocks {
            finder.end_scan(scan);
            return self.blocks(&mut Feed::replay(text), None);
        }
        let mut search = LineSearch::new(config, finder, *sink).with_known(known);
        if search.begin_if_wanted().is_continue() {
            // The search is over after this block, whether the sink breaks or not.
            let _ = search.pass(&mut scan);
        }
        let searched = search.finish(None);
        finder.end_scan(scan);
        searched
    }
}

/// Whether a NUL byte near the front ends the haystack within its first `block` bytes, so that none
/// of its lines is searched.
fn is_dropped_early(config: &SearchConfig, block: usize, text: Head<'_>) -> bool {
    let Head { bytes, peek } = text;
    let early = EARLY_NUL_BYTES.min(block).min(bytes.len());
    let peeked = &bytes[..peek.min(bytes.len())];
    config.binary == BinaryPolicy::Quit
        && memchr(0, &bytes[..early]).is_some()
        && memchr(config.line_terminator, peeked).is_none()
}
