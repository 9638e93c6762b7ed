//! An expression in lower case: it matches a text with its ASCII letters in lower case wherever the
//! expression matches the text.
//!
//! A word in either case has two spellings per letter, so that after six letters there are too many
//! to look for; in lower case there is one. Only `k` and `s` have a third spelling, outside ASCII
//! and rare, which is searched for apart. For `(?i)Disk` the expression is `disk`.

use memchr::memmem;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
};

use crate::{compile::line_safe, lines::LineHit};

/// The other spellings of `k` and `s`: the Kelvin sign and the long s.
const NON_ASCII_FOLDS: [(char, char, &str); 2] = [('k', '\u{212A}', "\u{212A}"), ('s', 'ſ', "ſ")];

/// An expression in lower case.
#[derive(Debug)]
pub(crate) struct CaseFolded {
    pub(crate) hir: Hir,
    /// Whether the case of ASCII letters makes no difference to the expression.
    pub(crate) is_same: bool,
    /// Spellings outside ASCII: text with one may match although the lower-case form does not.
    pub(crate) non_ascii_folds: Vec<&'static [u8]>,
}

impl CaseFolded {
    /// `hir` in lower case; `None` if it has no letter that may be in either case.
    pub(crate) fn of(hir: &Hir) -> Option<CaseFolded> {
        let (mut is_same, mut folds) = (true, false);
        let mut non_ascii_folds = Vec::new();
        let hir = line_safe::rewrite(hir.clone(), &mut |leaf| match leaf {
            HirKind::Literal(literal) => {
                is_same &= !literal.0.iter().any(u8::is_ascii_alphabetic);
                Hir::literal(literal.0.to_ascii_lowercase())
            }
            HirKind::Class(class) => {
                let lowered = Lowered::of(&class);
                is_same &= lowered.is_same;
                folds |= lowered.is_letter;
                non_ascii_folds.extend(lowered.non_ascii_fold);
                Hir::class(lowered.class)
            }
            other => line_safe::kept(other),
        });
        non_ascii_folds.sort_unstable();
        non_ascii_folds.dedup();
        folds.then_some(CaseFolded { hir, is_same, non_ascii_folds })
    }
}

/// A class in lower case.
struct Lowered {
    class: Class,
    /// Whether it has both cases of each letter or none.
    is_same: bool,
    /// Whether it is one letter.
    is_letter: bool,
    non_ascii_fold: Option<&'static [u8]>,
}

impl Lowered {
    fn of(class: &Class) -> Lowered {
        match class {
            Class::Unicode(class) => Lowered::of_unicode(class),
            Class::Bytes(class) => Lowered::of_bytes(class),
        }
    }

    fn of_unicode(class: &ClassUnicode) -> Lowered {
        let range = |start: char, end: char| ClassUnicodeRange::new(start, end);
        let one = |letter: char| range(letter, letter);
        // Most classes are a letter in both cases, and there may be thousands of them.
        if let [upper, lower] = class.ranges()
            && let letter @ 'a'..='z' = lower.start()
            && [*upper, *lower] == [one(letter.to_ascii_uppercase()), one(letter)]
        {
            let class = Class::Unicode(ClassUnicode::new([one(letter)]));
            return Lowered { class, is_same: true, is_letter: true, non_ascii_fold: None };
        }
        let has = |letter: u8| class.iter().any(|r| (r.start()..=r.end()).contains(&letter.into()));
        let (capitals, is_same) = capitals(has);
        let mut lowered = class.clone();
        lowered.difference(&ClassUnicode::new([range('A', 'Z')]));
        lowered.union(&ClassUnicode::new(capitals.map(|c| one(c.to_ascii_lowercase().into()))));
        let non_ascii_fold = NON_ASCII_FOLDS
            .iter()
            .find(|&&(letter, other, _)| lowered.ranges() == [one(letter), one(other)]);
        if let Some(&(letter, ..)) = non_ascii_fold {
            lowered = ClassUnicode::new([one(letter)]);
        }
        let is_letter = is_same
            && matches!(lowered.ranges(), [r] if r.start() == r.end() && r.start().is_ascii_alphabetic());
        let non_ascii_fold = non_ascii_fold.map(|(.., bytes)| bytes.as_bytes());
        Lowered { class: Class::Unicode(lowered), is_same, is_letter, non_ascii_fold }
    }

    fn of_bytes(class: &ClassBytes) -> Lowered {
        let range = |start: u8, end: u8| ClassBytesRange::new(start, end);
        let has = |letter: u8| class.iter().any(|r| (r.start()..=r.end()).contains(&letter));
        let (capitals, is_same) = capitals(has);
        let mut lowered = class.clone();
        lowered.difference(&ClassBytes::new([range(b'A', b'Z')]));
        let lower = capitals.map(|c| range(c.to_ascii_lowercase(), c.to_ascii_lowercase()));
        lowered.union(&ClassBytes::new(lower));
        let is_letter = is_same
            && matches!(lowered.ranges(), [r] if r.start() == r.end() && r.start().is_ascii_alphabetic());
        Lowered { class: Class::Bytes(lowered), is_same, is_letter, non_ascii_fold: None }
    }
}

/// The capital letters that a class `has`, and whether it has each ASCII letter in both cases or in
/// none.
fn capitals(has: impl Fn(u8) -> bool) -> (impl Iterator<Item = u8>, bool) {
    let is_same = (b'A'..=b'Z').all(|c| has(c) == has(c.to_ascii_lowercase()));
    ((b'A'..=b'Z').filter(move |&c| has(c)), is_same)
}

/// Characters outside ASCII that may stand for a letter of a needle: `ſ` for `s`, the Kelvin sign
/// for `k`.
#[derive(Clone, Debug, Default)]
pub(crate) struct NonAsciiFolds(Vec<memmem::Finder<'static>>);

impl NonAsciiFolds {
    pub(crate) fn new(folds: &[&[u8]]) -> NonAsciiFolds {
        NonAsciiFolds(folds.iter().map(|fold| memmem::Finder::new(fold).into_owned()).collect())
    }

    /// Adds a candidate for each of the characters in `text`, which begins at `at`. The hits from
    /// the `first` on are all others in `text`; they stay in order.
    pub(crate) fn find(&self, text: &[u8], at: usize, first: usize, hits: &mut Vec<LineHit>) {
        if self.0.is_empty() || text.is_ascii() {
            return;
        }
        for fold in &self.0 {
            hits.extend(fold.find_iter(text).map(|start| LineHit::Candidate(at + start)));
        }
        hits[first..].sort_unstable_by_key(|hit| hit.offset());
    }
}
