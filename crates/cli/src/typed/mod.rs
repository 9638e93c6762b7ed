//! The arguments as typed: the final value of every flag, validated without access to files, to the
//! terminal or to the environment.
//!
//! A field without documentation is the value of the flag with its name.
//! [`ResolvedArgs`](crate::resolved::ResolvedArgs) combines the flags and applies them to the
//! environment.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use heist_filter::FilterConfig;
use heist_printer::{ColorRule, Excerpt, HyperlinkFormat, PrinterConfig, Template};
use heist_searcher::SearchConfig;
use heist_walk::{FileTime, Shard, ShardBy, WalkConfig};

mod modes;
mod patch_hash;
mod sources;

pub(crate) use modes::{EarlyMode, Generate, GroupBy, IndexAction, Mode, SearchMode};
pub(crate) use patch_hash::PatchHash;
pub(crate) use sources::{FunctionPattern, LabeledPattern, PathList, PatternSource};

use crate::{quantities::When, setup::SetupAction};

/// How many files are visited before an index is looked for. Reading as many takes more time than
/// to find out that there is none, or to open one.
const INDEX_AFTER: usize = 256;

/// The arguments as typed.
#[derive(Clone, Debug, Default)]
pub struct TypedArgs {
    /// The request for help or a version, which overrides `mode`.
    pub(crate) early: Option<EarlyMode>,
    /// The kind of results.
    pub(crate) mode: Mode,
    /// The mode that `--count-total` has replaced, if no `-c` follows it.
    pub(crate) before_total: Option<Mode>,
    /// `--count-by`; `None` if it is disabled.
    pub(crate) count_by: Option<GroupBy>,
    /// `--json`, for modes that do not search and have messages in JSON too.
    pub(crate) json: bool,
    /// The positional arguments: pattern, then paths.
    pub(crate) positional: Vec<OsString>,
    /// `-e`, `-f`, `--pattern` and `--patterns-from`, in order.
    pub(crate) patterns: Vec<PatternSource>,

    /// `--and`, in order.
    pub(crate) and: Vec<String>,
    /// `--not`, in order.
    pub(crate) not: Vec<String>,
    /// `--query`, in order.
    pub(crate) queries: Vec<String>,
    pub(crate) per_file: bool,
    pub(crate) any_case: bool,
    /// `--files-from`, `--files0-from`, in order.
    pub(crate) path_lists: Vec<PathList>,
    /// `--no-stdin`, or `HEIST_NO_STDIN` in the environment.
    pub(crate) no_stdin: bool,

    /// What the flags determine of each library's configuration. All else has its default and is
    /// resolved later.
    pub(crate) matcher: heist_matcher::MatcherConfig,
    pub(crate) searcher: SearchConfig,
    pub(crate) printer: PrinterConfig,
    pub(crate) walk: WalkConfig,
    pub(crate) filter: FilterConfig,

    /// `--pre`; `None` if it is disabled.
    pub(crate) pre: Option<PathBuf>,
    /// `--pre-glob`, in order.
    pub(crate) pre_globs: Vec<String>,
    /// `-z`; at most one of this and `pre` is set.
    pub(crate) search_zip: bool,
    /// `-a`, `--binary`.
    pub(crate) binary: BinaryMode,
    pub(crate) mmap: bool,
    /// `--index`
    pub(crate) index: IndexUse,
    /// `--watch`, which `--index-update` needs.
    pub(crate) watch: bool,
    /// `--index-after`
    pub(crate) index_after: usize,
    /// `-j`; 0 for the default.
    pub(crate) threads: usize,

    /// `-g`, in order.
    pub(crate) globs: Vec<String>,
    /// `--iglob`, in order.
    pub(crate) iglobs: Vec<String>,
    pub(crate) glob_case_insensitive: bool,
    /// `--only`, in order.
    pub(crate) only: Vec<String>,
    /// `--exclude`, in order.
    pub(crate) exclude: Vec<String>,
    pub(crate) newer: Option<When>,
    pub(crate) older: Option<When>,
    /// `--changed`: the commit that files are compared with, or nothing for git's index.
    pub(crate) changed: Option<String>,
    pub(crate) changed_lines: bool,
    pub(crate) shard: Option<Shard>,
    /// `--shard-by`, if given.
    pub(crate) shard_by: Option<ShardBy>,
    /// `-t`, `-T`, `--type-add`, `--type-clear`, in order.
    pub(crate) types: Vec<TypeChange>,
    /// The number of `-u` flags.
    pub(crate) unrestricted: u8,
    pub(crate) no_ignore_files: bool,
    /// `--no-worktrees`, `--worktrees`; `None` if other flags decide.
    pub(crate) no_worktrees: Option<bool>,

