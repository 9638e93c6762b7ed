//! Patterns as the user typed them, compiled once into a [`Matcher`] that never matches across lines.
//!
//! | file | what it does |
//! |---|---|
//! | `config` | what can be asked for |
//! | `parse`, `case` | text → one expression: syntax, smart case, plain text, `-w`, `-x` |
//! | `lines` | the expression made safe for lines, and its form for blocks of lines |
//! | `required`, `rarity` | literals that every match contains, and how seldom they are |
//! | `many` | a search for hundreds of literals at once |
//! | `plan` | which way to skim a block |
//! | `finder` | the calls of one worker |
//! | `captures` | what the groups of a pattern matched |
//! | `error` | why patterns are refused, in ripgrep's words |
//!
//! The law of the crate: what [`Finder::find_candidate_line`] and [`Finder::is_match`] together say
//! of the lines of a block is what the plain regex says of each line alone.

#![forbid(unsafe_code)]

mod captures;
mod case;
mod config;
mod error;
mod finder;
mod lines;
mod many;
mod parse;
mod plan;
mod rarity;
mod required;

use std::sync::Arc;

use regex_automata::meta;

pub use captures::Captures;
pub use config::{Boundary, Case, Config, Engine};
pub use error::{Error, ErrorKind};
pub use finder::{Finder, LineHit};

/// Bytes of a one-pass engine, which only finds capture groups.
const ONEPASS_SIZE_LIMIT: usize = 10 << 20;
/// Bytes and states up to which a regex is compiled to a whole DFA at once; others get a lazy one.
const DENSE_SIZE_LIMIT: usize = 1 << 20;
const DENSE_STATE_LIMIT: usize = 1000;

/// Compiled patterns, shared by all workers. Each worker searches with its own [`Finder`].
#[derive(Clone, Debug)]
pub struct Matcher {
    pub(crate) program: Arc<Program>,
}

#[derive(Debug)]
pub(crate) struct Program {
    /// Exact on a line alone; serves blocks too unless there is a `block`.
    pub(crate) line: meta::Regex,
    /// Matches in every line of a block in which `line` matches, and perhaps in others.
    pub(crate) block: Option<meta::Regex>,
    pub(crate) plan: plan::Plan,
    /// Whether the fast part of the engine gives up on bytes that are not ASCII.
    pub(crate) stops_at_non_ascii: bool,
    pub(crate) lines: lines::Lines,
}

impl Matcher {
    /// Compile `patterns`, joined as alternatives. No pattern at all matches nothing.
    ///
    /// # Errors
    /// A pattern that is not a regex, that needs a line terminator, or whose program is too large.
    pub fn new(patterns: &[String], config: &Config) -> Result<Matcher, Error> {
        let hir = parse::expression(patterns, config)?;
        let compile = |hir| {
            meta::Builder::new()
                .configure(engine(config))
                .build_from_hir(hir)
                .map_err(|e| Error::build(&e))
        };
        let mut lines = lines::Lines { terminator: config.line_terminator, crlf: config.crlf };
        let stops_at_non_ascii = hir.properties().look_set().contains_word_unicode();
        let (line, block, plan) = if config.multiline && lines::spans(&hir, lines.terminator) {
            (compile(&hir)?, None, plan::Plan::Whole)
        } else if config.multiline && config.crlf && lines::may_hold(&hir, b'\r') {
            // As in ripgrep, a match then may hold the `\r` of a terminator, which a line alone has lost.
            lines.crlf = false;
            (compile(&hir)?, None, plan::Plan::Regex)
        } else {
            let (block_hir, exact) = lines::for_blocks(hir.clone(), lines);
            let (line, block) = if exact {
                (compile(&block_hir)?, None)
            } else {
                (compile(&hir)?, Some(compile(&block_hir)?))
            };
            let skimmer = block.as_ref().unwrap_or(&line);
            let plan = plan::Plan::new(&block_hir, exact, skimmer, lines.terminator);
            (line, block, plan)
        };
        let program = Program { line, block, plan, stops_at_non_ascii, lines };
        Ok(Matcher { program: Arc::new(program) })
    }

    /// Whether a match may hold a line terminator, so that haystacks have to be searched as a whole. Only with
    /// [`Config::multiline`], and only if the patterns can match one or, where `\n` ends lines, look for a place
    /// beside one (`^`, `$`, `\A`, `\z`): this is ripgrep's rule.
    #[must_use]
    pub fn spans_lines(&self) -> bool {
        matches!(self.program.plan, plan::Plan::Whole)
    }

    /// Room for what the groups of one match are.
    #[must_use]
    pub fn captures(&self) -> Captures {
        Captures::new(self.program.line.create_captures())
    }

    /// The number of the group called `name`. Group 0 is the whole match.
    #[must_use]
    pub fn group_index(&self, name: &str) -> Option<usize> {
        self.program.line.group_info().to_index(regex_automata::PatternID::ZERO, name)
    }

    /// A searcher of its own for one worker: the compiled program is shared, the scratch space is not.
    #[must_use]
    pub fn finder(&self) -> Finder {
        Finder::new(self.clone())
    }
}

/// How the regex engines are set up.
fn engine(config: &Config) -> meta::Config {
    meta::Config::new()
        // Matches are found in bytes: an empty one may stand within a character.
        .utf8_empty(false)
        .nfa_size_limit(Some(config.size_limit))
        .onepass_size_limit(Some(ONEPASS_SIZE_LIMIT))
        .dfa_size_limit(Some(DENSE_SIZE_LIMIT))
        .dfa_state_limit(Some(DENSE_STATE_LIMIT))
        .hybrid_cache_capacity(config.dfa_size_limit)
}
