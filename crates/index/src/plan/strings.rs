//! Strings of an expression, such that every match contains one.
//!
//! The method is Russ Cox's, "Regular Expression Matching with a Trigram Index" (2012). Each
//! sub-expression is described by the strings that it matches while they are few, and after that by
//! the bytes that its matches begin and end with and by a condition on the grams between. `ab(c|d)`
//! is exactly `abc` or `abd`; `ab.*cd` begins with `ab` and ends with `cd`.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::{
    hir::{Class, Hir, HirKind, Repetition},
    utf8::Utf8Sequences,
};

use super::{
    condition::Condition,
    pattern_byte::{PatternByte, Strings, exactly},
};

/// How many strings a set may have.
const MAX_STRINGS: usize = 64;
/// How many strings a set of ends has, which are short, or such sets put together.
const MAX_ENDS: usize = 128;
/// How many bytes all strings in a set have together.
const MAX_BYTES: usize = 4096;
/// How many members a class may have to be spelled out. Members that differ only by case count
/// once.
const MAX_CLASS: usize = 16;
/// How many members of a class are looked at.
const MAX_MEMBERS: usize = 64;
/// How many copies of a repeated expression are put one after another.
const MAX_COPIES: u32 = 4;
/// How many alternatives a condition may have.
const MAX_ALTERNATIVES: usize = 2000;
/// How many bytes of an end are kept: more do not help to find the grams across a seam.
const MAX_END_BYTES: usize = 2;
/// How many second bytes after the same first byte are distinguished: more are most of the 64.
const MAX_OF_LEAD: usize = 32;
/// How many pairs of first bytes are distinguished in all.
const MAX_PAIRS: usize = 256;

/// The Kelvin sign and the long s, which in Unicode fold to an ASCII letter.
pub(crate) const RARE_FOLDS: [(char, char); 2] = [('\u{212a}', 'k'), ('\u{17f}', 's')];

/// The condition for `hir`, and whether it leaves out rare folds.
pub(super) fn condition(hir: &Hir) -> (Condition, bool) {
    let mut reader = HirReader { leaves_out_rare_folds: false };
    let condition = reader.read(hir).condition();
    (condition, reader.leaves_out_rare_folds)
}

/// Strings that the matches of an expression contain.
#[derive(Clone, Debug)]
enum MatchStrings {
    /// The matches are these strings.
    Exactly(Strings),
    /// Matches begin with one of `prefixes`, end with one of `suffixes` and meet `condition`.
    Partly { prefixes: Strings, suffixes: Strings, condition: Condition },
}

/// Reads an expression.
struct HirReader {
    leaves_out_rare_folds: bool,
}

impl HirReader {
    fn read(&mut self, hir: &Hir) -> MatchStrings {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => MatchStrings::empty(),
            HirKind::Literal(literal) => {
                MatchStrings::Exactly(Strings::from([exactly(&literal.0)]))
            }
            HirKind::Class(class) => match self.members(class) {
                Some(members) => MatchStrings::Exactly(members),
                None => starts(class)
                    .map_or(MatchStrings::nothing(), |starts| MatchStrings::begun(&starts)),
            },
            HirKind::Repetition(repetition) => self.repeated(repetition),
            HirKind::Capture(capture) => self.read(&capture.sub),
            HirKind::Concat(parts) => {
                parts.iter().fold(MatchStrings::empty(), |known, part| known.then(self.read(part)))
            }
            HirKind::Alternation(parts) if parts.len() > MAX_ALTERNATIVES => {
                MatchStrings::nothing()
            }
            HirKind::Alternation(parts) => {
                MatchStrings::any(parts.iter().map(|part| self.read(part)).collect())
            }
        }
    }

    /// A small class's members, encoded.
    fn members(&mut self, class: &Class) -> Option<Strings> {
        let mut strings = Strings::new();
        let mut add = |member: &[u8]| {
            strings.insert(exactly(member));
            strings.len() <= MAX_MEMBERS
        };
        let is_small = match class {
            Class::Unicode(class) => class
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .all(|member| add(member.encode_utf8(&mut [0; 4]).as_bytes())),
            Class::Bytes(class) => class
                .iter()
                .flat_map(|range| range.start()..=range.end())
                .all(|member| add(&[member])),
        };
        if !is_small {
            return None;
        }
        for letter in b'a'..=b'z' {
            let [small, capital] =
                [letter, letter.to_ascii_uppercase()].map(|byte| exactly(&[byte]));
            if strings.contains(&small) && strings.remove(&capital) {
                strings.remove(&small);
                strings.insert(vec![PatternByte::of_any_case(letter)]);
            }
        }
        for (rare, letter) in RARE_FOLDS {
            let letter = PatternByte::of_any_case(letter as u8);
            if strings.contains(&[letter][..])
                && strings.remove(&exactly(rare.encode_utf8(&mut [0; 4]).as_bytes()))
            {
                self.leaves_out_rare_folds = true;
            }
        }
        (strings.len() <= MAX_CLASS).then_some(strings)
    }

    fn repeated(&mut self, repetition: &Repetition) -> MatchStrings {
        let part = self.read(&repetition.sub);
        match (repetition.min, repetition.max) {
            (0, Some(1)) => MatchStrings::any(vec![part, MatchStrings::empty()]),
            (0, _) => MatchStrings::nothing(),
            (min, max) => {
                let copies = min.min(MAX_COPIES);
                let known = (1..copies).fold(part.clone(), |known, _| known.then(part.clone()));
                if max == Some(copies) { known } else { known.and_more() }
            }
        }
    }
}

