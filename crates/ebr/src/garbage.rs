//! Retired objects that are not freed yet: single ones, bags of them, and what a handle keeps.

use std::any::Any;
use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::config::Reclaim;
use crate::stats::ObjectCounts;

/// Objects in a full bag.
pub(crate) const BAG: usize = 64;

/// The size in bytes that closes a bag early, and that counts as pressure in closed bags.
pub(crate) const HEAVY_BYTES: usize = 256 * 1024;

/// How many closed bags count as pressure. With the open one that makes four.
const PRESSING_BAGS: usize = 3;

/// How many empty bags are kept for reuse.
const POOLED_BAGS: usize = 8;

/// How far the epoch has to advance beyond a tag before an object with that tag is freed.
const GRACE_EPOCHS: u64 = 2;

/// One retired object and its deleter.
pub(crate) struct Retired {
    ptr: *mut (),
    bytes: usize,
    free: unsafe fn(*mut ()),
}

// SAFETY: `Guard::retire_with` requires that the object may be freed on any thread.
unsafe impl Send for Retired {}

impl Retired {
    pub(crate) fn new(ptr: *mut (), bytes: usize, free: unsafe fn(*mut ())) -> Retired {
        Retired { ptr, bytes, free }
    }

    /// The size given by the caller of `retire`, used only for counting.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Whether an object with `tag` may be freed at `epoch`.
pub(crate) fn is_ripe(tag: u64, epoch: u64) -> bool {
    tag.saturating_add(GRACE_EPOCHS) <= epoch
}

/// The result of one round of deleters.
#[derive(Default)]
pub(crate) struct Freed {
    pub(crate) counts: ObjectCounts,
    /// The first panic. Later ones are dropped, because the caller can receive only one.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

impl Freed {
    /// Resumes the panic of a deleter, unless the thread is panicking already: two would abort.
    pub(crate) fn rethrow(self) {
        if let Some(payload) = self.panic
            && !std::thread::panicking()
        {
            resume_unwind(payload);
        }
    }

