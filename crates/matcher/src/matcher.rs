//! Compiled patterns.

use std::collections::HashSet;
use std::sync::Arc;

use regex_syntax::hir::Hir;

use crate::captures::Captures;
use crate::compiled::{Compiled, Mode};
use crate::config::MatcherConfig;
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::needle_search::NeedleSearch;
use crate::reach::Reach;

/// Compiled patterns, shared by all workers. Each worker searches with its own
/// [`Finder`](crate::Finder).
#[derive(Clone, Debug)]
pub struct Matcher {
    pub(crate) compiled: Arc<Compiled>,
}

impl Matcher {
    /// Compiles `patterns`, joined as alternatives. No pattern at all matches nothing. What one of
    /// them matches alone, all match, and its groups have the numbers that they have alone.
    ///
    /// ```
    /// use heist_matcher::{Case, MatcherConfig, Matcher};
    ///
    /// let config = MatcherConfig { case: Case::Smart, ..MatcherConfig::default() };
    /// let mut finder = Matcher::new(["colou?r", "hue"], &config)?.finder();
    /// assert!(finder.is_match(b"Background-Color"));
    /// assert!(!finder.is_match(b"brightness"));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the engine does not understand a pattern, if a pattern needs a line terminator but may
    /// not match one, or if the compiled regex is too large.
    pub fn new(
        patterns: impl IntoIterator<Item: AsRef<str>>,
        config: &MatcherConfig,
    ) -> Result<Matcher, Error> {
        Ok(Matcher { compiled: Arc::new(Matcher::compile(patterns, config)?) })
    }

    /// What a matcher for `patterns` consists of.
    pub(crate) fn compile(
        patterns: impl IntoIterator<Item: AsRef<str>>,
        config: &MatcherConfig,
    ) -> Result<Compiled, Error> {
        let patterns: Vec<_> = patterns.into_iter().collect();
        let mut seen = HashSet::with_capacity(patterns.len());
        let patterns = patterns.iter().map(AsRef::as_ref).filter(|&p: &&str| seen.insert(p));
        Compiled::new(&patterns.collect::<Vec<_>>(), config)
    }

    /// Whether a match may hold a line terminator, so that haystacks have to be searched as a
    /// whole.
    ///
    /// This takes [`MatcherConfig::multiline`], and patterns that can match a terminator or, where
    /// `\n` ends lines, assert something about a place beside one (`^`, `$`, `\A`, `\z`); this is
    /// ripgrep's rule. PCRE2 counts as always able to.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let multiline = MatcherConfig { multiline: true, ..MatcherConfig::default() };
    /// assert!(Matcher::new([r"fn\s+main"], &multiline)?.spans_lines());
    /// assert!(!Matcher::new(["fn main"], &multiline)?.spans_lines());
    /// assert!(!Matcher::new([r"fn\s+main"], &MatcherConfig::default())?.spans_lines());
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn spans_lines(&self) -> bool {
        matches!(self.compiled.mode, Mode::Whole(_))
    }

    /// Where matches that [span lines](Matcher::spans_lines) may begin, and how far they may
    /// extend; `None` if nothing is known of that.
    #[must_use]
    pub fn reach(&self) -> Option<&Reach> {
        match &self.compiled.mode {
            Mode::Whole(whole) => whole.reach.as_deref(),
            Mode::Lines(_) | Mode::Query(_) => None,
        }
    }

    /// A search for needles such that every line that matches contains one; `None` if none are
    /// known or if [matches span lines](Matcher::spans_lines).
    #[must_use]
    pub fn needle_search(&self) -> Option<NeedleSearch> {
        let required = self.compiled.required.as_ref().filter(|_| !self.spans_lines())?;
        NeedleSearch::new(required, self.expression())
    }

    /// A test that every line that matches passes somewhere, and few others in a text that `sample`
    /// is a part of; `None` if no needles are known that are rare enough, or if [matches span
    /// lines](Matcher::spans_lines).
    #[must_use]
    pub fn fingerprint(&self, sample: &[u8]) -> Option<Fingerprint> {
        let required = self.compiled.required.as_ref().filter(|_| !self.spans_lines())?;
        Fingerprint::of(&required.needles, sample)
    }

    /// A test that every haystack with a match passes somewhere, and a search that finds a needle
    /// in it; `None` if no needles are known that are rare enough in a text that `sample` is a part
    /// of, or unless [matches span lines](Matcher::spans_lines).
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let multiline = MatcherConfig { multiline: true, ..MatcherConfig::default() };
    /// let matcher = Matcher::new([r"\s+zqneedle:"], &multiline)?;
    /// let (fingerprint, needles) = matcher.needles_of_spans(b"").expect("zqneedle:");
    /// assert!(fingerprint.passes_at(b"zqneedle:") && !fingerprint.passes_at(b"a needle:"));
    /// assert!(needles.is_in(b"\nzqneedle: x") && !needles.is_in(b"\nzqneedle"));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn needles_of_spans(&self, sample: &[u8]) -> Option<(Fingerprint, NeedleSearch)> {
        let required = self.compiled.required.as_ref().filter(|_| self.spans_lines())?;
        let fingerprint = Fingerprint::of(&required.needles, sample)?;
        Some((fingerprint, NeedleSearch::new(required, None)?))
    }

    /// The expression that every match matches; `None` with PCRE2, which has its own syntax.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let config = MatcherConfig { fixed_strings: true, ..MatcherConfig::default() };
    /// let matcher = Matcher::new(["a.b"], &config)?;
    /// assert_eq!(matcher.expression().map(|hir| hir.to_string()).as_deref(), Some(r"(?:a\.b)"));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn expression(&self) -> Option<&Hir> {
        self.compiled.exact.expression.as_deref()
    }

    /// Room for the groups of one match.
    #[must_use]
    pub fn captures(&self) -> Captures {
        self.compiled.exact.captures()
    }

    /// The number of the group called `name`. Group 0 is the whole match. If groups in several
    /// patterns have this name, or several groups in one pattern, it is a number by which
    /// [`Captures::get`](Captures::get) finds the one that takes part in a match.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let matcher = Matcher::new(["(?<n>a)(b)", "(x)(?<n>y)"], &MatcherConfig::default())?;
    /// let (n, mut captures) = (matcher.group_index("n").unwrap(), matcher.captures());
    /// assert!(matcher.finder().captures_at(b"xy", 0, &mut captures));
    /// assert_eq!((captures.get(1), captures.get(n)), (Some(0..1), Some(1..2)));
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.compiled.exact.group_index(name)
    }

    /// The names of all groups, sorted by their numbers; `None` for a group without a name. The
    /// first is the whole match, so there is always one more than the pattern has parentheses.
    /// Several patterns have groups from 1 on each: there are as many as in the pattern with the
    /// most, with the names that all patterns agree on.
    ///
    /// ```
    /// # use heist_matcher::{MatcherConfig, Matcher};
    /// let matcher = Matcher::new([r"(?<key>\w+)=(\d+)"], &MatcherConfig::default())?;
    /// assert_eq!(matcher.group_names(), [None, Some("key"), None]);
    /// # Ok::<(), heist_matcher::Error>(())
    /// ```
    #[must_use]
    pub fn group_names(&self) -> Vec<Option<&str>> {
        self.compiled.exact.group_names()
    }
}
