//! The end-to-end tests, which run the program `hs` as a user does.
//!
//! A crate tests its own behaviour; these tests check how the parts work together. Most of them are
//! text, in `sessions`, a file per category; those that need Rust are in the other modules.
//! `HS_TEST_JUDGE=/path/to/rg cargo test --test hs` checks the expectations against ripgrep.

#[macro_use]
#[path = "../harness/mod.rs"]
mod harness;

/// What was left out and would match, against a look at every file.
mod absence;
/// Functions around matches, against `git grep`.
mod around;
/// The drivers of git's attributes, against `git grep`.
mod attributes;
/// Files and lines that have changed, against `git diff` and `git ls-files`.
mod changed;
/// Flags that choose files: git's index, and lists that are still being written.
mod choose;
/// The command lines of programs that run ripgrep, their output as these programs parse it.
mod clients;
/// What interactive shells complete.
mod completion;
/// Lines and files that meet several conditions, against `git grep`.
mod conditions;
/// Trees deeper than system calls accept.
mod deep;
/// Failing system calls, signals, and trees that change during a search, as Unix has them.
#[cfg(unix)]
mod faults;
/// Properties of every flag: it is accepted, tested, and rejected when misused.
mod flags;
/// Forms of results that ripgrep does not have, against the messages of `--json`.
mod forms;
/// The examples in README.md, GUIDE.md and its pages.
mod guide;
/// Limits of results in random trees, against the whole output.
mod limits;
/// Searches with an index, in a tree that random steps change.
#[cfg(target_os = "linux")]
mod machine;
/// Each flag of our own against each flag of ripgrep.
mod matrix;
/// Files chosen by size, time and identity, against a walk that examines each path.
#[cfg(unix)]
mod metadata;
/// Names of files that match, against lists of files.
mod names;
/// A pager and a line about progress, on terminals.
#[cfg(unix)]
mod pager;
/// Flags about how results are shown, in pairs with all others.
mod pairs;
/// The picture of a terminal in README.md.
mod picture;
/// Every queue and idle policy.
mod queues;
/// The order by relevance and counts by group in random trees, against the slow, obvious way.
mod ranking;
/// The sessions, which are text.
mod sessions;
/// Searches of a tree that a process watches.
#[cfg(target_os = "linux")]
mod watched;
/// Which pattern matches, against a run with each pattern alone.
mod which;
/// Worktrees and submodules, against `git ls-files`.
mod worktrees;
/// Files that are written, and put back.
#[cfg(unix)]
mod write;
/// The question before files are written, answered on a terminal.
#[cfg(unix)]
mod write_choice;
