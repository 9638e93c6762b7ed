//! Letters with and without accents alike (`--fold-accents`), composed (NFC) or not (NFD).
//!
//! ```text
//! cafe   café   cafe + U+0301     [cçćĉ…]\p{Mn}*[aàáâ…]\p{Mn}*[f…]\p{Mn}*[eèéê…]\p{Mn}*
//! ```
//!
//! A character that decomposes into a letter and marks that take no space stands for that letter
//! (Unicode Standard Annex 15). Characters without such a decomposition, such as `ø` and `ß`, stand
//! for themselves.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// The characters in a class up to which each is folded. Larger classes are names for many letters.
const MAX_FOLDED_CHARS: u32 = 512;

/// The characters that may decompose into a letter and marks.
const COMPOSED: std::ops::RangeInclusive<char> = '\u{c0}'..='\u{1d1c0}';

/// Returns an expression that matches what `hir` matches, whatever accents letters have.
pub(crate) fn fold(hir: &Hir) -> Hir {
    static FOLDING: OnceLock<Folding> = OnceLock::new();
    FOLDING.get_or_init(Folding::new).fold(hir)
}

struct Folding {
    /// Letters, and the characters that stand for each, sorted.
    composed: Vec<(char, char)>,
    /// Any number of marks.
    marks: Hir,
}

impl Folding {
    fn new() -> Folding {
        let base = |c: char| base(c).filter(|base| *base != c).map(|base| (base, c));
        let mut composed: Vec<_> = COMPOSED.filter_map(base).collect();
        composed.sort_unstable();
        let marks = COMPOSED.filter(|&c| is_nonspacing(c)).map(|c| ClassUnicodeRange::new(c, c));
        let marks = Hir::class(Class::Unicode(ClassUnicode::new(marks)));
        let (min, max, sub) = (0, None, Box::new(marks));
        let marks = Hir::repetition(Repetition { min, max, greedy: true, sub });
        Folding { composed, marks }
    }

    fn fold(&self, hir: &Hir) -> Hir {
        let all = |subs: &[Hir]| subs.iter().map(|sub| self.fold(sub)).collect();
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => hir.clone(),
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => self.text(text),
                Err(_) => hir.clone(),
            },
            HirKind::Class(Class::Unicode(class)) => self.class(class),
            HirKind::Class(Class::Bytes(class)) => match class.to_unicode_class() {
                Some(class) => self.class(&class),
                None => hir.clone(),
            },
            HirKind::Repetition(repetition) => {
                Hir::repetition(repetition.with(self.fold(&repetition.sub)))
            }
            HirKind::Capture(capture) => {
                let mut capture = capture.clone();
                capture.sub = Box::new(self.fold(&capture.sub));
                Hir::capture(capture)
            }
            HirKind::Concat(subs) => Hir::concat(all(subs)),
            HirKind::Alternation(subs) => Hir::alternation(all(subs)),
        }
    }

    /// Text, in which marks do not count.
    fn text(&self, text: &str) -> Hir {
        let letters = text.chars().filter(|&c| !is_nonspacing(c));
        Hir::concat(letters.map(|c| self.class(&ClassUnicode::new([range(c)]))).collect())
    }

    /// The letters of a class with any accents.
    fn class(&self, class: &ClassUnicode) -> Hir {
        let len = class.iter().fold(0, |len: u32, range| len.saturating_add(range.len() as u32));
        let mut folded = class.clone();
        if len <= MAX_FOLDED_CHARS {
            let chars = class.iter().flat_map(|range| range.start()..=range.end());
            for base in chars.filter_map(base) {
                folded.push(range(base));
                let from = self.composed.partition_point(|pair| *pair < (base, '\0'));
                let composed = self.composed[from..].iter().take_while(|pair| pair.0 == base);
                composed.for_each(|pair| folded.push(range(pair.1)));
            }
        }
        Hir::concat(vec![Hir::class(Class::Unicode(folded)), self.marks.clone()])
    }
}

fn range(c: char) -> ClassUnicodeRange {
    ClassUnicodeRange::new(c, c)
}

/// The letter that `c` is without its marks; `None` if it decomposes into something else.
fn base(c: char) -> Option<char> {
    let (mut base, mut is_letter) = (None, true);
    decompose_canonical(c, |part| {
        if !is_nonspacing(part) {
            is_letter &= base.replace(part).is_none();
        }
    });
    base.filter(|_| is_letter)
}

/// Whether `c` is a mark that takes no space of its own, such as an accent.
fn is_nonspacing(c: char) -> bool {
    is_combining_mark(c) && unicode_normalization::char::canonical_combining_class(c) != 0
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::is_nonspacing;
    use crate::{Boundary, Case, Matcher, MatcherConfig};

    fn bare(text: &str) -> String {
        text.nfd().filter(|&c| !is_nonspacing(c)).collect()
    }

    #[test]
    fn accents_make_no_difference() {
        let mut rng = fastrand::Rng::with_seed(49);
        let pieces = ["a", "é", "e\u{301}", "e", "É", "ç", "c", "ế", "ø", "ß", "f", " ", "Å", "ё"];
        let patterns =
            ["cafe", "é", "e\u{301}c", "ç?a", "[aé]f", r"c\w", "(e|ø)c", "é+", "ё", "^a", "f$"];
        let text = |rng: &mut fastrand::Rng| -> String {
            (0..rng.usize(..8)).map(|_| *rng.choice(&pieces).expect("a piece")).collect()
        };
        for _ in 0..150 {
            let pattern = match rng.bool() {
                true => (*rng.choice(&patterns).expect("a pattern")).to_owned(),
                false => text(&mut rng),
            };
            let case = *rng.choice(&[Case::Sensitive, Case::Insensitive]).expect("a case");
            let boundary = *rng.choice(&[Boundary::None, Boundary::Line]).expect("a boundary");
            let plain = MatcherConfig { case, boundary, ..MatcherConfig::default() };
            let folding = MatcherConfig { fold_accents: true, ..plain.clone() };
            let mut finder = Matcher::new([&pattern], &folding).expect("valid").finder();
            let mut bare_finder = Matcher::new([bare(&pattern)], &plain).expect("valid").finder();
            for _ in 0..60 {
                let line = text(&mut rng);
                let expected = bare_finder.is_match(bare(&line).as_bytes());
                assert_eq!(finder.is_match(line.as_bytes()), expected, "{pattern:?} in {line:?}");
            }
        }
    }

    #[test]
    fn a_match_holds_the_accents_of_its_letters() {
        let config = MatcherConfig { fold_accents: true, ..MatcherConfig::default() };
        let mut finder = Matcher::new(["cafe"], &config).expect("valid").finder();
        assert_eq!(finder.find_at("un cafe\u{301}.".as_bytes(), 0), Some(3..9));
        assert_eq!(finder.find_at("un café.".as_bytes(), 0), Some(3..8));
    }
}
