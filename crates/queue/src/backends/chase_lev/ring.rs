//! The slots of one deque, as a ring of atomic pointers.
//!
//! A thief reads a slot before it knows whether the item is its own: the owner may be overwriting
//! the slot at that moment. With items in the slots that read would be a data race, whatever
//! becomes of the value. So a slot holds a pointer, is read and written atomically, and the item
//! behind it is touched by nobody but who has won it.
//!
//! A ring is only ever written by its owner, and never again once a larger one has taken its place.

use std::ops::Range;
use std::ptr;

use crate::sync::{AtomicPtr, Ordering};

/// Where the items numbered from some front to some back are; item `i` in slot `i` modulo the
/// capacity.
pub(super) struct Ring<T> {
    slots: Box<[AtomicPtr<T>]>,
    #[cfg(loom)]
    life: life::Life,
}

impl<T> Ring<T> {
    /// A ring of `capacity` slots, which must be a power of two.
    pub(super) fn new(capacity: usize) -> Ring<T> {
        debug_assert!(capacity.is_power_of_two());
        Ring {
            slots: (0..capacity).map(|_| AtomicPtr::new(ptr::null_mut())).collect(),
            #[cfg(loom)]
            life: life::Life::default(),
        }
    }

    /// A ring twice as large with the items `which` of this one.
    pub(super) fn grown(&self, which: Range<u64>) -> Ring<T> {
        let larger = Ring::new(self.slots.len() * 2);
        which.for_each(|index| larger.put(index, self.get(index)));
        larger
    }

    pub(super) fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    /// The bytes that go when this ring goes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&*self.slots)
    }

    #[inline]
    fn slot(&self, index: u64) -> &AtomicPtr<T> {
        #[cfg(loom)]
        self.life.note();
        // The cut keeps the low bits, the only ones that matter.
        &self.slots[index as usize & (self.slots.len() - 1)]
    }

    /// The pointer to item `index`, if the caller knows that it is here; else anything: null, or a
    /// pointer to an item of another number.
    #[inline]
    pub(super) fn get(&self, index: u64) -> *mut T {
        // Ordering: Relaxed. Whoever is to use the pointer has seen the back index that published
        // it, or wrote it.
        self.slot(index).load(Ordering::Relaxed)
    }

    /// Writes the pointer to item `index`. For the owner alone.
    #[inline]
    pub(super) fn put(&self, index: u64, item: *mut T) {
        // Ordering: Relaxed. The back index, or the pointer to a new ring, publishes it.
        self.slot(index).store(item, Ordering::Relaxed);
    }
}

/// Lets the models see when a ring is freed under a thief.
#[cfg(loom)]
mod life {
    use loom::cell::UnsafeCell;

    /// Something each access to a ring reads, and its end writes: loom reports an access that is
    /// not ordered before the end.
    pub(super) struct Life(UnsafeCell<()>);

    impl Default for Life {
        fn default() -> Life {
            Life(UnsafeCell::new(()))
        }
    }

    impl Life {
        pub(super) fn note(&self) {
            self.0.with(|_| ());
        }
    }

    impl Drop for Life {
        fn drop(&mut self) {
            self.0.with_mut(|_| ());
        }
    }
}
