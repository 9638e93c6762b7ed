//! Tests that need what this machine lacks report that they are skipped, and why.
//!
//! [`skip`] prints a line on standard error, which no harness captures, and adds it to the record
//! of the run: a file that all test programs started by one `cargo test` share. When they have
//! ended, cargo runs the documentation tests of each library; rustdoc then expands
//! `skipped_tests_summary::report!()`, which prints the [`summary`] of that record. The package
//! with the last name is this one, so `cargo test --workspace` ends with the summary. Decision 0170
//! explains the choice.
//!
//! `HS_TEST_SKIPPED` names a file to which every skipped test is appended as a line of package,
//! test program, test, part and reason, which are separated by tabs.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::{Display, Write as _},
    fs::{self, File},
    io::{self, Write as _},
    path::PathBuf,
    sync::Mutex,
    thread,
    time::Duration,
};

mod place;

pub use place::place;

/// The variable that names a file for all skipped tests.
const LIST_VARIABLE: &str = "HS_TEST_SKIPPED";

/// How the names of records begin.
const PREFIX: &str = "heist-skipped-tests-";

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reports that the test which calls this is skipped, or what is left of it.
///
/// The reason names what is missing: `git is not installed`.
pub fn skip(reason: impl Display) {
    skip_part("", reason);
}

/// Reports that a part of the test, such as a case of a table, is skipped.
pub fn skip_part(part: &str, reason: impl Display) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let reason = reason.to_string();
    let current = thread::current();
    let test = current.name().unwrap_or("a thread");
    let fields = [package(), program(), test.to_owned(), part.to_owned(), reason.clone()];
    let line = fields.map(|field| field.replace(['\t', '\r', '\n'], " ")).join("\t");
    // A panic elsewhere leaves the set as it was.
    let mut reported = REPORTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !reported.insert(line.clone()) {
        return;
    }
    if reported.len() == 1 {
        forget_old_runs();
    }
    let named = env::var_os(LIST_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    for path in named.into_iter().chain(record()) {
        let file = File::options().create(true).append(true).open(path);
        // Nothing depends on the record but the summary.
        let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    }
    let number = reported.len().max(lines_of(&recorded(), None).len());
    let part = if part.is_empty() { String::new() } else { format!(" ({part})") };
    // `eprintln` would write to the buffer of the harness.
    let message = format!("skipped test {number}: {test}{part}: {reason}\n");
    let _ = io::stderr().write_all(message.as_bytes());
}

/// How many tests of a package the run has skipped so far and for which reasons, in lines. `None`
/// means all packages.
///
/// A run is what one `cargo test` starts. The calling process must be started by that cargo too.
#[must_use]
pub fn summary(package: Option<&str>) -> String {
    summarize(&recorded(), package)
}

/// Removes the record of the run.
pub fn forget() {
    if let Some(path) = record() {
        // A run that has skipped nothing has no record.
        let _ = fs::remove_file(path);
    }
}

/// The summary of a record. `a\tb\tc\t\tno git\n` becomes `1 test was skipped:\n  1 × no git\n`.
fn summarize(record: &str, package: Option<&str>) -> String {
    let lines = lines_of(record, package);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in lines.iter().filter_map(|line| line.rsplit('\t').next()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let of = package.map(|name| format!(" of {name}")).unwrap_or_default();
    let mut text = match lines.len() {
        0 => format!("No tests{of} were skipped.\n"),
        1 => format!("1 test{of} was skipped:\n"),
        count => format!("{count} tests{of} were skipped:\n"),
    };
    for (reason, count) in reasons {
        let _ = writeln!(text, "  {count} × {reason}");
    }
    text
}

/// The lines of a record about a package. A test that runs again in the same run counts once.
fn lines_of<'r>(record: &'r str, package: Option<&str>) -> BTreeSet<&'r str> {
    let is_meant = |line: &&str| package.is_none_or(|name| line.split('\t').next() == Some(name));
    record.lines().filter(is_meant).collect()
}

/// The record of the run so far.
fn recorded() -> String {
    record().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
}

/// The package whose tests run, if cargo has started them.
fn package() -> String {
    env::var("CARGO_PKG_NAME").unwrap_or_default()
}

/// The name of the test program without the hash that cargo appends: `hs` of `hs-6d2a04f3`.
fn program() -> String {
    let path = env::current_exe().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match name.rsplit_once('-') {
        Some((name, _)) => name.to_owned(),
        None => name,
    }
}

/// Removes the records of runs that ended without a summary, a day ago or earlier.
fn forget_old_runs() {
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > DAY))
    };
    let entries = fs::read_dir(env::temp_dir()).into_iter().flatten().flatten();
    let records = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for entry in records.filter(is_old) {
        let _ = fs::remove_file(entry.path());
    }
}

/// The file of the run, which is named after the process that started this one. `None` where that
/// process is not known.
fn record() -> Option<PathBuf> {
    Some(env::temp_dir().join(format!("{PREFIX}{}", run()?)))
}

/// The number of the parent process, and when it began, since numbers are used again.
#[cfg(unix)]
fn run() -> Option<String> {
    let parent = std::os::unix::process::parent_id();
    let state = fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
    // proc(5): the name, in parentheses, may contain blanks; `starttime` is the 20th behind it.
    let began = state.rsplit(") ").next().and_then(|fields| fields.split(' ').nth(19));
    Some(format!("{parent}-{}", began.unwrap_or("0")))
}

#[cfg(not(unix))]
fn run() -> Option<String> {
    None
}

#[cfg(doctest)]
skipped_tests_summary::report!();

#[cfg(test)]
mod tests {
    use super::summarize;

    #[test]
    fn equal_reasons_are_counted_together() {
        let record = "p\tq\tone\t\tno git\np\tq\ttwo\t\tno man\no\tq\tthree\tcase\tno git\n";
        let summary = "3 tests were skipped:\n  2 × no git\n  1 × no man\n";
        assert_eq!(summarize(record, None), summary);
        assert_eq!(summarize(&record.repeat(2), None), summary);
        assert_eq!(summarize(record, Some("o")), "1 test of o was skipped:\n  1 × no git\n");
        assert_eq!(summarize("", None), "No tests were skipped.\n");
    }
}
