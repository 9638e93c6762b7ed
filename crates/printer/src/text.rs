//! The text of a line: coloured, trimmed, cut where it is too long.

use std::{borrow::Cow, ops::Range};

use bstr::ByteSlice as _;

use crate::{Config, Terminator, color::Style, decimal, prelude::Role};

/// The styles within a line.
#[derive(Clone, Debug)]
struct Paint {
    matched: Style,
    /// For what is no match in a matching line; None if it has no style of its own.
    highlight: Option<Style>,
    /// The match style says something; if not, lines are printed as if without colour.
    shows_matches: bool,
}

/// How the text of lines is printed.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    terminator: Terminator,
    trim: bool,
    max_columns: Option<u64>,
    preview: bool,
    only_matching: bool,
    paint: Option<Paint>,
}

/// What is known of the matches in a line when it, or one of them, is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hits<'a> {
    /// The matches to show in what is printed.
    pub(crate) shown: &'a [Range<usize>],
    /// All matches of the line; none also if nobody looked.
    pub(crate) in_line: &'a [Range<usize>],
}

impl Hits<'_> {
    /// There are none, or nobody looked.
    pub(crate) const NONE: Hits<'static> = Hits { shown: &[], in_line: &[] };
}

impl Text {
    pub(crate) fn new(config: &Config) -> Text {
        let paint = config.colors.as_ref().map(|colors| Paint {
            matched: Style::new(&colors.matched),
            highlight: (!colors.highlight.is_none()).then(|| Style::new(&colors.highlight)),
            shows_matches: !colors.matched.is_none(),
        });
        Text {
            terminator: config.terminator,
            trim: config.trim,
            max_columns: config.max_columns,
            preview: config.max_columns_preview,
            only_matching: config.only_matching,
            paint,
        }
    }

    /// Whether matches are coloured.
    pub(crate) fn shows_matches(&self) -> bool {
        self.paint.as_ref().is_some_and(|paint| paint.shows_matches)
    }

    /// Append `line`, which is a whole line or a match on its own; a missing terminator is added.
    pub(crate) fn append(&self, out: &mut Vec<u8>, line: &[u8], hits: Hits<'_>, role: Role) {
        if hits.shown.is_empty() || !self.shows_matches() {
            self.append_plain(out, line, hits, role);
        } else if self.is_too_long(line) {
            self.append_long(out, line, hits, role);
        } else {
            self.append_painted(out, line, hits.shown, role);
            out.extend_from_slice(self.terminator.as_bytes());
        }
    }

    /// The line as it is, but for blanks at its beginning.
    fn append_plain(&self, out: &mut Vec<u8>, line: &[u8], hits: Hits<'_>, role: Role) {
        let line = &line[self.indent(line)..];
        if self.is_too_long(line) {
            // Without colour ripgrep counts matches beyond a cut among all matches of the line, by
            // their places in the whole line, even where what is cut is trimmed or one match of it;
            // so do we.
            return self.append_long(out, line, Hits { shown: hits.in_line, ..hits }, role);
        }
        out.extend_from_slice(line);
        if !self.terminator.ends(line) {
            out.extend_from_slice(self.terminator.as_bytes());
        }
    }

    /// The line with its matches in colour and without terminator. Matches that touch are one to
    /// the eye.
    fn append_painted(&self, out: &mut Vec<u8>, line: &[u8], spans: &[Range<usize>], role: Role) {
        let line = self.terminator.strip(line);
        let mut at = self.indent(line);
        let Some(paint) = self.paint.as_ref().filter(|_| !spans.is_empty()) else {
            out.extend_from_slice(&line[at..]);
            return;
        };
        let highlight = paint.highlight.as_ref().filter(|_| role == Role::Match);
        let after_match = highlight.map_or(&paint.matched.close, |style| &style.open);
        if let Some(style) = highlight {
            out.extend_from_slice(&style.open);
        }
        let mut in_match = false;
        for span in spans {
            let (start, end) = (span.start.clamp(at, line.len()), span.end.min(line.len()));
            if span.end <= at || at == line.len() {
                continue;
            }
            if start > at {
                if in_match {
                    out.extend_from_slice(after_match);
                    in_match = false;
                }
                out.extend_from_slice(&line[at..start]);
                at = start;
            }
            if end > at {
                if !in_match {
                    out.extend_from_slice(&paint.matched.open);
                    in_match = true;
                }
                out.extend_from_slice(&line[at..end]);
                at = end;
            }
        }
        if in_match {
            out.extend_from_slice(after_match);
        }
        out.extend_from_slice(&line[at..]);
        if let Some(style) = highlight {
            out.extend_from_slice(&style.close);
        }
    }

    /// What stands for a line that is too long.
    #[cold]
    fn append_long(&self, out: &mut Vec<u8>, line: &[u8], hits: Hits<'_>, role: Role) {
        if self.preview {
            let start = self.indent(line);
            let cut = start + self.preview_len(&line[start..]);
            self.append_painted(out, &line[..cut], hits.shown, role);
            out.extend_from_slice(&remark_after_preview(hits.shown, cut..line.len()));
        } else if !hits.in_line.is_empty() && !self.only_matching {
            out.extend_from_slice(b"[Omitted long line with ");
            decimal::append(out, hits.in_line.len() as u64);
            out.extend_from_slice(b" matches]");
        } else {
            out.extend_from_slice(match role {
                Role::Match => b"[Omitted long matching line]",
                Role::Context => b"[Omitted long context line]",
            });
        }
        out.extend_from_slice(self.terminator.as_bytes());
    }

    /// How many bytes of `line` its preview takes: people count grapheme clusters, not bytes.
    fn preview_len(&self, line: &[u8]) -> usize {
        let columns =
            self.max_columns.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX));
        line.grapheme_indices().take(columns).last().map_or(0, |(_, end, _)| end)
    }

    fn is_too_long(&self, line: &[u8]) -> bool {
        self.max_columns.is_some_and(|max| line.len() as u64 > max)
    }

    /// How many bytes at the beginning of `line` are trimmed. What can end a line is no blank.
    fn indent(&self, line: &[u8]) -> usize {
        if !self.trim {
            return 0;
        }
        let is_blank =
            |b: &u8| matches!(b, b' ' | b'\t'..=b'\r') && !self.terminator.as_bytes().contains(b);
        line.iter().position(|b| !is_blank(b)).unwrap_or(line.len())
    }
}

/// What follows the beginning of a long line; `hidden` is what is left out.
fn remark_after_preview(spans: &[Range<usize>], hidden: Range<usize>) -> Cow<'static, [u8]> {
    if spans.is_empty() {
        return Cow::Borrowed(b" [... omitted end of long line]");
    }
    let more = spans.iter().filter(|span| hidden.contains(&span.start)).count();
    let noun = if more == 1 { "match" } else { "matches" };
    Cow::Owned(format!(" [... {more} more {noun}]").into_bytes())
}
