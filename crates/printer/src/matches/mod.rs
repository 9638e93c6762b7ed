//! The matches in one emitted line or block of lines: found once, left to right, and replaced if
//! requested.

pub(crate) mod labels;
pub(crate) mod line_matches;
pub(crate) mod replace;
pub(crate) mod replacement_form;

use std::ops::Range;

use heist_matcher::{Captures, Finder};
use heist_searcher::{Flow, Line, MatchBlock};

use crate::{
    NameMatch, PrinterConfig, Terminator,
    matches::{
        labels::{Labeler, LabelsOf, Searched},
        replace::Replacer,
    },
};

/// Iterates over the matches in one line.
///
/// Matches do not overlap. As in ripgrep, an empty match does not count where the previous match
/// ended, or at the end of a line without a terminator. After an empty match the search continues
/// one byte further, so that empty matches are also found within multi-byte characters.
#[derive(Default)]
struct Cursor {
    at: usize,
    last_end: Option<usize>,
}

impl Cursor {
    /// The next match of `line`. `body` is `line` without its terminator; `find` returns the first
    /// match in it at or after a position. Must not be called again after it returned `None`.
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

/// The known matches in a block of lines, relative to where the block starts. A match at its very
/// end does not count; see [`Cursor`].
fn known<'a>(block: &MatchBlock<'a>, bytes: &[u8]) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let (start, len) = (block.start, bytes.len());
    block
        .matches
        .iter()
        .map(move |span| span.start - start..(span.end - start).min(len))
        .filter(move |span| span.start < len)
}

/// How many matches `line` has; `body` is the line without its terminator.
pub(crate) fn count(finder: &mut Finder, line: &Line<'_>, body: &[u8]) -> u64 {
    if let Some(block) = &line.block {
        return known(block, line.bytes).count() as u64;
    }
    if let Some(count) = finder.count_all(body) {
        return count;
    }
    let (mut cursor, mut count) = (Cursor::default(), 0);
    while cursor.next(line.bytes, body, |at| finder.find_at(body, at)).is_some() {
        count += 1;
    }
    count
}

/// Finds the groups in the match that begins at `search_range.end` and was found by a search from
/// `search_range.start`.
///
/// The groups are searched for from the start of the match. A match that includes more to its left
/// than it shows (`\K`) is found again by the original search; on the way, that may find an empty
/// match directly after another one, which does not count.
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

/// The matches in the line that is being printed.
#[derive(Clone, Debug)]
pub(crate) struct Matches {
    terminator: Terminator,
    /// How many matches in a line have to be known.
    wanted: usize,
    /// The search is inverted: the lines with matches are context.
    searches_context: bool,
    spans: Vec<Range<usize>>,
    /// Matches may contain terminators: the line is a block, or would be one but for the limit
    /// (`-m`).
    may_span: bool,
    replacer: Option<Replacer>,
    labeler: Option<Box<Labeler>>,
}

impl Matches {
    /// `wanted` is how many matches in a line have to be known: all, if they are replaced or
    /// counted.
    pub(crate) fn new(config: &PrinterConfig, wanted: usize) -> Matches {
        let replacer = config.replacement.as_deref();
        let replacer = replacer.map(|text| Replacer::new(text, config.replacement_form));
        let all = replacer.is_some() || config.stats;
        Matches {
            terminator: config.terminator,
            wanted: if all { usize::MAX } else { wanted },
            searches_context: config.invert,
            spans: Vec::new(),
            may_span: false,
            replacer,
            labeler: None,
        }
    }

    /// Finds the patterns too, if `config` has labels for them.
    pub(crate) fn labeled(self, config: &PrinterConfig, of: LabelsOf) -> Matches {
        match Labeler::new(config, of) {
            None => self,
            labeler => Matches { wanted: usize::MAX, labeler: labeler.map(Box::new), ..self },
        }
    }

