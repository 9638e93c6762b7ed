//! `benchsuite hunt`: random patterns on a tree of your own, to find those for which `hs` is slow or wrong.
//!
//! ```text
//! seed ──> draw: words and lines of the tree ──> command lines ──> run: results compared, processor time
//!                                                                     table <── record <──┘
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `draw` | random command lines, made of what is in the tree |
//! | `run` | each of them, done by every tool in turn |
//! | `record` | what came out, as JSON |
//! | `table` | the worst of it, as Markdown |

mod draw;
mod record;
mod run;
mod table;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::Args;

use crate::files::explain;
use crate::machine::{self, Machine};
use crate::process;
use crate::suite;

use draw::Vocabulary;
use record::{Record, VERSION};
use run::Tool;

/// What was typed.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The tree; one that takes ripgrep some 50 ms is large enough
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// Where the patterns begin; the same tree and seed give the same ones [default: by the clock]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// How many command lines
    #[arg(long, value_name = "N", default_value_t = 300)]
    patterns: usize,

    /// Runs of each command line and tool, of which the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,

    /// Rivals, separated by commas, that are installed: rg, ugrep
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "rg")]
    tools: Vec<String>,

    /// Threads of each tool [default: one per core]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,

    /// The hs to measure [default: the one beside this program; started by cargo, it is built before]
    #[arg(long, value_name = "PROGRAM")]
    hs: Option<PathBuf>,

    /// Write everything that was measured to this file, as JSON
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Print the tables of such a file, and measure nothing
    #[arg(long, value_name = "RECORD", conflicts_with = "record")]
    from: Option<PathBuf>,
}

/// Does what was typed. The exit code is 1 if ripgrep finds anything else than `hs`.
///
/// # Errors
///
/// Something was typed that does not exist, or a file cannot be read or written.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let record = match &options.from {
        Some(path) => Record::read(path)?,
        None => hunt(options)?,
    };
    io::stdout().write_all(table::print(&record).as_bytes())?;
    Ok(match () {
        () if process::interrupted() => ExitCode::from(130),
        () if record.is_wrong() => ExitCode::FAILURE,
        () => ExitCode::SUCCESS,
    })
}

fn hunt(options: &Options) -> io::Result<Record> {
    process::catch_interrupts()?;
    let cores = thread::available_parallelism()?.get();
    let threads = options.threads.unwrap_or(cores);
    let tools = Tool::all(suite::find_heist(options.hs.as_deref())?, &options.tools, threads)
        .map_err(io::Error::other)?;
    let seed = options.seed.unwrap_or_else(machine::seed_by_clock);
    let path = &options.path;
    let vocabulary = Vocabulary::of(path, seed).map_err(|error| explain(path, &error))?;
    let mut record = Record {
        version: VERSION,
        date: machine::date(),
        machine: Machine::here(),
        tree: path.display().to_string(),
        seed,
        repeats: options.repeats,
        tools: tools.iter().map(Tool::described).collect(),
        cases: Vec::new(),
    };
    for (number, query) in vocabulary.queries(seed).take(options.patterns).enumerate() {
        if process::interrupted() {
            break;
        }
        if number % 20 == 0 {
            let worst =
                record.worst().map_or_else(String::new, |ratio| format!(", worst {ratio:.2}"));
            writeln!(io::stderr(), "benchsuite: {number} of {}{worst}", options.patterns)?;
        }
        record.cases.extend(run::run(&query, &tools, path, options.repeats)?);
        if let Some(path) = &options.record {
            record.write(path)?;
        }
    }
    Ok(record)
}