    /// `-A`, `-B`, `-C`, `--passthru`.
    pub(crate) context: ContextLines,
    /// `--show-function` and the other flags about context that the text determines.
    pub(crate) around: TypedSurroundings,
    /// `-n`, `-N`.
    pub(crate) line_number: Option<bool>,
    pub(crate) column: Option<bool>,
    /// `-H`, `-I`.
    pub(crate) with_filename: Option<bool>,
    pub(crate) heading: Option<bool>,
    /// `--excerpt`, which does not reach anything if it is disabled.
    pub(crate) excerpt: Option<Excerpt>,
    /// `--preserve-case`; `None` if other flags decide.
    pub(crate) preserve_case: Option<bool>,
    /// `--format`
    pub(crate) format: Option<Template>,
    pub(crate) which: bool,
    /// `--names`; `None` if it is disabled.
    pub(crate) names: Option<Names>,
    pub(crate) raw: bool,
    /// `-q`.
    pub(crate) quiet: bool,
    pub(crate) color: ColorMode,
    /// `--colors`, in order.
    pub(crate) colors: Vec<ColorRule>,
    /// `--hyperlink-format`; empty if it is disabled.
    pub(crate) hyperlink_format: HyperlinkFormat,
    /// `--hostname-bin`; `None` if it is disabled.
    pub(crate) hostname_bin: Option<PathBuf>,
    /// `--sort`, `--sortr`, `--sort-files`.
    pub(crate) sort: Option<SortBy>,
    /// `--line-buffered`, `--block-buffered`.
    pub(crate) buffering: Buffering,
    pub(crate) pager: bool,

    /// `--max-results` and the flags about what is shown of what there is.
    pub(crate) limits: Limits,
    /// `--tell-skipped`; `None` if neither it nor its negation is given.
    pub(crate) tell_skipped: Option<bool>,

    /// Whether `-r` was typed, not `--replace`.
    pub(crate) replaces_by_letter: bool,

    pub(crate) no_messages: bool,
    pub(crate) no_ignore_messages: bool,
    /// `--progress`; `None` if it is not given.
    pub(crate) progress: Option<ProgressUse>,
    /// `--debug`, `--trace`.
    pub(crate) logging: Option<log::Level>,
    /// `--safe`, or `HEIST_RESTRICT` in the environment.
    pub(crate) safe: bool,
    pub(crate) no_config: bool,
    /// `--undo` and `--yes`
    pub(crate) setup: SetupAction,
    /// `--write`, `--dry-run`, `--if-patch` and `--no-journal`
    pub(crate) rewriting: Rewriting,
    /// `--undo`: which change is put back, or `LIST`; nothing for the last one.
    pub(crate) undo: Option<String>,
    /// `--agent`; `None` if it is not given, so that the environment decides.
    pub(crate) agent: Option<bool>,
}

impl TypedArgs {
    /// The meaning of no arguments.
    pub(crate) fn new() -> TypedArgs {
        let (filter, index_after) = (FilterConfig::standard(""), INDEX_AFTER);
        TypedArgs { filter, index_after, ..TypedArgs::default() }
    }

    /// Whether patterns or paths are read from files or standard input.
    pub(crate) fn reads_lists(&self) -> bool {
        let is_list = |source: &PatternSource| {
            matches!(source, PatternSource::File(_) | PatternSource::LabeledFile(_))
        };
        !self.path_lists.is_empty() || self.patterns.iter().any(is_list)
    }
}

/// What replacing matches in files means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rewriting {
    /// Matches are replaced in files.
    pub(crate) write: bool,
    /// A patch is printed instead.
    pub(crate) dry_run: bool,
    /// Matches are replaced only if the patch would have this hash.
    pub(crate) if_patch: Option<PatchHash>,
    /// No journal is written.
    pub(crate) no_journal: bool,
}

