//! The run: every wanted file is found, and searched or listed.
//!
//! This is where the walking half of the workspace meets the searching half.
//!
//! | file | holds |
//! |---|---|
//! | `search` | one worker's search: walk, searcher and printer joined |
//! | `list` | `--files` |
//! | `walk` | what both have in common |
//! | `tree`, `pass`, `collect` | the walk, a pass over files that are known, and the walk that only collects them |
//! | `found` | what was found |
//! | `file_sink` | what a search tells of one file |
//! | `shared_searches` | large files that are searched by several workers |

mod collect;
mod file_sink;
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
