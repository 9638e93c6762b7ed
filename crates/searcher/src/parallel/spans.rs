//! The matches of lines that may be emitted unread.

use std::ops::Range;

/// Matches of a file, in order.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// Their positions in the file.
    at: Vec<Range<u64>>,
    /// Their bytes, one match after the other; empty if they are not wanted.
    texts: Vec<u8>,
}

impl Spans {
    pub(super) fn clear(&mut self) {
        self.at.clear();
        self.texts.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Adds a match at `at` and its `text`, which is empty if it is not wanted.
    pub(super) fn push(&mut self, at: Range<u64>, text: &[u8]) {
        self.at.push(at);
        self.texts.extend_from_slice(text);
    }

    /// Their bytes, one match after the other.
    pub(super) fn texts(&self) -> &[u8] {
        &self.texts
    }

    /// The positions in the line of `len` bytes at `start`; none if these are too many for memory.
    pub(super) fn in_line(&self, start: u64, len: u64) -> Vec<Range<usize>> {
        if usize::try_from(len).is_err() {
            return Vec::new();
        }
        let place = |at: u64| at.saturating_sub(start) as usize;
        self.at.iter().map(|span| place(span.start)..place(span.end)).collect()
    }

    /// Iterates over the matches.
    pub(super) fn iter(&self) -> Iter<'_> {
        Iter { at: &self.at, texts: &self.texts }
    }

    /// Adds the next matches of `iter` as far as they begin before `end`, except those that the
    /// last one here includes: they have been found before.
    pub(super) fn take_before(&mut self, end: u64, iter: &mut Iter<'_>) {
        while let Some((at, text)) = iter.next_before(end) {
            if self.at.last().is_none_or(|last| last.end <= at.start) {
                self.push(at, text);
            }
        }
    }
}

/// The rest of some matches.
pub(super) struct Iter<'a> {
    at: &'a [Range<u64>],
    texts: &'a [u8],
}

impl<'a> Iter<'a> {
    /// The next match, if it begins before `end`, and its text.
    fn next_before(&mut self, end: u64) -> Option<(Range<u64>, &'a [u8])> {
        let (first, rest) = self.at.split_first().filter(|(first, _)| first.start < end)?;
        self.at = rest;
        let len = if self.texts.is_empty() { 0 } else { (first.end - first.start) as usize };
        let (text, texts) = self.texts.split_at(len);
        self.texts = texts;
        Some((first.clone(), text))
    }
}
