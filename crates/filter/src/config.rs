//! What the caller decides, and what it is told when that cannot be done.

use std::{fmt, io, path::PathBuf};

use crate::types::TypeSelection;

/// What is honoured, as the command line resolved it.
#[derive(Clone, Debug, Default)]
pub struct FilterConfig {
    /// The directory that command-line globs and `--ignore-file` rules are relative to; absolute.
    pub cwd: PathBuf,
    /// Let entries pass whose name begins with a dot.
    pub hidden: bool,
    /// Honour `.ignore` and `.rgignore`.
    pub dot: bool,
    /// Honour `.gitignore`, and the next two.
    pub vcs: bool,
    /// Honour `.git/info/exclude`.
    pub exclude: bool,
    /// Honour `core.excludesFile`.
    pub global: bool,
    /// Honour ignore files of the directories above a root.
    pub parents: bool,
    /// Honour git's files only inside a repository.
    pub require_git: bool,
    /// Match ignore-file rules without regard to case, but for those of `ignore_files`, as ripgrep does.
    pub ignore_case: bool,
    /// Further ignore files, weakest of all, later ones stronger (`--ignore-file`).
    pub ignore_files: Vec<PathBuf>,
    /// Command-line globs in order of precedence, the last one strongest (`-g`, then `--iglob`).
    pub globs: Vec<Glob>,
    /// The file types asked for or excluded.
    pub types: TypeSelection,
    /// Where git's configuration is.
    pub environment: Environment,
}

/// One command-line glob.
#[derive(Clone, Debug)]
pub struct Glob {
    /// As typed, with its `!` if it excludes.
    pub text: String,
    /// Match without regard to case.
    pub ignore_case: bool,
}

/// The environment variables that say where git's configuration is; unset and empty are alike.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `GIT_CONFIG_GLOBAL`.
    pub git_config_global: Option<PathBuf>,
    /// `GIT_CONFIG_SYSTEM`.
    pub git_config_system: Option<PathBuf>,
}

/// A part of the configuration that cannot be used: a bad glob, an unknown type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Something wrong in or with an ignore file; its other rules hold all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The ignore file.
    pub path: PathBuf,
    /// The line, the first being 1, if one line is at fault.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    /// The file at `path`, or whether there is one, cannot be told because of `error`.
    #[must_use]
    pub fn unreadable(path: PathBuf, error: &io::Error) -> Problem {
        Problem { path, line: None, message: error.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}
