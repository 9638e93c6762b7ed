//! The slots of one deque: a ring of atomic pointers.
//!
//! A thief reads a slot before it knows whether it will win the item; the owner may be overwriting
//! the slot at that moment. With items in the slots that read would be a data race, whatever
//! becomes of the value. So a slot holds a pointer, read and written atomically, and only the
//! thread that has won the item touches what is behind it.
//!
//! Only the owner writes a ring, and never again once a larger ring has replaced it.

use std::ops::Range;
use std::ptr;

use crate::sync::{AtomicPtr, Ordering};

/// The items from some front to some back; item `i` is in slot `i` modulo the capacity.
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

    /// A ring of twice the size with the items `which` of this one.
    pub(super) fn grown(&self, which: Range<u64>) -> Ring<T> {
        let larger = Ring::new(self.slots.len() * 2);
        which.for_each(|index| larger.put(index, self.get(index)));
        larger
    }

    pub(super) fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    /// The memory of this ring, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&*self.slots)
    }

    #[inline]
    fn slot(&self, index: u64) -> &AtomicPtr<T> {
        #[cfg(loom)]
        self.life.record_access();
        // The cast keeps the low bits, the only ones that matter.
        &self.slots[index as usize & (self.slots.len() - 1)]
    }

    /// The pointer to item `index`, if it is in this ring; otherwise any value: null, or a pointer
    /// to another item.
    #[inline]
    pub(super) fn get(&self, index: u64) -> *mut T {
        // Ordering: Relaxed. A thread that uses the pointer has seen the back index that published
        // it, or has written it.
        self.slot(index).load(Ordering::Relaxed)
    }

    /// Writes the pointer to item `index`. Only the owner may call this.
    #[inline]
    pub(super) fn put(&self, index: u64, item: *mut T) {
        // Ordering: Relaxed. The back index, or the pointer to a new ring, publishes it.
        self.slot(index).store(item, Ordering::Relaxed);
    }
}

/// Lets the models detect that a ring is freed while a thief uses it.
#[cfg(loom)]
mod life {
    use loom::cell::UnsafeCell;

    /// A cell that each access to a ring reads and its drop writes: loom reports an access that is
    /// not ordered before the drop.
    pub(super) struct Life(UnsafeCell<()>);

    impl Default for Life {
        fn default() -> Life {
            Life(UnsafeCell::new(()))
        }
    }

    impl Life {
        pub(super) fn record_access(&self) {
            self.0.with(|_| ());
        }
    }

    impl Drop for Life {
        fn drop(&mut self) {
            self.0.with_mut(|_| ());
        }
    }
}
