//! Models of the protocol under loom: the real ends, rings and reclamation, with two or three
//! threads.
//!
//! A model's item is a loom cell, so loom sees whether what the owner wrote into it is visible to
//! the thread that took it. A ring has such a cell, too (`ring::life`), for its drop.
//!
//! Each model lists the lines of `ends` that it was seen to guard: changed as described, it fails,
//! mostly because an item is taken twice and freed twice. Loom does not delay a read past a later
//! write, so two orderings have no model: the Release of `pass_front` and the Acquire in
//! `make_room`.

use heist_ebr::Collector;
use loom::cell::Cell;
use loom::thread::{self, JoinHandle};

use super::ends::{OwnerEnd, Stolen, Taken, deques};
use crate::model::{check, recheck};

/// An item that loom watches.
struct Item(Cell<usize>);

fn item(number: usize) -> Item {
    Item(Cell::new(number))
}

fn number(item: Item) -> usize {
    item.0.get()
}

/// Checks a model in which an owner pushes items 1 to `pushed`, and then `act`s, while each thief
/// steals once, at most as many items as its number in `thieves`. Each item of `1..=last` has to be
/// taken once.
fn share<const N: usize>(
    bound: usize,
    pushed: usize,
    thieves: [usize; N],
    act: fn(&mut OwnerEnd<Item>) -> Vec<usize>,
    last: usize,
) {
    check(bound, move || {
        let (_all, mut ends) = deques(1 + N, &Collector::default());
        let mut owner = ends.remove(0);
        (1..=pushed).for_each(|i| owner.push(item(i)));
        let thieves: Vec<_> =
            ends.into_iter().zip(thieves).map(|(end, most)| thief(end, most)).collect();
        let mut seen = act(&mut owner);
        // The ends are dropped together at the end, so that no drop is part of the model.
        let mut ends = Vec::new();
        for thief in thieves {
            let (end, stolen) = thief.join().unwrap();
            seen.extend(stolen);
            ends.push(end);
        }
        seen.extend(pops(&mut owner));
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(1..=last), "lost or duplicated: {seen:?}");
    });
}

/// Steals from the owner, up to `most` items at once, and returns the end and the stolen items.
fn thief(mut end: OwnerEnd<Item>, most: usize) -> JoinHandle<(OwnerEnd<Item>, Vec<usize>)> {
    thread::spawn(move || {
        let mut seen = Vec::new();
        if let Taken::Item(Stolen { item, moved }) = end.steal(0, most) {
            seen.push(number(item));
            let rest = pops(&mut end);
            assert_eq!(rest.len(), moved);
            seen.extend(rest);
        }
        (end, seen)
    })
}

fn pops(end: &mut OwnerEnd<Item>) -> Vec<usize> {
    std::iter::from_fn(|| end.pop()).map(number).collect()
}

fn pops_once(end: &mut OwnerEnd<Item>) -> Vec<usize> {
    end.pop().map(number).into_iter().collect()
}

/// One item, the owner and a thief.
///
/// Guards the compare-and-swaps of both sides, the repair of the back by a pop that has lost, and
/// the Acquire of the back.
#[test]
fn the_last_item_goes_to_one() {
    let act = |owner: &mut OwnerEnd<Item>| {
        let mut seen = pops(owner);
        // Goes to the slot of the first item if the owner got that one.
        owner.push(item(2));
        seen.extend(pops(owner));
        seen
    };
    share(3, 1, [1], act, 2);
}

/// Two items, the owner and two thieves: the second thief relies on what the first has done.
///
/// Guards the `SeqCst` fences of pop and steal (`AcqRel` is not enough), and that the front is read
/// before the back.
#[test]
fn three_share_two_items() {
    share(2, 2, [1, 1], pops_once, 2);
}

/// The thief may see the back as the pop has left it, without having seen the stores of the pushes.
///
/// Guards the release fence of a push: a Release store in its place is not enough.
#[test]
fn a_pop_publishes_the_pushes_before() {
    let act = |owner: &mut OwnerEnd<Item>| {
        owner.push(item(1));
        owner.push(item(2));
        pops_once(owner)
    };
    share(3, 0, [1], act, 2);
}

/// A thief takes a batch from one end while the owner pops at the other.
///
/// Guards both `SeqCst` fences, and that each item of a batch has its own fence and read of the
/// back.
#[test]
fn a_batch_meets_the_owner() {
    share(2, 2, [2], pops, 2);
}

/// The ring is full. Depending on how far the thief is, the third item goes to the first slot or to
/// a larger ring, and the old ring is freed or waits for the thief.
///
/// Guards the pin of the thief, the retirement (instead of freeing at once), the Release and the
/// Acquire of the ring pointer, and the copying.
#[test]
fn a_ring_grows_under_a_thief() {
    let act = |owner: &mut OwnerEnd<Item>| {
        owner.push(item(3));
        pops_once(owner)
    };
    share(2, 2, [1], act, 3);
}

/// A thief takes more than its own ring has room for, so it retires a ring while it is pinned.
///
/// Guards the same as `a_batch_meets_the_owner`, and the copying.
#[test]
fn a_thief_grows_in_the_middle_of_a_batch() {
    share(2, 4, [4], pops_once, 4);
}

/// What the idle policies rely on, by [`recheck`]. The deque has no spare fence of its own.
#[test]
fn a_recheck_behind_a_fence_sees_the_push_before_one() {
    check(3, || {
        let (all, mut ends) = deques(1, &Collector::default());
        let mut owner = ends.remove(0);
        let is_empty = move || all.is_empty();
        recheck(is_empty, || {
            // Another item comes and goes.
            owner.push(item(1));
            owner.pop();
            owner.push(item(2));
        });
    });
}
