//! `heist-ebr` in its four stages, which are the document's columns, and with `membarrier`.

use heist_ebr::{Barrier, Collector, Config, Guard, Handle};

use crate::queues::scenario::reclaim::node::{Node, Supply};
use crate::queues::scenario::reclaim::scheme::{Pinning, Scheme};

pub(super) struct Heist(Collector);

impl Heist {
    /// A collector of this kind; an error if the kernel lacks a wanted `membarrier`.
    pub(super) fn new(config: Config) -> Result<Heist, String> {
        let collector = Collector::new(config);
        if collector.barrier() != config.barrier {
            return Err("the kernel refuses membarrier".to_owned());
        }
        Ok(Heist(collector))
    }
}

impl Scheme for Heist {
    type Local<'a> = Participant;

    fn register(&self) -> Participant {
        Participant(self.0.register())
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let stats = self.0.stats();
        vec![
            ("scans", stats.scans),
            ("tries", stats.tries),
            ("advances", stats.advances),
            ("blocked", stats.blocked),
            ("own_high_water", stats.high_water),
            ("membarrier", u64::from(self.0.barrier() == Barrier::Membarrier)),
        ]
    }
}

/// A thread's handle.
pub(super) struct Participant(Handle);

impl Pinning for Participant {
    type Guard<'g> = Guard<'g>;

    fn guard(&mut self) -> Guard<'_> {
        self.0.pin()
    }

    // SAFETY: callers keep the promise of `Pinning::give`.
    unsafe fn give<S: Supply>(guard: &Guard<'_>, node: *mut Node) {
        /// # Safety
        ///
        /// As [`Supply::free`], of a `Node`.
        unsafe fn free<S: Supply>(node: *mut ()) {
            // SAFETY: what was given to `retire_with` below was a `Node` of an `S`, and the
            // collector calls this when no thread uses it any more.
            unsafe { S::free(node.cast()) };
        }
        // SAFETY: by the caller's promise the node is retired once, cannot be found, and lives as
        // long as the collector; nodes are Send, and `free` may be called anywhere.
        unsafe { guard.retire_with(node.cast(), size_of::<Node>(), free::<S>) };
    }
}
