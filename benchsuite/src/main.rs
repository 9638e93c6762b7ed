//! The program `benchsuite`: measures on your own machine and trees what heist's choices are worth.
//!
//! | module | what it measures |
//! |---|---|
//! | [`suite`] | whole programs: `hs`, queues, an index, rivals, the floor |
//! | [`walker`] | heist's walker alone, in this program, as a row of `suite` |
//! | [`hunt`] | random patterns: for which of them `hs` is slow, or wrong |
//! | [`queues`] | queues and idle policies alone, on the loads of published documents |
//! | [`floor`] | the least work a walk or a search can do, the limit of every other figure |
//! | [`libraries`] | walkers of other libraries, as rows of `suite` |
//!
//! | module | what all of them share |
//! |---|---|
//! | [`record`] | the dated result |
//! | [`turns`] | the plan of runs: rows in turns |
//! | [`child`], [`process`], [`meter`] | a run in its own process, other programs, its cost |
//! | [`tables`], [`report`] | a record as Markdown, as a page |
//! | [`template`], [`markdown`], [`format`](mod@format) | templates, tables and figures for both |
//! | [`verdict`], [`reading`] | a record in words, for both, and how both read it |
//! | [`mod@compare`], [`findings`] | two records; the tables of texts |
//! | [`shared_queue`] | a queue with a way of sharing, by name |
//! | [`corpora`] | the trees that are searched |
//!
//! Results go to stdout, progress and errors to stderr; the exit code is 0, 1 if a result was
//! wrong, or 2 on any error.

// Retiring memory is unsafe in every library that the scenario `reclaim` compares: it alone may.
#![deny(unsafe_code)]

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Parser, Subcommand};

#[cfg(test)]
mod cases;
mod checksum;
mod child;
mod compare;
mod corpora;
mod files;
mod findings;
mod floor;
mod format;
mod hunt;
mod libraries;
mod machine;
mod markdown;
mod meter;
mod process;
mod queues;
mod reading;
mod record;
mod report;
mod shared_queue;
mod stats;
mod suite;
mod tables;
mod template;
mod turns;
mod verdict;
mod walker;

