//! How a run is set up: what a caller passes to [`run`](crate::run) and [`run_on`](crate::run_on).

use std::num::{NonZeroU8, NonZeroUsize};

use crate::names::{IdleKind, QueueKind, Sharing};

/// The setup of one run. The number of workers is the number of jobs.
///
/// ```
/// use heist_queue::{IdleConfig, IdleKind, RunConfig};
///
/// let idle = IdleConfig { policy: IdleKind::FifoEvent, ..IdleConfig::default() };
/// let config = RunConfig { idle, lazy_spawn: false, ..RunConfig::default() };
/// assert_eq!(config.extra_workers, 0);
/// ```
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Settings of the queue.
    pub queue: QueueConfig,
    /// Settings of the idle policy.
    pub idle: IdleConfig,
    /// Start a thread only when there is work for it. If `false`, all threads start with the run.
    pub lazy_spawn: bool,
    /// How many workers, counted from the last, are not started until a job calls
    /// [`allow_extra_workers`](crate::Spawner::allow_extra_workers). Worker 0 is never an extra.
    pub extra_workers: usize,
    /// How much of its work a worker makes visible to thieves.
    pub sharing: Sharing,
    /// The stack size of the threads in bytes; `None` is the system's default. Worker 0 runs on the
    /// calling thread, with the stack that this has.
    pub stack_size: Option<usize>,
}

impl Default for RunConfig {
    fn default() -> RunConfig {
        RunConfig {
            queue: QueueConfig::default(),
            idle: IdleConfig::default(),
            lazy_spawn: true,
            extra_workers: 0,
            sharing: Sharing::default(),
            stack_size: None,
        }
    }
}

/// How a backend is built.
#[derive(Clone, Debug)]
pub struct QueueConfig {
    /// The backend that [`AnyQueue`](crate::AnyQueue) becomes. A run with a backend fixed by its
    /// type ignores this field.
    pub kind: QueueKind,
    /// How much of a victim's queue one steal takes. Backends without stealing ignore it.
    pub amount: StealAmount,
    /// How many items bounded storage holds per worker, rounded up to a power of two. The rest
    /// overflows into unbounded storage; unbounded backends ignore this field.
    pub capacity: usize,
    /// How many items a block of the queue `bwos` holds, at most 64. Others ignore this field.
    pub block: usize,
}

impl Default for QueueConfig {
    fn default() -> QueueConfig {
        QueueConfig {
            kind: QueueKind::default(),
            amount: StealAmount::HALF,
            capacity: 256,
            block: 4,
        }
    }
}

/// How much of a victim's queue one steal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StealAmount {
    /// One item.
    One,
    /// This percentage of the victim's items, rounded up. Values over 100 count as 100.
    Percent(NonZeroU8),
}

impl StealAmount {
    /// Half of the victim's items.
    pub const HALF: StealAmount = match NonZeroU8::new(50) {
        Some(percent) => StealAmount::Percent(percent),
        None => StealAmount::One,
    };

    /// How many of `len` items to take: at least one and at most `len`, or 0 if `len` is 0.
    ///
    /// ```
    /// use heist_queue::StealAmount;
    ///
    /// assert_eq!([0, 1, 2, 7].map(|len| StealAmount::HALF.take(len)), [0, 1, 1, 4]);
    /// ```
    pub fn take(self, len: usize) -> usize {
        match self {
            StealAmount::One => len.min(1),
            StealAmount::Percent(percent) => {
                let percent = usize::from(percent.get().min(100));
                // Split, because `len * percent` could overflow.
                let (hundreds, rest) = (len / 100, len % 100);
                hundreds * percent + (rest * percent).div_ceil(100)
            }
        }
    }
}

/// How an idle policy is set up.
#[derive(Clone, Debug, Default)]
pub struct IdleConfig {
    /// The policy that [`AnyPolicy`](crate::AnyPolicy) becomes. A run with a policy fixed by its
    /// type ignores this field.
    pub policy: IdleKind,
    /// With producers only: how many produced items may wait while some worker is awake before
    /// another one is woken. Saves context switches; an item may wait until a busy worker returns.
    /// 0 and 1 wake at once. Used by the event policies; rocallahan's biased work queues use 20.
    pub backlog: usize,
    /// The cores this process may use; `None` queries the system. With more workers than cores,
    /// idle workers do not spin.
    pub cores: Option<NonZeroUsize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_up_and_never_zero() {
        let percent = |n| StealAmount::Percent(NonZeroU8::new(n).unwrap());
        for amount in [StealAmount::One, percent(1), percent(50), percent(100), percent(255)] {
            assert_eq!(amount.take(0), 0);
            assert_eq!(amount.take(1), 1, "a single item can always be stolen");
        }
        assert_eq!(StealAmount::HALF, percent(50));
        assert_eq!([2, 3, 7, 100, 101].map(|len| StealAmount::HALF.take(len)), [1, 2, 4, 50, 51]);
        assert_eq!([4, 5, 200].map(|len| percent(25).take(len)), [1, 2, 50]);
        assert_eq!(percent(255).take(7), 7);
        let rest = (usize::MAX % 100 * 99).div_ceil(100);
        assert_eq!(percent(99).take(usize::MAX), usize::MAX / 100 * 99 + rest);
        assert_eq!(StealAmount::One.take(9), 1);
    }
}
