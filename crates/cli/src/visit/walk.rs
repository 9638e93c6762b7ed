//! What searching and listing have in common: a walk with one visitor per worker, in the order that
//! is wanted.

use heist_filter::Filter;

use super::{
    found::{Found, Worker},
    pass, spread,
    tree::visit_tree,
};
use crate::{
    output::{Stdout, StdoutWorker},
    resolved::{ResolvedArgs, Sorting},
    texts::messages::Messages,
};

/// Visits every wanted file with the visitors that `visitor` creates, each with its own output, in
/// the requested order. When this returns, all output is written.
pub(crate) fn walk<'a, V: Worker>(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &'a Stdout,
    messages: &Messages,
    visitor: impl Fn(StdoutWorker<'a>) -> V + Sync,
) -> Found {
    let visitors = match args.sorting {
        _ if args.spreads() => spread::visit(args, filter, stdout, visitor),
        Sorting::AsFound | Sorting::WhileWalking => {
            let report = visit_tree(args, filter, || visitor(stdout.worker()));
            pass::finish(args, stdout, report.visitors)
        }
        Sorting::AfterWalking(by) => {
            pass::find_and_visit(args, by, filter, stdout, messages, visitor)
        }
    };
    let mut found = Found::default();
    for worker in visitors {
        found.add(worker.found());
    }
    found
}
