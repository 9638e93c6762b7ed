//! The strings and comments of a haystack that have several lines.

use memchr::memchr;

use super::lexis::Lexis;

/// Finds the strings and comments that have several lines, from the start of the haystack on, as
/// far as they are needed.
#[derive(Debug, Default)]
pub(crate) struct TokenSpans {
    /// Their bounds, in order.
    found: Vec<(usize, usize)>,
    /// Where the search goes on.
    at: usize,
    /// The kinds of texts that have one without an end.
    unclosed: u64,
}

impl TokenSpans {
    /// Begins a haystack.
    pub(crate) fn begin(&mut self) {
        self.found.clear();
        (self.at, self.unclosed) = (0, 0);
    }

    /// Finds those that begin before `end`.
    pub(crate) fn extend(&mut self, lexis: &Lexis, text: &[u8], end: usize) {
        if !lexis.has_long_tokens() {
            return;
        }
        while self.at < end {
            let skipped = text[self.at..end].iter().position(|&byte| lexis.may_begin(byte));
            let Some(skipped) = skipped else {
                self.at = end;
                return;
            };
            let start = self.at + skipped;
            self.at = start + 1;
            let Some(token) = lexis.token(text, start, self.unclosed) else { continue };
            if let Some(kind) = token.unclosed {
                self.unclosed |= 1 << kind;
            }
            self.at = token.end.max(start + 1);
            if memchr(b'\n', &text[start..token.end]).is_some() {
                self.found.push((start, token.end));
            }
        }
    }

    /// The start of the one that the line at `start` begins in.
    pub(crate) fn around(&self, start: usize) -> Option<usize> {
        let after = self.found.partition_point(|(begin, _)| *begin < start);
        let (begin, end) = *self.found.get(after.checked_sub(1)?)?;
        (start < end).then_some(begin)
    }
}
