//! The collector: where participants register, and statistics about all of them.

use std::fmt;

use crate::config::{Barrier, Config};
use crate::domain::Domain;
use crate::handle::Handle;
use crate::stats::Stats;
use crate::sync::Arc;

/// A domain of reclamation. An object retired in it waits only for pins of its own participants.
///
/// A clone is the same domain. When the last clone and the last [`Handle`] are gone, everything
/// that was retired is freed. So a retired object that holds a clone or a handle of its own
/// collector keeps the domain alive, and only an attempt to reclaim can free it.
///
/// ```
/// use heist_ebr::{Barrier, Collector, Config, Reclaim};
///
/// let config = Config { reclaim: Reclaim::Bags { every: 128 }, barrier: Barrier::Fence };
/// let collector = Collector::new(config);
/// assert_eq!(collector.config(), config);
/// assert_eq!(collector.stats().retired, 0);
/// ```
#[derive(Clone)]
pub struct Collector {
    domain: Arc<Domain>,
}

impl Collector {
    /// Makes a domain without participants.
    pub fn new(config: Config) -> Collector {
        Collector { domain: Arc::new(Domain::new(config)) }
    }

    /// Registers a participant, usually one per thread. Reuses the node of one that has been
    /// dropped.
    ///
    /// Every 16th call attempts to reclaim, because threads that come and go faster than they fill
    /// a bag never do so themselves.
    ///
    /// # Panics
    ///
    /// With the panic of a deleter that such an attempt runs.
    pub fn register(&self) -> Handle {
        let handle = Handle::new(self.domain.clone());
        if self.domain.should_reclaim_on_register() {
            handle.reclaim_once();
        }
        handle
    }

    /// What the collector has done so far.
    pub fn stats(&self) -> Stats {
        self.domain.stats()
    }

    /// The configuration passed to [`new`](Collector::new).
    pub fn config(&self) -> Config {
        self.domain.config
    }

    /// The barrier in use: [`Barrier::Fence`] if the kernel refused `membarrier`.
    pub fn barrier(&self) -> Barrier {
        self.domain.barrier
    }
}

impl Default for Collector {
    fn default() -> Collector {
        Collector::new(Config::default())
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector")
            .field("config", &self.config())
            .field("barrier", &self.barrier())
            .field("stats", &self.stats())
            .finish()
    }
}
