//! The configuration of a collector: when it reclaims, and which side pays for ordering.
//!
//! The four stages of [`Reclaim`] are the columns of the document behind this crate
//! (`docs/decisions/0011-epoch-based-reclamation.md`), so that its tables can be measured again.

use std::fmt;
use std::str::FromStr;

/// The unpins between two attempts to reclaim, in the stages with a fixed interval.
pub const UNPINS_PER_TRY: u32 = 256;

/// How a [`Collector`](crate::Collector) works.
///
/// ```
/// use heist_ebr::{Barrier, Config, Reclaim};
///
/// assert_eq!(Config::default(), Config { reclaim: Reclaim::Adaptive, barrier: Barrier::Fence });
/// assert_eq!("registry".parse(), Ok(Reclaim::Registry));
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
    /// Every stage, in the order of [`NAMES`](Self::NAMES), with the document's interval.
    pub const ALL: &'static [Reclaim] = &[
        Reclaim::Mutex,
        Reclaim::Registry,
        Reclaim::Bags { every: UNPINS_PER_TRY },
        Reclaim::Adaptive,
    ];

    /// The names of the stages.
    pub const NAMES: &'static [&'static str] = &["mutex", "registry", "bags", "adaptive"];

    /// The name of this stage, whatever its interval.
    pub fn name(self) -> &'static str {
        match self {
            Reclaim::Mutex => "mutex",
            Reclaim::Registry => "registry",
            Reclaim::Bags { .. } => "bags",
            Reclaim::Adaptive => "adaptive",
        }
    }

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
    /// Every kind, in the order of [`NAMES`](Self::NAMES).
    pub const ALL: &'static [Barrier] = &[Barrier::Fence, Barrier::Membarrier];

    /// The names of the kinds.
    pub const NAMES: &'static [&'static str] = &["fence", "membarrier"];

    /// The name of this kind.
    pub fn name(self) -> &'static str {
        match self {
            Barrier::Fence => "fence",
            Barrier::Membarrier => "membarrier",
        }
    }
}

/// The error for a name that no stage or barrier has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was parsed: `stage` or `barrier`.
    pub what: &'static str,
    /// The name that was given.
    pub name: String,
    /// The names that exist.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} is called {:?}: there are {}", self.what, self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// Lets an enum be printed as its name and parsed from it.
macro_rules! named {
    ($kinds:ident: $what:literal) => {
        impl fmt::Display for $kinds {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $kinds {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<$kinds, UnknownName> {
                let found = $kinds::ALL.iter().find(|kind| kind.name() == name);
                let (what, known) = ($what, $kinds::NAMES);
                found.copied().ok_or_else(|| UnknownName { what, name: name.to_owned(), known })
            }
        }
    };
}

named!(Reclaim: "stage");
named!(Barrier: "barrier");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_to_the_variant_they_name() {
        assert_eq!(Reclaim::ALL.len(), Reclaim::NAMES.len());
        for (reclaim, name) in Reclaim::ALL.iter().zip(Reclaim::NAMES) {
            assert_eq!((name.parse(), reclaim.to_string().as_str()), (Ok(*reclaim), *name));
        }
        assert_eq!(Barrier::ALL.len(), Barrier::NAMES.len());
        for (barrier, name) in Barrier::ALL.iter().zip(Barrier::NAMES) {
            assert_eq!((name.parse(), barrier.to_string().as_str()), (Ok(*barrier), *name));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = "hazard".parse::<Reclaim>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "no stage is called \"hazard\": there are mutex, registry, bags, adaptive"
        );
        assert!("".parse::<Barrier>().is_err());
    }
}
