//! Models of the crew under loom: the real worker loop, credits and idle policy on a small queue of
//! atomics.
//!
//! Threads are loom's, so `launch` is not part of the models. As in `idle/model.rs` the queue is
//! not a mutex, and no stronger than a real one has to be: an item is published with Release and
//! taken with Acquire.

use std::ops::ControlFlow;
use std::sync::Arc;

use loom::thread;

use crate::backend::{Backend, PopOrder, Steal, StealRequest, WorkerQueue};
use crate::config::{QueueConfig, RunConfig};
use crate::counted::Counted;
use crate::crew::state::{Crew, DONE, POISONED, QUIT};
use crate::crew::worker::{Starter, WorkerContext, WorkerCounts};
use crate::idle::{BiasedEvent, IdlePolicy, SearchBudget};
use crate::job::{Job, Spawner};
use crate::lab::{BiasedChain, FifoEvent, YieldCondvar};
use crate::model::{check, models};
use crate::names::Sharing;
use crate::report::Panicked;
use crate::sync::{AtomicUsize, Ordering};

/// The capacity of each worker's queue.
const MAX_ITEMS: usize = 3;

/// A queue with one row of slots per worker. Each end hides up to `HIDDEN` items. An item is a
/// number above zero; 0 is an empty slot.
struct SlotQueue<const HIDDEN: usize>(Arc<Vec<[AtomicUsize; MAX_ITEMS]>>);

struct SlotRow<const HIDDEN: usize> {
    me: usize,
    rows: Arc<Vec<[AtomicUsize; MAX_ITEMS]>>,
    /// The newest items, which no thief sees.
    hidden: Vec<usize>,
}

fn take(slot: &AtomicUsize) -> Option<usize> {
    let item = slot.load(Ordering::Acquire);
    let won =
        item != 0 && slot.compare_exchange(item, 0, Ordering::Acquire, Ordering::Relaxed).is_ok();
    won.then_some(item)
}

fn is_vacant(slot: &AtomicUsize) -> bool {
    slot.load(Ordering::Acquire) == 0
}

impl<const HIDDEN: usize> Backend<usize> for SlotQueue<HIDDEN> {
    type Worker = SlotRow<HIDDEN>;
    const NAME: &'static str = "slots";
    const ORDER: Option<PopOrder> = Some(PopOrder::NewestFirst);
    const MAX_HIDDEN: usize = HIDDEN;

    fn build(workers: usize, _: &QueueConfig) -> (SlotQueue<HIDDEN>, Vec<SlotRow<HIDDEN>>) {
        let row = |_| std::array::from_fn(|_| AtomicUsize::new(0));
        let rows = Arc::new((0..workers).map(row).collect::<Vec<_>>());
        let shelf = |me| SlotRow { me, rows: Arc::clone(&rows), hidden: Vec::new() };
        let ends = (0..workers).map(shelf).collect();
        (SlotQueue(rows), ends)
    }

    fn inject(&self, batch: &mut Vec<usize>) {
        assert!(batch.is_empty(), "these models have no producers");
    }

    fn is_empty(&self) -> bool {
        self.0.iter().flatten().all(is_vacant)
    }

    fn backlog(&self) -> usize {
        0
    }
}

impl<const HIDDEN: usize> SlotRow<HIDDEN> {
    /// Puts the oldest hidden items into slots, until `keep` are left.
    fn show(&mut self, keep: usize) {
        for item in self.hidden.drain(..self.hidden.len().saturating_sub(keep)) {
            // Only the owner fills slots, so a slot it sees vacant stays vacant.
            let place = self.rows[self.me].iter().find(|place| is_vacant(place));
            place.expect("the models spawn no more than fits").store(item, Ordering::Release);
        }
    }
}

impl<const HIDDEN: usize> WorkerQueue<usize> for SlotRow<HIDDEN> {
    fn push(&mut self, item: usize) {
        self.hidden.push(item);
        self.show(HIDDEN);
    }

    fn push_batch(&mut self, batch: &mut Vec<usize>) {
        batch.drain(..).rev().for_each(|item| self.push(item));
    }

    fn pop(&mut self) -> Option<usize> {
        self.hidden.pop().or_else(|| self.rows[self.me].iter().find_map(take))
    }

    fn expose(&mut self) -> bool {
        let has_items = !self.hidden.is_empty();
        self.show(0);
        has_items
    }

    fn steal(&mut self, req: StealRequest) -> Steal<usize> {
        let crew = self.rows.len();
        for victim in req.victims(crew, self.me) {
            if let Some(item) = self.rows[victim].iter().find_map(take) {
                return Steal::Item { item, moved: 0, more: true };
            }
        }
        Steal::Empty
    }

