//! One run of one row in a process of its own, and the watchdog over it.
//!
//! The parent starts this very program again with a hidden subcommand, writes the row to its stdin
//! as JSON and reads the sample from its stdout. So peak memory is that of one run, a hang can be
//! killed, and what dies takes nothing along. While the child measures, the parent sleeps.

use std::io::{self, Read, Write};
use std::process::Command;
use std::time::Duration;

use crate::process::{self, Ended, Failure};
use crate::queues::meter;
use crate::queues::row::{Row, Sample};
use crate::queues::scenario;

/// The hidden subcommand.
const SUBCOMMAND: &str = "queues-row";

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// With a sample, which may still be INVALID.
    Measured(Sample),
    /// It took longer than this and was killed.
    Hung(Duration),
    /// Without a sample, for this reason.
    Failed(String),
}

/// Measures `row` in a process of its own, for at most `limit`.
pub(crate) fn measure(row: &Row, limit: Duration) -> Outcome {
    let start = || -> io::Result<(Command, Vec<u8>)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SUBCOMMAND);
        Ok((command, serde_json::to_vec(row)?))
    };
    let (command, input) = match start() {
        Ok(ready) => ready,
        Err(error) => return Outcome::Failed(format!("cannot start: {error}")),
    };
    match process::run(command, &input, limit) {
        Ok(ended) => judge(&ended),
        Err(Failure::Hung(limit)) => Outcome::Hung(limit),
        Err(failure) => Outcome::Failed(failure.to_string()),
    }
}

fn judge(ended: &Ended) -> Outcome {
    let Ended { status, output, complaint } = ended;
    if !status.success() {
        return Outcome::Failed(format!("{status}: {complaint}"));
    }
    match serde_json::from_slice(output) {
        Ok(sample) => Outcome::Measured(sample),
        Err(error) => Outcome::Failed(format!("no sample: {error}; {complaint}")),
    }
}

/// The child's side: reads a row from stdin, measures it, writes the sample to stdout.
///
/// # Errors
///
/// What kept the row from being measured, which is the child's complaint.
pub(crate) fn serve() -> Result<(), String> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).map_err(|error| format!("stdin: {error}"))?;
    let row: Row = serde_json::from_str(&input).map_err(|error| format!("row: {error}"))?;
    let scenario = scenario::by_name(&row.scenario)
        .ok_or_else(|| format!("there is no scenario '{}'", row.scenario))?;
    let mut sample = scenario.measure(&row)?;
    if sample.peak_bytes.is_none() {
        sample.peak_bytes = meter::peak_bytes();
    }
    // JSON has no word for them.
    sample.columns.retain(|_, value| value.is_finite());
    let output = serde_json::to_string(&sample).map_err(|error| error.to_string())?;
    writeln!(io::stdout(), "{output}").map_err(|error| format!("stdout: {error}"))
}
