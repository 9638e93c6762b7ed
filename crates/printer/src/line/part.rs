//! A printed part of the searched text, with its matches.

use std::ops::Range;

use heist_searcher::LineKind;

/// The matches in what is printed: a line, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hits<'a> {
    /// The matches to show in the printed part.
    pub(crate) shown: &'a [Range<usize>],
    /// All matches in the line; empty also if they were not searched for.
    pub(crate) in_line: &'a [Range<usize>],
}

impl Hits<'_> {
    /// No matches are known.
    pub(crate) const NONE: Hits<'static> = Hits { shown: &[], in_line: &[] };
}

/// The matches that end after `start`, or begin there. Those before it are passed one by one,
/// because callers have passed most of them.
pub(crate) fn reaching(spans: &[Range<usize>], start: usize) -> &[Range<usize>] {
    let passed = spans
        .iter()
        .position(|span| span.end > start || span.start == start)
        .unwrap_or(spans.len());
    &spans[passed..]
}

/// What is printed at a time: a line, a part of one or a match, in the block of lines around it.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) block: &'a [u8],
    pub(crate) range: Range<usize>,
    /// How many bytes at the beginning are trimmed.
    pub(crate) indent: usize,
    pub(crate) hits: Hits<'a>,
    pub(crate) kind: LineKind,
    /// The terminator that is printed after it.
    pub(crate) end: &'static [u8],
}

impl<'a> Part<'a> {
    /// A line on its own, from which `indent` bytes are trimmed.
    pub(crate) fn line(
        line: &'a [u8],
        indent: usize,
        hits: Hits<'a>,
        kind: LineKind,
        end: &'static [u8],
    ) -> Part<'a> {
        Part { block: line, range: 0..line.len(), indent, hits, kind, end }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        &self.block[self.range.clone()]
    }
}
