//! The box around each item, and a few empty ones kept for the next.
//!
//! A slot holds a pointer, so an item has to lie somewhere on its own. That is the price of slots
//! without data races: one box per item. What is popped or stolen leaves its box behind, and the
//! next item pushed goes into it, so a worker that pops what it pushes hardly ever asks the
//! allocator.
//! Perf: nobody has measured what this saves.

use std::mem::MaybeUninit;

/// Empty boxes kept per worker. A walk takes about as many as it has given before it gives again.
const MOST_KEPT: usize = 64;

/// Empty boxes of one worker. An item may leave through another worker's than it came by.
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
    /// `item` came from [`wrap`](Self::wrap), of this or another worker's boxes, and nobody else
    /// owns it.
    #[inline]
    pub(super) unsafe fn unwrap(&mut self, item: *mut T) -> T {
        // SAFETY: `wrap` made the pointer with `Box::into_raw`, the caller owns it, and a box of
        // `MaybeUninit<T>` is allocated like one of `T`.
        let full = unsafe { Box::from_raw(item.cast::<MaybeUninit<T>>()) };
        // SAFETY: `wrap` has put an item in, and it is read this once: from here on the box counts
        // as empty.
        let item = unsafe { full.assume_init_read() };
        if self.0.len() < MOST_KEPT {
            self.0.push(full);
        }
        item
    }
}
