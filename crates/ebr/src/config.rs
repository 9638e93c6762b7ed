//! What a collector can be asked for: when it reclaims, and who pays for ordering.
//!
//! The four ways of [`Reclaim`] are the columns of the document that started this crate, so that
//! its tables can be made again with a sound implementation in each of them.

use std::fmt;
use std::str::FromStr;

/// How many unpins lie between two tries of the stages with a fixed interval.
pub const UNPINS_PER_TRY: u32 = 256;

/// How a [`Collector`](crate::Collector) works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Config {
    /// When and from where retired objects are reclaimed.
    pub reclaim: Reclaim,
    /// What orders a pin before the reads that follow it.
    pub barrier: Barrier,
}

/// When and from where retired objects are reclaimed. All are sound; they differ in cost and delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reclaim {
    /// P0, the document's *mutex based*: registry and retired objects behind one mutex, which every
    /// registration, retirement and try takes. Tries every 256 unpins.
    Mutex,
    /// P1, the document's *phase 1*: a lock-free registry, and a `Vec` of retired objects per
    /// handle, each tagged on its own. Tries every 256 unpins.
    Registry,
    /// P2, the document's *phase 2*: retired objects travel in bags of 64 with one tag each.
    Bags {
        /// How many unpins lie between two tries; 0 counts as 1. The document's figure is 256.
        every: u32,
    },
    /// P3, the document's *phase 3*, which it only sketched: garbage, not pins, causes tries.
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

    /// What each stage is called, in benchmarks and everywhere else.
    pub const NAMES: &'static [&'static str] = &["mutex", "registry", "bags", "adaptive"];

    /// What this stage is called, whatever its interval.
    pub fn name(self) -> &'static str {
        match self {
            Reclaim::Mutex => "mutex",
            Reclaim::Registry => "registry",
            Reclaim::Bags { .. } => "bags",
            Reclaim::Adaptive => "adaptive",
        }
    }

    /// Unpins between two tries; `None` where unpins cause none.
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
    /// No fence in a pin; whoever tries to advance makes the kernel interrupt every thread of the
    /// process instead, by Linux' `membarrier(PRIVATE_EXPEDITED)`. Cheap pins, dear tries, and one
    /// epoch more of delay. Where the kernel refuses, fences are used:
    /// [`Collector::barrier`](crate::Collector::barrier) tells what is in force.
    Membarrier,
}

impl Barrier {
    /// Every kind, in the order of [`NAMES`](Self::NAMES).
    pub const ALL: &'static [Barrier] = &[Barrier::Fence, Barrier::Membarrier];

    /// What each kind is called, in benchmarks and everywhere else.
    pub const NAMES: &'static [&'static str] = &["fence", "membarrier"];

    /// What this kind is called.
    pub fn name(self) -> &'static str {
        match self {
            Barrier::Fence => "fence",
            Barrier::Membarrier => "membarrier",
        }
    }
}

/// A name that no stage or barrier has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What kind of thing was asked for.
    pub what: &'static str,
    /// The name given.
    pub name: String,
    /// The names there are.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} is called {:?}: there are {}", self.what, self.name, self.known.join(", "))
    }
}

impl std::error::Error for UnknownName {}

impl fmt::Display for Reclaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Reclaim {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Reclaim, UnknownName> {
        let found = Reclaim::ALL.iter().find(|reclaim| reclaim.name() == name);
        found.copied().ok_or_else(|| UnknownName {
            what: "stage",
            name: name.to_owned(),
            known: Reclaim::NAMES,
        })
    }
}

impl FromStr for Barrier {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Barrier, UnknownName> {
        let found = Barrier::ALL.iter().find(|barrier| barrier.name() == name);
        found.copied().ok_or_else(|| UnknownName {
            what: "barrier",
            name: name.to_owned(),
            known: Barrier::NAMES,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_what_they_name() {
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
