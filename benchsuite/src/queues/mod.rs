//! `benchsuite queues`: the scenarios of the documents and some more, on every queue and policy.
//!
//! ```text
//! options ──rows──> run: groups, turns, repeats ──row──> child: a process each, a watchdog
//!                                                           └─> scenario::measure ──> Sample
//!                   table <── report: the record <──samples──┘
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `row` | what is to be measured, and what came out |
//! | `scenario/` | what is measured, one file or directory each |
//! | `meter` | time, switches, migrations, memory |
//! | `options` | what can be typed, and which rows it selects |
//! | `run` | in which order rows are run, how often, what is run again |
//! | `child` | a run in a process of its own, and the watchdog over it |
//! | `report` | the record of a session, and its statistics |
//! | `table` | the record as Markdown |

mod child;
pub(crate) mod meter;
mod options;
mod report;
pub(crate) mod row;
mod run;
mod scenario;
mod table;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub(crate) use child::serve;
pub(crate) use options::Options;

use crate::machine::{self, Machine};
use report::{About, Record, VERSION};
use row::Row;
use run::{Plan, Progress};

/// How long a quick session warms up and repeats. Each row is run at least once, whatever that takes.
const QUICK: Duration = Duration::from_secs(100);

/// Does what was typed. The exit code is 1 if a row is INVALID.
///
/// # Errors
///
/// Something was typed that does not exist, or a file cannot be read or written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    if options.list {
        return list(options).map(|()| ExitCode::SUCCESS);
    }
    let record = match &options.from {
        Some(path) => select(Record::read(path).map_err(io::Error::other)?, options)?,
        None => measure(options)?,
    };
    let tables = table::print(&record, options.as_published);
    match options.markdown.as_deref() {
        None => print(&tables)?,
        Some(path) if path == Path::new("-") => print(&tables)?,
        Some(path) => fs::write(path, tables)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?,
    }
    Ok(if record.is_valid() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn print(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
}

/// Those rows of a record that are wanted.
fn select(mut record: Record, options: &Options) -> io::Result<Record> {
    record.rows = options.select(record.rows, |row| &row.row).map_err(io::Error::other)?;
    Ok(record)
}

fn list(options: &Options) -> io::Result<()> {
    let rows = options.rows().map_err(io::Error::other)?;
    let mut out = String::new();
    for scenario in options.scenarios().map_err(io::Error::other)? {
        let of_it: Vec<&Row> = rows.iter().filter(|row| row.scenario == scenario.name()).collect();
        out += &format!("{}, {} rows\n    {}\n", scenario.name(), of_it.len(), scenario.about());
        if !options.scenarios.is_empty() {
            for row in of_it {
                let policy = row.policy.as_deref().unwrap_or("-");
                let Row { setup, system, threads, .. } = row;
                out += &format!("    {setup} | {system} | {policy} | -j{threads}\n");
            }
        }
    }
    print(&out)
}

fn measure(options: &Options) -> io::Result<Record> {
    let rows = options.rows().map_err(io::Error::other)?;
    let mut record = begin(options)?;
    let mut progress = Progress::new(rows.len());
    let groups = run::groups(rows);
    let end = Instant::now() + QUICK;
    let count = groups.len();
    for (number, group) in groups.into_iter().enumerate() {
        say(&progress.line(&group))?;
        let now = Instant::now();
        // Each group may use its share of the time that is left.
        let share = end.saturating_duration_since(now) / (count - number) as u32;
        let plan = Plan {
            repeats: options.repeats(),
            seed: options.order_seed.wrapping_add(number as u64),
            deadline: options.quick.then(|| now + share),
        };
        progress.advance(group.len());
        let done = run::run_group(group, plan, &mut run::run_once);
        for row in &done {
            if let Some(why) = row.invalid() {
                let Row { system, policy, .. } = &row.row;
                let policy = policy.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
                say(&format!("    INVALID: {system}{policy}: {why}"))?;
            }
        }
        record.rows.extend(done);
        if let Some(path) = &options.json {
            record.write(path).map_err(io::Error::other)?;
        }
    }
    Ok(record)
}

/// A record without rows.
fn begin(options: &Options) -> io::Result<Record> {
    let scenarios = options.scenarios().map_err(io::Error::other)?;
    let about = |scenario: &&dyn row::Scenario| About {
        name: scenario.name().to_string(),
        about: scenario.about().to_string(),
        as_published: scenario.as_published().map(str::to_string),
    };
    Ok(Record {
        version: VERSION,
        date: machine::date(),
        machine: Machine::here(),
        versions: machine::versions(),
        options: report::Options {
            quick: options.quick,
            repeats: options.repeats(),
            seed: options.order_seed,
        },
        scenarios: scenarios.iter().map(about).collect(),
        rows: Vec::new(),
    })
}

fn say(line: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{line}")
}
