//! What the characters of a large class begin with, where none of them is in ASCII.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::{hir::Class, utf8::Utf8Sequences};

use super::pattern_byte::{Strings, exactly};

/// First two bytes with the same first byte that are distinguished: so many are most of the 64.
const MAX_OF_LEAD: usize = 32;
/// First two bytes in all.
const MAX_PAIRS: usize = 256;

/// The first one or two bytes of which every member of `class` begins with one, if every member is
/// beyond ASCII.
///
/// These are the first two bytes, but only the first one if most or too many may follow it. Those
/// of `\p{Greek}` are `\xcd\xb0`, …, `\xce`, `\xcf`, `\xe1\xb4`, ….
pub(super) fn starts(class: &Class) -> Option<Strings> {
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
