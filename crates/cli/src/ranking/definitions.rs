//! What a line defines, as far as the line itself shows it.
//!
//! A line that may begin a function or a type has a name in a certain place: behind a word such as
//! `struct` or `def`, or in front of a parenthesis. Whether it does begin one is for the rules of
//! its language to decide, which look at the lines that follow: `gem(a,` may be a call.

use std::ops::Range;

use heist_matcher::Finder;

/// How much of a line is looked at. No definition that a person has written has a longer first
/// line.
const MAX_LINE_BYTES: usize = 1 << 10;

/// What the name in a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// The line defines the name, whatever its language: `#define GEM`.
    Certain,
    /// The line defines the name if it begins a function, a type or a section.
    OfHead,
}

/// Words before the name of a function: `fn gem()`, `def gem`.
const FUNCTION_WORDS: &[&[u8]] = &[
    b"fn",
    b"func",
    b"function",
    b"fun",
    b"def",
    b"defp",
    b"defmacro",
    b"defun",
    b"defn",
    b"sub",
    b"proc",
    b"procedure",
    b"method",
    b"macro",
    b"macro_rules",
    b"task",
    b"rpc",
    b"predicate",
];

/// Words before the name of a type or of what contains functions: `struct gem {`.
const TYPE_WORDS: &[&[u8]] = &[
    b"struct",
    b"class",
    b"union",
    b"enum",
    b"interface",
    b"trait",
    b"record",
    b"object",
    b"protocol",
    b"namespace",
    b"module",
    b"mod",
    b"package",
    b"message",
    b"service",
    b"actor",
    b"contract",
    b"library",
    b"defmodule",
    b"annotation",
    b"entity",
    b"model",
];

/// Words before the name of a value or a type that stands for another: `const GEM = 1`.
const VALUE_WORDS: &[&[u8]] = &[b"const", b"static", b"type", b"val", b"let", b"var", b"using"];

/// Words before these that change nothing about what is defined.
const MODIFIERS: &[&[u8]] =
    &[b"export", b"default", b"declare", b"public", b"private", b"protected", b"internal", b"pub"];

/// Words of C before the name of a type.
const C_TYPE_WORDS: &[&[u8]] = &[b"struct", b"union", b"enum"];

/// Words of C before the type of a variable or a function.
const QUALIFIERS: &[&[u8]] = &[b"static", b"const", b"extern", b"volatile", b"inline"];

/// Words after which a line defines nothing.
const NO_DEFINITIONS: &[&[u8]] = &[
    b"if",
    b"else",
    b"for",
    b"while",
    b"do",
    b"switch",
    b"return",
    b"catch",
    b"try",
    b"sizeof",
    b"typeof",
    b"match",
    b"delete",
    b"throw",
    b"await",
    b"yield",
    b"goto",
    b"impl",
    b"extension",
    b"import",
    b"use",
];

/// Words that are no names, though they stand before a parenthesis or a block; some are calls to
/// which test programs pass their tests.
const NO_NAMES: &[&[u8]] = &[
    b"case",
    b"loop",
    b"with",
    b"when",
    b"where",
    b"in",
    b"not",
    b"and",
    b"or",
    b"new",
    b"static",
    b"const",
    b"default",
    b"public",
    b"private",
    b"protected",
    b"extern",
    b"resource",
    b"describe",
    b"it",
    b"test",
    b"suite",
    b"context",
    b"specify",
    b"before",
    b"after",
    b"beforeEach",
    b"afterEach",
    b"beforeAll",
    b"afterAll",
    b"setup",
    b"teardown",
    b"bench",
];

/// Whether `line` defines what `finder` finds in it: the name that it may define lies in a match as
/// a whole. `spans` are the matches, if they are known.
///
/// ```text
/// pattern     line
/// vfs_read    ssize_t vfs_read(struct file *file,    OfHead
/// read        ssize_t vfs_read(struct file *file,    None: the match is a part of the name
/// file        ssize_t vfs_read(struct file *file,    None
/// struct gem  struct gem {                           OfHead
/// gem         extern struct gem *gem(void);          None: a declaration
/// GEM         #define GEM(x) 1                       Certain
/// ```
pub(crate) fn definition(
    line: &[u8],
    finder: &mut Finder,
    spans: Option<&[Range<usize>]>,
) -> Option<Definition> {
    let line = &line[..line.len().min(MAX_LINE_BYTES)];
    let (name, definition) = Words { line, at: 0 }.name()?;
    let covers = |span: &Range<usize>| span.start <= name.start && name.end <= span.end;
    let is_found = match spans {
        Some(spans) => spans.iter().any(covers),
        None => {
            let mut at = 0;
            loop {
                let Some(span) = finder.find_at(line, at) else { break false };
                if covers(&span) {
                    break true;
                }
                if span.start > name.start {
                    break false;
                }
                at = span.end.max(span.start + 1);
                if at > line.len() {
                    break false;
                }
            }
        }
    };
    is_found.then_some(definition)
}

