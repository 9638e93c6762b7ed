//! Conditions on the grams of a text.

use std::{collections::BTreeSet, fmt};

use crate::gram::Gram;

/// A condition on the grams of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Every text meets it.
    Always,
    /// No text does.
    Never,
    /// The text contains this gram.
    Gram(Gram),
    /// The text meets all of these.
    All(Vec<Condition>),
    /// The text meets one of these.
    Any(Vec<Condition>),
}

impl Condition {
    /// The condition that a text contains one of `strings`, which are folded. A string of less than
    /// three bytes is contained in any text, unless it begins a character beyond ASCII.
    pub(crate) fn one_of<'s>(strings: impl IntoIterator<Item = &'s [u8]>) -> Condition {
        Condition::any(strings.into_iter().map(Condition::contains))
    }

    /// The condition that a text contains `string`: that of its longest grams.
    fn contains(string: &[u8]) -> Condition {
        let all = |grams: &mut dyn Iterator<Item = Gram>| {
            Condition::all(grams.map(Condition::Gram))
        };
        let trigrams = all(&mut Gram::trigrams_in(string));
        let starts = || match all(&mut Gram::pairs_in(string)) {
            Condition::Always => all(&mut Gram::leads_in(string)),
            pairs => pairs,
        };
        if trigrams == Condition::Always { starts() } else { trigrams }
    }

    /// The condition that all of `parts` are met.
    pub(crate) fn all(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Condition::Always => {}
                Condition::Never => return Condition::Never,
                Condition::All(parts) => all.extend(parts),
                part => all.push(part),
            }
        }
        let mut distinct = Vec::with_capacity(all.len());
        // Few parts are compound; only grams are often repeated.
        let mut grams = BTreeSet::new();
        for part in all {
            match part {
                Condition::Gram(gram) if !grams.insert(gram) => {}
                part => distinct.push(part),
            }
        }
        match distinct.len() {
            0 => Condition::Always,
            1 => distinct.swap_remove(0),
            _ => Condition::All(distinct),
        }
    }

    /// The condition that one of `parts` is met.
    pub(crate) fn any(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut any = Vec::new();
        for part in parts {
            match part {
                Condition::Always => return Condition::Always,
                Condition::Never => {}
                Condition::Any(parts) => any.extend(parts),
                part => any.push(part),
            }
        }
        match any.len() {
            0 => Condition::Never,
            1 => any.swap_remove(0),
            _ => Condition::Any(any),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, between) = match self {
            Condition::Always => return f.write_str("anything"),
            Condition::Never => return f.write_str("nothing"),
            Condition::Gram(gram) => return write!(f, "{gram:?}"),
            Condition::All(parts) => (parts, " "),
            Condition::Any(parts) => (parts, " or "),
        };
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(between)?;
            }
            match part {
                Condition::All(_) | Condition::Any(_) => write!(f, "({part})")?,
                _ => write!(f, "{part}")?,
            }
        }
        Ok(())
    }
}
