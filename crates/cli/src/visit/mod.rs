//! The run: every wanted file is found, and searched or listed.
//!
//! Here the walking half of the workspace meets the searching half.
//!
//! | file | holds |
//! |---|---|
//! | `search` | one worker's search: walk, searcher and printer joined |
//! | `list` | `--files` |
//! | `walk` | the common part of both |
//! | `tree` | the walk, which finds the files |
//! | `pass` | a pass over files that are known, for sorted results |
//! | `spread` | a limit of results that is shared among files |
//! | `collect` | the walk that only collects files |
//! | `counted` | files whose results are counted before any is printed |
//! | `found` | the results that decide the exit code |
//! | `shared_searches` | large files that several workers search |

mod collect;
mod counted;
mod found;
mod list;
mod pass;
mod search;
mod shared_searches;
mod spread;
mod tree;
mod walk;

pub(crate) use list::list;
pub(crate) use pass::ledger;
pub(crate) use search::search;
