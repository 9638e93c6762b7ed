//! What a stretch of work cost: wall and CPU time, context switches, migrations.

use std::{fs, sync::atomic::AtomicU64, sync::atomic::Ordering, time::Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::queues::row::Sample;

/// Started before the work, stopped after all its threads have been joined.
///
/// Threads that ended in between are included. To know the migrations too, each thread calls
/// [`leave`](Meter::leave) as the last thing it does; where one does not, or the system does not
/// tell, the migrations are unknown.
pub(crate) struct Meter {
    begun: Instant,
    before: Usage,
    migrations_before: Option<u64>,
    migrations: AtomicU64,
    told: AtomicU64,
}

impl Meter {
    /// Begins to count, now.
    pub(crate) fn start() -> Result<Meter, String> {
        Ok(Meter {
            migrations_before: migrations_of_this_thread(),
            migrations: AtomicU64::new(0),
            told: AtomicU64::new(0),
            before: usage()?,
            begun: Instant::now(),
        })
    }

    /// Called by each thread of the work but the one that started the meter, at its end.
    pub(crate) fn leave(&self) {
        if let Some(migrations) = migrations_of_this_thread() {
            // Ordering: Relaxed, read after the threads were joined.
            self.migrations.fetch_add(migrations, Ordering::Relaxed);
            self.told.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What it cost since the start; `threads` is how many should have called
    /// [`leave`](Meter::leave). The other fields of the sample are for the caller to fill in.
    pub(crate) fn stop(self, threads: u64) -> Result<Sample, String> {
        let wall_ns = self.begun.elapsed().as_nanos() as u64;
        let now = usage()?;
        let since = |field: fn(&Usage) -> i64| (field(&now) - field(&self.before)).max(0) as u64;
        let own = migrations_of_this_thread().zip(self.migrations_before);
        let all_told = self.told.into_inner() == threads;
        Ok(Sample {
            wall_ns,
            cpu_ns: since(|usage| (usage.user_time() + usage.system_time()).num_microseconds())
                * 1000,
            voluntary: since(Usage::voluntary_context_switches),
            involuntary: since(Usage::involuntary_context_switches),
            migrations: own
                .filter(|_| all_told)
                .map(|(now, before)| now - before + self.migrations.into_inner()),
            ..Sample::default()
        })
    }
}

fn usage() -> Result<Usage, String> {
    getrusage(UsageWho::RUSAGE_SELF).map_err(|error| format!("getrusage: {error}"))
}

/// How often the calling thread has changed cores, if the kernel was built to tell.
fn migrations_of_this_thread() -> Option<u64> {
    let sched = fs::read_to_string("/proc/thread-self/sched").ok()?;
    let line = sched.lines().find(|line| line.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// The most memory this process ever had, in bytes.
pub(crate) fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
