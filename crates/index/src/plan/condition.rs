//! Conditions on a text's grams.

use std::{collections::BTreeSet, fmt};

use super::pattern_byte::PatternByte;
use crate::gram::{CODES, Gram, LINE_END};

/// A condition on a text's grams.
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
    /// The condition that a text contains one of `strings`. A string with less than three bytes
    /// counts as contained in any text, unless it begins a character beyond ASCII.
    pub(crate) fn one_of<'s>(strings: impl IntoIterator<Item = &'s [PatternByte]>) -> Condition {
        Condition::any(strings.into_iter().map(Condition::contains))
    }

    /// The condition that a text contains `string`: it contains the string's longest grams.
    fn contains(string: &[PatternByte]) -> Condition {
        let codes: Vec<_> = string.iter().map(|byte| CODES[usize::from(byte.byte)]).collect();
        let pairs = codes.windows(2).filter_map(|pair| Gram::pair(pair[0], pair[1]));
        let leads = codes.iter().filter_map(|&code| Gram::lead(code));
        let conditions = [
            Condition::all(string.windows(3).map(Condition::contains_trigram)),
            Condition::all(pairs.map(Condition::Gram)),
            Condition::all(leads.map(Condition::Gram)),
        ];
        let is_useful = |condition: &Condition| *condition != Condition::Always;
        conditions.into_iter().find(is_useful).unwrap_or(Condition::Always)
    }

    /// The condition that a text contains these three bytes; none, if one is a line end.
    fn contains_trigram(bytes: &[PatternByte]) -> Condition {
        let bytes = [bytes[0], bytes[1], bytes[2]];
        if bytes.iter().any(|byte| byte.byte == LINE_END) {
            return Condition::Always;
        }
        // With letters of either case the gram is folded if one such letter is small. It is in
        // capitals if all are large, unless another letter is small.
        let folded = Gram::from_bytes(bytes.map(|byte| byte.byte));
        let capital = Gram::from_bytes(bytes.map(PatternByte::upper));
        match folded == capital {
            true => Condition::Gram(folded),
            false => Condition::Any(vec![Condition::Gram(folded), Condition::Gram(capital)]),
        }
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
