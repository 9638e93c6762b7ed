//! The walk upwards from a line to the function that it is in.

use std::ops::Range;

use heist_matcher::{Finder, Matcher};
use memchr::memchr2;

use super::{
    code::Code,
    extent,
    spans::Spans,
    statement::{Extent, braces, skeleton},
    syntax::{NestedFunctions, Nesting, is_word},
};

/// Bytes of a line whose braces are counted.
const MAX_LINE: usize = 1 << 14;

/// How often a haystack may be walked through in all, on average.
const MAX_WALKS: usize = 32;

/// One worker's means of testing statements of a language.
#[derive(Debug)]
pub(crate) struct StatementTests {
    never: Option<Finder>,
    functions: Option<Finder>,
    locals: Option<Finder>,
    containers: Option<Finder>,
    anonymous: Option<Finder>,
    sections: Option<Finder>,
    opens: Option<Finder>,
    closes: Option<Finder>,
    wholes: Option<Finder>,
    underlines: Option<Finder>,
    signature: Option<Finder>,
    skeleton: Vec<u8>,
}

/// What a statement begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Function,
    Local,
    Container,
    Anonymous,
    Nothing,
}

/// What a walk found. Positions are those of the first lines of statements.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
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
}

/// What is known of the functions of one haystack.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    spans: Spans,
    /// The places of the last walk, upwards, and what it found.
    passed: Vec<Passed>,
    found: Found,
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
    /// The blocks that end above the line, at this indentation, and whose beginnings come next.
    depth: usize,
    /// The line is in a block or statement whose first line comes next.
    is_pending: bool,
    /// Declarations may precede that line.
    is_behind_declarations: bool,
    found: Found,
    passed: Vec<Passed>,
}

impl StatementTests {
    pub(crate) fn new(language: &NestedFunctions) -> StatementTests {
        let finder = |matcher: &Option<Matcher>| matcher.as_ref().map(Matcher::finder);
        StatementTests {
            never: finder(&language.never),
            functions: finder(&language.functions),
            locals: finder(&language.locals),
            containers: finder(&language.containers),
            anonymous: finder(&language.anonymous),
            sections: finder(&language.sections),
            opens: finder(&language.opens),
            closes: finder(&language.closes),
            wholes: finder(&language.wholes),
            underlines: finder(&language.underlines),
            signature: finder(&language.signature),
            skeleton: Vec::new(),
        }
    }
}

impl Outline {
    /// Begins a haystack.
    pub(crate) fn begin(&mut self) {
        self.spans.begin();
        self.passed.clear();
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
            let (end, section) = walk.section_above(start);
            self.walked += start - end;
            return section;
        }
        let from = walk.begin(start);
        let end = walk.go(from, &self.passed, &self.found);
        (self.found, self.passed) = (walk.found, walk.passed);
        self.walked += start - end;
        self.found.line()
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
            return Walk::new(place, &mut self.spans).section(start, end);
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
            return walk.is_section(&line);
        }
        walk.place = line.start;
        let head = match walk.code.is_no_code(&line, content) {
            false => walk.head(&line, column),
            true => Head::Nothing,
        };
        !matches!(head, Head::Nothing | Head::Anonymous)
    }
}

impl Found {
    fn line(&self) -> Option<usize> {
        match self.head {
            Some(_) if self.is_container => self.local.or(self.head),
            Some(_) => self.head,
            None => self.local.or(self.anonymous).or(self.section),
        }
    }

    /// Adds what an earlier walk found above `start`.
    fn add(&mut self, other: &Found, start: usize) {
        (self.head, self.is_container) = (other.head, other.is_container);
        self.local = other.local.filter(|&at| at < start).or(self.local);
        self.anonymous = other.anonymous.filter(|&at| at < start).or(self.anonymous);
        self.section = self.section.or(other.section.filter(|&at| at < start));
    }
}

