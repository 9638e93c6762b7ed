//! What is printed, byte for byte: command lines on small files, the expected output beside them.
//!
//! - `driver`: a command line becomes a printer's configuration and a slow, obvious search that
//!   feeds it.
//! - `standard`, `context`, `long_lines`, `colors`, `summary`, `replaced`, `blocks`, `json`, `stats`, `links`: tables of
//!   cases by subject.
//! - `binary`, `events`: sequences of events that no command line of the driver produces.
//! - `judge`: every case, and random command lines, run by ripgrep if `HS_TEST_JUDGE` names one.
//!
//! All expectations are verified against ripgrep 15.2, unless they say otherwise.

mod binary;
mod blocks;
mod colors;
mod context;
mod driver;
mod events;
mod json;
mod judge;
mod links;
mod long_lines;
mod replaced;
mod standard;
mod stats;
mod summary;

/// A command line as for `hs`, ending in the names of [`driver::FILES`], and what it prints. Tokens
/// in braces stand for escape sequences and NUL bytes, see [`driver::fold`].
type Case = (&'static str, &'static str);

/// All tables of cases.
const TABLES: &[&[Case]] = &[
    standard::CASES,
    context::CASES,
    long_lines::CASES,
    colors::CASES,
    summary::CASES,
    replaced::CASES,
    blocks::CASES,
    json::CASES,
    stats::CASES,
    links::CASES,
];

fn check(cases: &[Case]) {
    for (command, expected) in cases {
        assert_eq!(driver::fold(&driver::run(command)), *expected, "hs {command}");
    }
}
