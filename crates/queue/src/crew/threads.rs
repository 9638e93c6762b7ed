//! Worker threads, and the slots that keep what a worker owns before its thread starts and after it
//! ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::backend::Backend;
use crate::counted::Counted;
use crate::crew::state::{Crew, POISONED};
use crate::crew::worker::{Starter, WorkerContext, WorkerCounts};
use crate::idle::IdlePolicy;
use crate::job::Job;
use crate::report::Panicked;

/// What one worker owns while its thread does not have it.
pub(super) enum WorkerSlot<W, J, T, O> {
    /// The thread has not started.
    Waiting { end: W, job: J },
    /// The thread has everything.
    Taken,
    /// The thread has ended. `output` is `None` after a panic.
    Left { end: W, private: Vec<T>, counts: WorkerCounts, output: Option<O> },
}

type SlotIn<T, B, J> =
    WorkerSlot<Counted<T, <B as Backend<T>>::Worker>, J, T, <J as Job<T>>::Output>;

/// The slot of one worker of a crew.
pub(super) type SlotOf<T, B, J> = Mutex<SlotIn<T, B, J>>;

/// Starts workers as threads of one scope.
pub(super) struct Threads<'scope, 'env, T: Send, B: Backend<T>, P, J: Job<T>> {
    scope: &'scope Scope<'scope, 'env>,
    crew: &'scope Crew<T, B, P>,
    slots: &'scope [SlotOf<T, B, J>],
}

// Derived impls would require `T: Copy` and so on.
impl<T: Send, B: Backend<T>, P, J: Job<T>> Clone for Threads<'_, '_, T, B, P, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send, B: Backend<T>, P, J: Job<T>> Copy for Threads<'_, '_, T, B, P, J> {}

impl<T: Send, B: Backend<T>, P: IdlePolicy, J: Job<T> + Send> Starter
    for Threads<'_, '_, T, B, P, J>
{
    fn start(&self, index: usize) -> bool {
        self.spawn(index, true)
    }
}

impl<'scope, 'env, T: Send, B: Backend<T>, P: IdlePolicy, J: Job<T> + Send>
    Threads<'scope, 'env, T, B, P, J>
{
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        crew: &'scope Crew<T, B, P>,
        slots: &'scope [SlotOf<T, B, J>],
    ) -> Self {
        Threads { scope, crew, slots }
    }

    /// The whole life of one worker, on its thread.
    pub(super) fn body(&self, index: usize, roots: Option<Vec<T>>, searching: bool) {
        let WorkerSlot::Waiting { end, mut job } = self.swap_slot(index, WorkerSlot::Taken) else {
            return;
        };
        let mut context = WorkerContext::new(index, self.crew, *self, end, roots);
        // Unwind safety: after a panic the job is not used again, and the context only to take out
        // what it holds. Only the job's own code can panic, and it runs while no structure of the
        // crew is half changed.
        let lived = catch_unwind(AssertUnwindSafe(|| {
            context.work(&mut job, searching);
            (self.crew.stop() < POISONED).then(|| job.finish())
        }));
        let output = lived.unwrap_or_else(|payload| {
            self.crew.poison(Panicked { worker: index, payload });
            None
        });
        let (end, private, counts) = context.into_rest();
        self.swap_slot(index, WorkerSlot::Left { end, private, counts, output });
    }

    fn swap_slot(&self, index: usize, new: SlotIn<T, B, J>) -> SlotIn<T, B, J> {
        let mut slot = self.slots[index].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, new)
    }

    /// Starts all workers that may be started, and returns the number of threads.
    pub(super) fn start_all(&self) -> usize {
        let mut started = 0;
        while let Some(index) = self.crew.claim_start() {
            if !self.spawn(index, false) {
                self.crew.give_up_starting();
                break;
            }
            started += 1;
        }
        started
    }

    /// Starts one thread. If the system refuses it, returns `false` and leaves the slot as it was.
    fn spawn(&self, index: usize, searching: bool) -> bool {
        let mut builder = thread::Builder::new().name(format!("worker-{index}"));
        if let Some(size) = self.crew.settings.cfg.stack_size {
            builder = builder.stack_size(size);
        }
        let threads = *self;
        builder.spawn_scoped(self.scope, move || threads.body(index, None, searching)).is_ok()
    }
}
