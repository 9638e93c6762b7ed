//! The lines in which matches are searched for at a time, and a match.

use std::ops::Range;

use heist_matcher::Finder;

/// Some or all successive lines of a haystack.
#[derive(Debug)]
pub(crate) struct Part<'h> {
    /// The terminator of the previous line, unless the lines begin the haystack (`^` and `\B` look
    /// at it); then the lines; then as many further bytes as a match that begins in them may
    /// [reach](heist_matcher::Reach).
    pub(crate) bytes: &'h [u8],
    /// The length of the previous terminator in `bytes`: 0 or 1.
    pub(crate) lead: usize,
    /// The end of the lines, relative to their start, as all other positions are.
    pub(crate) end: usize,
    /// Nothing follows the lines.
    pub(crate) is_last: bool,
}

impl<'h> Part<'h> {
    /// The lines and the bytes after them.
    pub(crate) fn text(&self) -> &'h [u8] {
        &self.bytes[self.lead..]
    }

    /// Whether `at` is in a line, or at the end of one without a terminator.
    pub(super) fn holds(&self, at: usize, terminator: u8) -> bool {
        at < self.end || self.is_last && !self.text().ends_with(&[terminator])
    }

    /// The next match that begins at or after `from`.
    pub(crate) fn find_at(&self, finder: &mut Finder, from: usize) -> Option<Range<usize>> {
        let found = match from {
            0 => finder.find_first(self.bytes, self.lead)?,
            _ => finder.find_at(self.bytes, self.lead + from)?,
        };
        Some(found.start - self.lead..found.end - self.lead)
    }
}

/// A match, or the lines of several matches that form a block.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    /// The number of lines in the haystack before the one in which the match begins, if it is
    /// known.
    pub(crate) lines_before: Option<u64>,
}

impl Found {
    pub(super) fn next(&self) -> usize {
        behind(&self.range)
    }
}

/// The position at which the search for the match after `found` starts.
pub(crate) fn behind(found: &Range<usize>) -> usize {
    found.end + usize::from(found.is_empty())
}
