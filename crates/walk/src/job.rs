//! The walk as a job of the crew: the function that starts it all, and a place for each worker.

use std::ops::ControlFlow;

use heist_filter::Filter;
use heist_queue::{
    IdleConfig, IdleStats, Job, Panicked, QueueStats, RunConfig, Spawner, Stop, run_on,
};

use crate::{
    config::{Reader, WalkConfig},
    descriptors::{Descriptors, Plan},
    expand::Shared,
    item::Item,
    sys::{Native, Portable, System},
    visitor::Visitor,
    worker::Worker,
};

/// How a walk ended.
#[derive(Debug)]
pub struct Report<V> {
    /// The visitors, one per worker that had something to do.
    pub visitors: Vec<V>,
    /// How many workers there could have been, those in reserve included.
    pub workers: usize,
    /// Whether everything was visited.
    pub stop: Stop,
    /// Directories, slices and roots that were worked on.
    pub items: u64,
    /// Threads that were started, besides the caller's.
    pub threads_started: usize,
    /// What happened to the queue.
    pub queue: QueueStats,
    /// What workers did when they had nothing to do.
    pub idle: IdleStats,
}

/// Visit every wanted file of `config.roots` once. `visitor` makes one visitor per worker, on its thread, when it gets its
/// first item; there may be fewer workers than `config.workers` where descriptors are scarce.
///
/// # Errors
/// A visitor's panic, after all workers have stopped.
pub fn walk<V: Visitor>(
    config: &WalkConfig,
    filter: &Filter,
    visitor: impl Fn(usize) -> V + Sync,
) -> Result<Report<V>, Panicked> {
    let Plan { workers, max_deferred_files, descriptors } = Plan::new(config);
    let visitor = |index| {
        let mut visitor = visitor(index);
        visitor.set_deferred_limit(max_deferred_files);
        visitor
    };
    match config.reader {
        Reader::Native => walk_on::<Native, V>(config, filter, workers, descriptors, visitor),
        Reader::Portable => walk_on::<Portable, V>(config, filter, workers, descriptors, visitor),
    }
}

/// [`walk`] on one system, with the workers and descriptors that were found to be available.
pub(crate) fn walk_on<S: System, V: Visitor>(
    config: &WalkConfig,
    filter: &Filter,
    workers: usize,
    descriptors: Descriptors,
    visitor: impl Fn(usize) -> V + Sync,
) -> Result<Report<V>, Panicked> {
    let unfiltered = filter.wants_everything();
    let shared = Shared { config, filter, descriptors, unfiltered, links: V::LINKS };
    let roots = (0..config.roots.len()).map(|index| Box::new(Item::<S>::Root(index))).collect();
    let make = |index| Worker::new(&shared, visitor(index));
    let jobs: Vec<_> =
        (0..workers).map(|index| LazyWorker { index, make: &make, worker: None }).collect();
    let idle = IdleConfig { policy: config.idle, cores: config.cores, ..IdleConfig::default() };
    // Where descriptors are scarce, the reserve is what is done without first.
    let reserve = workers.saturating_sub(config.workers.saturating_sub(config.extra_workers));
    let run = RunConfig { idle, extra_workers: reserve, ..RunConfig::default() };
    let report = run_on(config.queue, &run, roots, jobs)?;
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

/// The place of a worker, who comes when there is work: of those in reserve most never do, and need no buffers.
struct LazyWorker<'make, M, W> {
    index: usize,
    make: &'make M,
    worker: Option<Box<W>>,
}

impl<'run, S, V, M> Job<Box<Item<'run, S>>> for LazyWorker<'_, M, Worker<'run, S, V>>
where
    S: System,
    V: Visitor,
    M: Fn(usize) -> Worker<'run, S, V>,
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
