//! The outline of a pattern of PCRE2: a regex of the default engine that matches wherever the
//! pattern does, and perhaps elsewhere. That of `foo(?=bar)\d` is `foo.*`.
//!
//! The literals that every match of the outline contains are in every match of the pattern, too, so
//! that a search can look for them first. Backreferences and classes become `.*`, look-around
//! becomes empty; a pattern with anything that this small parser does not know has no outline.

use std::iter::Peekable;
use std::str::Chars;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Dot, Hir, Repetition};

use super::pcre2;
use crate::config::MatcherConfig;

/// How deep groups may nest.
const NEST_LIMIT: u32 = 100;

/// The outline of `patterns`, which PCRE2 has compiled under `config`; `None` if there is none.
pub(crate) fn of(patterns: &[&str], config: &MatcherConfig) -> Option<Hir> {
    if patterns.is_empty() || !config.unicode && !patterns.iter().all(|p| p.is_ascii()) {
        return None;
    }
    let folds = pcre2::folds(&pcre2::join(patterns, config.fixed_strings), config.case);
    let alternatives = patterns.iter().map(|pattern| {
        let mut reader = Reader { rest: pattern.chars().peekable(), folds, depth: 0 };
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

/// Reads a pattern from left to right. Its methods return `None` at what it does not know.
struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    /// Whether letters may match in either case.
    folds: bool,
    depth: u32,
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
            '.' => Some(anything()),
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
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        match class.try_case_fold_simple() {
            Ok(()) => Hir::class(Class::Unicode(class)),
            Err(_) => anything(),
        }
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

    /// A group, whose parenthesis has been read.
    fn group(&mut self) -> Option<Hir> {
        self.depth += 1;
        if self.depth > NEST_LIMIT || self.rest.peek() == Some(&'*') {
            return None;
        }
        let looks_around = self.rest.next_if_eq(&'?').is_some() && self.kind_of_group()?;
        let inside = self.alternation()?;
        self.rest.next_if_eq(&')')?;
        self.depth -= 1;
        Some(if looks_around { Hir::empty() } else { inside })
    }

    /// Reads what follows `(?`, up to the contents of the group. Returns whether it looks around.
    fn kind_of_group(&mut self) -> Option<bool> {
        match self.rest.next()? {
            ':' | '>' | '|' => Some(false),
            '=' | '!' => Some(true),
            '<' if self.rest.next_if(|c| matches!(c, '=' | '!')).is_some() => Some(true),
            '<' => self.name('>').map(|()| false),
            '\'' => self.name('\'').map(|()| false),
            'P' => {
                self.rest.next_if_eq(&'<')?;
                self.name('>').map(|()| false)
            }
            'i' => {
                // It holds from here on or within the group. To fold more matches more.
                self.folds = true;
                self.rest.next_if_eq(&':').map(|_| false)
            }
            _ => None,
        }
    }

    fn name(&mut self, end: char) -> Option<()> {
        while self.rest.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {}
        self.rest.next_if_eq(&end).map(|_| ())
    }

    /// A class, whose bracket has been read, up to its end.
    fn class(&mut self) -> Option<Hir> {
        self.rest.next_if_eq(&'^');
        // A bracket that comes first is a member.
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next()? {
                ']' => return Some(anything()),
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

    /// An escape, whose backslash has been read.
    fn escape(&mut self) -> Option<Hir> {
        let c = self.rest.next()?;
        match c {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'h' | 'H' | 'v' | 'V' | 'R' | 'N' | 'X' => {
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
            '1'..='9' => self.rest.peek().is_none_or(|c| !c.is_ascii_digit()).then(anything),
            _ if c.is_ascii_punctuation() || c == ' ' => Some(self.literal(c)),
            _ => None,
        }
    }
}
