//! What is kept of a run of `benchsuite walk` or `benchsuite search`: everything that was measured and
//! how, as JSON, so that a table or a report can be made again without measuring.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use heist_queue::QueueKind;
use serde::{Deserialize, Serialize};

use crate::corpora::Shape;
use crate::files;
use crate::machine::Machine;
use crate::stats::Spread;
use crate::walker::default_threads;

/// What rows call the program that all others are compared with.
pub(crate) const HEIST: &str = "hs";

/// What rows call the least work that could be done.
pub(crate) const FLOOR: &str = "floor";

/// Rises when an older program could no longer read a record.
pub(crate) const VERSION: u32 = 1;

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// [`VERSION`] of the program that wrote it.
    pub(crate) version: u32,
    /// `walk` or `search`.
    pub(crate) kind: String,
    /// When it began, in UTC, as `2026-03-02 14:05`.
    pub(crate) date: String,
    /// Where.
    pub(crate) machine: Machine,
    /// How it was measured.
    pub(crate) method: Method,
    /// The programs that took part.
    pub(crate) tools: Vec<Tool>,
    /// The trees and files.
    pub(crate) corpora: Vec<Corpus>,
    /// One per corpus, task and state of the cache, in the order they were measured.
    pub(crate) comparisons: Vec<Comparison>,
    /// Whether it was stopped before everything was measured.
    pub(crate) is_partial: bool,
    /// What a reader has to know before trusting a figure: load, stolen time, missing tools.
    pub(crate) warnings: Vec<String>,
}

/// How a session measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Method {
    /// Timed runs per command.
    pub(crate) repeats: usize,
    /// Runs per command for memory and switches.
    pub(crate) cost_runs: usize,
    /// What the order of commands was drawn from.
    pub(crate) seed: u64,
    /// What took the time: `hyperfine 1.19.0`.
    pub(crate) timer: String,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tool {
    /// As rows call it: `hs`, `rg`, `git grep`.
    pub(crate) name: String,
    /// The first line of what it says about its version.
    pub(crate) version: String,
}

/// What was searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Corpus {
    /// Its name in tables.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) shape: Shape,
    /// The type of its file system: `ext4`.
    pub(crate) file_system: Option<String>,
}

/// Several commands that do the same work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comparison {
    /// The name of the corpus.
    pub(crate) corpus: String,
    /// The name of the task: `list-all`, `list-ignore`, `no-hit`, `literal`.
    pub(crate) task: String,
    /// What is done, in a sentence.
    pub(crate) about: String,
    /// `warm` or `cold`.
    pub(crate) cache: String,
    /// Its commands.
    pub(crate) rows: Vec<Row>,
}

/// A command and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The program: `hs`, `rg`, `floor`.
    pub(crate) tool: String,
    /// The work queue, for `hs` where several were compared.
    pub(crate) queue: Option<String>,
    /// How many threads it was told to use; `None`: it decides.
    pub(crate) threads: Option<usize>,
    /// The command as a shell would take it, to be run in the corpus.
    pub(crate) command: String,
    /// What it printed, in the run before those that count.
    pub(crate) result: Option<Outcome>,
    /// Whether it printed what `hs` did. A row that did not is shown and not ranked; `None`: nothing to compare.
    pub(crate) agrees: Option<bool>,
    /// Why there is nothing more, or nothing at all: it hung, failed, or is not installed.
    pub(crate) fault: Option<String>,
    /// Every timed run.
    pub(crate) runs: Vec<Run>,
    /// Runs for everything but time.
    pub(crate) costs: Vec<Cost>,
    /// System calls per file of the corpus, from a run of its own.
    pub(crate) calls_per_file: Option<f64>,
}

/// What a command printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Lines on standard output.
    pub(crate) lines: u64,
    /// The sum of the hashes of the lines, whatever their order; a hash of all where order counts.
    pub(crate) digest: u64,
    /// The exit code.
    pub(crate) code: i32,
}

/// One timed run, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// From start to end.
    pub(crate) wall: f64,
    /// Time on a core in the program.
    pub(crate) user: f64,
    /// Time on a core in the kernel.
    pub(crate) system: f64,
}

/// One run for everything but time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// The most memory it had, in bytes.
    pub(crate) peak_bytes: u64,
    /// Context switches because a thread waited.
    pub(crate) voluntary: u64,
    /// Context switches because others were to run.
    pub(crate) involuntary: u64,
    /// Page faults that needed no disk.
    pub(crate) minor_faults: u64,
    /// Page faults that did.
    pub(crate) major_faults: u64,
    /// Times a thread went on another core, where `perf` tells.
    pub(crate) migrations: Option<u64>,
}

impl Row {
    /// What it is called in tables: `hs deque -j8`, `rg`.
    pub(crate) fn name(&self) -> String {
        let queue = self.queue.as_ref().map(|queue| format!(" {queue}")).unwrap_or_default();
        let threads = self.threads.map(|threads| format!(" -j{threads}")).unwrap_or_default();
        format!("{}{queue}{threads}", self.tool)
    }

    /// Wall times in seconds.
    pub(crate) fn wall(&self) -> Option<Spread> {
        self.spread(|run| run.wall)
    }

    /// Another time of the runs, in seconds.
    pub(crate) fn spread(&self, time: impl Fn(&Run) -> f64) -> Option<Spread> {
        Spread::of(&self.runs.iter().map(time).collect::<Vec<f64>>())
    }

