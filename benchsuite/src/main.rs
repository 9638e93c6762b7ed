//! The program `benchsuite`: measures on your own machine and trees what heist's choices are worth.
//!
//! | module | what it measures |
//! |---|---|
//! | [`suite`] | whole programs: `hs` with every queue and number of threads, its rivals, the floor; timed by hyperfine |
//! | [`walker`] | heist's walker alone, in this program, on real trees |
//! | [`hunt`] | random patterns: for which of them `hs` is slow, or wrong |
//! | [`queues`] | the queues and idle policies alone, on the loads of the published documents and others |
//! | [`floor`] | the least work a walk or a search can do, the limit every other figure is compared with |
//! | [`corpora`] | nothing: it makes and checks the trees |
//! | [`report`] | nothing: it draws records |
//! | [`findings`] | nothing: it writes the tables of texts from records |
//!
//! `process` runs other programs under a watchdog; `files` writes files whole or not at all; `machine` says where and
//! when, `stats` and `random` are what their names say.
//!
//! Results go to stdout, summaries and errors to stderr; the exit code is 0, 1 if a result
//! was wrong, or 2 on any error.

// Retiring memory is unsafe in every library the scenario `reclaim` compares: it alone may.
#![deny(unsafe_code)]

use std::{
    env,
    fs::File,
    io::{self, Write},
    num::NonZeroUsize,
    os::fd::AsFd,
    path::PathBuf,
    process::ExitCode,
    thread,
};

use clap::{Args, Parser, Subcommand, ValueEnum};

mod corpora;
mod files;
mod findings;
#[cfg(target_os = "linux")]
mod floor;
mod hunt;
mod machine;
mod markdown;
mod process;
mod queues;
mod random;
mod report;
mod stats;
mod suite;
mod walker;

/// What was typed.
#[derive(Debug, Parser)]
#[command(
    name = "benchsuite",
    version,
    about = "Measures heist on your own machine and trees",
    after_help = "Without a command: a first look, `walk --quick sample`, in under three minutes."
)]
struct Typed {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare queues, numbers of threads and rivals at listing and searching trees
    ///
    /// hyperfine takes the times, in turns. Before that each command's result is counted and compared: who disagrees
    /// with hs is shown and not ranked. Ctrl-C keeps what is finished.
    ///
    /// For instance:
    ///
    ///   benchsuite walk --quick
    ///   benchsuite walk linux chromium -j1,2,8 --queue deque,stack --task list-all
    ///   benchsuite walk --path ~/src --tools rg,fd
    #[command(verbatim_doc_comment)]
    Walk(suite::Options),

    /// Compare hs with its rivals on a suite of patterns
    ///
    /// As `walk`, with patterns instead of queues. `--list` shows them.
    Search(suite::Options),

    /// Look for patterns for which hs is slower than its rivals, or finds something else
    ///
    /// Random command lines are made of words and lines of a tree. Every tool does each of them, in turn; results
    /// are compared as lines in any order, and the processor time of the fastest run counts, which other programs
    /// disturb less than the time on the clock. The exit code is 1 if ripgrep prints something else than hs.
    ///
    /// For instance:
    ///
    ///   benchsuite hunt --path ~/src/linux/fs --patterns 300 --record hunt.json
    ///   benchsuite hunt --path . --seed 7 --tools rg,ugrep
    #[command(verbatim_doc_comment)]
    Hunt(hunt::Options),

    /// List, make and check the trees that are searched
    Corpora(corpora::Options),

    /// Make tables, a report or pictures of a record
    Report(suite::present::Options),

    /// Compare two records of the same commands: what got faster, what slower
    ///
    /// The exit code is 0 if nothing got slower, 1 if something did, and 2 if nothing can be compared.
    Compare(Compare),

