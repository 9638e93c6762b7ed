//! The record of a session: everything that was measured, from which all tables are made.
//!
//! It keeps every sample, so that a table can be printed again, or with other columns, without
//! measuring. [`VERSION`] rises when an older program could no longer read it.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files;
use crate::machine::Machine;
use crate::queues::child::Outcome;
use crate::queues::row::{Row, Sample};
use crate::stats::Spread;

/// The version of the format of records.
pub(crate) const VERSION: u32 = 1;

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// [`VERSION`] of the program that wrote it.
    pub(crate) version: u32,
    /// When it began, in UTC.
    pub(crate) date: String,
    /// On what.
    pub(crate) machine: Machine,
    /// What was compared, in which version.
    pub(crate) versions: Vec<(String, String)>,
    /// How it was measured.
    pub(crate) options: Options,
    /// The scenarios, as they describe themselves.
    pub(crate) scenarios: Vec<About>,
    /// The rows, in the order of their tables.
    pub(crate) rows: Vec<RowRecord>,
}

/// How a session measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Options {
    /// Whether the rows were fewer and smaller.
    pub(crate) quick: bool,
    /// Samples wanted per row.
    pub(crate) repeats: usize,
    /// What the order of runs was derived from.
    pub(crate) seed: u64,
}

/// What a scenario says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    /// Its name.
    pub(crate) name: String,
    /// What it shows.
    pub(crate) about: String,
    /// What the document's harness did differently.
    pub(crate) as_published: Option<String>,
}

/// A row and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowRecord {
    /// What was to be measured.
    pub(crate) row: Row,
    /// Every run that counts, in order.
    pub(crate) samples: Vec<Sample>,
    /// Runs without a sample, and what was wrong in the run that does not count.
    pub(crate) faults: Vec<Fault>,
    /// Runs that were repeated because the hypervisor gave the time to others.
    pub(crate) discarded: usize,
    /// Runs that count all the same, since it went on doing so.
    pub(crate) disturbed: usize,
    /// Why there are fewer samples than wanted, if that is no fault.
    pub(crate) cut_short: Option<String>,
}

/// Something that makes a row INVALID.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// It had to be killed after this many milliseconds.
    Hung(u64),
    /// It ended without a sample, with this complaint.
    Failed(String),
    /// It did something else than it should have.
    Wrong(String),
}

impl Fault {
    /// In the words of a table.
    fn describe(&self) -> String {
        match self {
            Fault::Hung(ms) => format!("HUNG, killed after {} s", *ms as f64 / 1000.0),
            Fault::Failed(why) => format!("FAILED: {why}"),
            Fault::Wrong(why) => why.clone(),
        }
    }
}

impl RowRecord {
    /// A row of which nothing is known yet.
    pub(crate) fn new(row: Row) -> RowRecord {
        RowRecord {
            row,
            samples: Vec::new(),
            faults: Vec::new(),
            discarded: 0,
            disturbed: 0,
            cut_short: None,
        }
    }

    /// Notes a run that counts.
    pub(crate) fn note(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Measured(sample) => self.samples.push(sample),
            Outcome::Hung(limit) => self.faults.push(Fault::Hung(limit.as_millis() as u64)),
            Outcome::Failed(why) => self.faults.push(Fault::Failed(why)),
        }
    }

    /// Notes the run that does not count: only what was wrong.
    pub(crate) fn note_warm_up(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Measured(sample) => self.faults.extend(wrong(&sample).map(Fault::Wrong)),
            other => self.note(other),
        }
    }

    /// Whether another run is not worth the time: this one hangs or dies.
    pub(crate) fn is_broken(&self) -> bool {
        self.faults.iter().any(|fault| !matches!(fault, Fault::Wrong(_)))
    }

    /// Why the row is INVALID, if it is: the first reason there is.
    pub(crate) fn invalid(&self) -> Option<String> {
        let of_runs = self.faults.first().map(Fault::describe);
        of_runs
            .or_else(|| self.samples.iter().find_map(wrong))
            .or_else(|| self.samples.is_empty().then(|| "not a single run".to_string()))
    }

    /// The middle of what the samples have in `field`; `None` if one of them has nothing there.
    pub(crate) fn median(&self, field: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> = self.samples.iter().map(field).collect();
        Spread::of(&values?).map(|spread| spread.median)
    }

    /// The shortest wall time, in nanoseconds.
    pub(crate) fn least_wall(&self) -> Option<f64> {
        self.samples.iter().map(|sample| sample.wall_ns).min().map(|ns| ns as f64)
    }

    /// How far the wall times are from their median: the median of the distances, in nanoseconds.
    pub(crate) fn wall_deviation(&self) -> Option<f64> {
        let walls: Vec<f64> = self.samples.iter().map(|sample| sample.wall_ns as f64).collect();
        Spread::of(&walls).map(|spread| spread.mad)
    }
}

