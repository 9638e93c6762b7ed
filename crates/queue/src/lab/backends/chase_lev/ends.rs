//! The protocol of one deque: one end for the owner, the other for all thieves.
//!
//! Items are numbered in the order of pushing; those from `front` to `back` are in the deque. Only
//! the owner moves `back`, in both directions. `front` only rises, by a compare-and-swap that takes
//! item `front`.
//!
//! ```text
//! thieves take here                      the owner pushes and pops here
//!        │                                          │
//!      front                                      back
//!        v                                          v
//!   · ·  4   5   6   7   8   9  10  11  12  13  14  ·  ·
//! ```
//!
//! # No item is taken twice
//!
//! The owner takes the newest item without a compare-and-swap unless it is also the oldest. That
//! takes an agreement with the thieves. Each side does the following, in this order:
//!
//! ```text
//! owner pops item i                 thief steals item i
//!   O1 back = i                       T1 read front: i
//!   O2 fence(SeqCst)                  T2 fence(SeqCst)
//!   O3 read front: below i? mine      T3 read back: above i? go on
//!      i? CAS front, i to i + 1       T4 CAS front, i to i + 1: mine
//! ```
//!
//! All `SeqCst` fences are in one total order. If O2 comes first, T3 sees that item `i` is gone, or
//! sees a later push of another item `i`, which the thief may take. If T2 comes first, O3 sees a
//! front of `i` or more, and the compare-and-swap decides. There is no third case. It does not
//! matter which thread moved the front to `i`: O3, behind O2, cannot read an older value than T1
//! has read before T2.
//!
//! It follows that a thief may not take several items with one compare-and-swap, because the owner
//! takes everything between `front + 1` and `back` without one. A batch is one compare-and-swap per
//! item, each with a read of `back` of its own.
//!
//! # The pointer is the right one
//!
//! A thief reads the ring and the slot before T4, and uses what it read only if T4 succeeds. Then
//! the front was `i` all the time (it never falls), so item `i` had not been taken, so its slot was
//! not written again in any ring in use since the push. T3 has seen a back that was written behind
//! the release fence of that push, so the thief sees the ring of that time or a newer one, and in
//! it the slot. Unlike with items in slots, the thief need not check that the ring is still
//! current, because a replaced ring is never written again. If T4 fails, what was read may point
//! anywhere, and is discarded.
//!
//! # The ring is alive
//!
//! Only the owner replaces the ring, so it needs no protection to use it. A thief is pinned from
//! before it reads the pointer to the ring until it has read the slot. Each replaced ring is half
//! the size of the next, so all of them together are smaller than the current one, and it matters
//! little how long they wait to be freed. A ring never shrinks.
//!
//! # Sources
//!
//! Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005. Orderings after Lê, Pop, Cohen
//! and Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", 2013. Theirs
//! has `SeqCst` exchanges, because in the C11 of their time the last sentence of the first proof
//! did not hold for a front moved by a third thread. In the model of C++20 and Rust it does:
//! `SeqCst` fences order whatever coherence orders, including a read before a read of a later
//! value. And new rings are published with Release, which the paper's listing leaves out.

use std::cell::Cell;
use std::sync::Arc;

use crossbeam_utils::CachePadded;
use heist_ebr::{Collector, Guard, Handle};

use super::boxes::Boxes;
use super::ring::Ring;
use crate::sync::{AtomicPtr, AtomicU64, Ordering, fence};

/// Slots of a new ring. Two under loom, so that a model sees it grow.
pub(super) const FIRST_CAPACITY: usize = if cfg!(loom) { 2 } else { 64 };

/// The number of the first item. Not zero, so that a pop from an empty deque need not go below.
const FIRST_ITEM: u64 = 1;

/// The shared part of all deques of one run.
pub(super) struct Deques<T>(Box<[SharedDeque<T>]>);

/// What owner and thieves of one deque share.
struct SharedDeque<T> {
    /// The number of the oldest item. Written by the thread that takes it, mostly thieves.
    front: CachePadded<AtomicU64>,
    /// Written by the owner, read by thieves.
    owned: CachePadded<Owned<T>>,
}

