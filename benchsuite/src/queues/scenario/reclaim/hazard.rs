//! `haphazard`: hazard pointers, in a domain of their own.
//!
//! There is no pin. Its place is taken by protecting one pointer and letting go of it, which is
//! what a reader pays per pointer. Retiring needs no protection; it allocates a record per object,
//! also where the objects come from a pool. A stalled thread holds up the one object it protects
//! and no other.

use std::hint::black_box;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use haphazard::{Domain, HazardPointer, raw::Pointer};

use crate::queues::scenario::reclaim::node::{Node, Tally, free};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};

/// The family of our domains, which haphazard distinguishes by type.
struct Family;

/// The pointee that is protected where there is no object; it is never retired.
static TARGET: u64 = 0;

pub(super) struct Hazard {
    domain: Domain<Family>,
    anchor: AtomicPtr<u64>,
}

impl Hazard {
    /// A domain without hazard pointers.
    pub(super) fn new() -> Hazard {
        let anchor = AtomicPtr::new(ptr::from_ref(&TARGET).cast_mut());
        Hazard { domain: Domain::new(&Family), anchor }
    }
}

impl Scheme for Hazard {
    type Local<'a> = Participant<'a>;

    fn register(&self) -> Participant<'_> {
        Participant { hazard: HazardPointer::new_in_domain(&self.domain), scheme: self }
    }
}

/// A thread's one hazard pointer.
pub(super) struct Participant<'a> {
    hazard: HazardPointer<'a, Family>,
    scheme: &'a Hazard,
}

/// A node as haphazard owns it: dropping it takes the node back to its supply.
struct Held(NonNull<Node>);

impl Deref for Held {
    type Target = Node;

    fn deref(&self) -> &Node {
        // SAFETY: it is held, so it has not been freed; see `from_raw`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: a node from a supply that this held alone; see `from_raw`.
        unsafe { free(self.0.as_ptr()) };
    }
}

// SAFETY: `into_raw` gives up the node without freeing it and `from_raw` takes the same one over,
// so the two are inverse to each other.
unsafe impl Pointer<Node> for Held {
    fn into_raw(self) -> *mut Node {
        let node = self.0.as_ptr();
        std::mem::forget(self);
        node
    }

    unsafe fn from_raw(node: *mut Node) -> Held {
        // SAFETY: haphazard gives what was retired, which was no null pointer: see `retire`.
        Held(unsafe { NonNull::new_unchecked(node) })
    }
}

impl Local for Participant<'_> {
    fn pin(&mut self) {
        self.stall(|| ());
    }

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn retire(&mut self, node: *mut Node) {
        // SAFETY: by the caller's promise it is from a supply, so no null pointer and fit for
        // `Held`; it cannot be found, is retired once, and lives as long as the domain. Every user
        // did so under a hazard pointer of this domain.
        unsafe { self.scheme.domain.retire_ptr::<Node, Held>(node) };
    }

    unsafe fn swap(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        if let Some((seen, _)) = self.hazard.protect_ptr(shared) {
            // SAFETY: protected by the hazard pointer until the reset below.
            tally.look(unsafe { seen.as_ref() });
        }
        self.hazard.reset_protection();
        // Ordering: AcqRel. Release publishes `node`; Acquire pairs with the swap that published
        // the old one, which is about to be retired.
        let old = shared.swap(node, Ordering::AcqRel);
        // SAFETY: the swap took it out, for this thread alone.
        unsafe { self.retire(old) };
    }

    fn stall(&mut self, during: impl FnOnce()) {
        // Read afresh each time, as a reader's pointer would be.
        black_box(self.hazard.protect_ptr(&self.scheme.anchor).is_some());
        during();
        self.hazard.reset_protection();
    }
}
