//! The sections of a text: what a line is in where nothing is nested but titles.

use std::ops::Range;

use heist_matcher::Finder;

use super::{code::Code, statement_tests::StatementTests};

/// The sections in what was read of a haystack.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// The part that was read.
    read: Range<usize>,
    /// The sections that lines at its end are in, each in the one before: their starts and levels.
    open: Vec<(usize, usize)>,
    /// A line that ends a section precedes `open`, so that these are all.
    is_complete: bool,
}

impl Sections {
    /// The section that the line at `start` is in. A section is in the sections at higher levels.
    pub(super) fn above(
        &mut self,
        code: &Code<'_>,
        tests: &mut StatementTests,
        start: usize,
    ) -> Option<usize> {
        let line = code.line_around(start);
        let own = is_section(code, tests, &line).then(|| level(&code.text[line]));
        if start < self.read.end || self.read.is_empty() {
            *self = Sections { read: start..start, ..Sections::default() };
        }
        self.read_down(code, tests, start);
        let is_above = |&(_, level): &(usize, usize)| own.is_none_or(|own| level < own);
        if !self.open.iter().any(is_above) && !self.is_complete {
            self.read_up(code, tests, own);
        }
        self.open.iter().rfind(|section| is_above(section)).map(|&(start, _)| start)
    }

    /// Reads on downwards, up to the line at `start`.
    fn read_down(&mut self, code: &Code<'_>, tests: &mut StatementTests, start: usize) {
        while self.read.end < start {
            let line = code.line_around(self.read.end);
            self.read.end = line.end;
            let content = code.text[line.clone()].trim_ascii();
            if is_section(code, tests, &line) {
                let level = level(content);
                while self.open.pop_if(|(_, other)| *other >= level).is_some() {}
                self.open.push((line.start, level));
            } else if ends_section(code, tests, &line) {
                self.open.clear();
                self.is_complete = true;
            }
        }
    }

    /// Reads on upwards, to a section of a level above `own`.
    fn read_up(&mut self, code: &Code<'_>, tests: &mut StatementTests, own: Option<usize>) {
        while self.read.start > 0 && !self.is_complete {
            let line = code.line_above(self.read.start);
            self.read.start = line.start;
            if is_section(code, tests, &line) {
                let level = level(code.text[line.clone()].trim_ascii());
                if self.open.first().is_none_or(|&(_, other)| level < other) {
                    self.open.insert(0, (line.start, level));
                }
                if own.is_none_or(|own| level < own) {
                    break;
                }
            } else if ends_section(code, tests, &line) {
                self.is_complete = true;
            }
        }
    }
}

fn ends_section(code: &Code<'_>, tests: &mut StatementTests, line: &Range<usize>) -> bool {
    let content = code.text[line.clone()].trim_ascii();
    let Some(closes) = &mut tests.closes else { return false };
    !content.is_empty() && code.spans.around(line.start).is_none() && closes.is_match(content)
}

/// The lines of the section that begins with the line at `start`: up to the next one.
pub(super) fn section(
    code: &Code<'_>,
    tests: &mut StatementTests,
    start: usize,
    least: usize,
) -> Range<usize> {
    let mut at = code.line_around(start).end;
    let mut end = at;
    while at < code.text.len() {
        let line = code.line_around(at);
        at = line.end;
        if code.indentation(&line).is_some() {
            if is_section(code, tests, &line) {
                break;
            }
            end = at;
        }
    }
    start..end.max(least)
}

/// Whether a line is a section, or a title with a line under it.
pub(super) fn is_section(code: &Code<'_>, tests: &mut StatementTests, line: &Range<usize>) -> bool {
    let text = code.text;
    let content = text[line.clone()].trim_ascii_end();
    let is_match = |finder: &mut Option<Finder>, line: &[u8]| {
        finder.as_mut().is_some_and(|finder| finder.is_match(line))
    };
    if code.spans.around(line.start).is_some() || content.is_empty() {
        return false;
    }
    if is_match(&mut tests.sections, content) && !is_match(&mut tests.never, content) {
        return true;
    }
    if tests.underlines.is_none() || line.end >= text.len() {
        return false;
    }
    let below = text[code.line_around(line.end)].trim_ascii_end();
    is_match(&mut tests.underlines, below)
        && !is_match(&mut tests.underlines, content)
        && !is_match(&mut tests.never, content)
}

/// How deep a section is: titles of Markdown, `AsciiDoc`, HTML and TeX.
fn level(line: &[u8]) -> usize {
    match line.trim_ascii_start() {
        line @ [first @ (b'#' | b'=' | b'*'), ..] => {
            line.iter().take_while(|byte| *byte == first).count()
        }
        [b'<', b'h' | b'H', digit, ..] => usize::from(*digit),
        [b'\\', command @ ..] if command.starts_with(b"part") => 1,
        [b'\\', command @ ..] if command.starts_with(b"chapter") => 2,
        [b'\\', command @ ..] => 3 + command.chunks(3).take_while(|word| *word == b"sub").count(),
        _ => 0,
    }
}