struct Owned<T> {
    /// One more than the number of the newest item.
    back: AtomicU64,
    /// A `Ring` from `Box::into_raw`.
    ring: AtomicPtr<Ring<T>>,
}

/// The result of an attempt to take an item from another worker.
pub(super) enum Taken<I> {
    /// An item.
    Item(I),
    /// The deque was empty.
    Empty,
    /// Another thread took the item first. There may be more.
    Lost,
}

/// What a thief has taken from one victim.
pub(super) struct Stolen<T> {
    pub(super) item: T,
    /// How many further items went to the thief's own deque.
    pub(super) moved: usize,
}

/// All deques, and the owner's end of each.
pub(super) type Ends<T> = (Arc<Deques<T>>, Vec<OwnerEnd<T>>);

/// Makes a deque for each of `workers` workers. All their rings are retired to one collector.
pub(super) fn deques<T: Send>(workers: usize, collector: &Collector) -> Ends<T> {
    let all = Arc::new(Deques((0..workers).map(|_| SharedDeque::new()).collect()));
    let own = |me| OwnerEnd {
        me,
        deques: Arc::clone(&all),
        handle: collector.register(),
        front_seen: Cell::new(FIRST_ITEM),
        boxes: Boxes::new(),
    };
    let ends = (0..workers).map(own).collect();
    (all, ends)
}

impl<T> Deques<T> {
    pub(super) fn workers(&self) -> usize {
        self.0.len()
    }

    /// About how many items could be stolen from `worker`. Sees every push that is ordered before
    /// it by a `SeqCst` fence on both sides.
    pub(super) fn len(&self, worker: usize) -> usize {
        self.0[worker].len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|shared| shared.len() == 0)
    }
}

impl<T> SharedDeque<T> {
    fn new() -> SharedDeque<T> {
        let ring = Box::into_raw(Box::new(Ring::new(FIRST_CAPACITY)));
        SharedDeque {
            front: CachePadded::new(AtomicU64::new(FIRST_ITEM)),
            owned: CachePadded::new(Owned {
                back: AtomicU64::new(FIRST_ITEM),
                ring: AtomicPtr::new(ring),
            }),
        }
    }

    /// Reads the front first: it may rise before the back is read, so the result may count items
    /// that are gone but misses none that are there.
    fn len(&self) -> usize {
        // Ordering: Acquire pairs with the Release in `pass_front`: the back is no older than the
        // one seen by the thread that took the item before the front.
        let front = self.front.load(Ordering::Acquire);
        // Ordering: Relaxed. Nothing is read through it; the callers' fences make it recent enough.
        let back = self.owned.back.load(Ordering::Relaxed);
        back.saturating_sub(front) as usize
    }

    /// Takes item `front` if it is still there: T4, and the compare-and-swap of O3.
    fn pass_front(&self, front: u64) -> bool {
        // Ordering: Release pairs with the Acquire in `make_room`: the slot has been read before
        // the owner writes it again. No model guards this, because loom never delays a read past a
        // later write. That only one of two threads wins follows from atomicity alone. Relaxed on
        // failure: the only conclusion is that another thread has the item.
        let passed =
            self.front.compare_exchange(front, front + 1, Ordering::Release, Ordering::Relaxed);
        passed.is_ok()
    }

    /// Takes the oldest item for a thief, which then owns the pointer.
    ///
    /// # Safety
    ///
    /// The guard must be a pin of the domain to which this deque's rings are retired.
    unsafe fn take_oldest(&self, _pin: &Guard<'_>) -> Taken<*mut T> {
        // Ordering: Acquire pairs with the Release in `pass_front`, as in the paper (T1); the fence
        // that follows would do.
        let front = self.front.load(Ordering::Acquire);
        // Ordering: pairs with the fence in `take_newest` (T2). The fence of the pin is no
        // substitute: it comes before the read of the front, and some collectors have none.
        fence(Ordering::SeqCst);
        // Ordering: Acquire pairs with the release fence in `put`: with the back come the slot, the
        // ring it is in and what the item points to (T3).
        let back = self.owned.back.load(Ordering::Acquire);
        if front >= back {
            return Taken::Empty;
        }
        // Ordering: Acquire pairs with the Release in `grow`: the slots of a new ring are written.
        let ring = self.owned.ring.load(Ordering::Acquire);
        // SAFETY: a ring is made by `new` or `grow` and retired after it has been replaced. The
        // caller is pinned, so the ring just read is not freed before the pin ends.
        let item = unsafe { &*ring }.get(front);
        if self.pass_front(front) { Taken::Item(item) } else { Taken::Lost }
    }
}

