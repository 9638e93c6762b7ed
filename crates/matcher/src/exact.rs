//! The exact search, on a line alone or on a haystack as a whole, by the engine that compiled the
//! patterns.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::{Input, PatternID, meta};
use regex_syntax::hir::Hir;

#[cfg(feature = "pcre2")]
use crate::apart::{Apart, ApartGroups, ApartSearch};
use crate::captures::{Captures, Groups};
use crate::compile::group_names::GroupNames;
#[cfg(feature = "pcre2")]
use crate::compile::pcre2;
use crate::error::Error;
use crate::lines::LineEnds;
use crate::literals::long_line::LongLineTest;
use crate::simple_search::SimpleSearch;

/// Bytes of the longest character in UTF-8.
pub(crate) const MAX_CHAR: usize = 4;

/// Compiled patterns.
#[derive(Debug)]
pub(crate) struct Exact {
    pub(crate) regex: Regex,
    /// The names of groups, if the regex does not have them.
    pub(crate) names: Option<GroupNames>,
    /// Finds the same matches without an automaton, if they are of a simple form.
    pub(crate) simple: Option<Arc<SimpleSearch>>,
    /// Rules out matches in long lines, where lines are searched alone.
    pub(crate) long_lines: Option<LongLineTest>,
    pub(crate) ends: LineEnds,
    /// What matches, but for what lies beside a match; none with PCRE2.
    pub(crate) expression: Option<Arc<Hir>>,
}

#[derive(Debug)]
pub(crate) enum Regex {
    Automata(meta::Regex),
    #[cfg(feature = "pcre2")]
    Pcre2(Arc<::pcre2::bytes::Regex>),
    #[cfg(feature = "pcre2")]
    Apart(Arc<Apart>),
}

impl Exact {
    /// The search for `expression` by `regex`, which is compiled from `hir`.
    pub(crate) fn automata(
        regex: meta::Regex,
        hir: &Hir,
        expression: &Arc<Hir>,
        ends: LineEnds,
    ) -> Exact {
        Exact {
            regex: Regex::Automata(regex),
            names: None,
            simple: SimpleSearch::of(hir).map(Arc::new),
            long_lines: None,
            ends,
            expression: Some(Arc::clone(expression)),
        }
    }

    /// The search by `regexes` of PCRE2.
    #[cfg(feature = "pcre2")]
    pub(crate) fn pcre2(regexes: Vec<::pcre2::bytes::Regex>, ends: LineEnds) -> Exact {
        let (apart, names) = Apart::new(regexes);
        let (regex, names) = match apart.only() {
            Some(regex) => (Regex::Pcre2(regex), None),
            None => (Regex::Apart(Arc::new(apart)), Some(names)),
        };
        Exact { regex, names, simple: None, long_lines: None, ends, expression: None }
    }

    pub(crate) fn captures(&self) -> Captures {
        Captures::new(match &self.regex {
            Regex::Automata(regex) => Groups::Automata(regex.create_captures()),
            #[cfg(feature = "pcre2")]
            Regex::Pcre2(regex) => Groups::Pcre2(pcre2::room(regex)),
            #[cfg(feature = "pcre2")]
            Regex::Apart(apart) => Groups::Apart(ApartGroups::new(apart)),
        })
    }

    /// The number of the group called `name`, or the place that the groups with that name have.
    pub(crate) fn group_index(&self, name: &str) -> Option<usize> {
        match (&self.names, &self.regex) {
            (Some(names), _) => names.place(name),
            (None, Regex::Automata(regex)) => regex.group_info().to_index(PatternID::ZERO, name),
            #[cfg(feature = "pcre2")]
            _ => self.group_names().iter().position(|other| *other == Some(name)),
        }
    }

    /// The names of all groups, by their numbers.
    pub(crate) fn group_names(&self) -> Vec<Option<&str>> {
        match (&self.names, &self.regex) {
            (Some(names), _) => names.names(),
            (None, Regex::Automata(regex)) => {
                regex.group_info().pattern_names(PatternID::ZERO).collect()
            }
            #[cfg(feature = "pcre2")]
            (None, Regex::Pcre2(regex)) => {
                regex.capture_names().iter().map(Option::as_deref).collect()
            }
            #[cfg(feature = "pcre2")]
            (None, Regex::Apart(_)) => Vec::new(),
        }
    }

