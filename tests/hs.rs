//! The end-to-end tests: they drive the program `hs` as a user would, and look at nothing else.
//!
//! What a crate can test itself it does; here the wiring is tested, one file per category.
//! `HS_TEST_JUDGE=/path/to/rg cargo test --test hs` checks the expectations against ripgrep.

#[macro_use]
mod harness;

/// How lines are found to be binary, and what is said then.
mod binary;
/// Editors and other programs that run ripgrep.
mod clients;
/// Files that are not in memory.
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
/// What goes wrong, what is said about it and how the program exits.
mod errors;
/// Faults of the system, and everything that happens while hs looks away.
mod faults;
/// `--files` and `--type-list`.
mod files_mode;
/// What holds for every flag: that it is known, tested, and refused when it is misused.
mod flags;
/// `-g`, `--iglob`, `-t` and their like.
mod globs_types;
/// What GUIDE.md shows.
mod guide;
/// What others wrote to do harm.
mod hostile;
/// Ignore files and everything that switches them off.
mod ignore;
/// Paths, stdin, and which of them is searched.
mod input_stdin;
/// Files that several workers search at once.
mod large;
/// What a matching line looks like when printed.
mod output;
/// Which of several flags wins.
mod overrides;
/// What is searched for.
mod patterns;
/// Its names and versions, its man page and completions.
mod program;
/// `--sort`, `--sortr` and `--sort-files`, by any number of workers.
mod sort;
/// `-c`, `-l`, `-q` and their like.
mod summary;
/// Symbolic links, followed or not.
mod symlinks;
/// What a terminal would obey.
mod terminal;
