//! What is kept of a run: every sample, and the machine it was taken on, as JSON.

use std::{fs::File, io, path::Path, time::SystemTime};

use serde::Serialize;

use crate::{
    files::{explain, write_json},
    machine::{self, Machine},
    queues::row::{Row, Sample},
    walker::{
        compare::{Comparison, Line},
        corpus::{Cache, Tree},
        plan::{Mode, System},
        tally::Counts,
    },
};

/// Everything that was measured in a run of the command.
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    /// What sort of record it is.
    kind: &'static str,
    /// Seconds since 1970 when it began.
    begun: u64,
    /// Where.
    machine: Machine,
    /// With which version and build of this program.
    program: String,
    /// What the order of samples was drawn from.
    seed: u64,
    /// How many samples each configuration should have.
    repeats: usize,
    /// One per tree and mode.
    comparisons: Vec<Entry>,
}

/// One tree and mode.
#[derive(Debug, Serialize)]
struct Entry {
    tree: String,
    mode: &'static str,
    cache: &'static str,
    /// What every walk should have seen.
    reference: Counts,
    /// The first walk, with one worker; of a warm comparison it was the one that warmed the cache.
    first: Sample,
    first_error: Option<String>,
    rows: Vec<Measured>,
}

/// One configuration, in the words of the other records.
#[derive(Debug, Serialize)]
struct Measured {
    row: Row,
    oversubscribed: bool,
    invalid: Option<String>,
    samples: Vec<Sample>,
}

impl Record {
    /// One without comparisons.
    pub(crate) fn new(seed: u64, repeats: usize, cores: usize) -> Record {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Record {
            kind: "walker",
            begun: now.map_or(0, |since| since.as_secs()),
            machine: Machine { cores, ..Machine::here() },
            program: machine::program(),
            seed,
            repeats,
            comparisons: Vec::new(),
        }
    }

    /// Where and by what it was measured, in a line of text.
    pub(crate) fn origin(&self) -> String {
        format!("{}; {}", self.machine.sentence(), self.program)
    }

    /// Adds what was found out about one tree and mode.
    pub(crate) fn add(&mut self, tree: &Tree, mode: Mode, cache: Cache, comparison: &Comparison) {
        let first = &comparison.reference;
        let cores = self.machine.cores;
        let size = first.counts.entries();
        let rows = comparison.lines.iter().map(|line| Measured::of(line, mode, size, cores));
        self.comparisons.push(Entry {
            tree: tree.name(),
            mode: mode.name(),
            cache: cache.name(),
            reference: first.counts.clone(),
            first: first.sample.clone(),
            first_error: first.first_error.clone(),
            rows: rows.collect(),
        });
    }

    /// Writes it to a file.
    ///
    /// # Errors
    ///
    /// As the system says, with the path.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        write_json(path, self)
    }

    /// Finds out whether a record can be written to `path`, before hours of measuring, and leaves alone
    /// what is there.
    ///
    /// # Errors
    ///
    /// As the system says, with the path.
    pub(crate) fn try_path(path: &Path) -> io::Result<()> {
        let opened = File::options().create(true).append(true).open(path);
        opened.map(drop).map_err(|error| explain(path, &error))
    }
}

impl Measured {
    fn of(line: &Line, mode: Mode, size: u64, cores: usize) -> Measured {
        let (system, policy) = match line.configuration.system {
            System::Alone => ("no queue", None),
            System::Crew(queue, idle) => (queue.name(), Some(idle.name().to_owned())),
            System::Floor => ("floor", None),
        };
        let threads = line.configuration.threads;
        Measured {
            row: Row {
                scenario: "walker".to_owned(),
                setup: mode.name().to_owned(),
                system: system.to_owned(),
                policy,
                threads,
                size,
                numbers: [].into(),
            },
            oversubscribed: threads > cores,
            invalid: line.invalid.clone(),
            samples: line.outcomes.iter().map(|outcome| outcome.sample.clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::*;
    use crate::walker::{
        plan::Configuration,
        samples::{fake, outcome},
    };

    #[test]
    fn a_record_holds_every_sample() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("record.json");
        let comparison = fake(&[Configuration::REFERENCE], 3, &mut |_| Ok(outcome(2.0)));
        let mut record = Record::new(5, 3, 2);
        let tree = &Tree::named(&[temp.path().to_path_buf()]).unwrap()[0];
        record.add(tree, Mode::All, Cache::Warm, &comparison);
        record.write(&path).unwrap();
        let read: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!((&read["kind"], &read["seed"]), (&"walker".into(), &5.into()));
        assert_eq!(read["machine"]["cores"], 2);
        let comparison = &read["comparisons"][0];
        assert_eq!(comparison["reference"]["files"], 10);
        let row = &comparison["rows"][0];
        assert_eq!(row["row"]["system"], "no queue");
        assert_eq!(row["samples"].as_array().unwrap().len(), 3);
        assert_eq!(row["samples"][0]["wall_ns"], 2_000_000);
        assert_eq!(row["samples"][0]["completed"], 15);
    }

    #[test]
    fn trying_a_path_spoils_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("record.json");
        fs::write(&path, "old").unwrap();
        Record::try_path(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let error = Record::try_path(&temp.path().join("no/record.json")).unwrap_err();
        assert!(error.to_string().contains("no/record.json: "), "{error}");
    }
}
