//! What the groups of a pattern matched, for replacements.

use std::ops::Range;

use regex_automata::util;

/// Where each group of one match is. Made once per worker by [`Matcher::captures`](crate::Matcher::captures), filled
/// by [`Finder::captures_at`](crate::Finder::captures_at) as often as needed.
#[derive(Clone, Debug)]
pub struct Captures {
    pub(crate) slots: util::captures::Captures,
}

impl Captures {
    pub(crate) fn new(slots: util::captures::Captures) -> Captures {
        Captures { slots }
    }

    /// Where the group with this number is; None if it took no part in the match or does not exist. Group 0 is the
    /// whole match.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Range<usize>> {
        self.slots.get_group(index).map(|span| span.range())
    }
}
