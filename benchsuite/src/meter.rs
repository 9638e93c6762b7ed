//! What a stretch of work in this process cost: wall and CPU time, context switches, migrations.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use heist_queue::{IdleStats, QueueStats};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::machine::field_of;
use crate::record::Figures;
use crate::turns::Run;

/// What one run measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    /// From the moment when all threads were ready until the last item was done.
    pub(crate) wall_ns: u64,
    /// How many items should have been done.
    pub(crate) expected: u64,
    /// How many were done.
    pub(crate) completed: u64,
    /// What was wrong with the set of items that were done.
    pub(crate) invalid: Option<String>,
    /// What the document's own harness would have reported as completed, where it counts otherwise.
    pub(crate) as_published: Option<u64>,
    /// Further figures by the names of a record: `user`, `voluntary`, `steals`, `p50_ns`.
    pub(crate) columns: BTreeMap<String, f64>,
}

impl Sample {
    /// Adds further figures. JSON has no word for what is not finite.
    pub(crate) fn add_columns<N: Into<String>>(
        &mut self,
        columns: impl IntoIterator<Item = (N, f64)>,
    ) {
        let finite = columns.into_iter().filter(|(_, value)| value.is_finite());
        self.columns.extend(finite.map(|(name, value)| (name.into(), value)));
    }

    /// Adds further figures that are counts.
    pub(crate) fn add_counts<'a>(&mut self, counts: impl IntoIterator<Item = (&'a str, u64)>) {
        self.add_columns(counts.into_iter().map(|(name, count)| (name, count as f64)));
    }

    /// Adds what the ends of a queue counted.
    pub(crate) fn add_queue_counts(&mut self, stats: &QueueStats) {
        self.add_counts([
            ("steals", stats.steals),
            ("moved", stats.moved),
            ("empty", stats.empty),
            ("contended", stats.contended),
            ("overflowed", stats.overflowed),
        ]);
    }

    /// Adds how often workers slept, woke others, and were woken for nothing.
    pub(crate) fn add_idle_counts(&mut self, stats: &IdleStats) {
        let IdleStats { parks, wakes, spurious, .. } = *stats;
        self.add_counts([("parks", parks), ("wakes", wakes), ("spurious", spurious)]);
    }

    /// Why the run is invalid, if it is.
    pub(crate) fn fault(&self) -> Option<String> {
        let miscounted = self.completed != self.expected;
        let count = || format!("completed {} of {}", self.completed, self.expected);
        self.invalid.clone().or_else(|| miscounted.then(count))
    }
}

impl From<Sample> for Run {
    /// The figures by the names of a record.
    fn from(mut sample: Sample) -> Run {
        let invalid = sample.fault();
        let Sample { wall_ns, expected, completed, as_published, .. } = sample;
        sample.add_columns([("wall", wall_ns as f64 / 1e9)]);
        sample.add_counts([("expected", expected), ("completed", completed)]);
        sample.add_counts(as_published.map(|count| ("as_published", count)));
        Run { figures: Figures(sample.columns), invalid, ..Run::default() }
    }
}

/// Started before the work, stopped after all its threads have been joined.
///
/// Threads that ended in between are included. Migrations are known only if each thread calls
/// [`leave`](Meter::leave) as the last thing it does, and the system reports them.
pub(crate) struct Meter {
    begun: Instant,
    before: Usage,
    migrations_before: Option<u64>,
    migrations: AtomicU64,
    reported: AtomicU64,
}

impl Meter {
    /// Begins to count, now.
    pub(crate) fn start() -> Result<Meter, String> {
        Ok(Meter {
            migrations_before: migrations_of_this_thread(),
            migrations: AtomicU64::new(0),
            reported: AtomicU64::new(0),
            before: usage()?,
            begun: Instant::now(),
        })
    }

    /// Called by each thread of the work but the one that started the meter, at its end.
    pub(crate) fn leave(&self) {
        if let Some(migrations) = migrations_of_this_thread() {
            // Ordering: Relaxed, read after the threads were joined.
            self.migrations.fetch_add(migrations, Ordering::Relaxed);
            self.reported.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The cost since the start; `threads` is how many should have called [`leave`](Meter::leave).
    /// The caller fills in the other fields of the sample.
    pub(crate) fn stop(&self, threads: u64) -> Result<Sample, String> {
        let wall_ns = self.begun.elapsed().as_nanos() as u64;
        let now = usage()?;
        let since = |field: fn(&Usage) -> i64| (field(&now) - field(&self.before)).max(0) as f64;
        let mut sample = Sample { wall_ns, ..Sample::default() };
        sample.add_columns([
            ("user", since(|usage| usage.user_time().num_microseconds()) / 1e6),
            ("system", since(|usage| usage.system_time().num_microseconds()) / 1e6),
            // A thread waited; a thread was taken off its core, as its time was up.
            ("voluntary", since(Usage::voluntary_context_switches)),
            ("involuntary", since(Usage::involuntary_context_switches)),
        ]);
        // Ordering: Relaxed for both, the threads were joined.
        if self.reported.load(Ordering::Relaxed) == threads
            && let Some(before) = self.migrations_before
            && let Some(now) = migrations_of_this_thread()
        {
            let others = self.migrations.load(Ordering::Relaxed);
            sample.add_counts([("migrations", now - before + others)]);
        }
        Ok(sample)
    }
}

fn usage() -> Result<Usage, String> {
    getrusage(UsageWho::RUSAGE_SELF).map_err(|error| format!("getrusage: {error}"))
}

/// How often the calling thread has changed cores, if the kernel was built to report it.
fn migrations_of_this_thread() -> Option<u64> {
    field_of("/proc/thread-self/sched", "se.nr_migrations")?.parse().ok()
}

/// The peak memory of this process, in bytes.
pub(crate) fn peak_bytes() -> Option<u64> {
    let kib: u64 = field_of("/proc/self/status", "VmHWM")?.strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_be_wrong_is_reported() {
        let right = Sample { expected: 1000, completed: 1000, ..Sample::default() };
        assert_eq!(right.fault(), None);
        let few = Sample { completed: 999, ..right.clone() };
        assert_eq!(few.fault().unwrap(), "completed 999 of 1000");
        let doubled = Sample { invalid: Some("item 7 was done twice".into()), ..right.clone() };
        assert_eq!(doubled.fault().unwrap(), "item 7 was done twice");
        let mut odd = right;
        odd.add_columns([("share", f64::NAN)]);
        let Run { figures, .. } = odd.into();
        assert_eq!((figures.get("share"), figures.get("completed")), (None, Some(1000.0)));
    }
}
