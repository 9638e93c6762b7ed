//! `run`: sets a crew up, starts and joins its threads, and gathers what is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::backend::{Backend, QueueStats, Steal, StealAmount, StealReq, WorkerQueue};
use crate::crew::producer::ProducerToken;
use crate::crew::worker::{Hands, Starter, Tally};
use crate::crew::{Crew, POISONED, QUIT, solo};
use crate::idle::{IdlePolicy, MAX_WORKERS};
use crate::job::Job;
use crate::report::{Panicked, RunConfig, RunReport, Stop};

/// Runs `roots` and everything they spawn on one worker per job, and returns when all is done.
///
/// The calling thread is worker 0 and runs the first job. With one job nothing else happens: no thread, no queue.
/// Jobs beyond [`MAX_WORKERS`] run no items. Without any job, all roots are dropped, as after a quit.
///
/// # Errors
///
/// [`Panicked`] with the first panic, if a job panicked. All threads have ended and all items have been dropped by then.
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
/// The run is done when all producers have dropped their tokens and all items are done. If the system refuses a thread,
/// the producer is run by the calling thread before that goes to work, so producers must not wait for their items.
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

/// Where a worker's belongings are when its thread does not have them.
enum Seat<W, J, T, O> {
    /// Not begun.
    Waiting { local: W, job: J },
    /// With the thread.
    Taken,
    /// Gone home. No output if somebody panicked.
    Left {
        local: W,
        private: Vec<T>,
        tally: Tally,
        output: Option<O>,
    },
}

/// The seat of one worker of a crew.
type SeatOf<T, B, J> = Mutex<Seat<<B as Backend<T>>::Worker, J, T, <J as Job<T>>::Output>>;

/// Starts workers as threads of one scope.
struct Threads<'scope, 'env, T: Send, B: Backend<T>, P, J: Job<T>> {
    scope: &'scope Scope<'scope, 'env>,
    crew: &'scope Crew<T, B, P>,
    seats: &'scope [SeatOf<T, B, J>],
}

// Derived ones would ask for `T: Copy` and so on.
impl<T: Send, B: Backend<T>, P, J: Job<T>> Clone for Threads<'_, '_, T, B, P, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send, B: Backend<T>, P, J: Job<T>> Copy for Threads<'_, '_, T, B, P, J> {}

impl<T, B, P, J> Starter for Threads<'_, '_, T, B, P, J>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T> + Send,
{
    fn start(&self, index: usize) -> bool {
        let threads = *self;
        let builder = thread::Builder::new().name(format!("worker-{index}"));
        builder
            .spawn_scoped(self.scope, move || threads.body(index, None, true))
            .is_ok()
    }
}

