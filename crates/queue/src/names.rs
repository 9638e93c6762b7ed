//! The names of backends, idle policies and ways of sharing, as on the command line.

use std::fmt;

/// The error for a name that no variant has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was parsed: `queue`, `idle policy` or `way of sharing`.
    pub what: &'static str,
    /// The name that was given.
    pub name: String,
    /// The names that exist.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { what, name, known } = self;
        write!(f, "unknown {what} '{name}', expected one of: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Defines an enum whose variants have names, with `ALL`, `NAMES`, `name`, `Display` and `FromStr`.
/// A variant with a `feature` exists only if that is enabled.
macro_rules! named {
    (
        $what:literal
        $(#[$doc:meta])*
        $kinds:ident: $(
            $(#[$attr:meta])*
            $kind:ident = $name:literal $(if $feature:literal)?,
        )+
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $kinds {
            $($(#[$attr])* $(#[cfg(feature = $feature)])? $kind,)+
        }

        impl $kinds {
            /// Every kind, in the order of [`NAMES`](Self::NAMES).
            pub const ALL: &'static [$kinds] =
                &[$($(#[cfg(feature = $feature)])? $kinds::$kind,)+];

            /// The names of all kinds.
            pub const NAMES: &'static [&'static str] =
                &[$($(#[cfg(feature = $feature)])? $name,)+];

            /// The name of this kind.
            pub fn name(self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)])? $kinds::$kind => $name,)+
                }
            }
        }

        impl fmt::Display for $kinds {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $kinds {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<$kinds, UnknownName> {
                let found = $kinds::ALL.iter().find(|kind| kind.name() == name);
                found.copied().ok_or_else(|| UnknownName {
                    what: $what,
                    name: name.to_owned(),
                    known: $kinds::NAMES,
                })
            }
        }
    };
}

named! {
    "queue"
    /// The backends, selectable by value: see [`run_on`](crate::run_on) and
    /// [`with_backend`](crate::with_backend). All but the default need the feature `lab`.
    ///
    /// ```
    /// use heist_queue::QueueKind;
    ///
    /// assert_eq!("deque".parse(), Ok(QueueKind::default()));
    /// # #[cfg(feature = "lab")]
    /// assert_eq!("st3-lifo".parse(), Ok(QueueKind::St3Lifo));
    /// ```
    QueueKind:
    #[default]
    /// A crossbeam deque per worker: the owner pops the newest item, thieves take the oldest half.
    Deque = "deque",
    /// A Chase–Lev deque of our own per worker, free of data races.
    ChaseLev = "chase-lev" if "lab",
    /// One mutexed stack shared by all workers.
    Stack = "stack" if "lab",
    /// A mutexed deque per worker: the owner pops the oldest item, thieves take the newest half.
    Sharded = "sharded" if "lab",
    /// A mutexed deque per worker: the owner pops the newest item, thieves take the oldest half.
    ShardedLifo = "sharded-lifo" if "lab",
    /// A bounded st3 ring per worker, newest first.
    St3Lifo = "st3-lifo" if "lab",
    /// A bounded st3 ring per worker, oldest first.
    St3Fifo = "st3-fifo" if "lab",
    /// One channel shared by all workers.
    Channel = "channel" if "lab",
    /// One channel, from which each worker takes batches.
    Biased = "biased" if "lab",
    /// One crossbeam injector shared by all workers.
    Injector = "injector" if "lab",
    /// Blocks of items per worker: the owner pops the newest item of the newest block, which no
    /// thief sees, and thieves take batches from the others.
    Bwos = "bwos" if "lab",
}

named! {
    "idle policy"
    /// The idle policies, selectable by value: see
    /// [`IdleConfig::policy`](crate::IdleConfig::policy). All but the default need the feature
    /// `lab`.
    IdleKind:
    #[default]
    /// Sleep on a futex, wake the lowest index, one wake-up in flight.
    BiasedEvent = "biased-event",
    /// Sleep on a futex, wake the worker that has been parked longest, one wake-up in flight.
    FifoEvent = "fifo-event" if "lab",
    /// Sleep on a futex, wake the next worker above the waker, one wake-up in flight.
    BiasedChain = "biased-chain" if "lab",
    /// Search for long, then sleep on a condition variable.
    YieldCondvar = "yield-condvar" if "lab",
    /// Search again every millisecond.
    Poll1ms = "poll-1ms" if "lab",
}

named! {
    "way of sharing"
    /// How much of its work a worker puts in its queue, where it can be stolen, and when: see
    /// [`RunConfig::sharing`](crate::RunConfig::sharing). All but the default need the feature
    /// `lab`.
    ///
    /// What is not in the queue waits in a plain `Vec`, where an item costs no atomic operation. It
    /// becomes visible after an item at the earliest, or when a job calls
    /// [`flush`](crate::Spawner::flush). So a job that runs for long has to poll
    /// [`has_idle_workers`](crate::Spawner::has_idle_workers) and flush.
    Sharing:
    #[default]
    /// Everything, as soon as the item that spawned it returns. While a worker runs an item, all
    /// other items it has can be stolen, but for those that its queue
    /// [hides](crate::Backend::MAX_HIDDEN).
    Eager = "eager",
    /// What thieves can use now: the older half when the queue has run empty, all but the next item
    /// when another worker is idle.
    Lazy = "lazy" if "lab",
    /// The older half, whenever the queue has run empty.
    Reserve = "reserve" if "lab",
    /// The older half, when the queue has run empty and another worker is idle.
    Request = "request" if "lab",
}
