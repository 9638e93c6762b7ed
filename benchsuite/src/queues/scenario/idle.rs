//! `idle`: one worker is busy for a second, all others have nothing to do. What does their waiting
//! cost?

use std::hint;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use heist_queue::{IdleConfig, Job, RunConfig, Spawner, run_on};
use rustix::time::{ClockId, clock_gettime};

use crate::meter::{Meter, Sample};
use crate::queues::case::Case;

pub(super) fn measure(case: &Case) -> Result<Sample, String> {
    let idle = IdleConfig { policy: case.idle_policy()?, ..IdleConfig::default() };
    let cfg = RunConfig { idle, lazy_spawn: false, ..RunConfig::default() };
    let meter = Meter::start()?;
    let wait = |_| Wait { meter: &meter, since: None, worked: false };
    let jobs = (0..case.threads).map(wait).collect();
    let work = Duration::from_millis(case.number("millis"));
    let report =
        run_on(case.queue()?, &cfg, vec![work], jobs).map_err(|panicked| panicked.to_string())?;
    let idle_time: Duration = report.outputs.iter().sum();
    let mut sample = meter.stop(case.threads as u64 - 1)?;
    let idlers = case.threads as f64 - 1.0;
    let share = idle_time.as_secs_f64() / (sample.wall_ns as f64 / 1e9 * idlers);
    sample.expected = 1;
    sample.completed = report.executed;
    if report.executed != 1 {
        sample.invalid = Some(format!("the item ran {} times", report.executed));
    }
    sample.add_columns([("idle_cpu_percent", share * 100.0)]);
    sample.add_counts([("parks", report.idle.parks)]);
    Ok(sample)
}

/// A worker that returns how much CPU time it used while it had nothing to do.
struct Wait<'a> {
    meter: &'a Meter,
    /// The CPU time of the thread when it first tried to park.
    since: Option<Duration>,
    worked: bool,
}

impl Job<Duration> for Wait<'_> {
    type Output = Duration;

    fn run<S: Spawner<Duration>>(&mut self, work: Duration, _: &mut S) -> ControlFlow<()> {
        self.worked = true;
        let begun = Instant::now();
        while begun.elapsed() < work {
            hint::spin_loop();
        }
        ControlFlow::Continue(())
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        self.since = self.since.or_else(|| Some(cpu_of_this_thread()));
        ControlFlow::Continue(())
    }

    fn finish(self) -> Duration {
        let used = self.since.map_or(Duration::ZERO, |since| cpu_of_this_thread() - since);
        if std::thread::current().name().is_some_and(|name| name.starts_with("worker-")) {
            self.meter.leave();
        }
        if self.worked { Duration::ZERO } else { used }
    }
}

fn cpu_of_this_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