    pub(crate) fn search(&self) -> ExactSearch {
        let engine = match &self.regex {
            Regex::Automata(regex) => {
                Engine::Automata { cache: regex.create_cache(), regex: regex.clone() }
            }
            #[cfg(feature = "pcre2")]
            Regex::Pcre2(regex) => Engine::Pcre2(pcre2::Search::new(Arc::clone(regex))),
            #[cfg(feature = "pcre2")]
            Regex::Apart(apart) => Engine::Apart(ApartSearch::new(apart)),
        };
        let (simple, long_lines) = (self.simple.clone(), self.long_lines.clone());
        ExactSearch { engine, simple, long_lines, ends: self.ends }
    }
}

/// One worker's searches with them.
#[derive(Debug)]
pub(crate) struct ExactSearch {
    engine: Engine,
    simple: Option<Arc<SimpleSearch>>,
    long_lines: Option<LongLineTest>,
    pub(crate) ends: LineEnds,
}

#[derive(Debug)]
#[cfg_attr(
    feature = "pcre2",
    expect(clippy::large_enum_variant, reason = "there is one for each worker")
)]
enum Engine {
    Automata {
        regex: meta::Regex,
        cache: meta::Cache,
    },
    #[cfg(feature = "pcre2")]
    Pcre2(pcre2::Search),
    #[cfg(feature = "pcre2")]
    Apart(ApartSearch),
}

impl ExactSearch {
    /// Begins a haystack, which the next search need not begin at its start.
    pub(crate) fn begin(&mut self) {
        #[cfg(feature = "pcre2")]
        if let Engine::Apart(search) = &mut self.engine {
            search.forget();
        }
    }

