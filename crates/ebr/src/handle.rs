//! One participant: pinning, retiring, and freeing what has become ripe.
//!
//! A handle belongs to one thread at a time, so its own state is in cells. Deleters run while no
//! cell is borrowed and no lock is held, and may pin and retire on the very handle that runs them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::NonNull;

use crate::config::{Barrier, Reclaim};
use crate::domain::{Advance, Domain};
use crate::garbage::{Bags, Capacity, Freed, Garbage, Retired};
use crate::registry::{Node, UNPINNED, pinned_at};
use crate::stats::ObjectCounts;
use crate::sync::{Arc, AtomicU64, Ordering};
use crate::throttle::{AttemptOutcome, Due, Throttle};

/// How many single objects are retired between two updates of the shared statistics (P1).
const PUBLISH_EVERY: u64 = 64;

/// How many steps of the epoch make everything closed before them ripe: two beyond the tag, which
/// may itself be one ahead.
const RIPENING_STEPS: u32 = 3;

/// One participant of a [`Collector`](crate::Collector), usually one per thread.
///
/// Dropping a handle frees nothing: what it had retired becomes an orphan, which other participants
/// free in time. The next [`register`](crate::Collector::register) reuses its node.
///
/// ```
/// use heist_ebr::Collector;
///
/// let handle = Collector::default().register();
/// let guard = handle.pin();
/// // Here pointers may be read from shared memory; what they point to stays alive.
/// drop(guard);
/// ```
pub struct Handle {
    domain: Arc<Domain>,
    node: NonNull<Node>,
    /// The number of living guards.
    depth: Cell<usize>,
    /// Unpins left until an attempt is due, and what an unpin subtracts: 1 or, in the adaptive
    /// stage, 0.
    unpins_left: Cell<i64>,
    unpin_cost: i64,
    garbage: RefCell<Garbage>,
    /// Retired objects not yet added to the shared statistics.
    unpublished: Cell<ObjectCounts>,
    throttle: Cell<Throttle>,
    /// Whether deleters are running further up on this stack.
    freeing: Cell<bool>,
}

// SAFETY: a handle can move to another thread only between two calls, because a guard borrows it.
// Its node lives as long as the domain it holds, and consists of atomics.
// What it has retired may be freed on any thread by the contract of `retire`.
unsafe impl Send for Handle {}

impl Handle {
    pub(crate) fn new(domain: Arc<Domain>) -> Handle {
        let node = domain.registry.join();
        let reclaim = domain.config.reclaim;
        let interval = reclaim.interval();
        Handle {
            node,
            depth: Cell::new(0),
            unpins_left: Cell::new(interval.map_or(1, i64::from)),
            unpin_cost: i64::from(interval.is_some()),
            garbage: RefCell::new(Garbage::new(reclaim)),
            unpublished: Cell::new(ObjectCounts::default()),
            throttle: Cell::new(Throttle::new()),
            freeing: Cell::new(false),
            domain,
        }
    }

    #[inline]
    fn state(&self) -> &AtomicU64 {
        // SAFETY: the node lives as long as the registry of the domain held here.
        unsafe { &self.node.as_ref().state }
    }

