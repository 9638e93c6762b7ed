//! Models of the protocol under loom: the real ends and rings, with two or three threads and two
//! blocks of two slots.
//!
//! A model's item is a loom cell, and so is a slot. So loom sees whether what the owner wrote into
//! an item is visible to the thread that took it, and whether two threads reach a slot at once.
//!
//! Each model lists the lines of `blocks` that it was seen to guard: changed as described, it
//! fails.

use std::num::NonZeroU8;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize as PlainUsize;

use loom::cell::Cell;
use loom::thread::{self, JoinHandle};

use super::blocks::{BlockRing, OwnerEnd, Taken, rings};
use crate::config::StealAmount;
use crate::model::{check, recheck};
use crate::sync::Ordering;

/// An item that loom watches.
struct ModelItem(Cell<usize>);

fn item(number: usize) -> ModelItem {
    ModelItem(Cell::new(number))
}

fn number(item: ModelItem) -> usize {
    item.0.get()
}

/// Everything in a block.
const ALL: StealAmount = match NonZeroU8::new(100) {
    Some(percent) => StealAmount::Percent(percent),
    None => StealAmount::One,
};

/// The owner's end, with the items that did not fit.
struct Owner {
    end: OwnerEnd<ModelItem>,
    seen: Vec<usize>,
}

impl Owner {
    fn push(&mut self, numbers: impl IntoIterator<Item = usize>) {
        let Owner { end, seen } = self;
        for i in numbers {
            end.push(item(i), |spilled| seen.push(number(spilled)));
        }
    }

    fn pop(&mut self) -> bool {
        let popped = self.end.pop().map(number);
        self.seen.extend(popped);
        popped.is_some()
    }

    fn expose(&mut self) {
        self.end.expose();
    }
}

/// Checks a model in which an owner prepares and then `act`s, while each thief steals: `thieves`
/// has how often, and how much at once. Each item of `1..=last` has to be taken once. The rings
/// have `capacity` slots.
fn share<const N: usize>(
    bound: usize,
    capacity: usize,
    prepare: fn(&mut Owner),
    thieves: [(usize, StealAmount); N],
    act: fn(&mut Owner),
    last: usize,
) {
    check(bound, move || {
        let (all, mut ends) = rings(1 + N, capacity, 2);
        let mut owner = Owner { end: ends.remove(0), seen: Vec::new() };
        prepare(&mut owner);
        let thieves: Vec<_> =
            ends.into_iter().zip(thieves).map(|(end, steals)| thief(&all, end, steals)).collect();
        act(&mut owner);
        // The ends are dropped together at the end, so that no drop is part of the model.
        let mut ends = Vec::new();
        for thief in thieves {
            let (end, stolen) = thief.join().unwrap();
            owner.seen.extend(stolen);
            ends.push(end);
        }
        while owner.pop() {}
        owner.seen.sort_unstable();
        assert!(owner.seen.iter().copied().eq(1..=last), "lost or duplicated: {:?}", owner.seen);
    });
}

/// Steals from worker 0, and returns the end and the stolen items.
fn thief(
    all: &Arc<[Arc<BlockRing<ModelItem>>]>,
    mut end: OwnerEnd<ModelItem>,
    (times, amount): (usize, StealAmount),
) -> JoinHandle<(OwnerEnd<ModelItem>, Vec<usize>)> {
    let victim = Arc::clone(&all[0]);
    thread::spawn(move || {
        let mut seen = Vec::new();
        for _ in 0..times {
            if let Taken::Item { item, moved, .. } = end.steal(&victim, 0, amount) {
                seen.push(number(item));
                let rest: Vec<_> = std::iter::from_fn(|| end.pop()).map(number).collect();
                assert_eq!(rest.len(), moved);
                seen.extend(rest);
            }
        }
        (end, seen)
    })
}

/// The client of the paper's own proof: four pushes and three pops, one thief with a steal and one
/// with two.
///
/// Guards the Release of the grant, the Acquire of the claim, and the swap of a take-over.
#[test]
fn the_client_of_the_paper() {
    let act = |owner: &mut Owner| {
        owner.push([1, 2, 3]);
        owner.pop();
        owner.push([4]);
        owner.pop();
        owner.pop();
    };
    share(2, 4, |_| {}, [(1, StealAmount::One), (2, StealAmount::One)], act, 4);
}

/// Two thieves at one block. One wants both items.
///
/// Guards the compare-and-swap of a claim.
#[test]
fn two_thieves_share_a_block() {
    let prepare = |owner: &mut Owner| owner.push([1, 2, 3]);
    let act = |owner: &mut Owner| while owner.pop() {};
    share(2, 4, prepare, [(1, StealAmount::One), (1, ALL)], act, 3);
}

