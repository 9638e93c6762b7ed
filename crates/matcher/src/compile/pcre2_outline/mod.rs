//! The outline of a PCRE2 pattern: a regex for the default engine that matches in every line that
//! the pattern does, and perhaps in others. `foo(?=bar)\d` has the outline `foo.*`.
//!
//! The literals that every match of the outline contains are in every line that the pattern
//! matches, so that a search can look for them first. Backreferences and classes become `.*`. What
//! a pattern looks for before all else or behind it stands there, so that `(?<=foo)\d(?=bar)`
//! becomes `foo.*bar`; other look-around becomes empty. A pattern with anything that this small
//! parser does not know has no outline.
//!
//! The outline for ASCII text is stricter, as a class has the same members there in all versions of
//! Unicode. `(\w{4,})_\1` becomes `([0-9A-Za-z_]{4,})_([0-9A-Za-z_]{4,})`, where both groups have
//! the number 1.

mod ascii;

use std::iter::Peekable;
use std::str::Chars;

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Dot, Hir, Repetition};

use self::ascii::{Ascii, Groups, is_space, is_word};
use super::pcre2;
use crate::config::MatcherConfig;
use crate::literals::required::Literals;

/// How deep groups may nest.
const NEST_LIMIT: u32 = 100;

/// The outline of `patterns`, which PCRE2 has compiled under `config`; `None` if there is none.
///
/// What they look for is in it only if no match must contain a literal: a match has fewer bytes
/// than a line, but its literals are rarer than those around it, as in `(?<=struct )\w+_ops`.
pub(crate) fn of(patterns: &[&str], config: &MatcherConfig) -> Option<Hir> {
    let alone = read(patterns, config, None, false)?;
    let has_needles = Literals::of(&alone).best().is_some();
    if has_needles { Some(alone) } else { read(patterns, config, None, true) }
}

/// The outline of `patterns` for lines that are all ASCII; `None` if there is none.
pub(crate) fn of_ascii(patterns: &[&str], config: &MatcherConfig) -> Option<Hir> {
    let groups = Groups { groups: Vec::new(), are_known: true };
    let ascii = Ascii { terminator: config.line_terminator, groups };
    read(patterns, config, Some(&ascii), true)
}

fn read(
    patterns: &[&str],
    config: &MatcherConfig,
    ascii: Option<&Ascii>,
    looks_around: bool,
) -> Option<Hir> {
    if patterns.is_empty() || !config.unicode && !patterns.iter().all(|p| p.is_ascii()) {
        return None;
    }
    let folds = pcre2::folds(&pcre2::join(patterns, config.fixed_strings), config.case);
    let alternatives = patterns.iter().map(|pattern| {
        let rest = pattern.chars().peekable();
        let ascii = ascii.cloned();
        let mut reader = Reader { rest, folds, looks_around, depth: 0, begins: true, ascii };
        if config.fixed_strings {
            let literals = pattern.chars().map(|c| reader.literal(c));
            return Some(Hir::concat(literals.collect()));
        }
        let hir = reader.alternation()?;
        reader.rest.next().is_none().then_some(hir)
    });
    Some(Hir::alternation(alternatives.collect::<Option<_>>()?))
}

/// `.*`, with any byte.
fn anything() -> Hir {
    let sub = Box::new(Hir::dot(Dot::AnyByte));
    Hir::repetition(Repetition { min: 0, max: None, greedy: true, sub })
}

/// `hir` as the group of a number.
fn numbered(number: usize, hir: Hir) -> Hir {
    match u32::try_from(number) {
        Ok(index) => Hir::capture(Capture { index, name: None, sub: Box::new(hir) }),
        Err(_) => hir,
    }
}

/// A group by what follows its parenthesis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Numbered,
    Plain,
    /// The group has to match where it stands, and is no part of the match: `(?=a)`.
    LooksAhead,
    LooksBehind,
    /// The group must not match: `(?!a)`.
    IsNegative,
}

/// Reads a pattern from left to right. Its methods return `None` at what it does not know.
struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    /// Whether letters may match in either case.
    folds: bool,
    /// Whether what a pattern looks for around a match is in the outline.
    looks_around: bool,
    depth: u32,
    /// Nothing has been read of the whole pattern's current alternative.
    begins: bool,
    /// For the outline for ASCII text.
    ascii: Option<Ascii>,
}

