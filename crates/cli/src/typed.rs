//! What was typed: every flag's last word, validated, with no look at files, terminal or
//! environment.
//!
//! The fields follow the flags. What they mean together and in this place is the business of
//! [`ResolvedArgs`](crate::resolved::ResolvedArgs).

use std::{ffi::OsString, path::PathBuf};

use heist_matcher::{Boundary, Case, Engine};
use heist_printer::{ColorRule, HyperlinkFormat};
use heist_queue::{IdleKind, QueueKind};
use heist_searcher::Encoding;
use heist_walk::Reader;

/// Everything that was typed.
#[derive(Clone, Debug, Default)]
pub struct TypedArgs {
    /// A request that wins over every mode: help or version.
    pub(crate) early: Option<EarlyMode>,
    /// What kind of result is asked for.
    pub(crate) mode: Mode,
    /// The arguments that are no flags: pattern, then paths.
    pub(crate) positional: Vec<OsString>,
    /// `-e` and `-f`, in order.
    pub(crate) patterns: Vec<PatternSource>,

    /// `--pre`; None where it is off.
    pub(crate) pre: Option<PathBuf>,
    /// `--pre-glob`, in order.
    pub(crate) pre_globs: Vec<String>,
    /// `-z`; off where `pre` is not.
    pub(crate) search_zip: bool,

    /// `-P`, `--engine`.
    pub(crate) engine: Engine,
    /// `-s`, `-i`, `-S`.
    pub(crate) case: Case,
    /// `-w`, `-x`.
    pub(crate) boundary: Boundary,
    /// `-F`.
    pub(crate) fixed_strings: bool,
    /// `--no-unicode`.
    pub(crate) no_unicode: bool,
    /// `-v`.
    pub(crate) invert_match: bool,
    /// `-m`.
    pub(crate) max_count: Option<u64>,
    /// `--stop-on-nonmatch`.
    pub(crate) stop_on_nonmatch: bool,
    /// `-U`.
    pub(crate) multiline: bool,
    /// `--multiline-dotall`.
    pub(crate) multiline_dotall: bool,
    /// `--crlf`, `--null-data`.
    pub(crate) line_end: LineEnd,
    /// `-a`, `--binary`.
    pub(crate) binary: BinaryMode,
    /// `-E`.
    pub(crate) encoding: Encoding,
    /// `--regex-size-limit`, in bytes.
    pub(crate) regex_size_limit: Option<u64>,
    /// `--dfa-size-limit`, in bytes.
    pub(crate) dfa_size_limit: Option<u64>,
    /// `--mmap`.
    pub(crate) mmap: bool,
    /// `-j`; 0 stands for as many as useful.
    pub(crate) threads: usize,
    /// `--queue`.
    pub(crate) queue: QueueKind,
    /// `--idle`.
    pub(crate) idle: IdleKind,
    /// `--reader`.
    pub(crate) reader: Reader,

    /// `-g`, in order.
    pub(crate) globs: Vec<String>,
    /// `--iglob`, in order.
    pub(crate) iglobs: Vec<String>,
    /// `--glob-case-insensitive`.
    pub(crate) glob_case_insensitive: bool,
    /// `-t`, `-T`, `--type-add`, `--type-clear`, in order.
    pub(crate) types: Vec<TypeChange>,
    /// `--hidden`.
    pub(crate) hidden: bool,
    /// `--follow`.
    pub(crate) follow: bool,
    /// `--max-depth`.
    pub(crate) max_depth: Option<usize>,
    /// `--max-filesize`, in bytes.
    pub(crate) max_filesize: Option<u64>,
    /// `--one-file-system`.
    pub(crate) one_file_system: bool,
    /// How often `-u` was given.
    pub(crate) unrestricted: u8,
    /// `--no-ignore-dot`.
    pub(crate) no_ignore_dot: bool,
    /// `--no-ignore-exclude`.
    pub(crate) no_ignore_exclude: bool,
    /// `--no-ignore-global`.
    pub(crate) no_ignore_global: bool,
    /// `--no-ignore-parent`.
    pub(crate) no_ignore_parent: bool,
    /// `--no-ignore-vcs`.
    pub(crate) no_ignore_vcs: bool,
    /// `--no-ignore-files`.
    pub(crate) no_ignore_files: bool,
    /// `--no-require-git`.
    pub(crate) no_require_git: bool,
    /// `--ignore-file`, in order.
    pub(crate) ignore_files: Vec<PathBuf>,
    /// `--ignore-file-case-insensitive`.
    pub(crate) ignore_file_case_insensitive: bool,

