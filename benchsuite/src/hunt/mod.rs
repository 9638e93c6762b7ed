//! `benchsuite hunt`: random patterns on a tree of your own, to find those for which `hs` is slow
//! or wrong.
//!
//! `draw` makes random command lines of words and lines in a tree, and every tool runs each in
//! turn: most search a part of the tree, some a text of another kind, made of its words (`texts`).
//! A command line is repeated most if a rival comes close to `hs`.

mod draw;
mod texts;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use fastrand::Rng;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::files::explain;
use crate::machine;
use crate::process::{self, Failure, Job};
use crate::record::{Comparison, Corpus, Figures, Method, Record, RecordKind, Row};
use crate::suite::check::check;
use crate::suite::tasks::Compared;
use crate::suite::tools::{Installed, find_heist, named, rivals};
use crate::tables;
use crate::turns::{Run, SessionProgress, Stopped, attempt};

use draw::{Ground, Query};

/// How long a run may take. Some engines need longer for a pattern.
const RUN_TIMEOUT: Duration = Duration::from_secs(30);

/// After this time a command line is not repeated any more.
const MAX_REPEAT_TIME: Duration = Duration::from_secs(10);

/// A command line is run three times if a rival takes less than this many times as long as `hs`.
const NEAR_RATIO: f64 = 1.5;

/// A command line is run more often than three times if a rival takes less than this many times as
/// long as `hs`.
const LEVEL_RATIO: f64 = 1.15;

/// One command line in this many searches a text.
const COMMAND_LINES_PER_TEXT: usize = 3;

/// The arguments of `benchsuite hunt`.
#[derive(Clone, Debug, Args)]
pub(crate) struct HuntOptions {
    /// The tree; may be given several times. Of one with thousands of files, most command lines
    /// search a directory of 500 to 5,000 files
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: Vec<PathBuf>,

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

    /// The most runs of each command line and tool, of which the fastest counts; a rival that takes
    /// half as long again as hs, or longer, is run once
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,

    /// Rivals, separated by commas, that are installed
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "rg,ugrep")]
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
}

/// Hunts and prints the tables of its record. The exit code is 1 if ripgrep prints
/// anything else than `hs`, which counts as a fault in `hs` until it is explained.
pub(crate) fn run(options: &HuntOptions) -> io::Result<ExitCode> {
    let record = hunt(options)?;
    tables::show(&record, false)?;
    let is_wrong = record.rows().any(|(_, row)| row.tool == "rg" && row.agrees == Some(false));
    Ok(process::exit_code(is_wrong))
}

fn hunt(options: &HuntOptions) -> io::Result<Record> {
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
    let tree = |path: &PathBuf| Ground::of(path, seed).map_err(|error| explain(path, &error));
    let mut grounds = options.path.iter().map(tree).collect::<io::Result<Vec<_>>>()?;
    let trees = grounds.len();
    let directory = tempfile::tempdir()?;
    if options.texts > 0 {
        let size = options.texts * 1_000_000;
        grounds.extend(texts::write(directory.path(), &grounds[0].vocabulary, size, seed)?);
    }
    let corpora = options.path.iter().map(|path| path.display().to_string());
    let repeats = options.repeats.into();
    let mut record = Record {
        tools: tools.iter().map(Installed::described).collect(),
        corpora: corpora.map(|name| Corpus { name, ..Corpus::default() }).collect(),
        is_partial: true,
        ..Record::begin(RecordKind::Hunt, Method { repeats, seed, ..Method::default() })
    };
    let hunt = Hunt { tools, threads: options.threads.unwrap_or(cores), repeats };
    let mut random = Rng::with_seed(seed ^ 1);
    let mut progress = SessionProgress::new(options.patterns);
    for number in 0..options.patterns {
        progress.begin(number, worst(&record));
        progress.step("command lines", Some(Duration::ZERO));
        let is_text = random.usize(..COMMAND_LINES_PER_TEXT) == 0 && trees < grounds.len();
        let among = if is_text { &grounds[trees..] } else { &grounds[..trees] };
        let found = hunt.run(&among[random.usize(..among.len())], &mut random)?;
        record.comparisons.extend(found);
        record.is_partial = number + 1 < options.patterns || process::interrupted();
        if let Some(path) = &options.record {
            record.write(path)?;
        }
        if process::interrupted() {
            break;
        }
    }
    Ok(record)
}

