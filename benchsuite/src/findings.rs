//! `benchsuite findings`: writes the tables of a Markdown text from committed records.
//!
//! The text says where a table goes and what is in it, so that prose and figures stay in one file and
//! no figure is ever typed:
//!
//! ```text
//! <!-- table queues.json | balanced | item cost 0 | ns/op -->
//! …whatever stands here is replaced…
//! <!-- /table -->
//! ```
//!
//! The fields: a record in `records/`; a scenario of `queues`, or a tree and a mode of `walker`; a set-up,
//! or the beginning of some with `*` at the end; the values wanted, with commas. A table has a line per
//! system and a column per set-up, number of threads and value; a cell is the median of the samples.
//!
//! Records of `walk` and `search` have tables of their own, with a line per task and a column per tool,
//! each as it is by itself:
//!
//! ```text
//! <!-- tools suite.json | linux | list-all, search | hs, floor, rg -->
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use crate::markdown::{Column, Side, render};
use crate::queues::row::{Row, Sample};
use crate::stats::Spread;
use crate::suite;

/// What was typed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The text whose tables are written
    #[arg(value_name = "FILE", default_value = "benchsuite/FINDINGS.md")]
    file: PathBuf,

    /// Where the records are [default: `records` beside the text, or benchsuite/records]
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,

    /// Write nothing; exit with 1 if a table differs from its record
    #[arg(long)]
    check: bool,
}

/// Does what was typed.
///
/// # Errors
///
/// The text or a record cannot be read or written, or a table asks for what no record has.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let failed = |path: &Path, error: &dyn std::fmt::Display| {
        io::Error::other(format!("{}: {error}", path.display()))
    };
    let text = fs::read_to_string(&options.file).map_err(|e| failed(&options.file, &e))?;
    let beside = options.file.parent().unwrap_or(Path::new("")).join("records");
    let records = options.records.clone().unwrap_or_else(|| {
        if beside.is_dir() { beside } else { PathBuf::from("benchsuite/records") }
    });
    let mut shelf = BTreeMap::new();
    let mut lines = |name: &str| -> Result<Vec<Line>, String> {
        if !shelf.contains_key(name) {
            let path = records.join(name);
            let read = fs::read_to_string(&path).map_err(|e| failed(&path, &e).to_string())?;
            let record: Record =
                serde_json::from_str(&read).map_err(|e| failed(&path, &e).to_string())?;
            shelf.insert(name.to_string(), record.into_lines());
        }
        Ok(shelf[name].clone())
    };
    let mut write = |kind: Kind, fields: &[&str]| match kind {
        Kind::Rows => rows_of(fields, &mut lines),
        Kind::Tools => tools_of(fields, &records),
    };
    let new = rewrite(&text, &mut write).map_err(|e| failed(&options.file, &e))?;
    if new == text {
        return Ok(ExitCode::SUCCESS);
    }
    if options.check {
        return Ok(ExitCode::from(1));
    }
    fs::write(&options.file, new).map_err(|e| failed(&options.file, &e))?;
    Ok(ExitCode::SUCCESS)
}

/// What is read of a record, of `queues` or of `walk`.
#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    rows: Vec<Line>,
    #[serde(default)]
    comparisons: Vec<Comparison>,
    machine: Machine,
}

#[derive(Deserialize)]
struct Machine {
    cores: usize,
}

#[derive(Deserialize)]
struct Comparison {
    tree: String,
    mode: String,
    rows: Vec<Line>,
}

/// A row and its samples.
#[derive(Clone, Deserialize)]
struct Line {
    row: Row,
    samples: Vec<Sample>,
    /// More threads than the machine has cores.
    #[serde(skip)]
    is_crowded: bool,
}

impl Record {
    fn into_lines(self) -> Vec<Line> {
        let cores = self.machine.cores;
        let walked = self.comparisons.into_iter().flat_map(|comparison| {
            let scenario = format!("{} {}", comparison.tree, comparison.mode);
            comparison.rows.into_iter().map(move |mut line| {
                line.row.scenario.clone_from(&scenario);
                line.row.setup.clear();
                line
            })
        });
        let all = self.rows.into_iter().chain(walked);
        all.map(|line| Line { is_crowded: line.row.is_crowded(cores), ..line }).collect()
    }
}

impl Line {
    fn name(&self) -> String {
        match &self.row.policy {
            Some(policy) => format!("{} + {policy}", self.row.system),
            None => self.row.system.clone(),
        }
    }

