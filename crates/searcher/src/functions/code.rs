//! The lines of a haystack as code: their indentation, and which ones are none.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::{
    spans::TokenSpans,
    syntax::{NestedFunctions, begins_with},
};

/// Columns between two stops of the tabulator.
const TAB: usize = 8;

/// Lines below a line that are looked at for its indentation.
const MAX_LINES_BELOW: usize = 100;

/// How many bytes are searched for the beginning of a comment.
const MAX_COMMENT: usize = 1 << 16;

/// Lines of a macro.
const MAX_MACRO_LINES: usize = 1000;

/// A haystack and its language.
#[derive(Debug)]
pub(super) struct Code<'a> {
    pub(super) text: &'a [u8],
    pub(super) terminator: u8,
    pub(super) language: &'a NestedFunctions,
    pub(super) spans: &'a mut TokenSpans,
}

impl<'a> Code<'a> {
    /// Whether a line is a comment, for the preprocessor, or in a string.
    pub(super) fn is_no_code(&self, line: &Range<usize>, content: &[u8]) -> bool {
        self.is_left_out(line, content) || self.macro_start(line.start).is_some()
    }

    /// Whether a line is no code, but for the lines of macros.
    pub(super) fn is_left_out(&self, line: &Range<usize>, content: &[u8]) -> bool {
        self.is_skipped(content) || self.spans.around(line.start).is_some()
    }

    pub(super) fn is_skipped(&self, content: &[u8]) -> bool {
        let config = &self.language.lexis.config;
        let begins = |open: &String| content.starts_with(open.as_bytes());
        config.line_comments.iter().any(begins)
            || (config.is_read_upwards && content.starts_with(b"*"))
            || config.block_comments.iter().any(|(open, close)| {
                let close = close.as_bytes();
                begins(open) && (content.ends_with(close) || memmem::find(content, close).is_none())
            })
            || begins_with(content, &self.language.config.skipped)
    }

    /// The end of what precedes the comment that ends with `line`, in whole lines.
    ///
    /// No comment begins from `uncommented` on. It is updated, so that lines further up need not
    /// look there again.
    pub(super) fn comment_start(
        &self,
        line: &Range<usize>,
        uncommented: &mut usize,
    ) -> Option<usize> {
        let content = self.text[line.clone()].trim_ascii_end();
        if !content.ends_with(b"*/") {
            return None;
        }
        let end = line.start + content.len() - 2;
        let before = &self.text[end.saturating_sub(MAX_COMMENT)..end];
        let first = end - before.len();
        let mut at = before.len().min(uncommented.saturating_sub(first));
        while let Some(slash) = memrchr(b'/', &before[..at]) {
            if before.get(slash + 1) == Some(&b'*') {
                let open = first + slash;
                *uncommented = usize::MAX;
                let start = self.line_start(open);
                if self.text[start..open].trim_ascii().is_empty() {
                    return Some(start);
                }
                // Code precedes the comment on its line.
                return (start < line.start).then(|| self.line_around(start).end);
            }
            at = slash;
        }
        *uncommented = first.min(*uncommented);
        None
    }

    /// The start of the macro that the line at `start` continues.
    pub(super) fn macro_start(&self, start: usize) -> Option<usize> {
        if !self.language.config.has_macros {
            return None;
        }
        let mut at = start;
        for _ in 0..MAX_MACRO_LINES {
            if at == 0 {
                break;
            }
            let line = self.line_above(at);
            if !self.text[line.clone()].trim_ascii_end().ends_with(b"\\") {
                break;
            }
            at = line.start;
        }
        (at < start && self.text[at..].trim_ascii_start().starts_with(b"#")).then_some(at)
    }

    /// How far the first line of code from `at` on is indented; one more if it continues a
    /// statement.
    pub(super) fn indentation_below(&self, mut at: usize) -> Option<usize> {
        for _ in 0..MAX_LINES_BELOW {
            if at >= self.text.len() {
                break;
            }
            let line = self.line_around(at);
            at = line.end;
            let Some((column, content)) = self.indentation(&line) else { continue };
            if !self.is_skipped(content) && self.spans.around(line.start).is_none() {
                let closes = matches!(content[0], b'}' | b')' | b']');
                return Some(column + usize::from(closes));
            }
        }
        None
    }

    /// The column where the text of a line begins, and the text; `None` if the line is blank.
    pub(super) fn indentation(&self, line: &Range<usize>) -> Option<(usize, &'a [u8])> {
        let mut column = 0;
        let mut content = &self.text[line.clone()];
        if line.start == 0 {
            content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        }
        loop {
            match content {
                [b' ', rest @ ..] => (column, content) = (column + 1, rest),
                [b'\t', rest @ ..] => (column, content) = (column + TAB - column % TAB, rest),
                _ if self.language.config.is_unindented && !content.trim_ascii().is_empty() => {
                    return Some((0, content.trim_ascii()));
                }
                [] | [b'\n' | b'\r' | b'\x0b' | b'\x0c' | 0, ..] => return None,
                _ => return Some((column, content.trim_ascii_end())),
            }
        }
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        memrchr(self.terminator, &self.text[..at]).map_or(0, |i| i + 1)
    }

    pub(super) fn line_around(&self, at: usize) -> Range<usize> {
        let end = memchr(self.terminator, &self.text[at..]).map_or(self.text.len(), |i| at + i + 1);
        self.line_start(at)..end
    }

    /// The line that ends at `end`.
    pub(super) fn line_above(&self, end: usize) -> Range<usize> {
        self.line_start(end - 1)..end
    }
}
