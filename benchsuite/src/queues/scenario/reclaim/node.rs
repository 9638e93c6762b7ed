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
const DEAD: u64 = 0x6465_6164_6465_6164;

/// An object to be retired: 40 bytes, as many as the document's.
pub(super) struct Node {
    /// The canary.
    life: AtomicU64,
    tally: &'static Tally,
    is_boxed: bool,
    _rest: [u64; 2],
}

const _: () = assert!(size_of::<Node>() == 40);

impl Node {
    fn new(tally: &'static Tally, is_boxed: bool) -> Node {
        Node { life: AtomicU64::new(LIVE), tally, is_boxed, _rest: [0; 2] }
    }

    /// `count` nodes for a [`Supply::Pool`].
    pub(super) fn pool(count: u64, tally: &'static Tally) -> Vec<Node> {
        (0..count).map(|_| Node::new(tally, false)).collect()
    }

    pub(super) fn is_live(&self) -> bool {
        // Ordering: Relaxed. What is under test has to order this; a defect shows all the same.
        self.life.load(Ordering::Relaxed) == LIVE
    }

    /// The object goes. `false`: it had gone before.
    fn die(&self) -> bool {
        let first = self.is_live();
        // Ordering: Relaxed, as above.
        self.life.store(DEAD, Ordering::Relaxed);
        self.tally.count(if first { |seat| &seat.dropped } else { |seat| &seat.twice });
        first
    }
}

/// A source of nodes.
pub(super) enum Supply<'p> {
    /// The system's allocator: one allocation per node.
    Malloc,
    /// Nodes that all exist beforehand and are never used again: no allocation in the measured
    /// part, and memory that stays readable whatever the system under test does. They must outlive
    /// the collector they are retired to.
    Pool(slice::Iter<'p, Node>),
}

impl Supply<'_> {
    /// A live node, or none if there are no more.
    pub(super) fn make(&mut self, tally: &'static Tally) -> Option<*mut Node> {
        let node = match self {
            Supply::Malloc => Box::into_raw(Box::new(Node::new(tally, true))),
            // Nothing is ever written but through the atomics.
            Supply::Pool(rest) => ptr::from_ref(rest.next()?).cast_mut(),
        };
        tally.count(|seat| &seat.made);
        Some(node)
    }
}

/// Takes a node back.
///
/// # Safety
///
/// `node` is from [`Supply::make`], comes back once, and is in use nowhere.
pub(super) unsafe fn free(node: *mut Node) {
    // SAFETY: `make` made it from a box, or took it from a slice that outlives the collector, and
    // so this call; by the caller's promise it is in use nowhere. A system that breaks the promise
    // is what the canary is for: it is read before anything is given back, and a node that has gone
    // before is left alone. Of a box that look is then at memory given back, so it is a net and no
    // proof; in a pool it is exact, and nothing is ever written there but through the atomics.
    unsafe {
        let is_boxed = (*node).is_boxed;
        if (*node).die() && is_boxed {
            drop(Box::from_raw(node));
        }
    }
}

/// The account of all nodes of one measurement.
pub(super) struct Tally {
    seats: Vec<CachePadded<Seat>>,
    /// For threads that have no seat.
    others: CachePadded<Seat>,
    high: CachePadded<AtomicU64>,
}

/// The counters of one thread.
#[derive(Default)]
struct Seat {
    made: AtomicU64,
    dropped: AtomicU64,
    /// Nodes dropped that had been dropped before.
    twice: AtomicU64,
    /// Nodes seen under protection that had been dropped.
    stale: AtomicU64,
}

thread_local! {
    /// The seat of this thread, in the one tally it ever works with.
    static SEAT: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Tally {
    /// An account for `seats` threads. It is never freed: nodes refer to it for as long as the
    /// system under test keeps them, which this program does not control. A measurement has a
    /// process of its own.
    pub(super) fn leak(seats: usize) -> &'static Tally {
        Box::leak(Box::new(Tally {
            seats: (0..seats).map(|_| CachePadded::default()).collect(),
            others: CachePadded::default(),
            high: CachePadded::default(),
        }))
    }

    /// The calling thread takes seat `index`, for the rest of its life. No other thread may have
    /// it.
    pub(super) fn sit(&self, index: usize) {
        SEAT.set(index);
    }

    fn count(&self, field: fn(&Seat) -> &AtomicU64) {
        // Ordering: Relaxed throughout. The final sums are taken after all threads were joined, and
        // the high-water mark is a moment's estimate.
        match self.seats.get(SEAT.get()) {
            Some(seat) => {
                // No other thread writes here.
                let count = field(seat);
                count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            }
            None => {
                field(&self.others).fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn sum(&self, field: fn(&Seat) -> &AtomicU64) -> u64 {
        let seats = self.seats.iter().chain([&self.others]);
        // Ordering: Relaxed, as in `count`.
        seats.map(|seat| field(seat).load(Ordering::Relaxed)).sum()
    }

    /// Uses a node as a reader would, under protection.
    pub(super) fn look(&self, node: &Node) {
        if !black_box(node).is_live() {
            self.count(|seat| &seat.stale);
        }
    }

    /// Nodes there are now, exact when no thread is at work.
    pub(super) fn alive(&self) -> u64 {
        // In this order, so that a node made and dropped meanwhile cannot count as a negative one.
        let dropped = self.sum(|seat| &seat.dropped);
        self.sum(|seat| &seat.made).saturating_sub(dropped)
    }

    /// Remembers how many nodes there are if there never were so many.
    pub(super) fn mark(&self) -> u64 {
        let alive = self.alive();
        // Ordering: Relaxed, read after all threads were joined.
        self.high.fetch_max(alive, Ordering::Relaxed);
        alive
    }

    /// The most nodes there were at any [`mark`](Tally::mark).
    pub(super) fn high(&self) -> u64 {
        // Ordering: Relaxed, as in `mark`.
        self.high.load(Ordering::Relaxed)
    }

    /// What is wrong, if anything. For after the collector is gone; `nodes` are those of the pools,
    /// if they came from there.
    pub(super) fn fault(&self, nodes: &[Vec<Node>]) -> Option<String> {
        let (made, dropped) = (self.sum(|seat| &seat.made), self.sum(|seat| &seat.dropped));
        let (twice, stale) = (self.sum(|seat| &seat.twice), self.sum(|seat| &seat.stale));
        let dead = nodes.iter().flatten().filter(|node| !node.is_live()).count() as u64;
        if twice > 0 {
            Some(format!("{twice} objects were dropped twice"))
        } else if stale > 0 {
            Some(format!("{stale} objects were dropped while somebody used them"))
        } else if made != dropped {
            Some(format!("{made} objects were made and {dropped} dropped"))
        } else if !nodes.is_empty() && dead != dropped {
            Some(format!("{dropped} objects were dropped, but {dead} are gone"))
        } else {
            None
        }
    }
}
