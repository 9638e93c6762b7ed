//! The matches of one reported line, or block of lines: found once, left to right, and replaced if asked for.

use std::ops::Range;

use heist_matcher::{Captures, Finder};
use heist_searcher::{Line, MatchBlock};

use crate::{PrinterConfig, Terminator, replace::Replacer};

/// Goes from match to match in one line.
///
/// Matches do not overlap. An empty match is none where the match before ended, and none at the end
/// of a line that has no terminator. After an empty match the search goes on one byte further, so
/// that empty matches are found within multi-byte characters too: all this as ripgrep has it.
#[derive(Default)]
struct Cursor {
    at: usize,
    last_end: Option<usize>,
}

impl Cursor {
    /// The next match of `line`. `body` is `line` without its terminator, `find` tells the first match in it at or
    /// after a place. Once there is none, this must not be called again.
    fn next(
        &mut self,
        line: &[u8],
        body: &[u8],
        mut find: impl FnMut(usize) -> Option<Range<usize>>,
    ) -> Option<Range<usize>> {
        while self.at <= body.len() {
            let found = find(self.at).filter(|found| found.start < line.len())?;
            self.at = found.end;
            if found.is_empty() {
                self.at += 1;
                if self.last_end == Some(found.end) {
                    continue;
                }
            }
            self.last_end = Some(found.end);
            return Some(found);
        }
        None
    }
}

/// The known matches of a block of lines, counted from the start of the block. One at its very end is none, see
/// [`Cursor`].
fn known<'a>(block: &MatchBlock<'a>, bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let (start, len) = (block.start, bytes.len());
    block
        .matches
        .iter()
        .map(move |span| span.start - start..(span.end - start).min(len))
        .filter(move |span| span.start < len)
}

/// How many matches are in `line`, of which `body` is all but the terminator.
pub(crate) fn count(finder: &mut Finder, line: &Line<'_>, body: &[u8]) -> u64 {
    if let Some(block) = &line.block {
        return known(block, line.bytes).count() as u64;
    }
    let (mut cursor, mut count) = (Cursor::default(), 0);
    while cursor.next(line.bytes, body, |at| finder.find_at(body, at)).is_some() {
        count += 1;
    }
    count
}

/// Find the groups of the match that begins at `way.end`, which was found by a search that began at `way.start`.
///
/// It is found from where it begins, but for one that has more to its left than it shows (`\K`): that is found again the
/// way it was found first. An empty match right behind another does not count, and may be met on that way.
fn capture(
    finder: &mut Finder,
    haystack: &[u8],
    search_range: Range<usize>,
    captures: &mut Captures,
) {
    let (mut at, mut begin) = (search_range.end, Some(search_range.start));
    loop {
        let is_match = finder.captures_at(haystack, at, captures);
        let found = captures.get(0).filter(|_| is_match);
        at = match (found, begin.take()) {
            (Some(found), _) if found.start == search_range.end => return,
            (_, Some(begin)) => begin,
            (Some(found), None) if found.start < search_range.end => {
                found.end + usize::from(found.is_empty())
            }
            _ => return,
        };
    }
}

/// What is known of the matches of the line that is being printed.
#[derive(Clone, Debug)]
pub(crate) struct Matches {
    terminator: Terminator,
    /// How many matches of a line have to be known.
    wanted: usize,
    /// The lines that may hold matches: those reported as context if the search is inverted.
    searches_context: bool,
    spans: Vec<Range<usize>>,
    /// Matches of the line may hold terminators: it is a block, or would be one if it still counted (`-m`).
    may_span: bool,
    replacer: Option<Replacer>,
}

impl Matches {
    /// `wanted`: how many matches of a line have to be known. All of them if they are to be replaced or counted.
    pub(crate) fn new(config: &PrinterConfig, wanted: usize) -> Matches {
        let replacer = config.replacement.as_deref().map(Replacer::new);
        let all = replacer.is_some() || config.stats;
        Matches {
            terminator: config.terminator,
            wanted: if all { usize::MAX } else { wanted },
            searches_context: config.invert,
            spans: Vec::new(),
            may_span: false,
            replacer,
        }
    }

    /// Find the matches of the next line.
    pub(crate) fn find(&mut self, finder: &mut Finder, line: &Line<'_>) {
        self.spans.clear();
        self.may_span = finder.matcher().spans_lines();
        if let Some(replacer) = &mut self.replacer {
            replacer.clear();
        }
        if self.wanted == 0 || line.kind.is_match() == self.searches_context {
            return;
        }
        match &line.block {
            Some(block) => self.take(finder, line.bytes, block),
            None => self.search(finder, line.bytes),
        }
        if let (Some(replacer), false) = (&mut self.replacer, self.spans.is_empty()) {
            replacer.finish(line.bytes);
        }
    }

    /// Search one line. Where matches may span lines, this is a context line of an inverted search, or one that matches in
    /// the context after the last that counts; the terminator may be part of a match.
    fn search(&mut self, finder: &mut Finder, line: &[u8]) {
        let body = if self.may_span { line } else { self.terminator.strip(line) };
        let mut cursor = Cursor::default();
        let Some(replacer) = &mut self.replacer else {
            while let Some(span) = cursor.next(line, body, |at| finder.find_at(body, at)) {
                self.spans.push(span);
                if self.spans.len() == self.wanted {
                    return;
                }
            }
            return;
        };
        replacer.begin(finder.matcher());
        loop {
            let found = match replacer.captures() {
                Some(captures) => cursor.next(line, body, |at| {
                    finder.captures_at(body, at, captures).then(|| captures.get(0)).flatten()
                }),
                None => cursor.next(line, body, |at| finder.find_at(body, at)),
            };
            let Some(span) = found else {
                return;
            };
            replacer.replace(body, 0, &span);
            self.spans.push(span);
        }
    }

    /// Take the known matches of a block.
    fn take(&mut self, finder: &mut Finder, bytes: &[u8], block: &MatchBlock<'_>) {
        self.spans.extend(known(block, bytes));
        let Some(replacer) = &mut self.replacer else {
            return;
        };
        replacer.begin(finder.matcher());
        let MatchBlock { haystack, origin, start, searched_from, .. } = *block;
        let (start, mut from) = (origin + start, origin + searched_from);
        for span in &self.spans {
            if let Some(captures) = replacer.captures() {
                capture(finder, haystack, from..start + span.start, captures);
            }
            replacer.replace(haystack, start, span);
            from = start + span.end;
        }
    }

    /// Whether matches of the line may hold terminators.
    pub(crate) fn may_span(&self) -> bool {
        self.may_span
    }

    /// Whether matches are replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.replacer.is_some()
    }

    /// The matches of the line as it was reported.
    pub(crate) fn spans(&self) -> &[Range<usize>] {
        &self.spans
    }

    /// What is printed of `line`, the line that was last looked at: itself or what replaces it, and the matches in it.
    pub(crate) fn shown<'a>(&'a self, line: &'a [u8]) -> (&'a [u8], &'a [Range<usize>]) {
        self.replacer.as_ref().and_then(Replacer::line).unwrap_or((line, &self.spans))
    }

    /// What replaces the match with this number, the first being 0.
    pub(crate) fn replacement(&self, index: usize) -> Option<&[u8]> {
        self.replacer.as_ref()?.replacement(index)
    }
}
