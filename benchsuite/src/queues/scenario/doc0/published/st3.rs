//! St3 as the document used it: rings of 1024, transfers counted as completed.

use std::sync::atomic::Ordering;

use super::super::plan::CAPACITY;
use super::harness::{Doer, Library};

macro_rules! ring {
    ($flavour:ident) => {
        impl Library for ::st3::$flavour::Worker<u64> {
            type Stealer = ::st3::$flavour::Stealer<u64>;

            const COUNTS_MOVES: bool = true;

            fn new() -> Self {
                Self::new(CAPACITY)
            }

            fn stealer(&self) -> Self::Stealer {
                self.stealer()
            }

            fn push(&self, id: u64) -> bool {
                self.push(id).is_ok()
            }

            fn pop(&self) -> Option<u64> {
                self.pop()
            }

            fn work<'a>(
                &self,
                doer: Doer<'a>,
                stealers: &[Self::Stealer],
                me: Option<usize>,
            ) -> Doer<'a> {
                // Like the document it takes a busy victim for an empty one.
                until_nothing_found(doer, self, stealers, me, |victim, share| {
                    victim.steal(self, share).unwrap_or(0)
                })
            }
        }
    };
}

ring!(lifo);
ring!(fifo);

/// Pops, then takes a share of another ring's items, then a single one, until nothing is found.
/// What is taken is counted, and counted again when it is popped. `take` moves items from a victim
/// to this ring, and returns how many.
fn until_nothing_found<'a, R: Library>(
    mut doer: Doer<'a>,
    ring: &R,
    stealers: &[R::Stealer],
    me: Option<usize>,
    take: impl Fn(&R::Stealer, fn(usize) -> usize) -> usize,
) -> Doer<'a> {
    let mut popped = 0;
    loop {
        if let Some(id) = ring.pop() {
            doer.run(id);
            popped += 1;
            continue;
        }
        let sweep = |share| {
            let others = stealers.iter().enumerate().filter(|&(victim, _)| Some(victim) != me);
            others.map(|(_, victim)| take(victim, share)).find(|&taken| taken > 0)
        };
        let Some(taken) = sweep(doer.share).or_else(|| sweep(|_| 1)) else {
            break;
        };
        doer.moved += taken as u64;
    }
    // Ordering: Relaxed, as in the document; read by `outcome` after the joins.
    doer.completed.fetch_add(popped + doer.moved, Ordering::Relaxed);
    doer
}
