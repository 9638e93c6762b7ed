//! `haphazard`: hazard pointers, in a domain of their own.
//!
//! There is no pin. Its place is taken by protecting one pointer and letting go of it, which is
//! what a reader pays per pointer. Retiring needs no protection; it allocates a record per object,
//! also where the objects come from a pool. A stalled thread holds up the one object it protects
//! and no other.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use haphazard::{Domain, HazardPointer, raw::Pointer};

use crate::queues::scenario::reclaim::node::{Node, Supply, Tally};
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
struct Held<S: Supply> {
    node: NonNull<Node>,
    supply: PhantomData<fn(S)>,
}

impl<S: Supply> Deref for Held<S> {
    type Target = Node;

    fn deref(&self) -> &Node {
        // SAFETY: it is held, so it has not been freed; see `from_raw`.
        unsafe { self.node.as_ref() }
    }
}

impl<S: Supply> Drop for Held<S> {
    fn drop(&mut self) {
        // SAFETY: a node of an `S` that this held alone; see `from_raw`.
        unsafe { S::free(self.node.as_ptr()) };
    }
}

// SAFETY: `into_raw` gives up the node without freeing it and `from_raw` takes the same one over,
// so the two are inverse to each other.
unsafe impl<S: Supply> Pointer<Node> for Held<S> {
    fn into_raw(self) -> *mut Node {
        let node = self.node.as_ptr();
        std::mem::forget(self);
        node
    }

    unsafe fn from_raw(node: *mut Node) -> Held<S> {
        // SAFETY: haphazard gives what was retired, which was no null pointer: see `give`.
        let node = unsafe { NonNull::new_unchecked(node) };
        Held { node, supply: PhantomData }
    }
}

impl Participant<'_> {
    /// Retires `node`.
    ///
    /// # Safety
    ///
    /// As [`Local::retire`].
    unsafe fn give<S: Supply>(&self, node: *mut Node) {
        // SAFETY: by the caller's promise it is a node of an `S`, so no null pointer and fit for
        // `Held<S>`; it cannot be found, is retired once, and lives as long as the domain. Every
        // user did so under a hazard pointer of this domain.
        unsafe { self.scheme.domain.retire_ptr::<Node, Held<S>>(node) };
    }
}

impl Local for Participant<'_> {
    fn pin(&mut self) {
        // Read afresh each time, as a reader's pointer would be.
        let protected = self.hazard.protect_ptr(&self.scheme.anchor).is_some();
        std::hint::black_box(protected);
        self.hazard.reset_protection();
    }

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn retire<S: Supply>(&mut self, node: *mut Node) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.give::<S>(node) };
    }

    unsafe fn swap<S: Supply>(&mut self, shared: &AtomicPtr<Node>, node: *mut Node, tally: &Tally) {
        if let Some((seen, _)) = self.hazard.protect_ptr(shared) {
            // SAFETY: protected by the hazard pointer until the reset below.
            tally.look(unsafe { seen.as_ref() });
        }
        self.hazard.reset_protection();
        // Ordering: AcqRel. Release publishes `node`; Acquire pairs with the swap that published
        // the old one, which is about to be retired.
        let old = shared.swap(node, Ordering::AcqRel);
        // SAFETY: the swap took it out, for this thread alone.
        unsafe { self.give::<S>(old) };
    }

    fn stall(&mut self, during: impl FnOnce()) {
        let protected = self.hazard.protect_ptr(&self.scheme.anchor).is_some();
        std::hint::black_box(protected);
        during();
        self.hazard.reset_protection();
    }
}
