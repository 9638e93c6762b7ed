//! What the scenarios measure. Their texts and cases are in `scenarios.toml`.
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
//! | `race` | threads that begin together |
//! | `watch` | a watchdog for the tests |
//! | `witness` | whether each item was done exactly once |

mod biased;
mod calibrate;
mod doc0;
mod fault;
mod idle;
mod race;
// The interfaces under test are unsafe: the caller that retires an object promises that no thread
// can find it.
#[allow(unsafe_code)]
mod reclaim;
mod selftest;
#[cfg(test)]
mod tests;
mod tree;
#[cfg(test)]
mod watch;
mod witness;

use crate::meter::Sample;
use crate::queues::case::Case;

/// Runs a case once, in the calling process, and verifies it; the caller fills in the peak memory.
/// An error means that it could not be run. A wrong result is an invalid sample.
pub(crate) fn measure(case: &Case) -> Result<Sample, String> {
    match case.scenario.as_str() {
        "balanced" | "imbalanced" | "contention" | "injector" | "multi-producer"
        | "steal-fraction" => doc0::measure(case),
        "biased" => biased::measure(case),
        "reclaim" => reclaim::measure(case),
        "idle" => idle::measure(case),
        "tree" => tree::measure(case),
        "fault" => fault::measure(case),
        "liar" | "sleeper" | "crasher" => selftest::measure(case),
        name => Err(format!("there is no scenario '{name}'")),
    }
}

/// The case as this machine has to run it, if it is of use.
pub(crate) fn fitted(case: Case) -> Option<Case> {
    if case.scenario == "biased" { biased::fitted(case) } else { Some(case) }
}
