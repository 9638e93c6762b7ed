//! St3 as the document used it: rings of 1024, transfers counted as completed.

use super::super::plan::QUEUE_CAPACITY;
use super::harness::{Doer, Library, others};

macro_rules! ring {
    ($flavour:ident) => {
        impl Library for ::st3::$flavour::Worker<u64> {
            type Stealer = ::st3::$flavour::Stealer<u64>;

            const COUNTS_MOVES: bool = true;

            fn new() -> Self {
                Self::new(QUEUE_CAPACITY)
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

            /// Pops, then takes a share of another ring's items, then a single one, until nothing
            /// is found. What is taken is counted, and counted again when it is popped.
            fn work(&self, doer: &mut Doer<'_>, stealers: &[Self::Stealer], me: Option<usize>) {
                let mut popped = 0;
                // Like the document it takes a busy victim for an empty one.
                let sweep = |share: fn(usize) -> usize| {
                    let mut takes = others(stealers, me).map(|victim| victim.steal(self, share));
                    takes.find_map(|taken| taken.ok().filter(|&taken| taken > 0))
                };
                loop {
                    while let Some(id) = self.pop() {
                        doer.run(id);
                        popped += 1;
                    }
                    let Some(taken) = sweep(doer.share).or_else(|| sweep(|_| 1)) else { break };
                    doer.moved += taken as u64;
                }
                doer.report(popped + doer.moved);
            }
        }
    };
}

ring!(lifo);
ring!(fifo);
