//! Close spellings of a literal that stands nowhere: in other case, as another form of the name, or
//! one edit away.
//!
//! ```text
//! getUserId   other case   getUserID, GETUSERID
//!             other form   get_user_id, GET-USER-ID
//!             one edit     getUsersId, getUserld
//! ```

use std::collections::HashMap;

use bstr::ByteSlice;
use heist_matcher::{Boundary, Case, Error, Finder, Matcher, MatcherConfig, escape, name_words};
use strsim::osa_distance;

use crate::resolved::ResolvedArgs;

/// The characters that a literal has for which close spellings are looked for. A shorter one has
/// too many.
const LITERAL_CHARS: std::ops::RangeInclusive<usize> = 3..=64;

/// The fewest characters of a literal that may differ by an edit: one half stays unchanged, and a
/// half of two characters stands in most lines.
const MIN_CHARS_EDITED: usize = 6;

/// The most spellings that one worker keeps.
const MAX_SPELLINGS: usize = 1 << 12;

/// How a spelling differs from the literal, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Closeness {
    Case,
    Form,
    Edit,
}

/// A spelling, and how many files have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spelling {
    pub(super) closeness: Closeness,
    /// Whether it is a part of a longer name.
    pub(super) is_part: bool,
    pub(super) files: u64,
}

/// Spellings by their texts.
pub(super) type Tally = HashMap<String, Spelling>;

/// The literal of a search, and what is close to it.
#[derive(Debug)]
pub(super) struct Spellings {
    literal: String,
    chars: usize,
    /// The literal in lower case without `_` and `-`, if it is a name.
    plain: Option<String>,
    /// Whether the search disregards case.
    ignores_case: bool,
    /// Whether the literal has to be a whole word.
    is_word: bool,
}

impl Spellings {
    /// What is close to the literal that `args` search for; `None` if the pattern is none, or is
    /// too short or too long.
    pub(super) fn of(args: &ResolvedArgs) -> Option<Spellings> {
        let config = &args.matcher;
        let [pattern] = &args.patterns[..] else { return None };
        let (literal, is_bounded) = match config.fixed_strings {
            true => (pattern.clone(), false),
            false => literal_of(pattern)?,
        };
        let ignores_case = match config.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !literal.chars().any(char::is_uppercase),
        };
        let is_plain = args.condition.is_none()
            && !args.searcher.invert
            && config.boundary != Boundary::Line
            && !literal.contains(char::from(config.line_terminator))
            && LITERAL_CHARS.contains(&literal.chars().count());
        is_plain.then(|| {
            Spellings::new(literal, ignores_case, is_bounded || config.boundary == Boundary::Word)
        })
    }

    fn new(literal: String, ignores_case: bool, is_word: bool) -> Spellings {
        let plain = literal.chars().all(is_name_char).then(|| plain(&literal));
        let chars = literal.chars().count();
        Spellings { literal, chars, plain, ignores_case, is_word }
    }

    /// The matcher for candidates: it matches the literal itself, and a part of whatever is close.
    ///
    /// # Errors
    /// The literal is not what a pattern may contain.
    pub(super) fn matcher(&self) -> Result<Matcher, Error> {
        Matcher::new([self.pattern()], &MatcherConfig::default())
    }

    /// For `getUserId`: `(?i:get[_-]?User[_-]?Id)|getU|serId|getsUerId`.
    fn pattern(&self) -> String {
        let words = match &self.plain {
            Some(_) => name_words(&self.literal),
            None => vec![self.literal.as_str()],
        };
        let words: Vec<String> = words.into_iter().map(escape).collect();
        let mut pattern = format!("(?i:{})", words.join("[_-]?"));
        if self.chars >= MIN_CHARS_EDITED {
            let chars: Vec<char> = self.literal.chars().collect();
            let (first, second) = chars.split_at(self.chars / 2);
            let text = |chars: &[char]| escape(&chars.iter().collect::<String>());
            // Two characters that are transposed across the middle leave no half unchanged.
            let mut crossed = chars.clone();
            crossed.swap(self.chars / 2 - 1, self.chars / 2);
            let edits = [text(first), text(second), text(&crossed)].join("|");
            match self.ignores_case {
                true => pattern += &format!("|(?i:{edits})"),
                false => pattern += &format!("|{edits}"),
            }
        }
        pattern
    }

    /// Adds the close spellings in `line` to `found`, in which each stands once. `finder` is that
    /// of the candidates' [matcher](Self::matcher). Returns whether the literal itself is in the
    /// line.
    pub(super) fn find(&self, finder: &mut Finder, line: &[u8], found: &mut Tally) -> bool {
        let (mut at, mut has_literal) = (0, false);
        while let Some(span) = finder.find_at(line, at) {
            at = span.end.max(span.start + 1);
            let context = Context::around(line, span, self.literal.len() + 8);
            has_literal |= self.is_same(context.candidate());
            if let Some((text, closeness, is_part)) = self.closest(&context)
                && (found.len() < MAX_SPELLINGS || found.contains_key(text))
            {
                let spelling = Spelling { closeness, is_part, files: 0 };
                found.entry(text.to_owned()).or_insert(spelling);
            }
            if at > line.len() {
                break;
            }
        }
        has_literal
    }

    fn is_same(&self, text: &str) -> bool {
        match self.ignores_case {
            true => text.to_lowercase() == self.literal.to_lowercase(),
            false => text == self.literal,
        }
    }

    /// The spelling around a candidate that is closest to the literal, and whether it is part of a
    /// longer name.
    fn closest<'c>(&self, context: &'c Context) -> Option<(&'c str, Closeness, bool)> {
        let texts = context.texts(self.chars);
        let near = texts.filter(|(_, is_part)| !(*is_part && self.is_word));
        let near = near.filter_map(|(text, is_part)| Some((self.closeness(text)?, is_part, text)));
        // Of two, the one with as many characters is preferred: `alloc_node` to `alloc_nod`.
        let more_or_less = |text: &str| text.chars().count().abs_diff(self.chars);
        near.min_by_key(|&(closeness, is_part, text)| (is_part, closeness, more_or_less(text)))
            .map(|(closeness, is_part, text)| (text, closeness, is_part))
    }

    /// How close `text` is; `None` if it is not close, or the literal itself.
    fn closeness(&self, text: &str) -> Option<Closeness> {
        if self.is_same(text) {
            return None;
        }
        if text.to_lowercase() == self.literal.to_lowercase() {
            return Some(Closeness::Case);
        }
        if self
            .plain
            .as_ref()
            .is_some_and(|own| text.chars().all(is_name_char) && plain(text) == *own)
        {
            return Some(Closeness::Form);
        }
        let is_one_edit_away = self.chars >= MIN_CHARS_EDITED
            && match self.ignores_case {
                true => osa_distance(&text.to_lowercase(), &self.literal.to_lowercase()) == 1,
                false => osa_distance(text, &self.literal) == 1,
            };
        is_one_edit_away.then_some(Closeness::Edit)
    }
}