impl MatchStrings {
    /// An expression that matches the empty string alone.
    fn empty() -> MatchStrings {
        MatchStrings::Exactly(unknown())
    }

    /// An expression about which nothing is known.
    fn nothing() -> MatchStrings {
        let condition = Condition::Always;
        MatchStrings::Partly { prefixes: unknown(), suffixes: unknown(), condition }
    }

    /// An expression with matches that all begin with one of these strings.
    fn begun(starts: &Strings) -> MatchStrings {
        let prefixes = limited(starts.iter().map(Vec::as_slice));
        MatchStrings::Partly { prefixes, suffixes: unknown(), condition: one_of(starts) }
    }

    fn condition(self) -> Condition {
        match self {
            MatchStrings::Exactly(strings) => one_of(&strings),
            MatchStrings::Partly { condition, .. } => condition,
        }
    }

    /// Returns the prefixes, the suffixes and the condition of matches, also if they are known
    /// exactly: `abcdef` begins with `ab`, ends with `ef` and contains `abc`, `bcd`, `cde` and
    /// `def`.
    fn partly(self) -> (Strings, Strings, Condition) {
        match self {
            MatchStrings::Exactly(strings) => (
                limited(strings.iter().map(|string| first(string))),
                limited(strings.iter().map(|string| last(string))),
                one_of(&strings),
            ),
            MatchStrings::Partly { prefixes, suffixes, condition } => {
                (prefixes, suffixes, condition)
            }
        }
    }

    /// This expression followed by `next`.
    fn then(self, next: MatchStrings) -> MatchStrings {
        if let (MatchStrings::Exactly(a), MatchStrings::Exactly(b)) = (&self, &next)
            && let Some(strings) = product(a, b, MAX_STRINGS)
        {
            return MatchStrings::Exactly(strings);
        }
        // If an expression is known exactly, the ends beside it can extend its own.
        let (before, after) = (self.is_exact(), next.is_exact());
        let (a_prefixes, a_suffixes, a_condition) = self.partly();
        let (b_prefixes, b_suffixes, b_condition) = next.partly();
        let seam = product(&a_suffixes, &b_prefixes, MAX_ENDS);
        let seam = seam.map_or(Condition::Always, |strings| one_of(&strings));
        let prefixes = extended(before, &a_prefixes, &b_prefixes, |a, b, missing| {
            [a, &b[..b.len().min(missing)]].concat()
        });
        let suffixes = extended(after, &b_suffixes, &a_suffixes, |b, a, missing| {
            [&a[a.len().saturating_sub(missing)..], b].concat()
        });
        MatchStrings::Partly {
            prefixes: prefixes.unwrap_or(a_prefixes),
            suffixes: suffixes.unwrap_or(b_suffixes),
            condition: Condition::all([a_condition, seam, b_condition]),
        }
    }

    /// This expression, some parts one after another, followed by any number of further ones: a
    /// match begins and ends with a match of this expression.
    fn and_more(self) -> MatchStrings {
        let (prefixes, suffixes, condition) = self.partly();
        MatchStrings::Partly { prefixes, suffixes, condition }
    }

    /// One of `parts`.
    fn any(parts: Vec<MatchStrings>) -> MatchStrings {
        let mut all = Strings::new();
        for part in &parts {
            match part {
                MatchStrings::Exactly(strings) if all.len() + strings.len() <= MAX_STRINGS => {
                    all.extend(strings.iter().cloned());
                }
                _ => return MatchStrings::any_partly(parts),
            }
        }
        MatchStrings::Exactly(all)
    }