    /// The leftmost match in `haystack` that starts at or after `at`.
    pub(crate) fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        if at > haystack.len() {
            return None;
        }
        self.find_in(haystack, at..haystack.len())
    }

    /// The leftmost match in `range` of `haystack`. A regex's assertions see what stands behind it.
    pub(crate) fn find_in(&mut self, haystack: &[u8], range: Range<usize>) -> Option<Range<usize>> {
        if let Some(simple) = self.simple.as_ref().filter(|_| range.end == haystack.len())
            && let Ok(found) = simple.find(haystack, range.start)
        {
            return found;
        }
        match &mut self.engine {
            Engine::Automata { regex, cache } => {
                let mut search = |range: Range<usize>| {
                    let input = Input::new(haystack).range(range);
                    regex.search_with(cache, &input).map(|m| m.range())
                };
                let is_line = range.end == haystack.len();
                let near = self.long_lines.as_ref().filter(|_| is_line);
                let found = near.and_then(|near| near.find(haystack, range.start, &mut search));
                found.unwrap_or_else(|| search(range))
            }
            #[cfg(feature = "pcre2")]
            Engine::Pcre2(search) => search.find(&haystack[..range.end], range.start),
            #[cfg(feature = "pcre2")]
            Engine::Apart(search) => search.find(&haystack[..range.end], range.start),
        }
    }

    /// Appends all matches in `line` to `spans`, from left to right. `false`, and appends none, if
    /// they have to be found one by one; otherwise no match is empty.
    pub(crate) fn find_all(&self, line: &[u8], spans: &mut Vec<Range<usize>>) -> bool {
        self.simple.as_ref().is_some_and(|simple| simple.find_all(line, spans))
    }

    /// The number of matches that [`find_all`](ExactSearch::find_all) finds.
    pub(crate) fn count(&self, line: &[u8]) -> Option<u64> {
        self.simple.as_ref()?.count(line)
    }

    pub(crate) fn is_match(&mut self, haystack: &[u8]) -> bool {
        if self.long_lines.as_ref().is_some_and(|test| test.rules_out(haystack)) {
            return false;
        }
        match &mut self.engine {
            Engine::Automata { regex, cache } => {
                let input = Input::new(haystack).earliest(true);
                regex.search_half_with(cache, &input).is_some()
            }
            #[cfg(feature = "pcre2")]
            Engine::Pcre2(search) => search.find(haystack, 0).is_some(),
            #[cfg(feature = "pcre2")]
            Engine::Apart(search) => search.is_match(haystack),
        }
    }

    /// Whether the line `haystack[start..stop]` matches.
    pub(crate) fn matches_line(&mut self, haystack: &[u8], start: usize, stop: usize) -> bool {
        self.is_match(self.ends.content(haystack, start, stop))
    }

    /// An offset within the first match in `range`, or its end.
    pub(crate) fn find_end(&mut self, haystack: &[u8], range: Range<usize>) -> Option<usize> {
        match &mut self.engine {
            Engine::Automata { regex, cache } => {
                let input = Input::new(haystack).range(range).earliest(true);
                regex.search_half_with(cache, &input).map(|half| half.offset())
            }
            #[cfg(feature = "pcre2")]
            Engine::Pcre2(search) => {
                search.find(&haystack[..range.end], range.start).map(|m| m.end)
            }
            #[cfg(feature = "pcre2")]
            Engine::Apart(search) => {
                search.find(&haystack[..range.end], range.start).map(|m| m.end)
            }
        }
    }

    /// Whether a match in `part` of a line depends on nothing outside of the part, which `begins`
    /// the line or not. A regex's assertion depends on the characters beside it.
    pub(crate) fn matches_within(&mut self, part: &[u8], begins: bool) -> bool {
        let from = if begins { 0 } else { MAX_CHAR };
        match &self.engine {
            Engine::Automata { .. } if from <= part.len() => {
                let end = self.find_end(part, from..part.len());
                end.is_some_and(|end| end + MAX_CHAR <= part.len())
            }
            // Look-around may depend on any distance.
            _ => false,
        }
    }

    /// Puts the match that [`find`](ExactSearch::find) finds into `captures`. Returns whether there
    /// is one.
    pub(crate) fn captures(&mut self, haystack: &[u8], at: usize, captures: &mut Captures) -> bool {
        captures.is_match = at <= haystack.len()
            && match (&mut self.engine, &mut captures.groups) {
                (Engine::Automata { regex, cache }, Groups::Automata(groups)) => {
                    let input = Input::new(haystack).range(at..);
                    regex.search_captures_with(cache, &input, groups);
                    groups.is_match()
                }
                #[cfg(feature = "pcre2")]
                (Engine::Pcre2(search), Groups::Pcre2(groups)) => {
                    search.captures(haystack, at, groups)
                }
                #[cfg(feature = "pcre2")]
                (Engine::Apart(search), Groups::Apart(groups)) => {
                    search.captures(haystack, at, groups)
                }
                // Another matcher made them.
                #[cfg(feature = "pcre2")]
                _ => false,
            };
        captures.is_match
    }

    /// Whether the engine has given up, and the caller has not taken the reason.
    pub(crate) fn has_failed(&self) -> bool {
        match &self.engine {
            Engine::Automata { .. } => false,
            #[cfg(feature = "pcre2")]
            Engine::Pcre2(search) => search.has_failed(),
            #[cfg(feature = "pcre2")]
            Engine::Apart(search) => search.has_failed(),
        }
    }

    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        match &mut self.engine {
            Engine::Automata { .. } => None,
            #[cfg(feature = "pcre2")]
            Engine::Pcre2(search) => search.take_failure(),
            #[cfg(feature = "pcre2")]
            Engine::Apart(search) => search.take_failure(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Boundary, Matcher, MatcherConfig};

    #[test]
    fn a_match_within_a_part_is_one_of_the_line() {
        let mut rng = fastrand::Rng::with_seed(12);
        let pieces = ["a", "b", "ab", " ", "é", "世", "x", "\r", "Ж"];
        let patterns = ["ab", r"ab\b", r"^a", r"b$", r"\Bb", r"a.*x$", r"\bé\B", "a?", r"[^a]{2}é"];
        for (pattern, boundary) in patterns.iter().flat_map(|pattern| {
            [Boundary::None, Boundary::Word, Boundary::Line].map(|b| (pattern, b))
        }) {
            for crlf in [false, true] {
                let config = MatcherConfig { boundary, crlf, ..MatcherConfig::default() };
                let mut finder = Matcher::new([pattern], &config).expect("a regex").finder();
                for _ in 0..200 {
                    let len = rng.usize(..30);
                    let line: String = (0..len).map(|_| *rng.choice(&pieces).unwrap()).collect();
                    let line = line.as_bytes();
                    let (from, to) = (rng.usize(..=line.len()), rng.usize(..=line.len()));
                    let part = &line[from.min(to)..from.max(to)];
                    let is_within = finder.matches_within(part, from.min(to) == 0);
                    assert!(!is_within || finder.is_match(line), "{pattern} {boundary:?} {line:?}");
                }
            }
        }
        let mut finder = Matcher::new(["ab"], &MatcherConfig::default()).unwrap().finder();
        assert!(
            finder.matches_within(b"ab and", true) && finder.matches_within(b"and ab and", false)
        );
    }
}