    /// `-A`, `-B`, `-C`, `--passthru`.
    pub(crate) context: ContextMode,
    /// `--context-separator`: what was given last, None inside for its negation.
    pub(crate) context_separator: Option<Option<Vec<u8>>>,
    /// `--field-match-separator`.
    pub(crate) field_match_separator: Option<Vec<u8>>,
    /// `--field-context-separator`.
    pub(crate) field_context_separator: Option<Vec<u8>>,
    /// `-n`, `-N`.
    pub(crate) line_number: Option<bool>,
    /// `--column`.
    pub(crate) column: Option<bool>,
    /// `-b`.
    pub(crate) byte_offset: bool,
    /// `-H`, `-I`.
    pub(crate) with_filename: Option<bool>,
    /// `--heading`.
    pub(crate) heading: Option<bool>,
    /// `-0`.
    pub(crate) null: bool,
    /// `-o`.
    pub(crate) only_matching: bool,
    /// `-r`.
    pub(crate) replacement: Option<String>,
    /// `-M`; None where it is off.
    pub(crate) max_columns: Option<u64>,
    /// `--raw`.
    pub(crate) raw: bool,
    /// `--max-columns-preview`.
    pub(crate) max_columns_preview: bool,
    /// `--trim`.
    pub(crate) trim: bool,
    /// `--path-separator`; None for the platform's.
    pub(crate) path_separator: Option<u8>,
    /// `--vimgrep`.
    pub(crate) vimgrep: bool,
    /// `-q`.
    pub(crate) quiet: bool,
    /// `--color`.
    pub(crate) color: ColorMode,
    /// `--colors`, in order.
    pub(crate) colors: Vec<ColorRule>,
    /// `--hyperlink-format`; empty where it is off.
    pub(crate) hyperlink_format: HyperlinkFormat,
    /// `--hostname-bin`; None where it is off.
    pub(crate) hostname_bin: Option<PathBuf>,
    /// `--sort`, `--sortr`, `--sort-files`.
    pub(crate) sort: Option<SortBy>,
    /// `--line-buffered`, `--block-buffered`.
    pub(crate) buffering: Buffering,
    /// `--include-zero`.
    pub(crate) include_zero: bool,

    /// `--no-messages`.
    pub(crate) no_messages: bool,
    /// `--no-ignore-messages`.
    pub(crate) no_ignore_messages: bool,
    /// `--stats`.
    pub(crate) stats: bool,
    /// `--debug`, `--trace`.
    pub(crate) logging: Option<log::Level>,
    /// `--safe`, or the environment's word for it.
    pub(crate) safe: bool,
    /// `--no-config`.
    pub(crate) no_config: bool,
}

/// A request that wins over every mode, wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyMode {
    /// `-h`.
    ShortHelp,
    /// `--help`.
    LongHelp,
    /// `-V`.
    ShortVersion,
    /// `--version`.
    LongVersion,
    /// `--pcre2-version`.
    Pcre2Version,
}

/// What kind of result is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Search, and print one of these.
    Search(SearchMode),
    /// List the files that would be searched.
    Files,
    /// List the file types.
    TypeList,
    /// Print a file that goes with the program.
    Generate(Generate),
}

impl Default for Mode {
    fn default() -> Mode {
        Mode::Search(SearchMode::Standard)
    }
}

