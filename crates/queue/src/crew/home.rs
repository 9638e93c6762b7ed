//! After the last thread has ended: outputs, counts, and what to do with items nobody has run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::thread;

use crate::backend::{Backend, QueueStats, Steal, StealAmount, StealReq, WorkerQueue};
use crate::crew::seat::{Seat, SeatOf};
use crate::crew::worker::Tally;
use crate::crew::{Crew, POISONED, QUIT};
use crate::idle::IdlePolicy;
use crate::job::Job;
use crate::report::{Panicked, RunReport, Stop};

/// What all workers together counted.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) tally: Tally,
    pub(super) queue: QueueStats,
    pub(super) dropped: u64,
    pub(super) started: usize,
}

impl Sum {
    fn add<T: Send>(&mut self, local: &impl WorkerQueue<T>, tally: &Tally) {
        self.queue += local.stats();
        self.tally += *tally;
    }

    pub(super) fn into_report<O>(self, outputs: Vec<O>, stop: u8) -> RunReport<O> {
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

pub(super) fn finish<T, J: Job<T>>(job: J, worker: usize) -> Result<J::Output, Panicked> {
    // Unwind safety: the job is gone either way.
    catch_unwind(AssertUnwindSafe(|| job.finish())).map_err(|payload| Panicked { worker, payload })
}

/// Takes everybody's belongings after the last thread has ended, and drops the items that are left.
pub(super) fn go_home<T, B, P, J>(
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
            Seat::Left { local, private, tally, output } => {
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
        let req = StealReq { amount: StealAmount::One, start: 0 };
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
