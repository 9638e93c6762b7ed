//! What a hunt has found out, as JSON.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{explain, write_json};
use crate::machine::Machine;

/// The form of records; one of another form is not read.
pub(super) const VERSION: u32 = 1;

/// A hunt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) version: u32,
    /// When it began.
    pub(super) date: String,
    pub(super) machine: Machine,
    /// Where the patterns came from and were searched for.
    pub(super) tree: String,
    /// What they were drawn by.
    pub(super) seed: u64,
    /// Runs of each command line and tool.
    pub(super) repeats: u16,
    /// Who took part, `hs` first: names and versions.
    pub(super) tools: Vec<(String, String)>,
    pub(super) cases: Vec<Case>,
}

/// A command line that `hs` understands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Case {
    /// As it would be typed, without the tool.
    pub(super) arguments: String,
    /// Lines that `hs` printed.
    pub(super) lines: u64,
    /// Of those tools that can do it, `hs` first.
    pub(super) results: Vec<Outcome>,
}

/// What became of a command line in the hands of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) tool: String,
    /// Processor time, that of the system included, of the fastest run.
    pub(super) seconds: f64,
    /// Whether it printed what `hs` printed.
    pub(super) agrees: bool,
    /// Why there is no result.
    pub(super) fault: Option<String>,
}

impl Case {
    /// How many times as long as `hs` a tool took, if both have a result.
    pub(super) fn ratio(&self, tool: &str) -> Option<f64> {
        let house = self.results.first().filter(|house| house.fault.is_none())?;
        let rival = self.results.iter().find(|found| found.tool == tool)?;
        rival.fault.is_none().then(|| rival.seconds / house.seconds)
    }
}

impl Record {
    /// The smallest ratio of all.
    pub(super) fn worst(&self) -> Option<f64> {
        let rivals = self.tools.iter().skip(1);
        let ratios = rivals.flat_map(|(name, _)| self.cases.iter().filter_map(|c| c.ratio(name)));
        ratios.min_by(f64::total_cmp)
    }

    /// Whether ripgrep and `hs` are at odds, which is a fault of `hs` until it is explained.
    pub(super) fn is_wrong(&self) -> bool {
        let results = self.cases.iter().flat_map(|case| &case.results);
        results.into_iter().any(|found| found.tool == "rg" && !found.agrees)
    }

    /// # Errors
    ///
    /// It cannot be read, or is none.
    pub(super) fn read(path: &Path) -> io::Result<Record> {
        let text = fs::read(path).map_err(|error| explain(path, &error))?;
        let record: Record =
            serde_json::from_slice(&text).map_err(|error| explain(path, &error.into()))?;
        if record.version != VERSION {
            let why = format!("a record of version {}, not {VERSION}", record.version);
            return Err(explain(path, &io::Error::other(why)));
        }
        Ok(record)
    }

    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        write_json(path, self)
    }
}
