//! The walk upwards from a line to the function that it is in.

use std::ops::Range;

use heist_matcher::Finder;
use memchr::memchr2;

use super::{
    code::Code,
    extent,
    sections::{Sections, is_section, section},
    spans::TokenSpans,
    statement::{StatementEnd, braces, skeleton},
    syntax::{NestedFunctions, Nesting, is_word},
};

pub(crate) use super::statement_tests::StatementTests;

/// In how many bytes of a line braces are counted.
const MAX_LINE: usize = 1 << 14;

/// How often a haystack may be walked through in all, on average.
const MAX_WALKS: usize = 32;

/// What a statement begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Function,
    Local,
    Container,
    Anonymous,
    Nothing,
}

/// The statements that a walk found around a line. Positions are where their first lines begin.
#[derive(Clone, Copy, Debug, Default)]
struct EnclosingStarts {
    /// The innermost function or class.
    head: Option<usize>,
    /// Whether `head` is no function, but contains functions.
    is_container: bool,
    /// The outermost function that is one only if it is in no other function.
    local: Option<usize>,
    anonymous: Option<usize>,
    section: Option<usize>,
}

/// A place of an earlier walk: what is found from there on depends on no more.
#[derive(Clone, Copy, Debug)]
struct Passed {
    start: usize,
    limit: usize,
    /// The index of what the walk found.
    found: usize,
}

/// What is known about the functions in one haystack.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    spans: TokenSpans,
    /// The places of earlier walks, downwards, without those that a later walk passed differently.
    passed: Vec<Passed>,
    /// What the walks found.
    found: Vec<EnclosingStarts>,
    /// The sections, where the nearest one is the answer.
    sections: Sections,
    /// Bytes that all walks together have passed.
    walked: usize,
}

/// A haystack, its language, and the means of testing its statements.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) terminator: u8,
    pub(crate) language: &'a NestedFunctions,
    pub(crate) tests: &'a mut StatementTests,
}

/// A walk: the haystack, the language, and where the walk is.
struct Walk<'a> {
    code: Code<'a>,
    tests: &'a mut StatementTests,
    /// The start of the line that the walk began with.
    place: usize,
    /// The least indentation of the lines so far.
    limit: usize,
    /// How many blocks end above the line, at this indentation. Their beginnings come next.
    depth: usize,
    /// The line is in a block or statement, and that one's first line comes next.
    is_pending: bool,
    /// Declarations may precede that line.
    is_behind_declarations: bool,
    found: EnclosingStarts,
    /// The places that this walk has been at, upwards: starts of lines, and the limits there.
    noted: Vec<(usize, usize)>,
    /// From here on, up to where the walk is, no comment begins.
    uncommented: usize,
}

impl Outline {
    /// Begins a haystack.
    pub(crate) fn begin(&mut self) {
        self.spans.begin();
        self.passed.clear();
        self.found.clear();
        self.sections = Sections::default();
        self.walked = 0;
    }

    /// The start of the line that begins the function which the line at `start` is in.
    pub(crate) fn enclosing(&mut self, place: &mut Place<'_>, start: usize) -> Option<usize> {
        if self.walked / MAX_WALKS > place.text.len() {
            return None;
        }
        self.spans.extend(&place.language.lexis, place.text, start);
        let mut walk = Walk::new(place, &mut self.spans);
        if walk.code.language.config.nesting == Nesting::Lines {
            return self.sections.above(&walk.code, walk.tests, start);
        }
        let from = walk.begin(start);
        if walk.found.head.is_some() {
            return walk.found.head;
        }
        let end = walk.go(from, &mut self.passed, &self.found);
        let (found, noted) = (walk.found, walk.noted);
        self.found.truncate(self.passed.last().map_or(0, |place| place.found + 1));
        let index = self.found.len();
        let places = noted.into_iter().rev();
        self.passed.extend(places.map(|(start, limit)| Passed { start, limit, found: index }));
        self.found.push(found);
        self.walked += start - end;
        found.line()
    }

