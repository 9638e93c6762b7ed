//! The record that every command writes: a dated result with the machine, the versions and every
//! sample, as JSON, from which tables, pages and comparisons are made without measuring.
//!
//! What was measured is not fixed: a run is a map of named [`Figures`], so that the same record
//! holds whole programs' times, a queue's counters and a random search's CPU times.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use heist_queue::QueueKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use crate::corpora::Corpus;
use crate::files;
pub(crate) use crate::machine::Tool;
use crate::machine::{self, Machine};
use crate::stats::Spread;

/// The `tool` in rows about `hs`, which all others are compared with.
pub(crate) const HEIST: &str = "hs";
/// The `tool` in rows about `hs` with an index.
pub(crate) const INDEXED: &str = "hs index";
/// The `tool` in rows about `hs` with an index and a process that watches the tree.
pub(crate) const WATCHED: &str = "hs watch";
/// The `tool` of rows that do the least work possible.
pub(crate) const FLOOR: &str = "floor";
/// The `tool` of rows that run heist's walker alone, inside this program.
pub(crate) const WALKER: &str = "walker";

/// The format's version; rises when older programs cannot read a record any more.
pub(crate) const RECORD_VERSION: u64 = 2;

/// A row is noisy from this share of its median on.
pub(crate) const NOISE: f64 = 0.05;

/// More than this many threads `hs` does not start by default.
const MOST_DEFAULT_THREADS: usize = 12;

/// The kind of session that a record is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RecordKind {
    /// Whole programs that list and search trees, with every queue and number of threads.
    #[default]
    Walk,
    /// Whole programs that search for many patterns.
    Search,
    /// An index: its cost, and the same searches with and without it.
    Index,
    /// Queues alone, on synthetic loads.
    Queues,
    /// Random command lines.
    Hunt,
}

/// Where a record goes by default: `benchsuite/records/` in a checkout, otherwise the current
/// directory, with its kind and its date.
pub(crate) fn default_path(kind: RecordKind, date: &str) -> PathBuf {
    let records = Path::new("benchsuite/records");
    let directory = if records.is_dir() { records } else { Path::new("") };
    let date = date.replace(':', "").replace(' ', "-");
    directory.join(format!("{}-{date}.json", serde_json::json!(kind).as_str().unwrap_or_default()))
}

/// A dated result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    /// [`RECORD_VERSION`] of the program that wrote it.
    pub(crate) version: u64,
    pub(crate) kind: RecordKind,
    /// When it began, in UTC, as `2026-03-02 14:05`.
    pub(crate) date: String,
    pub(crate) machine: Machine,
    pub(crate) method: Method,
    /// The programs and libraries that took part.
    pub(crate) tools: Vec<Tool>,
    /// The trees, files and synthetic loads.
    pub(crate) corpora: Vec<Corpus>,
    /// In the order in which they were measured.
    pub(crate) comparisons: Vec<Comparison>,
    /// Whether it was stopped before everything was measured.
    pub(crate) is_partial: bool,
    /// What a reader must know before trusting a figure: load, stolen time, missing tools.
    pub(crate) warnings: Vec<String>,
}

/// How a session measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Method {
    /// Timed runs per row.
    pub(crate) repeats: usize,
    /// The most runs of a noisy row.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) most_repeats: usize,
    /// Runs per row for memory and switches, if those are separate.
    pub(crate) cost_runs: usize,
    /// The seed for the order of runs, or for the random command lines.
    pub(crate) seed: u64,
    /// What took the times: `hyperfine 1.19.0`.
    pub(crate) timer: String,
    /// Whether rows were fewer and smaller than usual.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) quick: bool,
}

/// Several rows that do the same work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Comparison {
    /// The name of the [`Corpus`].
    pub(crate) corpus: String,
    /// The task: `list-all`, `literal`; or the set-up of a synthetic load: `8 thieves, 2 victims`.
    pub(crate) task: String,
    /// The task in a sentence.
    pub(crate) about: String,
    /// `warm` or `cold`; empty if no files are read.
    pub(crate) cache: String,
    pub(crate) rows: Vec<Row>,
}

/// One way to do the work, and every sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Row {
    /// The program (`hs`, `rg`, `floor`) or the system under test (`deque`, `rayon`).
    pub(crate) tool: String,
    /// The work queue, where one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue: Option<String>,
    /// The idle policy, where one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) idle: Option<String>,
    /// How many threads it was given; `None` if it decides itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) threads: Option<usize>,
    /// Threads that produce work besides.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) producers: usize,
    /// The command as a shell would take it, to be run in the corpus.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) command: String,
    /// What it printed or visited, in the run before those that count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Outcome>,
    /// Whether the result equals what `hs` found; `None` if there is nothing to compare. A row with
    /// another result is shown and not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agrees: Option<bool>,
    /// Why the row is invalid: it hung, died, did other work, or is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<String>,
    /// Every timed run.
    pub(crate) runs: Vec<Figures>,
    /// Runs for everything but time, where those are separate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Figures>,
    /// Runs that were repeated because the hypervisor gave the time to others.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) discarded: usize,
    /// Runs that count all the same, since it went on doing so.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) disturbed: usize,
    /// Why there are fewer runs than wanted, if that is no fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cut_short: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What a command printed, or what a walk visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Lines on standard output, or entries.
    pub(crate) lines: u64,
    /// The sum of the lines' hashes; a hash of all in order where the order counts.
    pub(crate) digest: u64,
    /// The exit code.
    pub(crate) code: i32,
}

