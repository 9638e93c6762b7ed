//! Times, measured by hyperfine: one run per call, so that commands can take turns.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::process::{self, Ended, Failure};
use crate::record::Figures;
use crate::suite::cache::Cache;

/// The installed hyperfine.
#[derive(Clone, Debug)]
pub(crate) struct Hyperfine {
    program: PathBuf,
    /// Its own words: `hyperfine 1.19.0`.
    pub(crate) version: String,
}

/// The oldest version that starts a command without a shell and feeds its output to a pipe.
const OLDEST: (u32, u32) = (1, 15);

const INSTALL: &str = "install it with your system's packages (`apt install hyperfine`, \
                       `brew install hyperfine`, `pacman -S hyperfine`) or `cargo install --locked \
                       hyperfine`";

/// A command that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [String],
    pub(crate) directory: &'a Path,
    /// Where it prints to: to `/dev/null` ([`NULL`](Job::NULL)), which is the least work for all,
    /// or to a pipe ([`PIPE`](Job::PIPE)), since some tools stop at the first match if the output
    /// goes to `/dev/null`.
    pub(crate) output: &'static str,
    /// How long a run may take.
    pub(crate) limit: Duration,
}

impl Job<'_> {
    /// As hyperfine calls it.
    pub(crate) const NULL: &'static str = "null";
    pub(crate) const PIPE: &'static str = "pipe";

    /// The command alone, as a shell would take it. Fails if an argument contains NUL.
    fn quoted(&self) -> Result<String, Failure> {
        let program = self.program.to_string_lossy();
        let words = [&*program].into_iter().chain(self.arguments.iter().map(String::as_str));
        shlex::try_join(words).map_err(Failure::of)
    }
}

impl Hyperfine {
    /// The program of that name. Fails with instructions if it is not installed or too old.
    pub(crate) fn find(program: &Path) -> Result<Hyperfine, String> {
        let mut command = Command::new(program);
        command.arg("--version");
        let ended = process::run(command, b"", Duration::from_secs(10)).map_err(|failure| {
            format!("hyperfine measures the times and is not installed ({failure}): {INSTALL}")
        })?;
        let text = String::from_utf8_lossy(&ended.output);
        let text = text.lines().next().unwrap_or_default().trim().to_owned();
        match version(&text) {
            Some(found) if found >= OLDEST => {
                Ok(Hyperfine { program: program.to_owned(), version: text })
            }
            Some(_) => {
                let (major, minor) = OLDEST;
                Err(format!("{text} is too old, {major}.{minor} is needed: {INSTALL}"))
            }
            None => Err(format!("'{text}' is no version of hyperfine: {INSTALL}")),
        }
    }

    /// Times one run of `job`, which must end with `code`.
    pub(crate) fn time(&self, job: Job<'_>, code: i32, cache: Cache) -> Result<Figures, Failure> {
        let export = tempfile::NamedTempFile::new().map_err(Failure::of)?;
        let mut hyperfine = Command::new(&self.program);
        hyperfine.current_dir(job.directory).args(["--shell=none", "--runs=1", "--style=none"]);
        hyperfine.args(["--ignore-failure", "--export-json"]).arg(export.path());
        hyperfine.args(["--output", job.output]);
        if let Some(preparation) = cache.preparation() {
            hyperfine.args(["--prepare", &preparation]);
        }
        hyperfine.arg("--").arg(job.quoted()?);
        let ended = process::run(hyperfine, b"", job.limit)?;
        if !ended.status.success() {
            let Ended { status, complaint, .. } = ended;
            return Err(Failure::Fault(format!("hyperfine: {status}: {complaint}")));
        }
        let text = std::fs::read_to_string(export.path()).map_err(Failure::of)?;
        run(&text, code).map_err(Failure::Fault)
    }
}

/// What hyperfine exports, as far as it is used.
#[derive(Deserialize)]
struct Export {
    results: Vec<Exported>,
}

#[derive(Deserialize)]
struct Exported {
    times: Vec<f64>,
    user: f64,
    system: f64,
    exit_codes: Vec<Option<i32>>,
}

/// The one run of an export, which should have ended with `code`.
fn run(export: &str, code: i32) -> Result<Figures, String> {
    let export: Export =
        serde_json::from_str(export).map_err(|error| format!("hyperfine's export: {error}"))?;
    let result = export.results.first().ok_or("hyperfine exported no result")?;
    match (result.times.first(), result.exit_codes.first()) {
        (Some(&wall), Some(&Some(ended))) if ended == code => {
            Ok(Figures::of([("wall", wall), ("user", result.user), ("system", result.system)]))
        }
        (Some(_), Some(Some(ended))) => {
            Err(format!("ended with {ended} instead of {code} when it was timed"))
        }
        (Some(_), Some(None)) => Err("died of a signal when it was timed".to_owned()),
        _ => Err("hyperfine exported no time".to_owned()),
    }
}

/// Major and minor of `hyperfine 1.19.0`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("hyperfine ")?.split('.').map(|part| part.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("hyperfine 1.9.0"), Some((1, 9)));
        assert!(version("hyperfine 1.9.0") < Some(OLDEST));
        assert!(version("hyperfine 1.19.0") > Some(OLDEST));
        assert_eq!(version("something else"), None);
    }

    #[test]
    fn exports_are_read_and_checked() {
        let export = |times: &str, codes: &str| {
            format!(
                r#"{{"results":[{{"command":"x","mean":1,"stddev":null,"user":0.5,"system":0.25,
                "times":{times},"exit_codes":{codes}}}]}}"#
            )
        };
        let read = run(&export("[1.5]", "[1]"), 1).unwrap();
        assert_eq!(read, Figures::of([("wall", 1.5), ("user", 0.5), ("system", 0.25)]));
        let error = run(&export("[1.5]", "[2]"), 1).unwrap_err();
        assert_eq!(error, "ended with 2 instead of 1 when it was timed");
        assert!(run(&export("[1.5]", "[null]"), 0).unwrap_err().contains("signal"));
        assert!(run(&export("[]", "[0]"), 0).unwrap_err().contains("no time"));
        assert!(run("{}", 0).unwrap_err().starts_with("hyperfine's export: "));
    }

    #[test]
    fn without_hyperfine_the_error_names_a_remedy() {
        let error = Hyperfine::find(Path::new("no-hyperfine-here")).unwrap_err();
        assert!(error.contains("apt install hyperfine"), "{error}");
        let error = Hyperfine::find(Path::new("true")).unwrap_err();
        assert!(error.contains("' is no version of hyperfine: install"), "{error}");
    }
}
