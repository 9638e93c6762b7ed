//! The walk: every wanted file is handed to a visitor as it is found.

use std::panic::resume_unwind;

use heist_filter::Filter;
use heist_queue::{Panicked, Stop};
use heist_walk::{Assist, HookedVisitor, Report, Visitor, WalkConfig};

use super::file_pass::visit_files;
use crate::resolved::ResolvedArgs;

/// Hands every wanted file to one of the visitors that `visitor` creates.
pub(crate) fn visit_tree<V: HookedVisitor>(
    args: &ResolvedArgs,
    filter: &Filter,
    visitor: impl Fn() -> V + Sync,
) -> Report<V> {
    let mut report = or_panic(heist_walk::walk_with_hooks(&args.walk, filter, |_| visitor()));
    // A single worker never parks, and may have deferred files left.
    if report.stop == Stop::Done {
        let _ = report.visitors.iter_mut().try_for_each(Assist::before_park);
    }
    trace_walk(&report);
    report
}

/// Visits every wanted file with visitors that neither sort their results nor help each other, of
/// which none costs a walk of its own in the program.
pub(super) fn visit_tree_plainly<V: Visitor>(
    args: &ResolvedArgs,
    filter: &Filter,
    visitor: impl Fn() -> V,
) -> Report<V> {
    let walk = WalkConfig { max_deferred_files: 0, ..args.walk.clone() };
    let report = or_panic(visit_files(&walk, filter, visitor));
    trace_walk(&report);
    report
}

fn trace_walk<V>(report: &Report<V>) {
    log::trace!(
        "walked {} directories and slices with {} threads, queue {:?}",
        report.items,
        report.threads_started + 1,
        report.queue
    );
}

/// What a run returns. A worker's panic becomes the program's; its message is printed already.
pub(crate) fn or_panic<T>(result: Result<T, Panicked>) -> T {
    result.unwrap_or_else(|panicked| resume_unwind(panicked.payload))
}
