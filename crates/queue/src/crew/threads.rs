//! Threads of workers, and the slots that keep their belongings before and after.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use crate::backend::Backend;
use crate::crew::worker::{Counts, Starter, WorkerContext};
use crate::crew::{Crew, POISONED};
use crate::idle::IdlePolicy;
use crate::job::Job;
use crate::report::Panicked;

/// Where a worker's belongings are when its thread does not have them.
pub(super) enum WorkerSlot<W, J, T, O> {
    /// Not begun.
    Waiting { local: W, job: J },
    /// With the thread.
    Taken,
    /// Gone home. No output if somebody panicked.
    Left { local: W, private: Vec<T>, counts: Counts, output: Option<O> },
}

type SlotIn<T, B, J> = WorkerSlot<<B as Backend<T>>::Worker, J, T, <J as Job<T>>::Output>;

/// The slot of one worker of a crew.
pub(super) type SlotOf<T, B, J> = Mutex<SlotIn<T, B, J>>;

/// Starts workers as threads of one scope.
pub(super) struct Threads<'scope, 'env, T: Send, B: Backend<T>, P, J: Job<T>> {
    scope: &'scope Scope<'scope, 'env>,
    crew: &'scope Crew<T, B, P>,
    slots: &'scope [SlotOf<T, B, J>],
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
        self.spawn(index, true)
    }
}

impl<'scope, 'env, T, B, P, J> Threads<'scope, 'env, T, B, P, J>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T> + Send,
{
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        crew: &'scope Crew<T, B, P>,
        slots: &'scope [SlotOf<T, B, J>],
    ) -> Self {
        Threads { scope, crew, slots }
    }

    /// All of one worker's life, on its thread.
    pub(super) fn body(&self, index: usize, roots: Option<Vec<T>>, searching: bool) {
        let WorkerSlot::Waiting { local, mut job } = self.swap_slot(index, WorkerSlot::Taken)
        else {
            return;
        };
        let mut hands = WorkerContext::new(index, self.crew, *self, local, roots);
        // Unwind safety: after a panic the job is not used again, and the hands only to take out
        // what they hold. Only the job's own code can panic, and it runs while none of the crew's
        // structures is half changed.
        let lived = catch_unwind(AssertUnwindSafe(|| {
            hands.work(&mut job, searching);
            (self.crew.stop() < POISONED).then(|| job.finish())
        }));
        let output = lived.unwrap_or_else(|payload| {
            self.crew.poison(Panicked { worker: index, payload });
            None
        });
        let (local, private, counts) = hands.into_rest();
        self.swap_slot(index, WorkerSlot::Left { local, private, counts, output });
    }

    fn swap_slot(&self, index: usize, new: SlotIn<T, B, J>) -> SlotIn<T, B, J> {
        let mut slot = self.slots[index].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, new)
    }

    /// Starts all workers there are, and says how many threads that took.
    pub(super) fn start_all(&self) -> usize {
        let mut started = 0;
        while let Some(index) = self.crew.claim() {
            if !self.spawn(index, false) {
                self.crew.give_up_starting();
                break;
            }
            started += 1;
        }
        started
    }

    /// Starts one thread. `false`: the system refuses, and the slot is as it was.
    fn spawn(&self, index: usize, searching: bool) -> bool {
        let mut builder = thread::Builder::new().name(format!("worker-{index}"));
        if let Some(size) = self.crew.settings.stack_size {
            builder = builder.stack_size(size);
        }
        let threads = *self;
        builder.spawn_scoped(self.scope, move || threads.body(index, None, searching)).is_ok()
    }
}
