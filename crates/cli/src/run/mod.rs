//! One run of the program, around what visits the files.
//!
//! | module | purpose |
//! |---|---|
//! | `here` | facts about the environment: directory, terminal, cores |
//! | `results` | the modes that search and list, from the first thread to the last line |
//! | `haystack` | standard input, pipes, and files that are not in memory |
//! | `path_lists` | the paths of `--files-from` |
//! | `progress` | how far a run is, as a line on a terminal |
//! | `programs` | where the programs of `--pre`, `--hostname-bin` and `-z` are |
//! | `recorded_roots` | the paths that a list has named, for a second walk |
//! | `running` | the programs that run, and how they end |
//! | `rewrite` | `--write` and `--undo`: what is done with the edits of files |
//! | `patches`, `choice` | what they would change, and how much of that the user wants |
//! | `deadline` | how a run ends if its results or its time are limited |

mod choice;
pub(crate) mod deadline;
pub(crate) mod haystack;
pub(crate) mod here;
mod patches;
pub(crate) mod path_lists;
pub(crate) mod programs;
pub(crate) mod progress;
pub(crate) mod recorded_roots;
pub(crate) mod results;
pub(crate) mod rewrite;
pub(crate) mod running;
