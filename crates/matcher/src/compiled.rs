//! The patterns compiled, by one engine or the other.

use std::cell::OnceCell;
use std::sync::Arc;

use regex_automata::meta;
use regex_syntax::hir::Hir;

use crate::compile::ascii_hir::Ascii;
use crate::compile::line_safe::{self, LineEnds};
use crate::compile::over_approx::OverApprox;
use crate::compile::{parse, pcre2, pcre2_outline};
use crate::config::{Config, Engine};
use crate::error::Error;
use crate::exact::Exact;
use crate::finder::LineHit;
use crate::strategies::bit_parallel::Bits;
use crate::strategies::plan::{self, Plan};

/// Bytes of a one-pass engine, which only finds capture groups.
const ONEPASS_SIZE_LIMIT: usize = 10 << 20;
/// Bytes and states up to which a regex is compiled to a whole DFA at once; others get a lazy one.
const DENSE_SIZE_LIMIT: usize = 1 << 20;
const DENSE_STATE_LIMIT: usize = 1000;

/// What all workers share.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// Exact on a line alone. That of the default engine serves blocks too unless there is a `block`.
    pub(crate) exact: Exact,
    /// Matches in every line of a block in which `exact` matches, and perhaps in others.
    pub(crate) block: Option<meta::Regex>,
    pub(crate) plan: Plan,
    /// What to do with ASCII text where the engine would search it.
    pub(crate) ascii: Ascii,
    /// Whether the fast part of the engine gives up on bytes that are not ASCII.
    pub(crate) stops_at_non_ascii: bool,
    pub(crate) lines: LineEnds,
    /// What to ask first about haystacks that are searched as a whole, where they are not ASCII.
    pub(crate) over_approx: Option<OverApprox>,
}

impl Compiled {
    /// Compiles `patterns`, no two of which are equal.
    pub(crate) fn new(patterns: &[&str], config: &Config) -> Result<Compiled, Error> {
        match config.engine {
            Engine::Default => {
                Compiled::automata(patterns, config).map_err(Error::with_hint_at_pcre2)
            }
            Engine::Pcre2 => Compiled::pcre2(patterns, config),
            Engine::Auto => Compiled::automata(patterns, config).or_else(|default| {
                Compiled::pcre2(patterns, config).map_err(|pcre2| Error::both(&default, &pcre2))
            }),
        }
    }

    fn automata(patterns: &[&str], config: &Config) -> Result<Compiled, Error> {
        let hir = parse::expression(patterns, config)?;
        let mut lines = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
        let stops_at_non_ascii = hir.properties().look_set().contains_word_unicode();
        let (mut ascii, mut over_approx) = (Ascii::Nothing, None);
        let (exact, block, plan) = if config.multiline && line_safe::spans(&hir, lines.terminator) {
            let regex = compile(&hir, config)?;
            ascii = Ascii::of_whole(&hir);
            over_approx = OverApprox::new(&hir, engine(&hir, config));
            let plan = Plan::whole(&hir, regex.is_accelerated(), lines.terminator);
            (regex, None, plan)
        } else if config.multiline && config.crlf && line_safe::may_hold(&hir, b'\r') {
            // As in ripgrep, a match then may hold the `\r` of a terminator, which a line alone has lost.
            lines.crlf = false;
            (compile(&hir, config)?, None, Plan::Engine { has_literals: true })
        } else if plan::fits_every_line(&hir) {
            (compile(&hir, config)?, None, Plan::Every)
        } else {
            let (block_hir, is_exact) = line_safe::for_blocks(&hir, lines);
            let (line, block) = if is_exact {
                (compile(&block_hir, config)?, None)
            } else {
                (compile(&hir, config)?, Some(compile(&block_hir, config)?))
            };
            let scanner = block.as_ref().unwrap_or(&line);
            let of_block = OnceCell::new();
            let make = || of_block.get_or_init(|| Ascii::of(&block_hir, lines.terminator));
            let without = || make().cost();
            let plan = Plan::new(&block_hir, is_exact, scanner, without, lines.terminator);
            if plan.may_go_without() {
                make();
                ascii = of_block.into_inner().unwrap_or(Ascii::Nothing);
            }
            (line, block, plan)
        };
        let exact = Exact::Automata(exact);
        Ok(Compiled { exact, block, plan, ascii, stops_at_non_ascii, lines, over_approx })
    }

    /// What a place in a line of a block says that a search of the block has found.
    pub(crate) fn hit(&self, offset: usize) -> LineHit {
        match self.block {
            Some(_) => LineHit::Candidate(offset),
            None => LineHit::Confirmed(offset),
        }
    }

    /// Operations on bits that find lines of ASCII for certain.
    pub(crate) fn bits(&self) -> Option<&Bits> {
        match &self.ascii {
            Ascii::Search(ascii_hir) if self.block.is_none() => ascii_hir.bits(),
            _ => None,
        }
    }

    fn pcre2(patterns: &[&str], config: &Config) -> Result<Compiled, Error> {
        let exact = Exact::Pcre2(Arc::new(pcre2::compile(patterns, config)?));
        let outline = pcre2_outline::of(patterns, config);
        let plan = match config.multiline {
            // Nobody can tell whether PCRE2 matches a terminator, says ripgrep.
            true => Plan::whole_outlined(outline.as_ref()),
            false => Plan::outlined(outline.as_ref()),
        };
        let lines = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
        let ascii = Ascii::Nothing;
        let (block, over_approx, stops_at_non_ascii) = (None, None, false);
        Ok(Compiled { exact, block, plan, ascii, stops_at_non_ascii, lines, over_approx })
    }
}

fn compile(hir: &Hir, config: &Config) -> Result<meta::Regex, Error> {
    meta::Builder::new()
        .configure(engine(hir, config))
        .build_from_hir(hir)
        .map_err(|e| Error::build(&e))
}

/// How the regex engines are set up for `hir`.
fn engine(hir: &Hir, config: &Config) -> meta::Config {
    meta::Config::new()
        // In a state that three bytes at most lead out of, a whole DFA leaps to the next of them. Behind a literal in the
        // middle of an expression, regex-automata (0.4.18, `meta/stopat.rs`) leaps from the byte that led into the state,
        // and so takes it twice if it is one of the three. There is such a state only where a class has bytes that are no
        // UTF-8; the lazy DFA never leaps.
        .dfa(hir.properties().is_utf8())
        // Matches are found in bytes: an empty one may stand within a character.
        .utf8_empty(false)
        .nfa_size_limit(Some(config.size_limit))
        .onepass_size_limit(Some(ONEPASS_SIZE_LIMIT))
        .dfa_size_limit(Some(DENSE_SIZE_LIMIT))
        .dfa_state_limit(Some(DENSE_STATE_LIMIT))
        .hybrid_cache_capacity(config.dfa_size_limit)
        // Each finder has a cache of its own, so that none is in a pool. Unless told, the engine asks the system how large
        // that should be, which takes 19 calls.
        .pool_capacity(1)
}
