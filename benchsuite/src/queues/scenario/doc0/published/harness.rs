//! What the rebuilt harness of both libraries shares: who begins with what, the threads, the count.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::meter::Sample;
use crate::queues::scenario::race::{Body, Clock, race};
use crate::queues::scenario::witness::{Bits, Tally};

/// Who begins with which items, as far as the harness does not drop them.
pub(super) enum Start {
    /// Each worker pushes its range.
    Own(Vec<Range<u64>>),
    /// Each range is pushed into a queue without a thread, as far as it fits.
    Victims(Vec<Range<u64>>),
    /// Each range is injected by a thread.
    Producers(Vec<Range<u64>>),
}

/// One run of the harness.
pub(super) struct Replay<'a> {
    pub(super) start: Start,
    pub(super) workers: usize,
    /// How many of so many items a thief takes, where that can be set.
    pub(super) share: fn(usize) -> usize,
    pub(super) bits: Option<&'a Bits>,
}

/// The outcome of a run of the harness.
pub(super) struct Outcome {
    pub(super) sample: Sample,
    pub(super) tally: Tally,
    /// The items that were really put into the queues.
    pub(super) existed: Vec<Range<u64>>,
    /// The number the harness reports as completed.
    pub(super) published: u64,
    /// How often an item moved from one queue to another, where the library reports it.
    pub(super) moved: Option<u64>,
}

/// A library's queue, used as in the document.
pub(super) trait Library: Send + Sized {
    type Stealer: Send + Sync;

    /// Whether the harness counts an item when a thief takes it, and again when it is popped.
    const COUNTS_MOVES: bool;

    fn new() -> Self;
    fn stealer(&self) -> Self::Stealer;
    /// Whether there was room.
    fn push(&self, id: u64) -> bool;
    fn pop(&self) -> Option<u64>;
    /// Pops and steals until the loop of the document ends. `me` is the index of this queue among
    /// those of `stealers`, if it is one of them.
    fn work<'a>(&self, doer: Doer<'a>, stealers: &[Self::Stealer], me: Option<usize>) -> Doer<'a>;
}

/// Does items as the harness does, by counting them, and keeps the proper count beside it.
pub(super) struct Doer<'a> {
    pub(super) tally: Tally,
    /// How many items it took from other queues into its own.
    pub(super) moved: u64,
    pub(super) share: fn(usize) -> usize,
    /// The harness's own count, where that is shared by all threads.
    pub(super) completed: &'a AtomicU64,
    bits: Option<&'a Bits>,
}

impl<'a> Doer<'a> {
    pub(super) fn new(replay: &Replay<'a>, completed: &'a AtomicU64) -> Doer<'a> {
        let (tally, share, bits) = (Tally::default(), replay.share, replay.bits);
        Doer { tally, moved: 0, share, completed, bits }
    }

    #[inline]
    pub(super) fn run(&mut self, id: u64) {
        self.tally.done(id, self.bits);
    }

    /// Pushes `items`. When the queue is full, pops one and counts it on the shared counter.
    fn fill(&mut self, queue: &impl Library, items: Range<u64>) {
        for id in items {
            while !queue.push(id) {
                if let Some(id) = queue.pop() {
                    self.run(id);
                    // Ordering: Relaxed, as in the document; read by `outcome` after the joins.
                    self.completed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

/// So many queues, and their stealers.
pub(super) fn queues<L: Library>(count: usize) -> (Vec<L>, Vec<L::Stealer>) {
    let queues: Vec<L> = (0..count).map(|_| L::new()).collect();
    let stealers = queues.iter().map(L::stealer).collect();
    (queues, stealers)
}

/// Runs `replay` once on queues of one library.
pub(super) fn run<L: Library>(replay: &Replay<'_>) -> Result<Outcome, String> {
    match &replay.start {
        Start::Own(ranges) => own::<L>(replay, ranges),
        Start::Victims(ranges) => victims::<L>(replay, ranges),
        Start::Producers(_) => Err("the document has no injector for st3".to_owned()),
    }
}

fn own<L: Library>(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (queues, stealers) = queues::<L>(replay.workers);
    let (stealers, completed) = (&stealers[..], &AtomicU64::new(0));
    let workers = queues.into_iter().zip(ranges).enumerate().map(|(me, (queue, items))| {
        let body: Body<'_, _> = Box::new(move |_| {
            let mut doer = Doer::new(replay, completed);
            doer.fill(&queue, items.clone());
            Some(queue.work(doer, stealers, Some(me)))
        });
        body
    });
    timed::<L>(workers.collect(), completed, ranges.to_vec())
}

fn victims<L: Library>(replay: &Replay<'_>, ranges: &[Range<u64>]) -> Result<Outcome, String> {
    let (victims, stealers) = queues::<L>(ranges.len());
    let (stealers, completed) = (&stealers[..], &AtomicU64::new(0));
    // A queue is filled up to the first push that fails. The rest of its items is dropped.
    let fitting = victims.iter().zip(ranges).map(|(victim, items)| {
        let dropped = items.clone().find(|&id| !victim.push(id));
        items.start..dropped.unwrap_or(items.end)
    });
    let existed = fitting.collect();
    let thief = |_| -> Body<'_, _> {
        Box::new(move |_| Some(L::new().work(Doer::new(replay, completed), stealers, None)))
    };
    timed::<L>((0..replay.workers).map(thief).collect(), completed, existed)
}

/// Runs the threads, whose starts and ends are timed, and adds up what they did.
pub(super) fn timed<'a, L: Library>(
    bodies: Vec<Body<'_, Doer<'a>>>,
    completed: &'a AtomicU64,
    existed: Vec<Range<u64>>,
) -> Result<Outcome, String> {
    let raced = race(Clock::Starting, bodies)?;
    let (mut tally, mut moved) = (Tally::default(), 0);
    for thread in raced.results {
        tally += thread.tally;
        moved += thread.moved;
    }
    // Ordering: Relaxed, the threads that counted were joined before.
    let counted = completed.load(Ordering::Relaxed);
    let published = if L::COUNTS_MOVES { counted } else { tally.count };
    let moved = L::COUNTS_MOVES.then_some(moved);
    Ok(Outcome { sample: raced.cost, tally, existed, published, moved })
}
