//! The laboratory: everything that is selectable or measurable but not part of the default path.
//!
//! The default path is `backends/`, `idle/` and `crew/`: the `deque` backend, the `biased-event`
//! policy, eager sharing. It can be read without this module, which holds nine more backends, four
//! more idle policies, three lazy ways of sharing, sealing and producers. It exists only with the
//! feature `lab`. All of them are under the same contract tests, and `--queue` and `--idle` select
//! them by name.
//!
//! | file | holds |
//! |---|---|
//! | `backends/` | nine backends, one file or folder each |
//! | `idle/` | four idle policies |
//! | `sharing` | three ways of sharing: what stays private, and for how long |
//! | `seal` | [`Sealable`]: the promise that an item spawns no more |
//! | `producers` | [`run_with_producers`]: runs that are fed from outside |
//!
//! | kind | storage | owner pops | thieves take |
//! |---|---|---|---|
//! | `chase-lev` | deques of our own, an injector | newest | oldest |
//! | `sharded` | mutexed deques, a global one | oldest | newest |
//! | `sharded-lifo` | the same | newest | oldest |
//! | `st3-lifo` | bounded rings, an injector | newest | oldest |
//! | `st3-fifo` | the same | oldest | oldest |
//! | `channel` | one channel | oldest | oldest |
//! | `biased` | one channel, batches taken from it | oldest of its batch | oldest |
//! | `injector` | one injector | oldest | oldest |
//! | `bwos` | rings of blocks, an injector | newest | oldest |
//!
//! | policy | a worker without an item | which worker is woken |
//! |---|---|---|
//! | `biased-event`, the default | parks on a futex | the lowest index, unless one searches |
//! | `fifo-event` | the same | the longest sleeper |
//! | `biased-chain` | the same | the next one above the waker |
//! | `yield-condvar` | sweeps 64 times, then sleeps on a condition variable | any |
//! | `poll-1ms` | sweeps again every millisecond | none |

mod backends;
mod idle;
mod producers;
mod seal;
mod sharing;

pub use backends::{
    Biased, Bwos, Channel, ChaseLev, Injector, Sharded, ShardedLifo, Shards, St3Fifo, St3Lifo,
};
pub use idle::{BiasedChain, FifoEvent, LongestParked, NextAbove, Poll1ms, YieldCondvar};
pub use producers::{ProducerToken, run_with_producers};
pub use seal::Sealable;
