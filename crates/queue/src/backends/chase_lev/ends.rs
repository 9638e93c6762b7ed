//! The protocol: one end for the owner, the other for all thieves.
//!
//! Items are numbered in the order of pushing. Those from `front` to `back` are there. The owner
//! alone moves `back`, in both directions; `front` only ever rises, by an exchange that takes item
//! `front`.
//!
//! ```text
//! thieves take here                      the owner pushes and pops here
//!        │                                          │
//!      front                                      back
//!        v                                          v
//!   · ·  4   5   6   7   8   9  10  11  12  13  14  ·  ·
//! ```
//!
//! # Why no item is taken twice
//!
//! The owner takes the newest item without an exchange as long as it is not the oldest as well.
//! That takes an agreement with thieves, which each come to in this order:
//!
//! ```text
//! owner pops item i                 thief steals item i
//!   O1 back = i                       T1 read front: i
//!   O2 fence(SeqCst)                  T2 fence(SeqCst)
//!   O3 read front: below i? mine      T3 read back: above i? go on
//!      i? exchange i for i + 1        T4 exchange front, i for i + 1: mine
//! ```
//!
//! All `SeqCst` fences are in one order. If O2 comes first, T3 sees that item `i` is gone, or sees
//! a later push of another item `i`, which it may have. If T2 comes first, O3 sees a front that is
//! `i` or more, and the exchange decides. There is no third way. It does not matter who moved the
//! front to `i`: what T1 has read before T2, O3 cannot read an older value of behind O2.
//!
//! It follows that a thief may not take several items with one exchange: the owner takes everything
//! between `front + 1` and `back` without asking. A batch is one exchange per item here, each with
//! its own look at `back`.
//!
//! # Why the pointer is the right one
//!
//! A thief reads the ring and the slot before T4 and uses what it read only if T4 succeeds. Then
//! the front was `i` all the time (it never comes back), so nobody had taken item `i`, so its slot
//! was not written again in any ring that was in use since the push. T3 has seen a back that was
//! written behind the release fence of that push, so it sees this ring or a newer one, and in it
//! the slot. Unlike with items in slots there is no need to look whether the ring is still the
//! current one: an old one is never written again.
//!
//! What was read in vain may point anywhere and is only forgotten.
//!
//! # Why the ring is there
//!
//! The owner, and nobody else, replaces the ring, so it needs no protection to use it. A thief is
//! pinned from before it reads where the ring is until it has read the slot. Of several old rings
//! each is half the size of the next, so that together they are smaller than the current one, and
//! it does not matter much how long they wait. A ring never shrinks.
//!
//! # Source
//!
//! Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005. Orderings after Lê, Pop, Cohen
//! and Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", 2013. Theirs
//! has `SeqCst` exchanges, because in the C11 of their time the last sentence of the proof above
//! did not hold for a front that a third party had moved. In C++20, whose model is Rust's, it does:
//! `SeqCst` fences order whatever is ordered by coherence, a read before a read of a later value
//! included. And new rings are published with Release, which the paper's listing leaves out.

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

/// What everybody sees of the deques of one run.
pub(super) struct Deques<T>(Box<[Shared<T>]>);

/// What owner and thieves of one deque share.
struct Shared<T> {
    /// The oldest item: written by whoever takes it, mostly thieves.
    front: CachePadded<AtomicU64>,
    /// Written by the owner, read by thieves.
    owned: CachePadded<Owned<T>>,
}

struct Owned<T> {
    /// One beyond the newest item.
    back: AtomicU64,
    /// A `Ring` made raw.
    ring: AtomicPtr<Ring<T>>,
}

/// What became of a try to take an item from somebody.
pub(super) enum Taken<I> {
    /// This.
    Item(I),
    /// There was none.
    Empty,
    /// Another was faster. There may be more.
    Lost,
}

/// What a thief has taken from one victim.
pub(super) struct Stolen<T> {
    pub(super) item: T,
    /// How many more went to the thief's own deque.
    pub(super) moved: usize,
}

/// All deques, and everybody's own end.
pub(super) type Ends<T> = (Arc<Deques<T>>, Vec<Own<T>>);

/// The deques of `workers` workers, and the end of each that its owner works at. All rings are
/// reclaimed together.
pub(super) fn deques<T: Send>(workers: usize, collector: &Collector) -> Ends<T> {
    let all = Arc::new(Deques((0..workers).map(|_| Shared::new()).collect()));
    let own = |me| Own {
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

    /// About how many items could be stolen from worker `who`. Sees every push that is ordered
    /// before it by a `SeqCst` fence on both sides.
    pub(super) fn len(&self, who: usize) -> usize {
        self.0[who].len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|shared| shared.len() == 0)
    }
}

impl<T> Shared<T> {
    fn new() -> Shared<T> {
        let ring = Box::into_raw(Box::new(Ring::new(FIRST_CAPACITY)));
        Shared {
            front: CachePadded::new(AtomicU64::new(FIRST_ITEM)),
            owned: CachePadded::new(Owned {
                back: AtomicU64::new(FIRST_ITEM),
                ring: AtomicPtr::new(ring),
            }),
        }
    }

    /// The front is read first: by the time the back is read it may have risen, so the answer errs
    /// towards items that are gone rather than away from items that are there.
    fn len(&self) -> usize {
        // Ordering: Acquire pairs with the Release in `pass_front`: the back is no older than what
        // whoever took the item before the front had seen.
        let front = self.front.load(Ordering::Acquire);
        // Ordering: Relaxed. Nothing is read through it; the callers' fences make it new enough.
        let back = self.owned.back.load(Ordering::Relaxed);
        back.saturating_sub(front) as usize
    }

