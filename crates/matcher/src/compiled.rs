//! The patterns compiled: the exact search, and how to find the lines or haystacks to run it on.

use std::sync::Arc;

use regex_automata::meta;
use regex_syntax::hir::Hir;

use crate::alphabet::Alphabet;
use crate::compile::{line_safe, parse};
use crate::config::{Engine, MatcherConfig};
use crate::error::{Error, ErrorKind};
use crate::exact::Exact;
use crate::lines::LineEnds;
use crate::literals::long_line::LongLineTest;
use crate::literals::sets::MAX_NEEDLES;
use crate::strategies::constant::{EveryLine, fits_every_line};
use crate::strategies::engine;
use crate::strategies::expression::Expression;
use crate::strategies::levels::Levels;
use crate::strategies::table::{self, Strategy};
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
    /// Every line that matches contains one of these needles, unless there are none.
    pub(crate) needles: Vec<Vec<u8>>,
    /// Whether the needles are so common that it is faster to search parts of a line without them.
    pub(crate) are_common: bool,
    /// Whether every line that contains a needle matches.
    pub(crate) are_exact: bool,
    /// What matches, but for what lies beside a match; none with PCRE2.
    pub(crate) expression: Option<Arc<Hir>>,
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
}

impl Compiled {
    /// Compiles `patterns`, which all differ.
    pub(crate) fn new(patterns: &[&str], config: &MatcherConfig) -> Result<Compiled, Error> {
        match config.engine {
            Engine::Default => Compiled::automata(patterns, config),
            Engine::Pcre2 => Compiled::pcre2(patterns, config),
            Engine::Auto => Compiled::automata(patterns, config).or_else(|default| {
                Compiled::pcre2(patterns, config).map_err(|pcre2| match pcre2.kind() {
                    ErrorKind::NoPcre2 => default,
                    _ => Error::new(ErrorKind::Both {
                        default: Box::new(default),
                        pcre2: Box::new(pcre2),
                    }),
                })
            }),
        }
    }

    fn automata(patterns: &[&str], config: &MatcherConfig) -> Result<Compiled, Error> {
        let (hir, names) = parse::expression(patterns, config)?;
        let mut compiled = Compiled::expression(hir, config)?;
        compiled.exact.names = names;
        Ok(compiled)
    }

    fn expression(hir: Hir, config: &MatcherConfig) -> Result<Compiled, Error> {
        let mut ends = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
        let levels = |strategy| Mode::Lines(Levels::new(vec![strategy]));
        let (regex, mode) = if config.multiline && line_safe::spans(&hir, ends.terminator) {
            let regex = compile(&hir, config)?;
            let whole = Whole::new(
                &hir,
                &regex,
                engine_config(hir.properties().is_utf8(), config),
                ends.terminator,
            );
            (regex, Mode::Whole(whole))
        } else if config.multiline && config.crlf && line_safe::may_hold(&hir, b'\r') {
            // As in ripgrep, a match then may hold the `\r` of a terminator, which a line alone has
            // lost.
            ends.crlf = false;
            let stops_at_non_ascii = hir.properties().look_set().contains_word_unicode();
            let engine = engine::Engine::exact(stops_at_non_ascii);
            (compile(&hir, config)?, levels(Strategy::Engine(engine)))
        } else if fits_every_line(&hir) {
            let every_line = EveryLine { is_exact: true };
            (compile(&hir, config)?, levels(Strategy::EveryLine(every_line)))
        } else {
            return by_lines(hir, ends, config);
        };
        let exact = Exact::automata(regex, &hir, ends);
        let needles = Vec::new();
        Ok(Compiled {
            exact,
            mode,
            needles,
            are_common: false,
            are_exact: false,
            expression: Some(Arc::new(hir)),
            alphabet: None,
        })
    }

    #[cfg(feature = "pcre2")]
    fn pcre2(patterns: &[&str], config: &MatcherConfig) -> Result<Compiled, Error> {
        use crate::compile::{pcre2, pcre2_outline};
        use crate::literals::required::Required;
        use crate::strategies::bit_parallel::BitParallel;
        use crate::strategies::line_by_line::LineByLine;

        let regexes = pcre2::compile(patterns, config)?;
        let outline = pcre2_outline::of(patterns, config);
        let mode = if config.multiline {
            // As in ripgrep, which does not know whether PCRE2 matches a terminator.
            Mode::Whole(Whole::outlined(outline.as_ref()))
        } else {
            let best = outline.and_then(|hir| Required::of(&hir).best());
            let bits = pcre2_outline::of_ascii(patterns, config)
                .and_then(|hir| table::bits_for_outline(&hir, config.line_terminator));
            // Each line where bits find something is searched, so that rare needles are better.
            let needles = match (best, &bits) {
                (Some((_, cost)), Some(bits)) if bits.cost() < cost => None,
                (best, _) => best.and_then(|(set, _)| table::search_for(&set)),
            };
            let bits = bits.map(|bits| Strategy::BitParallel(BitParallel::outlined(bits)));
            let every_line = Strategy::LineByLine(LineByLine);
            Mode::Lines(Levels::new(needles.into_iter().chain(bits).chain([every_line]).collect()))
        };
        let ends = LineEnds { terminator: config.line_terminator, crlf: config.crlf };
        let exact = Exact::pcre2(regexes, ends);
        Ok(Compiled {
            exact,
            mode,
            needles: Vec::new(),
            are_common: false,
            are_exact: false,
            expression: None,
            alphabet: None,
        })
    }

    #[cfg(not(feature = "pcre2"))]
    fn pcre2(_: &[&str], _: &MatcherConfig) -> Result<Compiled, Error> {
        Err(Error::new(ErrorKind::NoPcre2))
    }
}

/// The regex for lines alone, and the strategies that find lines for it in a block.
fn by_lines(hir: Hir, ends: LineEnds, config: &MatcherConfig) -> Result<Compiled, Error> {
    let (block_hir, is_exact) = line_safe::for_blocks(&hir, ends);
    let (regex, block) = if is_exact {
        (compile(&block_hir, config)?, None)
    } else {
        (compile(&hir, config)?, Some(compile(&block_hir, config)?))
    };
    let stops_at_non_ascii = hir.properties().look_set().contains_word_unicode();
    let expression =
        Expression::new(&block_hir, ends.terminator, &regex, block, stops_at_non_ascii);
    let strategies = table::choose(&expression);
    // A `\r` may belong to the terminator, so that no part is searched.
    let are_common = !ends.crlf && strategies.first().is_some_and(Strategy::searches_parts);
    let mode = Mode::Lines(Levels::new(strategies));
    let needles = expression.needles().filter(|needles| needles.set.len() <= MAX_NEEDLES);
    let are_exact = needles.as_ref().is_some_and(|needles| needles.is_exact);
    let needles = needles.map_or(Vec::new(), |needles| needles.set.to_vec());
    drop(expression);
    let exact_hir = if is_exact { &block_hir } else { &hir };
    // Before a terminator of two bytes, a match depends on what is not part of the line.
    let alphabet = (!ends.crlf).then(|| Alphabet::of(exact_hir, ends.terminator));
    let exact = Exact::automata(regex, exact_hir, ends);
    let hir = Arc::new(hir);
    let exact = Exact { long_lines: Some(LongLineTest::of(&hir)), ..exact };
    let expression = Some(hir);
    Ok(Compiled { exact, mode, needles, are_common, are_exact, expression, alphabet })
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