impl Mode {
    /// Change to `other`, as a later flag asks. A mode that does not search is left for another
    /// such only.
    pub(crate) fn update(&mut self, other: Mode) {
        if matches!(self, Mode::Search(_)) || !matches!(other, Mode::Search(_)) {
            *self = other;
        }
    }
}

/// What a search prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchMode {
    /// Lines.
    Standard,
    /// How many lines matched (`-c`).
    Count,
    /// How many matches there are (`--count-matches`).
    CountMatches,
    /// Paths of files with a match (`-l`).
    FilesWithMatches,
    /// Paths of files without one.
    FilesWithoutMatch,
    /// All there is to know of lines, for programs (`--json`).
    Json,
}

/// A file that goes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generate {
    /// The man page.
    Man,
    /// A completion script, as are the following.
    Bash,
    Zsh,
    Fish,
    PowerShell,
}

/// Where patterns come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternSource {
    /// `-e`.
    Text(String),
    /// `-f`; `-` is standard input.
    File(PathBuf),
}

/// What becomes of files with NUL bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BinaryMode {
    /// Walked ones are left at the first NUL, explicit ones searched until a match.
    #[default]
    Auto,
    /// They are text like any other (`-a`).
    Text,
    /// All are searched until a match (`--binary`).
    Search,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// A line feed.
    #[default]
    Lf,
    /// A line feed, perhaps after a carriage return (`--crlf`).
    CrLf,
    /// A NUL byte (`--null-data`).
    Nul,
}

/// A change to the table of file types, or a choice from it.
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

/// Which lines are printed besides those that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextMode {
    /// All (`--passthru`).
    Passthru,
    /// Some before and after, as given by `-B`, `-A` and `-C`.
    Limited {
        /// `-B`.
        before: Option<usize>,
        /// `-A`.
        after: Option<usize>,
        /// `-C`, for the side that was not given.
        both: Option<usize>,
    },
}

impl Default for ContextMode {
    fn default() -> ContextMode {
        ContextMode::Limited { before: None, after: None, both: None }
    }
}

impl ContextMode {
    /// `-A NUM`.
    pub(crate) fn set_after(&mut self, lines: usize) {
        let (before, _, both) = self.given();
        *self = ContextMode::Limited { before, after: Some(lines), both };
    }

    /// `-B NUM`.
    pub(crate) fn set_before(&mut self, lines: usize) {
        let (_, after, both) = self.given();
        *self = ContextMode::Limited { before: Some(lines), after, both };
    }

    /// `-C NUM`.
    pub(crate) fn set_both(&mut self, lines: usize) {
        let (before, after, _) = self.given();
        *self = ContextMode::Limited { before, after, both: Some(lines) };
    }

    /// How many lines before and after a match; none of either with [`ContextMode::Passthru`].
    pub(crate) fn lines(self) -> (usize, usize) {
        let (before, after, both) = self.given();
        (before.or(both).unwrap_or(0), after.or(both).unwrap_or(0))
    }

    fn given(self) -> (Option<usize>, Option<usize>, Option<usize>) {
        match self {
            ContextMode::Passthru => (None, None, None),
            ContextMode::Limited { before, after, both } => (before, after, both),
        }
    }
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColorMode {
    /// On a terminal that wants it.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Always (`always`, `ansi`).
    Always,
}

/// What results are sorted by, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortBy {
    /// What is compared.
    pub(crate) key: SortKey,
    /// The largest comes first.
    pub(crate) reverse: bool,
}

/// What is compared of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortKey {
    /// Their paths.
    Path,
    /// When they were modified.
    Modified,
    /// When they were accessed.
    Accessed,
    /// When they were created.
    Created,
}

/// How long output is held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Buffering {
    /// By line on a terminal, else by block.
    #[default]
    Auto,
    /// Until the end of a line.
    Line,
    /// Until a buffer is full.
    Block,
}
