//! What has been retired and not yet freed: single objects, bags of them, and what a handle keeps.

use std::any::Any;
use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::config::Reclaim;
use crate::stats::Counts;

/// Objects in a full bag.
pub(crate) const BAG: usize = 64;

/// Bytes that close a bag early, and that count as pressure when they wait in closed ones.
pub(crate) const HEAVY_BYTES: usize = 256 * 1024;

/// Closed bags that count as pressure. With the open one there are four then.
const PRESSING_BAGS: usize = 3;

/// Empty bags kept for use again.
const POOLED_BAGS: usize = 8;

/// How far the epoch has to move beyond a tag before what carries the tag is freed.
const GRACE: u64 = 2;

/// One retired object: what to call on what.
pub(crate) struct Retired {
    ptr: *mut (),
    bytes: usize,
    free: unsafe fn(*mut ()),
}

// SAFETY: `Guard::retire_with` demands that the object may be freed on any thread.
unsafe impl Send for Retired {}

impl Retired {
    pub(crate) fn new(ptr: *mut (), bytes: usize, free: unsafe fn(*mut ())) -> Retired {
        Retired { ptr, bytes, free }
    }

    /// What the caller of `retire` said it holds; only ever counted.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Whether what carries `tag` may be freed now that the epoch is `epoch`.
pub(crate) fn is_ripe(tag: u64, epoch: u64) -> bool {
    tag.saturating_add(GRACE) <= epoch
}

/// What the deleters of one round did.
#[derive(Default)]
pub(crate) struct Freed {
    pub(crate) counts: Counts,
    /// The first panic. The others are dropped: there is one caller to tell, and it can be told
    /// once.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

impl Freed {
    /// Lets the panic of a deleter go on, unless one is under way already: two at once would abort.
    pub(crate) fn rethrow(self) {
        if let Some(payload) = self.panic
            && !std::thread::panicking()
        {
            resume_unwind(payload);
        }
    }

    /// Frees every object of the batch, whatever their deleters do, and leaves it empty.
    ///
    /// # Safety
    ///
    /// Nobody may be able to reach the objects any more.
    pub(crate) unsafe fn run(&mut self, batch: &mut Vec<Retired>) {
        for Retired { ptr, bytes, free } in batch.drain(..) {
            // SAFETY: whoever retired the object promised that its deleter may be called once, on
            // any thread, when no pin from before reaches it; the latter is what our caller
            // promises, and draining calls it once. A panic leaves nothing half done that we look
            // at again.
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

/// What one handle has retired.
pub(crate) enum Garbage {
    /// The shared ledger holds everything.
    InLedger,
    /// One object after another, each with its tag; tags do not fall.
    Tagged(Vec<(u64, Retired)>),
    /// An open bag and closed ones.
    Bagged(Bags),
}

impl Garbage {
    pub(crate) fn new(reclaim: Reclaim) -> Garbage {
        match reclaim {
            Reclaim::Mutex => Garbage::InLedger,
            Reclaim::Registry => Garbage::Tagged(Vec::new()),
            Reclaim::Bags { .. } | Reclaim::Adaptive => Garbage::Bagged(Bags::default()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Garbage::InLedger => true,
            Garbage::Tagged(objects) => objects.is_empty(),
            Garbage::Bagged(bags) => bags.open.is_empty() && bags.sealed.is_empty(),
        }
    }

    /// Takes out the oldest batch that may be freed at `epoch`.
    pub(crate) fn take_ripe(&mut self, epoch: u64) -> Option<Vec<Retired>> {
        match self {
            Garbage::InLedger => None,
            Garbage::Tagged(objects) => take_ripe_prefix(objects, epoch),
            Garbage::Bagged(bags) => {
                let ripe = bags.sealed.front().is_some_and(|bag| is_ripe(bag.tag, epoch));
                let bag = if ripe { bags.sealed.pop_front() } else { None }?;
                bags.sealed_bytes = bags.sealed_bytes.saturating_sub(bag.bytes);
                Some(bag.objects)
            }
        }
    }

    /// Takes an emptied batch back, for the next bag.
    pub(crate) fn give_back(&mut self, batch: Vec<Retired>) {
        if let Garbage::Bagged(bags) = self
            && bags.pool.len() < POOLED_BAGS
        {
            bags.pool.push(batch);
        }
    }

    /// Everything, closed, for the orphans. `now` is a tag that suits what has none yet.
    pub(crate) fn take_all(&mut self, now: u64) -> VecDeque<Sealed> {
        match mem::replace(self, Garbage::InLedger) {
            Garbage::InLedger => VecDeque::new(),
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

/// Takes out what may be freed at `epoch`, from a list whose tags do not fall.
pub(crate) fn take_ripe_prefix(
    objects: &mut Vec<(u64, Retired)>,
    epoch: u64,
) -> Option<Vec<Retired>> {
    let ripe = objects.partition_point(|&(tag, _)| is_ripe(tag, epoch));
    (ripe > 0).then(|| objects.drain(..ripe).map(|(_, object)| object).collect())
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
pub(crate) enum Room {
    Left,
    None,
}

impl Bags {
    #[inline]
    pub(crate) fn push(&mut self, object: Retired) -> Room {
        if self.open.capacity() == 0 {
            self.open = self.pool.pop().unwrap_or_else(|| Vec::with_capacity(BAG));
        }
        self.open_bytes = self.open_bytes.saturating_add(object.bytes);
        self.open.push(object);
        let full = self.open.len() >= BAG || self.open_bytes > HEAVY_BYTES;
        if full { Room::None } else { Room::Left }
    }

    pub(crate) fn is_open_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Closes the open bag, if there is anything in it.
    pub(crate) fn seal(&mut self, tag: u64) {
        if !self.open.is_empty() {
            let bytes = mem::take(&mut self.open_bytes);
            self.sealed_bytes = self.sealed_bytes.saturating_add(bytes);
            self.sealed.push_back(Sealed { tag, bytes, objects: mem::take(&mut self.open) });
        }
    }

    /// Whether so much waits that a try should not.
    pub(crate) fn is_under_pressure(&self) -> bool {
        self.sealed.len() >= PRESSING_BAGS || self.sealed_bytes > HEAVY_BYTES
    }
}