/// What patterns are searched for in besides the contents of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// The names of files.
    Name,
    /// Their paths below the roots.
    Path,
}

/// When a search uses an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IndexUse {
    /// If there is one that can be used.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Always: it is an error if none can be used.
    Require,
    /// As with `Auto`, but not for files that were changed shortly before they were indexed.
    Strict,
}

/// The treatment of files with NUL bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BinaryMode {
    /// In a file that the walk finds, the search stops at the first NUL byte; in a file on the
    /// command line, at the first match after it.
    #[default]
    Auto,
    /// All files are text (`-a`).
    Text,
    /// The search of every file stops at the first match after a NUL byte (`--binary`).
    Search,
}

/// A change to the table of file types, or a selection from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeChange {
    /// `-t NAME`.
    Select(String),
    /// `-T NAME`.
    Negate(String),
    /// `--type-add DEFINITION`.
    Add(String),
    /// `--type-clear NAME`.
    Clear(String),
}

/// The lines that are printed besides matching ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContextLines {
    /// Whether all lines are printed (`--passthru`); if so, the other fields are `None`.
    pub(crate) passthru: bool,
    /// The number of lines before each match (`-B`).
    pub(crate) before: Option<usize>,
    /// The number of lines after each match (`-A`).
    pub(crate) after: Option<usize>,
    /// How many lines are shown on each side that has no flag of its own (`-C`).
    pub(crate) both: Option<usize>,
}

impl ContextLines {
    /// Returns the number of lines before and after each match: 2 and 1 for `-C2 -A1`, zero for
    /// `--passthru`.
    pub(crate) fn limits(self) -> (usize, usize) {
        (self.before.or(self.both).unwrap_or(0), self.after.or(self.both).unwrap_or(0))
    }
}

/// When the run shows how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressUse {
    /// Where standard error is a terminal and results do not go to it.
    Auto,
    /// Never.
    Never,
    /// Always, on whatever standard error is.
    Always,
}

/// When output has colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColorMode {
    /// On a terminal that supports colors.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Always (`always`, `ansi`).
    Always,
}

/// The order of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortBy {
    /// The value that is compared.
    pub(crate) key: SortKey,
    /// Whether the largest value comes first.
    pub(crate) reverse: bool,
}

/// The value by which files are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortKey {
    /// The path.
    Path,
    /// A time of the file.
    Time(FileTime),
    /// How likely the file is to be wanted; see [`ranking`](crate::ranking).
    Relevance,
}

impl SortKey {
    /// The time by which files are sorted, if they are.
    pub(crate) fn time(self) -> Option<FileTime> {
        match self {
            SortKey::Path | SortKey::Relevance => None,
            SortKey::Time(time) => Some(time),
        }
    }
}

/// Context that the text determines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedSurroundings {
    pub(crate) show_function: bool,
    pub(crate) function_context: bool,
    /// `--function-pattern`, in order.
    pub(crate) function_patterns: Vec<FunctionPattern>,
    pub(crate) paragraph: bool,
    pub(crate) until: Option<String>,
}

/// The value of `--excerpt` if none is given: a line with results then fits on a terminal.
pub(crate) const DEFAULT_EXCERPT: &str = "30";

/// The excerpts that `--compact` makes: source code is printed whole, a line in a minified file is
/// not. Context is requested to be read, so that more of it is.
pub(crate) const COMPACT_EXCERPT: Excerpt = Excerpt { reach: 80, whole: 200, whole_context: 2000 };

/// The limits of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The most results: matching lines or, in modes that print one line about each file, files.
    pub(crate) results: Option<u64>,
    /// The most files with results.
    pub(crate) files: Option<u64>,
    /// The most bytes of output.
    pub(crate) output: Option<u64>,
    /// The most time.
    pub(crate) time: Option<Duration>,
    /// The number of results to pass over.
    pub(crate) offset: u64,
    pub(crate) count_rest: bool,
    pub(crate) spread: bool,
}

/// The buffering of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Buffering {
    /// By line on a terminal, by block elsewhere.
    #[default]
    Auto,
    /// Output is written after each line (`--line-buffered`).
    Line,
    /// Output is written in large blocks (`--block-buffered`).
    Block,
}