    fn surplus(&self) -> usize {
        let visible = self.rows[self.me].iter().filter(|place| !is_vacant(place)).count();
        visible + usize::from(visible > 0 && !self.hidden.is_empty())
    }
}

/// All threads of a model exist from the beginning, so none can be started.
struct NoThreads;

impl Starter for NoThreads {
    fn start(&self, _: usize) -> bool {
        false
    }
}

/// Counts items. An item is `1 + number of children`, which have no children. Breaks the run off
/// after `quit_after` items of this worker.
struct Count {
    runs: usize,
    quit_after: usize,
    flush: bool,
    /// How many children have begun, if they wait until all have.
    begun: Option<Arc<AtomicUsize>>,
}

impl Count {
    /// Waits until both children of an item run, as long jobs do: by polling.
    fn meet(&self, spawner: &mut impl Spawner<usize>) {
        let Some(begun) = &self.begun else { return };
        begun.fetch_add(1, Ordering::Relaxed);
        while begun.load(Ordering::Relaxed) < 2 {
            if spawner.has_idle_workers() {
                spawner.flush();
            }
            thread::yield_now();
        }
    }
}

impl Job<usize> for Count {
    type Output = usize;

    fn run<S: Spawner<usize>>(&mut self, item: usize, spawner: &mut S) -> ControlFlow<()> {
        self.runs += 1;
        (1..item).for_each(|_| spawner.spawn(1));
        if self.flush {
            spawner.flush();
        }
        if item == 1 {
            self.meet(spawner);
        }
        if self.runs == self.quit_after {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn finish(self) -> usize {
        self.runs
    }
}

#[derive(Clone, Copy)]
struct Setup {
    workers: usize,
    root: usize,
    sharing: Sharing,
    flush: bool,
    meet: bool,
    quit_after: usize,
}

const TWO: Setup = Setup {
    workers: 2,
    root: 3,
    sharing: Sharing::Lazy,
    flush: false,
    meet: false,
    quit_after: usize::MAX,
};

type ModelCrew<P, const HIDDEN: usize = 0> = Crew<usize, SlotQueue<HIDDEN>, P>;

/// Runs the crew of `setup`, with `meddle` on one more thread. Returns how many items ran, how many
/// are left, and why the run ended.
fn play<P>(setup: Setup, meddle: Option<fn(&ModelCrew<P>)>) -> (u64, u64, u8)
where
    P: IdlePolicy + 'static,
{
    play_hiding::<P, 0>(setup, meddle)
}

/// Runs the crew of `setup` on a queue that hides up to `HIDDEN` items of a worker.
fn play_hiding<P, const HIDDEN: usize>(
    setup: Setup,
    meddle: Option<fn(&ModelCrew<P, HIDDEN>)>,
) -> (u64, u64, u8)
where
    P: IdlePolicy + 'static,
{
    let cfg = RunConfig { sharing: setup.sharing, ..RunConfig::default() };
    let (rows, ends) = SlotQueue::<HIDDEN>::build(setup.workers, &cfg.queue);
    let mut crew = ModelCrew::<P, HIDDEN>::new(&cfg, setup.workers, 0, rows);
    // One sweep: further ones only repeat it, and each doubles the state space.
    crew.settings.search = SearchBudget { sweeps: 1, yields: 0 };
    crew.give_up_starting();
    let crew = Arc::new(crew);
    let meddler = meddle.map(|meddle| {
        let crew = Arc::clone(&crew);
        thread::spawn(move || meddle(&crew))
    });
    let begun = setup.meet.then(|| Arc::new(AtomicUsize::new(0)));
    let live = move |crew: &ModelCrew<P, HIDDEN>, me, end, roots: Option<Vec<usize>>| {
        let mut context = WorkerContext::new(me, crew, NoThreads, end, roots);
        let Setup { quit_after, flush, .. } = setup;
        let mut job = Count { runs: 0, quit_after, flush, begun: begun.clone() };
        context.work(&mut job, false);
        let (mut end, private, counts): (Counted<_, SlotRow<HIDDEN>>, Vec<usize>, WorkerCounts) =
            context.into_rest();
        assert_eq!(job.finish() as u64, counts.executed);
        move || (counts, private.len() as u64 + std::iter::from_fn(|| end.pop()).count() as u64)
    };
    let mut ends = ends.into_iter().map(Counted::new).enumerate();
    let (_, first) = ends.next().expect("a crew has a worker");
    let others: Vec<_> = ends
        .map(|(me, end)| {
            let (crew, live) = (Arc::clone(&crew), live.clone());
            thread::spawn(move || live(&crew, me, end, None))
        })
        .collect();
    let mut rests = vec![live(&crew, 0, first, Some(vec![setup.root]))];
    rests.extend(others.into_iter().map(|thread| thread.join().unwrap()));
    meddler.into_iter().for_each(|thread| thread.join().unwrap());
    let (mut executed, mut spawned, mut left) = (0, 0, 0);
    for rest in &mut rests {
        let (counts, rest) = rest();
        executed += counts.executed;
        spawned += counts.spawned;
        left += rest;
    }
    assert_eq!(executed + left, spawned, "an item was lost or duplicated");
    if crew.stop() == DONE {
        assert_eq!(crew.credits.count(), 0);
        assert_eq!(left, 0, "the run was done too early");
    }
    (executed, left, crew.stop())
}

/// Termination against parking: every item runs once, then both workers return.
///
/// Seen to fail if credits are added after publishing instead of before, if a parking worker keeps
/// credits, if a taken item brings none, if the last release does not end the run, if the end wakes
/// no worker, and if the re-check does not look for the end.
fn every_item_runs_and_every_worker_returns<P: IdlePolicy + 'static>() {
    for &sharing in Sharing::ALL {
        check(2, move || {
            assert_eq!(play::<P>(Setup { sharing, ..TWO }, None), (3, 0, DONE));
        });
    }
}

fn flushing_in_the_middle_of_an_item<P: IdlePolicy + 'static>() {
    check(2, || {
        assert_eq!(play::<P>(Setup { flush: true, ..TWO }, None), (3, 0, DONE));
    });
}

