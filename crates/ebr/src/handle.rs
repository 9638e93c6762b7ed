//! One participant: pinning, retiring, and freeing what has become ripe.
//!
//! A handle belongs to one thread at a time, so its own state is cells. Deleters run when no cell
//! is borrowed and no lock is held; they may pin and retire on the very handle that runs them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::NonNull;

use crate::config::{Barrier, Reclaim};
use crate::domain::{Advance, Domain};
use crate::garbage::{Bags, Freed, Garbage, Retired, Room};
use crate::registry::{Node, Registry, UNPINNED, lock, pinned_at};
use crate::stats::Counts;
use crate::sync::{Arc, AtomicU64, Ordering};
use crate::throttle::{Due, Outcome, Throttle};

/// How many single objects are retired between two additions to the shared statistics (P1).
const PUBLISH_EVERY: u64 = 64;

/// How many steps of the epoch ripen everything closed before them: two beyond the tag, which may
/// itself be one ahead.
const STEPS: u32 = 3;

/// One participant of a [`Collector`](crate::Collector): a thread has one of its own.
///
/// Dropping it frees nothing: what it had retired goes to the orphans, which the other participants
/// free in time. Its place in the registry is used again by the next
/// [`register`](crate::Collector::register).
pub struct Handle {
    domain: Arc<Domain>,
    node: NonNull<Node>,
    /// Guards alive.
    depth: Cell<usize>,
    /// Unpins left until a try is due, and what an unpin takes from it: 1 or, in the adaptive
    /// stage, 0.
    credit: Cell<i64>,
    price: i64,
    garbage: RefCell<Garbage>,
    /// Retired and not yet added to the shared statistics.
    unpublished: Cell<Counts>,
    throttle: Cell<Throttle>,
    /// Deleters are running further up on this stack.
    freeing: Cell<bool>,
}

// SAFETY: a handle may move to another thread between two calls, and a guard borrows it. Its node
// lives as long as the domain it holds, or (P0) until it leaves, and is made of atomics. What it
// has retired may be freed anywhere by the contract of `retire`.
unsafe impl Send for Handle {}

impl Handle {
    pub(crate) fn new(domain: Arc<Domain>) -> Handle {
        let node = domain.registry.join();
        let reclaim = domain.config.reclaim;
        let interval = reclaim.interval();
        Handle {
            node,
            depth: Cell::new(0),
            credit: Cell::new(interval.map_or(1, i64::from)),
            price: i64::from(interval.is_some()),
            garbage: RefCell::new(Garbage::new(reclaim)),
            unpublished: Cell::new(Counts::default()),
            throttle: Cell::new(Throttle::new()),
            freeing: Cell::new(false),
            domain,
        }
    }

    #[inline]
    fn state(&self) -> &AtomicU64 {
        // SAFETY: the node lives until `drop` leaves the registry.
        unsafe { &self.node.as_ref().state }
    }

