//! The patterns compiled: the exact search, and how to find the lines or haystacks to run it on.

use std::sync::Arc;

use regex_automata::meta;
use regex_syntax::hir::Hir;

use crate::alphabet::Alphabet;
use crate::compile::{line_safe, parse};
use crate::conditions::LineConditions;
use crate::config::{Engine, MatcherConfig};
use crate::error::{Error, ErrorKind};
use crate::exact::Exact;
use crate::lines::LineEnds;
use crate::literals::long_line::LongLineTest;
use crate::literals::required::Literals;
use crate::literals::sets::MAX_NEEDLES;
use crate::strategies::engine;
use crate::strategies::expression::Expression;
use crate::strategies::levels::Levels;
use crate::strategies::plans;
use crate::strategies::strategy::Strategy;
use crate::whole::Whole;

/// Bytes of a one-pass engine, which only finds capture groups.
const ONEPASS_SIZE_LIMIT: usize = 10 << 20;
/// Bytes and states up to which a regex is compiled to a whole DFA at once; others get a lazy one.
const DENSE_SIZE_LIMIT: usize = 1 << 20;
const DENSE_STATE_LIMIT: usize = 1000;

/// What all workers share.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// Decides on a line alone.
    pub(crate) exact: Exact,
    pub(crate) mode: Mode,
    /// None if no few literals are known.
    pub(crate) required: Option<Required>,
}

/// A few literals, of which every match contains one.
#[derive(Debug)]
pub(crate) struct Required {
    pub(crate) needles: Vec<Vec<u8>>,
    /// Whether every line that contains a needle matches.
    pub(crate) is_exact: bool,
    /// Whether the needles are so common that it is faster to search parts of a line without them.
    pub(crate) is_common: bool,
    /// The bytes that matches contain, if parts of a line that other bytes separate can be searched
    /// alone.
    pub(crate) alphabet: Option<Alphabet>,
}

/// How haystacks are searched. Each worker has a copy of its own.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a worker has one")]
pub(crate) enum Mode {
    /// Blocks of lines, for lines that match or may match.
    Lines(Levels),
    /// As a whole.
    Whole(Whole),
    /// Blocks of lines, for lines that meet conditions.
    Query(Box<dyn LineConditions>),
}

/// What [`Compiled`] consists of.
type Parts = (Exact, Mode, Option<Required>);

impl Compiled {
    /// Compiles `patterns`, which all differ.
    pub(crate) fn new(patterns: &[&str], config: &MatcherConfig) -> Result<Compiled, Error> {
        let (exact, mode, required) = match config.engine {
            Engine::Default => automata(patterns, config),
            Engine::Pcre2 => pcre2(patterns, config),
            Engine::Auto => automata(patterns, config)
                .or_else(|default| pcre2(patterns, config).map_err(|pcre2| default.beside(pcre2))),
        }?;
        Ok(Compiled { exact, mode, required })
    }
}

impl Required {
    /// The cheapest of the `literals` of matches that span lines, if they are few.
    fn of_spans(literals: &Literals) -> Option<Required> {
        let (needles, _) =
            literals.best().filter(|(set, _)| (1..=MAX_NEEDLES).contains(&set.len()))?;
        Some(Required { needles, is_exact: false, is_common: false, alphabet: None })
    }
}

fn automata(patterns: &[&str], config: &MatcherConfig) -> Result<Parts, Error> {
    let (hir, names) = parse::expression(patterns, config)?;
    let hir = Arc::new(hir);
    let spans = config.multiline && line_safe::spans(&hir, config.line_terminator);
    let (exact, mode, required) =
        if spans { as_a_whole(&hir, config) } else { by_lines(&hir, config) }?;
    Ok((Exact { names, ..exact }, mode, required))
}

/// The regex for haystacks as a whole, and what is searched for before it.
fn as_a_whole(hir: &Arc<Hir>, config: &MatcherConfig) -> Result<Parts, Error> {
    let ends = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
    let (regex, literals) = (compile(hir, config)?, Literals::of(hir));
    let engine = engine_config(hir.properties().is_utf8(), config);
    let whole = Whole::new(hir, &literals, &regex, engine, ends.terminator);
    let exact = Exact::automata(regex, hir, hir, ends);
    Ok((exact, Mode::Whole(whole), Required::of_spans(&literals)))
}