impl<T, B, P, J> Threads<'_, '_, T, B, P, J>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T> + Send,
{
    /// All of one worker's life, on its thread.
    fn body(&self, index: usize, roots: Option<Vec<T>>, searching: bool) {
        let mut seat = self.seats[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Seat::Waiting { local, mut job } = std::mem::replace(&mut *seat, Seat::Taken) else {
            return;
        };
        drop(seat);
        let mut hands = Hands::new(index, self.crew, *self, local, roots);
        // Unwind safety: after a panic the job is not used again, and the hands only to take out what they hold. Only
        // the job's own code can panic, and it runs while none of the crew's structures is half changed.
        let lived = catch_unwind(AssertUnwindSafe(|| {
            hands.work(&mut job, searching);
            (self.crew.stop() < POISONED).then(|| job.finish())
        }));
        let output = lived.unwrap_or_else(|payload| {
            self.crew.poison(Panicked {
                worker: index,
                payload,
            });
            None
        });
        let (local, private, tally) = hands.into_rest();
        let left = Seat::Left {
            local,
            private,
            tally,
            output,
        };
        *self.seats[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = left;
    }

    /// Starts all workers there are.
    fn start_all(&self) -> usize {
        let mut started = 0;
        while let Some(index) = self.crew.claim() {
            let threads = *self;
            let builder = thread::Builder::new().name(format!("worker-{index}"));
            if builder
                .spawn_scoped(self.scope, move || threads.body(index, None, false))
                .is_err()
            {
                self.crew.give_up_starting();
                break;
            }
            started += 1;
        }
        started
    }
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
    let seat = |(local, job)| Mutex::new(Seat::Waiting { local, job });
    let seats: Vec<_> = locals.into_iter().zip(jobs).map(seat).collect();
    let feeds: Vec<_> = producers
        .into_iter()
        .map(|feed| Mutex::new(Some(feed)))
        .collect();
    let mut started = 0;
    thread::scope(|scope| {
        let threads = Threads {
            scope,
            crew: &crew,
            seats: &seats,
        };
        start_producers(scope, &crew, &feeds);
        // A producer cannot start workers, so with producers all are there from the beginning.
        if !cfg.lazy_spawn || !feeds.is_empty() {
            started = threads.start_all();
        }
        threads.body(0, Some(roots), false);
    });
    let mut sum = Sum {
        started,
        ..Sum::default()
    };
    let outputs = go_home::<T, B, P, J>(&crew, seats, &mut sum);
    let crew = crew.into_end();
    sum.tally.spawned += crew.injected;
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
    let tally = Tally {
        spawned: count,
        ..Tally::default()
    };
    Sum {
        tally,
        dropped: count,
        ..Sum::default()
    }
    .into_report(Vec::new(), QUIT)
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
    for (index, feed) in feeds.iter().enumerate() {
        let index = crew.settings.workers + index;
        let builder = thread::Builder::new().name(format!("producer-{index}"));
        if builder
            .spawn_scoped(scope, move || produce(crew, index, feed))
            .is_err()
        {
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
        crew.poison(Panicked {
            worker: index,
            payload,
        });
    }
}

/// What all workers together counted.
#[derive(Default)]
struct Sum {
    tally: Tally,
    queue: QueueStats,
    dropped: u64,
    started: usize,
}

impl Sum {
    fn add<T: Send>(&mut self, local: &impl WorkerQueue<T>, tally: &Tally) {
        self.queue += local.stats();
        self.tally += *tally;
    }

    fn into_report<O>(self, outputs: Vec<O>, stop: u8) -> RunReport<O> {
        debug_assert_eq!(
            self.tally.spawned,
            self.tally.executed + self.dropped,
            "an item was lost or doubled"
        );
        RunReport {
            outputs,
            executed: self.tally.executed,
            spawned: self.tally.spawned,
            dropped: self.dropped,
            stop: if stop >= QUIT { Stop::Quit } else { Stop::Done },
            queue: self.queue,
            idle: self.tally.idle,
            threads_started: self.started + self.tally.started,
        }
    }
}

fn finish<T, J: Job<T>>(job: J, worker: usize) -> Result<J::Output, Panicked> {
    // Unwind safety: the job is gone either way.
    catch_unwind(AssertUnwindSafe(|| job.finish())).map_err(|payload| Panicked { worker, payload })
}

/// Takes everybody's belongings after the last thread has ended, and drops the items that are left.
fn go_home<T, B, P, J>(
    crew: &Crew<T, B, P>,
    seats: Vec<SeatOf<T, B, J>>,
    sum: &mut Sum,
) -> Result<Vec<J::Output>, Panicked>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T>,
{
    let poisoned = crew.stop() == POISONED;
    let mut outputs = Vec::with_capacity(seats.len());
    let mut failed = None;
    let mut ends = Vec::with_capacity(seats.len());
    for (worker, seat) in seats.into_iter().enumerate() {
        match seat.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Seat::Waiting { local, job } => {
                ends.push(local);
                if !poisoned {
                    finish(job, worker)
                        .map_or_else(|p| failed = failed.take().or(Some(p)), |o| outputs.push(o));
                }
            }
            Seat::Left {
                local,
                private,
                tally,
                output,
            } => {
                sum.add(&local, &tally);
                sum.dropped += private.len() as u64;
                ends.push(local);
                outputs.extend(output);
            }
            // Threads leave their seat tidy even when the job panics.
            Seat::Taken => {}
        }
    }
    sum.dropped += ends.iter_mut().map(drain).sum::<u64>();
    // What was injected belongs to nobody, so it is stolen.
    if let Some(end) = ends.first_mut() {
        let req = StealReq {
            amount: StealAmount::One,
            start: 0,
        };
        loop {
            match end.steal(req) {
                Steal::Item { .. } => sum.dropped += 1 + drain(end),
                Steal::Empty => break,
                Steal::Contended => thread::yield_now(),
            }
        }
    }
    failed.map_or(Ok(outputs), Err)
}

/// Drops what one end holds and says how much it was.
fn drain<T: Send>(end: &mut impl WorkerQueue<T>) -> u64 {
    let mut dropped = 0;
    while end.pop().is_some() {
        dropped += 1;
    }
    dropped
}