/// The smallest ratio so far.
fn worst(record: &Record) -> String {
    let of_case = |case: &Comparison| {
        let (hs, rivals) = case.rows.split_first()?;
        rivals.iter().filter_map(|row| tables::least_ratio(row, hs)).min_by(f64::total_cmp)
    };
    let least = record.comparisons.iter().filter_map(of_case).min_by(f64::total_cmp);
    least.map_or_else(|| "hunt".to_owned(), |ratio| format!("worst {ratio:.2}"))
}

/// What all command lines of a hunt have in common.
struct Hunt {
    /// `hs`, and its rivals.
    tools: Vec<Installed>,
    /// How many threads each tool has.
    threads: usize,
    /// Runs of each command line and tool.
    repeats: usize,
}

impl Hunt {
    /// Runs a random command line in a place of `ground` with every tool that has its flags, in
    /// turn. `None` if no tool accepts it, or if the user stops the hunt.
    fn run(&self, ground: &Ground, random: &mut Rng) -> io::Result<Option<Comparison>> {
        let (query, place) = ground.draw(random);
        let words = tempfile::NamedTempFile::new()?;
        if query.by_file {
            fs::write(words.path(), query.patterns.join("\n") + "\n")?;
        }
        let of_query = query_arguments(&query, &words.path().display().to_string());
        let (mut jobs, mut rows) = (Vec::<Job>::new(), Vec::<Row>::new());
        for tool in &self.tools {
            let Some(mode) = tool.rival.hunt(&query.flags, self.threads) else { continue };
            let arguments = [mode, of_query.clone(), vec![place.to_owned()]].concat();
            let (program, directory) = (tool.program.clone(), ground.directory.clone());
            let environment = Vec::new();
            let job = Job { program, arguments, environment, directory, has_pipe: true };
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
        if rows.iter().all(|row| row.fault.is_some()) || self.repeat(&jobs, &mut rows).is_err() {
            return Ok(None);
        }
        let shown = query_arguments(&query, "words");
        let mut task = shlex::try_join(shown.iter().map(String::as_str)).unwrap_or_default();
        if query.by_file {
            task += &format!(" # {} words", query.patterns.len());
        }
        let corpus: PathBuf = ground.name.join(place).components().collect();
        let corpus = corpus.display().to_string();
        Ok(Some(Comparison { corpus, task, rows, ..Comparison::default() }))
    }

    /// Runs `hs` and the rivals that come close to it again, in turn, until none does.
    fn repeat(&self, jobs: &[Job], rows: &mut [Row]) -> Result<(), Stopped> {
        let begun = Instant::now();
        for round in 1..self.repeats {
            let limit = if round < 3 { NEAR_RATIO } else { LEVEL_RATIO };
            let is_close =
                |row: &Row| tables::least_ratio(row, &rows[0]).is_some_and(|r| r < limit);
            let mut again: Vec<usize> =
                (1..rows.len()).filter(|&index| is_close(&rows[index])).collect();
            if again.is_empty() || begun.elapsed() > MAX_REPEAT_TIME {
                break;
            }
            again.insert(if round % 2 == 0 { 0 } else { again.len() }, 0);
            for index in again {
                let row = &mut rows[index];
                if let Some(run) = attempt(row, once(&jobs[index]))? {
                    row.runs.push(run.figures);
                    if run.result != row.result {
                        row.fail("prints something else each time");
                    }
                }
            }
        }
        Ok(())
    }
}

/// Runs a command once: its result, its processor time, and roughly how long it took.
fn once(job: &Job) -> Result<Run, Failure> {
    let before = cpu_of_children();
    let run = check(&mut job.command(), Compared::Lines, RUN_TIMEOUT)?;
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