    /// Keeps everything reachable from now on alive until the guard is dropped. Guards may nest:
    /// the pin ends with the last of them.
    ///
    /// # Panics
    ///
    /// If a deleter panics: in the stages with a fixed interval, each call at the end of an
    /// interval first attempts to reclaim.
    #[inline]
    pub fn pin(&self) -> Guard<'_> {
        let depth = self.depth.get();
        if depth == 0 {
            if self.unpins_left.get() <= 0 {
                self.attempt_after_interval();
            }
            self.enter();
        }
        self.depth.set(depth + 1);
        Guard { handle: self }
    }

    #[inline]
    fn enter(&self) {
        // Ordering: Acquire matters only to `Barrier::Membarrier`, where a pin has no fence: with
        // the epoch comes what was done before it, see `Domain::pinned_tag`. Free on x86.
        let epoch = self.domain.epoch.load(Ordering::Acquire);
        self.domain.barrier.announce(self.state(), pinned_at(epoch));
    }

    #[inline]
    fn leave(&self) {
        // Ordering: Release pairs with the acquire fence of `Domain::try_advance`: reads made while
        // pinned come before the freeing.
        self.state().store(UNPINNED, Ordering::Release);
    }

    #[inline]
    fn unpin(&self) {
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        if depth == 0 {
            self.leave();
            self.unpins_left.set(self.unpins_left.get() - self.unpin_cost);
        }
    }

    /// The attempt after an interval of unpins, in the stages that have one.
    #[cold]
    fn attempt_after_interval(&self) {
        self.unpins_left.set(self.domain.config.reclaim.interval().map_or(1, i64::from));
        self.attempt();
    }

    /// Closes the open bag, then advances the epoch and frees as far as the other participants
    /// allow. If no participant is pinned, including this one, everything that this handle retired
    /// is freed.
    ///
    /// ```
    /// let collector = heist_ebr::Collector::default();
    /// let handle = collector.register();
    /// let object = Box::into_raw(Box::new([0u8; 100]));
    /// // SAFETY: no other thread has seen the box.
    /// unsafe { handle.pin().retire(object) };
    /// handle.collect();
    /// assert_eq!(collector.stats().reclaimed_bytes, 100);
    /// ```
    ///
    /// # Panics
    ///
    /// With the first panic of a deleter, after all the others have run.
    pub fn collect(&self) {
        self.close();
        for _ in 0..=RIPENING_STEPS {
            if !self.has_garbage() || self.attempt() == AttemptOutcome::Blocked {
                break;
            }
        }
    }

    /// Makes one attempt if there is garbage. Without garbage nothing is scanned.
    #[cold]
    pub(crate) fn reclaim_once(&self) {
        if self.has_garbage() {
            self.attempt();
        }
    }

    #[inline]
    fn retire(&self, object: Retired) {
        match &mut *self.garbage.borrow_mut() {
            Garbage::InRegistry => {
                if let Some(mut locked) = self.domain.registry.lock() {
                    locked.push(self.domain.pinned_tag(), object);
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
        if room == Capacity::Full {
            bags.seal(self.tag());
            self.publish_counts();
        }
        if self.domain.config.reclaim != Reclaim::Adaptive {
            return Due::Later;
        }
        let mut throttle = self.throttle.get();
        let mut due = throttle.retired();
        if due == Due::Later && room == Capacity::Full && bags.is_under_pressure() {
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

    /// The tag of a bag that is closed now.
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
        let shared = self.domain.registry.lock().is_some_and(|locked| !locked.is_empty());
        shared || !self.domain.orphans.is_empty() || !self.garbage.borrow().is_empty()
    }

    /// Frees what is ripe; if nothing is, attempts to advance the epoch and checks again. The
    /// stages with a fixed interval advance in any case, as the document's do.
    fn attempt(&self) -> AttemptOutcome {
        if self.freeing.replace(true) {
            // Called by a deleter. The attempt that runs it checks again afterwards.
            return AttemptOutcome::Blocked;
        }
        self.publish_counts();
        let mut freed = Freed::default();
        let mut epoch = self.domain.epoch();
        self.free_ripe(epoch, &mut freed);
        let mut outcome = AttemptOutcome::Freed;
        if self.unpin_cost > 0 || freed.counts.objects == 0 {
            outcome = match self.domain.try_advance() {
                Advance::Blocked => AttemptOutcome::Blocked,
                Advance::To(now) => {
                    epoch = now;
                    self.free_ripe(now, &mut freed);
                    AttemptOutcome::Moved
                }
            };
        }
        if freed.counts.objects > 0 {
            outcome = AttemptOutcome::Freed;
        }
        self.freeing.set(false);
        let mut throttle = self.throttle.get();
        throttle.tried(outcome, epoch);
        self.throttle.set(throttle);
        freed.rethrow();
        outcome
    }

    /// Frees what is ripe at `epoch`, which was read with Acquire, oldest first.
    fn free_ripe(&self, epoch: u64, freed: &mut Freed) {
        while let Some(mut batch) = self.take_ripe(epoch) {
            let before = freed.counts;
            // SAFETY: ripe at an epoch read with Acquire; the head of the crate has the argument.
            unsafe { freed.run(&mut batch) };
            self.domain.totals.add_reclaimed(freed.counts.since(before));
            self.garbage.borrow_mut().reuse(batch);
        }
        let before = freed.counts;
        // SAFETY: as above.
        unsafe { self.domain.orphans.free_ripe(epoch, freed) };
        self.domain.totals.add_reclaimed(freed.counts.since(before));
    }

    fn take_ripe(&self, epoch: u64) -> Option<Vec<Retired>> {
        match self.domain.registry.lock() {
            Some(mut locked) => locked.take_ripe(epoch),
            None => self.garbage.borrow_mut().take_ripe(epoch),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // A forgotten guard has left the node pinned. What it protected is no longer in use,
        // because the guard borrowed this handle.
        self.depth.set(0);
        self.leave();
        self.publish_counts();
        if !self.garbage.borrow().is_empty() {
            let tag = self.tag();
            let bags = self.garbage.borrow_mut().take_all(tag);
            self.domain.orphans.push(bags);
        }
        // SAFETY: the node came from `join` in `new`, is left only here, and was unpinned above.
        unsafe { self.domain.registry.leave(self.node) };
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("depth", &self.depth.get()).finish_non_exhaustive()
    }
}

/// A pin. An object read from shared memory while the guard lives stays alive as long as it does.
///
/// ```
/// let handle = heist_ebr::Collector::default().register();
/// let (outer, inner) = (handle.pin(), handle.pin());
/// drop(outer);
/// // Still pinned, by the inner guard.
/// inner.flush();
/// ```
#[derive(Debug)]
pub struct Guard<'h> {
    handle: &'h Handle,
}

impl Guard<'_> {
    /// Drops the box behind `ptr` once no earlier pin can reach it any more.
    ///
    /// When enough is retired, this call frees what is ripe, which runs deleters of *other*
    /// objects.
    ///
    /// # Panics
    ///
    /// With the first panic of such a deleter, after all the others have run.
    ///
    /// # Safety
    ///
    /// - `ptr` comes from [`Box::into_raw`] and is retired once.
    /// - It is unlinked: a thread that pins from now on cannot find it. Threads that are pinned
    ///   already may use it.
    /// - The box may be dropped on any thread, at any time until the last handle and clone of the
    ///   collector are gone. So `T` is `Send` and valid until then, but need not be `'static`.
    #[inline]
    pub unsafe fn retire<T>(&self, ptr: *mut T) {
        /// # Safety
        ///
        /// `ptr` comes from `Box::<T>::into_raw`, and the caller owns it.
        unsafe fn drop_box<T>(ptr: *mut ()) {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(ptr.cast::<T>()) });
        }
        // SAFETY: the caller's promise covers the requirements of `retire_with`.
        unsafe { self.retire_with(ptr.cast(), size_of::<T>(), drop_box::<T>) };
    }

    /// Calls `free(ptr)` once no earlier pin can reach the object any more. `bytes` is its size: it
    /// is counted in the statistics, and large objects are freed sooner.
    ///
    /// # Safety
    ///
    /// As for [`retire`](Self::retire), applied to what `free` does to `ptr`: it is called once, on
    /// any thread, at any time until the last handle and clone of the collector are gone. It may
    /// pin, retire and panic.
    #[inline]
    pub unsafe fn retire_with(&self, ptr: *mut (), bytes: usize, free: unsafe fn(*mut ())) {
        self.handle.retire(Retired::new(ptr, bytes, free));
    }

    /// Closes the open bag and attempts once to advance the epoch and to free. Useful after
    /// retiring something large, or before a long time without retiring.
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
