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
//! | `collect` | the walk that only collects files |
//! | `found` | the results that decide the exit code |
//! | `shared_searches` | large files that several workers search |

mod collect;
mod found;
mod list;
mod pass;
mod search;
mod shared_searches;
mod tree;
mod walk;

pub(crate) use list::list;
pub(crate) use pass::ledger;
pub(crate) use search::search;
