//! The rules in force in one directory and below it: a chain of the directories that have some.
//!
//! A directory without rules of its own shares the scope of the one above, so the chain is as
//! long as there are directories *with* rules above an entry, not directories. A scope knows how
//! long the absolute path of its directory is; as every base is above the entry, that number is
//! all it takes to cut an entry's path to one relative to the base.

use std::{
    ffi::CStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    config::FilterConfig, error::Problem, git, ignore_file::Dialect, path_bytes::as_path,
    pattern::ParseOptions, rule_files::RuleFilesPresent, rules::RuleSet, worker_cache::WorkerCache,
};

/// Reads files of the directory that is being entered, without knowing how it was opened.
pub trait ReadFile {
    /// Replace the contents of `into` by those of `name`, a path relative to the directory (or
    /// absolute, for a worktree's repository).
    ///
    /// # Errors
    /// As opening and reading fail.
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()>;
}

/// How large a file of rules in a tree may be, in bytes: a million lines and more. Anybody may have
/// put it there, even a link to something that has no end.
pub const MAX_RULE_FILE_BYTES: usize = 32 << 20;

/// Why a file of rules is not read any further.
#[must_use]
pub fn rule_file_too_large() -> io::Error {
    io::Error::other(format!("larger than {} MiB, not read", MAX_RULE_FILE_BYTES >> 20))
}

/// Where rules come from, strongest first. **This order is the precedence**: the kind is compared
/// before the depth, so a `.ignore` at the top of a tree beats a `.gitignore` beside the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    RgIgnore,
    Ignore,
    GitIgnore,
    Exclude,
    Global,
    IgnoreFile,
}

impl Kind {
    /// Whether it is git's, so that the bounds of repositories concern it.
    pub(crate) fn is_git(self) -> bool {
        matches!(self, Kind::GitIgnore | Kind::Exclude | Kind::Global)
    }

    /// The path of its file in the directory whose rules it has; none for files named elsewhere.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Kind::RgIgnore => ".rgignore",
            Kind::Ignore => ".ignore",
            Kind::GitIgnore => ".gitignore",
            Kind::Exclude => ".git/info/exclude",
            Kind::Global | Kind::IgnoreFile => "",
        }
    }
}

/// The rules in force in one directory and below it.
#[derive(Debug)]
pub struct Scope {
    /// The next one above with rules.
    pub(crate) parent: Option<Arc<Scope>>,
    /// The rules of the directory's own files, in order of precedence.
    pub(crate) own: Vec<(Kind, Arc<RuleSet>)>,
    /// The path of the exclude file, where it is not in the directory.
    pub(crate) exclude: Option<Box<Path>>,
    /// The length of the directory's absolute path; 0 for `/`.
    pub(crate) base: usize,
    /// The same of the root it is below.
    root_base: usize,
    /// The directory is the top of a repository.
    pub(crate) is_repository: bool,
    /// The base of the innermost repository, this one included.
    pub(crate) repository: Option<usize>,
    /// What is known of the root, in the scope made for it: those above belong to its ancestors.
    pub(crate) root: Option<Root>,
}

/// A root, as the paths of its entries are built.
#[derive(Debug)]
pub(crate) struct Root {
    /// As given.
    pub(crate) path: PathBuf,
    /// Its absolute path; empty for `/`.
    pub(crate) absolute: Vec<u8>,
    /// As given, without `.` components.
    pub(crate) typed: Vec<u8>,
}

impl Drop for Scope {
    /// Unlinks the chain link by link: the depth of a tree must not become that of the stack.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut scope) = next.and_then(Arc::into_inner) {
            next = scope.parent.take();
        }
    }
}

impl Scope {
    /// The scope of a root: that of its parent directory, if any, and what is known of it.
    pub(crate) fn of_root(parent: Option<Arc<Scope>>, root: Root) -> Scope {
        Scope {
            own: Vec::new(),
            exclude: None,
            base: root.absolute.len(),
            root_base: root.absolute.len(),
            is_repository: false,
            repository: parent.as_ref().and_then(|parent| parent.repository),
            root: Some(root),
            parent,
        }
    }

    /// The length of the absolute path of a directory below the root.
    pub(crate) fn base_of(&self, path: &[u8]) -> usize {
        self.root_base + if path.is_empty() { 0 } else { 1 + path.len() }
    }

    /// The root it is below; none for a scope above all roots.
    pub(crate) fn root(&self) -> Option<&Root> {
        let mut scope = self;
        loop {
            if scope.root.is_some() {
                return scope.root.as_ref();
            }
            scope = scope.parent.as_deref()?;
        }
    }
}