    /// Keeps everything reachable from now on alive until the guard is dropped. Guards may nest;
    /// the outermost counts.
    ///
    /// In the stages with a fixed interval every so many calls try to reclaim first, which runs
    /// deleters; a panic of one of them comes out here.
    #[inline]
    pub fn pin(&self) -> Guard<'_> {
        let depth = self.depth.get();
        if depth == 0 {
            if self.credit.get() <= 0 {
                self.pay_interval();
            }
            self.enter();
        }
        self.depth.set(depth + 1);
        Guard { handle: self }
    }

    #[inline]
    fn enter(&self) {
        // Ordering: Acquire only matters to `Barrier::Membarrier`, whose pin has no fence: with the
        // epoch comes what was done before it, see `Domain::pinned_tag`. Free on x86.
        let epoch = self.domain.epoch.load(Ordering::Acquire);
        self.domain.barrier.announce(self.state(), pinned_at(epoch));
    }

    #[inline]
    fn leave(&self) {
        // Ordering: Release pairs with the acquire fence of `Domain::try_advance`: what was read
        // while pinned was read before anybody frees it.
        self.state().store(UNPINNED, Ordering::Release);
    }

    #[inline]
    fn unpin(&self) {
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        if depth == 0 {
            self.leave();
            self.credit.set(self.credit.get() - self.price);
        }
    }

    /// The try that unpins have run up, of the stages with a fixed interval.
    #[cold]
    fn pay_interval(&self) {
        self.credit.set(self.domain.config.reclaim.interval().map_or(1, i64::from));
        self.attempt();
    }

    /// Closes what is open, and moves the epoch on and frees as far as the other participants let
    /// it. When nobody is pinned, this handle least of all, everything it retired is freed.
    ///
    /// # Panics
    ///
    /// With the first panic of a deleter, after all the others have run.
    pub fn collect(&self) {
        self.close();
        for _ in 0..=STEPS {
            if !self.has_garbage() || self.attempt() == Outcome::Blocked {
                break;
            }
        }
    }

    /// One try. No garbage, no scan.
    #[cold]
    pub(crate) fn reclaim_once(&self) {
        if self.has_garbage() {
            self.attempt();
        }
    }

    #[inline]
    fn retire(&self, object: Retired) {
        match &mut *self.garbage.borrow_mut() {
            Garbage::InLedger => {
                if let Registry::Locked(ledger) = &self.domain.registry {
                    lock(ledger).push(self.domain.pinned_tag(), object);
                }
                return;
            }
            Garbage::Tagged(objects) => {
                self.note(object.bytes());
                objects.push((self.domain.pinned_tag(), object));
                if self.unpublished.get().objects >= PUBLISH_EVERY {
                    self.publish_counts();
                }
                return;
            }
            Garbage::Bagged(bags) => {
                self.note(object.bytes());
                if self.put(bags, object) == Due::Later {
                    return;
                }
            }
        }
        self.attempt();
    }

    /// Puts an object into the open bag.
    #[inline]
    fn put(&self, bags: &mut Bags, object: Retired) -> Due {
        let room = bags.push(object);
        if room == Room::None {
            bags.seal(self.tag());
            self.publish_counts();
        }
        if self.domain.config.reclaim != Reclaim::Adaptive {
            return Due::Later;
        }
        let mut throttle = self.throttle.get();
        let mut due = throttle.retired();
        if due == Due::Later && room == Room::None && bags.is_under_pressure() {
            // Ordering: Relaxed, a hint.
            due = throttle.pressed(self.domain.epoch.load(Ordering::Relaxed));
        }
        self.throttle.set(throttle);
        due
    }

    #[inline]
    fn note(&self, bytes: usize) {
        let mut unpublished = self.unpublished.get();
        unpublished.add(bytes);
        self.unpublished.set(unpublished);
    }

    /// Adds what was counted here to the shared statistics.
    fn publish_counts(&self) {
        self.domain.totals.add_retired(self.unpublished.take());
    }

    /// The tag for a bag that is closed now.
    fn tag(&self) -> u64 {
        if self.domain.barrier == Barrier::Fence {
            return self.domain.fenced_tag();
        }
        if self.depth.get() > 0 {
            return self.domain.pinned_tag();
        }
        self.enter();
        let tag = self.domain.pinned_tag();
        self.leave();
        tag
    }

    /// Closes the open bag.
    fn close(&self) {
        if let Garbage::Bagged(bags) = &mut *self.garbage.borrow_mut()
            && !bags.is_open_empty()
        {
            bags.seal(self.tag());
        }
        self.publish_counts();
    }

    fn has_garbage(&self) -> bool {
        let shared = match &self.domain.registry {
            Registry::Locked(ledger) => !lock(ledger).is_empty(),
            Registry::Listed(_) => false,
        };
        shared || !self.domain.orphans.is_empty() || !self.garbage.borrow().is_empty()
    }

    /// Frees what is ripe; if nothing is, tries to move the epoch and looks again. The stages with
    /// a fixed interval move it in any case, as the document's do.
    fn attempt(&self) -> Outcome {
        if self.freeing.replace(true) {
            // A deleter called; whoever runs it is about to look again.
            return Outcome::Blocked;
        }
        self.publish_counts();
        let mut freed = Freed::default();
        let mut epoch = self.domain.epoch();
        self.free_ripe(epoch, &mut freed);
        let mut outcome = Outcome::Freed;
        if self.price > 0 || freed.counts.objects == 0 {
            outcome = match self.domain.try_advance() {
                Advance::Blocked => Outcome::Blocked,
                Advance::To(now) => {
                    epoch = now;
                    self.free_ripe(now, &mut freed);
                    Outcome::Moved
                }
            };
        }
        if freed.counts.objects > 0 {
            outcome = Outcome::Freed;
        }
        self.freeing.set(false);
        let mut throttle = self.throttle.get();
        throttle.tried(outcome, epoch);
        self.throttle.set(throttle);
        freed.rethrow();
        outcome
    }

    /// Frees what may be at `epoch`, which was read with Acquire, oldest first.
    fn free_ripe(&self, epoch: u64, freed: &mut Freed) {
        while let Some(mut batch) = self.take_ripe(epoch) {
            let before = freed.counts;
            // SAFETY: ripe, at an epoch that was acquired: the head of the crate has the argument.
            unsafe { freed.run(&mut batch) };
            self.domain.totals.add_reclaimed(freed.counts.since(before));
            self.garbage.borrow_mut().give_back(batch);
        }
        let before = freed.counts;
        // SAFETY: as above.
        unsafe { self.domain.orphans.free_ripe(epoch, freed) };
        self.domain.totals.add_reclaimed(freed.counts.since(before));
    }

    fn take_ripe(&self, epoch: u64) -> Option<Vec<Retired>> {
        match &self.domain.registry {
            Registry::Locked(ledger) => lock(ledger).take_ripe(epoch),
            Registry::Listed(_) => self.garbage.borrow_mut().take_ripe(epoch),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // A forgotten guard has left the node pinned. What it protected can be used no longer: the
        // guard borrowed this handle.
        self.depth.set(0);
        self.leave();
        self.publish_counts();
        if !self.garbage.borrow().is_empty() {
            let tag = self.tag();
            let bags = self.garbage.borrow_mut().take_all(tag);
            bags.into_iter().for_each(|bag| self.domain.orphans.push(bag));
        }
        // SAFETY: from `join` in `new`, left here and nowhere else, unpinned above.
        unsafe { self.domain.registry.leave(self.node) };
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("depth", &self.depth.get()).finish_non_exhaustive()
    }
}