impl<'a> Walk<'a> {
    fn new(place: &'a mut Place<'_>, spans: &'a mut Spans) -> Walk<'a> {
        let Place { text, terminator, language, tests } = place;
        Walk {
            code: Code { text, terminator: *terminator, language, spans },
            tests,
            place: 0,
            limit: 0,
            depth: 0,
            is_pending: false,
            is_behind_declarations: false,
            found: Found::default(),
            passed: Vec::new(),
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

    /// Walks upwards from the line that ends at `at`, and returns where the walk ended.
    fn go(&mut self, mut at: usize, passed: &[Passed], found: &Found) -> usize {
        let mut next_passed = 0;
        self.note(at);
        while self.found.head.is_none() && at > 0 {
            while passed.get(next_passed).is_some_and(|place| place.start > at) {
                next_passed += 1;
            }
            if let Some(place) = passed.get(next_passed)
                && (place.start, place.limit) == (at, self.limit)
                && self.depth == 0
                && !self.is_pending
            {
                self.found.add(found, at);
                self.passed.extend(&passed[next_passed..]);
                break;
            }
            let line = self.code.line_above(at);
            at = line.start;
            let Some((column, content)) = self.code.indentation(&line) else { continue };
            if self.code.language.lexis.config.is_read_upwards
                && let Some(comment) = self.code.comment_start(&line)
            {
                at = comment;
                continue;
            }
            if column > self.limit || self.code.is_no_code(&line, content) {
                continue;
            }
            if self.look_at(&line, column) {
                break;
            }
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
        if is_less && self.found.head.is_none() {
            self.note(line.start);
        }
        self.found.head.is_some()
    }

    /// The nearest section above the line at `start`, and where the walk ended. A section is in
    /// those of higher levels.
    fn section_above(&mut self, start: usize) -> (usize, Option<usize>) {
        let text = self.code.text;
        let line = self.code.line_around(start);
        let own = self.is_section(&line).then(|| level(&text[line]));
        let mut at = start;
        while at > 0 {
            let line = self.code.line_above(at);
            at = line.start;
            let content = text[line.clone()].trim_ascii();
            if content.is_empty() || self.code.spans.around(line.start).is_some() {
                continue;
            }
            if self.is_section(&line) && own.is_none_or(|own| level(content) < own) {
                return (at, Some(at));
            }
            if self.tests.closes.as_mut().is_some_and(|finder| finder.is_match(content)) {
                break;
            }
        }
        (at, None)
    }

    /// The lines of the section that begins with the line at `start`: up to the next one.
    fn section(&mut self, start: usize, least: usize) -> Range<usize> {
        let mut at = self.code.line_around(start).end;
        let mut end = at;
        while at < self.code.text.len() {
            let line = self.code.line_around(at);
            at = line.end;
            if self.code.indentation(&line).is_some() {
                if self.is_section(&line) {
                    break;
                }
                end = at;
            }
        }
        start..end.max(least)
    }

    /// Whether a line is a section, or a title with a line under it.
    fn is_section(&mut self, line: &Range<usize>) -> bool {
        let text = self.code.text;
        let content = text[line.clone()].trim_ascii_end();
        let is_match = |finder: &mut Option<Finder>, line: &[u8]| {
            finder.as_mut().is_some_and(|finder| finder.is_match(line))
        };
        if self.code.spans.around(line.start).is_some() || content.is_empty() {
            return false;
        }
        if is_match(&mut self.tests.sections, content) && !is_match(&mut self.tests.never, content)
        {
            return true;
        }
        if self.tests.underlines.is_none() || line.end >= text.len() {
            return false;
        }
        let below = text[self.code.line_around(line.end)].trim_ascii_end();
        is_match(&mut self.tests.underlines, below)
            && !is_match(&mut self.tests.underlines, content)
            && !is_match(&mut self.tests.never, content)
    }

    /// Notes the place of the walk for later ones.
    fn note(&mut self, start: usize) {
        if self.depth == 0 && !self.is_pending {
            self.passed.push(Passed { start, limit: self.limit });
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

    /// What the statement begins whose first line this is.
    fn head(&mut self, line: &Range<usize>, column: usize) -> Head {
        let is_braced = self.code.language.config.nesting == Nesting::Braces;
        let mut tested = Vec::new();
        let indented = self.code.text[line.clone()].trim_ascii_start();
        let start = line.end - indented.len();
        for extent in [Extent::Line, Extent::Balanced] {
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
    /// What the statement begins whose skeleton was written last. If it ends above the line of
    /// interest, it may be over.
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
