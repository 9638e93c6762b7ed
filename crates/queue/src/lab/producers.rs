//! Producers: threads that feed a run with items and run none themselves.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::backend::Backend;
use crate::config::RunConfig;
use crate::crew::launch::{Producers, run_crew};
use crate::crew::state::Crew;
use crate::idle::{IdlePolicy, Wake};
use crate::job::Job;
use crate::report::{Panicked, RunReport};
use crate::sync::Ordering;

/// [`run`](crate::run) without roots: items come from `producers`, each on a thread of its own.
///
/// The run is done when all producers have dropped their tokens and all items are done. If the
/// system refuses a thread, the calling thread runs that producer before it goes to work, so
/// producers must not wait for their items.
///
/// # Errors
///
/// [`Panicked`] with the first panic, if a job or a producer panicked.
pub fn run_with_producers<T: Send, B: Backend<T>, P: IdlePolicy, J: Job<T> + Send, F>(
    cfg: &RunConfig,
    producers: Vec<F>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    let feeds = Feeds(producers.into_iter().map(|feed| Mutex::new(Some(feed))).collect());
    run_crew::<T, B, P, J>(cfg, Vec::new(), &feeds, jobs)
}

/// A producer's right to add items. The run cannot be done before it is dropped.
pub struct ProducerToken<'a, T> {
    crew: &'a dyn Feed<T>,
    batch: Vec<T>,
}

impl<T> ProducerToken<'_, T> {
    /// Adds an item and wakes a worker for it if necessary.
    pub fn push(&mut self, item: T) {
        self.batch.push(item);
        self.crew.feed(&mut self.batch);
    }

    /// Adds all items of `batch` and leaves it empty.
    pub fn push_batch(&mut self, batch: &mut Vec<T>) {
        if !batch.is_empty() {
            self.crew.feed(batch);
        }
    }

    /// Whether the run was ended early. Items added after that are dropped.
    pub fn stopped(&self) -> bool {
        self.crew.stopped()
    }
}

impl<T> Drop for ProducerToken<'_, T> {
    fn drop(&mut self) {
        self.crew.close();
    }
}

/// What a token needs of a crew, whatever its backend and policy.
trait Feed<T>: Sync {
    fn feed(&self, batch: &mut Vec<T>);
    fn stopped(&self) -> bool;
    fn close(&self);
}

impl<T: Send, B: Backend<T>, P: IdlePolicy> Feed<T> for Crew<T, B, P> {
    fn feed(&self, batch: &mut Vec<T>) {
        let count = batch.len();
        self.credits.add(count);
        // Ordering: Relaxed, read after all threads have ended.
        self.injected.fetch_add(count as u64, Ordering::Relaxed);
        self.backend.inject(batch);
        // The length of a queue can cost more than the push, so it is read only where the policy
        // depends on it.
        let backlog =
            if self.settings.cfg.idle.backlog > 1 { self.backend.backlog() } else { count };
        // A producer runs no item itself. It starts no threads either: worker 0 sees the items and
        // starts them.
        let _: Wake = self.idle.producer_published(backlog);
    }

    fn stopped(&self) -> bool {
        self.is_stopped()
    }

    fn close(&self) {
        self.release_credits(1);
    }
}

/// The closures of all producers, each until its thread takes it.
struct Feeds<F>(Vec<Mutex<Option<F>>>);

impl<T: Send, B: Backend<T>, P: IdlePolicy, F> Producers<T, B, P> for Feeds<F>
where
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    fn count(&self) -> usize {
        self.0.len()
    }

    fn start<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, crew: &'scope Crew<T, B, P>) {
        for (number, feed) in self.0.iter().enumerate() {
            let index = crew.settings.workers + number;
            let builder = thread::Builder::new().name(format!("producer-{number}"));
            if builder.spawn_scoped(scope, move || produce(crew, index, feed)).is_err() {
                produce(crew, index, feed);
            }
        }
    }
}

/// Runs one producer. Its credit has been counted.
fn produce<T: Send, B: Backend<T>, P: IdlePolicy>(
    crew: &Crew<T, B, P>,
    index: usize,
    feed: &Mutex<Option<impl FnOnce(ProducerToken<'_, T>) + Send>>,
) {
    let Some(feed) = feed.lock().unwrap_or_else(PoisonError::into_inner).take() else {
        return;
    };
    // Unwind safety: as in `Threads::body`. Dropping the token returns the credit in any case.
    let token = ProducerToken { crew, batch: Vec::new() };
    let fed = catch_unwind(AssertUnwindSafe(|| feed(token)));
    if let Err(payload) = fed {
        crew.poison(Panicked { worker: index, payload });
    }
}