impl Reader<'_> {
    /// The alternatives up to the end of the pattern, or up to the parenthesis that ends the group.
    fn alternation(&mut self) -> Option<Hir> {
        let mut alternatives = vec![self.concatenation()?];
        while self.rest.next_if_eq(&'|').is_some() {
            alternatives.push(self.concatenation()?);
        }
        Some(Hir::alternation(alternatives))
    }

    fn concatenation(&mut self) -> Option<Hir> {
        let mut parts = Vec::new();
        while let Some(c) = self.rest.next_if(|c| !matches!(c, '|' | ')')) {
            self.begins = self.depth == 0 && parts.is_empty();
            let part = self.item(c)?;
            parts.push(self.quantified(part)?);
        }
        Some(Hir::concat(parts))
    }

    /// The item that begins with `c`, which has been read.
    fn item(&mut self, c: char) -> Option<Hir> {
        match c {
            '(' => self.group(),
            '[' => self.class(),
            '\\' => self.escape(),
            '.' => Some(self.class_of(|_| true)),
            '^' | '$' => Some(Hir::empty()),
            // Misplaced, or a brace that may be a literal.
            '*' | '+' | '?' | '{' => None,
            _ => Some(self.literal(c)),
        }
    }

    /// `c` itself, in either case if it is an ASCII letter that folds, or `.*` if other letters
    /// fold.
    fn literal(&self, c: char) -> Hir {
        if !self.folds || c.is_ascii() && !c.is_ascii_alphabetic() {
            return Hir::literal(c.to_string().into_bytes());
        }
        if !c.is_ascii() {
            return anything();
        }
        if let Some(ascii) = &self.ascii {
            return ascii.class(|byte| byte.eq_ignore_ascii_case(&(c as u8)));
        }
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        match class.try_case_fold_simple() {
            Ok(()) => Hir::class(Class::Unicode(class)),
            Err(_) => anything(),
        }
    }

    /// A character in a class with the ASCII characters for which `is_member` is true.
    fn class_of(&self, is_member: impl Fn(u8) -> bool) -> Hir {
        self.ascii.as_ref().map_or_else(anything, |ascii| ascii.class(is_member))
    }

    /// `part` with the quantifier after it, if there is one. Whether that is greedy, lazy or
    /// possessive makes no difference.
    fn quantified(&mut self, part: Hir) -> Option<Hir> {
        let (min, max) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(part),
            _ => return Some(part),
        };
        self.rest.next();
        self.repeated(part, min, max)
    }

    fn counted(&mut self, part: Hir) -> Option<Hir> {
        self.rest.next();
        let min = self.number()?;
        let max = match self.rest.next()? {
            '}' => Some(min),
            ',' if self.rest.next_if_eq(&'}').is_some() => None,
            ',' => {
                let max = self.number()?;
                self.rest.next_if_eq(&'}')?;
                Some(max)
            }
            _ => return None,
        };
        self.repeated(part, min, max)
    }

    fn number(&mut self) -> Option<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    fn repeated(&mut self, part: Hir, min: u32, max: Option<u32>) -> Option<Hir> {
        let _ = self.rest.next_if(|c| matches!(c, '?' | '+'));
        if max.is_some_and(|max| max < min) {
            return None;
        }
        Some(Hir::repetition(Repetition { min, max, greedy: true, sub: Box::new(part) }))
    }

    /// Reads a group after its parenthesis.
    fn group(&mut self) -> Option<Hir> {
        let begins = self.begins;
        self.depth += 1;
        if self.depth > NEST_LIMIT || self.rest.peek() == Some(&'*') {
            return None;
        }
        let kind = match self.rest.next_if_eq(&'?') {
            Some(_) => self.kind_of_group()?,
            None => GroupKind::Numbered,
        };
        let number = self.ascii.as_mut().map_or(0, |ascii| {
            ascii.groups.groups.extend((kind == GroupKind::Numbered).then_some(None));
            ascii.groups.groups.len()
        });
        let inside = self.alternation()?;
        self.rest.next_if_eq(&')')?;
        self.depth -= 1;
        // A quantifier of an assertion does not repeat it: one occurrence suffices.
        let is_quantified = matches!(self.rest.peek(), Some('*' | '+' | '?' | '{'));
        let begins = self.looks_around && begins && !is_quantified;
        let ends =
            self.looks_around && self.depth == 0 && matches!(self.rest.peek(), None | Some('|'));
        match (kind, &mut self.ascii) {
            (GroupKind::LooksAhead, _) => Some(if ends { inside } else { Hir::empty() }),
            (GroupKind::LooksBehind, _) => Some(if begins { inside } else { Hir::empty() }),
            (GroupKind::IsNegative, _) => Some(Hir::empty()),
            (GroupKind::Numbered, Some(ascii)) => {
                ascii.groups.groups[number - 1] = Some((inside.clone(), self.folds));
                Some(numbered(number, inside))
            }
            _ => Some(inside),
        }
    }

    /// What the group with this number matches: a group with that number if it is the same text.
    fn back_reference(&self, number: usize) -> Hir {
        let groups = self.ascii.as_ref().map(|ascii| &ascii.groups);
        let group = groups.filter(|groups| groups.are_known).and_then(|groups| {
            let (hir, folded) = groups.groups.get(number - 1)?.as_ref()?;
            match self.folds {
                false => Some(numbered(number, hir.clone())),
                // A reference may match letters of either case where its group does not.
                true => folded.then(|| hir.clone()),
            }
        });
        group.unwrap_or_else(anything)
    }

    /// Reads what follows `(?`, up to the contents of the group.
    fn kind_of_group(&mut self) -> Option<GroupKind> {
        match self.rest.next()? {
            ':' | '>' => Some(GroupKind::Plain),
            '|' => {
                // Its alternatives number their groups alike.
                self.ascii.iter_mut().for_each(|ascii| ascii.groups.are_known = false);
                Some(GroupKind::Plain)
            }
            '=' => Some(GroupKind::LooksAhead),
            '<' if self.rest.next_if_eq(&'=').is_some() => Some(GroupKind::LooksBehind),
            '!' => Some(GroupKind::IsNegative),
            '<' if self.rest.next_if_eq(&'!').is_some() => Some(GroupKind::IsNegative),
            '<' => self.name('>').map(|()| GroupKind::Numbered),
            '\'' => self.name('\'').map(|()| GroupKind::Numbered),
            'P' => {
                self.rest.next_if_eq(&'<')?;
                self.name('>').map(|()| GroupKind::Numbered)
            }
            'i' => {
                // It holds from here on or within the group. To fold more matches more.
                self.folds = true;
                self.rest.next_if_eq(&':').map(|_| GroupKind::Plain)
            }
            _ => None,
        }
    }

    fn name(&mut self, end: char) -> Option<()> {
        while self.rest.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {}
        self.rest.next_if_eq(&end).map(|_| ())
    }

    /// Reads a class after its bracket, up to its end.
    fn class(&mut self) -> Option<Hir> {
        let simple = self.simple_class();
        self.rest.next_if_eq(&'^');
        // A bracket that comes first is a member.
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next()? {
                ']' => return Some(simple.unwrap_or_else(anything)),
                '\\' => {
                    // `\Q` quotes what follows up to `\E`, and `\c` one character.
                    self.rest.next_if(|c| !matches!(c, 'Q' | 'E' | 'c'))?;
                }
                '[' if matches!(self.rest.peek(), Some('.' | '=')) => return None,
                '[' if self.rest.next_if_eq(&':').is_some() => {
                    self.rest.next_if_eq(&'^');
                    while self.rest.next_if(char::is_ascii_lowercase).is_some() {}
                    self.rest.next_if_eq(&':')?;
                    self.rest.next_if_eq(&']')?;
                }
                _ => {}
            }
        }
    }

    /// The class of ASCII characters behind the bracket that has been read, if its members are
    /// letters, digits, underscores and ranges of these. Reads nothing.
    fn simple_class(&self) -> Option<Hir> {
        let ascii = self.ascii.as_ref()?;
        let mut rest = self.rest.clone();
        let is_negated = rest.next_if_eq(&'^').is_some();
        // A bracket that comes first is a member.
        if rest.peek() == Some(&']') {
            return None;
        }
        let mut is_member = [false; 128];
        loop {
            let start = rest.next()?;
            if start == ']' {
                break;
            }
            let simple = |c: char| u8::try_from(c).ok().filter(|byte| is_word(*byte));
            let start = simple(start)?;
            let end = match rest.next_if_eq(&'-') {
                Some(_) => simple(rest.next()?)?,
                None => start,
            };
            is_member.get_mut(usize::from(start)..=usize::from(end))?.fill(true);
        }
        let cases = |byte: u8| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
        let has = |byte: u8| is_member[usize::from(byte)];
        // Where letters may fold, they need not: a negated class has the other case as well.
        Some(match (is_negated, self.folds) {
            (true, _) => ascii.class(|byte| !has(byte)),
            (false, true) => ascii.class(|byte| cases(byte).into_iter().any(has)),
            (false, false) => ascii.class(has),
        })
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self) -> Option<Hir> {
        let c = self.rest.next()?;
        match c {
            'w' => Some(self.class_of(is_word)),
            'W' => Some(self.class_of(|byte| !is_word(byte))),
            'd' => Some(self.class_of(|byte| byte.is_ascii_digit())),
            'D' => Some(self.class_of(|byte| !byte.is_ascii_digit())),
            's' => Some(self.class_of(is_space)),
            'S' => Some(self.class_of(|byte| !is_space(byte))),
            'h' | 'H' | 'v' | 'V' | 'R' | 'N' | 'X' => {
                // `\N{U+..}` names a character.
                (self.rest.peek() != Some(&'{') || c != 'N').then(anything)
            }
            'p' | 'P' => {
                if self.rest.next()? == '{' {
                    while self.rest.next()? != '}' {}
                }
                Some(anything())
            }
            'b' | 'B' | 'A' | 'z' | 'Z' | 'G' | 'K' => Some(Hir::empty()),
            't' => Some(self.literal('\t')),
            // A second digit may make it an octal number.
            '1'..='9' if self.rest.peek().is_none_or(|c| !c.is_ascii_digit()) => {
                Some(self.back_reference((c as usize) - ('0' as usize)))
            }
            _ if c.is_ascii_punctuation() || c == ' ' => Some(self.literal(c)),
            _ => None,
        }
    }
}
