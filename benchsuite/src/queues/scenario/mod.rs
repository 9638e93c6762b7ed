//! The scenarios, in the order in which they are listed and run.
//!
//! | module | holds |
//! |---|---|
//! | `biased/` | document 1: three pools that sleep and wake |
//! | `doc0/` | document 0: crossbeam against St3, on every queue |
//! | `fault` | panics, quits and refused threads: nothing hangs, nothing is lost |
//! | `idle` | what waiting costs while one works |
//! | `reclaim/` | document 2: pinning and retiring |
//! | `selftest` | misbehaves on purpose, for the tests of the runner |
//! | `tree/` | synthetic trees of every shape |
//!
//! What they have in common:
//!
//! | module | holds |
//! |---|---|
//! | `calibrate` | work that takes a known time |
//! | `watch` | a watchdog for the tests |
//! | `witness` | whether each item was done exactly once |

mod biased;
mod calibrate;
mod doc0;
mod fault;
mod idle;
// The interfaces under test are unsafe: the caller that retires an object promises that no thread
// can find it.
#[allow(unsafe_code)]
mod reclaim;
mod selftest;
mod tree;
#[cfg(test)]
mod watch;
mod witness;

use crate::queues::case::Scenario;

/// Every scenario that is listed.
pub(crate) const ALL: &[&dyn Scenario] = &[
    &doc0::BALANCED,
    &doc0::IMBALANCED,
    &doc0::CONTENTION,
    &doc0::INJECTOR,
    &doc0::MULTI_PRODUCER,
    &doc0::STEAL_FRACTION,
    &biased::Biased,
    &reclaim::Reclamation,
    &idle::Idle,
    &tree::Tree,
    &fault::Fault,
];

/// Those that are not.
const HIDDEN: &[&dyn Scenario] =
    &[&selftest::SelfTest::Liar, &selftest::SelfTest::Sleeper, &selftest::SelfTest::Crasher];

/// The scenario called `name`.
pub(crate) fn by_name(name: &str) -> Option<&'static dyn Scenario> {
    ALL.iter().chain(HIDDEN).copied().find(|scenario| scenario.name() == name)
}
