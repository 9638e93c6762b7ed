//! Pushes, pops, steals and injections in any order on one thread, on every queue: each item comes out once, a queue says
//! that it is empty when it is, and the Chase–Lev ends give what a list would give.

#![cfg_attr(fuzzing, no_main)]

use std::{collections::VecDeque, num::NonZeroU8};

use heist_fuzz::Input;
use heist_queue::{
    Backend, QueueConfig, Steal, StealAmount, StealRequest, WorkerQueue, backends::chase_lev::ChaseLev,
    backends::deque::Deque, backends::sharded::Sharded, backends::st3::St3Lifo,
    backends::stack::Stack,
};

const WORKERS: usize = 3;

/// What was put in and has not come out.
struct Ledger {
    is_in: Vec<bool>,
    left: usize,
}

impl Ledger {
    fn put(&mut self) -> Box<usize> {
        self.is_in.push(true);
        self.left += 1;
        Box::new(self.is_in.len() - 1)
    }

    fn take(&mut self, item: usize) {
        assert!(std::mem::take(&mut self.is_in[item]), "{item} came out twice");
        self.left -= 1;
    }
}

/// The operations of `bytes` on a queue. `lists`: whether each end has to be a list whose newest item is popped.
fn run<B: Backend<Box<usize>>>(bytes: &[u8], lists: bool) {
    let mut input = Input::new(bytes);
    let (queue, mut ends) =
        B::build(WORKERS, &QueueConfig { capacity: 4, ..QueueConfig::default() });
    let mut ledger = Ledger { is_in: Vec::new(), left: 0 };
    let mut expected: [VecDeque<usize>; WORKERS] = Default::default();
    while !input.is_empty() {
        let operation = input.byte();
        let me = usize::from(operation >> 4) % WORKERS;
        match operation & 7 {
            0..=2 => {
                for _ in 0..1 + input.below(9) {
                    let item = ledger.put();
                    expected[me].push_back(*item);
                    ends[me].push(item);
                }
            }
            3 | 4 => {
                let popped = ends[me].pop();
                if lists {
                    assert_eq!(
                        popped.as_deref().copied(),
                        expected[me].pop_back(),
                        "popped by {me}"
                    );
                }
                if let Some(item) = popped {
                    ledger.take(*item);
                }
            }
            5 | 6 => {
                let percent =
                    NonZeroU8::new(input.byte()).map_or(StealAmount::One, StealAmount::Percent);
                let before: Vec<usize> = expected.iter().map(VecDeque::len).collect();
                match ends[me].steal(StealRequest { amount: percent, start: input.below(WORKERS) }) {
                    Steal::Item { item, moved, .. } => {
                        ledger.take(*item);
                        if lists {
                            stolen(&mut expected, &before, (me, *item, moved), percent);
                        }
                    }
                    Steal::Empty if lists => {
                        let others: usize = before
                            .iter()
                            .enumerate()
                            .filter(|&(end, _)| end != me)
                            .map(|(_, &len)| len)
                            .sum();
                        assert_eq!(others, 0, "{me} found nothing");
                    }
                    Steal::Empty => {}
                    Steal::Contended => panic!("nobody else is there"),
                }
            }
            _ if lists => assert_eq!(ends[me].surplus(), expected[me].len()),
            _ => queue.inject(&mut vec![ledger.put()]),
        }
        assert_eq!(queue.is_empty(), ledger.left == 0, "{} left", ledger.left);
    }
    // What is left comes out by stealing and popping, all by one worker.
    loop {
        while let Some(item) = ends[0].pop() {
            ledger.take(*item);
        }
        match ends[0].steal(StealRequest { amount: StealAmount::HALF, start: 0 }) {
            Steal::Item { item, .. } => ledger.take(*item),
            Steal::Empty => break,
            Steal::Contended => panic!("nobody else is there"),
        }
    }
    assert_eq!(ledger.left, 0);
}

/// A thief has the newest of what it took in hand, and what is older at its own end, as if it had pushed it.
fn stolen(
    expected: &mut [VecDeque<usize>; WORKERS],
    before: &[usize],
    (me, item, moved): (usize, usize, usize),
    amount: StealAmount,
) {
    let victim = (0..WORKERS).find(|&end| end != me && expected[end].get(moved) == Some(&item));
    let victim = victim.expect("the oldest items of somebody else");
    assert!(
        moved < amount.take(before[victim]).max(1),
        "{} taken, {amount:?} of {}",
        1 + moved,
        before[victim]
    );
    let mut loot: Vec<usize> = expected[victim].drain(..=moved).collect();
    loot.pop();
    expected[me].extend(loot);
}

fn check(bytes: &[u8]) {
    // With the injector left out, for what it gives to whom is its own business.
    run::<ChaseLev<_>>(bytes, true);
    run::<ChaseLev<_>>(bytes, false);
    run::<Deque<_>>(bytes, false);
    run::<St3Lifo<_>>(bytes, false);
    run::<Sharded<_>>(bytes, false);
    run::<Stack<_>>(bytes, false);
}

heist_fuzz::target!(check);