/// The command line.
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
    /// hyperfine measures the times, in turns, or benchsuite itself where hyperfine is not
    /// installed. Before that each command's result is counted and compared: a tool that disagrees
    /// with hs is shown and not ranked. `--tools walker` measures heist's walker alone as well,
    /// without printing. Ctrl-C keeps what is finished.
    ///
    /// For instance:
    ///
    ///   benchsuite walk --quick
    ///   benchsuite walk linux chromium -j1,2,8 --queue deque,stack --task list-all
    ///   benchsuite walk --path ~/src --tools rg,fd,walker
    #[command(verbatim_doc_comment)]
    Walk(suite::SuiteOptions),

    /// Compare hs with its rivals on a suite of patterns
    ///
    /// As `walk`, with patterns instead of queues. `--list` shows them.
    Search(suite::SuiteOptions),

    /// Measure what an index costs and gains: building, updates, and the same searches with it
    ///
    /// As `search`, with three rows of hs: without an index, with one (`hs index`), and with one
    /// and a process that watches the tree (`hs watch`). Each has a cache of its own, which is
    /// removed at the end; your indexes are not used. Before an update, files of the tree get a new
    /// time of change; nothing else of them changes.
    ///
    /// The task `edits` answers whether one's own edit is found at once, by other programs with an
    /// index too, as far as they are installed (`rgx` of the crate ripgrepx, `xg` of xgrep-search).
    /// Files of a copy of the tree are edited, also with the old time put back, and directories are
    /// moved; a search follows each of these changes.
    ///
    /// ugrep with the index of ugrep-indexer (`ugrep index`) takes part on trees that have one. To
    /// make it, run `ugrep-indexer -I` on a copy of the tree: it writes a file into each directory.
    ///
    /// For instance:
    ///
    ///   benchsuite index linux --tools rg
    ///   benchsuite index --path ~/src --task build,update-100,PM_RESUME
    #[command(verbatim_doc_comment)]
    Index(suite::SuiteOptions),

    /// Look for patterns for which hs is slower than its rivals, or finds something else
    ///
    /// Random command lines are made of words and lines of a tree. Every tool runs each of them, in
    /// turn; results are compared as lines in any order, and the processor time of the fastest run
    /// counts, which other programs disturb less than the time on the clock. The exit code is 1 if
    /// ripgrep prints something else than hs.
    ///
    /// For instance:
    ///
    ///   benchsuite hunt --path ~/src/linux/fs --patterns 300 --record hunt.json
    ///   benchsuite hunt --path . --seed 7 --tools rg,ugrep
    #[command(verbatim_doc_comment)]
    Hunt(hunt::HuntOptions),

    /// List, make and check the trees that are searched
    Corpora(corpora::CorporaOptions),

    /// Make tables, a report or pictures of a record
    Report(report::ReportOptions),

    /// Compare two records of the same commands: what got faster, what slower
    ///
    /// The exit code is 0 if nothing got slower, 1 if something did, and 2 if nothing can be
    /// compared.
    Compare {
        /// The older record
        old: PathBuf,

        /// The newer record
        new: PathBuf,
    },

    /// Time the least work a walk or a search can do: the limit of all speeds
    ///
    /// The floor follows no rule, reports no error and copes with no odd file. It is a limit to
    /// compare with, not a program to use. `walk` and `search` have rows for it, which start it as
    /// a program with `--print`.
    ///
    /// For instance:
    ///
    ///   benchsuite floor list TREE
    ///   benchsuite floor read -j2 TREE
    #[command(verbatim_doc_comment)]
    Floor(floor::FloorOptions),

    /// Print the path of every file here with another library's walker
    ///
    /// `walk` runs this as one of the rivals: a walker alone has less to do than a program.
    Library(libraries::LibraryOptions),

    /// Compare queues and idle policies on the loads of the published documents, and more
    ///
    /// Each run of a row is a process of its own and is verified: every item done, once. A row that
    /// does anything else, hangs or dies is INVALID, and the exit code is 1.
    ///
    /// For instance:
    ///
    ///   benchsuite queues --quick
    ///   benchsuite queues tree -j2,8 --queue deque,rayon --record record.json
    ///   benchsuite report record.json --as-published
    #[command(verbatim_doc_comment)]
    Queues(queues::QueuesOptions),

    /// Write the tables of benchsuite/FINDINGS.md from the records beside it
    Findings(findings::FindingsOptions),
}

fn main() -> ExitCode {
    if env::args_os().nth(1).is_some_and(|first| first == child::SUBCOMMAND) {
        // This process must be small: nothing is parsed.
        return child::serve();
    }
    let first_look = || Command::Walk(suite::SuiteOptions::first_look());
    let outcome = match Typed::parse().command.unwrap_or_else(first_look) {
        Command::Walk(options) => suite::run(&options, record::RecordKind::Walk),
        Command::Search(options) => suite::run(&options, record::RecordKind::Search),
        Command::Index(options) => suite::run(&options, record::RecordKind::Index),
        Command::Hunt(options) => hunt::run(&options),
        Command::Corpora(options) => corpora::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Compare { old, new } => compare::run(&old, &new),
        Command::Floor(options) => floor::run(&options).map(|()| ExitCode::SUCCESS),
        Command::Library(options) => libraries::run(&options).map(|()| ExitCode::SUCCESS),
        Command::Queues(options) => queues::run(&options),
        Command::Findings(options) => findings::run(&options),
    };
    match outcome {
        Ok(code) => code,
        // The reader of the paths has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Without stderr there is no place left for the message.
            let _ = writeln!(io::stderr(), "benchsuite: {error}");
            ExitCode::from(2)
        }
    }
}
