//! What is known about a chunk's lines in a file with lines of any length.
//!
//! ```text
//! chunk     …aaaa⏎bbb⏎cccc…     the end of one line, whole ones, the start of another
//! summary   begun: does it match? │ whole: which ones match? │ open: does it match so far?
//! ```
//!
//! A line that matches has a [needle](heist_matcher::NeedleSearch). A needle has no line
//! terminator, so it is in the line that any of its bytes is in, and no line has to be in memory as
//! a whole.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::{layout::Hit, line_test::LineTest};

/// The matching lines of a chunk. Positions are relative to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    /// The bytes of the chunk.
    pub(super) len: usize,
    /// A line ends in the chunk.
    pub(super) has_end: bool,
    /// The end of the first line that ends here, which may have begun before. Unknown if lines are
    /// only counted.
    pub(super) begun_end: usize,
    /// That line matches because of its part here.
    pub(super) is_begun_matched: bool,
    /// The length of that line in the chunk, or more.
    pub(super) begun_len: usize,
    /// How many of the lines that begin and end here match.
    pub(super) whole_matched: u64,
    /// How long the longest line is, or more.
    pub(super) longest: usize,
    /// The start of the line that goes on after the chunk; 0 if no line ends in the chunk. Unknown
    /// if lines are only counted.
    pub(super) open_start: usize,
    /// That line matches because of its part here.
    pub(super) is_open_matched: bool,
    /// The length of that line in the chunk, or more.
    pub(super) open_len: usize,
    /// The number of terminators in the chunk.
    pub(super) terminators: u64,
}

impl Summary {
    /// The open line ends at `end` of the chunk, and another begins. If it has begun here and
    /// matches, it is added to `hits`.
    pub(super) fn end_line(&mut self, end: usize, hits: Option<&mut Vec<Hit>>) {
        if self.has_end {
            self.whole_matched += u64::from(self.is_open_matched);
            self.longest = self.longest.max(self.open_len);
            if let Some(hits) = hits.filter(|_| self.is_open_matched) {
                let (start, lines_before) = (self.open_start as u32, self.terminators as u32);
                hits.push(Hit { start, end: end as u32, lines_before });
            }
        } else {
            self.begun_end = end;
            self.is_begun_matched = self.is_open_matched;
            self.begun_len = self.open_len;
        }
        self.terminators += 1;
        self.has_end = true;
        self.open_start = end;
        self.is_open_matched = false;
        self.open_len = 0;
    }
}

/// Makes the summary of a chunk, from its parts in order.
pub(super) struct Summarizer<'a> {
    pub(super) summary: Summary,
    pub(super) test: LineTest<'a>,
    /// The lines that begin and end in the chunk and match, unless they are only counted.
    pub(super) hits: Option<&'a mut Vec<Hit>>,
}

impl Summarizer<'_> {
    /// Whether it is wanted where lines begin and end.
    pub(super) fn wants_bounds(&self) -> bool {
        self.hits.is_some()
    }

    /// A line ends at `end` of the chunk.
    pub(super) fn end_line(&mut self, end: usize) {
        self.summary.end_line(end, self.hits.as_deref_mut());
    }

    /// Adds the lines in `bytes[own]`, which is at `at` in the chunk. The bytes around it are the
    /// same as in the file, as many as a needle may reach; the first is at `offset`.
    pub(super) fn add(&mut self, bytes: &[u8], own: Range<usize>, at: usize, offset: u64) {
        let terminator = self.test.terminator;
        let mut from = memrchr(terminator, &bytes[..own.start]).map_or(0, |i| i + 1);
        for end in memchr_iter(terminator, &bytes[own.clone()]).map(|i| own.start + i) {
            self.add_part(bytes, from..end, offset);
            self.summary.open_len += 1;
            self.end_line(at + end + 1 - own.start);
            from = end + 1;
        }
        if from < own.end {
            let end = memchr(terminator, &bytes[own.end..]).map_or(bytes.len(), |i| own.end + i);
            self.add_part(bytes, from..end, offset);
        }
    }

    /// Adds a part of the open line.
    fn add_part(&mut self, bytes: &[u8], part: Range<usize>, offset: u64) {
        self.summary.open_len += part.len();
        if !self.summary.is_open_matched || self.test.wants_all() {
            self.summary.is_open_matched |= self.test.matches(bytes, part, offset);
        }
    }
}
