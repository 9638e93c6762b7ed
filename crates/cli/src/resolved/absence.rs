//! When a run gives an account of the files that it left out.

use super::limits::limits_results;
use crate::{
    texts::name,
    typed::{Mode, SearchMode, TypedArgs},
};

/// When a run gives an account of what it left out, and of what is close to a literal that stands
/// nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AccountUse {
    /// Never. On a terminal, a search that finds nothing still names what would have matched.
    #[default]
    Never,
    /// If nothing is found.
    OnNothing,
    /// In any case.
    Always,
}

/// Resolves `--tell-skipped` in `mode`. Without it, flags for programs and agents give an account
/// where nothing is found: a program takes an empty output for "there is none".
pub(super) fn account(typed: &TypedArgs, mode: Mode) -> AccountUse {
    let is_of_use = match mode {
        Mode::Search(mode) => mode != SearchMode::FilesWithoutMatch || typed.searcher.invert,
        Mode::Files => true,
        _ => false,
    };
    if typed.quiet || !is_of_use {
        return AccountUse::Never;
    }
    let is_json = typed.json || mode == Mode::Search(SearchMode::Json);
    match typed.tell_skipped {
        Some(true) => AccountUse::Always,
        Some(false) => AccountUse::Never,
        None if name::stands_in_for_ripgrep() => AccountUse::Never,
        None if typed.printer.compact || is_json || limits_results(typed) => AccountUse::OnNothing,
        None => AccountUse::Never,
    }
}