impl<T> Drop for SharedDeque<T> {
    fn drop(&mut self) {
        // Ordering: Relaxed, here and below. This is the last reference, and the reference count
        // orders all uses through the others before.
        let ring = self.owned.ring.load(Ordering::Relaxed);
        // SAFETY: made by `Box::into_raw`, and the current ring has not been retired.
        let ring = unsafe { Box::from_raw(ring) };
        let front = self.front.load(Ordering::Relaxed);
        let back = self.owned.back.load(Ordering::Relaxed);
        // SAFETY: every item between front and back was put there by `put`, comes from
        // `Boxes::wrap`, and has not been taken.
        let left = (front..back).map(|index| unsafe { Box::from_raw(ring.get(index)) });
        // Collected first: a `Vec` drops the rest even if the drop of an item panics.
        drop(left.collect::<Vec<Box<T>>>());
    }
}

/// The owner's end of one deque, which also steals from the other deques of the run.
///
/// Not `Sync` and not `Clone`, so only the thread that has it can do what only the owner may.
pub(super) struct OwnerEnd<T> {
    me: usize,
    deques: Arc<Deques<T>>,
    /// A participant of the collector to which all rings of the run are retired.
    handle: Handle,
    /// The front when `put` last read it. It has not fallen since, so if there is room by this one,
    /// there is room, and `put` need not touch the thieves' cache line.
    front_seen: Cell<u64>,
    boxes: Boxes<T>,
}

impl<T> OwnerEnd<T> {
    pub(super) fn push(&mut self, item: T) {
        let item = self.boxes.wrap(item);
        self.put(item);
    }

    /// Pushes all items of the batch, the first of them last.
    pub(super) fn push_all(&mut self, batch: &mut Vec<T>) {
        for item in batch.drain(..).rev() {
            self.push(item);
        }
    }

    /// Takes the newest item.
    pub(super) fn pop(&mut self) -> Option<T> {
        let item = self.take_newest()?;
        // SAFETY: every item comes from `Boxes::wrap`, in `push`. This one was taken just now, and
        // only once, by the proof in the head.
        Some(unsafe { self.boxes.unwrap(item) })
    }

    pub(super) fn len(&self) -> usize {
        self.deques.len(self.me)
    }

    /// The capacity of the current ring.
    #[cfg(all(test, not(loom)))]
    pub(super) fn capacity(&self) -> u64 {
        self.ring().capacity()
    }

    /// Takes up to `most` of the oldest items of another worker, and at least one if there is one.
    /// Returns the newest of them; the others go to the own deque, to be popped newest first.
    pub(super) fn steal(&mut self, victim: usize, most: usize) -> Taken<Stolen<T>> {
        let guard = self.handle.pin();
        let victim = &self.deques.0[victim];
        // SAFETY: `deques` has registered this handle with the collector of all these deques.
        let take = || unsafe { victim.take_oldest(&guard) };
        let mut item = match take() {
            Taken::Item(item) => item,
            Taken::Empty => return Taken::Empty,
            Taken::Lost => return Taken::Lost,
        };
        let mut moved = 0;
        while moved + 1 < most
            && let Taken::Item(next) = take()
        {
            self.put(item);
            item = next;
            moved += 1;
        }
        drop(guard);
        // SAFETY: as in `pop`.
        Taken::Item(Stolen { item: unsafe { self.boxes.unwrap(item) }, moved })
    }

    fn shared(&self) -> &SharedDeque<T> {
        &self.deques.0[self.me]
    }

