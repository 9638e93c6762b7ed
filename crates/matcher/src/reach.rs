//! How far a match that spans lines may extend, which lets a large haystack be searched in parts.
//!
//! The terminators in a match come from places in the expression: a literal or a class that has
//! one, or an unbounded repetition of such, which may match any number. Two successive terminators
//! come from one repetition or from two places. In the first case, all bytes in the line between
//! them are *soft*: the repetition may match them. The second case happens less often than there
//! are places. So a match spans fewer *hard* lines, those with a byte that is not soft, than the
//! expression has places, and it ends in the hard line that makes up their number at the latest:
//! `static\s+int` in the next line that is not blank, `\{[^}]*\}` in the next with a `}`.
//!
//! If every match begins with one of a few literals, only parts that contain a literal need the
//! lines that follow.

use memchr::{memchr, memrchr};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::compile::line_safe::class_has;
use crate::literals::prefilter::{Prefilter, prefilter};
use crate::literals::required::Literals;

/// Places from which on a repetition counts as unbounded.
const UNBOUNDED_PLACES: usize = 64;

/// Where matches that span lines may begin, and how far they may extend beyond the line that they
/// begin in.
///
/// ```
/// # use heist_matcher::{MatcherConfig, Matcher};
/// let multiline = MatcherConfig { multiline: true, ..MatcherConfig::default() };
/// let matcher = Matcher::new([r"static\s+int"], &multiline)?;
/// let reach = matcher.reach().expect("something is known");
/// assert!(reach.may_begin_in(b"static\n") && !reach.may_begin_in(b"int x;\n"));
/// // A match that begins before this text ends in its second line.
/// assert_eq!(reach.end(b"\nint x;\nint y;\n"), Some(8));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reach {
    /// Finds the literals with which every match begins, up to their first terminator.
    beginnings: Option<Prefilter>,
    end: Option<End>,
}

/// Where matches end.
#[derive(Clone)]
struct End {
    terminator: u8,
    /// Hard lines in which a match ends at the latest.
    lines: usize,
    /// The bytes that are soft.
    soft: Box<[bool; 256]>,
}

impl Reach {
    /// How far matches of `hir` reach, which has the literals `required`; `None` if nothing is
    /// known.
    pub(crate) fn of(hir: &Hir, required: &Literals, terminator: u8) -> Option<Reach> {
        let beginnings = beginnings(required.prefix(), terminator);
        let reach = Reach { beginnings, end: End::of(hir, terminator) };
        (reach.beginnings.is_some() || reach.end.is_some()).then_some(reach)
    }

    /// Whether a match may begin in `lines`.
    #[must_use]
    pub fn may_begin_in(&self, lines: &[u8]) -> bool {
        let find = |prefilter: &Prefilter| prefilter.find(lines, 0..lines.len());
        self.beginnings.as_ref().is_none_or(|prefilter| find(prefilter).is_some())
    }

    /// Whether every match begins with one of a few literals.
    pub(crate) fn has_beginnings(&self) -> bool {
        self.beginnings.is_some()
    }

    /// Whether matches come to an [end](Reach::end) that depends on nothing but the lines before
    /// it.
    #[must_use]
    pub fn has_end(&self) -> bool {
        self.end.is_some()
    }

    /// The offset in `bytes`, which begin a line, up to which every match ends that begins before
    /// them. `None` if that takes more bytes to know.
    #[must_use]
    pub fn end(&self, bytes: &[u8]) -> Option<usize> {
        self.end.as_ref()?.in_bytes(bytes)
    }

    /// The offset in `bytes`, which end with a terminator or are none, from which on every match
    /// begins that begins in them and has that terminator: that extends beyond them, or depends on
    /// what follows. 0 if matches have no
    /// [end](Reach::has_end).
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let multiline = MatcherConfig { multiline: true, ..MatcherConfig::default() };
    /// let matcher = Matcher::new([r"static\s+int"], &multiline)?;
    /// let reach = matcher.reach().expect("something is known");
    /// // It may begin in the last line that is not blank.
    /// assert_eq!(reach.begin(b"static long x;\nstatic\n\n"), 15);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn begin(&self, bytes: &[u8]) -> usize {
        self.end.as_ref().map_or(0, |end| end.begin_in_bytes(bytes))
    }
}

/// A search for the beginnings of matches, which are `prefixes`, up to a terminator, if that is
/// fast.
fn beginnings(prefixes: &[Vec<u8>], terminator: u8) -> Option<Prefilter> {
    let mut prefixes = prefixes.to_vec();
    for prefix in &mut prefixes {
        let end = memchr(terminator, prefix).map_or(prefix.len(), |i| i + 1);
        prefix.truncate(end);
        if prefix.is_empty() || *prefix == [terminator] {
            return None;
        }
    }
    prefilter(&prefixes)
}

impl End {
    /// `None` if there is none, or if matches depend on the ends of the haystack.
    fn of(hir: &Hir, terminator: u8) -> Option<End> {
        if hir.properties().look_set().contains_anchor_haystack() {
            return None;
        }
        let mut end = End { terminator, lines: 0, soft: Box::new([false; 256]) };
        end.lines = end.places(hir);
        let is_hard = |byte: u8| byte != terminator && !end.soft[usize::from(byte)];
        (end.lines == 0 || (0..=255).any(is_hard)).then_some(end)
    }

