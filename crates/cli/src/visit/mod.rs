//! The run: every wanted file is found, and searched or listed.
//!
//! Here the walking half of the workspace meets the searching half.
//!
//! | file | holds |
//! |---|---|
//! | `search` | one worker's search: walk, searcher and printer joined |
//! | `search/file` | how a file is searched: whole, in parts, later, or not at all |
//! | `search/contents` | what a file contains, and how that is read |
//! | `search/per_file` | files that meet a condition as a whole |
//! | `search/engine` | searcher and printer, one file after the other |
//! | `index` | `--index-update`, `--index-verify`, `--index-status` |
//! | `list` | `--files` |
//! | `metered` | readers that count what is read |
//! | `walk` | the common part of both |
//! | `why` | `--why` |
//! | `absence` | the account of what was left out |
//! | `spellings` | what is close to a literal |
//! | `overlooked` | the hint where nothing was found |
//! | `unsearched` | the cause where no file is searched |
//! | `names` | the search of the names of files |
//! | `tree` | the walk, which finds the files |
//! | `file_pass` | walks whose visitors are called through pointers |
//! | `pass` | a pass over files that are known, for sorted results |
//! | `spread` | a limit of results that is shared among files |
//! | `count_by` | counts for each directory, extension or file |
//! | `replace` | the edits that `--write` makes of matches |
//! | `relevance` | a survey of all files, and their order by use |
//! | `search/observed`, `search/definitions` | what a survey notes of the lines that are found |
//! | `collect` | the walk that only collects files, and their order |
//! | `first_match` | whether anything matches in a file |
//! | `found` | the results that decide the exit code, and those that are counted in advance |
//! | `ranges` | the search of those parts of a file that an index could not rule out |
//! | `shared_searches` | large files that several workers search |

mod absence;
mod collect;
mod count_by;
mod file_pass;
mod first_match;
mod found;
mod index;
mod list;
mod metered;
mod names;
mod overlooked;
mod pass;
mod ranges;
mod relevance;
mod replace;
mod search;
mod shared_searches;
mod spellings;
mod spread;
mod tree;
mod unsearched;
mod walk;
mod why;

pub(crate) use absence::{Account, RunTime, account, account_of_list};
pub(crate) use found::Found;
pub(crate) use index::{compare_with_index, update_index, verify_index};
pub(crate) use list::list;
pub(crate) use overlooked::hint;
pub(crate) use pass::ledger;
pub(crate) use replace::edits;
pub(crate) use search::{FileCondition, Sought, search};
pub(crate) use unsearched::{better_glob, cause, cause_in_flags, quoted};
pub(crate) use why::explain;
