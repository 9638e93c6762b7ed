//! Choosing a backend by value: the one runtime `match` over all of them.

use std::fmt;
use std::str::FromStr;

use crate::backends;
use crate::crew::run;
use crate::idle::BiasedEvent;
use crate::job::Job;
use crate::report::{Panicked, RunConfig, RunReport};

/// Writes the enum, its names and the `match` from one table: a backend is one line.
macro_rules! queue_kinds {
    ($($(#[$attr:meta])* $kind:ident = $name:literal => $backend:ident :: $ty:ident,)+) => {
        /// The backends a run can use.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum QueueKind {
            $($(#[$attr])* $kind,)+
        }

        impl QueueKind {
            /// Every kind, in the order of [`NAMES`](QueueKind::NAMES).
            pub const ALL: &'static [QueueKind] = &[$(QueueKind::$kind),+];

            /// What each kind is called, on the command line and everywhere else.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// What this kind is called.
            pub fn name(self) -> &'static str {
                match self {
                    $(QueueKind::$kind => $name,)+
                }
            }
        }

        /// [`run`] on the backend `kind`, with the idle policy [`BiasedEvent`].
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
            match kind {
                $(QueueKind::$kind => {
                    run::<T, backends::$backend::$ty<T>, BiasedEvent, J>(cfg, roots, jobs)
                })+
            }
        }
    };
}

queue_kinds! {
    #[default]
    /// A crossbeam deque per worker: own end newest first, thieves take the oldest half.
    Deque = "deque" => deque::Deque,
    /// One mutexed stack for all.
    Stack = "stack" => stack::Stack,
}

impl fmt::Display for QueueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for QueueKind {
    type Err = UnknownQueue;

    fn from_str(name: &str) -> Result<QueueKind, UnknownQueue> {
        let same_name = |kind: &&QueueKind| kind.name() == name;
        QueueKind::ALL
            .iter()
            .find(same_name)
            .copied()
            .ok_or_else(|| UnknownQueue { name: name.to_owned() })
    }
}

/// No queue is called this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownQueue {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for UnknownQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown queue '{}', expected one of: {}", self.name, QueueKind::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownQueue {}
