//! Is this path wanted? Ignore files, globs, file types, hidden files.
//!
//! A walk asks once per entry, so the answer has to be cheap; and people compare it with what
//! ripgrep and git say, so it has to be exact.
//!
//! One [`Filter`] is shared by all workers; each has a [`WorkerCache`]. For every root the walk asks
//! [`Filter::root`] for a [`Scope`]. For every directory it lists, it notes the names in
//! [`RuleFilesPresent`], calls [`Filter::enter`] if there were any, and gets a [`Directory`] from
//! [`Filter::directory`] that judges the entries one by one.
//!
//! | module | |
//! |---|---|
//! | `config` | what the caller decides; errors and problems |
//! | `glob` | tokens of both dialects, and the matcher that runs them |
//! | `ignore_file` | lines of an ignore file |
//! | `pattern` | a rule's glob, cut into a directory's half and a name's half |
//! | `name`, `name_table` | an entry's hashes; tables that find the last rule to match a name |
//! | `rules` | all rules of one file |
//! | `scope` | the chain of directories with rules; **precedence** |
//! | `directory` | the pipeline, for the entries of one directory |
//! | `overrides`, `types`, `git` | `-g`; `-t`; repositories and git's configuration |
//! | `path_globs` | globs for whole paths, outside of a walk: `--pre-glob` |
//!
//! What is **not** here: threads, descriptors, the walk. The crate reads ignore files and git's
//! configuration, and no environment variable.

#![forbid(unsafe_code)]

mod config;
mod directory;
mod error;
mod filter;
mod git;
mod glob;
mod ignore_file;
mod name;
mod name_table;
mod overrides;
mod path_bytes;
mod path_globs;
mod pattern;
#[cfg(test)]
mod random;
mod rule_files;
mod rules;
mod scope;
mod types;
mod worker_cache;

pub use config::{Environment, FilterConfig, Glob};
pub use directory::Directory;
pub use error::{Error, Problem};
pub use filter::Filter;
pub use path_globs::PathGlobs;
pub use rule_files::RuleFilesPresent;
pub use scope::{MAX_RULE_FILE_BYTES, ReadFile, Scope, rule_file_too_large};
pub use types::{TypeDefinition, TypeSelection, TypeTable};
pub use worker_cache::WorkerCache;
