//! The end of a run whose results or time are limited: what was shown of what there is.

use std::{
    error::Error,
    process,
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};

use crate::{
    exit::exit_code,
    messages::{self, Messages},
    output::{Budget, finish_paging, print, status_line},
    resolved::{ResolvedArgs, Sorting},
    typed::{Mode, SearchMode},
};

/// How long a run may take to end by itself after its time is up. Workers notice at the end of a
/// file, or at a result; one that waits for a pipe may not notice at all.
const GRACE: Duration = Duration::from_millis(250);

/// How results are counted and where that is reported.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// The word for results; `None` if they are files.
    noun: Option<&'static str>,
    is_json: bool,
    is_quiet: bool,
    /// Whether the next run may pass over these results.
    is_ordered: bool,
}

impl Form {
    fn new(resolved: &ResolvedArgs) -> Form {
        let noun = match resolved.mode {
            Mode::Search(SearchMode::Standard | SearchMode::Json) => {
                // A match that spans lines is one result.
                Some(if resolved.matcher.multiline { "results" } else { "lines" })
            }
            _ => None,
        };
        let is_sorted = resolved.sorting != Sorting::AsFound && !resolved.spreads();
        Form {
            noun,
            is_json: resolved.mode == Mode::Search(SearchMode::Json),
            is_quiet: resolved.quiet,
            is_ordered: is_sorted || resolved.has_one_input,
        }
    }

    fn report(self, budget: &Budget) -> Result<(), Box<dyn Error>> {
        let shown = budget.shown();
        if self.is_quiet {
            return Ok(());
        }
        if self.is_json {
            print(shown.json().as_bytes())?;
        }
        messages::report(shown.line(self.noun, self.is_ordered));
        Ok(())
    }
}

/// Ends the run when its time is up.
pub(crate) fn watch(budget: &Arc<Budget>, resolved: &ResolvedArgs, messages: &Messages) {
    let Some(time) = budget.limits().time else { return };
    let (budget, form) = (Arc::clone(budget), Form::new(resolved));
    let failed = messages.failed();
    // Without a thread there is no deadline, which is all that can be done.
    let _ = thread::Builder::new().name("deadline".to_owned()).spawn(move || {
        if budget.await_end(time) {
            return;
        }
        budget.end_by_time();
        if !budget.await_end(GRACE) {
            let _ = form.report(&budget);
            status_line::end();
            finish_paging();
            // Ordering: Relaxed, as in `Messages`.
            let has_failed = budget.shown().is_empty() || failed.load(Ordering::Relaxed);
            process::exit(exit_code(true, false, has_failed).into());
        }
    });
}

/// Reports what was shown. If nothing was found before the time was up, the run has failed.
pub(crate) fn report(
    budget: &Budget,
    resolved: &ResolvedArgs,
    messages: &Messages,
) -> Result<(), Box<dyn Error>> {
    if budget.is_out_of_time() && budget.shown().is_empty() {
        messages.fail();
    }
    Form::new(resolved).report(budget)
}
