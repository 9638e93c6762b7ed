//! What is known of the lines of a chunk in a file whose lines may be of any length: how many of
//! them match, but not where they are.
//!
//! ```text
//! chunk     …aaaa⏎bbb⏎cccc…     the end of one line, whole ones, the start of another
//! summary   begun: does it match? │ whole: how many match? │ open: does it match so far?
//! ```
//!
//! A line matches if a [needle](NeedleSearch) is in it. A needle has no line terminator, so it is
//! in the line that any of its bytes is in, and no line has to be in memory as a whole.

use std::ops::Range;

use heist_matcher::NeedleSearch;
use memchr::{memchr, memchr_iter, memrchr};

/// The matching lines of a chunk. Lengths are in bytes, and not less than those of the lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    /// The bytes of the chunk, which are exact.
    pub(super) len: usize,
    /// A line ends in the chunk.
    pub(super) has_end: bool,
    /// The first line that ends here, which may have begun before, has a needle here.
    pub(super) is_begun_matched: bool,
    /// The length of that line in the chunk.
    pub(super) begun_len: usize,
    /// How many of the lines that begin and end here have a needle.
    pub(super) whole_matched: u64,
    /// The length of the longest of them.
    pub(super) longest: usize,
    /// The line that goes on after the chunk has a needle here.
    pub(super) is_open_matched: bool,
    /// The length of that line in the chunk.
    pub(super) open_len: usize,
}

impl Summary {
    /// A line ends here.
    pub(super) fn end_line(&mut self) {
        if self.has_end {
            self.whole_matched += u64::from(self.is_open_matched);
            self.longest = self.longest.max(self.open_len);
        } else {
            self.is_begun_matched = self.is_open_matched;
            self.begun_len = self.open_len;
        }
        self.has_end = true;
        self.is_open_matched = false;
        self.open_len = 0;
    }

    /// Adds the lines of `bytes[own]`. The bytes around it are those around it in the file, as many
    /// as a needle may reach.
    pub(super) fn add(
        &mut self,
        bytes: &[u8],
        own: Range<usize>,
        terminator: u8,
        needles: &NeedleSearch,
    ) {
        let mut from = memrchr(terminator, &bytes[..own.start]).map_or(0, |i| i + 1);
        for end in memchr_iter(terminator, &bytes[own.clone()]).map(|i| own.start + i) {
            self.open_len += end + 1 - from;
            self.is_open_matched = self.is_open_matched || needles.is_in(&bytes[from..end]);
            self.end_line();
            from = end + 1;
        }
        if from < own.end {
            let end = memchr(terminator, &bytes[own.end..]).map_or(bytes.len(), |i| own.end + i);
            self.open_len += end - from;
            self.is_open_matched = self.is_open_matched || needles.is_in(&bytes[from..end]);
        }
    }
}
