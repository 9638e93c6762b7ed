//! The objects that are retired, and the account of them: how many there are, whether each went
//! once, whether any was seen after it had gone.
//!
//! Counting must not slow what is measured. So each thread counts in a line of its own, without any
//! read-modify-write, and the high-water mark is taken now and then, by adding the lines up.

use std::cell::Cell;
use std::hint::black_box;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

const LIVE: u64 = 0x6c69_7665_6c69_7665;
const DEAD_CANARY: u64 = 0x6465_6164_6465_6164;

/// An object to be retired: 40 bytes, as many as the document's.
pub(super) struct Object {
    /// The canary.
    life: AtomicU64,
    is_boxed: bool,
    _rest: [u64; 3],
}

const _: () = assert!(size_of::<Object>() == 40);

impl Object {
    fn new(is_boxed: bool) -> Object {
        Object { life: AtomicU64::new(LIVE), is_boxed, _rest: [0; 3] }
    }

    fn is_live(&self) -> bool {
        // Ordering: Relaxed. What is under test has to order this; a defect shows all the same.
        self.life.load(Ordering::Relaxed) == LIVE
    }

    /// Uses the node as a reader would, under protection.
    pub(super) fn look(&self) {
        if !black_box(self).is_live() {
            count(|seat| &seat.stale);
        }
    }
}

/// A thread's source of nodes.
pub(super) enum Supply {
    /// The system's allocator: one allocation per node.
    Malloc,
    /// Nodes that all exist beforehand and are never used again: no allocation in the measured
    /// part, and memory that stays readable whatever the system under test does.
    Pool(slice::Iter<'static, Object>),
}

impl Supply {
    /// A live node. A pool must have one left.
    pub(super) fn make(&mut self) -> *mut Object {
        count(|seat| &seat.made);
        match self {
            Supply::Malloc => Box::into_raw(Box::new(Object::new(true))),
            // Nothing is ever written but through the atomics.
            Supply::Pool(rest) => ptr::from_ref(rest.next().expect("a node is left")).cast_mut(),
        }
    }
}

/// Takes a node back.
///
/// # Safety
///
/// `node` is from [`Supply::make`], comes back once, and is in use nowhere.
pub(super) unsafe fn free(node: *mut Object) {
    // SAFETY: `make` made it from a box, or took it from a slice that is never freed; by the
    // caller's promise it is in use nowhere. A system that breaks the promise is what the canary is
    // for: it is read before anything is given back, and a node that has gone before is left alone.
    // For a box this look is then at memory given back, so it is a net and no proof; in a pool it
    // is exact, and nothing is ever written there but through the atomics.
    unsafe {
        if !(*node).is_live() {
            return count(|seat| &seat.twice);
        }
        // Ordering: Relaxed, as in `is_live`.
        (*node).life.store(DEAD_CANARY, Ordering::Relaxed);
        count(|seat| &seat.dropped);
        if (*node).is_boxed {
            drop(Box::from_raw(node));
        }
    }
}

/// Accounts for all nodes in one measurement.
pub(super) struct Account {
    seats: Vec<CachePadded<Seat>>,
    high: CachePadded<AtomicU64>,
}

/// A thread's nodes, if they exist beforehand, and its counters.
#[derive(Default)]
struct Seat {
    pool: Vec<Object>,
    made: AtomicU64,
    dropped: AtomicU64,
    /// Nodes dropped that had been dropped before.
    twice: AtomicU64,
    /// Nodes seen under protection that had been dropped.
    stale: AtomicU64,
}

thread_local! {
    /// The seat of this thread. What a thread without a seat frees is missing in the account.
    static SEAT: Cell<Option<&'static Seat>> = const { Cell::new(None) };
}

/// Adds 1 to a counter of this thread.
fn count(field: fn(&Seat) -> &AtomicU64) {
    if let Some(seat) = SEAT.get() {
        let count = field(seat);
        // Ordering: Relaxed. No other thread writes here; the final sums are taken after all
        // threads were joined, and the high-water mark is a moment's estimate.
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

impl Account {
    /// An account with a seat for each of `pools`, which has this many nodes beforehand, or
    /// allocates them if that is 0. It is never freed: the system under test keeps nodes for as
    /// long as it likes, and a measurement has its own process.
    pub(super) fn leak(pools: impl IntoIterator<Item = u64>) -> &'static Account {
        let seat = |count| {
            let pool = (0..count).map(|_| Object::new(false)).collect();
            CachePadded::new(Seat { pool, ..Seat::default() })
        };
        let seats = pools.into_iter().map(seat).collect();
        Box::leak(Box::new(Account { seats, high: CachePadded::default() }))
    }

    /// Gives the calling thread seat `index`, until it takes another. No other thread may have it.
    pub(super) fn sit(&'static self, index: usize) -> Supply {
        let seat = &*self.seats[index];
        SEAT.set(Some(seat));
        if seat.pool.is_empty() { Supply::Malloc } else { Supply::Pool(seat.pool.iter()) }
    }

    fn sum(&self, field: fn(&Seat) -> &AtomicU64) -> u64 {
        // Ordering: Relaxed, as in `count`.
        self.seats.iter().map(|seat| field(seat).load(Ordering::Relaxed)).sum()
    }

    /// Returns how many nodes there are now, exact when no thread is at work, and remembers it for
    /// [`high`](Account::high).
    pub(super) fn mark(&self) -> u64 {
        // In this order, so that a node made and dropped meanwhile cannot count as a negative one.
        let dropped = self.sum(|seat| &seat.dropped);
        let alive = self.sum(|seat| &seat.made).saturating_sub(dropped);
        // Ordering: Relaxed, read after all threads were joined.
        self.high.fetch_max(alive, Ordering::Relaxed);
        alive
    }

    /// The most nodes there were at any [`mark`](Account::mark).
    pub(super) fn high(&self) -> u64 {
        // Ordering: Relaxed, as in `mark`.
        self.high.load(Ordering::Relaxed)
    }

    /// What is wrong, if anything. For after the collector is gone.
    pub(super) fn fault(&self) -> Option<String> {
        let (made, dropped) = (self.sum(|seat| &seat.made), self.sum(|seat| &seat.dropped));
        let (twice, stale) = (self.sum(|seat| &seat.twice), self.sum(|seat| &seat.stale));
        let mut pooled = self.seats.iter().flat_map(|seat| &seat.pool).peekable();
        let has_pools = pooled.peek().is_some();
        let dead = pooled.filter(|node| !node.is_live()).count() as u64;
        if twice > 0 {
            Some(format!("{twice} objects were dropped twice"))
        } else if stale > 0 {
            Some(format!("{stale} objects were dropped while somebody used them"))
        } else if made != dropped {
            Some(format!("{made} objects were made and {dropped} dropped"))
        } else if has_pools && dead != dropped {
            Some(format!("{dropped} objects were dropped, but {dead} are gone"))
        } else {
            None
        }
    }
}
