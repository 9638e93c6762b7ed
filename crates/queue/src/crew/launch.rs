//! `run`: sets a crew up, starts and joins its threads, and gathers what is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::backend::Backend;
use crate::crew::producer::ProducerToken;
use crate::crew::shutdown::{Sum, collect_results, finish};
use crate::crew::threads::{Threads, WorkerSlot};
use crate::crew::worker::Counts;
use crate::crew::{Crew, QUIT, solo};
use crate::idle::{IdlePolicy, MAX_WORKERS};
use crate::job::Job;
use crate::report::{Panicked, RunConfig, RunReport};

/// Runs `roots` and everything they spawn on one worker per job, and returns when all is done.
///
/// The calling thread is worker 0 and runs the first job. With one job nothing else happens: no
/// thread, no queue. Jobs beyond [`MAX_WORKERS`] run no items. Without any job, all roots are
/// dropped, as after a quit.
///
/// # Errors
///
/// [`Panicked`] with the first panic, if a job panicked. All threads have ended and all items have
/// been dropped by then.
pub fn run<T, B, P, J>(
    cfg: &RunConfig,
    roots: Vec<T>,
    mut jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T> + Send,
{
    if jobs.len() == 1
        && let Some(job) = jobs.pop()
    {
        let alone = AssertUnwindSafe(|| solo::run_alone(roots, job));
        return catch_unwind(alone).map_err(|payload| Panicked { worker: 0, payload });
    }
    run_crew::<T, B, P, J, fn(ProducerToken<'_, T>)>(cfg, roots, Vec::new(), jobs)
}

/// [`run`] without roots; items come from `producers`, each on a thread of its own.
///
/// The run is done when all producers have dropped their tokens and all items are done. If the
/// system refuses a thread, the producer is run by the calling thread before that goes to work, so
/// producers must not wait for their items.
///
/// # Errors
///
/// [`Panicked`] with the first panic, if a job or a producer panicked.
pub fn run_with_producers<T, B, P, J, F>(
    cfg: &RunConfig,
    producers: Vec<F>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T> + Send,
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    run_crew::<T, B, P, J, F>(cfg, Vec::new(), producers, jobs)
}

fn run_crew<T, B, P, J, F>(
    cfg: &RunConfig,
    roots: Vec<T>,
    producers: Vec<F>,
    mut jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T> + Send,
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    if jobs.is_empty() {
        return Ok(nobody(&roots));
    }
    let onlookers = jobs.split_off(jobs.len().min(MAX_WORKERS));
    let workers = jobs.len();
    let (backend, locals) = B::build(workers, &cfg.queue);
    let crew = Crew::<T, B, P>::new(cfg, workers, producers.len(), backend);
    let slot = |(local, job)| Mutex::new(WorkerSlot::Waiting { local, job });
    let slots: Vec<_> = locals.into_iter().zip(jobs).map(slot).collect();
    let feeds: Vec<_> = producers.into_iter().map(|feed| Mutex::new(Some(feed))).collect();
    let mut started = 0;
    thread::scope(|scope| {
        let threads = Threads::new(scope, &crew, &slots);
        start_producers(scope, &crew, &feeds);
        // A producer cannot start workers, so with producers all are there from the beginning.
        if !cfg.lazy_spawn || !feeds.is_empty() {
            started = threads.start_all();
        }
        threads.body(0, Some(roots), false);
    });
    let mut sum = Sum { started, ..Sum::default() };
    let outputs = collect_results::<T, B, P, J>(&crew, slots, &mut sum);
    let crew = crew.into_end();
    sum.counts.spawned += crew.injected;
    if let Some(panicked) = crew.first_panic {
        return Err(panicked);
    }
    let mut outputs = outputs?;
    for (i, job) in onlookers.into_iter().enumerate() {
        outputs.push(finish(job, workers + i)?);
    }
    Ok(sum.into_report(outputs, crew.stop))
}

/// The report of a crew without workers.
fn nobody<T, O>(roots: &[T]) -> RunReport<O> {
    let count = roots.len() as u64;
    let counts = Counts { spawned: count, ..Counts::default() };
    Sum { counts, dropped: count, ..Sum::default() }.into_report(Vec::new(), QUIT)
}

type Feeds<F> = [Mutex<Option<F>>];

fn start_producers<'scope, T, B, P, F>(
    scope: &'scope Scope<'scope, '_>,
    crew: &'scope Crew<T, B, P>,
    feeds: &'scope Feeds<F>,
) where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    for (number, feed) in feeds.iter().enumerate() {
        let index = crew.settings.workers + number;
        let builder = thread::Builder::new().name(format!("producer-{number}"));
        if builder.spawn_scoped(scope, move || produce(crew, index, feed)).is_err() {
            produce(crew, index, feed);
        }
    }
}

/// Runs one producer, whose credit has been counted.
fn produce<T, B, P, F>(crew: &Crew<T, B, P>, index: usize, feed: &Mutex<Option<F>>)
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    let Some(feed) = feed.lock().unwrap_or_else(PoisonError::into_inner).take() else {
        return;
    };
    // Unwind safety: as in `Threads::body`. The token's drop gives the credit back in any case.
    let fed = catch_unwind(AssertUnwindSafe(|| feed(ProducerToken::new(crew))));
    if let Err(payload) = fed {
        crew.poison(Panicked { worker: index, payload });
    }
}