/// What is found on entering a directory.
pub(crate) struct Entering<'a> {
    pub(crate) config: &'a FilterConfig,
    /// Rules are read; else only repositories are noted.
    pub(crate) reads: bool,
    pub(crate) files: &'a mut dyn ReadFile,
    pub(crate) cache: &'a mut WorkerCache,
    /// The directory's path, for messages.
    pub(crate) path: &'a dyn Fn() -> PathBuf,
}

impl Entering<'_> {
    /// The scope of a directory in which `found` was found; none if it is that of its parent.
    pub(crate) fn scope(
        &mut self,
        parent: Option<&Arc<Scope>>,
        base: usize,
        found: RuleFilesPresent,
    ) -> Option<Scope> {
        let is_repository = found.has(RuleFilesPresent::GIT.or(RuleFilesPresent::JJ));
        let above = parent.and_then(|parent| parent.repository);
        let is_inside = is_repository || above.is_some() || !self.config.require_git;
        let mut own = Vec::new();
        let mut exclude = None;
        let files = [
            (Kind::RgIgnore, c".rgignore", found.has(RuleFilesPresent::RGIGNORE)),
            (Kind::Ignore, c".ignore", found.has(RuleFilesPresent::IGNORE)),
            // Outside a repository they can say nothing, and one that begins below cuts them off.
            (Kind::GitIgnore, c".gitignore", found.has(RuleFilesPresent::GITIGNORE) && is_inside),
        ];
        for (kind, name, is_there) in files {
            if is_there && self.reads {
                let result = self.files.read(name, &mut self.cache.buffer);
                let result = git::forgive_missing(result, &mut self.cache.buffer);
                own.extend(self.rules(kind, None, result));
            }
        }
        if found.has(RuleFilesPresent::GIT) && self.config.exclude && self.reads {
            let (path, result) = git::read_exclude(self.files, &mut self.cache.buffer);
            exclude = path.map(|path| (self.path)().join(path).into_boxed_path());
            own.extend(self.rules(Kind::Exclude, exclude.as_deref(), result));
        }
        if own.is_empty() && !is_repository {
            return None;
        }
        own.shrink_to_fit();
        Some(Scope {
            parent: parent.map(Arc::clone),
            own,
            exclude,
            base,
            root_base: parent.map_or(0, |parent| parent.root_base),
            is_repository,
            repository: if is_repository { Some(base) } else { above },
            root: None,
        })
    }

    /// The rules in the buffer, if there are any; what is wrong with them is noted. `path` is that of the file where it is
    /// not the usual one.
    fn rules(
        &mut self,
        kind: Kind,
        path: Option<&Path>,
        result: io::Result<()>,
    ) -> Option<(Kind, Arc<RuleSet>)> {
        let path = || path.map_or_else(|| (self.path)().join(kind.file()), Path::to_owned);
        if let Err(error) = result {
            let path = path();
            self.cache.problems.push(Problem::unreadable(path, &error));
            return None;
        }
        if self.cache.buffer.is_empty() {
            return None;
        }
        let dialect = if kind.is_git() { Dialect::Git } else { Dialect::Ripgrep };
        let options = ParseOptions::file(dialect, self.config.ignore_case);
        let rules = self.cache.rule_sets.parse(&self.cache.buffer, options);
        if !rules.problems.is_empty() {
            let path = path();
            self.cache.problems.extend(problems(&path, &rules));
        }
        (!rules.is_empty()).then_some((kind, rules))
    }
}

/// What is wrong with the rules of a file.
pub(crate) fn problems(path: &Path, rules: &RuleSet) -> Vec<Problem> {
    let problem = |(line, message): &(u32, String)| Problem {
        path: path.to_owned(),
        line: Some(u64::from(*line)),
        message: message.clone(),
    };
    rules.problems.iter().map(problem).collect()
}

/// Reads files by path: for the directories above the roots, which nobody has opened.
pub(crate) struct ByPath<'a>(pub(crate) &'a Path);

impl ReadFile for ByPath<'_> {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        into.clear();
        let path = self.0.join(as_path(name.to_bytes()));
        let metadata = match name.to_bytes() {
            // Git does not follow this one (since 2.32).
            b".gitignore" => fs::symlink_metadata(&path)?,
            _ => fs::metadata(&path)?,
        };
        read_file(&path, &metadata, into)
    }
}

/// Replace the contents of `into` by those of the file at `path`, which no argument names; `metadata` is its own.
///
/// # Errors
/// It is no file, or larger than [`MAX_RULE_FILE_BYTES`]; or opening and reading fail.
pub(crate) fn read_file(
    path: &Path,
    metadata: &fs::Metadata,
    into: &mut Vec<u8>,
) -> io::Result<()> {
    into.clear();
    // Opening a pipe would wait for a writer.
    if !metadata.is_file() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let most = MAX_RULE_FILE_BYTES as u64;
    if File::open(path)?.take(most + 1).read_to_end(into)? as u64 > most {
        into.clear();
        return Err(rule_file_too_large());
    }
    Ok(())
}
