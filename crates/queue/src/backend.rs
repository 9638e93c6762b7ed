//! The traits a queue implements: the seam between the crew and every backend.
//!
//! A backend stores items and does nothing else. Which worker sleeps, which one is woken and when
//! the run is over is decided by the crew and the idle policy, and operations are counted by
//! [`Counted`](crate::Counted): all of it once, above every backend.

use std::iter;

use crate::config::{QueueConfig, StealAmount};

/// The shared part of one kind of queue, built once per run.
///
/// ```
/// use heist_queue::backends::Deque;
/// use heist_queue::{Backend, QueueConfig, Steal, StealAmount, StealRequest, WorkerQueue};
///
/// let (queue, mut ends) = Deque::build(2, &QueueConfig::default());
/// ends[0].push_batch(&mut vec!["first", "second"]);
/// assert_eq!(ends[0].pop(), Some("first"));
///
/// let request = StealRequest { amount: StealAmount::HALF, start: 0 };
/// assert!(matches!(ends[1].steal(request), Steal::Item { item: "second", .. }));
/// assert!(queue.is_empty());
/// ```
pub trait Backend<T: Send>: Send + Sync + Sized {
    /// One worker's own end, which is moved into the worker's thread.
    type Worker: WorkerQueue<T>;

    /// The name of this backend, as in `--queue NAME`.
    const NAME: &'static str;

    /// Which of its items an owner pops first. `None` if the items decide, or the backend that is
    /// chosen when it is built.
    const ORDER: Option<PopOrder>;

    /// How many items an end may hide: its owner pops them and no thief finds them, until
    /// [`expose`](WorkerQueue::expose) makes them visible. With 0, every item is visible as soon
    /// as it has been pushed, and `expose` is not called.
    const MAX_HIDDEN: usize = 0;

    /// Builds the shared part and exactly `workers` ends; worker *i* gets the end at index *i*.
    fn build(workers: usize, cfg: &QueueConfig) -> (Self, Vec<Self::Worker>);

    /// Takes all items of `batch`. Callable from any thread; never fails. Thieves find the items in
    /// their next sweep.
    fn inject(&self, batch: &mut Vec<T>);

    /// Whether a sweep of any worker would find nothing: hidden items do not count. May be out of
    /// date when it returns, but must see every push ordered before it, for example by a `SeqCst`
    /// fence on both sides.
    fn is_empty(&self) -> bool;

    /// Roughly how many injected items wait where every worker would find them. Called for each
    /// batch of a producer.
    fn backlog(&self) -> usize;
}

/// One worker's end of a backend.
pub trait WorkerQueue<T: Send>: Send {
    /// Adds an item, to be popped next or last according to [`Backend::ORDER`]. Bounded storage
    /// overflows into unbounded storage.
    fn push(&mut self, item: T);

    /// Adds all items of `batch` and leaves it empty. Whatever the order of the backend, `batch[0]`
    /// is the first of them to be popped.
    fn push_batch(&mut self, batch: &mut Vec<T>);

    /// Takes the next item of this worker's own storage, in the order of [`Backend::ORDER`]. Never
    /// touches another worker's storage.
    fn pop(&mut self) -> Option<T>;

    /// Makes one sweep over everything that can be taken from: first the injected items, then the
    /// ends of the other workers.
    fn steal(&mut self, req: StealRequest) -> Steal<T>;

    /// A lower bound of the items in this worker's storage that a thief could take. The item that
    /// the owner pops next counts if there are others. Called for every item, so it must be cheap.
    fn surplus(&self) -> usize;

    /// Makes all items of this end visible to thieves. Nothing is hidden until the next push or
    /// pop. Returns whether there was a hidden item.
    fn expose(&mut self) -> bool {
        false
    }

    /// How many items went to unbounded storage because bounded storage was full.
    fn overflowed(&self) -> u64 {
        0
    }
}

/// Which of its items an owner pops first. It decides the shape of a walk: depth first with a few
/// pending directories, or breadth first with a whole level of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopOrder {
    /// A stack.
    NewestFirst,
    /// A queue.
    OldestFirst,
}

/// The result of one sweep.
#[derive(Debug)]
pub enum Steal<T> {
    /// The sweep found an item, for the thief to run now.
    Item {
        /// The item.
        item: T,
        /// How many further items moved from the victim to the thief's own storage.
        moved: usize,
        /// Whether another thief would find more, at the victim or at this thief.
        more: bool,
    },
    /// Every queue was seen empty.
    Empty,
    /// Nothing was taken, and at least one queue could not be examined because of a race. It may
    /// hold items, so a worker must not park on this result.
    Contended,
}

/// The parameters of one sweep.
#[derive(Clone, Copy, Debug)]
pub struct StealRequest {
    /// How much to take from the victim.
    pub amount: StealAmount,
    /// The first victim; the sweep goes upward from there and wraps. The thief itself is skipped.
    pub start: usize,
}

impl StealRequest {
    /// The victims of worker `me` in a crew of `crew`, in the order of the sweep.
    pub fn victims(self, crew: usize, me: usize) -> impl Iterator<Item = usize> {
        (0..crew).map(move |i| (self.start + i) % crew).filter(move |&victim| victim != me)
    }

    /// Makes one sweep for worker `me` in a crew of `crew`: calls `take` for the injected items, as
    /// `None`, and then for each victim, until there is an item. Victim `last` comes first: the
    /// last one that had items likely has more. A worker without one passes its own index, which
    /// adds nothing.
    pub(crate) fn sweep<T>(
        self,
        last: usize,
        crew: usize,
        me: usize,
        mut take: impl FnMut(Option<usize>) -> Steal<T>,
    ) -> Steal<T> {
        let last = Some(last).filter(|&last| last != me);
        let victims = last.into_iter().chain(self.victims(crew, me));
        let mut lost_a_race = false;
        for source in iter::once(None).chain(victims.map(Some)) {
            match take(source) {
                Steal::Empty => {}
                Steal::Contended => lost_a_race = true,
                found @ Steal::Item { .. } => return found,
            }
        }
        if lost_a_race { Steal::Contended } else { Steal::Empty }
    }
}
