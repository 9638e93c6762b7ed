//! `benchsuite hunt`: random patterns on a tree of your own, to find those for which `hs` is slow
//! or wrong.
//!
//! `draw` makes random command lines of words and lines of the tree, and every tool runs each of
//! them in turn: most search the tree, some a text of another kind, made of its words (`texts`).

mod draw;
mod texts;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use fastrand::Rng;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::files::explain;
use crate::machine;
use crate::process::{self, Failure, Job};
use crate::record::{Comparison, Corpus, Figures, Kind, Method, Record, Row};
use crate::suite::check::check;
use crate::suite::tasks::Compared;
use crate::suite::tools::{Installed, find_heist, named, rivals};
use crate::tables;
use crate::turns::{Progress, Run, Turns, attempt};

use draw::{Query, Vocabulary};

/// How long a run may take. Only a hang takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a first run may take, in seconds, for the command line to be repeated.
const SHORT: f64 = 2.0;

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

    /// The size of each text, in megabytes; 0 makes none. A third of the command lines search one:
    /// a log, lines of 500 kB, one line, records that end with NUL, Cyrillic words, UTF-16
    #[arg(long, value_name = "N", default_value_t = 32)]
    texts: usize,

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
    Ok(process::exit_code(is_wrong))
}

fn hunt(options: &Options) -> io::Result<Record> {
    process::catch_interrupts()?;
    let cores = thread::available_parallelism()?.get();
    let mut tools = vec![find_heist(options.hs.as_deref())?];
    let known =
        rivals().iter().filter(|rival| rival.hunt.is_some()).map(|rival| (&*rival.name, rival));
    for name in &options.tools {
        let rival = named("tool", name, known.clone())?;
        let missing = || io::Error::other(format!("{name} is not installed"));
        tools.push(rival.find().ok_or_else(missing)?);
    }
    let seed = options.seed.unwrap_or_else(machine::seed_by_clock);
    let tree = &*options.path;
    let vocabulary = Vocabulary::of(tree, seed).map_err(|error| explain(tree, &error))?;
    let directory = tempfile::tempdir()?;
    let texts = match options.texts {
        0 => Vec::new(),
        megabytes => texts::write(directory.path(), &vocabulary, megabytes * 1_000_000, seed)?,
    };
    let corpus = Corpus { name: tree.display().to_string(), ..Corpus::default() };
    let repeats = options.repeats.into();
    let mut record = Record {
        tools: tools.iter().map(Installed::described).collect(),
        corpora: vec![corpus],
        ..Record::begin(Kind::Hunt, Method { repeats, seed, ..Method::default() })
    };
    let hunt = Hunt { tools, threads: options.threads.unwrap_or(cores), repeats };
    let mut random = Rng::with_seed(seed ^ 1);
    let mut progress = Progress::new(options.patterns);
    for number in 0..options.patterns {
        if process::interrupted() {
            break;
        }
        progress.begin(number, worst(&record));
        progress.step("command lines", Some(Duration::ZERO));
        let text = random.usize(..3 * texts.len().max(1)).checked_sub(2 * texts.len());
        record.comparisons.extend(match text.and_then(|index| texts.get(index)) {
            Some(text) => {
                let mut query = text.vocabulary.query(&mut random);
                query.flags.retain(|flag| !text.flags.contains(flag));
                query.flags.extend(text.flags);
                hunt.run(&query, directory.path(), text.name)?
            }
            None => hunt.run(&vocabulary.query(&mut random), tree, "./")?,
        });
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

/// What all command lines of a hunt have in common.
struct Hunt {
    /// `hs`, and its rivals.
    tools: Vec<Installed>,
    /// Threads of each of them.
    threads: usize,
    /// Runs of each command line and tool.
    repeats: usize,
}

impl Hunt {
    /// Runs `query` for `place` in `directory` with every tool that has its flags, in turn. `None`
    /// if no tool accepts it, or if the user stops the hunt.
    fn run(&self, query: &Query, directory: &Path, place: &str) -> io::Result<Option<Comparison>> {
        let words = tempfile::NamedTempFile::new()?;
        if query.by_file {
            fs::write(words.path(), query.patterns.join("\n") + "\n")?;
        }
        let of_query = query_arguments(query, &words.path().display().to_string());
        let (mut jobs, mut rows) = (Vec::<Job>::new(), Vec::<Row>::new());
        for tool in &self.tools {
            let Some(mode) = tool.rival.hunt(&query.flags, self.threads) else { continue };
            let arguments = [mode, of_query.clone(), vec![place.to_owned()]].concat();
            let (program, directory) = (tool.program.clone(), directory.to_owned());
            let job = Job { program, arguments, directory, has_pipe: true };
            let mut row = Row { tool: tool.rival.name.clone(), ..Row::default() };
            let Ok(run) = attempt(&mut row, once(&job)) else { return Ok(None) };
            row.result = run.as_ref().and_then(|run| run.result);
            row.runs.extend(run.map(|run| run.figures));
            row.agrees = Some(match (rows.first().unwrap_or(&row).result, row.result) {
                (Some(house), Some(found)) => house.agrees(&found),
                (house, found) => house == found,
            });
            rows.push(row);
            jobs.push(job);
        }
        let is_short = |row: &Row| row.wall().is_none_or(|wall| wall.max < SHORT);
        let repeats = if rows.iter().all(is_short) { self.repeats - 1 } else { 0 };
        let turns = Turns { repeats, seed: 0, deadline: None, repeats_disturbed: false };
        if rows.iter().all(|row| row.fault.is_some())
            || turns.take(&mut rows, &mut |_| (), &mut |index, _| once(&jobs[index])).is_err()
        {
            return Ok(None);
        }
        let mut shown = query_arguments(query, "words");
        shown.extend((place != "./").then(|| place.to_owned()));
        let mut task = shlex::try_join(shown.iter().map(String::as_str)).unwrap_or_default();
        if query.by_file {
            task += &format!(" # {} words", query.patterns.len());
        }
        let corpus = place.to_owned();
        Ok(Some(Comparison { corpus, task, rows, ..Comparison::default() }))
    }
}

/// Runs a command once: its result, its processor time, and roughly how long it took.
fn once(job: &Job) -> Result<Run, Failure> {
    let before = cpu_of_children();
    let run = check(&mut job.command(), Compared::Lines, PATIENCE)?;
    let after = cpu_of_children();
    let mut figures = Figures::of([("user", after.0 - before.0), ("system", after.1 - before.1)]);
    figures.0.extend(run.figures.0);
    Ok(Run { figures, ..run })
}

/// The arguments of a command line; `words` is the file that holds patterns by file.
fn query_arguments(query: &Query, words: &str) -> Vec<String> {
    let by_option = query.patterns.iter().flat_map(|pattern| ["-e", pattern]);
    let by_file: Vec<&str> = if query.by_file { vec!["-f", words] } else { by_option.collect() };
    query.flags.iter().copied().chain(by_file).map(str::to_owned).collect()
}

/// The time in the program and in the kernel, in seconds, of all processes that this one has waited
/// for.
fn cpu_of_children() -> (f64, f64) {
    let seconds = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1e6;
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or((0.0, 0.0), |usage| (seconds(usage.user_time()), seconds(usage.system_time())))
}
