//! The collector: where participants register, and what is asked about all of them.

use std::fmt;

use crate::config::{Barrier, Config};
use crate::domain::Domain;
use crate::handle::Handle;
use crate::stats::Stats;
use crate::sync::Arc;

/// A domain of reclamation: what is retired in it waits for the pins of its own participants only.
///
/// A clone is the same domain. When the last clone and the last [`Handle`] are gone, everything
/// that was retired is freed; a retired object that holds a clone or a handle of its own collector
/// is therefore never freed by the end, only by tries before it.
#[derive(Clone)]
pub struct Collector {
    domain: Arc<Domain>,
}

impl Collector {
    /// A domain without participants.
    pub fn new(config: Config) -> Collector {
        Collector { domain: Arc::new(Domain::new(config)) }
    }

    /// A new participant, usually one per thread. Reuses the place of one that has gone.
    ///
    /// Every so often a newcomer tries to reclaim, which runs deleters: where threads come and go
    /// faster than they fill a bag, nobody else would. A panic of one of them comes out here.
    pub fn register(&self) -> Handle {
        let handle = Handle::new(self.domain.clone());
        if self.domain.should_reclaim_on_register() {
            handle.reclaim_once();
        }
        handle
    }

    /// What has been done so far.
    pub fn stats(&self) -> Stats {
        self.domain.stats()
    }

    /// What was asked for.
    pub fn config(&self) -> Config {
        self.domain.config
    }

    /// The barrier that is in force: fences if the kernel refused `membarrier`.
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
