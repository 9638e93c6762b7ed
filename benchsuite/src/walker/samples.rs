//! Made-up samples for the tests of what is done with samples.

use crate::{
    queues::row::Sample,
    random::Random,
    walker::{
        compare::{Comparison, Sampler, compare},
        plan::Configuration,
        sample::Outcome,
        tally::Counts,
    },
};

/// A walk of 3 directories, 10 files and 2 links that took so many milliseconds.
pub(crate) fn outcome(wall_ms: f64) -> Outcome {
    let counts = Counts { directories: 3, files: 10, symlinks: 2, ..Counts::default() };
    let wall_ns = (wall_ms * 1e6) as u64;
    let columns = [("steals", 4.0), ("parks", 5.0), ("threads_started", 1.0)];
    let sample = Sample {
        wall_ns,
        cpu_ns: 2 * wall_ns,
        voluntary: 6,
        involuntary: 7,
        peak_bytes: Some(3 << 20),
        columns: columns.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Sample::default()
    };
    Outcome { counts, first_error: None, sample }
}

/// A comparison whose samples come from `sampler`.
pub(crate) fn fake(
    configurations: &[Configuration],
    repeats: usize,
    sampler: Sampler<'_>,
) -> Comparison {
    compare(configurations, repeats, &mut Random::new(1), sampler, &mut |_| ())
        .expect("the reference is walked")
}