    /// The lines of the function that begins with the line at `start`, with the comments and
    /// attributes above it; the function ends at or after `end`.
    pub(crate) fn extent(
        &mut self,
        place: &mut Place<'_>,
        start: usize,
        end: usize,
    ) -> Range<usize> {
        if place.language.config.nesting == Nesting::Lines {
            self.spans.extend(&place.language.lexis, place.text, place.text.len());
            let walk = Walk::new(place, &mut self.spans);
            return section(&walk.code, walk.tests, start, end);
        }
        let Place { text, terminator, language, tests } = place;
        self.spans.extend(&language.lexis, text, start);
        let mut code = Code { text, terminator: *terminator, language, spans: &mut self.spans };
        extent::of(&mut code, &mut |line| blocks(language, tests, line), start, end)
    }

    /// Whether the line at `start` begins a function.
    pub(crate) fn is_head(&mut self, place: &mut Place<'_>, start: usize) -> bool {
        self.spans.extend(&place.language.lexis, place.text, start);
        let mut walk = Walk::new(place, &mut self.spans);
        let line = walk.code.line_around(start);
        let Some((column, content)) = walk.code.indentation(&line) else { return false };
        if walk.code.language.config.nesting == Nesting::Lines {
            return is_section(&walk.code, walk.tests, &line);
        }
        walk.place = line.start;
        let head = match walk.code.is_no_code(&line, content) {
            false => walk.head(&line, column),
            true => Head::Nothing,
        };
        !matches!(head, Head::Nothing | Head::Anonymous)
    }
}

impl EnclosingStarts {
    fn line(&self) -> Option<usize> {
        match self.head {
            Some(_) if self.is_container => self.local.or(self.head),
            Some(_) => self.head,
            None => self.local.or(self.anonymous).or(self.section),
        }
    }

    /// Adds what an earlier walk found above `start`.
    fn add(&mut self, other: &EnclosingStarts, start: usize) {
        (self.head, self.is_container) = (other.head, other.is_container);
        self.local = other.local.filter(|&at| at < start).or(self.local);
        self.anonymous = other.anonymous.filter(|&at| at < start).or(self.anonymous);
        self.section = self.section.or(other.section.filter(|&at| at < start));
    }
}