    fn any_partly(parts: Vec<MatchStrings>) -> MatchStrings {
        let (mut prefixes, mut suffixes, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let (part_prefixes, part_suffixes, condition) = part.partly();
            prefixes.extend(part_prefixes);
            suffixes.extend(part_suffixes);
            conditions.push(condition);
        }
        MatchStrings::Partly {
            prefixes: limited(prefixes.iter().map(Vec::as_slice)),
            suffixes: limited(suffixes.iter().map(Vec::as_slice)),
            condition: Condition::any(conditions),
        }
    }

    fn is_exact(&self) -> bool {
        matches!(self, MatchStrings::Exactly(_))
    }
}

/// An end about which nothing is known.
fn unknown() -> Strings {
    Strings::from([Vec::new()])
}

fn one_of(strings: &Strings) -> Condition {
    Condition::one_of(strings.iter().map(Vec::as_slice))
}

/// Every string in `a` followed by every one in `b`, unless these are more than `max`: `a, b` and
/// `c, d` become `ac, ad, bc, bd`.
fn product(a: &Strings, b: &Strings, max: usize) -> Option<Strings> {
    let bytes = |strings: &Strings| strings.iter().map(Vec::len).sum::<usize>();
    if a.len() * b.len() > max || bytes(a) * b.len() + bytes(b) * a.len() > MAX_BYTES {
        return None;
    }
    Some(a.iter().flat_map(|a| b.iter().map(move |b| [&a[..], b].concat())).collect())
}

/// The `ends` of an expression, extended by the bytes that are missing from the ends of the
/// expression beside it; `join` puts two ends together. `None` if that cannot be done, would not
/// help, or yields too many.
fn extended(
    is_exact: bool,
    ends: &Strings,
    beside: &Strings,
    join: impl Fn(&[PatternByte], &[PatternByte], usize) -> Vec<PatternByte>,
) -> Option<Strings> {
    if !is_exact || ends.iter().all(|end| end.len() >= MAX_END_BYTES) {
        return None;
    }
    let mut all = Strings::new();
    for missing in 0..=MAX_END_BYTES {
        let mut short =
            ends.iter().filter(|end| MAX_END_BYTES.saturating_sub(end.len()) == missing);
        // What lies beside comes to few strings once it is cut.
        let pieces: Strings = beside.iter().map(|end| join(&[], end, missing)).collect();
        let is_few = short.all(|end| {
            all.extend(pieces.iter().map(|piece| join(end, piece, missing)));
            all.len() <= MAX_ENDS
        });
        if !is_few {
            return None;
        }
    }
    Some(all)
}

/// These ends, or nothing if they are too many.
fn limited<'s>(ends: impl Iterator<Item = &'s [PatternByte]>) -> Strings {
    let ends: Strings = ends.map(<[PatternByte]>::to_vec).collect();
    if ends.len() <= MAX_ENDS { ends } else { unknown() }
}

fn first(string: &[PatternByte]) -> &[PatternByte] {
    &string[..string.len().min(MAX_END_BYTES)]
}

fn last(string: &[PatternByte]) -> &[PatternByte] {
    &string[string.len().saturating_sub(MAX_END_BYTES)..]
}

/// The strings of one or two bytes that members of `class` begin with, if every member is beyond
/// ASCII.
///
/// They have two bytes, but only the first one if most or too many may follow it. `\p{Greek}`
/// becomes `\xcd\xb0`, …, `\xce`, `\xcf`, `\xe1\xb4`, ….
fn starts(class: &Class) -> Option<Strings> {
    let Class::Unicode(class) = class else { return None };
    let mut pairs: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
    for range in class.iter() {
        for sequence in Utf8Sequences::new(range.start(), range.end()) {
            let [first, second, ..] = sequence.as_slice() else { return None };
            for lead in first.start..=first.end {
                pairs.entry(lead).or_default().extend(second.start..=second.end);
            }
        }
    }
    let are_kept = |seconds: &BTreeSet<u8>| seconds.len() < MAX_OF_LEAD;
    let count: usize = pairs.values().filter(|&all| are_kept(all)).map(BTreeSet::len).sum();
    let mut starts = Strings::new();
    for (lead, seconds) in pairs {
        if are_kept(&seconds) && count <= MAX_PAIRS {
            starts.extend(seconds.into_iter().map(|second| exactly(&[lead, second])));
        } else {
            starts.insert(exactly(&[lead]));
        }
    }
    Some(starts)
}
