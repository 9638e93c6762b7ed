//! The exact search, on a line alone or on a haystack as a whole, by whichever engine compiled the patterns.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::{Input, PatternID, meta};

use crate::captures::{Captures, Groups};
use crate::compile::pcre2;
use crate::error::Error;

/// Compiled patterns.
#[derive(Debug)]
pub(crate) enum Exact {
    /// Of the default engine.
    Automata(meta::Regex),
    /// Of PCRE2.
    Pcre2(Arc<::pcre2::bytes::Regex>),
}

impl Exact {
    pub(crate) fn captures(&self) -> Captures {
        Captures::new(match self {
            Exact::Automata(regex) => Groups::Automata(regex.create_captures()),
            Exact::Pcre2(regex) => Groups::Pcre2(regex.capture_locations()),
        })
    }

    /// The number of the group called `name`.
    pub(crate) fn group_index(&self, name: &str) -> Option<usize> {
        match self {
            Exact::Automata(regex) => regex.group_info().to_index(PatternID::ZERO, name),
            // Of groups that share a name, the one that ripgrep's map of names keeps.
            Exact::Pcre2(regex) => {
                regex.capture_names().iter().rposition(|other| other.as_deref() == Some(name))
            }
        }
    }

    pub(crate) fn search(&self) -> Search {
        match self {
            Exact::Automata(regex) => {
                Search::Automata { cache: regex.create_cache(), regex: regex.clone() }
            }
            Exact::Pcre2(regex) => Search::Pcre2(pcre2::Search::new(Arc::clone(regex))),
        }
    }
}

/// One worker's searches with them.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each worker")]
pub(crate) enum Search {
    Automata { regex: meta::Regex, cache: meta::Cache },
    Pcre2(pcre2::Search),
}

impl Search {
    /// The leftmost match in `haystack` that starts at or after `at`.
    pub(crate) fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        if at > haystack.len() {
            return None;
        }
        match self {
            Search::Automata { regex, cache } => {
                let input = Input::new(haystack).range(at..);
                regex.search_with(cache, &input).map(|m| m.range())
            }
            Search::Pcre2(search) => search.find(haystack, at),
        }
    }

    pub(crate) fn is_match(&mut self, haystack: &[u8]) -> bool {
        match self {
            Search::Automata { regex, cache } => {
                let input = Input::new(haystack).earliest(true);
                regex.search_half_with(cache, &input).is_some()
            }
            Search::Pcre2(search) => search.find(haystack, 0).is_some(),
        }
    }

    /// Where the first match in `range` is known to be one: within it or at its end.
    pub(crate) fn find_end(&mut self, haystack: &[u8], range: Range<usize>) -> Option<usize> {
        match self {
            Search::Automata { regex, cache } => {
                let input = Input::new(haystack).range(range).earliest(true);
                regex.search_half_with(cache, &input).map(|half| half.offset())
            }
            Search::Pcre2(search) => {
                search.find(&haystack[..range.end], range.start).map(|m| m.end)
            }
        }
    }

    /// The match that [`find`](Search::find) finds, into `captures`. Whether there is one.
    pub(crate) fn captures(&mut self, haystack: &[u8], at: usize, captures: &mut Captures) -> bool {
        captures.is_match = at <= haystack.len()
            && match (self, &mut captures.groups) {
                (Search::Automata { regex, cache }, Groups::Automata(groups)) => {
                    let input = Input::new(haystack).range(at..);
                    regex.search_captures_with(cache, &input, groups);
                    groups.is_match()
                }
                (Search::Pcre2(search), Groups::Pcre2(groups)) => {
                    search.captures(haystack, at, groups)
                }
                // Room that another matcher made.
                _ => false,
            };
        captures.is_match
    }

    /// Whether the engine has given up, and nobody has asked why yet.
    pub(crate) fn has_failed(&self) -> bool {
        match self {
            Search::Automata { .. } => false,
            Search::Pcre2(search) => search.has_failed(),
        }
    }

    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        match self {
            Search::Automata { .. } => None,
            Search::Pcre2(search) => search.take_failure(),
        }
    }
}