impl<'a> Walk<'a> {
    fn new(place: &'a mut Place<'_>, spans: &'a mut TokenSpans) -> Walk<'a> {
        let Place { text, terminator, language, tests } = place;
        Walk {
            code: Code { text, terminator: *terminator, language, spans },
            tests,
            place: 0,
            limit: 0,
            depth: 0,
            is_pending: false,
            is_behind_declarations: false,
            found: EnclosingStarts::default(),
            noted: Vec::new(),
            uncommented: usize::MAX,
        }
    }

    /// Prepares the walk from the line at `start`, and returns the end of the first line above.
    fn begin(&mut self, start: usize) -> usize {
        self.place = start;
        if let Some(span) = self.code.spans.around(start) {
            return self.begin_in_token(span);
        }
        if let Some(macro_start) = self.code.macro_start(start) {
            self.found.head = Some(macro_start);
            return 0;
        }
        let line = self.code.line_around(start);
        let Some((column, content)) = self.code.indentation(&line) else {
            self.limit = self.code.indentation_below(line.end).unwrap_or(0);
            return start;
        };
        self.limit = column;
        self.is_pending = self.code.language.is_continuation(content);
        if self.code.language.config.nesting == Nesting::Indentation
            && self.code.is_skipped(content)
        {
            self.limit = column.max(self.code.indentation_below(line.end).unwrap_or(0));
        }
        if let Some(signature) = self.signature(&line) {
            self.found.head = Some(signature);
            return 0;
        }
        start
    }

    /// Prepares the walk from a line in the string or comment that begins at `token`.
    fn begin_in_token(&mut self, token: usize) -> usize {
        let line = self.code.line_around(token);
        self.place = line.start;
        let column = self.code.indentation(&line).map_or(0, |(column, _)| column);
        if self.code.text[line.start..token].trim_ascii().is_empty() {
            // A comment, or a string that is a statement.
            self.limit = column;
            if self.code.language.config.nesting == Nesting::Indentation {
                self.limit = column.max(self.code.indentation_below(line.end).unwrap_or(0));
            }
            return line.start;
        }
        self.limit = column + 1;
        line.end
    }

    /// Walks upwards from the line that ends at `at`, and returns where the walk ended. Removes the
    /// places of `passed` that it passed differently.
    fn go(&mut self, mut at: usize, passed: &mut Vec<Passed>, found: &[EnclosingStarts]) -> usize {
        self.note(at);
        while self.found.head.is_none() && at > 0 {
            while passed.last().is_some_and(|place| place.start > at) {
                passed.pop();
            }
            if let Some(place) = passed.last()
                && (place.start, place.limit) == (at, self.limit)
                && self.depth == 0
                && !self.is_pending
            {
                self.found.add(&found[place.found], at);
                // No place is noted twice.
                passed.pop_if(|_| self.noted.last() == Some(&(at, self.limit)));
                return at;
            }
            let line = self.code.line_above(at);
            at = line.start;
            let Some((column, content)) = self.code.indentation(&line) else { continue };
            if self.code.language.lexis.config.is_read_upwards
                && let Some(comment) = self.code.comment_start(&line, &mut self.uncommented)
            {
                at = comment;
                self.note(at);
                continue;
            }
            if column > self.limit || self.code.is_left_out(&line, content) {
                continue;
            }
            if let Some(macro_start) = self.code.macro_start(line.start) {
                at = macro_start;
                self.note(at);
                continue;
            }
            if self.look_at(&line, column) {
                break;
            }
        }
        while passed.last().is_some_and(|place| place.start >= at) {
            passed.pop();
        }
        at
    }

    /// Looks at a line that is not indented deeper than those below; returns whether that ends the
    /// walk.
    fn look_at(&mut self, line: &Range<usize>, column: usize) -> bool {
        let text = self.code.text;
        let content = text[line.clone()].trim_ascii();
        let is_less = column < self.limit;
        if is_less {
            (self.limit, self.depth, self.is_pending) = (column, 0, true);
            self.is_behind_declarations = false;
        }
        let (closed, opened) = blocks(self.code.language, self.tests, content);
        if opened > self.depth {
            (self.depth, self.is_pending) = (0, true);
            self.is_behind_declarations = self.code.language.config.has_declarations;
        } else {
            self.depth -= opened;
        }
        let ends_block = closed > 0 && opened == 0;
        self.is_pending &= !ends_block;
        if ends_block && column == 0 && self.code.language.config.ends_at_margin {
            return true;
        }
        if self.is_pending && !self.code.language.is_continuation(content) {
            let head = self.head(line, column);
            self.find(head, line.start);
            self.is_pending = self.is_behind_declarations && head == Head::Nothing;
        }
        if self.found.section.is_none()
            && self.depth == 0
            && let Some(sections) = &mut self.tests.sections
            && sections.is_match(content)
        {
            self.found.section = Some(line.start);
        }
        self.depth += closed;
        if self.found.head.is_none() {
            self.note(line.start);
        }
        self.found.head.is_some()
    }

    /// Notes the place of the walk for later ones. Above a section, they may find another one.
    fn note(&mut self, start: usize) {
        if self.depth == 0 && !self.is_pending && self.found.section.is_none() {
            self.noted.push((start, self.limit));
        }
    }

    fn find(&mut self, head: Head, start: usize) {
        match head {
            Head::Function => self.found.head = Some(start),
            Head::Container => {
                (self.found.head, self.found.is_container) = (Some(start), true);
            }
            Head::Local => self.found.local = Some(start),
            Head::Anonymous => self.found.anonymous = Some(start),
            Head::Nothing => return,
        }
        if let Some(signature) = self.signature(&self.code.line_around(start)) {
            self.found.head = Some(signature);
        }
    }

    /// What the statement begins that has this first line.
    fn head(&mut self, line: &Range<usize>, column: usize) -> Head {
        let is_braced = self.code.language.config.nesting == Nesting::Braces;
        let mut tested = Vec::new();
        let indented = self.code.text[line.clone()].trim_ascii_start();
        let start = line.end - indented.len();
        for extent in [StatementEnd::Line, StatementEnd::Balanced] {
            let statement = &mut self.tests.skeleton;
            let end = match self.code.language.config.is_tested_by_line {
                true => {
                    statement.clear();
                    statement.extend_from_slice(indented.trim_ascii_end());
                    line.end
                }
                false => skeleton(self.code.language, self.code.text, start, extent, statement),
            };
            if column > 0 {
                statement.insert(0, b' ');
            }
            if *statement == tested {
                break;
            }
            let head = self.tests.judge(end <= self.place && is_braced, column);
            if head != Head::Nothing {
                return head;
            }
            tested.clone_from(&self.tests.skeleton);
        }
        Head::Nothing
    }

    /// The line above the one at `line` that declares what this one defines.
    fn signature(&mut self, line: &Range<usize>) -> Option<usize> {
        self.code.language.signature.as_ref()?;
        let text = self.code.text;
        let (column, content) = self.code.indentation(line)?;
        let length = content.iter().position(|&byte| !is_word(byte) && byte != b'\'');
        let word = &content[..length.filter(|&length| length > 0)?];
        let mut at = line.start;
        while at > 0 {
            let above = self.code.line_above(at);
            at = above.start;
            let Some((other, content)) = self.code.indentation(&above) else { continue };
            if other > column || self.code.is_no_code(&above, content) {
                continue;
            }
            let after = content.strip_prefix(word)?;
            if other < column || after.first().is_some_and(|&byte| is_word(byte) || byte == b'\'') {
                return None;
            }
            let line = &text[above].trim_ascii();
            if self.tests.signature.as_mut().is_some_and(|finder| finder.is_match(line)) {
                return Some(at);
            }
        }
        None
    }
}

impl StatementTests {
    /// What the statement begins that the last skeleton was written for. If it ends above the line
    /// of interest, it may be over.
    fn judge(&mut self, may_be_over: bool, column: usize) -> Head {
        let statement = &*self.skeleton;
        let is_match = |finder: &mut Option<Finder>| {
            finder.as_mut().is_some_and(|finder| finder.is_match(statement))
        };
        let is_over = may_be_over && matches!(statement.last(), Some(b'}' | b';'));
        if is_over || is_match(&mut self.never) {
            return Head::Nothing;
        }
        if is_match(&mut self.functions) {
            return Head::Function;
        }
        if is_match(&mut self.locals) {
            return Head::Local;
        }
        if is_match(&mut self.containers) {
            return Head::Container;
        }
        if column == 0 && is_match(&mut self.anonymous) {
            return Head::Anonymous;
        }
        Head::Nothing
    }
}

/// The blocks that `content` ends and begins.
fn blocks(
    language: &NestedFunctions,
    tests: &mut StatementTests,
    content: &[u8],
) -> (usize, usize) {
    let content = &content[..content.len().min(MAX_LINE)];
    let is_match = |finder: &mut Option<Finder>| {
        finder.as_mut().is_some_and(|finder| finder.is_match(content))
    };
    match language.config.nesting {
        Nesting::Indentation | Nesting::Lines => (0, 0),
        Nesting::Braces if memchr2(b'{', b'}', content).is_none() => (0, 0),
        Nesting::Braces => braces(&language.lexis, content),
        Nesting::Words if is_match(&mut tests.wholes) => (0, 0),
        Nesting::Words => {
            let opened = is_match(&mut tests.opens);
            let closed = is_match(&mut tests.closes);
            (usize::from(closed), usize::from(opened))
        }
    }
}