    /// Frees every object of the batch, even if deleters panic, and leaves the batch empty.
    ///
    /// # Safety
    ///
    /// No thread can reach the objects any more.
    pub(crate) unsafe fn run(&mut self, batch: &mut Vec<Retired>) {
        for Retired { ptr, bytes, free } in batch.drain(..) {
            // SAFETY: the caller of `retire` promised that the deleter may be called once, on any
            // thread, when no earlier pin reaches the object. The latter is the promise of the
            // caller here, and draining calls it once. A panic leaves no state that is used again.
            let end = catch_unwind(AssertUnwindSafe(|| unsafe { free(ptr) }));
            self.counts.add(bytes);
            if let Err(payload) = end {
                self.panic.get_or_insert(payload);
            }
        }
    }
}

/// A closed bag.
pub(crate) struct Sealed {
    pub(crate) tag: u64,
    bytes: usize,
    pub(crate) objects: Vec<Retired>,
}

/// The retired objects of one handle.
pub(crate) enum Garbage {
    /// The locked registry holds all of them.
    InRegistry,
    /// Objects with a tag each; tags do not fall.
    Tagged(Vec<(u64, Retired)>),
    /// An open bag and closed ones.
    Bagged(Bags),
}

impl Garbage {
    pub(crate) fn new(reclaim: Reclaim) -> Garbage {
        match reclaim {
            Reclaim::Mutex => Garbage::InRegistry,
            Reclaim::Registry => Garbage::Tagged(Vec::new()),
            Reclaim::Bags { .. } | Reclaim::Adaptive => Garbage::Bagged(Bags::default()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Garbage::InRegistry => true,
            Garbage::Tagged(objects) => objects.is_empty(),
            Garbage::Bagged(bags) => bags.open.is_empty() && bags.sealed.is_empty(),
        }
    }

    /// Takes out the oldest batch that may be freed at `epoch`.
    pub(crate) fn take_ripe(&mut self, epoch: u64) -> Option<Vec<Retired>> {
        match self {
            Garbage::InRegistry => None,
            Garbage::Tagged(objects) => take_ripe_prefix(objects, epoch),
            Garbage::Bagged(bags) => {
                let ripe = bags.sealed.front().is_some_and(|bag| is_ripe(bag.tag, epoch));
                let bag = if ripe { bags.sealed.pop_front() } else { None }?;
                bags.sealed_bytes = bags.sealed_bytes.saturating_sub(bag.bytes);
                Some(bag.objects)
            }
        }
    }

    /// Keeps an emptied batch for the next bag.
    pub(crate) fn reuse(&mut self, batch: Vec<Retired>) {
        if let Garbage::Bagged(bags) = self
            && bags.pool.len() < POOLED_BAGS
        {
            bags.pool.push(batch);
        }
    }

    /// Takes everything out in closed bags, for the orphans. `now` is the tag for an open bag.
    pub(crate) fn take_all(&mut self, now: u64) -> VecDeque<Sealed> {
        match mem::replace(self, Garbage::InRegistry) {
            Garbage::InRegistry => VecDeque::new(),
            Garbage::Tagged(objects) => {
                let Some(&(tag, _)) = objects.last() else { return VecDeque::new() };
                let objects = objects.into_iter().map(|(_, object)| object).collect();
                VecDeque::from([Sealed { tag, bytes: 0, objects }])
            }
            Garbage::Bagged(mut bags) => {
                bags.seal(now);
                bags.sealed
            }
        }
    }
}

/// Takes out what may be freed at `epoch`. The tags in `objects` must not fall.
fn take_ripe_prefix(objects: &mut Vec<(u64, Retired)>, epoch: u64) -> Option<Vec<Retired>> {
    let ripe = objects.partition_point(|&(tag, _)| is_ripe(tag, epoch));
    (ripe > 0).then(|| objects.drain(..ripe).map(|(_, object)| object).collect())
}

/// What P0 keeps under its mutex: all retired objects, and their counts.
#[derive(Default)]
pub(crate) struct LockedGarbage {
    retired: Vec<(u64, Retired)>,
    waiting: ObjectCounts,
    /// All objects ever retired, and the most that waited at one time.
    pub(crate) total: ObjectCounts,
    pub(crate) most: ObjectCounts,
}

impl LockedGarbage {
    pub(crate) fn push(&mut self, tag: u64, object: Retired) {
        self.total.add(object.bytes);
        self.waiting.add(object.bytes);
        self.most.objects = self.most.objects.max(self.waiting.objects);
        self.most.bytes = self.most.bytes.max(self.waiting.bytes);
        self.retired.push((tag, object));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.retired.is_empty()
    }

    pub(crate) fn take_ripe(&mut self, epoch: u64) -> Option<Vec<Retired>> {
        let ripe = take_ripe_prefix(&mut self.retired, epoch)?;
        for object in &ripe {
            self.waiting.objects -= 1;
            self.waiting.bytes = self.waiting.bytes.wrapping_sub(object.bytes as u64);
        }
        Some(ripe)
    }
}

/// An open bag and closed ones, oldest first.
#[derive(Default)]
pub(crate) struct Bags {
    open: Vec<Retired>,
    open_bytes: usize,
    sealed: VecDeque<Sealed>,
    sealed_bytes: usize,
    pool: Vec<Vec<Retired>>,
}

/// Whether the open bag can take another object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capacity {
    Left,
    Full,
}

impl Bags {
    #[inline]
    pub(crate) fn push(&mut self, object: Retired) -> Capacity {
        if self.open.capacity() == 0 {
            self.open = self.pool.pop().unwrap_or_else(|| Vec::with_capacity(BAG));
        }
        self.open_bytes = self.open_bytes.saturating_add(object.bytes);
        self.open.push(object);
        let full = self.open.len() >= BAG || self.open_bytes > HEAVY_BYTES;
        if full { Capacity::Full } else { Capacity::Left }
    }

    pub(crate) fn is_open_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Closes the open bag unless it is empty.
    pub(crate) fn seal(&mut self, tag: u64) {
        if !self.open.is_empty() {
            let bytes = mem::take(&mut self.open_bytes);
            self.sealed_bytes = self.sealed_bytes.saturating_add(bytes);
            self.sealed.push_back(Sealed { tag, bytes, objects: mem::take(&mut self.open) });
        }
    }

    /// Whether so much garbage waits that an attempt should be made soon.
    pub(crate) fn is_under_pressure(&self) -> bool {
        self.sealed.len() >= PRESSING_BAGS || self.sealed_bytes > HEAVY_BYTES
    }
}
