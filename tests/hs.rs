//! The end-to-end tests, which run the program `hs` as a user does. One file per category.
//!
//! A crate tests its own behaviour; these tests check how the parts work together.
//! `HS_TEST_JUDGE=/path/to/rg cargo test --test hs` checks the expectations against ripgrep.

#[macro_use]
mod harness;

/// The detection of binary files, and the messages about them.
mod binary;
/// The command lines of editors and other programs that run ripgrep.
mod clients;
/// Files that are not in the page cache.
mod cold;
/// Colours, byte for byte.
mod color;
/// Threads, queues, limits and races.
mod concurrency;
/// The configuration file.
mod config;
/// `-z` and `--pre`.
mod contents;
/// Lines around a match.
mod context;
/// Error messages and exit statuses.
mod errors;
/// Failing system calls, signals, and trees that change during a search.
mod faults;
/// `--files` and `--type-list`.
mod files_mode;
/// Properties of every flag: it is accepted, tested, and rejected when misused.
mod flags;
/// `-g`, `--iglob`, `-t` and related flags.
mod globs_types;
/// The examples in GUIDE.md and README.md.
mod guide;
/// Malicious trees, lines and arguments.
mod hostile;
/// Ignore files and the flags that disable them.
mod ignore;
/// The choice between paths, the current directory and standard input.
mod input_stdin;
/// Files that several workers search together.
mod large;
/// The format of matching lines.
mod output;
/// Precedence of flags that override each other.
mod overrides;
/// Patterns and the flags that change their meaning.
mod patterns;
/// Names and versions, the man page and completions.
mod program;
/// `--sort`, `--sortr` and `--sort-files`, with any number of workers.
mod sort;
/// `-c`, `-l`, `-q` and related flags.
mod summary;
/// Symbolic links, followed or not.
mod symlinks;
/// Control characters in output to a terminal.
mod terminal;
