//! PCRE2 patterns that are regexes of their own.
//!
//! Within one regex, a pattern can change what another one means: a verb such as `(*COMMIT)` ends
//! the search for all, `(?R)` stands for all patterns, `\1` and `(?1)` for a group in the first,
//! and a name may be used once. So patterns with any of these are compiled apart and searched for
//! one by one. If several matches begin first, the first pattern's counts, as if they were
//! alternatives.

use std::ops::Range;
use std::sync::Arc;

use pcre2::bytes::{CaptureLocations, Regex};

use crate::compile::group_names::GroupNames;
use crate::compile::pcre2::room;
use crate::error::Error;
use crate::successive::Successive;

/// Regexes that are searched for together.
#[derive(Debug)]
pub(crate) struct Apart {
    regexes: Vec<Arc<Regex>>,
    /// For each name with a [place](GroupNames) behind all numbers, the numbers of the groups that
    /// have it in each regex.
    named: Vec<Vec<Box<[usize]>>>,
    /// The place of the first such name.
    first_named: usize,
}

impl Apart {
    /// Regexes that are searched for together, and the names of their groups.
    pub(crate) fn new(regexes: Vec<Regex>) -> (Apart, GroupNames) {
        let groups_of = |regex: &Regex| -> Vec<Option<Arc<str>>> {
            regex.capture_names().iter().map(|name| name.as_deref().map(Arc::from)).collect()
        };
        let groups: Vec<_> = regexes.iter().map(groups_of).collect();
        let names = GroupNames::new(&groups);
        let numbers = |name: &Arc<str>, groups: &[Option<Arc<str>>]| -> Box<[usize]> {
            let has_name = |number: &usize| groups[*number].as_ref() == Some(name);
            (0..groups.len()).filter(has_name).collect()
        };
        let of_all = |name| groups.iter().map(|groups| numbers(name, groups)).collect();
        let named = names.apart().iter().map(of_all).collect();
        let regexes = regexes.into_iter().map(Arc::new).collect();
        (Apart { regexes, named, first_named: names.names().len() }, names)
    }

    /// The regex, if there is only one and its names are unique.
    pub(crate) fn only(&self) -> Option<Arc<Regex>> {
        match &*self.regexes {
            [regex] if self.named.is_empty() => Some(Arc::clone(regex)),
            _ => None,
        }
    }
}

/// The groups in a match, which one of several regexes has found.
#[derive(Clone, Debug)]
pub(crate) struct ApartGroups {
    apart: Arc<Apart>,
    each: Vec<Option<CaptureLocations>>,
    /// The regex that matches.
    found: usize,
}

impl ApartGroups {
    pub(crate) fn new(apart: &Arc<Apart>) -> ApartGroups {
        let each = apart.regexes.iter().map(|regex| room(regex)).collect();
        ApartGroups { apart: Arc::clone(apart), each, found: 0 }
    }

    /// Where the group at this place starts and ends. If several groups have the same name, the
    /// first that is set counts.
    pub(crate) fn get(&self, place: usize) -> Option<(usize, usize)> {
        let groups = self.each.get(self.found)?.as_ref()?;
        match place.checked_sub(self.apart.first_named) {
            None if place < groups.len() => groups.get(place),
            None => None,
            Some(index) => {
                let numbers = self.apart.named.get(index)?.get(self.found)?;
                numbers.iter().find_map(|number| groups.get(*number))
            }
        }
    }
}

/// One worker's searches for several regexes.
#[derive(Debug)]
pub(crate) struct ApartSearch {
    searches: Vec<Successive>,
    /// The address and the length of the haystack.
    haystack: (usize, usize),
}

impl ApartSearch {
    pub(crate) fn new(apart: &Apart) -> ApartSearch {
        let searches = apart.regexes.iter().cloned().map(Successive::new).collect();
        ApartSearch { searches, haystack: (0, 0) }
    }

    /// Forgets the haystack. A search from its start also begins a new one.
    pub(crate) fn forget(&mut self) {
        self.searches.iter_mut().for_each(Successive::forget);
    }

    /// The leftmost match from `at` on, which lies within `haystack`.
    pub(crate) fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        self.find_first(haystack, at).map(|(_, found)| found)
    }

    /// The leftmost match from `at` on, and the index of its regex.
    fn find_first(&mut self, haystack: &[u8], at: usize) -> Option<(usize, Range<usize>)> {
        if self.has_failed() {
            return None;
        }
        self.turn_to(haystack, at);
        let mut first: Option<(usize, Range<usize>)> = None;
        for (index, search) in self.searches.iter_mut().enumerate() {
            let found = search.find(haystack, at);
            if search.has_failed() {
                return None;
            }
            let Some(found) = found else { continue };
            if first.as_ref().is_none_or(|(_, first)| found.start < first.start) {
                first = Some((index, found));
            }
        }
        first
    }

    pub(crate) fn is_match(&mut self, haystack: &[u8]) -> bool {
        self.turn_to(haystack, 0);
        let mut searches = self.searches.iter_mut();
        !searches.any(|search| search.has_failed())
            && self.searches.iter_mut().any(|search| search.find(haystack, 0).is_some())
    }

    /// Puts the groups of the match that [`find`](ApartSearch::find) finds into `groups`.
    pub(crate) fn captures(
        &mut self,
        haystack: &[u8],
        at: usize,
        groups: &mut ApartGroups,
    ) -> bool {
        let Some((index, _)) = self.find_first(haystack, at) else { return false };
        groups.found = index;
        match groups.each.get_mut(index) {
            Some(groups) => self.searches[index].captures(haystack, at, groups),
            None => false,
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.searches.iter().any(Successive::has_failed)
    }

    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        let failures = self.searches.iter_mut().filter_map(Successive::take_failure);
        failures.reduce(|first, _| first)
    }

    fn turn_to(&mut self, haystack: &[u8], at: usize) {
        let place = (haystack.as_ptr() as usize, haystack.len());
        if at == 0 || self.haystack != place {
            self.haystack = place;
            self.forget();
        }
    }
}