/// The words of a line, from left to right.
struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl Words<'_> {
    /// The name that the line may define.
    fn name(&mut self) -> Option<(Range<usize>, Definition)> {
        self.skip_blanks();
        let is_at_margin = self.at == 0;
        let mut is_first = true;
        // Only modifiers so far, so that a value may follow.
        let mut is_plain = is_at_margin;
        let mut is_qualified = false;
        let mut last: Option<Range<usize>> = None;
        if self.peek() == Some(b'#') && self.line.get(self.at + 1) != Some(&b'[') {
            return self.defined_by_preprocessor();
        }
        loop {
            self.skip_blanks();
            let byte = self.peek()?;
            if is_word(byte) {
                let word = self.word();
                let text = &self.line[word.clone()];
                let is_name = |words: &[&[u8]]| words.contains(&text);
                if is_name(NO_DEFINITIONS) {
                    return None;
                }
                if is_name(FUNCTION_WORDS) && self.peek() != Some(b'(') {
                    if let Some(name) = self.name_behind() {
                        return Some((name, Definition::OfHead));
                    }
                } else if is_name(TYPE_WORDS) {
                    let at = self.at;
                    let may_end = !is_qualified || !is_name(C_TYPE_WORDS);
                    if let Some(name) = self.name_behind()
                        && self.begins_type(may_end)
                    {
                        return Some((name, Definition::OfHead));
                    }
                    self.at = at;
                } else if is_plain && is_name(VALUE_WORDS) {
                    let at = self.at;
                    if let Some(name) = self.name_behind()
                        && (text == b"type" || self.begins_value())
                    {
                        return Some((name, Definition::Certain));
                    }
                    self.at = at;
                } else if is_at_margin && is_first && text == b"typedef" {
                    return self.defined_by_typedef();
                } else if is_at_margin && is_first && matches!(text, b"config" | b"menuconfig") {
                    let name = self.name_behind().filter(|_| self.rest().trim_ascii().is_empty());
                    return name.map(|name| (name, Definition::Certain));
                }
                if text == b"pub" && self.peek() == Some(b'(') {
                    self.at += 1;
                    self.skip_to(b')')?;
                }
                is_qualified |= is_name(QUALIFIERS);
                is_plain &= is_name(MODIFIERS);
                last = Some(word);
                is_first &= is_name(MODIFIERS);
                if is_first {
                    continue;
                }
                // The first word may be the name of a macro.
                if is_at_margin && self.peek() == Some(b'(') && is_macro(&self.line[..self.at]) {
                    self.at += 1;
                    self.skip_blanks();
                    let argument = self.peek().is_some_and(is_word).then(|| self.word())?;
                    return Some((argument, Definition::OfHead));
                }
                continue;
            }
            self.at += 1;
            match byte {
                b'(' if last.is_some() => return self.named(last?),
                b'(' if self.line[..self.at] == *b"(" => {}
                b'(' => self.skip_to(b')')?,
                b'[' => self.skip_to(b']')?,
                b'#' if self.peek() == Some(b'[') => {
                    self.at += 1;
                    self.skip_to(b']')?;
                }
                b'@' => {
                    self.name_behind()?;
                    if self.peek() == Some(b'(') {
                        self.at += 1;
                        self.skip_to(b')')?;
                    }
                }
                b'<' => self.skip_to(b'>')?,
                b'=' | b'{' => return self.named(last?),
                b':' if self.peek() == Some(b':') => match self.line[..self.at - 1].last() {
                    // A signature in Haskell.
                    Some(b' ') => return self.named(last?),
                    _ => self.at += 1,
                },
                b'"' => self.at += 1 + self.rest().iter().position(|&byte| byte == b'"')?,
                b':' => return self.named(last?),
                b'.' | b'*' | b'&' | b'~' | b'!' | b'?' | b'\\' => {}
                _ => return None,
            }
        }
    }

    fn named(&self, name: Range<usize>) -> Option<(Range<usize>, Definition)> {
        let text = &self.line[name.clone()];
        let is_number = text[0].is_ascii_digit();
        (!is_number && !NO_NAMES.contains(&text)).then_some((name, Definition::OfHead))
    }

    /// The name in `#define GEM 1`.
    fn defined_by_preprocessor(&mut self) -> Option<(Range<usize>, Definition)> {
        self.at += 1;
        self.skip_blanks();
        let word = self.peek().is_some_and(is_word).then(|| self.word())?;
        (self.line[word] == *b"define").then_some(())?;
        Some((self.name_behind()?, Definition::Certain))
    }

    /// The name in `typedef unsigned int gem_t;`, if that is the whole definition.
    fn defined_by_typedef(&mut self) -> Option<(Range<usize>, Definition)> {
        let rest = self.rest();
        let end = self.at + rest.trim_ascii_end().strip_suffix(b";")?.len();
        let is_simple = |&byte: &u8| is_word(byte) || matches!(byte, b' ' | b'\t' | b'*');
        if !self.line[self.at..end].iter().all(is_simple) {
            return None;
        }
        let len = self.line[..end].iter().rev().take_while(|&&byte| is_word(byte)).count();
        (len > 0).then_some((end - len..end, Definition::Certain))
    }

    /// The name that follows, which may be the last part of a path: `self.gem`, `Vault::gem`.
    fn name_behind(&mut self) -> Option<Range<usize>> {
        loop {
            match self.peek()? {
                b' ' | b'\t' | b'*' | b'&' | b'!' => self.at += 1,
                // The receiver of a method in Go.
                b'(' => {
                    self.at += 1;
                    self.skip_to(b')')?;
                }
                byte if is_word(byte) => break,
                _ => return None,
            }
        }
        let mut name = self.word();
        while let Some(b'.' | b':') = self.peek() {
            let at = self.at;
            while let Some(b'.' | b':') = self.peek() {
                self.at += 1;
            }
            if !self.peek().is_some_and(is_word) {
                self.at = at;
                break;
            }
            name = self.word();
        }
        Some(name)
    }

    /// Whether what follows a name shows that it is the name of a type that is being defined, not
    /// the type of something else: `struct gem *find(`.
    ///
    /// `may_end` is whether the name may end the line: `static struct gem` has another name below.
    fn begins_type(&mut self, may_end: bool) -> bool {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\r' | b'\n') => may_end,
            Some(b'{' | b':' | b'(' | b'<' | b';' | b'=' | b'[' | b'/') => true,
            Some(byte) if is_word(byte) => {
                let word = self.word();
                let words: [&[u8]; 12] = [
                    b"extends",
                    b"implements",
                    b"where",
                    b"with",
                    b"final",
                    b"of",
                    b"is",
                    b"permits",
                    b"for",
                    b"do",
                    b"in",
                    b"sealed",
                ];
                words.contains(&&self.line[word])
            }
            Some(_) => false,
        }
    }

    /// Whether what follows a name shows that it is the name of a value.
    fn begins_value(&mut self) -> bool {
        self.skip_blanks();
        let rest = self.rest();
        matches!(rest.first(), Some(b'=' | b':')) && !rest.starts_with(b"==")
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.line[self.at..]
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// The word that begins here.
    fn word(&mut self) -> Range<usize> {
        let len = self.rest().iter().take_while(|&&byte| is_word(byte)).count();
        self.at += len;
        self.at - len..self.at
    }

    /// Skips to behind the bracket that closes the one just passed. `None` if it is not in this
    /// line.
    fn skip_to(&mut self, close: u8) -> Option<()> {
        let open = match close {
            b')' => b'(',
            b']' => b'[',
            _ => b'<',
        };
        let mut depth = 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Some(());
                }
            }
        }
        None
    }
}

