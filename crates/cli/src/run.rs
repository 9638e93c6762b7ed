//! What searching and listing have in common: a walk with one visitor per worker, and what is left of it.

use std::panic::resume_unwind;

use heist_filter::Filter;
use heist_printer::Stats;
use heist_queue::{Panicked, Stop};
use heist_walk::{Report, Visitor};

use crate::{
    messages::Messages,
    output::Stdout,
    resolved::{ResolvedArgs, Sorting},
    sorted,
    worker_output::StdoutWorker,
};

/// What a run found, as far as the exit code depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// A match, or whatever else the mode asks for.
    pub(crate) any_match: bool,
    /// A file to look at.
    pub(crate) any_file: bool,
    /// What was counted, if that was asked for.
    pub(crate) stats: Option<Stats>,
}

impl Found {
    /// Add what another worker found.
    fn add(&mut self, other: Found) {
        self.any_match |= other.any_match;
        self.any_file |= other.any_file;
        if let Some(stats) = other.stats {
            self.stats.get_or_insert_default().add(&stats);
        }
    }
}

/// A visitor that knows what it found.
pub(crate) trait Worker: Visitor {
    fn found(&self) -> Found;
}

/// Visit every wanted file with the visitors that `visitor` makes, each around an output of its own, in the order that
/// is asked for. All is written when this returns.
pub(crate) fn walk<'a, V: Worker>(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &'a Stdout,
    messages: &Messages,
    visitor: impl Fn(StdoutWorker<'a>) -> V + Sync,
) -> Found {
    let visitors = match args.sorting {
        Sorting::AsFound | Sorting::WhileWalking => {
            let report = visit_tree(args, filter, || visitor(stdout.worker()));
            sorted::finish(args, stdout, report.visitors)
        }
        Sorting::AfterWalking(by) => {
            sorted::find_and_visit(args, by, filter, stdout, messages, visitor)
        }
    };
    let mut found = Found::default();
    for worker in visitors {
        found.add(worker.found());
    }
    found
}

/// Show every wanted file to one of the visitors that `visitor` makes, as the walk finds it.
pub(crate) fn visit_tree<V: Visitor>(
    args: &ResolvedArgs,
    filter: &Filter,
    visitor: impl Fn() -> V + Sync,
) -> Report<V> {
    let mut report = or_panic(heist_walk::walk(&args.walk, filter, |_| visitor()));
    // Whatever workers have put off: of several, each has been asked already.
    if report.stop == Stop::Done {
        let _ = report.visitors.iter_mut().try_for_each(Visitor::before_park);
    }
    log::debug!(
        "{} directories and slices on {} threads, {:?}",
        report.items,
        report.threads_started + 1,
        report.queue
    );
    report
}

/// What came of a run. A worker's panic is the program's: its message has been printed where it happened.
pub(crate) fn or_panic<T>(result: Result<T, Panicked>) -> T {
    result.unwrap_or_else(|panicked| resume_unwind(panicked.payload))
}
