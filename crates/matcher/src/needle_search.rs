//! A search of parts of a line, which may be too long to be in memory as a whole.

use std::ops::Range;

use regex_automata::util::prefilter::Prefilter;

use crate::alphabet::Alphabet;
use crate::literals::prefilter::prefilter;

/// A search for needles of which every line that matches contains at least one.
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
    alphabet: Option<Alphabet>,
}

impl NeedleSearch {
    /// A search for `set`. `None` if that is slower than a regex engine.
    pub(crate) fn new(
        set: &[Vec<u8>],
        is_exact: bool,
        alphabet: Option<Alphabet>,
    ) -> Option<NeedleSearch> {
        let longest = set.iter().map(Vec::len).max()?;
        prefilter(set).map(|search| NeedleSearch { search, longest, is_exact, alphabet })
    }

    /// Whether every line that contains a needle matches.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether a needle is in `part`.
    #[must_use]
    pub fn is_in(&self, part: &[u8]) -> bool {
        self.search.find(part, (0..part.len()).into()).is_some()
    }

    /// The first needle in `part` at or after `from`.
    #[must_use]
    pub fn find_at(&self, part: &[u8], from: usize) -> Option<Range<usize>> {
        self.search.find(part, (from..part.len()).into()).map(|span| span.start..span.end)
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

    /// The length of the longest needle in bytes. Parts of a line that overlap by one byte less
    /// miss none.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }
}
