//! Choosing a backend and an idle policy by value: the one runtime `match` over each.
//!
//! The backend is matched once per run, so that its code is compiled into the crew. The policy is
//! matched at each call, which costs a branch that is always predicted, and saves a copy of the crew
//! for each pair of a backend and a policy.

use std::fmt;
use std::str::FromStr;

use crate::backend::Backend;
use crate::backends;
use crate::crew::{ProducerToken, run, run_with_producers};
use crate::idle::{
    BiasedChain, BiasedEvent, FifoEvent, IdleConfig, IdlePolicy, ParkEnd, Poll1ms, SearchBudget,
    Sleeper, Wake, YieldCondvar,
};
use crate::job::Job;
use crate::report::{Panicked, RunConfig, RunReport};

/// Writes an enum of things that have a name.
macro_rules! named {
    ($what:literal $(#[$doc:meta])* $kinds:ident: $($(#[$attr:meta])* $kind:ident = $name:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $kinds {
            $($(#[$attr])* $kind,)+
        }

        impl $kinds {
            /// Every kind, in the order of [`NAMES`](Self::NAMES).
            pub const ALL: &'static [$kinds] = &[$($kinds::$kind),+];

            /// What each kind is called, on the command line and everywhere else.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// What this kind is called.
            pub fn name(self) -> &'static str {
                match self {
                    $($kinds::$kind => $name,)+
                }
            }
        }

        impl fmt::Display for $kinds {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $kinds {
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

/// Writes the enum of backends and the `match` over them from one table: a backend is one line.
macro_rules! queue_kinds {
    ($($(#[$attr:meta])* $kind:ident = $name:literal => $backend:ident :: $ty:ident,)+) => {
        named! {
            "queue"
            /// The backends a run can use.
            QueueKind: $($(#[$attr])* $kind = $name,)+
        }

        /// Lets `visitor` do something with the backend `kind`: the way from the value to the type.
        pub fn with_backend<T: Send, V: BackendVisitor<T>>(kind: QueueKind, visitor: V) -> V::Output {
            match kind {
                $(QueueKind::$kind => visitor.visit::<backends::$backend::$ty<T>>(),)+
            }
        }
    };
}

/// Writes the enum of idle policies and the policy that is any of them: a policy is one line.
macro_rules! idle_kinds {
    ($($(#[$attr:meta])* $kind:ident = $name:literal => $ty:ident,)+) => {
        named! {
            "idle policy"
            /// The idle policies a run can use.
            IdleKind: $($(#[$attr])* $kind = $name,)+
        }

        /// The policy that [`IdleConfig::policy`] names.
        pub struct AnyPolicy(Inner);

        #[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
        enum Inner {
            $($kind($ty),)+
        }

        impl IdlePolicy for AnyPolicy {
            const NAME: &'static str = "any";

            fn new(workers: usize, cfg: &IdleConfig) -> AnyPolicy {
                AnyPolicy(match cfg.policy {
                    $(IdleKind::$kind => Inner::$kind($ty::new(workers, cfg)),)+
                })
            }

            fn enter(&self, me: usize) {
                match &self.0 { $(Inner::$kind(policy) => policy.enter(me),)+ }
            }

            fn budget(&self, workers: usize, cores: usize) -> SearchBudget {
                match &self.0 { $(Inner::$kind(policy) => policy.budget(workers, cores),)+ }
            }

            fn published(&self, me: Option<usize>, surplus: usize, owner_busy: bool) -> Wake {
                match &self.0 {
                    $(Inner::$kind(policy) => policy.published(me, surplus, owner_busy),)+
                }
            }

            fn producer_published(&self, backlog: usize) -> Wake {
                match &self.0 { $(Inner::$kind(policy) => policy.producer_published(backlog),)+ }
            }

            fn reserve_search(&self) -> bool {
                match &self.0 { $(Inner::$kind(policy) => policy.reserve_search(),)+ }
            }

            fn search_begin(&self, me: usize) -> bool {
                match &self.0 { $(Inner::$kind(policy) => policy.search_begin(me),)+ }
            }

            fn search_end(&self, me: usize, work_left: &mut dyn FnMut() -> bool) -> Wake {
                match &self.0 { $(Inner::$kind(policy) => policy.search_end(me, work_left),)+ }
            }

            fn park(&self, me: usize, searching: bool, sleeper: &mut dyn Sleeper) -> ParkEnd {
                match &self.0 { $(Inner::$kind(policy) => policy.park(me, searching, sleeper),)+ }
            }

            fn wake_all(&self) {
                match &self.0 { $(Inner::$kind(policy) => policy.wake_all(),)+ }
            }

            fn has_idle_workers(&self) -> bool {
                match &self.0 { $(Inner::$kind(policy) => policy.has_idle_workers(),)+ }
            }
        }
    };
}

queue_kinds! {
    #[default]
    /// A crossbeam deque per worker: own end newest first, thieves take the oldest half.
    Deque = "deque" => deque::Deque,
    /// Our own Chase–Lev deque per worker, without a data race.
    ChaseLev = "chase-lev" => chase_lev::ChaseLev,
    /// One mutexed stack for all.
    Stack = "stack" => stack::Stack,
    /// A mutexed deque per worker: own end oldest first, thieves take the newest half.
    Sharded = "sharded" => sharded::Sharded,
    /// The same with the ends exchanged.
    ShardedLifo = "sharded-lifo" => sharded::ShardedLifo,
    /// A bounded st3 ring per worker, newest first.
    St3Lifo = "st3-lifo" => st3::St3Lifo,
    /// A bounded st3 ring per worker, oldest first.
    St3Fifo = "st3-fifo" => st3::St3Fifo,
    /// One channel for all.
    Channel = "channel" => channel::Channel,
    /// One channel for all, taken from in batches.
    Biased = "biased" => biased::Biased,
    /// One crossbeam injector for all.
    Injector = "injector" => injector::Injector,
}

idle_kinds! {
    #[default]
    /// Sleep on a futex, wake the lowest index, one wake-up in flight.
    BiasedEvent = "biased-event" => BiasedEvent,
    /// The same, but wake the longest sleeper.
    FifoEvent = "fifo-event" => FifoEvent,
    /// The same, but wake the next one above the waker.
    BiasedChain = "biased-chain" => BiasedChain,
    /// Search for long, then sleep on a condition variable.
    YieldCondvar = "yield-condvar" => YieldCondvar,
    /// Look again every millisecond.
    Poll1ms = "poll-1ms" => Poll1ms,
}

/// Something that can be done with any backend.
pub trait BackendVisitor<T: Send> {
    /// What comes of it.
    type Output;

    /// Does it with the backend `B`.
    fn visit<B: Backend<T>>(self) -> Self::Output;
}

/// [`run`] on the backend `kind` and the policy that `cfg.idle` names.
///
/// # Errors
///
/// [`Panicked`] if a job did.
pub fn run_on<T, J>(
    kind: QueueKind,
    cfg: &RunConfig,
    roots: Vec<T>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    T: Send,
    J: Job<T> + Send,
{
    struct Run<'a, T, J>(&'a RunConfig, Vec<T>, Vec<J>);
    impl<T: Send, J: Job<T> + Send> BackendVisitor<T> for Run<'_, T, J> {
        type Output = Result<RunReport<J::Output>, Panicked>;
        fn visit<B: Backend<T>>(self) -> Self::Output {
            run::<T, B, AnyPolicy, J>(self.0, self.1, self.2)
        }
    }
    with_backend(kind, Run(cfg, roots, jobs))
}

/// [`run_with_producers`] on the backend `kind` and the policy that `cfg.idle` names.
///
/// # Errors
///
/// [`Panicked`] if a job or a producer did.
pub fn run_with_producers_on<T, J, F>(
    kind: QueueKind,
    cfg: &RunConfig,
    producers: Vec<F>,
    jobs: Vec<J>,
) -> Result<RunReport<J::Output>, Panicked>
where
    T: Send,
    J: Job<T> + Send,
    F: FnOnce(ProducerToken<'_, T>) + Send,
{
    struct Run<'a, J, F>(&'a RunConfig, Vec<F>, Vec<J>);
    impl<T, J, F> BackendVisitor<T> for Run<'_, J, F>
    where
        T: Send,
        J: Job<T> + Send,
        F: FnOnce(ProducerToken<'_, T>) + Send,
    {
        type Output = Result<RunReport<J::Output>, Panicked>;
        fn visit<B: Backend<T>>(self) -> Self::Output {
            run_with_producers::<T, B, AnyPolicy, J, F>(self.0, self.1, self.2)
        }
    }
    with_backend(kind, Run(cfg, producers, jobs))
}

/// Nothing of that sort is called this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The sort: `queue`, `idle policy`.
    pub what: &'static str,
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { what, name, known } = self;
        write!(f, "unknown {what} '{name}', expected one of: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownName {}
