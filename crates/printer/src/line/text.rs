//! The text of a line: coloured, trimmed, and cut if it is too long.

use std::{borrow::Cow, ops::Range};

use bstr::ByteSlice as _;

use heist_searcher::LineKind;

use crate::{
    PrinterConfig, Terminator,
    line::{
        excerpt::{self, Excerpts, Extent},
        out_buffer::OutBuffer,
        part::{Hits, Part, reaching},
    },
    value::{color::Style, decimal, escape::ControlEscaper},
};

/// The most bytes that are read for the preview of a line that is not read.
const PREVIEW: usize = 64 << 10;

/// The styles within a line.
#[derive(Clone, Debug)]
struct Paint {
    matched: Style,
    /// For the rest of a matching line; `None` if it has no style of its own.
    highlight: Option<Style>,
    /// The style of matches is not empty. If it is, lines are printed as if without colour.
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
    /// The lines that are cut to excerpts.
    excerpts: Excerpts,
    paint: Option<Paint>,
    /// `None` if lines are printed as they are.
    visible: Option<ControlEscaper>,
}

impl Text {
    pub(crate) fn new(config: &PrinterConfig) -> Text {
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
            excerpts: Excerpts::new(config, config.excerpt.filter(|_| !config.only_matching)),
            paint,
            visible: ControlEscaper::new(config),
        }
    }

    /// The line terminator.
    pub(crate) fn terminator(&self) -> Terminator {
        self.terminator
    }

    /// Whether matches are coloured.
    pub(crate) fn shows_matches(&self) -> bool {
        self.paint.as_ref().is_some_and(|paint| paint.shows_matches)
    }

    /// Appends `line`, and a terminator if it lacks one.
    pub(crate) fn append(
        &self,
        out: &mut OutBuffer<'_>,
        line: &[u8],
        hits: Hits<'_>,
        kind: LineKind,
    ) {
        self.append_indented(out, (line, line), self.indent(line), hits, kind);
    }

    /// Appends a whole line or a match on its own, without its first `indent` bytes, and the
    /// terminator of the `whole` line if it lacks one.
    // Perf: `append` is one function with this and `append_plain`, as if it were the only caller.
    #[inline(always)]
    pub(crate) fn append_indented(
        &self,
        out: &mut OutBuffer<'_>,
        (line, whole): (&[u8], &[u8]),
        indent: usize,
        hits: Hits<'_>,
        kind: LineKind,
    ) {
        let part = || Part::line(line, indent, hits, kind, self.terminator.of(whole));
        if let Some(extent) = self.excerpt_of(line, kind) {
            return self.append_excerpt(out, &part(), extent);
        }
        if hits.shown.is_empty() || !self.shows_matches() {
            self.append_plain(out, (&line[indent..], whole), hits, kind);
        } else {
            self.append_painted_or_long(out, &part());
        }
    }

    /// Appends one line of a block with known matches.
    pub(crate) fn append_within(&self, out: &mut OutBuffer<'_>, mut line: Part<'_>) {
        line.range.start += self.indent(line.bytes());
        self.append_painted_or_long(out, &line);
    }

    /// Appends a line that goes on with what is appended next.
    pub(crate) fn append_open(&self, out: &mut OutBuffer<'_>, line: &Part<'_>) {
        self.append_painted(out, line, b"");
    }

    /// Appends one line of a block with its matches in colour, or the remark for one that is too
    /// long.
    fn append_painted_or_long(&self, out: &mut OutBuffer<'_>, line: &Part<'_>) {
        if let Some(extent) = self.excerpt_of(line.bytes(), line.kind) {
            return self.append_excerpt(out, line, extent);
        }
        if self.is_too_long(line.bytes()) {
            return self.append_long(out, line);
        }
        self.append_painted(out, line, line.end);
        out.extend_from_slice(line.end);
    }

    /// Appends a line in a block without its terminator, or a part of it, because of the first
    /// match shown. Only that match has a style.
    pub(crate) fn append_match(&self, out: &mut OutBuffer<'_>, body: &Part<'_>) {
        if let Some(extent) = self.excerpt_of(body.bytes(), body.kind) {
            return self.append_excerpt(out, body, extent);
        }
        if self.is_too_long(body.bytes()) {
            return self.append_long(out, body);
        }
        let (at, end) = (body.range.start, body.range.end);
        let block = &body.block[..end];
        let terminator = body.end;
        match (&self.paint, body.hits.shown.first()) {
            (Some(paint), Some(span)) if span.end > at && span.start < end => {
                let span = span.start.max(at)..span.end.min(end);
                self.append_bytes(out, block, at..span.start, terminator);
                if !span.is_empty() {
                    out.escape(&paint.matched.open);
                    self.append_bytes(out, block, span.clone(), terminator);
                    out.escape(&paint.matched.close);
                }
                self.append_bytes(out, block, span.end..end, terminator);
            }
            _ => self.append_bytes(out, block, at..end, terminator),
        }
        out.extend_from_slice(terminator);
    }

    /// How much of `line` is printed; `None` if the whole line is, or what stands in place of a
    /// long one.
    #[inline]
    fn excerpt_of(&self, line: &[u8], kind: LineKind) -> Option<Extent> {
        let extent = self.excerpts.of(line.len())?.of_kind(kind);
        (self.excerpts.cuts_all() || !self.is_too_long(line)).then_some(extent)
    }

    /// Appends the windows of a line, with its matches in colour.
    #[cold]
    fn append_excerpt(&self, out: &mut OutBuffer<'_>, line: &Part<'_>, extent: Extent) {
        let body = self.terminator.strip(line.bytes());
        let start = line.range.start + line.indent;
        let end = line.range.start + body.len();
        // Spans are in order, but a block's go on after the line. An empty one may be at its end,
        // with or without a terminator.
        let after = line.range.end.max(end + 1);
        let spans = line.hits.shown.iter().take_while(|span| span.start < after);
        let within = |at: usize| at.clamp(start, end) - start;
        let spans = spans.map(|span| within(span.start)..within(span.end));
        let (mut at, mut hits) = (start, line.hits);
        for window in excerpt::bounded(&line.block[start..end], spans, extent).0 {
            let range = start + window.start..start + window.end;
            if range.start > at {
                out.extend_from_slice(excerpt::MARK.as_bytes());
            }
            at = range.end;
            let next = if at < end { excerpt::MARK.as_bytes() } else { line.end };
            // Windows may be as many as matches, and none should pass all that are before it.
            hits.shown = reaching(hits.shown, range.start);
            let indent = self.indent(&line.block[range.clone()]);
            self.append_painted(out, &Part { range, indent, hits, ..line.clone() }, next);
        }
        if at < end {
            out.extend_from_slice(excerpt::MARK.as_bytes());
        }
        out.extend_from_slice(line.end);
    }

    /// Appends the line, which is trimmed, or a match in the `whole` line, without colours.
    #[inline(always)]
    fn append_plain(
        &self,
        out: &mut OutBuffer<'_>,
        (line, whole): (&[u8], &[u8]),
        hits: Hits<'_>,
        kind: LineKind,
    ) {
        if self.is_too_long(line) {
            // Without colour, ripgrep counts the matches beyond a cut among all matches of the
            // line, by their positions in the whole line, even if only a trimmed line or one match
            // is cut. So does this.
            let hits = Hits { shown: hits.in_line, ..hits };
            return self.append_long(out, &Part::line(line, 0, hits, kind, b""));
        }
        let missing = if self.terminator.ends(line) { b"" } else { self.terminator.of(whole) };
        self.append_bytes(out, line, 0..line.len(), missing);
        if !missing.is_empty() {
            out.extend_from_slice(missing);
        }
    }

    /// Appends a line with its matches in colour and without terminator; `next` is printed after
    /// it. Matches that touch have one pair of sequences.
    fn append_painted(&self, out: &mut OutBuffer<'_>, line: &Part<'_>, next: &[u8]) {
        let body = self.terminator.strip(line.bytes());
        let mut at = line.range.start + line.indent;
        let line_end = line.range.start + body.len();
        let block = &line.block[..line_end];
        let Some(paint) = self.paint.as_ref().filter(|_| !line.hits.in_line.is_empty()) else {
            return self.append_bytes(out, block, at..line_end, next);
        };
        let highlight = paint.highlight.as_ref().filter(|_| line.kind.is_match());
        let after_match = highlight.map_or(&paint.matched.close, |style| &style.open);
        if let Some(style) = highlight {
            out.escape(&style.open);
        }
        let mut in_match = false;
        for span in line.hits.shown {
            let (start, end) = (span.start.clamp(at, line_end), span.end.min(line_end));
            if at == line_end {
                break;
            }
            if span.end <= at {
                continue;
            }
            if start > at {
                if in_match {
                    out.escape(after_match);
                    in_match = false;
                }
                self.append_bytes(out, block, at..start, next);
                at = start;
            }
            if end > at {
                if !in_match {
                    out.escape(&paint.matched.open);
                    in_match = true;
                }
                self.append_bytes(out, block, at..end, next);
                at = end;
            }
        }
        if in_match {
            out.escape(after_match);
        }
        self.append_bytes(out, block, at..line_end, next);
        if let Some(style) = highlight {
            out.escape(&style.close);
        }
    }

    /// Appends `range` of `block`, after which `next` is printed.
    fn append_bytes(
        &self,
        out: &mut OutBuffer<'_>,
        block: &[u8],
        range: Range<usize>,
        next: &[u8],
    ) {
        match &self.visible {
            None => out.extend_from_slice(&block[range]),
            Some(visible) => {
                let escapes = visible.append_text(out, block, range, next);
                out.count_as_escape(escapes);
            }
        }
    }

    /// Appends the remark, or the preview, for a line that is too long. The terminator of that line
    /// need not have been read.
    #[cold]
    fn append_long(&self, out: &mut OutBuffer<'_>, line: &Part<'_>) {
        let Part { block, range, indent, hits, kind, .. } = line;
        if self.preview {
            let start = range.start + indent;
            let cut = start + self.preview_len(&block[start..range.end]);
            let preview = Part { range: start..cut, indent: 0, ..line.clone() };
            self.append_preview(out, &preview, range.end);
        } else {
            self.append_remark(out, *hits, *kind);
        }
        out.extend_from_slice(self.terminator.as_bytes());
    }

    /// Appends the preview of a line that ends at `end`, and what is left out.
    fn append_preview(&self, out: &mut OutBuffer<'_>, preview: &Part<'_>, end: usize) {
        let remark = remark_after_preview(preview.hits, preview.range.end..end);
        self.append_painted(out, preview, &remark);
        out.extend_from_slice(&remark);
    }

    /// Appends what stands in place of a line that is too long.
    fn append_remark(&self, out: &mut OutBuffer<'_>, hits: Hits<'_>, kind: LineKind) {
        if !hits.in_line.is_empty() && !self.only_matching {
            out.extend_from_slice(b"[Omitted long line with ");
            decimal::append(out, hits.in_line.len() as u64);
            out.extend_from_slice(b" matches]");
        } else {
            out.extend_from_slice(if kind.is_match() {
                b"[Omitted long matching line]"
            } else {
                b"[Omitted long context line]"
            });
        }
    }

    /// From how many bytes at its start a line with `len` bytes can be previewed, or replaced by a
    /// remark. `None` if it is not too long, or if all may be needed.
    pub(crate) fn preview_of(&self, len: u64) -> Option<usize> {
        let max = self.max_columns.filter(|max| len > *max && !self.trim)?;
        // What is shown in place of a character depends on the bytes after it.
        let is_plain = self.visible.is_none() && !self.excerpts.cuts_all();
        let wanted = if self.preview { max.saturating_mul(8).saturating_add(64) } else { 0 };
        usize::try_from(wanted.min(len)).ok().filter(|wanted| is_plain && *wanted <= PREVIEW)
    }

    /// Appends the preview, or the remark, for a matching line of `len` bytes that starts with
    /// `prefix` and is too long. Returns `false` if it appended nothing, because more bytes are
    /// needed.
    pub(crate) fn append_unread(
        &self,
        out: &mut OutBuffer<'_>,
        prefix: &[u8],
        len: usize,
        matches: &[Range<usize>],
    ) -> bool {
        let (hits, kind) = (Hits { shown: matches, in_line: matches }, LineKind::Match);
        if self.preview {
            let cut = self.preview_len(prefix);
            // The last character may go on.
            if cut + 32 > prefix.len() {
                return false;
            }
            self.append_preview(out, &Part::line(&prefix[..cut], 0, hits, kind, b""), len);
        } else {
            self.append_remark(out, hits, kind);
        }
        out.extend_from_slice(self.terminator.as_bytes());
        true
    }

    /// How long the preview of `line` is in bytes. The limit is in grapheme clusters, as people
    /// count.
    fn preview_len(&self, line: &[u8]) -> usize {
        let columns =
            self.max_columns.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX));
        line.grapheme_indices().take(columns).last().map_or(0, |(_, end, _)| end)
    }

    fn is_too_long(&self, line: &[u8]) -> bool {
        self.max_columns.is_some_and(|max| line.len() as u64 > max)
    }

    /// Whether a line of `len` bytes without matches is printed as it is.
    pub(crate) fn is_verbatim(&self, len: u64) -> bool {
        let is_too_long = self.max_columns.is_some_and(|max| len > max);
        let is_cut = self.excerpts.of(usize::try_from(len).unwrap_or(usize::MAX)).is_some();
        let is_whole = !is_cut && !self.trim && self.visible.is_none();
        is_whole && !is_too_long
    }

    /// How many bytes are trimmed at the beginning of `line`. The terminator's bytes are not
    /// blanks.
    pub(crate) fn indent(&self, line: &[u8]) -> usize {
        if !self.trim {
            return 0;
        }
        let is_blank =
            |b: &u8| matches!(b, b' ' | b'\t'..=b'\r') && !self.terminator.as_bytes().contains(b);
        line.iter().position(|b| !is_blank(b)).unwrap_or(line.len())
    }
}

/// The remark after the preview of a long line; `hidden` is the part left out.
fn remark_after_preview(hits: Hits<'_>, hidden: Range<usize>) -> Cow<'static, [u8]> {
    if hits.in_line.is_empty() {
        return Cow::Borrowed(b" [... omitted end of long line]");
    }
    // They are in order, and there may be many in a large block.
    let before = |at| hits.shown.partition_point(|span| span.start < at);
    let more = before(hidden.end) - before(hidden.start);
    let noun = if more == 1 { "match" } else { "matches" };
    Cow::Owned(format!(" [... {more} more {noun}]").into_bytes())
}