/// Two items that wait for each other, of which one is private: the worker that runs one polls, and
/// makes the other visible for a worker that has parked meanwhile.
fn items_that_wait_for_each_other_meet<P: IdlePolicy + 'static>() {
    for &sharing in Sharing::ALL {
        check(1, move || {
            assert_eq!(play::<P>(Setup { sharing, meet: true, ..TWO }, None), (3, 0, DONE));
        });
    }
}

/// A queue that hides an item of each worker, with and without a flush that shows it.
fn hidden_items_run_too<P: IdlePolicy + 'static>() {
    for (sharing, flush) in [
        (Sharing::Eager, false),
        (Sharing::Eager, true),
        (Sharing::Lazy, true),
        (Sharing::Reserve, false),
        (Sharing::Request, false),
    ] {
        check(2, move || {
            let setup = Setup { sharing, flush, ..TWO };
            assert_eq!(play_hiding::<P, 1>(setup, None), (3, 0, DONE));
        });
    }
}

fn three_workers<P: IdlePolicy + 'static>() {
    let setup = Setup { workers: 3, root: 2, flush: true, ..TWO };
    check(1, move || assert_eq!(play::<P>(setup, None), (2, 0, DONE)));
}

/// A quit against stealing and parking: no worker hangs, and no item is lost.
fn quit_leaves_the_rest<P: IdlePolicy + 'static>() {
    check(2, || {
        let (executed, left, stop) = play::<P>(Setup { quit_after: 1, flush: true, ..TWO }, None);
        assert_eq!((executed + left, stop), (3, QUIT));
    });
}

/// A panic elsewhere against everything: no worker hangs, and no item is lost.
fn poison_ends_every_worker<P: IdlePolicy + 'static>() {
    check(1, || {
        let poison = |crew: &ModelCrew<P>| {
            crew.poison(Panicked { worker: 9, payload: Box::new("poison") });
        };
        let (_, _, stop) = play::<P>(Setup { root: 2, flush: true, ..TWO }, Some(poison));
        assert_eq!(stop, POISONED);
    });
}

models! {
    biased_event: BiasedEvent => every_item_runs_and_every_worker_returns,
        flushing_in_the_middle_of_an_item, items_that_wait_for_each_other_meet,
        hidden_items_run_too, three_workers, quit_leaves_the_rest, poison_ends_every_worker;
    fifo_event: FifoEvent => every_item_runs_and_every_worker_returns,
        items_that_wait_for_each_other_meet, hidden_items_run_too;
    biased_chain: BiasedChain => every_item_runs_and_every_worker_returns,
        items_that_wait_for_each_other_meet, hidden_items_run_too;
    yield_condvar: YieldCondvar => every_item_runs_and_every_worker_returns,
        items_that_wait_for_each_other_meet,
        flushing_in_the_middle_of_an_item, quit_leaves_the_rest, poison_ends_every_worker;
}
