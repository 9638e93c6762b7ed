//! The configuration of a collector: when it reclaims, and which side pays for ordering.
//!
//! The four stages of [`Reclaim`] are the columns of the document behind this crate
//! (`docs/decisions/0011-epoch-based-reclamation.md`), so that its tables can be measured again.

/// The unpins between two attempts to reclaim, in the stages with a fixed interval.
pub const UNPINS_PER_TRY: u32 = 256;

/// How a [`Collector`](crate::Collector) works.
///
/// ```
/// use heist_ebr::{Barrier, Config, Reclaim};
///
/// assert_eq!(Config::default(), Config { reclaim: Reclaim::Adaptive, barrier: Barrier::Fence });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Config {
    /// When and from where retired objects are reclaimed.
    pub reclaim: Reclaim,
    /// What orders a pin before the reads that follow it.
    pub barrier: Barrier,
}

/// When and from where retired objects are reclaimed. All stages are sound; they differ in cost and
/// delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reclaim {
    /// P0, the document's *mutex based*: registry and retired objects are behind one mutex, which
    /// every registration, retirement and attempt takes. Attempts every 256 unpins.
    Mutex,
    /// P1, the document's *phase 1*: a lock-free registry, and a `Vec` of retired objects per
    /// handle, each with its own tag. Attempts every 256 unpins.
    Registry,
    /// P2, the document's *phase 2*: retired objects are collected in bags of 64 with one tag each.
    Bags {
        /// The unpins between two attempts; 0 counts as 1. The document's figure is 256.
        every: u32,
    },
    /// P3, the document's *phase 3*, which it only sketches: garbage, not pins, causes attempts.
    /// Without garbage nothing is ever scanned.
    #[default]
    Adaptive,
}

impl Reclaim {
    /// Every stage, with the document's interval.
    pub const ALL: &'static [Reclaim] = &[
        Reclaim::Mutex,
        Reclaim::Registry,
        Reclaim::Bags { every: UNPINS_PER_TRY },
        Reclaim::Adaptive,
    ];

    /// Unpins between two attempts; `None` if unpins cause none.
    pub(crate) fn interval(self) -> Option<u32> {
        match self {
            Reclaim::Mutex | Reclaim::Registry => Some(UNPINS_PER_TRY),
            Reclaim::Bags { every } => Some(every.max(1)),
            Reclaim::Adaptive => None,
        }
    }
}

/// What orders a pin before the reads that follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// A full fence in every pin.
    #[default]
    Fence,
    /// No fence in a pin. A thread that attempts to advance makes the kernel interrupt every thread
    /// of the process instead, by Linux's `membarrier(PRIVATE_EXPEDITED)`. Pins are cheap, attempts
    /// expensive, and the delay is one epoch longer. If the kernel refuses, fences are used:
    /// [`Collector::barrier`](crate::Collector::barrier) returns the barrier in use.
    Membarrier,
}

impl Barrier {
    /// Both barriers.
    pub const ALL: &'static [Barrier] = &[Barrier::Fence, Barrier::Membarrier];
}
