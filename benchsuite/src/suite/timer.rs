//! Times of one run per call, so that commands can take turns: hyperfine's, or this program's where
//! hyperfine is missing.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::child;
use crate::process::{self, Failure, Job};
use crate::record::Figures;
use crate::suite::cache::Cache;
use crate::suite::costs;

/// The oldest hyperfine that starts a command without a shell and feeds its output to a pipe.
const OLDEST: (u32, u32) = (1, 15);

/// What measures times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    Hyperfine,
    /// This program: the time from the start of a process until it has been waited for.
    Own,
}

impl Timer {
    /// hyperfine if a version that will do is installed, and its name and version: `hyperfine
    /// 1.19.0`. Otherwise this program, with the reason, and how to get hyperfine.
    pub(crate) fn choose() -> (Timer, String) {
        match version() {
            Ok(version) => (Timer::Hyperfine, version),
            Err(why) => {
                let gain = "install it with your system's packages, such as `apt install \
                            hyperfine`, for times that others can repeat with a program they know";
                (Timer::Own, format!("benchsuite itself, as {why} ({gain})"))
            }
        }
    }

    /// Times one run of `job`, which must end with `code`.
    pub(crate) fn time(
        self,
        job: &Job,
        code: i32,
        cache: Cache,
        limit: Duration,
    ) -> Result<Figures, Failure> {
        cache.prepare().map_err(Failure::of)?;
        if self == Timer::Hyperfine {
            return hyperfine(job, code, limit);
        }
        let Figures(mut figures) = costs::measure(job, code, limit)?;
        figures.retain(|name, _| child::TIMES.contains(&&**name));
        Ok(Figures(figures))
    }
}

/// The version of the installed hyperfine, or why it will not do.
fn version() -> Result<String, String> {
    let text = process::version(Path::new("hyperfine"))
        .map_err(|_| "hyperfine is not installed".to_owned())?;
    let numbers = text.strip_prefix("hyperfine ").unwrap_or_default();
    let mut numbers = numbers.split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST => Ok(text),
        (Some(Ok(_)), Some(Ok(_))) => {
            let (major, minor) = OLDEST;
            Err(format!("{text} is too old, {major}.{minor} is needed"))
        }
        _ => Err(format!("'{text}' is no version of hyperfine")),
    }
}

fn hyperfine(job: &Job, code: i32, limit: Duration) -> Result<Figures, Failure> {
    let export = tempfile::NamedTempFile::new().map_err(Failure::of)?;
    let mut hyperfine = Command::new("hyperfine");
    job.place(&mut hyperfine);
    hyperfine.args(["--shell=none", "--runs=1", "--style=none"]);
    hyperfine.args(["--ignore-failure", "--export-json"]).arg(export.path());
    hyperfine.args(["--output", if job.has_pipe { "pipe" } else { "null" }]);
    hyperfine.arg("--").arg(job.quoted()?);
    let ended = process::run(&mut hyperfine, b"", limit)?;
    if !ended.status.success() {
        let why = format!("hyperfine: {}: {}", ended.status, ended.complaint);
        return Err(Failure::Fault(why));
    }
    let text = fs::read_to_string(export.path()).map_err(Failure::of)?;
    figures(&text, code).map_err(Failure::Fault)
}

/// What hyperfine exports of one run, as far as it is used.
#[derive(Deserialize)]
struct Export {
    results: [Exported; 1],
}

#[derive(Deserialize)]
struct Exported {
    times: [f64; 1],
    user: f64,
    system: f64,
    /// `None` if a signal ended it.
    exit_codes: [Option<i32>; 1],
}

/// The one run of an export, which should have ended with `code`.
fn figures(export: &str, code: i32) -> Result<Figures, String> {
    let Export { results: [result] } =
        serde_json::from_str(export).map_err(|error| format!("hyperfine's export: {error}"))?;
    match result.exit_codes[0] {
        Some(ended) if ended == code => {
            let Exported { times: [wall], user, system, .. } = result;
            Ok(Figures::of([("wall", wall), ("user", user), ("system", system)]))
        }
        Some(ended) => Err(format!("ended with {ended} instead of {code} when it was timed")),
        None => Err("died of a signal when it was timed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_read_and_checked() {
        let read = |times: &str, codes: &str| {
            let times = format!(r#""user":0.5,"system":0.25,"times":{times},"exit_codes":{codes}"#);
            figures(&format!(r#"{{"results":[{{"stddev":null,{times}}}]}}"#), 1)
        };
        let expected = Figures::of([("wall", 1.5), ("user", 0.5), ("system", 0.25)]);
        assert_eq!(read("[1.5]", "[1]"), Ok(expected));
        let ended = "ended with 2 instead of 1 when it was timed";
        assert_eq!(read("[1.5]", "[2]").unwrap_err(), ended);
        assert_eq!(read("[1.5]", "[null]").unwrap_err(), "died of a signal when it was timed");
        assert!(read("[]", "[0]").unwrap_err().starts_with("hyperfine's export: invalid length 0"));
    }
}