/// Whether `word` looks like the name of a macro: `DEFINE_MUTEX`.
fn is_macro(word: &[u8]) -> bool {
    let is_upper = |&byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    word.len() > 2 && word.iter().all(is_upper)
}

#[cfg(test)]
mod tests {
    use heist_matcher::{Matcher, MatcherConfig};

    use super::{Definition::*, *};

    fn check(pattern: &str, line: &str) -> Option<Definition> {
        let matcher = Matcher::new([pattern], &MatcherConfig::default()).unwrap();
        definition(line.as_bytes(), &mut matcher.finder(), None)
    }

    #[test]
    fn a_line_may_define_the_name_that_a_match_covers() {
        for (pattern, line, expected) in [
            ("vfs_read", "ssize_t vfs_read(struct file *file, char __user *buf,", Some(OfHead)),
            ("read", "ssize_t vfs_read(struct file *file, char __user *buf,", None),
            ("file", "ssize_t vfs_read(struct file *file, char __user *buf,", None),
            ("ssize_t", "ssize_t vfs_read(struct file *file)", None),
            ("struct gem", "struct gem {", Some(OfHead)),
            ("gem", "struct gem {", Some(OfHead)),
            ("struct gem", "struct gem *find(void)", None),
            ("find", "struct gem *find(void)", Some(OfHead)),
            ("struct gem", "struct gem", Some(OfHead)),
            ("struct gem", "static const struct gem", None),
            ("gem", "static const struct gem_ops gem = {", Some(OfHead)),
            ("GEM", "#define GEM(x) 1", Some(Certain)),
            ("GEM", "#  define GEM", Some(Certain)),
            ("GEM", "#ifdef GEM", None),
            ("gem.h", "#include <gem.h>", None),
            ("gem_t", "typedef unsigned long gem_t;", Some(Certain)),
            ("gem_t", "typedef struct gem gem_t;", Some(Certain)),
            ("gem", "typedef struct gem gem_t;", None),
            ("GEM", "config GEM", Some(Certain)),
            ("GEM", "\tselect GEM", None),
            ("sched_switch", "TRACE_EVENT(sched_switch,", Some(OfHead)),
            ("TRACE_EVENT", "TRACE_EVENT(sched_switch,", None),
            ("gem", "\tx = gem(1);", None),
            ("gem", "\treturn gem(1);", None),
            ("gem", "\tif (gem(1))", None),
            ("gem", "// gem(1)", None),
            ("gem", "/* gem(1) */", None),
            ("gem", " * gem(1)", Some(OfHead)),
            ("gem", "pub fn gem<T>(a: T) {", Some(OfHead)),
            ("gem", "    pub(crate) const fn gem(a: T) {", Some(OfHead)),
            ("Gem", "pub struct Gem;", Some(OfHead)),
            ("Gem", "impl Gem {", None),
            ("Gem", "impl Display for Gem {", None),
            ("GEMS", "const GEMS: usize = 3;", Some(Certain)),
            ("GEMS", "pub static GEMS: &str = \"\";", Some(Certain)),
            ("GEMS", "    let GEMS = 3;", Some(OfHead)),
            ("gem", "func (v *Vault) gem(a int) error {", Some(OfHead)),
            ("Vault", "func (v *Vault) gem(a int) error {", None),
            ("Gem", "type Gem struct {", Some(Certain)),
            ("gem", "def gem(self):", Some(OfHead)),
            ("gem", "    async def gem(self):", Some(OfHead)),
            ("gem", "  def self.gem", Some(OfHead)),
            ("Gem", "class Gem(Stone):", Some(OfHead)),
            ("Gem", "public final class Gem extends Stone {", Some(OfHead)),
            ("Stone", "public final class Gem extends Stone {", None),
            ("gem", "export default async function gem(a) {", Some(OfHead)),
            ("gem", "export const gem = (a) => {", Some(Certain)),
            ("gem", "  gem: function (a) {", Some(OfHead)),
            ("describe", "describe(\"gem\", () => {", None),
            ("int main", "int main(void)", Some(OfHead)),
            ("Vault", "void Vault::gem() {", None),
            ("gem", "void Vault::gem() {", Some(OfHead)),
            ("gem", "template <class T> T gem(T a) {", Some(OfHead)),
            ("gem", "@Override public void gem() {", Some(OfHead)),
            ("gem", "#[inline] fn gem() {", Some(OfHead)),
            ("gem", "", None),
            (".*", "int gem(void)", Some(OfHead)),
        ] {
            assert_eq!(check(pattern, line), expected, "{pattern} in {line}");
        }
    }

    #[test]
    fn no_line_is_too_odd() {
        let parts = [
            "#", "[", "(", "<", "fn", "struct", " ", "gem", ":", ".", "@", "type", "=", "\t",
            "typedef", ";", "\u{e9}", "config", "GEM", "!", "*",
        ];
        let mut random = fastrand::Rng::with_seed(1);
        let matcher = Matcher::new(["gem|^|$"], &MatcherConfig::default()).unwrap();
        let mut finder = matcher.finder();
        for _ in 0..20_000 {
            let line: String =
                (0..random.usize(..12)).map(|_| parts[random.usize(..parts.len())]).collect();
            let _ = definition(line.as_bytes(), &mut finder, None);
        }
    }
}