    /// Finds the matches of the next line. `Break` if the engine has given up: they may not be all,
    /// and the line must not be printed.
    pub(crate) fn find(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.spans.clear();
        self.may_span = finder.matcher().spans_lines();
        if let Some(replacer) = &mut self.replacer {
            replacer.clear();
        }
        if let Some(labeler) = &mut self.labeler {
            labeler.clear();
        }
        if self.wanted == 0 || line.kind.is_match() == self.searches_context {
            return Flow::Continue(());
        }
        match &line.block {
            Some(block) => self.take(finder, line.bytes, block),
            None => self.search(finder, line.bytes),
        }
        if finder.has_failed() {
            return Flow::Break(());
        }
        if let (Some(replacer), false) = (&mut self.replacer, self.spans.is_empty()) {
            replacer.finish(line.bytes);
        }
        self.label(line);
        Flow::Continue(())
    }

    /// Finds which patterns the matches belong to that have just been found.
    fn label(&mut self, line: &Line<'_>) {
        let Some(labeler) = &mut self.labeler else { return };
        let body = if self.may_span { line.bytes } else { self.terminator.strip(line.bytes) };
        let searched = Searched::of(line, body);
        labeler.find(&searched, &self.spans, body.len());
        if !labeler.labels_lines() {
            return;
        }
        // A block is printed line by line; after replacement they may be other lines.
        let replaced = self.replacer.as_ref().filter(|_| self.may_span).and_then(Replacer::line);
        match replaced {
            Some((bytes, spans)) => labeler.label_lines(None, bytes, spans, self.terminator),
            None => labeler.label_lines(Some(&searched), line.bytes, &self.spans, self.terminator),
        }
    }

    /// Searches one line. If matches may span lines, this is a context line of an inverted search,
    /// or a matching line after the limit, and a match may include the terminator.
    fn search(&mut self, finder: &mut Finder, line: &[u8]) {
        let body = if self.may_span { line } else { self.terminator.strip(line) };
        let mut cursor = Cursor::default();
        let Some(replacer) = &mut self.replacer else {
            if self.wanted == usize::MAX && finder.find_all(body, &mut self.spans) {
                return;
            }
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

    /// Takes a block's known matches.
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

    /// Disregards the last line for a file's name, and finds which patterns match in the name if
    /// matches have labels.
    pub(crate) fn begin_name(&mut self, name: &NameMatch<'_>) {
        if let Some(replacer) = &mut self.replacer {
            replacer.clear();
        }
        if let Some(labeler) = &mut self.labeler {
            labeler.clear();
            let spans =
                name.spans.iter().map(|span| span.start - name.start..span.end - name.start);
            let searched = Searched::whole(&name.path[name.start..]);
            labeler.find(&searched, &spans.collect::<Vec<_>>(), name.path.len() - name.start);
        }
    }

    /// How many matches in a line have to be known.
    pub(crate) fn wanted(&self) -> usize {
        self.wanted
    }

    /// Whether matches in the line may contain terminators.
    pub(crate) fn may_span(&self) -> bool {
        self.may_span
    }

    /// Whether matches are replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.replacer.is_some()
    }

    /// The matches' patterns, if they have labels.
    pub(crate) fn labels(&self) -> Option<&Labeler> {
        self.labeler.as_deref()
    }

    /// The matches in the line as it was emitted.
    pub(crate) fn spans(&self) -> &[Range<usize>] {
        &self.spans
    }

    /// What is printed for `line`, in which matches were just found: the line or its replacement,
    /// and the matches in it.
    pub(crate) fn shown<'a>(&'a self, line: &'a [u8]) -> (&'a [u8], &'a [Range<usize>]) {
        self.replacer.as_ref().and_then(Replacer::line).unwrap_or((line, &self.spans))
    }

    /// What replaces the match with this index.
    pub(crate) fn replacement(&self, index: usize) -> Option<&[u8]> {
        self.replacer.as_ref()?.replacement(index)
    }
}
