//! A crew of one: no thread, no atomic, no queue but a `Vec`.

use std::ops::ControlFlow;

use crate::backend::QueueStats;
use crate::job::{Job, Spawner};
use crate::report::{IdleStats, RunReport, Stop};

/// The only worker's items, the next one last.
struct Solo<T> {
    stack: Vec<T>,
    /// Where the items begin that the running job has spawned and that are still in the order of
    /// spawning.
    mark: usize,
    sealed: bool,
    spawned: u64,
}

/// Runs everything on the calling thread. Panics pass through.
pub(super) fn run_alone<T, J: Job<T>>(mut roots: Vec<T>, mut job: J) -> RunReport<J::Output> {
    roots.reverse();
    let mut solo =
        Solo { spawned: roots.len() as u64, mark: roots.len(), stack: roots, sealed: false };
    let mut executed = 0;
    let mut stop = Stop::Done;
    while let Some(item) = solo.stack.pop() {
        solo.mark = solo.stack.len();
        solo.sealed = false;
        executed += 1;
        let flow = job.run(item, &mut solo);
        solo.flush();
        if flow == ControlFlow::Break(()) {
            stop = Stop::Quit;
            break;
        }
    }
    let dropped = solo.stack.len() as u64;
    RunReport {
        outputs: vec![job.finish()],
        executed,
        spawned: solo.spawned,
        dropped,
        stop,
        queue: QueueStats::default(),
        idle: IdleStats::default(),
        threads_started: 0,
    }
}

impl<T> Spawner<T> for Solo<T> {
    fn spawn(&mut self, item: T) {
        assert!(!self.sealed, "an item was spawned by one that was sealed");
        self.spawned += 1;
        self.stack.push(item);
    }

    fn flush(&mut self) {
        self.stack[self.mark..].reverse();
        self.mark = self.stack.len();
    }

    fn seal(&mut self) {
        self.flush();
        self.sealed = true;
    }

    /// Nobody is in reserve.
    fn allow_extra_workers(&mut self) {}

    fn stopped(&self) -> bool {
        false
    }

    fn has_idle_workers(&self) -> bool {
        false
    }
}