    /// The median of `value` over the samples, as it is printed.
    fn cell(&self, value: &str) -> String {
        let known: Option<Vec<f64>> = self.samples.iter().map(|s| read(s, value)).collect();
        let spread = known.and_then(|values| Spread::of(&values));
        spread.map(|spread| show(spread.median)).unwrap_or_default()
    }
}

/// What a sample has under the name `value`.
fn read(sample: &Sample, value: &str) -> Option<f64> {
    match value {
        "ms" => Some(sample.wall_ns as f64 / 1e6),
        "CPU ms" => Some(sample.cpu_ns as f64 / 1e6),
        "ns/op" => sample.per_op(sample.wall_ns),
        "CPU ns/op" => sample.per_op(sample.cpu_ns),
        "Mops/s" => sample.mops(),
        "completed" => Some(sample.completed as f64),
        "as published" => sample.as_published.map(|count| count as f64),
        "voluntary" => Some(sample.voluntary as f64),
        "involuntary" => Some(sample.involuntary as f64),
        "switches" => Some((sample.voluntary + sample.involuntary) as f64),
        "migrations" => sample.migrations.map(|count| count as f64),
        "peak MiB" => sample.peak_mib(),
        _ => sample.columns.get(value).copied(),
    }
}

/// Three significant digits, counts whole.
fn show(value: f64) -> String {
    match value.abs() {
        size if value.fract() == 0.0 || size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// What a table is made of.
#[derive(Clone, Copy)]
enum Kind {
    /// The rows of a record of `queues` or `walker`.
    Rows,
    /// The tools of a record of `walk` or `search`.
    Tools,
}

const BEGIN: [(&str, Kind); 2] = [("<!-- table ", Kind::Rows), ("<!-- tools ", Kind::Tools)];
const CLOSE: &str = " -->";
const END: &str = "<!-- /table -->";

/// Makes the table of some fields.
type Write<'a> = &'a mut dyn FnMut(Kind, &[&str]) -> Result<String, String>;

/// `text` with every table written anew by `write`.
fn rewrite(text: &str, write: Write<'_>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    let first = |text: &str| {
        let found =
            BEGIN.iter().filter_map(|&(begin, kind)| Some((text.find(begin)?, begin, kind)));
        found.min_by_key(|&(at, ..)| at)
    };
    while let Some((at, begin, kind)) = first(rest) {
        let asked = &rest[at + begin.len()..];
        let (asked, after) =
            asked.split_once(CLOSE).ok_or("a table's first line does not end with -->")?;
        let (_, after) =
            after.split_once(END).ok_or_else(|| format!("{asked}: no line {END} follows"))?;
        let fields: Vec<&str> = asked.split('|').map(str::trim).collect();
        let table = write(kind, &fields).map_err(|why| format!("{asked}: {why}"))?;
        out += &rest[..at];
        out += &format!("{begin}{asked}{CLOSE}\n\n{table}\n{END}");
        rest = after;
    }
    Ok(out + rest)
}

/// Names with commas between them.
fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).collect()
}

/// A table of rows.
fn rows_of(
    fields: &[&str],
    record: &mut dyn FnMut(&str) -> Result<Vec<Line>, String>,
) -> Result<String, String> {
    let &[name, scenario, setup, values] = fields else {
        return Err("not RECORD | SCENARIO | SET-UP | VALUES".to_string());
    };
    let lines = record(name)?;
    let wanted: Vec<&Line> =
        lines.iter().filter(|line| is_wanted(&line.row, scenario, setup)).collect();
    if wanted.is_empty() {
        return Err("the record has no such row".to_string());
    }
    Ok(table(&wanted, &list(values)))
}

/// A table of tools.
fn tools_of(fields: &[&str], records: &Path) -> Result<String, String> {
    let &[name, corpus, tasks, tools] = fields else {
        return Err("not RECORD | CORPUS | TASKS | TOOLS".to_string());
    };
    let record = suite::Record::read(&records.join(name)).map_err(|error| error.to_string())?;
    suite::summary(&record, corpus, &list(tasks), &list(tools))
}

fn is_wanted(row: &Row, scenario: &str, setup: &str) -> bool {
    let fits = match setup.strip_suffix('*') {
        Some(beginning) => row.setup.starts_with(beginning),
        None => row.setup == setup,
    };
    row.scenario == scenario && fits
}

