//! Patterns as the user typed them, compiled once into a [`Matcher`] that never matches across lines.

#![forbid(unsafe_code)]

use std::ops::Range;

use regex_automata::{Input, meta};

/// What a match must look like besides matching the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// Nothing more.
    #[default]
    None,
    /// No word character may touch either end from outside (`-w`).
    Word,
    /// The match must be the whole line (`-x`).
    Line,
}

/// How letter case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// As typed (`-s`).
    #[default]
    Sensitive,
    /// Unicode simple case folding (`-i`).
    Insensitive,
    /// Insensitive unless the patterns hold an upper-case literal (`-S`).
    Smart,
}

/// How patterns are read and compiled.
#[derive(Clone, Debug)]
pub struct Config {
    /// How letter case counts.
    pub case: Case,
    /// What a match must look like besides matching.
    pub boundary: Boundary,
    /// Patterns are literal text (`-F`).
    pub fixed_strings: bool,
    /// Unicode classes, folding and word characters; off with `--no-unicode`.
    pub unicode: bool,
    /// The byte that ends a line and can never be part of a match.
    pub line_terminator: u8,
    /// Refuse patterns that can only match a NUL byte (binary detection is on).
    pub ban_nul: bool,
    /// Bytes that the compiled program may take.
    pub size_limit: usize,
    /// Bytes that the cache of the lazy DFA may take.
    pub dfa_size_limit: usize,
}

/// Why patterns could not be compiled.
#[derive(Clone, Debug)]
pub struct Error {
    message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Compiled patterns, shared by all workers. Each worker searches with its own [`Finder`].
#[derive(Clone, Debug)]
pub struct Matcher {
    regex: meta::Regex,
    line_terminator: u8,
}

/// A place in the haystack that tells in which line to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineHit {
    /// The line holding this offset matches; the offset lies within the match or at its end.
    Confirmed(usize),
    /// The line holding this offset may match; ask [`Finder::is_match`] on that line alone.
    Candidate(usize),
}

impl Matcher {
    /// Compile `patterns`, joined as alternatives. No pattern at all matches nothing.
    ///
    /// # Errors
    /// A pattern that is not a regex, that needs a line terminator, or whose program is too large.
    pub fn new(patterns: &[String], config: &Config) -> Result<Matcher, Error> {
        let regex = meta::Regex::builder()
            .configure(meta::Config::new().utf8_empty(false))
            .syntax(regex_automata::util::syntax::Config::new().multi_line(true).utf8(false))
            .build_many(patterns)
            .map_err(|e| Error { message: e.to_string() })?;
        Ok(Matcher { regex, line_terminator: config.line_terminator })
    }

    /// A searcher of its own for one worker: the compiled program is shared, the scratch space is not.
    #[must_use]
    pub fn finder(&self) -> Finder {
        Finder { cache: self.regex.create_cache(), matcher: self.clone() }
    }
}

/// One worker's means of searching: a shared [`Matcher`] and private scratch space.
#[derive(Debug)]
pub struct Finder {
    matcher: Matcher,
    cache: meta::Cache,
}

impl Finder {
    /// The byte that ends a line.
    #[must_use]
    pub fn line_terminator(&self) -> u8 {
        self.matcher.line_terminator
    }

    /// The leftmost match that starts at or after `at`; look-around may see what stands before `at`.
    /// `haystack` is one line without its terminator, or a block of whole lines.
    pub fn find_at(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>> {
        let input = Input::new(haystack).range(at..);
        self.matcher.regex.search_with(&mut self.cache, &input).map(|m| m.range())
    }

    /// Whether anything matches in `haystack` (one line without its terminator, or a block of whole lines).
    pub fn is_match(&mut self, haystack: &[u8]) -> bool {
        let input = Input::new(haystack).earliest(true);
        self.matcher.regex.search_half_with(&mut self.cache, &input).is_some()
    }

    /// The first place at or after `at` whose line matches or is worth checking. `at` must be the start of a line.
    /// None: no line from `at` on can match, whatever follows `haystack`'s end does not count.
    pub fn find_candidate_line(&mut self, haystack: &[u8], at: usize) -> Option<LineHit> {
        let input = Input::new(haystack).range(at..).earliest(true);
        self.matcher.regex.search_half_with(&mut self.cache, &input).map(|m| LineHit::Confirmed(m.offset()))
    }
}
