//! [`run`]: builds a crew, starts and joins its threads, and collects the results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::backend::Backend;
use crate::config::RunConfig;
use crate::counted::Counted;
use crate::crew::shutdown::{CrewTotals, collect_results, finish};
use crate::crew::solo;
use crate::crew::state::{Crew, QUIT};
use crate::crew::threads::{Threads, WorkerSlot};
use crate::crew::worker::WorkerCounts;
use crate::idle::{IdlePolicy, MAX_WORKERS};
use crate::job::Job;
use crate::report::{Panicked, RunReport};
use crate::sync::Ordering;

/// Runs `roots` and everything they spawn, with one worker per job, and returns when all is done.
///
/// The calling thread is worker 0 and runs the first job. With one job there is nothing else: no
/// thread, no queue. Jobs beyond [`MAX_WORKERS`] run no items. Without any job all roots are
/// dropped, as after a quit. [`Job`] has an example; [`run_on`](crate::run_on) chooses the backend
/// and the idle policy by value.
///
/// # Errors
///
/// [`Panicked`] with the first panic, if a job panicked. By then all threads have ended and all
/// items have been dropped.
pub fn run<T: Send, B: Backend<T>, P: IdlePolicy, J: Job<T> + Send>(
    cfg: &RunConfig,
    roots: Vec<T>,
    mut jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked> {
    if jobs.len() == 1
        && let Some(job) = jobs.pop()
    {
        let alone = AssertUnwindSafe(|| solo::run_alone(roots, job));
        return catch_unwind(alone).map_err(|payload| Panicked { worker: 0, payload });
    }
    run_crew::<T, B, P, J>(cfg, roots, &NoProducers, jobs)
}

/// Threads that feed a run from outside.
pub(crate) trait Producers<T, B, P> {
    /// How many there are. Each holds a credit from the beginning.
    fn count(&self) -> usize;

    /// Starts them as threads of `scope`.
    fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, crew: &'scope Crew<T, B, P>);
}

/// All items come from the roots.
struct NoProducers;

impl<T, B, P> Producers<T, B, P> for NoProducers {
    fn count(&self) -> usize {
        0
    }

    fn start<'scope>(&'scope self, _: &'scope Scope<'scope, '_>, _: &'scope Crew<T, B, P>) {}
}

/// [`run`] with at least one thread per job, and producers.
pub(crate) fn run_crew<T: Send, B: Backend<T>, P: IdlePolicy, J: Job<T> + Send>(
    cfg: &RunConfig,
    roots: Vec<T>,
    producers: &impl Producers<T, B, P>,
    mut jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked> {
    if jobs.is_empty() {
        return Ok(without_workers(&roots));
    }
    let beyond_limit = jobs.split_off(jobs.len().min(MAX_WORKERS));
    let workers = jobs.len();
    let (backend, ends) = B::build(workers, &cfg.queue);
    let crew = Crew::<T, B, P>::new(cfg, workers, producers.count(), backend);
    let slot = |(end, job)| Mutex::new(WorkerSlot::Waiting { end: Counted::new(end), job });
    let slots: Vec<_> = ends.into_iter().zip(jobs).map(slot).collect();
    let mut started = 0;
    thread::scope(|scope| {
        let threads = Threads::new(scope, &crew, &slots);
        producers.start(scope, &crew);
        // A producer cannot start workers, so with producers all threads start at once.
        if !cfg.lazy_spawn || producers.count() > 0 {
            started = threads.start_all();
        }
        threads.body(0, Some(roots), false);
    });
    let mut totals = CrewTotals { started, ..CrewTotals::default() };
    let outputs = collect_results::<T, B, P, J>(&crew, slots, &mut totals);
    // Ordering: Relaxed, all threads have been joined.
    totals.counts.spawned += crew.injected.load(Ordering::Relaxed);
    let stop = crew.stop();
    if let Some(panicked) = crew.first_panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(panicked);
    }
    let mut outputs = outputs?;
    for (i, job) in beyond_limit.into_iter().enumerate() {
        outputs.push(finish(job, workers + i)?);
    }
    Ok(totals.into_report(outputs, stop))
}

/// The report of a crew without workers.
fn without_workers<T, O>(roots: &[T]) -> RunReport<O> {
    let count = roots.len() as u64;
    let counts = WorkerCounts { spawned: count, ..WorkerCounts::default() };
    CrewTotals { counts, dropped: count, ..CrewTotals::default() }.into_report(Vec::new(), QUIT)
}
