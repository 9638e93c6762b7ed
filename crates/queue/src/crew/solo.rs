//! A crew of one: no thread, no atomic, and a plain `Vec` for a queue.

use std::ops::ControlFlow;

use crate::job::{Job, Spawner};
use crate::report::{IdleStats, QueueStats, RunReport, Stop};

/// The items of the only worker, the next one last.
struct Solo<T> {
    stack: Vec<T>,
    /// From here on the stack holds items of the running job that are still in spawning order.
    mark: usize,
    spawned: u64,
}

/// Runs everything on the calling thread. Panics pass through.
pub(super) fn run_alone<T, J: Job<T>>(mut roots: Vec<T>, mut job: J) -> RunReport<J::Output> {
    roots.reverse();
    let mut solo = Solo { spawned: roots.len() as u64, mark: roots.len(), stack: roots };
    let mut executed = 0;
    let mut stop = Stop::Done;
    while let Some(item) = solo.stack.pop() {
        solo.mark = solo.stack.len();
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
        self.spawned += 1;
        self.stack.push(item);
    }

    /// Reverses the new items, so that the first one is popped first.
    fn flush(&mut self) {
        self.stack[self.mark..].reverse();
        self.mark = self.stack.len();
    }

    fn stopped(&self) -> bool {
        false
    }

    fn allow_extra_workers(&mut self) {}

    fn has_idle_workers(&self) -> bool {
        false
    }
}
