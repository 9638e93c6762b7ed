//! Patterns as the user typed them, compiled once into a [`Matcher`], which matches across lines only if asked to.
//!
//! | room | what it does |
//! |---|---|
//! | `config`, `error` | what the caller may choose, and why patterns are refused |
//! | `compile` | text → expressions: parsing, smart case, line safety, the forms for blocks and for ASCII text, PCRE2 |
//! | `literals` | literals that every match contains, and what it costs to search for them |
//! | `strategies` | the ways to find the lines of a block that match or may match, and the choice between them |
//! | `compiled` | what all of these make of the patterns |
//! | `exact` | the search that has the last word, by either engine |
//! | `finder`, `count`, `block_scan` | the calls of one worker |
//! | `captures`, `reach` | the groups of a match; how far a match across lines may extend |
//!
//! The law of the crate: what [`Finder::next_line`] and [`Finder::is_match`] together say
//! of the lines of a block is what the plain regex says of each line alone.

// Only `bits/avx2.rs` may: it calls what is compiled for some processors.
#![deny(unsafe_code)]

mod block_scan;
mod captures;
mod compile;
mod compiled;
mod config;
mod count;
mod error;
mod exact;
mod finder;
mod literals;
mod reach;
mod strategies;

use std::collections::HashSet;
use std::sync::Arc;

pub use block_scan::BlockScan;
pub use captures::Captures;
pub use compile::pcre2::pcre2_version;
pub use config::{Boundary, Case, Config, Engine};
pub use error::{Error, ErrorKind};
pub use finder::{Finder, LineHit};
pub use reach::Reach;

use compiled::Compiled;
use strategies::plan::Plan;

/// Compiled patterns, shared by all workers. Each worker searches with its own [`Finder`].
#[derive(Clone, Debug)]
pub struct Matcher {
    pub(crate) compiled: Arc<Compiled>,
}

impl Matcher {
    /// Compile `patterns`, joined as alternatives. No pattern at all matches nothing.
    ///
    /// # Errors
    /// A pattern that the engine does not understand, that needs a line terminator which it may not match, or whose
    /// compiled is too large.
    pub fn new(patterns: &[String], config: &Config) -> Result<Matcher, Error> {
        let mut seen = HashSet::with_capacity(patterns.len());
        let patterns: Vec<&str> =
            patterns.iter().map(String::as_str).filter(|&p| seen.insert(p)).collect();
        let compiled = Compiled::new(&patterns, config)?;
        Ok(Matcher { compiled: Arc::new(compiled) })
    }

    /// Whether a match may hold a line terminator, so that haystacks have to be searched as a whole. Only with
    /// [`Config::multiline`], and only if the patterns can match one or, where `\n` ends lines, look for a place
    /// beside one (`^`, `$`, `\A`, `\z`): this is ripgrep's rule. PCRE2 is taken to be able to do so always.
    #[must_use]
    pub fn spans_lines(&self) -> bool {
        matches!(self.compiled.plan, Plan::Whole { .. })
    }

    /// Where matches [span lines](Matcher::spans_lines), where they may begin and how far they may do so, if something is known of that.
    #[must_use]
    pub fn reach(&self) -> Option<&Reach> {
        match &self.compiled.plan {
            Plan::Whole { reach, .. } => reach.as_ref(),
            _ => None,
        }
    }

    /// Room for what the groups of one match are.
    #[must_use]
    pub fn captures(&self) -> Captures {
        self.compiled.exact.captures()
    }

    /// The number of the group called `name`. Group 0 is the whole match.
    #[must_use]
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.compiled.exact.group_index(name)
    }

    /// A searcher of its own for one worker: the compiled compiled is shared, the scratch space is not.
    #[must_use]
    pub fn finder(&self) -> Finder {
        Finder::new(self.clone())
    }
}
