//! What goes into a run and what comes out of it.

use std::any::Any;
use std::fmt;
use std::ops::AddAssign;

use crate::backend::{QueueConfig, QueueStats};
use crate::idle::IdleConfig;

/// How a run is set up. The number of workers is the number of jobs.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// For the queue.
    pub queue: QueueConfig,
    /// For the idle policy.
    pub idle: IdleConfig,
    /// Start a thread only when there is work for it (otherwise all of them at the beginning).
    pub lazy_spawn: bool,
    /// How many of the workers, the last ones, are held back until a job asks for
    /// [reinforcements](crate::Spawner::allow_extra_workers). At least one is not.
    pub extra_workers: usize,
    /// How much of its work a worker lets others see.
    pub sharing: Sharing,
    /// The size of the threads' stacks, in bytes; `None` leaves it to the system. The calling
    /// thread has its own.
    pub stack_size: Option<usize>,
}

impl Default for RunConfig {
    fn default() -> RunConfig {
        RunConfig {
            queue: QueueConfig::default(),
            idle: IdleConfig::default(),
            lazy_spawn: true,
            extra_workers: 0,
            sharing: Sharing::Eager,
            stack_size: None,
        }
    }
}

/// How much of its work a worker puts in its queue, where it can be stolen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Everything, as soon as the item that spawned it returns: whatever a worker is busy with, all
    /// it has not begun can be taken by others.
    Eager,
    /// What thieves can use now: the older half when the queue has run empty, all but the next item
    /// when somebody is has_idle_workers. The rest waits in a plain `Vec`, where an item costs no atomic
    /// operation. A job that runs for long has to look itself whether somebody has become has_idle_workers,
    /// and to [`flush`](crate::Spawner::flush) then.
    Lazy,
}

/// What a run did.
#[derive(Debug)]
pub struct RunReport<O> {
    /// What each job made of it, in the order in which the jobs were given, also of those that
    /// never ran an item.
    pub outputs: Vec<O>,
    /// Items that were run.
    pub executed: u64,
    /// Items that came into being: roots, spawned ones and produced ones. Equals `executed +
    /// dropped`.
    pub spawned: u64,
    /// Items that nobody had begun when the run was ended early.
    pub dropped: u64,
    /// Why the run ended.
    pub stop: Stop,
    /// What the queue counted, over all workers.
    pub queue: QueueStats,
    /// What the workers counted when they had nothing to do.
    pub idle: IdleStats,
    /// Threads started for workers; the calling thread, worker 0, is not among them.
    pub threads_started: usize,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every item was run.
    Done,
    /// A job asked for it.
    Quit,
}

/// Somebody panicked. All threads have ended, and what was left to do has been dropped.
pub struct Panicked {
    /// The worker, or the number of workers plus the index of the producer.
    pub worker: usize,
    /// What was thrown, for [`std::panic::resume_unwind`].
    pub payload: Box<dyn Any + Send>,
}

impl Panicked {
    /// The message of the panic, if it has one.
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

/// How often workers had nothing to do, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleStats {
    /// Times a worker slept.
    pub parks: u64,
    /// Wake-ups sent to single workers, not counting those at the end of the run.
    pub wakes: u64,
    /// Times a woken worker found nothing.
    pub spurious: u64,
    /// Times a worker found an item after announcing that it would sleep: the races the protocol is
    /// there for.
    pub rescued: u64,
}

impl AddAssign for IdleStats {
    fn add_assign(&mut self, other: IdleStats) {
        self.parks += other.parks;
        self.wakes += other.wakes;
        self.spurious += other.spurious;
        self.rescued += other.rescued;
    }
}