    /// See [`Reach::end`].
    fn in_bytes(&self, bytes: &[u8]) -> Option<usize> {
        let (mut end, mut hard) = (0, 0);
        while hard < self.lines {
            let len = memchr(self.terminator, &bytes[end..])?;
            let line = &bytes[end..end + len];
            hard += usize::from(line.iter().any(|&byte| !self.soft[usize::from(byte)]));
            end += len + 1;
        }
        Some(end)
    }

    /// See [`Reach::begin`]. The argument is as for `end`, read backwards.
    fn begin_in_bytes(&self, bytes: &[u8]) -> usize {
        let (mut begin, mut hard) = (bytes.len(), 0);
        while hard < self.lines && begin > 0 {
            let stop = begin - 1;
            begin = memrchr(self.terminator, &bytes[..stop]).map_or(0, |i| i + 1);
            hard +=
                usize::from(bytes[begin..stop].iter().any(|&byte| !self.soft[usize::from(byte)]));
        }
        begin
    }

    /// How many places of `hir` may give terminators to a match.
    fn places(&mut self, hir: &Hir) -> usize {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => 0,
            HirKind::Literal(literal) => {
                literal.0.iter().filter(|&&byte| byte == self.terminator).count()
            }
            HirKind::Class(class) => usize::from(class_has(class, self.terminator)),
            HirKind::Repetition(repetition) => {
                let places = self.places(&repetition.sub);
                let most = repetition.max.and_then(|max| places.checked_mul(max as usize));
                match most {
                    _ if places == 0 => 0,
                    Some(most) if most <= UNBOUNDED_PLACES => most,
                    _ => {
                        self.soften(&repetition.sub);
                        1
                    }
                }
            }
            HirKind::Capture(capture) => self.places(&capture.sub),
            HirKind::Concat(subs) => subs.iter().map(|sub| self.places(sub)).sum(),
            HirKind::Alternation(subs) => {
                subs.iter().map(|sub| self.places(sub)).max().unwrap_or(0)
            }
        }
    }

    /// Every byte that a match of `hir` may hold is soft.
    fn soften(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                literal.0.iter().for_each(|&byte| self.soft[usize::from(byte)] = true);
            }
            HirKind::Class(class) => {
                (0..0x80).filter(|&byte| class_has(class, byte)).for_each(|byte| {
                    self.soft[usize::from(byte)] = true;
                });
                let is_ascii = match class {
                    Class::Unicode(class) => class.is_ascii(),
                    Class::Bytes(class) => class.is_ascii(),
                };
                if !is_ascii {
                    self.soft[0x80..].fill(true);
                }
            }
            HirKind::Repetition(repetition) => self.soften(&repetition.sub),
            HirKind::Capture(capture) => self.soften(&capture.sub),
            HirKind::Concat(subs) | HirKind::Alternation(subs) => {
                subs.iter().for_each(|sub| self.soften(sub));
            }
        }
    }
}

impl std::fmt::Debug for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let soft: Vec<u8> = (0..=255).filter(|&byte| self.soft[usize::from(byte)]).collect();
        let soft = soft.escape_ascii().to_string();
        f.debug_struct("End").field("lines", &self.lines).field("soft", &soft).finish()
    }
}

#[cfg(test)]
mod tests {
    use regex_automata::{Input, Match, meta::Regex};
    use regex_syntax::ParserBuilder;

    use super::{Literals, Reach};

    fn reach(pattern: &str) -> Option<Reach> {
        let hir = ParserBuilder::new().multi_line(true).utf8(false).build().parse(pattern).unwrap();
        Reach::of(&hir, &Literals::of(&hir), b'\n')
    }

    /// Holds for all short texts with a cut at a line.
    #[test]
    fn no_match_reaches_further() {
        const LETTERS: &[u8] = b"ab \n";
        let patterns = [
            "a\\nb",
            "a\\s+b",
            "a[^b]*b",
            "(?:a\\n)+",
            "(?:a\\n)*b",
            "\\s*\\n\\n",
            "a\\s+b\\s+a",
            "[a\\n]+b",
            "(?:a|b\\n){2,3}",
            "a(?:\\n a)*",
            "(?:\\s|b)+a|\\n",
            "a\\n??b*\\n",
        ];
        for pattern in patterns {
            let (reach, regex) = (reach(pattern).unwrap(), Regex::new(pattern).unwrap());
            for number in 0..4_usize.pow(8) {
                let text: Vec<u8> =
                    (0..8).map(|place| LETTERS[number >> (2 * place) & 3]).collect();
                for cut in (1..8).filter(|&cut| text[cut - 1] == b'\n') {
                    let begin = reach.begin(&text[..cut]);
                    for at in 0..begin {
                        let found = regex.find(Input::new(&text).range(at..));
                        let extends = |found: Match| found.start() < begin && found.end() >= cut;
                        assert!(!found.is_some_and(extends), "{pattern} {}", text.escape_ascii());
                    }
                    let Some(end) = reach.end(&text[cut..]) else { continue };
                    let (whole, part) = (&text[..], &text[..cut + end]);
                    let first = |text: &[u8]| {
                        regex
                            .find(text)
                            .map(|found| found.range())
                            .filter(|found| found.start < cut)
                    };
                    assert_eq!(first(whole), first(part), "{pattern} {}", text.escape_ascii());
                }
            }
        }
    }
}