/// One line per system, one column per set-up, number of threads and value.
fn table(lines: &[&Line], values: &[&str]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut places: Vec<(&str, usize)> = Vec::new();
    for line in lines {
        let place = (line.row.setup.as_str(), line.row.threads);
        if !names.contains(&line.name()) {
            names.push(line.name());
        }
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let one_setup = places.iter().all(|(setup, _)| *setup == places[0].0);
    let mut columns =
        vec![Column { head: "system".to_string(), side: Side::Left, cells: names.clone() }];
    for &(setup, threads) in &places {
        let here: Vec<&&Line> = lines
            .iter()
            .filter(|line| (line.row.setup.as_str(), line.row.threads) == (setup, threads))
            .collect();
        let crowd = if here.iter().any(|line| line.is_crowded) { "\\*" } else { "" };
        let place =
            if one_setup { format!("-j{threads}{crowd}") } else { format!("{setup}{crowd}") };
        for value in values {
            let head = match (places.len(), values.len()) {
                (1, _) => (*value).to_string(),
                (_, 1) => place.clone(),
                _ => format!("{place} {value}"),
            };
            let cell = |name: &String| {
                let line = here.iter().find(|line| line.name() == *name);
                line.map_or(String::new(), |line| line.cell(value))
            };
            let cells = names.iter().map(cell).collect();
            columns.push(Column { head, side: Side::Right, cells });
        }
    }
    render(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(system: &str, threads: usize, ns: &[u64]) -> Line {
        let row = Row {
            scenario: "s".to_string(),
            setup: "here".to_string(),
            system: system.to_string(),
            policy: None,
            threads,
            size: 1,
            numbers: BTreeMap::new(),
        };
        let sample = |&wall_ns: &u64| Sample { wall_ns, completed: 1, ..Sample::default() };
        Line { row, samples: ns.iter().map(sample).collect(), is_crowded: threads > 2 }
    }

    fn write(text: &str) -> Result<String, String> {
        let lines = vec![line("a", 2, &[7, 5, 6]), line("a", 4, &[10]), line("b", 2, &[1])];
        let mut record = |name: &str| match name {
            "r.json" => Ok(lines.clone()),
            _ => Err("no such record".to_string()),
        };
        rewrite(text, &mut |kind, fields| match kind {
            Kind::Rows => rows_of(fields, &mut record),
            Kind::Tools => Ok(format!("tools {}\n", fields.join("+"))),
        })
    }

    #[test]
    fn a_table_is_replaced_and_the_prose_stays() {
        let text =
            "before\n<!-- table r.json | s | here | ns/op -->\nold\n<!-- /table -->\nafter\n";
        let new = write(text).expect("all is there");
        let table = "\n| system | -j2 | -j4\\* |\n| ------ | --: | ----: |\n\
                     | a      |   6 |    10 |\n| b      |   1 |       |\n\n";
        let expected = format!(
            "before\n<!-- table r.json | s | here | ns/op -->\n{table}<!-- /table -->\nafter\n"
        );
        assert_eq!(new, expected);
        assert_eq!(write(&new).as_deref(), Ok(expected.as_str()), "a second time changes nothing");
    }

    #[test]
    fn both_kinds_of_table_stand_in_one_text() {
        let tools = "<!-- tools s.json | linux | search | hs, rg --><!-- /table -->";
        let rows = "<!-- table r.json | s | here | ms --><!-- /table -->";
        for text in [format!("{tools} and {rows}"), format!("{rows} and {tools}")] {
            let new = write(&text).expect("all is there");
            assert!(new.contains("\ntools s.json+linux+search+hs, rg\n"), "{new}");
            assert!(new.contains("| system | "), "{new}");
        }
    }

    #[test]
    fn values_and_set_ups_may_be_several() {
        let text = "<!-- table r.json | s | h* | ns/op, ms --><!-- /table -->";
        let new = write(text).expect("all is there");
        assert!(new.contains("| system | -j2 ns/op | -j2 ms |"), "{new}");
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let faults = [
            ("<!-- table r.json | s | here | ns/op -->", "no line <!-- /table --> follows"),
            ("<!-- table x.json | s | here | ms --><!-- /table -->", "no such record"),
            ("<!-- table r.json | s | gone | ms --><!-- /table -->", "has no such row"),
            ("<!-- table r.json | s --><!-- /table -->", "not RECORD | SCENARIO"),
        ];
        for (text, why) in faults {
            let error = write(text).expect_err(text);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.5, 2.7654, 27.654, 276.54, 1_000_000.0].map(show);
        assert_eq!(shown, ["0.50", "2.77", "27.7", "277", "1000000"]);
    }
}