/// Every step of the owner is followed by an exposure.
///
/// Guards the same as the client of the paper, for blocks that are partly filled.
#[test]
fn all_is_exposed_between_all_steps() {
    let act = |owner: &mut Owner| {
        owner.push([1]);
        owner.expose();
        owner.push([2]);
        owner.expose();
        owner.pop();
        owner.expose();
        owner.push([3]);
        owner.expose();
    };
    share(3, 4, |_| {}, [(2, ALL)], act, 3);
}

/// A thief is held up between its look at a block and its claim, while the owner takes the block
/// over, empties it, fills it with other items and grants it at the same positions.
///
/// Guards the round: without one, the claim succeeds and reads slots whose writes it has not seen,
/// if the compare-and-swap does not acquire.
#[test]
fn a_stalled_thief_meets_a_new_grant() {
    let prepare = |owner: &mut Owner| {
        owner.push([1, 2]);
        owner.expose();
    };
    let act = |owner: &mut Owner| {
        owner.pop();
        owner.pop();
        owner.push([3, 4]);
        owner.expose();
    };
    share(3, 4, prepare, [(1, ALL)], act, 4);
}

/// The owner comes back to a block from which a thief is still copying.
///
/// Guards the Release and the Acquire of `done`, that `done` is read before a block begins anew,
/// and that a thief adds to it after it has read the slots.
#[test]
fn a_block_is_reused_behind_a_copying_thief() {
    let prepare = |owner: &mut Owner| owner.push([1, 2, 3]);
    let act = |owner: &mut Owner| owner.push([4, 5, 6]);
    share(3, 4, prepare, [(1, ALL)], act, 6);
}

/// The owner takes a block over in which a thief, still copying, leaves a slot.
///
/// Guards that `front` is what the swap of a take-over returns, not what a load before it has seen.
#[test]
fn a_block_is_taken_over_behind_a_copying_thief() {
    let prepare = |owner: &mut Owner| {
        owner.push([1, 2]);
        owner.expose();
    };
    let act = |owner: &mut Owner| {
        owner.pop();
        owner.push([3, 4]);
    };
    share(3, 4, prepare, [(1, StealAmount::One)], act, 4);
}

/// The ring is full: the oldest block leaves it, or what thieves have left of it.
///
/// Guards that the oldest block is closed by a swap before its items are read.
#[test]
fn a_full_ring_spills_against_thieves() {
    let prepare = |owner: &mut Owner| owner.push([1, 2, 3, 4]);
    let act = |owner: &mut Owner| owner.push([5, 6]);
    share(2, 4, prepare, [(1, StealAmount::One), (1, ALL)], act, 6);
}

/// Two steals of one thief while the owner goes forth and back over the border of two blocks.
#[test]
fn the_owner_crosses_a_border_again_and_again() {
    let prepare = |owner: &mut Owner| owner.push([1, 2]);
    let act = |owner: &mut Owner| {
        owner.push([3]);
        owner.pop();
        owner.pop();
        owner.push([4, 5]);
        owner.pop();
    };
    share(3, 4, prepare, [(2, StealAmount::One)], act, 5);
}

/// An item that counts its drop.
struct Dropped(Cell<usize>, Arc<PlainUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        // Loom sees whether the item is visible here.
        self.0.get();
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

/// The owner's end is dropped while a thief steals; what is left goes with the ring.
///
/// Guards that an end grants what is hidden when it is dropped, and that the ring drops what is
/// granted.
#[test]
fn every_item_is_dropped_once() {
    check(3, || {
        let drops = Arc::new(PlainUsize::new(0));
        let (all, mut ends) = rings(2, 4, 2);
        let mut thief = ends.pop().unwrap();
        let mut owner = ends.pop().unwrap();
        for i in 0..3 {
            owner.push(Dropped(Cell::new(i), Arc::clone(&drops)), drop);
        }
        let victim = Arc::clone(&all[0]);
        let thief = thread::spawn(move || {
            let stolen = thief.steal(&victim, 0, ALL);
            drop(stolen);
            thief
        });
        drop(owner);
        drop((thief.join().unwrap(), all));
        assert_eq!(drops.load(Ordering::Relaxed), 3);
    });
}

/// What the idle policies rely on, by [`recheck`]. The queue has no fence of its own.
#[test]
fn a_recheck_behind_a_fence_sees_what_was_exposed_before_one() {
    check(3, || {
        let (all, mut ends) = rings(1, 4, 2);
        let mut owner = Owner { end: ends.remove(0), seen: Vec::new() };
        let is_empty = move || all[0].is_empty();
        recheck(is_empty, || {
            // Another item comes and goes.
            owner.push([1]);
            owner.expose();
            owner.pop();
            owner.push([2]);
            owner.expose();
        });
    });
}