impl Outcome {
    /// Whether two commands printed the same.
    pub(crate) fn agrees(&self, other: &Outcome) -> bool {
        (self.lines, self.digest) == (other.lines, other.digest)
    }
}

/// The figures of one run by name: `wall`, `user`, `system` in seconds, `peak_bytes`, and counts
/// such as `voluntary` and `steals`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Figures(pub(crate) BTreeMap<String, f64>);

impl Figures {
    pub(crate) fn of<'a>(figures: impl IntoIterator<Item = (&'a str, f64)>) -> Figures {
        Figures(figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The figure `name`, measured or derived: `cpu` is user + system, `switches` voluntary +
    /// involuntary, `ns/op` and `CPU ns/op` a share per completed item, `Mops/s` millions of items
    /// per second.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        let own = |name: &str| self.0.get(name).copied();
        let sum = |one, other| Some(own(one)? + own(other)?);
        let completed = || own("completed").filter(|&completed| completed > 0.0);
        own(name).or_else(|| match name {
            "cpu" => sum("user", "system"),
            "switches" => sum("voluntary", "involuntary"),
            "faults" => sum("minor_faults", "major_faults"),
            "ns/op" => Some(own("wall")? * 1e9 / completed()?),
            "CPU ns/op" => Some(self.get("cpu")? * 1e9 / completed()?),
            "Mops/s" => Some(own("completed")? / own("wall").filter(|&wall| wall > 0.0)? / 1e6),
            _ => None,
        })
    }
}

impl Row {
    /// What tables call it: `hs deque -j8`, `rg`.
    pub(crate) fn name(&self) -> String {
        let threads = self.threads.map(|threads| format!("-j{threads}")).unwrap_or_default();
        let parts = [self.tool.clone(), self.way(), threads];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The queue and the idle policy that were chosen: `deque biased-event`; empty if none was.
    pub(crate) fn way(&self) -> String {
        let chosen = [&self.queue, &self.idle].into_iter().flatten();
        chosen.cloned().collect::<Vec<_>>().join(" ")
    }

    /// Every value of a figure: from the timed runs if all have it, otherwise from the cost runs
    /// that have it. Where a timed run lacks a figure, the others would be a selection.
    pub(crate) fn values(&self, name: &str) -> Vec<f64> {
        let timed: Option<Vec<f64>> = self.runs.iter().map(|run| run.get(name)).collect();
        timed
            .filter(|values| !values.is_empty())
            .unwrap_or_else(|| self.costs.iter().filter_map(|cost| cost.get(name)).collect())
    }

    /// How many runs missed what they looked for.
    pub(crate) fn missed(&self) -> usize {
        self.values("missed").iter().filter(|&&missed| missed > 0.0).count()
    }

    /// The spread of a figure.
    pub(crate) fn spread(&self, name: &str) -> Option<Spread> {
        Spread::of(&self.values(name))
    }

    /// The median of a figure.
    pub(crate) fn median(&self, name: &str) -> Option<f64> {
        self.spread(name).map(|spread| spread.median)
    }

    /// Wall times in seconds.
    pub(crate) fn wall(&self) -> Option<Spread> {
        self.spread("wall")
    }

    /// Whether its time may be compared: it was timed, and did what it should.
    pub(crate) fn is_ranked(&self) -> bool {
        self.fault.is_none() && self.agrees != Some(false) && !self.runs.is_empty()
    }

    /// Wall times in seconds, if they may be compared.
    pub(crate) fn ranked(&self) -> Option<Spread> {
        self.wall().filter(|_| self.is_ranked())
    }

    /// How far its times vary, as a share of their median.
    pub(crate) fn noise(&self) -> f64 {
        let wall = self.ranked().filter(|wall| wall.median > 0.0);
        wall.map_or(0.0, |wall| wall.noise / wall.median)
    }

    /// Makes the row invalid, unless an earlier reason did so.
    pub(crate) fn fail(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    pub(crate) fn is_house(&self) -> bool {
        self.tool == HEIST
    }

    pub(crate) fn is_floor(&self) -> bool {
        self.tool == FLOOR
    }

    pub(crate) fn is_walker(&self) -> bool {
        self.tool == WALKER
    }

    /// Whether it is `hs` in another state than that which all are compared with.
    pub(crate) fn is_indexed(&self) -> bool {
        [INDEXED, WATCHED].contains(&&*self.tool)
    }

    /// Whether it is a program that could be run instead of `hs`.
    pub(crate) fn is_rival(&self) -> bool {
        !self.is_house() && !self.is_floor() && !self.is_walker()
    }

    /// Whether the program chose threads and queue itself, or was given what it would have chosen
    /// on a machine with `cores` cores. The floor chooses nothing; it is meant to use all cores.
    pub(crate) fn is_default(&self, cores: usize) -> bool {
        let usual = if self.is_floor() { cores } else { default_threads(cores) };
        self.threads.is_none_or(|given| given == usual)
            && self.queue.as_deref().is_none_or(|given| given == QueueKind::default().name())
    }

    /// Whether there are more threads, producers included, than `cores`.
    pub(crate) fn is_crowded(&self, cores: usize) -> bool {
        self.threads.is_some_and(|threads| threads + self.producers > cores)
    }
}

/// How many threads `hs` starts by default.
pub(crate) fn default_threads(cores: usize) -> usize {
    cores.clamp(1, MOST_DEFAULT_THREADS)
}

impl Comparison {
    /// What headings call it: `linux, list-all, warm`.
    pub(crate) fn name(&self) -> String {
        let parts = [&self.corpus, &self.task, &self.cache].into_iter();
        parts.filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", ")
    }

    /// The fastest ranked row about a program, or about the walker where no program was timed.
    pub(crate) fn best(&self) -> Option<&Row> {
        fastest(self.rows.iter().filter(|row| row.is_house() || row.is_rival()))
            .or_else(|| fastest(self.rows.iter().filter(|row| row.is_walker())))
    }
}

/// The ranked row with the least median time.
pub(crate) fn fastest<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<&'a Row> {
    let timed = rows.into_iter().filter_map(|row| Some((row, row.ranked()?.median)));
    timed.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(row, _)| row)
}