/// The regex for lines alone, and the strategies that find lines for it in a block.
fn by_lines(hir: &Arc<Hir>, config: &MatcherConfig) -> Result<Parts, Error> {
    if config.multiline && config.crlf && line_safe::may_hold(hir, b'\r') {
        return with_cr(hir, config);
    }
    let ends = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
    let (block_hir, is_exact) = line_safe::for_blocks(hir, ends);
    let block = if is_exact { None } else { Some(compile(&block_hir, config)?) };
    let exact_hir = if is_exact { &*block_hir } else { &**hir };
    let regex = compile(exact_hir, config)?;
    let expression = Expression::new(hir, &block_hir, ends.terminator, &regex, block);
    let levels = Levels::new(plans::choose(&expression));
    // No part of a line is searched where a `\r` may belong to the terminator: what matches before
    // it depends on what follows the line.
    let few = expression.needles().filter(|needles| (1..=MAX_NEEDLES).contains(&needles.set.len()));
    let required = few.map(|needles| Required {
        needles: needles.set.to_vec(),
        is_exact: needles.is_exact,
        is_common: !config.crlf && levels.first().searches_parts(),
        alphabet: (!config.crlf).then(|| Alphabet::of(exact_hir, ends.terminator)),
    });
    drop(expression);
    let exact = Exact::automata(regex, exact_hir, hir, ends);
    let exact = Exact { long_lines: Some(LongLineTest::of(hir)), ..exact };
    Ok((exact, Mode::Lines(levels), required))
}

/// The regex for lines with their terminators of two bytes, and the engine.
///
/// As in ripgrep, a match may hold the `\r` of a terminator with `-U`. A line alone has lost it, so
/// that no line which only may match can be confirmed: the engine finds the lines that do.
fn with_cr(hir: &Arc<Hir>, config: &MatcherConfig) -> Result<Parts, Error> {
    let ends = LineEnds { terminator: config.line_terminator, crlf: false };
    let stops_at_non_ascii = hir.properties().look_set().contains_word_unicode();
    let exact = Exact::automata(compile(hir, config)?, hir, hir, ends);
    let engine = Strategy::Engine(engine::Engine::exact(stops_at_non_ascii));
    Ok((exact, Mode::Lines(Levels::new(("engine", vec![engine]))), None))
}

#[cfg(feature = "pcre2")]
fn pcre2(patterns: &[&str], config: &MatcherConfig) -> Result<Parts, Error> {
    use crate::compile::{pcre2, pcre2_outline};

    let regexes = pcre2::compile(patterns, config)?;
    let ends = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
    let outline = pcre2_outline::of(patterns, config);
    let literals = outline.as_ref().map(Literals::of);
    // As in ripgrep, which does not know whether PCRE2 matches a terminator.
    let (mode, required) = if config.multiline {
        let whole = Whole::outlined(outline.as_ref().zip(literals.as_ref()));
        (Mode::Whole(whole), literals.as_ref().and_then(Required::of_spans))
    } else {
        let ascii = pcre2_outline::of_ascii(patterns, config);
        let plan = plans::for_pcre2(literals.as_ref(), ascii.as_ref(), ends.terminator);
        (Mode::Lines(Levels::new(plan)), None)
    };
    Ok((Exact::pcre2(regexes, ends), mode, required))
}

#[cfg(not(feature = "pcre2"))]
fn pcre2(_: &[&str], _: &MatcherConfig) -> Result<Parts, Error> {
    Err(Error::new(ErrorKind::NoPcre2))
}

fn compile(hir: &Hir, config: &MatcherConfig) -> Result<meta::Regex, Error> {
    let builder = &mut meta::Builder::new();
    let engine = engine_config(hir.properties().is_utf8(), config);
    builder.configure(engine).build_from_hir(hir).map_err(|e| refused(&e))
}

/// The reason why the engines refuse an expression.
pub(crate) fn refused(error: &meta::BuildError) -> Error {
    Error::new(match error.size_limit() {
        Some(limit) => ErrorKind::SizeLimit(limit),
        None => ErrorKind::Engine(error.to_string()),
    })
}

/// How the regex engines are set up for an expression. `is_utf8` if all its matches are.
pub(crate) fn engine_config(is_utf8: bool, config: &MatcherConfig) -> meta::Config {
    meta::Config::new()
        // docs/decisions/0035-no-dense-dfa-for-bytes.md: behind a literal in the middle of a
        // pattern, regex-automata 0.4.18 can take a byte twice. That is only possible where a class
        // has bytes that are not UTF-8.
        .dfa(is_utf8)
        // Matches are found in bytes: an empty one may stand within a character.
        .utf8_empty(false)
        .nfa_size_limit(Some(config.size_limit))
        .onepass_size_limit(Some(ONEPASS_SIZE_LIMIT))
        .dfa_size_limit(Some(DENSE_SIZE_LIMIT))
        .dfa_state_limit(Some(DENSE_STATE_LIMIT))
        .hybrid_cache_capacity(config.dfa_size_limit)
        // Each finder has its own cache, so none is in the pool. For a default capacity, the engine
        // would count the cores, which takes 19 system calls.
        .pool_capacity(1)
}
