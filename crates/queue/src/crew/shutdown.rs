//! After the last thread has ended: outputs, counts, and what to do with items nobody has run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::thread;

use crate::backend::{Backend, QueueStats, Steal, StealAmount, StealRequest, WorkerQueue};
use crate::crew::threads::{SlotOf, WorkerSlot};
use crate::crew::worker::Counts;
use crate::crew::{Crew, POISONED, QUIT};
use crate::idle::IdlePolicy;
use crate::job::Job;
use crate::report::{Panicked, RunReport, Stop};

/// What all workers together counted.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) counts: Counts,
    pub(super) queue: QueueStats,
    pub(super) dropped: u64,
    pub(super) started: usize,
}

impl Sum {
    fn add<T: Send>(&mut self, local: &impl WorkerQueue<T>, counts: &Counts) {
        self.queue += local.stats();
        self.counts += *counts;
    }

    pub(super) fn into_report<O>(self, outputs: Vec<O>, stop: u8) -> RunReport<O> {
        debug_assert_eq!(
            self.counts.spawned,
            self.counts.executed + self.dropped,
            "an item was lost or doubled"
        );
        RunReport {
            outputs,
            executed: self.counts.executed,
            spawned: self.counts.spawned,
            dropped: self.dropped,
            stop: if stop >= QUIT { Stop::Quit } else { Stop::Done },
            queue: self.queue,
            idle: self.counts.idle,
            threads_started: self.started + self.counts.started,
        }
    }
}

pub(super) fn finish<T, J: Job<T>>(job: J, worker: usize) -> Result<J::Output, Panicked> {
    // Unwind safety: the job is gone either way.
    catch_unwind(AssertUnwindSafe(|| job.finish())).map_err(|payload| Panicked { worker, payload })
}

/// Takes everybody's belongings after the last thread has ended, and drops the items that are left.
pub(super) fn collect_results<T, B, P, J>(
    crew: &Crew<T, B, P>,
    slots: Vec<SlotOf<T, B, J>>,
    sum: &mut Sum,
) -> Result<Vec<J::Output>, Panicked>
where
    T: Send,
    B: Backend<T>,
    P: IdlePolicy,
    J: Job<T>,
{
    let poisoned = crew.stop() == POISONED;
    let mut outputs = Vec::with_capacity(slots.len());
    let mut failed = None;
    let mut ends = Vec::with_capacity(slots.len());
    for (worker, slot) in slots.into_iter().enumerate() {
        match slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
            WorkerSlot::Waiting { local, job } => {
                ends.push(local);
                if !poisoned {
                    finish(job, worker)
                        .map_or_else(|p| failed = failed.take().or(Some(p)), |o| outputs.push(o));
                }
            }
            WorkerSlot::Left { local, private, counts, output } => {
                sum.add(&local, &counts);
                sum.dropped += private.len() as u64;
                ends.push(local);
                outputs.extend(output);
            }
            // Threads leave their slot tidy even when the job panics.
            WorkerSlot::Taken => {}
        }
    }
    sum.dropped += ends.iter_mut().map(drain).sum::<u64>();
    // What was injected belongs to nobody, so it is stolen.
    if let Some(end) = ends.first_mut() {
        let req = StealRequest { amount: StealAmount::One, start: 0 };
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
