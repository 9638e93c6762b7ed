//! Is this path wanted? Ignore files, globs, file types, hidden files.

#![forbid(unsafe_code)]

use std::{ffi::CStr, fmt, io, path::{Path, PathBuf}, sync::Arc};

/// What is honoured, as the command line resolved it.
#[derive(Clone, Debug, Default)]
pub struct Config {
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
    /// Match ignore-file rules without regard to case.
    pub ignore_case: bool,
    /// Further ignore files, weakest of all, later ones stronger (`--ignore-file`).
    pub ignore_files: Vec<PathBuf>,
    /// Command-line globs in order of precedence, the last one strongest (`-g`, then `--iglob`).
    pub globs: Vec<Glob>,
    // + pub types: TypeSelection, pub environment: Environment (home, xdg_config_home, git_config_global, git_config_system)
}

/// One command-line glob.
#[derive(Clone, Debug)]
pub struct Glob {
    /// As typed, with its `!` if it excludes.
    pub text: String,
    /// Match without regard to case.
    pub ignore_case: bool,
}

/// A part of the configuration that cannot be used: a bad glob, an unknown type.
#[derive(Clone, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Something wrong in or with an ignore file; its other rules hold all the same.
#[derive(Debug)]
pub struct Problem {
    /// The ignore file.
    pub path: PathBuf,
    /// The line, the first being 1, if one line is at fault.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// Decides which entries are wanted. Shared by all workers.
#[derive(Debug)]
pub struct Filter {}

/// The rules in force in one directory and below it.
#[derive(Debug)]
pub struct Scope {}

/// One worker's scratch space and caches.
#[derive(Debug, Default)]
pub struct Local {
    /// Problems met since they were last taken.
    pub problems: Vec<Problem>,
}

/// Names in a directory's listing that change the rules in it. A set; empty for nearly every directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signposts(u8);

impl Signposts {
    /// Note `name` if it is one.
    pub fn note(&mut self, name: &[u8]) {
        let _ = name;
    }

    /// Whether none was noted.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Reads files of the directory that is being entered, without knowing how it was opened.
pub trait ReadFile {
    /// Replace the contents of `into` by those of `name`, a path relative to the directory.
    ///
    /// # Errors
    /// As opening and reading fail.
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()>;
}

impl Filter {
    /// # Errors
    /// A glob that does not parse, a type that does not exist.
    pub fn new(config: Config) -> Result<Filter, Error> {
        let _ = config;
        Ok(Filter {})
    }

    /// Whether nothing is ever unwanted, so that nobody need ask.
    #[must_use]
    pub fn wants_everything(&self) -> bool {
        true
    }

    /// The rules that hold for a root before its own ignore files: those of the directories above it.
    pub fn root(&self, root: &Path, local: &mut Local) -> Arc<Scope> {
        let _ = (root, local);
        Arc::new(Scope {})
    }

    /// The rules in a directory `path` (relative to its root, without a slash at the end) whose listing shows `found`.
    pub fn enter(
        &self,
        parent: &Arc<Scope>,
        path: &[u8],
        found: Signposts,
        files: &mut dyn ReadFile,
        local: &mut Local,
    ) -> Arc<Scope> {
        let _ = (path, found, files, local);
        Arc::clone(parent)
    }

    /// Prepare to judge the entries of one directory.
    pub fn directory<'a>(&'a self, scope: &'a Scope, path: &[u8], local: &'a mut Local) -> Directory<'a> {
        let _ = (scope, path, local);
        Directory { filter: self }
    }
}

/// The filter, prepared for the entries of one directory.
#[derive(Debug)]
pub struct Directory<'a> {
    filter: &'a Filter,
}

impl Directory<'_> {
    /// Whether the entry is wanted.
    pub fn is_wanted(&mut self, name: &[u8], is_dir: bool) -> bool {
        let _ = (name, is_dir, self.filter);
        true
    }

    /// Why the entry is wanted or not: which file and line, glob or type decided.
    pub fn explain(&mut self, name: &[u8], is_dir: bool) -> String {
        let _ = (name, is_dir);
        String::new()
    }
}
