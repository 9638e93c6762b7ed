//! `benchsuite walk`, `search` and `index`: whole programs, timed in turns.
//!
//! ```text
//! tasks, tools, corpora ──> plan: rows ──> check: results compared ──> timer: turns
//!                     tables, report <── record <── costs: memory, switches, calls <┘
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `options` | the command line |
//! | `run` | a session from the command line to the page |
//! | `tasks` | the tasks, as data |
//! | `tools` | the programs, as data |
//! | `plan` | the rows of a comparison |
//! | `planned` | those rows as text, for the cases of tests |
//! | `indexes` | the states of `hs` with an index, and what comes before its updates |
//! | `check` | the result of a command, before anything is timed |
//! | `timer` | one timed run, by hyperfine or by this program |
//! | `costs` | memory, switches, faults, migrations, system calls |
//! | `edits` | whether a search finds one's own edit, in programs with an index |
//! | `suspect` | rows that did less than their task takes |
//! | `cache` | the page cache before a run |
//! | `session` | a comparison from its first command to its last |

mod cache;
pub(crate) mod check;
mod costs;
mod edits;
mod indexes;
mod options;
mod plan;
#[cfg(test)]
pub(crate) mod planned;
mod run;
mod session;
mod suspect;
pub(crate) mod tasks;
mod timer;
pub(crate) mod tools;

pub(crate) use options::SuiteOptions;
pub(crate) use run::run;
