//! A walk's entry points, and each worker's job.

use std::ops::ControlFlow;

use heist_filter::{Filter, Problem};
use heist_queue::{
    AnyPolicy, Erased, IdleConfig, IdleStats, Job, Panicked, QueueStats, RunConfig, RunReport,
    Sharing, Spawner, Stop, backends::Heap, run, run_erased, run_on_any,
};

use crate::{
    bounds::Bounds,
    config::WalkConfig,
    context::WalkContext,
    descriptors::{DescriptorPlan, Descriptors},
    dir_visitor::{DirVisitor, HookedVisitor},
    entry::Entry,
    error::Error,
    file_limits::FileLimits,
    item::Item,
    sys::{Reader, System},
    visitor::{Assist, Helpers, OrderedVisitor, Visitor, Wants},
    worker::WalkWorker,
};

/// How a walk has ended.
#[derive(Debug)]
pub struct Report<V> {
    /// The visitors, one per worker that took part.
    pub visitors: Vec<V>,
    /// How many workers could have taken part, extra workers included.
    pub workers: usize,
    /// Whether everything was visited, or the walk was ended early.
    pub stop: Stop,
    /// How many items there were: roots, directories and slices of large ones.
    pub items: u64,
    /// How many threads were started besides the caller's.
    pub threads_started: usize,
    /// The queue's statistics.
    pub queue: QueueStats,
    /// The idle workers' statistics.
    pub idle: IdleStats,
}

/// Visits every wanted entry below `config.roots` once.
///
/// `visitor` makes one visitor per worker, on the worker's thread, when the worker gets its first
/// item. There may be fewer workers than configured where descriptors are scarce.
///
/// This crate's page has a complete example.
///
/// # Errors
/// A visitor's panic, after all workers have stopped.
pub fn walk<V: Visitor>(
    config: &WalkConfig,
    filter: &Filter,
    visitor: impl Fn(usize) -> V + Sync,
) -> Result<Report<V>, Panicked> {
    let report = walk_with_hooks(config, filter, |index| WithoutHooks(visitor(index)))?;
    Ok(report.map(|WithoutHooks(visitor)| visitor))
}

/// Walks as [`walk`] does, with visitors that sort their results or help each other.
///
/// # Errors
/// A visitor's panic, after all workers have stopped.
pub fn walk_with_hooks<V: HookedVisitor>(
    config: &WalkConfig,
    filter: &Filter,
    visitor: impl Fn(usize) -> V + Sync,
) -> Result<Report<V>, Panicked> {
    let DescriptorPlan { workers, max_deferred_files, descriptors } = DescriptorPlan::new(config);
    let visitor = |index| {
        let mut visitor = visitor(index);
        visitor.set_deferred_limit(max_deferred_files);
        visitor
    };
    let system = (config.reader, RUN);
    walk_on(config, filter, workers, descriptors, visitor, system)
}

type Items<'run, S> = Vec<Box<Item<'run, S>>>;
type Jobs<'a, 'run, S> = Vec<Erased<'a, Box<Item<'run, S>>>>;

/// Runs a walk's items on a system.
type RunItems<S> = for<'run> fn(
    &WalkConfig,
    &RunConfig,
    Items<'run, S>,
    Jobs<'_, 'run, S>,
) -> Result<RunReport<()>, Panicked>;

pub(crate) fn run_items<'run, S: System>(
    walk: &WalkConfig,
    config: &RunConfig,
    roots: Items<'run, S>,
    jobs: Jobs<'_, 'run, S>,
) -> Result<RunReport<()>, Panicked> {
    if walk.takes_items_in_order() {
        return run::<_, Heap<_>, AnyPolicy, _>(config, roots, jobs);
    }
    run_on_any(walk.queue, config, roots, jobs)
}

// Not generic, so its crews, one for each queue, are compiled here, and not once for each type of
// visitors in the crate that has it.
static RUN: RunItems<Reader> = run_items::<Reader>;

