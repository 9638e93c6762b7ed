//! Searches for a match near needles. Every match contains one.
//!
//! What is far from needles is passed over as fast as these are looked for, and the engine gets a
//! few lines or bytes at a time. Its own search of this kind, which takes a needle's place as the
//! end of a search backwards, is for few expressions: most could match earlier than it finds.

use std::ops::Range;

/// Bytes that the engine searches in the time that it takes to begin a search.
const CALL: usize = 128;

/// Bytes that the engine may search in any case, however many needles there are. It is no
/// [`Budget`](crate::strategies::budget::Budget): a call for one match cannot wait for so many
/// tries before it decides.
const SLACK: usize = 4 << 10;

/// What the engine searches for a match with a needle.
pub(crate) struct Around {
    /// No match with the needle begins between the given place and this.
    pub(crate) begin: usize,
    /// Every match with the needle begins before this.
    pub(crate) next: usize,
    /// Every match that begins before `next` ends here at the latest.
    pub(crate) end: usize,
}

/// The leftmost match in `haystack` that begins at or after `at`. Every match contains a needle.
///
/// `needle` finds where the first needle in a range is. `around` takes a place before which no
/// match begins, and where a needle is, and returns what has to be searched, if that is little.
/// `search` finds the leftmost match in a range.
pub(crate) fn find_near(
    haystack: &[u8],
    at: usize,
    mut needle: impl FnMut(Range<usize>) -> Option<usize>,
    mut around: impl FnMut(usize, usize) -> Option<Around>,
    mut search: impl FnMut(Range<usize>) -> Option<Range<usize>>,
) -> Option<Range<usize>> {
    let len = haystack.len();
    // No match begins from `at` to `from`. The engine has searched `searched` bytes, or could have.
    let (mut from, mut searched) = (at, 0);
    // Where it searches much of the text, it may as well search all.
    while searched <= (from - at) / 2 + SLACK {
        let Some(Around { begin, next, end }) = around(from, needle(from..len)?) else {
            break;
        };
        from = begin;
        searched += CALL + end - from;
        // What begins later may end later.
        let found = search(from..end).filter(|found| found.start < next);
        if found.is_some() || next == len {
            return found;
        }
        from = next;
    }
    search(from..len)
}
