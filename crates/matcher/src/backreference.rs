//! Backreferences in the outlines of PCRE2's patterns.
//!
//! The outline of `(\w{4,})_\1` has the group once more in place of the reference, and so matches
//! every word with two long parts, while a reference matches only what stands before it, too.
//! Below, only the second word has four bytes behind a `_` with which a text that ends before the
//! `_` also begins:
//!
//! ```text
//! spin_lock_irqsave   hash_hash   lock_lock_irqsave
//! no                  hash        lock
//! ```

use regex_syntax::hir::{Hir, HirKind, Repetition};

use crate::alphabet::Alphabet;

/// Bytes before a reference in which the text of its group is looked for.
const MAX_GROUP_DISTANCE: usize = 256;
/// How many bytes a reference has at least. Shorter texts too often stand twice in a line.
const MIN_REFERENCE_BYTES: usize = 2;

/// A reference that stands at a fixed distance behind its group.
#[derive(Clone, Debug)]
pub(crate) struct Backreference {
    /// How many of its bytes have been matched.
    pub(crate) len: usize,
    /// The number of bytes between the group and the reference.
    pub(crate) gap: usize,
    /// The bytes that the group may contain.
    alphabet: Alphabet,
}

impl Backreference {
    /// Cuts `outline`, an expression for ASCII text, behind the first bytes of a reference, and
    /// returns it with that reference; `None` if it has no such reference. A reference is a capture
    /// group with the index of an earlier one.
    pub(crate) fn of(outline: &Hir, terminator: u8) -> Option<(Hir, Backreference)> {
        let HirKind::Concat(parts) = outline.kind() else { return None };
        parts.iter().enumerate().find_map(|(place, part)| {
            let index = index_of(part)?;
            let group = parts[..place].iter().position(|other| index_of(other) == Some(index))?;
            let gap = parts[group + 1..place].iter().map(len).sum::<Option<usize>>()?;
            let begun = beginning(part);
            let reference =
                Backreference { len: len(&begun)?, gap, alphabet: Alphabet::of(part, terminator) };
            let whole = Hir::concat(parts[..place].iter().cloned().chain([begun]).collect());
            (reference.len >= MIN_REFERENCE_BYTES).then_some((whole, reference))
        })
    }

    /// Whether a reference with first bytes that end at `at` in `text` may repeat its group, which
    /// is in the same line. `false` is certain in ASCII text.
    pub(crate) fn may_repeat(&self, text: &[u8], at: usize) -> bool {
        let repeated = &text[at - self.len..];
        let Some(end) = (at - self.len).checked_sub(self.gap) else { return false };
        let Some(last) = end.checked_sub(self.len) else { return false };
        let first = last.saturating_sub(MAX_GROUP_DISTANCE);
        for start in (first..=last).rev() {
            if !self.alphabet.has(text[start]) {
                return false;
            }
            if text[start] == repeated[0] && repeated.starts_with(&text[start..end]) {
                return true;
            }
        }
        // The group may begin even earlier.
        first > 0
    }
}

/// The index of the group that `hir` is.
fn index_of(hir: &Hir) -> Option<u32> {
    match hir.kind() {
        HirKind::Capture(capture) => Some(capture.index),
        _ => None,
    }
}

/// How long the matches of `hir` are, if all are equally long.
fn len(hir: &Hir) -> Option<usize> {
    let properties = hir.properties();
    properties.minimum_len().filter(|len| properties.maximum_len() == Some(*len))
}

/// What the matches of `hir` begin with, as far as that always has the same length.
fn beginning(hir: &Hir) -> Hir {
    match hir.kind() {
        _ if len(hir).is_some() => hir.clone(),
        HirKind::Capture(capture) => beginning(&capture.sub),
        HirKind::Repetition(repetition) if len(&repetition.sub).is_some() => {
            Hir::repetition(Repetition { max: Some(repetition.min), ..repetition.clone() })
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => beginning(&repetition.sub),
        HirKind::Concat(parts) => {
            let fixed = parts.iter().take_while(|part| len(part).is_some()).count();
            let rest = parts[fixed..].first().map(beginning);
            Hir::concat(parts[..fixed].iter().cloned().chain(rest).collect())
        }
        _ => Hir::empty(),
    }
}

#[cfg(all(test, feature = "pcre2"))]
mod tests {
    use super::Backreference;
    use crate::MatcherConfig;
    use crate::compile::pcre2_outline;

    #[test]
    fn what_a_reference_repeats_ends_before_the_gap() {
        let outline = pcre2_outline::of_ascii(&[r"(\w{2,})-\1"], &MatcherConfig::default());
        let (_, reference) = Backreference::of(&outline.unwrap(), b'\n').unwrap();
        for (text, at, expected) in [
            ("ab-ab", 5, true),
            ("xab-ab", 6, true),
            ("abc-ab", 6, false),
            ("abc-abcd", 6, true),
            ("ab ac-abb", 8, false),
            ("ab\nxx-ab", 8, false),
            ("b-ab", 4, false),
            ("aa-ab", 5, false),
        ] {
            assert_eq!(reference.may_repeat(text.as_bytes(), at), expected, "{text}");
        }
        let far = ["ab", &"x".repeat(300), "-xx"].concat();
        assert!(reference.may_repeat(far.as_bytes(), far.len()));
        let far = ["ab", &"x".repeat(300), "-ab"].concat();
        assert!(reference.may_repeat(far.as_bytes(), far.len()), "what is far is not looked at");
    }
}
