//! How patterns are compiled and haystacks searched.

use heist_searcher::BinaryPolicy;

use crate::typed::{BinaryMode, LineEnd, Mode, SearchMode, TypedArgs};

/// The default of `--regex-size-limit`, in bytes.
const REGEX_SIZE_LIMIT: u64 = 100 << 20;

/// The default of `--dfa-size-limit`, in bytes.
const DFA_SIZE_LIMIT: u64 = 1000 << 20;

/// The meaning of NUL bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BinaryRules {
    /// In files that the walk finds.
    pub(crate) walked: BinaryPolicy,
    /// In files on the command line, and in standard input.
    pub(crate) explicit: BinaryPolicy,
}

pub(super) fn matcher(typed: &TypedArgs) -> heist_matcher::Config {
    let size = |given: Option<u64>, default| {
        usize::try_from(given.unwrap_or(default)).unwrap_or(usize::MAX)
    };
    heist_matcher::Config {
        engine: typed.engine,
        case: typed.case,
        boundary: typed.boundary,
        fixed_strings: typed.fixed_strings,
        unicode: !typed.no_unicode,
        line_terminator: line_terminator(typed),
        crlf: typed.line_end == LineEnd::CrLf,
        multiline: typed.multiline,
        dot_matches_new_line: typed.multiline_dotall,
        ban_nul: binary_mode(typed) != BinaryMode::Text,
        size_limit: size(typed.regex_size_limit, REGEX_SIZE_LIMIT),
        dfa_size_limit: size(typed.dfa_size_limit, DFA_SIZE_LIMIT),
    }
}

/// The configuration of the searcher, which counts lines if `line_numbers` are printed.
pub(super) fn searcher(
    typed: &TypedArgs,
    mode: Mode,
    line_numbers: bool,
) -> heist_searcher::SearchConfig {
    let shows_lines = shows_lines(typed, mode);
    let (before, after) = if shows_lines { typed.context.limits() } else { (0, 0) };
    heist_searcher::SearchConfig {
        line_terminator: line_terminator(typed),
        crlf: typed.line_end == LineEnd::CrLf,
        invert: typed.invert_match,
        line_numbers,
        before_context: before,
        after_context: after,
        passthru: shows_lines && typed.context.passthru,
        max_matches: typed.max_count,
        stop_on_nonmatch: typed.stop_on_nonmatch,
        encoding: typed.encoding,
        binary: heist_searcher::BinaryPolicy::default(),
    }
}

fn line_terminator(typed: &TypedArgs) -> u8 {
    match typed.line_end {
        LineEnd::Lf | LineEnd::CrLf => b'\n',
        LineEnd::Nul => b'\0',
    }
}

/// The binary mode: NUL bytes that end lines do not mark a binary file.
fn binary_mode(typed: &TypedArgs) -> BinaryMode {
    if typed.line_end == LineEnd::Nul { BinaryMode::Text } else { typed.binary }
}

/// Whether lines are printed.
pub(super) fn shows_lines(typed: &TypedArgs, mode: Mode) -> bool {
    let Mode::Search(mode) = mode else {
        return false;
    };
    matches!(mode, SearchMode::Standard | SearchMode::Json) && !typed.quiet
}

pub(super) fn binary(typed: &TypedArgs) -> BinaryRules {
    let (walked, explicit) = match binary_mode(typed) {
        BinaryMode::Auto => (BinaryPolicy::Quit, BinaryPolicy::Convert),
        BinaryMode::Text => (BinaryPolicy::Text, BinaryPolicy::Text),
        BinaryMode::Search => (BinaryPolicy::Convert, BinaryPolicy::Convert),
    };
    BinaryRules { walked, explicit }
}