    fn ring(&self) -> &Ring<T> {
        // Ordering: Relaxed, only this end writes it.
        let ring = self.shared().owned.ring.load(Ordering::Relaxed);
        // SAFETY: the current ring lives until `grow` replaces it, which only this end does. `put`
        // uses no reference from before that.
        unsafe { &*ring }
    }

    /// Makes `item` the newest.
    #[inline]
    fn put(&self, item: *mut T) {
        let shared = self.shared();
        // Ordering: Relaxed, only this end writes it.
        let back = shared.owned.back.load(Ordering::Relaxed);
        if back - self.front_seen.get() >= self.ring().capacity() {
            self.make_room(back);
        }
        self.ring().put(back, item);
        // Ordering: pairs with the Acquire of the back in `take_oldest`. A fence rather than a
        // Release store, because it also covers the stores of the back in `take_newest`, through
        // which a thief may just as well see items pushed before.
        fence(Ordering::Release);
        // Ordering: Relaxed, behind the fence.
        shared.owned.back.store(back + 1, Ordering::Relaxed);
    }

    /// Makes sure that item `back` has a slot.
    #[cold]
    fn make_room(&self, back: u64) {
        // Ordering: Acquire pairs with the Release in `pass_front`: thieves have read the slots
        // before this end writes them again.
        let front = self.shared().front.load(Ordering::Acquire);
        self.front_seen.set(front);
        if back - front >= self.ring().capacity() {
            self.grow(front, back);
        }
    }

    /// Replaces the ring by one twice as large.
    fn grow(&self, front: u64, back: u64) {
        let ring = &self.shared().owned.ring;
        let larger = Box::into_raw(Box::new(self.ring().grown(front..back)));
        // Ordering: Relaxed, only this end writes it.
        let old = ring.load(Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire in `take_oldest`: the new slots are written.
        ring.store(larger, Ordering::Release);
        {
            let guard = self.handle.pin();
            // SAFETY: `old` was the current ring, from `Box::into_raw`, and has been replaced just
            // now: once, since only this end replaces. A thread that pins from now on finds the new
            // one. `free_ring` may be called on any thread at any time.
            unsafe { guard.retire_with(old.cast(), (*old).bytes(), free_ring::<T>) };
        }
        // Growth is rare and an old ring may be large, so a few scans of the others are worth it.
        self.handle.collect();
    }

    /// Takes the newest item. This end then owns the pointer.
    #[inline]
    fn take_newest(&self) -> Option<*mut T> {
        let shared = self.shared();
        // Ordering: Relaxed, only this end writes it.
        let back = shared.owned.back.load(Ordering::Relaxed);
        // Ordering: Relaxed. It only rises, so if it has reached the back once, nothing is left.
        if shared.front.load(Ordering::Relaxed) >= back {
            return None;
        }
        let newest = back - 1;
        // Ordering: Relaxed, the fence publishes it (O1).
        shared.owned.back.store(newest, Ordering::Relaxed);
        // Ordering: pairs with the fence in `take_oldest` (O2).
        fence(Ordering::SeqCst);
        // Ordering: Relaxed, behind the fence (O3).
        let front = shared.front.load(Ordering::Relaxed);
        if front < newest { Some(self.ring().get(newest)) } else { self.take_last(front, newest) }
    }

    /// Takes item `last` unless a thief does: at the time of the fence it was the only one left.
    fn take_last(&self, front: u64, last: u64) -> Option<*mut T> {
        let shared = self.shared();
        let won = front == last && shared.pass_front(front);
        // Either way the item is gone and the front has passed it.
        // Ordering: Relaxed. It publishes nothing new, and is behind the fences of all pushes.
        shared.owned.back.store(last + 1, Ordering::Relaxed);
        won.then(|| self.ring().get(last))
    }
}

/// Frees a retired ring. It does not touch items, so it may be called on any thread, and when the
/// items and all that they borrow are gone.
///
/// # Safety
///
/// `ring` comes from `Box::<Ring<T>>::into_raw`, and the caller owns it.
unsafe fn free_ring<T>(ring: *mut ()) {
    // SAFETY: the caller's promise. The slots are atomic pointers, which are `Send` and drop
    // nothing.
    drop(unsafe { Box::from_raw(ring.cast::<Ring<T>>()) });
}
