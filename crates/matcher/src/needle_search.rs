//! Searches parts of a line, which may be too long to be in memory as a whole.

use std::ops::Range;

use regex_syntax::hir::{Hir, HirKind};

use crate::alphabet::Alphabet;
use crate::compiled::Required;
use crate::literals::prefilter::{Prefilter, prefilter};

/// A search for needles such that every line that matches contains at least one.
///
/// ```
/// # use heist_matcher::{MatcherConfig, Matcher};
/// let matcher = Matcher::new([r"static\s+int"], &MatcherConfig::default())?;
/// let needles = matcher.needle_search().expect("static");
/// assert!(!needles.is_in(b"an int that is not "));
/// assert!(needles.is_in(b"static "));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NeedleSearch {
    search: Prefilter,
    longest: usize,
    is_exact: bool,
    are_matches: bool,
    are_common: bool,
    alphabet: Option<Alphabet>,
    longest_match: Option<usize>,
}

impl NeedleSearch {
    /// A search for what is `required` of a match, for `expression` if that is known; `None` if it
    /// is slower than a regex engine.
    pub(crate) fn new(required: &Required, expression: Option<&Hir>) -> Option<NeedleSearch> {
        let Required { needles, is_exact, is_common, alphabet } = required;
        let are_matches = match (expression.map(Hir::kind), &needles[..]) {
            (Some(HirKind::Literal(literal)), [needle]) if *literal.0 == **needle => {
                let overlaps_itself = (1..needle.len()).any(|at| needle.starts_with(&needle[at..]));
                *is_exact && !overlaps_itself
            }
            _ => false,
        };
        Some(NeedleSearch {
            search: prefilter(needles)?,
            longest: needles.iter().map(Vec::len).max()?,
            is_exact: *is_exact,
            are_matches,
            are_common: *is_common,
            alphabet: alphabet.clone(),
            longest_match: expression.and_then(|hir| hir.properties().maximum_len()),
        })
    }

    /// Whether every line that contains a needle matches.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether the matches are the needles, all of them, and no two overlap.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let are_matches = |pattern| {
    ///     let matcher = Matcher::new([pattern], &MatcherConfig::default()).unwrap();
    ///     matcher.needle_search().is_some_and(|needles| needles.are_matches())
    /// };
    /// assert!(are_matches("static"));
    /// assert!(!are_matches(r"static\s+int") && !are_matches("static *") && !are_matches("anan"));
    /// ```
    #[must_use]
    pub fn are_matches(&self) -> bool {
        self.are_matches
    }

    /// Whether the needles are so common in sources that a [search of
    /// parts](crate::Finder::part_search), which there is then, is faster.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let are_common = |pattern| {
    ///     let matcher = Matcher::new([pattern], &MatcherConfig::default()).unwrap();
    ///     matcher.needle_search().is_some_and(|needles| needles.are_common())
    /// };
    /// assert!(are_common(r"\p{Greek}e") && !are_common(r"\p{Greek}zq"));
    /// ```
    #[must_use]
    pub fn are_common(&self) -> bool {
        self.are_common
    }

    /// Whether a needle is in `part`.
    #[must_use]
    pub fn is_in(&self, part: &[u8]) -> bool {
        self.search.find(part, 0..part.len()).is_some()
    }

    /// The first needle in `part` at or after `from`.
    #[must_use]
    pub fn find_at(&self, part: &[u8], from: usize) -> Option<Range<usize>> {
        self.search.find(part, from..part.len())
    }

    /// Whether no match contains `byte`. Then a match that contains a needle lies between the
    /// nearest such bytes before and after the needle, and depends on them and the characters next
    /// to it, but on nothing beyond. False if matches depend on more.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let matcher = Matcher::new([r"static\s+int"], &MatcherConfig::default())?;
    /// let needles = matcher.needle_search().expect("static");
    /// assert!(needles.is_separator(b';') && !needles.is_separator(b' '));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn is_separator(&self, byte: u8) -> bool {
        self.alphabet.as_ref().is_some_and(|alphabet| !alphabet.has(byte))
    }

    /// The length of the longest match in bytes; `None` if there is no limit to it.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let longest_match = |pattern| {
    ///     let matcher = Matcher::new([pattern], &MatcherConfig::default()).unwrap();
    ///     matcher.needle_search().expect("foo").longest_match()
    /// };
    /// assert_eq!([r"foo\b", r"foo.?", "foo.*"].map(longest_match), [Some(3), Some(7), None]);
    /// ```
    #[must_use]
    pub fn longest_match(&self) -> Option<usize> {
        self.longest_match
    }

    /// How many bytes the longest needle has. Parts of a line that overlap by one byte less miss
    /// none.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }
}
