//! What the scenarios measure. Their texts and cases are in `scenarios.toml`.
//!
//! | module | holds |
//! |---|---|
//! | `biased/` | document 1: three pools that sleep and wake |
//! | `doc0/` | document 0: crossbeam against St3, on every queue |
//! | `fault` | panics, quits and refused threads: nothing hangs, nothing is lost |
//! | `idle` | what waiting costs while one works |
//! | `reclaim/` | document 2: pinning and retiring |
//! | `tree/` | synthetic trees of every shape |
//!
//! What they have in common:
//!
//! | module | holds |
//! |---|---|
//! | `calibrate` | work that takes a known time |
//! | `race` | threads that begin together |
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
#[cfg(test)]
mod tests;
mod tree;
mod witness;

use std::process;
use std::thread;
use std::time::Duration;

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
        "liar" | "sleeper" | "crasher" => misbehave(case),
        name => Err(format!("there is no scenario '{name}'")),
    }
}

/// Reports too little, never ends, or dies without a sample: what the tests of the runner run.
fn misbehave(case: &Case) -> Result<Sample, String> {
    match case.scenario.as_str() {
        "liar" => Ok(Sample { expected: case.size, completed: 1, ..Sample::default() }),
        "sleeper" => loop {
            thread::sleep(Duration::from_secs(3600));
        },
        _ => {
            eprintln!("it was not my | day");
            process::abort()
        }
    }
}

/// The case as this machine has to run it, if it is of use.
pub(crate) fn fitted(case: Case) -> Option<Case> {
    if case.scenario == "biased" { biased::fitted(case) } else { Some(case) }
}
