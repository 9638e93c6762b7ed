//! The boxes around items, and a pool of empty ones.
//!
//! A slot holds a pointer, so each item needs an allocation of its own: the price of slots without
//! data races. A popped or stolen item leaves its box behind for the next item pushed, so a worker
//! that pops what it pushes rarely calls the allocator.
//! Perf: the saving has not been measured.

use std::mem::MaybeUninit;

/// The most empty boxes kept per worker.
const MAX_POOLED: usize = 64;

/// The empty boxes of one worker. An item may leave through another worker's pool than it came by.
pub(super) struct Boxes<T>(Vec<Box<MaybeUninit<T>>>);

impl<T> Boxes<T> {
    pub(super) fn new() -> Boxes<T> {
        Boxes(Vec::new())
    }

    /// Puts an item into a box. The pointer owns both.
    #[inline]
    pub(super) fn wrap(&mut self, item: T) -> *mut T {
        let full = match self.0.pop() {
            Some(empty) => Box::write(empty, item),
            None => Box::new(item),
        };
        Box::into_raw(full)
    }

    /// Takes the item out of its box, and keeps or frees the box.
    ///
    /// # Safety
    ///
    /// `item` came from [`wrap`](Self::wrap), of this or another worker's boxes, and the caller
    /// owns it.
    #[inline]
    pub(super) unsafe fn unwrap(&mut self, item: *mut T) -> T {
        // SAFETY: `wrap` made the pointer with `Box::into_raw`, the caller owns it, and a box of
        // `MaybeUninit<T>` is allocated like one of `T`.
        let full = unsafe { Box::from_raw(item.cast::<MaybeUninit<T>>()) };
        // SAFETY: `wrap` has put an item in, and it is read only here: from now on the box counts
        // as empty.
        let item = unsafe { full.assume_init_read() };
        if self.0.len() < MAX_POOLED {
            self.0.push(full);
        }
        item
    }
}
