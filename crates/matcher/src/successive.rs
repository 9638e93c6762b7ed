//! Searches with PCRE2 for one of several patterns.

use std::ops::Range;
use std::sync::Arc;

use pcre2::bytes::{CaptureLocations, Regex};

use crate::compile::pcre2::Search;
use crate::error::Error;

/// Searches for a pattern in one haystack after the other, mostly from places that follow each
/// other.
#[derive(Debug)]
pub(crate) struct Successive {
    search: Search,
    /// Whether a match does not depend on where its search begins, if it begins later.
    is_independent: bool,
    /// Where the last search in this haystack began, and what it found. Without it, a rare pattern
    /// would be searched for to the end of the haystack for each match of another one.
    last: Option<(usize, Option<Range<usize>>)>,
}

impl Successive {
    pub(crate) fn new(regex: Arc<Regex>) -> Successive {
        // `\G` is where the search begins, `\K` hides where a match does, and verbs such as
        // `(*COMMIT)` end a search early.
        let text = regex.as_str();
        let is_independent = !["\\G", "\\K", "(*"].iter().any(|part| text.contains(part));
        Successive { search: Search::new(regex), is_independent, last: None }
    }

    /// Forgets the haystack: the next search is in another one.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// The leftmost match from `at` on; none if the engine gives up.
    pub(crate) fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        if let Some((from, found)) = &self.last
            && *from <= at
            && found.as_ref().is_none_or(|found| at <= found.start)
            && !self.search.has_failed()
        {
            return found.clone();
        }
        let found = self.search.find(haystack, at);
        let is_certain = self.is_independent && !self.search.has_failed();
        self.last = is_certain.then(|| (at, found.clone()));
        found
    }

    /// Puts the groups of the match that [`find`](Successive::find) finds into `groups`.
    pub(crate) fn captures(
        &mut self,
        haystack: &[u8],
        at: usize,
        groups: &mut Option<CaptureLocations>,
    ) -> bool {
        self.search.captures(haystack, at, groups)
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.search.has_failed()
    }

    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        self.search.take_failure()
    }
}
