//! What a run does: its mode.

/// A text about the program.
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

/// The kind of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The results of a search.
    Search(SearchMode),
    /// The files that would be searched.
    Files,
    /// Why each path is searched or left out.
    Why,
    /// The file types.
    TypeList,
    /// All indexes.
    IndexList,
    /// What is done with the index of a directory.
    Index(IndexAction),
    /// A file that accompanies the program.
    Generate(Generate),
    /// The lines that make an agent search with this program.
    AgentSetup,
    /// A change of files is put back, or all are listed.
    Undo,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode::Search(SearchMode::Standard)
    }
}

impl Mode {
    /// Replaces this mode by a later flag's. A mode that does not search, such as `--files`, is
    /// replaced only by another one that does not: `--files -l` lists files.
    pub(crate) fn update(&mut self, other: Mode) {
        if matches!(self, Mode::Search(_)) || !matches!(other, Mode::Search(_)) {
            *self = other;
        }
    }
}

/// The output of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchMode {
    /// Lines.
    Standard,
    /// The number of matching lines (`-c`).
    Count,
    /// The number of matches (`--count-matches`).
    CountMatches,
    /// Paths of files with a match (`-l`).
    FilesWithMatches,
    /// Paths of files without one.
    FilesWithoutMatch,
    /// Lines as JSON, for programs (`--json`).
    Json,
}

/// What results are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupBy {
    /// The directories directly below the paths that were named.
    Directory,
    /// What follows the last dot of files' names.
    Extension,
    /// Files.
    File,
}

/// What is done with the index of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexAction {
    /// The index is built, or brought up to date.
    Update,
    /// The index is described.
    Status,
    /// The index is compared with the files that it covers.
    Verify,
    /// The index is removed.
    Drop,
    /// The indexes are removed of which the directories are gone.
    DropGone,
    /// A process is started that watches the index's directory.
    Watch,
    /// This process is ended.
    Unwatch,
    /// This is the process.
    BeWatcher {
        /// The seconds without a search after which it ends.
        idle: u64,
    },
}

/// A file that accompanies the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generate {
    /// The man page.
    Man,
    /// The completion script for bash.
    Bash,
    /// The completion script for zsh.
    Zsh,
    /// The completion script for fish.
    Fish,
    /// The completion script for PowerShell.
    PowerShell,
}
