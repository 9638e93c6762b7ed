//! `haphazard`: hazard pointers, in a domain of their own.
//!
//! There is no pin. Its place is taken by protecting one pointer and letting go of it, which is
//! what a reader pays per pointer. Retiring needs no protection; it allocates a record per object,
//! also where the objects come from a pool. A stalled thread holds up the one object it protects
//! and no other.

use std::hint::black_box;
use std::mem;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicPtr;

use haphazard::{Domain, HazardPointer, raw::Pointer};

use crate::queues::scenario::reclaim::node::{Object, free};
use crate::queues::scenario::reclaim::scheme::{Local, Scheme};

/// The family of our domains, which haphazard distinguishes by type.
pub(super) struct Family;

/// The pointee that is protected where there is no object; it is never retired.
static TARGET: u64 = 0;
static ANCHOR: AtomicPtr<u64> = AtomicPtr::new(ptr::from_ref(&TARGET).cast_mut());

impl Scheme for Domain<Family> {
    type Local<'a> = Participant<'a>;

    fn register(&self) -> Participant<'_> {
        Participant { hazard: HazardPointer::new_in_domain(self), domain: self }
    }
}

/// A thread's one hazard pointer.
pub(super) struct Participant<'a> {
    hazard: HazardPointer<'a, Family>,
    domain: &'a Domain<Family>,
}

/// Protects what was loaded last, if anything.
pub(super) struct Protection<'g, 'a> {
    local: &'g mut Participant<'a>,
    protects: bool,
}

impl Drop for Protection<'_, '_> {
    fn drop(&mut self) {
        Participant::release(self);
    }
}

impl<'a> Local for Participant<'a> {
    type Guard<'g>
        = Protection<'g, 'a>
    where
        Self: 'g;

    fn pin(&mut self) -> Protection<'_, 'a> {
        // Read afresh each time, as a reader's pointer would be.
        black_box(self.hazard.protect_ptr(&ANCHOR).is_some());
        Protection { local: self, protects: true }
    }

    fn guard(&mut self) -> Protection<'_, 'a> {
        Protection { local: self, protects: false }
    }

    fn load(guard: &mut Protection<'_, 'a>, shared: &AtomicPtr<Object>) -> *mut Object {
        guard.protects = true;
        let protected = guard.local.hazard.protect_ptr(shared);
        protected.map_or(ptr::null_mut(), |(node, _)| node.as_ptr())
    }

    fn release(guard: &mut Protection<'_, 'a>) {
        if mem::take(&mut guard.protects) {
            guard.local.hazard.reset_protection();
        }
    }

    /// # Safety
    ///
    /// As for the trait.
    unsafe fn retire(guard: Protection<'_, 'a>, node: *mut Object) {
        let domain = guard.local.domain;
        drop(guard);
        // SAFETY: by the caller's promise it is from a supply, so no null pointer and fit for
        // `Held`; it cannot be found and is retired once. Every user did so under a hazard pointer
        // of this domain.
        unsafe { domain.retire_ptr::<Object, Held>(node) };
    }
}

/// A node as haphazard owns it: dropping it takes the node back to its supply.
struct Held(NonNull<Object>);

impl Deref for Held {
    type Target = Object;

    fn deref(&self) -> &Object {
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
unsafe impl Pointer<Object> for Held {
    fn into_raw(self) -> *mut Object {
        let node = self.0.as_ptr();
        mem::forget(self);
        node
    }

    unsafe fn from_raw(node: *mut Object) -> Held {
        // SAFETY: haphazard gives what was retired, which was no null pointer: see `retire`.
        Held(unsafe { NonNull::new_unchecked(node) })
    }
}
