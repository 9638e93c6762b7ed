//! What searching and listing have in common: a walk with one visitor per worker, and what is left of it.

use std::panic::resume_unwind;

use heist_filter::Filter;
use heist_walk::Visitor;

use crate::{
    output::{Stdout, StdoutLocal},
    resolved::ResolvedArgs,
};

/// What a run found, as far as the exit code depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// A match, or whatever else the mode asks for.
    pub(crate) any_match: bool,
    /// A file to look at.
    pub(crate) any_file: bool,
}

/// A visitor that knows what it found.
pub(crate) trait Worker: Visitor {
    fn found(&self) -> Found;
}

/// Walk with the visitors that `visitor` makes, each around an output of its own. All is written when this returns.
pub(crate) fn walk<'a, V: Worker>(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &'a Stdout,
    mut visitor: impl FnMut(StdoutLocal<'a>) -> V,
) -> Found {
    let report = heist_walk::walk(&args.walk, filter, |_| visitor(stdout.local()))
        // A worker's panic is the program's: its message has been printed where it happened.
        .unwrap_or_else(|panicked| resume_unwind(panicked.payload));
    log::debug!(
        "{} directories and slices on {} threads, {:?}",
        report.items,
        report.threads_started + 1,
        report.queue
    );
    let mut found = Found::default();
    for worker in report.visitors {
        found.any_match |= worker.found().any_match;
        found.any_file |= worker.found().any_file;
    }
    found
}
