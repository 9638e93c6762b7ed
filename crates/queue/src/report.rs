//! What comes out of a run.

use std::any::Any;
use std::fmt;
use std::ops::AddAssign;

/// The result of a run.
#[derive(Debug)]
pub struct RunReport<O> {
    /// The output of each job, in the order of the jobs, including those that ran no item.
    pub outputs: Vec<O>,
    /// Items that were run.
    pub executed: u64,
    /// Items that existed: roots, spawned and produced ones. Equals `executed + dropped`.
    pub spawned: u64,
    /// Items that were dropped unrun because the run ended early.
    pub dropped: u64,
    /// Why the run ended.
    pub stop: Stop,
    /// Queue operations of all workers.
    pub queue: QueueStats,
    /// How often workers were idle, and what became of it.
    pub idle: IdleStats,
    /// Threads started for workers. The calling thread, worker 0, is not counted.
    pub threads_started: usize,
}

impl<O> RunReport<O> {
    /// Returns this report with `outputs` in place of its own.
    pub(crate) fn with_outputs<P>(self, outputs: Vec<P>) -> RunReport<P> {
        let RunReport {
            outputs: _,
            executed,
            spawned,
            dropped,
            stop,
            queue,
            idle,
            threads_started,
        } = self;
        RunReport { outputs, executed, spawned, dropped, stop, queue, idle, threads_started }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every item was run.
    Done,
    /// A job returned [`ControlFlow::Break`](std::ops::ControlFlow::Break).
    Quit,
}

/// The error of a run in which a job or a producer panicked. All threads have ended and all
/// remaining items have been dropped.
pub struct Panicked {
    /// The index of the worker, or the number of workers plus the index of the producer.
    pub worker: usize,
    /// The payload of the panic, for [`std::panic::resume_unwind`].
    pub payload: Box<dyn Any + Send>,
}

impl Panicked {
    /// The message of the panic, if its payload is a string.
    pub fn message(&self) -> Option<&str> {
        let text = self.payload.downcast_ref::<&'static str>().copied();
        text.or_else(|| self.payload.downcast_ref::<String>().map(String::as_str))
    }
}

impl fmt::Debug for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message().unwrap_or("(no message)");
        f.debug_struct("Panicked").field("worker", &self.worker).field("message", &message).finish()
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {} panicked: {}", self.worker, self.message().unwrap_or("(no message)"))
    }
}

impl std::error::Error for Panicked {}

/// How often workers had nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleStats {
    /// Times a worker slept.
    pub parks: u64,
    /// Wake-ups sent to single workers, without those at the end of the run.
    pub wakes: u64,
    /// Times a woken worker found nothing.
    pub spurious: u64,
    /// Times a worker found an item in the re-check between announcing that it parks and parking.
    pub rescued: u64,
}

/// Queue operations. `pushed` plus the number of injected items equals `popped + steals` plus the
/// number of items left over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Items pushed by their owners.
    pub pushed: u64,
    /// Items popped by their owners.
    pub popped: u64,
    /// Sweeps that found an item; each hands exactly one item to the thief.
    pub steals: u64,
    /// Further items that moved from a victim to a thief's own storage. An item may move more than
    /// once.
    pub moved: u64,
    /// Sweeps that saw every queue empty.
    pub empty: u64,
    /// Sweeps that lost a race and found nothing.
    pub contended: u64,
    /// Items that went to unbounded storage because bounded storage was full.
    pub overflowed: u64,
}

/// Implements `+=` field by field.
macro_rules! add_fields {
    ($stats:ident: $($field:ident),+) => {
        impl AddAssign for $stats {
            fn add_assign(&mut self, other: $stats) {
                $(self.$field += other.$field;)+
            }
        }
    };
}

add_fields!(IdleStats: parks, wakes, spurious, rescued);
add_fields!(QueueStats: pushed, popped, steals, moved, empty, contended, overflowed);
