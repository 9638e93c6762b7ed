//! How patterns are compiled and haystacks searched.

use heist_matcher::Engine;
use heist_printer::Terminator;
use heist_searcher::{BinaryPolicy, Encoding, SearchConfig};

use crate::typed::{BinaryMode, Mode, SearchMode, TypedArgs};

/// What NUL bytes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BinaryRules {
    /// In files that the walk finds.
    pub(crate) walked: BinaryPolicy,
    /// In files on the command line, and in standard input.
    pub(crate) explicit: BinaryPolicy,
}

pub(super) fn matcher(typed: &TypedArgs) -> heist_matcher::MatcherConfig {
    heist_matcher::MatcherConfig {
        line_terminator: line_terminator(typed),
        crlf: typed.printer.terminator == Terminator::CrLf,
        ban_nul: binary_mode(typed) != BinaryMode::Text,
        // The other engine folds no accents.
        engine: match typed.matcher.engine {
            Engine::Auto if typed.matcher.fold_accents => Engine::Default,
            engine => engine,
        },
        fixed_strings: typed.matcher.fixed_strings && !typed.any_case,
        ..typed.matcher.clone()
    }
}

/// How the searcher is configured, which counts lines if `line_numbers` are printed.
pub(super) fn searcher(typed: &TypedArgs, mode: Mode, line_numbers: bool) -> SearchConfig {
    let shows_lines = shows_lines(typed, mode);
    let (before, after) = if shows_lines { typed.context.limits() } else { (0, 0) };
    SearchConfig {
        line_terminator: line_terminator(typed),
        crlf: typed.printer.terminator == Terminator::CrLf,
        line_numbers,
        before_context: before,
        after_context: after,
        passthru: shows_lines && typed.context.passthru,
        encoding: encoding(typed),
        ..typed.searcher.clone()
    }
}

fn line_terminator(typed: &TypedArgs) -> u8 {
    match typed.printer.terminator {
        Terminator::Lf | Terminator::CrLf => b'\n',
        Terminator::Nul => b'\0',
    }
}

/// The binary mode: NUL bytes that end lines do not mark a binary file.
fn binary_mode(typed: &TypedArgs) -> BinaryMode {
    match typed.printer.terminator {
        Terminator::Nul => BinaryMode::Text,
        Terminator::Lf | Terminator::CrLf => typed.binary,
    }
}

/// How files are decoded. Where a flag states what NUL bytes mean, they do not show an encoding.
fn encoding(typed: &TypedArgs) -> Encoding {
    match (typed.searcher.encoding, binary_mode(typed)) {
        (Encoding::Auto, BinaryMode::Text | BinaryMode::Search) => Encoding::Marked,
        (encoding, _) => encoding,
    }
}

/// Whether lines are printed.
pub(super) fn shows_lines(typed: &TypedArgs, mode: Mode) -> bool {
    let Mode::Search(mode) = mode else {
        return false;
    };
    matches!(mode, SearchMode::Standard | SearchMode::Json) && !typed.quiet
}

/// The mode, in which `--invert-match` and `--only-matching` change what is counted.
pub(super) fn mode(typed: &TypedArgs) -> Mode {
    let is_count = |mode| matches!(mode, SearchMode::Count | SearchMode::CountMatches);
    match typed.mode {
        // Lines that do not match contain no matches.
        Mode::Search(mode) if is_count(mode) && typed.searcher.invert => {
            Mode::Search(SearchMode::Count)
        }
        Mode::Search(mode) if is_count(mode) && typed.printer.only_matching => {
            Mode::Search(SearchMode::CountMatches)
        }
        // Groups have no lines.
        Mode::Search(SearchMode::Standard) if typed.count_by.is_some() && !typed.quiet => {
            Mode::Search(match typed.printer.only_matching && !typed.searcher.invert {
                true => SearchMode::CountMatches,
                false => SearchMode::Count,
            })
        }
        // Without --agent-setup, a change of files is put back.
        Mode::Search(SearchMode::Standard) if typed.setup.undo => Mode::Undo,
        mode => mode,
    }
}

pub(super) fn binary(typed: &TypedArgs) -> BinaryRules {
    let (walked, explicit) = match binary_mode(typed) {
        BinaryMode::Auto => (BinaryPolicy::Quit, BinaryPolicy::Convert),
        BinaryMode::Text => (BinaryPolicy::Text, BinaryPolicy::Text),
        BinaryMode::Search => (BinaryPolicy::Convert, BinaryPolicy::Convert),
    };
    BinaryRules { walked, explicit }
}