    /// The median of a cost.
    pub(crate) fn cost(&self, figure: impl Fn(&Cost) -> f64) -> Option<f64> {
        let figures: Vec<f64> = self.costs.iter().map(figure).collect();
        Spread::of(&figures).map(|spread| spread.median)
    }

    /// Voluntary and involuntary context switches together.
    pub(crate) fn switches(&self) -> Option<f64> {
        self.cost(|cost| (cost.voluntary + cost.involuntary) as f64)
    }

    /// Whether its time may be compared with others: it was timed, and printed what it should.
    pub(crate) fn is_ranked(&self) -> bool {
        self.fault.is_none() && self.agrees != Some(false) && !self.runs.is_empty()
    }

    /// Wall times in seconds, if they may be compared with others.
    pub(crate) fn ranked(&self) -> Option<Spread> {
        self.wall().filter(|_| self.is_ranked())
    }

    /// Whether it is one of ours.
    pub(crate) fn is_house(&self) -> bool {
        self.tool == HEIST
    }

    /// Whether it is the least work that could be done, and no program anyone runs.
    pub(crate) fn is_floor(&self) -> bool {
        self.tool == FLOOR
    }

    /// Whether the program decided itself about threads and queue, or was told what it would have
    /// decided on a machine with so many cores. The floor decides nothing; it is meant to use all.
    pub(crate) fn is_default(&self, cores: usize) -> bool {
        let usual = if self.is_floor() { cores } else { default_threads(cores) };
        self.threads.is_none_or(|told| told == usual)
            && self.queue.as_deref().is_none_or(|told| told == QueueKind::default().name())
    }

    /// Whether there are more threads than `cores`.
    pub(crate) fn is_crowded(&self, cores: usize) -> bool {
        self.threads.is_some_and(|threads| threads > cores)
    }
}

impl Comparison {
    /// What it is called in headings: `linux, list-all, warm`.
    pub(crate) fn name(&self) -> String {
        format!("{}, {}, {}", self.corpus, self.task, self.cache)
    }

    /// The fastest row that may be ranked and is no floor.
    pub(crate) fn best(&self) -> Option<&Row> {
        fastest(self.rows.iter().filter(|row| !row.is_floor()))
    }
}

/// The row with the least median time among those that may be ranked.
pub(crate) fn fastest<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<&'a Row> {
    let timed = rows.filter_map(|row| Some((row, row.ranked()?.median)));
    timed.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(row, _)| row)
}

impl Record {
    /// Reads one from a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is no record of this kind, or was written by a newer program; with the path.
    pub(crate) fn read(path: &Path) -> io::Result<Record> {
        let explain =
            |why: &dyn std::fmt::Display| io::Error::other(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| explain(&error))?;
        let fields: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(&text).map_err(|error| explain(&error))?;
        let known = fields.get("kind").and_then(|kind| kind.as_str());
        if !matches!(known, Some("walk" | "search")) || !fields.contains_key("method") {
            return Err(explain(&"no record of `benchsuite walk` or `benchsuite search`"));
        }
        let version = fields.get("version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if version > u64::from(VERSION) {
            let why =
                format!("version {version} of the format, newer than this program's {VERSION}");
            return Err(explain(&why));
        }
        serde_json::from_str(&text).map_err(|error| explain(&error))
    }

    /// Writes it to a file, or leaves what was there.
    ///
    /// # Errors
    ///
    /// As the system says, with the path.
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
        let row = Row {
            tool: "hs".into(),
            queue: Some("deque".into()),
            threads: Some(8),
            runs: vec![Run { wall: 0.25, user: 0.1, system: 0.3 }],
            ..Row::default()
        };
        assert_eq!(row.name(), "hs deque -j8");
        let comparison = Comparison { rows: vec![row], ..Comparison::default() };
        let record = Record {
            version: VERSION,
            kind: "walk".into(),
            comparisons: vec![comparison],
            ..Record::default()
        };
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "nothing else is left there");
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_path() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("other.json");
        let newer = format!(r#"{{"kind":"walk","method":{{}},"version":{}}}"#, VERSION + 1);
        for (text, why) in [
            ("{", "EOF"),
            (r#"{"kind":"queues"}"#, "no record of"),
            (newer.as_str(), "newer than this program's"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Record::read(&path).unwrap_err().to_string();
            assert!(error.contains("other.json: ") && error.contains(why), "{error}");
        }
        assert!(
            Record::read(&temp.path().join("none")).unwrap_err().to_string().contains("none: ")
        );
    }

    #[test]
    fn only_rows_that_agree_are_ranked() {
        let row = |tool: &str, wall: f64| Row {
            tool: tool.into(),
            agrees: Some(true),
            runs: vec![Run { wall, ..Run::default() }],
            ..Row::default()
        };
        let liar = Row { agrees: Some(false), ..row("liar", 0.1) };
        let dead = Row { fault: Some("hung".into()), ..row("dead", 0.1) };
        let rows = vec![liar, dead, row("floor", 0.2), row("slow", 2.0), row("fast", 1.0)];
        let comparison = Comparison { rows, ..Comparison::default() };
        assert_eq!(comparison.best().unwrap().tool, "fast");
        assert!(Comparison::default().best().is_none());
    }
}
