//! Patterns as the user typed them, compiled once into a [`Matcher`], which matches across lines only if asked to.
//!
//! | file | what it does |
//! |---|---|
//! | `config` | what can be asked for |
//! | `parse`, `case` | text → one expression: syntax, smart case, plain text, `-w`, `-x` |
//! | `lines` | the expression made safe for lines, and its form for blocks of lines |
//! | `required`, `rarity` | literals that every match contains, and how seldom they are |
//! | `many` | a search for hundreds of literals at once, or for some in either case |
//! | `words` | and for words that stand alone, however many |
//! | `guarded` | a search for one literal between assertions |
//! | `fold` | the expression in lower case, which has fewer literals |
//! | `pcre` | PCRE2: the patterns compiled, and searches that may fail |
//! | `outline` | a regex that matches wherever a pattern of PCRE2 matches, for its literals |
//! | `loose` | the expression without what is slow to tell in haystacks searched as a whole |
//! | `program` | what all of these make of the patterns |
//! | `exact` | the search that has the last word, by either engine |
//! | `plan` | which way to skim a block |
//! | `skim` | a block skimmed by the engine, and by what is faster where it is ASCII |
//! | `ascii` | the expression for ASCII text |
//! | `bits` | such an expression as arithmetic on words of bits, which takes 64 bytes of text at a time |
//! | `streams` | and as an automaton that steps through several places at once, where it is too much for `bits` |
//! | `pace` | when a way of skimming stops too often to be worth it |
//! | `scan` | what is known of a block ahead of the line that is asked for |
//! | `finder` | the calls of one worker |
//! | `count` | lines counted instead of told |
//! | `captures` | what the groups of a pattern matched |
//! | `error` | why patterns are refused, in ripgrep's words |
//!
//! The law of the crate: what [`Finder::next_line`] and [`Finder::is_match`] together say
//! of the lines of a block is what the plain regex says of each line alone.

// Only `bits/avx2.rs` may: it calls what is compiled for some processors.
#![deny(unsafe_code)]

mod ascii;
mod bits;
mod captures;
mod case;
mod config;
mod count;
mod error;
mod exact;
mod finder;
mod fold;
mod guarded;
mod lines;
mod loose;
mod many;
mod outline;
mod pace;
mod parse;
mod pcre;
mod plan;
mod program;
mod rarity;
mod reach;
mod required;
mod scan;
mod skim;
mod streams;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

pub use captures::Captures;
pub use config::{Boundary, Case, Config, Engine};
pub use error::{Error, ErrorKind};
pub use finder::{Finder, LineHit};
pub use pcre::pcre2_version;
pub use reach::Reach;
pub use scan::Scan;

use plan::Plan;
use program::Program;

/// Compiled patterns, shared by all workers. Each worker searches with its own [`Finder`].
#[derive(Clone, Debug)]
pub struct Matcher {
    pub(crate) program: Arc<Program>,
}

impl Matcher {
    /// Compile `patterns`, joined as alternatives. No pattern at all matches nothing.
    ///
    /// # Errors
    /// A pattern that the engine does not understand, that needs a line terminator which it may not match, or whose
    /// program is too large.
    pub fn new(patterns: &[String], config: &Config) -> Result<Matcher, Error> {
        let mut seen = HashSet::with_capacity(patterns.len());
        let patterns: Vec<&str> =
            patterns.iter().map(String::as_str).filter(|&p| seen.insert(p)).collect();
        let program = Program::new(&patterns, config)?;
        Ok(Matcher { program: Arc::new(program) })
    }

    /// Whether a match may hold a line terminator, so that haystacks have to be searched as a whole. Only with
    /// [`Config::multiline`], and only if the patterns can match one or, where `\n` ends lines, look for a place
    /// beside one (`^`, `$`, `\A`, `\z`): this is ripgrep's rule. PCRE2 is taken to be able to do so always.
    #[must_use]
    pub fn spans_lines(&self) -> bool {
        matches!(self.program.plan, Plan::Whole { .. })
    }

    /// Where matches [span lines](Matcher::spans_lines), where they may begin and how far they may do so, if something is known of that.
    #[must_use]
    pub fn reach(&self) -> Option<&Reach> {
        match &self.program.plan {
            Plan::Whole { reach, .. } => reach.as_ref(),
            _ => None,
        }
    }

    /// Room for what the groups of one match are.
    #[must_use]
    pub fn captures(&self) -> Captures {
        self.program.exact.captures()
    }

    /// The number of the group called `name`. Group 0 is the whole match.
    #[must_use]
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.program.exact.group_index(name)
    }

    /// A searcher of its own for one worker: the compiled program is shared, the scratch space is not.
    #[must_use]
    pub fn finder(&self) -> Finder {
        Finder::new(self.clone())
    }
}
