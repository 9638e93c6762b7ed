//! One run of one row in a process of its own, and the watchdog over it.
//!
//! The parent starts this very program again with a hidden subcommand, writes the row to its stdin
//! as JSON and reads the sample from its stdout. So peak memory is that of one run, a hang can be
//! killed, and what dies takes nothing along. While the child measures, the parent sleeps.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::queues::meter;
use crate::queues::row::{Row, Sample};
use crate::queues::scenario;

/// The hidden subcommand.
const SUBCOMMAND: &str = "queues-row";

/// How much of what a child complained about is kept, in characters, counted from the end.
const COMPLAINT: usize = 2000;

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
    let input = match serde_json::to_string(row) {
        Ok(input) => input,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    match start(&input) {
        Ok(child) => watch(child, limit),
        Err(error) => Outcome::Failed(format!("cannot start: {error}")),
    }
}

fn start(input: &str) -> io::Result<Child> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(SUBCOMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // A row is smaller than a pipe, so this cannot block; dropping the end closes it. A child that
    // is dead already is reported by `watch`.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input.as_bytes());
    }
    Ok(child)
}

fn watch(mut child: Child, limit: Duration) -> Outcome {
    let deadline = Instant::now() + limit;
    let stdout = read_all(child.stdout.take());
    let stderr = read_all(child.stderr.take());
    let said = stdout.recv_timeout(limit);
    if said == Err(RecvTimeoutError::Timeout) {
        end(&mut child);
        return Outcome::Hung(limit);
    }
    // It has closed its stdout; what remains is to exit.
    let Some(status) = wait_until(&mut child, deadline) else {
        end(&mut child);
        return Outcome::Hung(limit);
    };
    let complaint = stderr.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    judge(status, &said.unwrap_or_default(), &complaint)
}

/// Reads on a thread of its own until the other side has closed.
fn read_all(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // What was read before an error is still worth having.
            let _ = from.read_to_end(&mut bytes);
        }
        // Nobody listens any more when the child was killed.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
            _ => return None,
        }
    }
}

fn end(child: &mut Child) {
    // It fails only for a child that is gone already.
    let _ = child.kill();
    let _ = child.wait();
}

fn judge(status: ExitStatus, said: &str, complaint: &str) -> Outcome {
    let complaint = complaint.trim();
    let skipped = complaint.chars().count().saturating_sub(COMPLAINT);
    let complaint: String = complaint.chars().skip(skipped).collect();
    if !status.success() {
        return Outcome::Failed(format!("{status}: {complaint}"));
    }
    match serde_json::from_str(said) {
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
