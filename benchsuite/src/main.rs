//! The program `benchsuite`: measures on your own machine and trees what heist's choices are worth.
//!
//! | module | what it measures |
//! |---|---|
//! | [`findings`] | nothing: it writes the tables of FINDINGS.md from records |
//! | [`floor`] | the least work a walk or a search can do, the limit every other figure is compared with |
//! | [`queues`] | the queues and idle policies alone, on the loads of the published documents and others |
//! | [`walk`] | real trees, walked by every queue with every number of threads |
//!
//! Results go to stdout, summaries and errors to stderr; the exit code is 0, 1 if a result
//! was wrong, or 2 on any error.

// Retiring memory is unsafe in every library the scenario `reclaim` compares: it alone may.
#![deny(unsafe_code)]

use std::{
    fs::File,
    io::{self, Write},
    num::NonZeroUsize,
    os::fd::AsFd,
    path::PathBuf,
    process::ExitCode,
    thread,
};

use clap::{Args, Parser, Subcommand, ValueEnum};

mod findings;
#[cfg(target_os = "linux")]
mod floor;
mod queues;
mod random;
mod stats;
mod walk;

/// What was typed.
#[derive(Debug, Parser)]
#[command(
    name = "benchsuite",
    version,
    about = "Measures heist on your own machine and trees",
    arg_required_else_help = true
)]
struct Typed {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
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

    /// Walk trees with every queue and every number of threads, and compare
    ///
    /// Each sample is a process of its own, and must have seen the same directories, files and links
    /// as a walk with one worker, otherwise its line says INVALID and the exit code is 1. Without a
    /// path the current directory is walked.
    Walk(walk::Options),

    /// Write the tables of benchsuite/FINDINGS.md from the records beside it
    Findings(findings::Options),

    /// One sample of `walk`
    #[command(hide = true)]
    WalkSample(walk::Task),
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
    let outcome = match Typed::parse().command {
        Command::Floor(options) => run_floor(&options).map(|()| ExitCode::SUCCESS),
        Command::Queues(options) => queues::run(&options),
        Command::QueuesRow => queues::serve().map(|()| ExitCode::SUCCESS).map_err(io::Error::other),
        Command::Findings(options) => findings::run(&options),
        Command::Walk(options) => walk::run(&options),
        Command::WalkSample(task) => walk::run_sample(&task).map(|()| ExitCode::SUCCESS),
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