impl Record {
    /// A record without rows that begins now, here.
    pub(crate) fn begin(kind: RecordKind, method: Method) -> Record {
        let (date, machine) = (machine::date(), Machine::here());
        Record { version: RECORD_VERSION, kind, date, machine, method, ..Record::default() }
    }

    /// Every row with its comparison.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Comparison, &Row)> {
        self.comparisons.iter().flat_map(|one| one.rows.iter().map(move |row| (one, row)))
    }

    /// Reads a record; errors name the path. A file without `version` is no record, and one of
    /// another version is not read.
    pub(crate) fn read(path: &Path) -> io::Result<Record> {
        let read = || {
            let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
            let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            match value["version"].as_u64() {
                Some(RECORD_VERSION) => {
                    serde_json::from_value(value).map_err(|error| error.to_string())
                }
                Some(other) => {
                    Err(format!("record of version {other}, this program reads {RECORD_VERSION}"))
                }
                None => Err("not a record of benchsuite".to_owned()),
            }
        };
        read().map_err(|why| io::Error::other(format!("{}: {why}", path.display())))
    }

    /// Writes the record, or leaves what was there; errors name the path.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        files::write_json(path, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("record.json");
        let figures = [("wall", 0.25), ("steals", 0.1 + 0.2), ("bytes", (1_u64 << 53) as f64)];
        let row = Row {
            tool: "hs".into(),
            agrees: Some(true),
            queue: Some("deque".into()),
            threads: Some(8),
            result: Some(Outcome { lines: 1, digest: u64::MAX, code: 0 }),
            runs: vec![Figures::of(figures)],
            fault: Some("HUNG".into()),
            cut_short: Some("no time".into()),
            ..Row::default()
        };
        assert_eq!(row.name(), "hs deque -j8");
        let machine = Machine { cpu: Some("Fast \"9000\"".into()), ..Machine::default() };
        let comparisons = vec![Comparison { rows: vec![row], ..Comparison::default() }];
        let record = Record { version: RECORD_VERSION, machine, comparisons, ..Record::default() };
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "no other file is left");
    }

    #[test]
    fn a_figure_that_one_timed_run_lacks_has_no_median() {
        let run = |wall: f64, migrations: Option<f64>| {
            Figures::of([("wall", wall)].into_iter().chain(migrations.map(|n| ("migrations", n))))
        };
        let runs = [(10.0, Some(3.0)), (30.0, Some(5.0)), (20.0, Some(4.0))];
        let mut row = Row::default();
        row.runs.extend(runs.map(|(wall, migrations)| run(wall, migrations)));
        assert_eq!(row.median("migrations"), Some(4.0));
        assert_eq!(row.wall().map(|wall| (wall.min, wall.mad)), Some((10.0, 10.0)));
        row.runs.push(run(40.0, None));
        assert_eq!(row.median("migrations"), None);
        row.costs = vec![run(0.0, Some(7.0)), run(0.0, None)];
        assert_eq!(row.median("migrations"), Some(7.0), "cost runs may lack it");
    }
}