/// The text around a candidate.
struct Context {
    text: String,
    /// Where the candidate is in the text.
    start: usize,
    end: usize,
}

impl Context {
    /// The candidate at `span` in `line` with at most `reach` bytes on either side.
    fn around(line: &[u8], span: std::ops::Range<usize>, reach: usize) -> Context {
        let before = line[span.start.saturating_sub(reach)..span.start].to_str_lossy();
        let after = line[span.end..line.len().min(span.end + reach)].to_str_lossy();
        let mut text = before.into_owned();
        let start = text.len();
        text += &line[span].to_str_lossy();
        let end = text.len();
        text += &after;
        Context { text, start, end }
    }

    fn candidate(&self) -> &str {
        &self.text[self.start..self.end]
    }

    /// The texts that contain the candidate and begin or end as a name does: whole names, and parts
    /// of about `chars` characters, with whether they are a part of a name.
    fn texts(&self, chars: usize) -> impl Iterator<Item = (&str, bool)> {
        let names = [is_word_char as fn(char) -> bool, is_name_char].map(|is_part| {
            let before = self.text[..self.start].chars().rev().take_while(|c| is_part(*c));
            let after = self.text[self.end..].chars().take_while(|c| is_part(*c));
            let start = self.start - before.map(char::len_utf8).sum::<usize>();
            let end = self.end + after.map(char::len_utf8).sum::<usize>();
            (start, end)
        });
        let starts: Vec<usize> = self.text[..self.start].char_indices().map(|(at, _)| at).collect();
        let mut starts: Vec<usize> = starts.into_iter().rev().take(chars + 1).collect();
        starts.push(self.start);
        let windows = starts.into_iter().flat_map(move |start| {
            let ends = self.text[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
            let ends: Vec<usize> = ends.skip(chars.saturating_sub(2)).take(3).collect();
            ends.into_iter().map(move |end| (start, end))
        });
        let all = names.into_iter().chain([(self.start, self.end)]).chain(windows);
        all.filter(|&(start, end)| start <= self.start && end >= self.end).filter_map(
            |(start, end)| {
                let (begins, ends) = (self.is_edge(start), self.is_edge(end));
                let is_apart = self.is_border(start) || self.is_border(end);
                is_apart.then(|| (&self.text[start..end], !(begins && ends)))
            },
        )
    }

    /// Whether no word of a name goes on across `at`.
    fn is_border(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let after = self.text[at..].chars().next().is_some_and(char::is_alphanumeric);
        !(before && after)
    }

    /// Whether no name goes on across `at`.
    fn is_edge(&self, at: usize) -> bool {
        let before = self.text[..at].chars().next_back().is_some_and(is_word_char);
        let after = self.text[at..].chars().next().is_some_and(is_word_char);
        !(before && after)
    }
}

/// The closest spellings of all, as many as `most`.
pub(super) fn best(tally: &Tally, most: usize) -> Vec<(&str, Spelling)> {
    let mut all: Vec<_> = tally.iter().map(|(text, spelling)| (text.as_str(), *spelling)).collect();
    all.sort_by(|(text, near), (other, far)| {
        let rank = |spelling: &Spelling| (spelling.is_part, spelling.closeness);
        rank(near).cmp(&rank(far)).then(far.files.cmp(&near.files)).then_with(|| text.cmp(other))
    });
    all.truncate(most);
    all
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_name_char(c: char) -> bool {
    is_word_char(c) || c == '-'
}

/// A name in lower case without what separates its words.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// The literal that `pattern` is, and whether `\b` bounds it on both sides; `None` if it is no
/// literal.
fn literal_of(pattern: &str) -> Option<(String, bool)> {
    let inner = pattern.strip_prefix(r"\b").and_then(|rest| rest.strip_suffix(r"\b"));
    let is_bounded = inner.is_some();
    let mut chars = inner.unwrap_or(pattern).chars();
    let mut literal = String::new();
    while let Some(c) = chars.next() {
        match c {
            // `\<` and `\>` are borders of words.
            '\\' => literal
                .push(chars.next().filter(|&c| c.is_ascii_punctuation() && c != '<' && c != '>')?),
            '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                return None;
            }
            c => literal.push(c),
        }
    }
    Some((literal, is_bounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in `line` that is close to `literal`.
    fn near(literal: &str, line: &str) -> Vec<(String, Closeness, bool)> {
        let spellings = Spellings::new(literal.to_owned(), false, false);
        let mut finder = spellings.matcher().expect("a pattern").finder();
        let mut found = Tally::new();
        spellings.find(&mut finder, line.as_bytes(), &mut found);
        let all = best(&found, 10);
        all.into_iter()
            .map(|(text, near)| (text.to_owned(), near.closeness, near.is_part))
            .collect()
    }

    #[test]
    fn close_spellings_are_found() {
        use Closeness::{Case, Edit, Form};
        for (literal, line, expected) in [
            ("getUserId", "x = getUserID(1)", Some(("getUserID", Case, false))),
            ("getUserId", "x.get_user_id", Some(("get_user_id", Form, false))),
            ("getUserId", "GET-USER-ID: 1", Some(("GET-USER-ID", Form, false))),
            ("get_user_id", "getUserId()", Some(("getUserId", Form, false))),
            ("getUserId", "getUsersId", Some(("getUsersId", Edit, false))),
            ("getUserId", "getUsrId", Some(("getUsrId", Edit, false))),
            ("getUserId", "getUserld", Some(("getUserld", Edit, false))),
            // Transposed, also across the middle.
            ("getUserId", "gteUserId", Some(("gteUserId", Edit, false))),
            ("abcdef", "abdcef", Some(("abdcef", Edit, false))),
            (
                "kmem_cache_allocnode",
                "kmem_cache_alloc_node",
                Some(("kmem_cache_alloc_node", Form, false)),
            ),
            ("alloc_noed", "kmem_cache_alloc_node(s)", Some(("alloc_node", Edit, true))),
            ("no such file", "No such file", Some(("No such file", Case, false))),
            ("no such fiel.", "no such file.", Some(("no such file.", Edit, false))),
            ("größe_x", "GRÖßE_X", Some(("GRÖßE_X", Case, false))),
            // The literal itself, two edits, and a literal that is too short for edits.
            ("getUserId", "getUserId", None),
            ("getUserId", "getUzrId", None),
            ("node", "mode", None),
            // In the middle of a name.
            ("alloc_noed", "kmem_alloc_nodes", Some(("alloc_node", Edit, true))),
            ("alloc_noed", "xalloc_nodes", None),
        ] {
            let found = near(literal, line);
            let found = found.first().map(|(text, near, part)| (text.as_str(), *near, *part));
            assert_eq!(found, expected, "{literal} in {line}: {:?}", near(literal, line));
        }
    }

    #[test]
    fn literals_are_recognized() {
        for (pattern, expected) in [
            ("door", Some(("door", false))),
            (r"\bdoor\b", Some(("door", true))),
            (r"a\.b\(", Some(("a.b(", false))),
            ("a.b", None),
            (r"\w", None),
            (r"a\", None),
            (r"\<a\>", None),
            ("a<b>", Some(("a<b>", false))),
        ] {
            let found = literal_of(pattern);
            assert_eq!(found, expected.map(|(text, word)| (text.to_owned(), word)), "{pattern}");
        }
    }
}
