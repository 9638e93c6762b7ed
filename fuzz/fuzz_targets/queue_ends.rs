//! Pushes, pops, steals and injections in any order on one thread, on every queue: each item comes
//! out once, `is_empty` is exact, and the ends of the Chase–Lev queue behave like lists.

#![cfg_attr(fuzzing, no_main)]

use std::{collections::VecDeque, num::NonZeroU8};

use heist_fuzz::Input;
use heist_queue::{
    Backend, QueueConfig, Steal, StealAmount, StealRequest, WorkerQueue,
    backends::{Deque, Stack},
    lab::{Bwos, ChaseLev, Sharded, St3Lifo},
};

const WORKERS: usize = 3;

/// The items that were pushed and have not come out.
struct Ledger {
    is_inside: Vec<bool>,
    count: usize,
}

impl Ledger {
    /// Returns a new item to push.
    fn push(&mut self) -> Box<usize> {
        self.is_inside.push(true);
        self.count += 1;
        Box::new(self.is_inside.len() - 1)
    }

    /// Checks an item that came out.
    fn pop(&mut self, item: usize) {
        assert!(std::mem::take(&mut self.is_inside[item]), "{item} came out twice");
        self.count -= 1;
    }
}

/// Runs the operations that `bytes` encode on a queue. With `is_list`, each end has to behave like
/// a list, from which its owner pops the newest item.
fn run<B: Backend<Box<usize>>>(bytes: &[u8], is_list: bool) {
    let mut input = Input::new(bytes);
    let (queue, mut ends) =
        B::build(WORKERS, &QueueConfig { capacity: 4, ..QueueConfig::default() });
    let mut ledger = Ledger { is_inside: Vec::new(), count: 0 };
    let mut expected: [VecDeque<usize>; WORKERS] = Default::default();
    while !input.is_empty() {
        let operation = input.byte();
        let me = usize::from(operation >> 4) % WORKERS;
        match operation & 7 {
            0..=2 => {
                for _ in 0..1 + input.below(9) {
                    let item = ledger.push();
                    expected[me].push_back(*item);
                    ends[me].push(item);
                }
            }
            3 | 4 => {
                let popped = ends[me].pop();
                if is_list {
                    assert_eq!(
                        popped.as_deref().copied(),
                        expected[me].pop_back(),
                        "popped by {me}"
                    );
                }
                if let Some(item) = popped {
                    ledger.pop(*item);
                }
            }
            5 | 6 => {
                let percent =
                    NonZeroU8::new(input.byte()).map_or(StealAmount::One, StealAmount::Percent);
                let before: Vec<usize> = expected.iter().map(VecDeque::len).collect();
                match ends[me].steal(StealRequest { amount: percent, start: input.below(WORKERS) })
                {
                    Steal::Item { item, moved, .. } => {
                        ledger.pop(*item);
                        if is_list {
                            check_steal(&mut expected, &before, (me, *item, moved), percent);
                        }
                    }
                    Steal::Empty if is_list => {
                        let others: usize = before
                            .iter()
                            .enumerate()
                            .filter(|&(end, _)| end != me)
                            .map(|(_, &len)| len)
                            .sum();
                        assert_eq!(others, 0, "{me} found nothing");
                    }
                    Steal::Empty => {}
                    Steal::Contended => panic!("contention on one thread"),
                }
            }
            _ if is_list => assert_eq!(ends[me].surplus(), expected[me].len()),
            _ => queue.inject(&mut vec![ledger.push()]),
        }
        ends.iter_mut().for_each(|end| _ = end.expose());
        assert_eq!(queue.is_empty(), ledger.count == 0, "{} left", ledger.count);
    }
    // One worker takes the rest, by popping and stealing.
    loop {
        while let Some(item) = ends[0].pop() {
            ledger.pop(*item);
        }
        match ends[0].steal(StealRequest { amount: StealAmount::HALF, start: 0 }) {
            Steal::Item { item, .. } => ledger.pop(*item),
            Steal::Empty => break,
            Steal::Contended => panic!("contention on one thread"),
        }
    }
    assert_eq!(ledger.count, 0);
}

/// Checks a steal, which returns the newest of the stolen items and pushes the older ones to the
/// thief's end.
fn check_steal(
    expected: &mut [VecDeque<usize>; WORKERS],
    before: &[usize],
    (me, item, moved): (usize, usize, usize),
    amount: StealAmount,
) {
    let victim = (0..WORKERS).find(|&end| end != me && expected[end].get(moved) == Some(&item));
    let victim = victim.expect("the oldest items of another worker");
    assert!(
        moved < amount.take(before[victim]).max(1),
        "{} taken, {amount:?} of {}",
        1 + moved,
        before[victim]
    );
    let mut stolen: Vec<usize> = expected[victim].drain(..=moved).collect();
    stolen.pop();
    expected[me].extend(stolen);
}

fn check(bytes: &[u8]) {
    // Without the injector, whose distribution of items is not specified.
    run::<ChaseLev<_>>(bytes, true);
    run::<ChaseLev<_>>(bytes, false);
    run::<Bwos<_>>(bytes, false);
    run::<Deque<_>>(bytes, false);
    run::<St3Lifo<_>>(bytes, false);
    run::<Sharded<_>>(bytes, false);
    run::<Stack<_>>(bytes, false);
}

heist_fuzz::target!(check);
