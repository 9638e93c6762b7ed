//! Whether the run shows how far it is.

use std::sync::Arc;

use crate::{
    here::Here,
    progress::Progress,
    typed::{IndexAction, Mode, ProgressUse, TypedArgs},
};

/// The progress to show, if any is wanted and there is something to show in `mode`.
pub(super) fn resolve(typed: &TypedArgs, mode: Mode, here: &Here) -> Option<Arc<Progress>> {
    let default = match mode {
        // Building an index takes long.
        Mode::Index(IndexAction::Update | IndexAction::Verify) if !typed.quiet => ProgressUse::Auto,
        Mode::Index(IndexAction::Update | IndexAction::Verify) | Mode::Search(_) | Mode::Files => {
            ProgressUse::Never
        }
        Mode::Index(_) | Mode::Why | Mode::TypeList | Mode::Generate(_) => return None,
    };
    let is_wanted = match typed.progress.unwrap_or(default) {
        ProgressUse::Never => false,
        ProgressUse::Always => true,
        // Results would erase it all the time; a report comes at the end.
        ProgressUse::Auto => {
            let is_disturbed = here.stdout_is_terminal && !matches!(mode, Mode::Index(_));
            (here.stderr_is_terminal)() && !is_disturbed
        }
    };
    is_wanted.then(|| Arc::new(Progress::new(here.stdout_is_terminal)))
}
