//! Which of several patterns match.
//!
//! The [`Matcher`] has all patterns in one expression, and forgets which is which. This has them
//! apart: as patterns in one regex for the default engine, or as a regex each with PCRE2. It is for
//! lines that are known to match, and need not be fast.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Anchored, Input, MatchKind, meta};

use crate::compile::parse;
#[cfg(feature = "pcre2")]
use crate::compile::pcre2;
use crate::compiled::{engine_config, refused};
use crate::config::MatcherConfig;
use crate::error::Error;
use crate::matcher::Matcher;
#[cfg(feature = "pcre2")]
use crate::successive::Successive;

/// Patterns that are compiled apart, shared by all workers. Each worker searches with its own
/// [`PatternFinder`].
#[derive(Clone, Debug)]
pub struct PatternSet {
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
enum Compiled {
    Automata {
        /// Finds what the matcher finds, and its pattern.
        first: meta::Regex,
        /// Finds every pattern that matches.
        all: meta::Regex,
        /// The number of patterns.
        len: usize,
    },
    #[cfg(feature = "pcre2")]
    Pcre2(Vec<Arc<::pcre2::bytes::Regex>>),
}

impl Matcher {
    /// Compiles `patterns` apart, for the same engine. Both arguments are those that the matcher
    /// was [made](Matcher::new) from.
    ///
    /// ```
    /// use heist_matcher::{MatcherConfig, Matcher};
    ///
    /// let (patterns, config) = (["open", "op", "door"], MatcherConfig::default());
    /// let matcher = Matcher::new(patterns, &config)?;
    /// let mut finder = matcher.pattern_set(patterns, &config)?.finder();
    /// let line = b"open the door";
    /// assert_eq!(finder.patterns_of(line, 0, &[0..4, 9..13]), [Some(0), Some(2)]);
    /// assert_eq!(finder.patterns_in(line, 0..line.len()), [0, 1, 2]);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the compiled regexes are too large.
    pub fn pattern_set(
        &self,
        patterns: impl IntoIterator<Item: AsRef<str>>,
        config: &MatcherConfig,
    ) -> Result<PatternSet, Error> {
        let patterns: Vec<_> = patterns.into_iter().collect();
        let patterns: Vec<&str> = patterns.iter().map(AsRef::as_ref).collect();
        let compiled = match self.expression() {
            Some(_) => Compiled::automata(&patterns, config)?,
            None => Compiled::pcre2(&patterns, config)?,
        };
        Ok(PatternSet { compiled: Arc::new(compiled) })
    }
}

impl Compiled {
    fn automata(patterns: &[&str], config: &MatcherConfig) -> Result<Compiled, Error> {
        let expressions = parse::expressions(patterns, config)?;
        let is_utf8 = expressions.iter().all(|hir| hir.properties().is_utf8());
        // Most of what makes searches in long texts fast would be built in vain.
        let engine = engine_config(is_utf8, config).dfa(false).onepass(false).auto_prefilter(false);
        let build = |kind, captures| {
            let engine = engine.clone().match_kind(kind).which_captures(captures);
            let built = meta::Builder::new().configure(engine).build_many_from_hir(&expressions);
            built.map_err(|error| refused(&error))
        };
        Ok(Compiled::Automata {
            first: build(MatchKind::LeftmostFirst, WhichCaptures::Implicit)?,
            all: build(MatchKind::All, WhichCaptures::None)?,
            len: patterns.len(),
        })
    }

    #[cfg(feature = "pcre2")]
    fn pcre2(patterns: &[&str], config: &MatcherConfig) -> Result<Compiled, Error> {
        let regexes = pcre2::compile_each(patterns, config)?;
        Ok(Compiled::Pcre2(regexes.into_iter().map(Arc::new).collect()))
    }