    /// Do the least work a walk or a search can do: the speed nobody can beat
    ///
    /// The floor follows no rule, reports no error and copes with no odd file. It is a limit to
    /// compare with, not a program to use. A summary `N files, N bytes` goes to stderr.
    ///
    /// Compare in alternating runs, for instance:
    ///
    ///   benchsuite floor list -j2 TREE >/dev/null; hs --files -uu -j2 TREE >/dev/null
    #[command(verbatim_doc_comment)]
    Floor(Floor),

    /// Compare queues and idle policies on the loads of the published documents, and more
    ///
    /// Each run of a row is a process of its own and is verified: every item done, once. A row that
    /// does anything else, hangs or dies is INVALID, and the exit code is 1.
    ///
    /// For instance:
    ///
    ///   benchsuite queues --quick
    ///   benchsuite queues tree -j2,8 --queue deque,rayon --json record.json
    ///   benchsuite queues --from record.json --markdown -
    #[command(verbatim_doc_comment)]
    Queues(queues::Options),

    /// One run of a row of `queues`: the row on stdin, the sample on stdout, both JSON
    #[command(hide = true)]
    QueuesRow,

    /// Compare queues and idle policies in heist's walker alone, in this program
    ///
    /// Each sample is a process of its own, and must have seen the same directories, files and links
    /// as a walk with one worker, otherwise its line says INVALID and the exit code is 1. Without a
    /// path the current directory is walked.
    Walker(walker::Options),

    /// Write the tables of benchsuite/FINDINGS.md from the records beside it
    Findings(findings::Options),

    /// One sample of `walker`
    #[command(hide = true)]
    WalkerSample(walker::Task),
}

#[derive(Debug, Args)]
struct Compare {
    /// The record of before
    old: PathBuf,

    /// The record of now
    new: PathBuf,
}

#[derive(Debug, Args)]
struct Floor {
    /// How much of the work of a search to do
    work: Work,

    /// Threads that share the work [default: one per core]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// The tree
    dir: PathBuf,
}

/// How much the floor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Work {
    /// Print every path that is not a directory: openat, getdents64, close per directory
    List,
    /// On top of the same walk: openat, one read, close per regular file; prints nothing
    Read,
}

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == suite::costs::SUBCOMMAND) {
        // It has to be small: nothing is parsed.
        return suite::costs::run_between(arguments);
    }
    let first_look = || Command::Walk(suite::Options::first_look());
    let outcome = match Typed::parse().command.unwrap_or_else(first_look) {
        Command::Walk(options) => suite::run(&options, suite::Kind::Walk),
        Command::Search(options) => suite::run(&options, suite::Kind::Search),
        Command::Hunt(options) => hunt::run(&options),
        Command::Corpora(options) => corpora::run(&options),
        Command::Report(options) => suite::present::run(&options),
        Command::Compare(Compare { old, new }) => suite::compare::run(&old, &new),
        Command::Floor(options) => run_floor(&options).map(|()| ExitCode::SUCCESS),
        Command::Queues(options) => queues::run(&options),
        Command::QueuesRow => queues::serve().map(|()| ExitCode::SUCCESS).map_err(io::Error::other),
        Command::Findings(options) => findings::run(&options),
        Command::Walker(options) => walker::run(&options),
        Command::WalkerSample(task) => walker::run_sample(&task).map(|()| ExitCode::SUCCESS),
    };
    match outcome {
        Ok(code) => code,
        // Whoever read the paths has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell anyone when stderr is gone as well.
            let _ = writeln!(io::stderr(), "benchsuite: {error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(target_os = "linux")]
fn run_floor(options: &Floor) -> io::Result<()> {
    let threads = match options.threads {
        Some(threads) => threads,
        None => thread::available_parallelism()?,
    };
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let total = floor::run(&options.dir, options.work, threads, &stdout)?;
    writeln!(io::stderr(), "{} files, {} bytes", total.files, total.bytes)
}

#[cfg(not(target_os = "linux"))]
fn run_floor(_: &Floor) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "the floor is measured on Linux only"))
}
