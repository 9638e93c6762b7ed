//! The scenarios from document 0, which compares crossbeam-deque and St3: on every backend, and as
//! the document's own harness ran them.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | who begins with which items |
//! | `run` | the loop of a worker |
//! | `published` | the document's harness, faults included |
//!
//! Threads are started before the time is taken, and each item is counted where it is done.

use heist_queue::with_backend;

use self::plan::{Distribution, equal_shares, shares};
use self::run::Measure;
use crate::meter::Sample;
use crate::queues::case::Case;
use crate::queues::scenario::witness::Bits;

mod plan;
mod published;
mod run;
#[cfg(test)]
mod tests;

/// A first run, not timed, checks off each item by itself; it warms the machine up as well.
pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let checked = run(case, Some(&Bits::new(case.size)))?;
    if checked.invalid.is_some() {
        return Ok(checked);
    }
    run(case, None)
}

/// Runs `case` once, and marks each item in `bits` if there are any.
fn run(case: &Case, bits: Option<&Bits>) -> Result<Sample, String> {
    match case.system.strip_suffix(published::SUFFIX) {
        Some(library) => published::measure(&Distribution::of(case, equal_shares)?, library, bits),
        None => {
            with_backend(case.queue()?, Measure { plan: &Distribution::of(case, shares)?, bits })
        }
    }
}
