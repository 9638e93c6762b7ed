//! Numbers and names for the groups in several patterns.
//!
//! The groups of each pattern are numbered from 1, as if it were the only one. Patterns are
//! alternatives, so only one pattern's groups take part in a match, and groups with the same number
//! share a place. A name has the place of its number if no pattern uses either otherwise. Other
//! names have places behind all numbers: in `(?<n>a)(b)` and `(x)(?<n>y)`, the numbers have the
//! places 1 and 2, and `n` has the place 3 in both.

use std::collections::HashMap;
use std::sync::Arc;

use regex_syntax::hir::{Capture, Hir, HirKind, Repetition};

/// The names that groups have in several patterns.
#[derive(Debug)]
pub(crate) struct GroupNames {
    /// For each number, the name of its groups, if they have the same in all patterns.
    numbered: Vec<Option<Arc<str>>>,
    /// The place of each name.
    places: HashMap<Arc<str>, usize>,
    /// The names that have places behind all numbers, in the order of these places.
    #[cfg_attr(not(feature = "pcre2"), expect(dead_code, reason = "PCRE2 keeps names"))]
    apart: Vec<Arc<str>>,
}

impl GroupNames {
    /// Finds out which names have which place. For each pattern, `groups` has each group's name by
    /// its number; group 0 is the whole match.
    pub(crate) fn new(groups: &[Vec<Option<Arc<str>>>]) -> GroupNames {
        let count = groups.iter().map(Vec::len).max().unwrap_or(1);
        let numbered: Vec<_> = (0..count)
            .map(|number| {
                let mut names = groups.iter().filter_map(|names| names.get(number));
                let first = names.next()?;
                if names.all(|name| name == first) { first.clone() } else { None }
            })
            .collect();
        let (mut places, mut apart) = (HashMap::new(), Vec::new());
        for (number, name) in groups.iter().flat_map(|names| names.iter().enumerate()) {
            let Some(name) = name else { continue };
            let is_own = numbered[number].as_ref() == Some(name);
            let place = *places.entry(Arc::clone(name)).or_insert(number);
            if place < count && !(is_own && place == number) {
                places.insert(Arc::clone(name), count + apart.len());
                apart.push(Arc::clone(name));
            }
        }
        GroupNames { numbered, places, apart }
    }

    /// The place of the groups called `name`.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The names of all groups, by their numbers.
    pub(crate) fn names(&self) -> Vec<Option<&str>> {
        self.numbered.iter().map(Option::as_deref).collect()
    }

    /// The names that have places behind all numbers, in the order of these places.
    #[cfg(feature = "pcre2")]
    pub(crate) fn apart(&self) -> &[Arc<str>] {
        &self.apart
    }

    /// The place of `name` behind all numbers, if it has one.
    fn place_apart(&self, name: &str) -> Option<usize> {
        self.place(name).filter(|place| *place >= self.numbered.len())
    }
}

/// Joins several patterns' expressions as alternatives, and returns their groups' names, if any
/// group has one. The groups in the alternatives have lost their names then, and have the index of
/// their place.
pub(crate) fn joined(patterns: Vec<Hir>) -> (Hir, Option<GroupNames>) {
    let has_groups = |hir: &Hir| hir.properties().explicit_captures_len() > 0;
    if !patterns.iter().any(has_groups) {
        return (Hir::alternation(patterns), None);
    }
    let groups: Vec<_> = patterns.iter().map(groups_of).collect();
    if groups.iter().flatten().all(Option::is_none) {
        return (Hir::alternation(patterns), None);
    }
    let names = GroupNames::new(&groups);
    let placed = patterns.into_iter().map(|hir| match has_groups(&hir) {
        true => placed(hir, &names),
        false => hir,
    });
    (Hir::alternation(placed.collect()), Some(names))
}

/// The names that the groups in `hir` have, by their numbers.
fn groups_of(hir: &Hir) -> Vec<Option<Arc<str>>> {
    let mut groups = vec![None];
    collect(hir, &mut groups);
    groups
}

/// Enters the groups within `hir` into `groups`. Recursion is bounded by the nesting limit of the
/// parser.
fn collect(hir: &Hir, groups: &mut Vec<Option<Arc<str>>>) {
    match hir.kind() {
        HirKind::Capture(capture) => {
            let number = capture.index as usize;
            groups.resize(groups.len().max(number + 1), None);
            groups[number] = capture.name.as_deref().map(Arc::from);
            collect(&capture.sub, groups);
        }
        HirKind::Repetition(repetition) => collect(&repetition.sub, groups),
        HirKind::Concat(subs) | HirKind::Alternation(subs) => {
            subs.iter().for_each(|sub| collect(sub, groups));
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
    }
}

/// Rebuilds `hir` with groups without names. If a group's name has a place behind all numbers, it
/// becomes a group with that place, too.
fn placed(hir: Hir, names: &GroupNames) -> Hir {
    let all = |subs: Vec<Hir>| subs.into_iter().map(|sub| placed(sub, names)).collect();
    if hir.properties().explicit_captures_len() == 0 {
        return hir;
    }
    match hir.into_kind() {
        HirKind::Concat(subs) => Hir::concat(all(subs)),
        HirKind::Alternation(subs) => Hir::alternation(all(subs)),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(placed(*repetition.sub, names));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(Capture { index, name, sub }) => {
            let sub = Box::new(placed(*sub, names));
            let numbered = Hir::capture(Capture { index, name: None, sub });
            let apart = name.as_deref().and_then(|name| names.place_apart(name));
            match apart.and_then(|place| u32::try_from(place).ok()) {
                Some(index) => Hir::capture(Capture { index, name: None, sub: Box::new(numbered) }),
                None => numbered,
            }
        }
        // Without a group in it, it has been returned.
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => Hir::empty(),
    }
}