/// The walk on one system, with the workers and descriptors that are available.
pub(crate) fn walk_on<S: System, V: HookedVisitor>(
    config: &WalkConfig,
    filter: &Filter,
    workers: usize,
    descriptors: Descriptors,
    visitor: impl Fn(usize) -> V + Sync,
    (system, run_items): (S, RunItems<S>),
) -> Result<Report<V>, Panicked> {
    let unfiltered = filter.wants_everything();
    let mut limits = FileLimits::new(config);
    if let Some(limits) = &mut limits {
        limits.reserve_roots(&config.roots, |path| system.file_id(path));
    }
    let bounds = config.confined.then(|| Bounds::new(&config.roots));
    let known_dirs = config.known_dirs.as_deref().filter(|_| !config.follow);
    let context = WalkContext {
        config,
        filter,
        known_dirs,
        limits,
        bounds,
        descriptors,
        unfiltered,
        wants: Wants {
            whole_dirs: V::WANTED_ENTRIES.whole_dirs && config.order.is_none(),
            ..V::WANTED_ENTRIES
        },
    };
    let roots = (0..config.roots.len()).map(Item::<S>::Root);
    let roots = roots.chain(config.more_roots.iter().map(|_| Item::MoreRoots));
    let roots = roots.map(Box::new).collect();
    let make = |index| WalkWorker::new(&context, system, visitor(index));
    let jobs: Vec<_> =
        (0..workers).map(|index| LazyWorker { index, make: &make, worker: None }).collect();
    let idle = IdleConfig { policy: config.idle, cores: config.cores, ..IdleConfig::default() };
    // Where descriptors are scarce, extra workers are the first to be left out.
    let reserve = workers.saturating_sub(config.workers.saturating_sub(config.extra_workers));
    // What a worker holds back may be the smallest item.
    let in_order = config.takes_items_in_order();
    let sharing = if in_order { Sharing::default() } else { config.sharing };
    let run = RunConfig { idle, sharing, extra_workers: reserve, ..RunConfig::default() };
    let report = run_erased(jobs, |jobs| run_items(config, &run, roots, jobs))?;
    Ok(Report {
        visitors: report.outputs.into_iter().flatten().collect(),
        workers,
        stop: report.stop,
        items: report.executed,
        threads_started: report.threads_started,
        queue: report.queue,
        idle: report.idle,
    })
}

impl<V> Report<V> {
    fn map<T>(self, visitor: impl FnMut(V) -> T) -> Report<T> {
        let Report { visitors, workers, stop, items, threads_started, queue, idle } = self;
        let visitors = visitors.into_iter().map(visitor).collect();
        Report { visitors, workers, stop, items, threads_started, queue, idle }
    }
}

/// A plain visitor as one with hooks that do nothing.
struct WithoutHooks<V>(V);

impl<V: Visitor> Visitor for WithoutHooks<V> {
    // Without the hooks of directories, nothing is prepared for them.
    const WANTED_ENTRIES: Wants = Wants { listings: false, whole_dirs: false, ..V::WANTED_ENTRIES };

    fn entry(&mut self, entry: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        self.0.entry(entry, helpers)
    }

    fn error(&mut self, error: Error) {
        self.0.error(error);
    }

    fn problem(&mut self, problem: Problem) {
        self.0.problem(problem);
    }
}

impl<V: Visitor> OrderedVisitor for WithoutHooks<V> {
    const FOLLOWS_ITEMS: bool = false;
}
impl<V: Visitor> Assist for WithoutHooks<V> {}
impl<V: Visitor> DirVisitor for WithoutHooks<V> {}

/// A worker that is created with its first item: most extra workers never get one, and need no
/// buffers.
struct LazyWorker<'make, M, W> {
    index: usize,
    make: &'make M,
    worker: Option<Box<W>>,
}

impl<'run, S, V, M> Job<Box<Item<'run, S>>> for LazyWorker<'_, M, WalkWorker<'run, S, V>>
where
    S: System,
    V: HookedVisitor,
    M: Fn(usize) -> WalkWorker<'run, S, V>,
{
    type Output = Option<V>;

    fn run<K: Spawner<Box<Item<'run, S>>>>(
        &mut self,
        item: Box<Item<'run, S>>,
        sink: &mut K,
    ) -> ControlFlow<()> {
        let LazyWorker { index, make, worker } = self;
        worker.get_or_insert_with(|| Box::new(make(*index))).run(*item, sink)
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        let Some(worker) = &mut self.worker else { return ControlFlow::Continue(()) };
        worker.visitor.before_park()
    }

    fn finish(self) -> Option<V> {
        self.worker.map(|worker| worker.visitor)
    }
}
