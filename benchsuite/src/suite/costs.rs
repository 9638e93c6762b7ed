//! What a command costs besides time, in runs of their own: memory, switches and faults as the
//! kernel reports them to a process in between, migrations and system calls as `perf` counts them.

use std::fs;
use std::io;
use std::process::Command;
use std::time::Duration;

use crate::child;
use crate::process::{self, Failure, Job};
use crate::record::Figures;

/// Runs a command for its costs; it must end with `code`.
pub(crate) fn measure(job: &Job, code: i32, limit: Duration) -> Result<Figures, Failure> {
    let run = child::run_program(job, limit)?;
    match run.result {
        Some(result) if result.code != code => {
            Err(Failure::Fault(format!("ended with {} instead of {code}", result.code)))
        }
        _ => Ok(run.figures),
    }
}

/// The event of `perf` that a thread went on another core.
pub(crate) const MIGRATIONS: &str = "migrations";
/// The event that `perf` counts for a system call.
pub(crate) const CALLS: &str = "raw_syscalls:sys_enter";

/// The events that `perf` can count here: it may be missing, or forbidden.
pub(crate) fn countable_events() -> Vec<&'static str> {
    let job = Job { program: "true".into(), directory: ".".into(), ..Job::default() };
    let works = |event: &&str| count_event(event, &job, Duration::from_secs(60)).is_ok();
    [MIGRATIONS, CALLS].into_iter().filter(works).collect()
}

/// How often an event happens in a run of a command.
pub(crate) fn count_event(event: &str, job: &Job, limit: Duration) -> Result<f64, Failure> {
    let file = tempfile::NamedTempFile::new().map_err(Failure::of)?;
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x,", "-e", event, "-o"]).arg(file.path()).arg("--").arg(&job.program);
    perf.args(&job.arguments);
    job.place(&mut perf);
    // Its exit code is the command's, which other runs check.
    process::read(&mut perf, b"", limit, |mut output| {
        io::copy(&mut output, &mut io::sink()).is_ok()
    })?;
    let text = fs::read_to_string(file.path()).map_err(Failure::of)?;
    counted(&text).ok_or_else(|| Failure::of("perf counted nothing"))
}

/// The number in what `perf stat -x,` writes.
fn counted(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'))?;
    line.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_perf_are_read() {
        let text = "# started on Sat Nov 21\n\n123,,migrations:u,1000,100.00,,\n";
        assert_eq!(counted(text), Some(123.0));
        assert_eq!(counted("<not supported>,,migrations,0,,,\n"), None);
        assert_eq!(counted(""), None);
    }
}
