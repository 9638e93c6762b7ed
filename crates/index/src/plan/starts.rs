//! What the characters in a large class begin with, if none is in ASCII.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::{hir::Class, utf8::Utf8Sequences};

use super::pattern_byte::{Strings, exactly};

/// How many second bytes after the same first byte are distinguished: more are most of the 64.
const MAX_OF_LEAD: usize = 32;
/// First two bytes in all.
const MAX_PAIRS: usize = 256;

/// The strings of one or two bytes that members of `class` begin with, if every member is beyond
/// ASCII.
///
/// They have two bytes, but only the first one if most or too many may follow it. `\p{Greek}`
/// becomes `\xcd\xb0`, …, `\xce`, `\xcf`, `\xe1\xb4`, ….
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