/// A pin: whatever is read from shared memory while it lives stays alive as long as it does.
pub struct Guard<'h> {
    handle: &'h Handle,
}

impl Guard<'_> {
    /// Has `drop(Box::from_raw(ptr))` done when no pin from before can reach the object any more.
    ///
    /// Once enough is retired this frees what is ripe, which runs deleters of *other* objects; a
    /// panic of one of them comes out here, after all the others have run.
    ///
    /// # Safety
    ///
    /// - `ptr` comes from [`Box::into_raw`] and is retired once.
    /// - It is unlinked: nobody who pins from now on can find it. Those pinned already may use it.
    /// - The box may be dropped on any thread, at any time until the last handle and clone of the
    ///   collector are gone. So `T` is `Send`, and valid until then, but need not be `'static`.
    #[inline]
    pub unsafe fn retire<T>(&self, ptr: *mut T) {
        /// # Safety
        ///
        /// `ptr` is a `Box<T>` made raw, whose owner the caller is.
        unsafe fn drop_box<T>(ptr: *mut ()) {
            // SAFETY: as this function demands.
            drop(unsafe { Box::from_raw(ptr.cast::<T>()) });
        }
        // SAFETY: what our caller promises is what `retire_with` asks for.
        unsafe { self.retire_with(ptr.cast(), size_of::<T>(), drop_box::<T>) };
    }

    /// Has `free(ptr)` called when no pin from before can reach the object any more. `bytes` is
    /// what it holds: it counts in the statistics, and much of it is freed sooner.
    ///
    /// # Safety
    ///
    /// As [`retire`](Self::retire), for what `free` does to `ptr`: it is called once, on any
    /// thread, at any time until the last handle and clone of the collector are gone. It may pin
    /// and retire, and may panic.
    #[inline]
    pub unsafe fn retire_with(&self, ptr: *mut (), bytes: usize, free: unsafe fn(*mut ())) {
        self.handle.retire(Retired::new(ptr, bytes, free));
    }

    /// Closes the bag that is being filled and tries once to move the epoch and to free. For one
    /// who has retired something large, or will not retire again for long.
    pub fn flush(&self) {
        self.handle.close();
        self.handle.reclaim_once();
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.handle.unpin();
    }
}

impl fmt::Debug for Guard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Guard")
    }
}
