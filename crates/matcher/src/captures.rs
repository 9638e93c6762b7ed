//! The groups of a match.

use std::ops::Range;

use regex_automata::util;

#[cfg(feature = "pcre2")]
use crate::apart::ApartGroups;

/// Where the groups in one match are.
///
/// [`Matcher::captures`](crate::Matcher::captures) makes one per worker, and
/// [`Finder::captures_at`](crate::Finder::captures_at) fills it for each match. One that another
/// matcher made stays empty.
#[derive(Clone, Debug)]
pub struct Captures {
    pub(crate) groups: Groups,
    /// Whether `groups` belong to a match. A search that finds none may leave something there.
    pub(crate) is_match: bool,
}

/// Where the groups in one match are, as the engine stores it.
#[derive(Clone, Debug)]
pub(crate) enum Groups {
    Automata(util::captures::Captures),
    /// `None` if there is no memory for them.
    #[cfg(feature = "pcre2")]
    Pcre2(Option<pcre2::bytes::CaptureLocations>),
    #[cfg(feature = "pcre2")]
    Apart(ApartGroups),
}

impl Captures {
    pub(crate) fn new(groups: Groups) -> Captures {
        Captures { groups, is_match: false }
    }

    /// Where the group with this number is. The number is the one in the pattern that matches, or
    /// the one that [`Matcher::group_index`](crate::Matcher::group_index) returns for a name. Group
    /// 0 is the whole match. `None` if the group took no part in the match or does not exist.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Range<usize>> {
        match &self.groups {
            _ if !self.is_match => None,
            Groups::Automata(groups) => groups.get_group(index).map(|span| span.range()),
            // A group may be set within a look-around, but ends where it begins at the earliest.
            #[cfg(feature = "pcre2")]
            Groups::Pcre2(groups) => {
                groups.as_ref()?.get(index).map(|(start, end)| start.min(end)..end)
            }
            #[cfg(feature = "pcre2")]
            Groups::Apart(groups) => groups.get(index).map(|(start, end)| start.min(end)..end),
        }
    }
}
