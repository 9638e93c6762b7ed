//! `benchsuite hunt`: random patterns on a tree of your own, to find those for which `hs` is slow
//! or wrong.
//!
//! | module | holds |
//! |---|---|
//! | `draw` | random command lines, made of words and lines of the tree |
//! | `run` | each of them, run by every tool in turn |

mod draw;
mod run;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;

use crate::files::explain;
use crate::machine;
use crate::process;
use crate::record::{Corpus, Kind, Method, Record};
use crate::suite::tools::{Installed, find_heist, named, rivals};
use crate::tables;
use crate::turns::Progress;

use draw::Vocabulary;
use run::Hunt;

/// The command line.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The tree; one that takes ripgrep some 50 ms is large enough
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// The seed of the patterns; the same tree and seed give the same ones [default: by the clock]
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

    /// The hs to measure [default: the one beside this program; started by cargo, it is built
    /// before]
    #[arg(long, value_name = "PROGRAM")]
    hs: Option<PathBuf>,

    /// Write everything that was measured to this file, as JSON
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Print the tables of such a file, and measure nothing
    #[arg(long, value_name = "RECORD", conflicts_with = "record")]
    from: Option<PathBuf>,
}

/// Hunts, or reads a record of a hunt, and prints its tables. The exit code is 1 if ripgrep prints
/// anything else than `hs`, which is a fault of `hs` until it is explained.
pub(crate) fn run(options: &Options) -> io::Result<ExitCode> {
    let record = match &options.from {
        Some(path) => Record::read(path)?,
        None => hunt(options)?,
    };
    io::stdout().write_all(tables::print(&record, false).as_bytes())?;
    let is_wrong = record.rows().any(|(_, row)| row.tool == "rg" && row.agrees == Some(false));
    Ok(match () {
        () if process::interrupted() => ExitCode::from(130),
        () if is_wrong => ExitCode::FAILURE,
        () => ExitCode::SUCCESS,
    })
}

fn hunt(options: &Options) -> io::Result<Record> {
    process::catch_interrupts()?;
    let cores = thread::available_parallelism()?.get();
    let mut tools = vec![find_heist(options.hs.as_deref())?];
    let known = rivals().iter().filter(|rival| rival.hunts()).map(|rival| (&*rival.name, rival));
    for name in &options.tools {
        let rival = named("tool", name, known.clone()).map_err(io::Error::other)?;
        let missing = || io::Error::other(format!("{name} is not installed"));
        tools.push(rival.find().ok_or_else(missing)?);
    }
    let seed = options.seed.unwrap_or_else(machine::seed_by_clock);
    let tree = &*options.path;
    let vocabulary = Vocabulary::of(tree, seed).map_err(|error| explain(tree, &error))?;
    let corpus = Corpus { name: tree.display().to_string(), ..Corpus::default() };
    let repeats = options.repeats.into();
    let mut record = Record {
        tools: tools.iter().map(Installed::described).collect(),
        corpora: vec![corpus],
        ..Record::begin(Kind::Hunt, Method { repeats, seed, ..Method::default() })
    };
    let hunt = Hunt { tools, threads: options.threads.unwrap_or(cores), tree, repeats };
    let mut progress = Progress::new(options.patterns);
    for (number, query) in vocabulary.queries(seed).take(options.patterns).enumerate() {
        if process::interrupted() {
            break;
        }
        progress.begin(number, worst(&record));
        progress.step("command lines", Some(Duration::ZERO));
        record.comparisons.extend(hunt.run(&query)?);
        if let Some(path) = &options.record {
            record.write(path)?;
        }
    }
    Ok(record)
}

/// The smallest ratio so far.
fn worst(record: &Record) -> String {
    let rivals = record.tools.iter().skip(1);
    let ratios = rivals.flat_map(|tool| {
        record.comparisons.iter().filter_map(|case| tables::ratio(case, &tool.name))
    });
    let least = ratios.min_by(f64::total_cmp);
    least.map_or_else(|| "hunt".to_owned(), |ratio| format!("worst {ratio:.2}"))
}
