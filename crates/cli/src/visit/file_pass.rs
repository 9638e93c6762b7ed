//! Walks in which an indirect call for each file does not count. The walk is compiled for each type
//! of visitor, and for each queue. These visitors are called through pointers, so that there is one
//! walk for all of them.

use std::{
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

use heist_filter::{Filter, Problem};
use heist_walk::{Entry, Error, Helpers, MAX_WORKERS, Panicked, Report, Visitor, WalkConfig};

/// What a visitor of files does.
trait FileVisitor: Send {
    fn visit(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()>;
    fn report(&mut self, error: Error);
    fn report_problem(&mut self, problem: Problem);
}

impl<V: Visitor> FileVisitor for V {
    fn visit(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        self.entry(file, helpers)
    }

    fn report(&mut self, error: Error) {
        self.error(error);
    }

    fn report_problem(&mut self, problem: Problem) {
        self.problem(problem);
    }
}

/// A visitor of any type.
struct AnyVisitor<'v>(&'v mut dyn FileVisitor);

impl Visitor for AnyVisitor<'_> {
    fn entry(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        self.0.visit(file, helpers)
    }

    fn error(&mut self, error: Error) {
        self.0.report(error);
    }

    fn problem(&mut self, problem: Problem) {
        self.0.report_problem(problem);
    }
}

/// Visits the files of a walk as [`heist_walk::walk`] does. The report has one visitor for each
/// worker; some may have visited nothing.
///
/// # Errors
/// A visitor has panicked.
pub(super) fn visit_files<V: Visitor>(
    config: &WalkConfig,
    filter: &Filter,
    visitor: impl Fn() -> V,
) -> Result<Report<V>, Panicked> {
    const {
        let wants = V::WANTED_ENTRIES;
        let wants_more = wants.directories || wants.links || wants.listings || wants.whole_dirs;
        assert!(!wants_more, "the visitor receives files only");
    }
    let workers = config.workers.clamp(1, MAX_WORKERS);
    let mut visitors: Vec<V> = (0..workers).map(|_| visitor()).collect();
    let pointers = visitors.iter_mut().map(|visitor| visitor as &mut dyn FileVisitor).collect();
    let Report { workers, stop, items, threads_started, queue, idle, .. } =
        walk_with(config, filter, pointers)?;
    Ok(Report { visitors, workers, stop, items, threads_started, queue, idle })
}

/// Walks with these visitors, at most one for each worker.
fn walk_with<'v>(
    config: &WalkConfig,
    filter: &Filter,
    visitors: Vec<&'v mut dyn FileVisitor>,
) -> Result<Report<AnyVisitor<'v>>, Panicked> {
    let visitors = Mutex::new(visitors);
    let next = || visitors.lock().unwrap_or_else(PoisonError::into_inner).pop();
    heist_walk::walk(config, filter, |_| {
        AnyVisitor(next().expect("a walk has no more visitors than workers"))
    })
}