    #[cfg(not(feature = "pcre2"))]
    fn pcre2(_: &[&str], _: &MatcherConfig) -> Result<Compiled, Error> {
        Err(Error::new(crate::error::ErrorKind::NoPcre2))
    }
}

impl PatternSet {
    /// A finder for one worker.
    #[must_use]
    pub fn finder(&self) -> PatternFinder {
        let search = match &*self.compiled {
            Compiled::Automata { first, all, len } => SetSearch::Automata {
                first: Box::new(first.create_cache()),
                all: Box::new(all.create_cache()),
                found: regex_automata::PatternSet::new(*len),
            },
            #[cfg(feature = "pcre2")]
            Compiled::Pcre2(regexes) => {
                SetSearch::Pcre2(regexes.iter().cloned().map(Successive::new).collect())
            }
        };
        PatternFinder { set: self.clone(), search }
    }
}

/// One worker's means of finding out which patterns match. Patterns are numbered from 0, in their
/// order.
#[derive(Debug)]
pub struct PatternFinder {
    set: PatternSet,
    search: SetSearch,
}

#[derive(Debug)]
enum SetSearch {
    Automata {
        first: Box<meta::Cache>,
        all: Box<meta::Cache>,
        found: regex_automata::PatternSet,
    },
    #[cfg(feature = "pcre2")]
    Pcre2(Vec<Successive>),
}

impl Clone for PatternFinder {
    fn clone(&self) -> PatternFinder {
        self.set.finder()
    }
}

impl PatternFinder {
    /// For each of `matches`, the first pattern that matches where it begins, or `None`. The
    /// [`Matcher`] found the matches in `haystack` one after the other, the first by a search from
    /// `from`.
    #[cfg_attr(
        not(feature = "pcre2"),
        expect(unused_variables, reason = "an automaton finds a match from where it begins")
    )]
    pub fn patterns_of(
        &mut self,
        haystack: &[u8],
        from: usize,
        matches: &[Range<usize>],
    ) -> Vec<Option<usize>> {
        match (&*self.set.compiled, &mut self.search) {
            (Compiled::Automata { first: regex, .. }, SetSearch::Automata { first: cache, .. }) => {
                let pattern_of = |span: &Range<usize>| {
                    let input = Input::new(haystack).range(span.start..).anchored(Anchored::Yes);
                    regex.search_half_with(cache, &input).map(|half| half.pattern().as_usize())
                };
                matches.iter().map(pattern_of).collect()
            }
            #[cfg(feature = "pcre2")]
            (_, SetSearch::Pcre2(searches)) => {
                searches.iter_mut().for_each(Successive::forget);
                // A match that includes more to its left than it shows (`\K`) is only found by the
                // original search, which disregards an empty match where the last one ended.
                let mut from = from;
                let pattern_of = |span: &Range<usize>| {
                    let after = std::mem::replace(&mut from, span.end).min(span.start);
                    searches.iter_mut().position(|search| {
                        let found = match find(search, haystack, after) {
                            Some(found) if found.is_empty() && found.start == after => {
                                find(search, haystack, span.start)
                            }
                            found => found,
                        };
                        found.is_some_and(|found| found.start == span.start)
                    })
                };
                matches.iter().map(pattern_of).collect()
            }
            #[cfg(feature = "pcre2")]
            _ => vec![None; matches.len()],
        }
    }

    /// The patterns that have a match within `range` of `haystack`, in ascending order; what stands
    /// around it is seen by look-around. With PCRE2, a pattern's first match in `range` must begin
    /// there and may end behind, and a pattern is missing if the engine gives up on it.
    pub fn patterns_in(&mut self, haystack: &[u8], range: Range<usize>) -> Vec<usize> {
        match (&*self.set.compiled, &mut self.search) {
            (
                Compiled::Automata { all: regex, .. },
                SetSearch::Automata { all: cache, found, .. },
            ) => {
                found.clear();
                let input = Input::new(haystack).range(range);
                regex.which_overlapping_matches_with(cache, &input, found);
                found.iter().map(|pattern| pattern.as_usize()).collect()
            }
            #[cfg(feature = "pcre2")]
            (_, SetSearch::Pcre2(searches)) => {
                let begins = |(index, search): (usize, &mut Successive)| {
                    search.forget();
                    let found = find(search, haystack, range.start)?;
                    (found.start <= range.end).then_some(index)
                };
                searches.iter_mut().enumerate().filter_map(begins).collect()
            }
            #[cfg(feature = "pcre2")]
            _ => Vec::new(),
        }
    }
}

/// The leftmost match from `at` on; none if the engine gives up.
#[cfg(feature = "pcre2")]
fn find(search: &mut Successive, haystack: &[u8], at: usize) -> Option<Range<usize>> {
    let found = search.find(haystack, at);
    search.take_failure();
    found
}
