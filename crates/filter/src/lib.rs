//! Decides which entries in a tree are wanted: rule files, globs, file types, hidden files.
//!
//! A walk calls the filter once per entry, so a decision has to be cheap. Users compare the results
//! with what ripgrep and git do, so it has to be exact.
//!
//! # Precedence
//!
//! The first line with a matching rule decides. Within a line the last matching rule of the deepest
//! directory decides, and `!` reverses it.
//!
//! | | rules | effect of a match |
//! |---|---|---|
//! | 1 | [command-line globs](FilterConfig::globs) | included, or ignored with `!` (a) |
//! | 2 | `.rgignore` | ignored, with `!` whitelisted |
//! | 3 | `.ignore` | the same |
//! | 4 | `.gitignore` | the same, up to the top of the repository |
//! | 5 | `.git/info/exclude` | the same |
//! | 6 | `core.excludesFile` of git | the same |
//! | 7 | [`--ignore-file`](FilterConfig::ignore_files), the last one first | the same |
//! | 8 | [file types](FilterConfig::types), if 2 to 7 do not ignore it | selected, excluded (b) |
//! | 9 | a name that begins with a dot (c) | ignored unless whitelisted or selected |
//!
//! (a) If any glob includes, files that no glob matches are ignored.
//! (b) If any type is selected, files of no selected type are ignored.
//! (c) With [`dotfiles`](FilterConfig::dotfiles), only what belongs to version control, which rows
//! 2 to 7 do not whitelist then. Git never looks into `.git`, so rows 4 to 6 never whitelist that.
//!
//! With [`tracking`](FilterConfig::tracking), files in git's index are whitelisted in place of rows
//! 4 to 6. With [`Tracking::Only`], untracked files are ignored, whatever the other rules decide.
//!
//! What is still wanted then is ignored if an [`--exclude`](FilterConfig::except) glob matches it,
//! or if there are [`--only`](FilterConfig::only) globs and none matches the file or a directory
//! above it.
//!
//! For example, three rules and what they decide:
//!
//! ```
//! use std::{ffi::CStr, io};
//! use heist_filter::{Filter, FilterConfig, ReadFile, RuleFilesPresent, WorkerCache};
//!
//! struct Rules;
//!
//! impl ReadFile for Rules {
//!     fn read(&mut self, _: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
//!         *into = b"*.log\n!keep.log\n/target/\n".to_vec();
//!         Ok(())
//!     }
//! }
//!
//! let filter = Filter::new(FilterConfig { cwd: "/src".into(), dot: true, ..Default::default() })?;
//! let mut cache = WorkerCache::default();
//! let root = filter.root("/src".as_ref(), &mut cache);
//!
//! // The listing of /src shows a rule file.
//! let mut found = RuleFilesPresent::default();
//! found.note(b".ignore");
//! let scope = filter.enter(&root, b"", found, &mut Rules, &mut cache);
//!
//! let mut directory = filter.directory(&scope, b"", &mut cache);
//! assert!(!directory.is_wanted(b"a.log", false));
//! assert!(directory.is_wanted(b"keep.log", false));
//! assert!(directory.is_wanted(b"target", false), "the rule is for directories");
//! let verdict = directory.verdict(b"target", true).to_string();
//! # #[cfg(unix)]
//! assert_eq!(verdict, "ignored by /src/.ignore:3: /target/");
//! # Ok::<(), heist_filter::Error>(())
//! ```
//!
//! # Use
//!
//! All workers share one [`Filter`]; each has a [`WorkerCache`]. For a root, [`Filter::root`]
//! returns a [`Scope`], the rules in force. For a directory, the walk notes the names of the
//! listing in [`RuleFilesPresent`], calls [`Filter::enter`] if there were any, and gets a
//! [`Directory`] from [`Filter::directory`], which judges the entries one by one.
//!
//! The crate starts no thread, lists no directory, and reads nothing but rule files and git's
//! configuration. It reads no environment variable.
//!
//! # Modules
//!
//! - `filter`, `compiled`, `config`: the shared filter, its compiled form, what the caller decides.
//! - `ignore_file`, `glob`, `pattern`, `regex_glob`: the lines in a rule file, the tokens in both
//!   dialects, globs cut into a directory's half and a name's half, globs that need a regex.
//! - `rules`, `name_table`, `name`: all rules in one file, tables that find the last rule that
//!   matches a name, a name's hashes.
//! - `scope`, `rule_files`, `read_file`, `root`, `above_roots`: the chain of directories with
//!   rules, the kinds of rule files, reading them, what lies above a root.
//! - `directory`, `rules_in_force`, `active_rules`, `dir_paths`, `rule_source`: decisions about one
//!   directory's entries, the rule sets that apply there, and which rule decided.
//! - `tracked`: the files in git's index; `changes`: the files and lines that differ from it.
//! - `attributes`, `attribute_lines`: files' git attribute `diff`.
//! - `overrides`, `narrowing`, `placed_glob`, `types`, `git`, `path_globs`: `-g`, `--only` and
//!   `--exclude`, what these are relative to, `-t`, repositories and git's configuration,
//!   `--pre-glob`.

#![forbid(unsafe_code)]

mod above_roots;
mod active_rules;
mod attribute_lines;
mod attributes;
mod changes;
mod compiled;
mod config;
mod dir_paths;
mod directory;
mod error;
mod filter;
mod fingerprint;
mod git;
pub mod git_quotes;
mod glob;
mod ignore_file;
mod links;
mod name;
mod name_table;
mod narrowing;
mod overrides;
pub mod path_bytes;
mod path_globs;
mod pattern;
mod placed_glob;
mod read_file;
mod regex_glob;
mod root;
mod rule_files;
mod rule_source;
mod rules;
mod rules_in_force;
mod scope;
#[cfg(test)]
mod tests;
mod tracked;
mod types;
mod worker_cache;

pub use attributes::{DiffDriver, GitAttributes};
pub use changes::{AddedLines, Changes, ChangesConfig};
pub use compiled::is_of_version_control;
pub use config::{Environment, FilterConfig, Glob, Tracking};
pub use directory::Directory;
pub use error::{Error, Problem};
pub use filter::Filter;
pub use fingerprint::Fingerprint;
pub use git::{Checkout, FunctionName};
pub use links::leads_out;
pub use path_globs::PathGlobs;
pub use read_file::{ByPath, MAX_RULE_FILE_BYTES, ReadFile, rule_file_too_large};
pub use rule_files::RuleFilesPresent;
pub use rule_source::{Reason, RuleSource, Verdict};
pub use scope::Scope;
#[doc(hidden)]
pub use tracked::check_index;
pub use types::{TypeDefinition, TypeSelection, TypeTable};
pub use worker_cache::WorkerCache;

#[cfg(doctest)]
skipped_tests_summary::report!();
