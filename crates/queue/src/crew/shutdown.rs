//! After the last thread has ended: outputs, counts, and the items that were not run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::thread;

use crate::backend::{Backend, Steal, StealRequest, WorkerQueue};
use crate::config::StealAmount;
use crate::crew::state::{Crew, POISONED, QUIT};
use crate::crew::threads::{SlotOf, WorkerSlot};
use crate::crew::worker::WorkerCounts;
use crate::idle::IdlePolicy;
use crate::job::Job;
use crate::report::{Panicked, QueueStats, RunReport, Stop};

/// The counts of all workers together.
#[derive(Default)]
pub(super) struct CrewTotals {
    pub(super) counts: WorkerCounts,
    pub(super) queue: QueueStats,
    pub(super) dropped: u64,
    pub(super) started: usize,
}

impl CrewTotals {
    pub(super) fn into_report<O>(self, outputs: Vec<O>, stop: u8) -> RunReport<O> {
        debug_assert_eq!(
            self.counts.spawned,
            self.counts.executed + self.dropped,
            "an item was lost or duplicated"
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

/// Finishes a job outside of its worker's thread.
pub(super) fn finish<T, J: Job<T>>(job: J, worker: usize) -> Result<J::Output, Panicked> {
    // Unwind safety: the job is gone either way.
    catch_unwind(AssertUnwindSafe(|| job.finish())).map_err(|payload| Panicked { worker, payload })
}

/// Empties the slots: collects outputs and counts, and drops the items that are left.
pub(super) fn collect_results<T: Send, B: Backend<T>, P: IdlePolicy, J: Job<T>>(
    crew: &Crew<T, B, P>,
    slots: Vec<SlotOf<T, B, J>>,
    totals: &mut CrewTotals,
) -> Result<Vec<J::Output>, Panicked> {
    let poisoned = crew.stop() == POISONED;
    let mut outputs = Vec::with_capacity(slots.len());
    let mut failed = None;
    let mut ends = Vec::with_capacity(slots.len());
    for (worker, slot) in slots.into_iter().enumerate() {
        match slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
            WorkerSlot::Waiting { end, job } => {
                ends.push(end);
                if !poisoned {
                    finish(job, worker)
                        .map_or_else(|p| failed = failed.take().or(Some(p)), |o| outputs.push(o));
                }
            }
            WorkerSlot::Left { end, private, counts, output } => {
                totals.queue += end.stats();
                totals.counts += counts;
                totals.dropped += private.len() as u64;
                ends.push(end);
                outputs.extend(output);
            }
            // Threads fill their slot even if the job panics.
            WorkerSlot::Taken => {}
        }
    }
    totals.dropped += ends.iter_mut().map(drain).sum::<u64>();
    // Injected items are in no worker's storage, so they have to be stolen.
    if let Some(end) = ends.first_mut() {
        let req = StealRequest { amount: StealAmount::One, start: 0 };
        loop {
            match end.steal(req) {
                Steal::Item { .. } => totals.dropped += 1 + drain(end),
                Steal::Empty => break,
                Steal::Contended => thread::yield_now(),
            }
        }
    }
    failed.map_or(Ok(outputs), Err)
}

/// Drops the items of one end and returns their number.
fn drain<T: Send>(end: &mut impl WorkerQueue<T>) -> u64 {
    let mut dropped = 0;
    while end.pop().is_some() {
        dropped += 1;
    }
    dropped
}
