//! What the groups of a pattern matched, for replacements.

use std::ops::Range;

use regex_automata::{PatternID, util};

/// Where each group of one match is. Made once per worker by [`Matcher::captures`](crate::Matcher::captures), filled
/// by [`Finder::captures_at`](crate::Finder::captures_at) as often as needed; room that another matcher made stays
/// empty.
#[derive(Clone, Debug)]
pub struct Captures {
    pub(crate) groups: Groups,
    /// Whether `groups` is of a match, and not what a search left there that found none.
    pub(crate) is_match: bool,
}

/// The same in the form of the engine.
#[derive(Clone, Debug)]
pub(crate) enum Groups {
    Automata(util::captures::Captures),
    Pcre2(pcre2::bytes::CaptureLocations),
}

impl Captures {
    pub(crate) fn new(groups: Groups) -> Captures {
        Captures { groups, is_match: false }
    }

    /// The number of groups of the pattern, including group 0, the whole match.
    #[must_use]
    pub fn group_count(&self) -> usize {
        match &self.groups {
            Groups::Automata(groups) => groups.group_info().group_len(PatternID::ZERO),
            Groups::Pcre2(groups) => groups.len(),
        }
    }

    /// Where the group with this number is; None if it took no part in the match or does not exist. Group 0 is the
    /// whole match.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Range<usize>> {
        match &self.groups {
            _ if !self.is_match => None,
            Groups::Automata(groups) => groups.get_group(index).map(|span| span.range()),
            // A group may be set from within a look-around, but ends where it begins at the earliest.
            Groups::Pcre2(groups) => groups.get(index).map(|(start, end)| start.min(end)..end),
        }
    }
}