    /// Takes item `front` if it is still there: T4 of the head, and the exchange of `take_last`.
    fn pass_front(&self, front: u64) -> bool {
        // Ordering: Release pairs with the Acquire in `make_room`: the slot has been read before
        // the owner writes it again. No model guards this, for loom never delays a read past a
        // later write. That one of two wins is in the nature of an exchange. Relaxed on failure, as
        // nothing is concluded but that somebody else has the item.
        let passed =
            self.front.compare_exchange(front, front + 1, Ordering::Release, Ordering::Relaxed);
        passed.is_ok()
    }

    /// Takes the oldest item, for a thief. The pointer is the thief's then.
    ///
    /// # Safety
    ///
    /// The guard must be a pin of the domain to which this deque's rings are retired.
    unsafe fn take_oldest(&self, _pin: &Guard<'_>) -> Taken<*mut T> {
        // Ordering: Acquire pairs with the Release in `pass_front`, as in the paper (T1 of the
        // head); the fence that follows would do.
        let front = self.front.load(Ordering::Acquire);
        // Ordering: pairs with the fence in `take_newest` (T2). That of the pin is no substitute:
        // it comes before the look at the front, and a collector may do without.
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
        // caller is pinned, so the one just read is not freed before the pin ends.
        let item = unsafe { &*ring }.get(front);
        if self.pass_front(front) { Taken::Item(item) } else { Taken::Lost }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // Ordering: Relaxed, here and below. This is the last reference, and the count of
        // references orders all uses of the others before.
        let ring = self.owned.ring.load(Ordering::Relaxed);
        // SAFETY: made by `Box::into_raw`, and the current ring has not been retired.
        let ring = unsafe { Box::from_raw(ring) };
        let front = self.front.load(Ordering::Relaxed);
        let back = self.owned.back.load(Ordering::Relaxed);
        // SAFETY: what lies between front and back was put there by `put`, made by `Boxes::wrap`
        // from a box, and taken by nobody.
        let left = (front..back).map(|index| unsafe { Box::from_raw(ring.get(index)) });
        // Gathered first: a `Vec` drops the rest even if the drop of an item panics.
        drop(left.collect::<Vec<Box<T>>>());
    }
}

/// The owner's end of one deque, which steals from the other deques of the run as well.
///
/// Not `Sync` and not `Clone`: what only the owner may do is done by the one thread that has it.
pub(super) struct Own<T> {
    me: usize,
    deques: Arc<Deques<T>>,
    /// Of the domain to which all rings of the run are retired.
    handle: Handle,
    /// The front when `put` last looked. It has not fallen since, so as long as there is room by
    /// this one there is room, and the thieves' cache line is left alone.
    front_seen: Cell<u64>,
    boxes: Boxes<T>,
}

impl<T> Own<T> {
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
        // is taken once, as the head shows.
        Some(unsafe { self.boxes.unwrap(item) })
    }

    pub(super) fn len(&self) -> usize {
        self.deques.len(self.me)
    }

    /// How many items the ring in use has room for.
    #[cfg(all(test, not(loom)))]
    pub(super) fn capacity(&self) -> u64 {
        self.ring().capacity()
    }

    /// Takes up to `most` of the oldest items of another worker, but at least one if there is one.
    /// The newest of them is in hand, the others lie in the own deque, where they are popped newest
    /// first.
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

    fn shared(&self) -> &Shared<T> {
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
        // Release store, because it also covers the stores of the back in `take_newest`, by which a
        // thief may just as well learn of items pushed before.
        fence(Ordering::Release);
        // Ordering: Relaxed, behind the fence.
        shared.owned.back.store(back + 1, Ordering::Relaxed);
    }

    /// Sees to it that item `back` has a slot.
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
            // SAFETY: `old` was the current ring, made by `Box::into_raw`, and has been replaced
            // just now: once, since only this end replaces. Whoever pins from now on finds the new
            // one. `free_ring` may be called anywhere and any time, as it asks.
            unsafe { guard.retire_with(old.cast(), (*old).bytes(), free_ring::<T>) };
        }
        // Growth is rare, and an old ring may be large: a few looks at the others are worth it.
        self.handle.collect();
    }

    /// Takes the newest item. The pointer is this end's then.
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
        // Ordering: Relaxed, the fence makes it known (O1 of the head).
        shared.owned.back.store(newest, Ordering::Relaxed);
        // Ordering: pairs with the fence in `take_oldest` (O2).
        fence(Ordering::SeqCst);
        // Ordering: Relaxed, behind the fence (O3).
        let front = shared.front.load(Ordering::Relaxed);
        if front < newest { Some(self.ring().get(newest)) } else { self.take_last(front, newest) }
    }

    /// Takes item `last` if no thief does: at the time of the fence nothing was left beside it.
    fn take_last(&self, front: u64, last: u64) -> Option<*mut T> {
        let shared = self.shared();
        let won = front == last && shared.pass_front(front);
        // Taken by whomever, it is gone, and the front has passed it.
        // Ordering: Relaxed. It publishes nothing new, and stands behind the fences of all pushes.
        shared.owned.back.store(last + 1, Ordering::Relaxed);
        won.then(|| self.ring().get(last))
    }
}

/// Frees a retired ring. It does not look at items, so it may be called when they and all that they
/// borrow are long gone, on any thread.
///
/// # Safety
///
/// `ring` is a `Box<Ring<T>>` made raw, and the caller owns it.
unsafe fn free_ring<T>(ring: *mut ()) {
    // SAFETY: as this function demands. A ring's slots are atomic pointers, which are `Send` and
    // drop nothing.
    drop(unsafe { Box::from_raw(ring.cast::<Ring<T>>()) });
}