/// What is wrong with a sample, if anything.
fn wrong(sample: &Sample) -> Option<String> {
    let miscounted = sample.completed != sample.expected;
    let count = || format!("completed {} of {}", sample.completed, sample.expected);
    sample.invalid.clone().or_else(|| miscounted.then(count))
}

impl Record {
    /// Whether every row is valid.
    pub(crate) fn is_valid(&self) -> bool {
        self.rows.iter().all(|row| row.invalid().is_none())
    }

    /// Reads a record.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no record, or one of another version.
    pub(crate) fn read(path: &Path) -> Result<Record, String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Record::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Record, String> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let head: Head =
            serde_json::from_str(text).map_err(|error| format!("not a record: {error}"))?;
        if head.version != VERSION {
            return Err(format!("record of version {}, expected {VERSION}", head.version));
        }
        serde_json::from_str(text).map_err(|error| format!("not a record: {error}"))
    }

    /// Writes the record, replacing an older one only when the new one is complete.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        files::write_json(path, self).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;

    pub(crate) fn row() -> Row {
        Row {
            scenario: "tree".into(),
            setup: "comb, 5 µs a node".into(),
            system: "deque".into(),
            policy: Some("biased-event".into()),
            threads: 2,
            size: 1000,
            numbers: BTreeMap::from([("cost_ns".into(), 5000)]),
        }
    }

    fn sample(wall_ns: u64) -> Sample {
        Sample {
            wall_ns,
            expected: 1000,
            completed: 1000,
            columns: BTreeMap::from([("steals".into(), 0.1 + 0.2)]),
            ..Sample::default()
        }
    }

    #[test]
    fn a_column_that_is_missing_once_has_no_median() {
        let mut record = RowRecord::new(row());
        for (wall, migrations) in [(10, Some(3)), (30, Some(5)), (20, Some(4))] {
            record.note(Outcome::Measured(Sample { migrations, ..sample(wall) }));
        }
        let migrations = |sample: &Sample| sample.migrations.map(|n| n as f64);
        assert_eq!(record.median(migrations), Some(4.0));
        assert_eq!((record.least_wall(), record.wall_deviation()), (Some(10.0), Some(10.0)));
        record.note(Outcome::Measured(sample(40)));
        assert_eq!(record.median(migrations), None);
    }

    #[test]
    fn each_way_to_be_wrong_is_told() {
        let after = |outcome: Outcome| {
            let mut record = RowRecord::new(row());
            record.note(Outcome::Measured(sample(10)));
            record.note(outcome);
            record.invalid()
        };
        assert_eq!(after(Outcome::Measured(sample(11))), None);
        let few = Sample { completed: 999, ..sample(10) };
        assert_eq!(after(Outcome::Measured(few.clone())).unwrap(), "completed 999 of 1000");
        let doubled = Sample { invalid: Some("item 7 was done twice".into()), ..sample(10) };
        assert_eq!(after(Outcome::Measured(doubled)).unwrap(), "item 7 was done twice");
        let hung = Outcome::Hung(Duration::from_millis(1500));
        assert_eq!(after(hung).unwrap(), "HUNG, killed after 1.5 s");
        assert_eq!(after(Outcome::Failed("dead".into())).unwrap(), "FAILED: dead");
        assert_eq!(RowRecord::new(row()).invalid().unwrap(), "not a single run");

        let mut warm = RowRecord::new(row());
        warm.note_warm_up(Outcome::Measured(few));
        warm.note(Outcome::Measured(sample(10)));
        assert_eq!(warm.invalid().unwrap(), "completed 999 of 1000");
        assert_eq!((warm.samples.len(), warm.is_broken()), (1, false));
        warm.note_warm_up(Outcome::Failed("dead".into()));
        assert!(warm.is_broken());
    }

    #[test]
    fn a_record_survives_the_round_trip() {
        let mut measured = RowRecord::new(row());
        measured.note(Outcome::Measured(Sample {
            migrations: Some(1),
            peak_bytes: Some(1 << 40),
            as_published: Some(u64::MAX),
            ..sample(u64::MAX)
        }));
        measured.note(Outcome::Hung(Duration::from_secs(1)));
        measured.cut_short = Some("no time".into());
        let record = Record {
            version: VERSION,
            date: "2026-03-02 14:05".into(),
            machine: Machine { cores: 2, cpu: Some("Fast \"9000\"".into()), ..Machine::default() },
            versions: vec![("st3".into(), "0.4.1".into())],
            options: Options { quick: true, repeats: 3, seed: 1 },
            scenarios: vec![About {
                name: "tree".into(),
                about: "x".into(),
                as_published: Some("y".into()),
            }],
            rows: vec![measured],
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("record.json");
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).unwrap(), record);
        assert!(!record.is_valid());

        let text = fs::read_to_string(&path).unwrap();
        let newer = text.replace("\"version\":1", "\"version\":2");
        assert_eq!(Record::parse(&newer).unwrap_err(), "record of version 2, expected 1");
        assert!(Record::parse("[]").unwrap_err().starts_with("not a record: "));
    }
}
