//! Git's attribute `diff`. Its value names the driver that knows what functions look like.
//!
//! ```text
//! .gitattributes   *.inc diff=php
//! .git/config      [diff "php"] xfuncname = "^(function .*)$"
//! ```
//!
//! The first of these that mentions `diff` for a file decides: the repository's `info/attributes`,
//! `.gitattributes` from the file's directory up to the top of the repository, the user's file
//! (`core.attributesFile`), and the system's.

use std::{
    collections::{HashMap, HashSet},
    ffi::{CStr, OsString},
    fs, io, iter, mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use crate::{
    above_roots::is_foreign,
    attribute_lines::{AttributeLine, DiffSearch, Macros, Value},
    config::Environment,
    error::Problem,
    git::{ATTRIBUTES, FunctionName, UserConfig, read_in_repository},
    glob::LetterCase,
    path_bytes::{self, bytes_of, with_slashes},
    read_file::{ByPath, ReadFile, missing_is_empty, read_file},
};

/// How many bytes an attribute file may have, and how many the attribute files in a directory and
/// all above it may have together.
const MAX_ATTRIBUTE_BYTES: usize = 1 << 20;

/// How many bytes a path may have to be looked up. The system opens no longer ones.
const MAX_PATH_BYTES: usize = 4 << 10;

/// How many directories are kept, and how many bytes of their attributes. With more, all are read
/// again when they are needed.
const MAX_KEPT_DIRECTORIES: usize = 16 << 10;
const MAX_KEPT_BYTES: usize = 2 << 20;

/// About how many attribute files problems are reported.
const MAX_REPORTED: usize = 1000;

/// What a file's attribute `diff` and git's configuration state about its functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffDriver {
    /// The driver that the attribute names: `php` for `diff=php`.
    pub name: Option<String>,
    /// What begins functions, if the configuration has that for the driver.
    pub function_name: Option<Arc<FunctionName>>,
    /// What begins functions otherwise, if there is no such driver: `diff.default.xfuncname`.
    pub fallback: Option<Arc<FunctionName>>,
}

/// Finds the attributes that files have, in any number of repositories.
#[derive(Debug)]
pub struct GitAttributes {
    environment: Environment,
    user: OnceLock<UserConfig>,
    /// Whether links must stay within a repository's directory.
    confined: bool,
    kept: Mutex<ExaminedDirs>,
    found: Mutex<FoundProblems>,
}

/// The directories that have been examined.
#[derive(Debug, Default)]
struct ExaminedDirs {
    /// By their paths as they were given, which are faster to compare than the components.
    directories: HashMap<OsString, Examined>,
    /// How many bytes the attribute files of all directories have.
    bytes: usize,
}

/// The problems that have been found.
#[derive(Debug, Default)]
struct FoundProblems {
    reported: HashSet<PathBuf>,
    problems: Vec<Problem>,
}

/// A directory that has been examined.
#[derive(Clone, Debug)]
struct Examined {
    /// The path without links.
    real: Arc<Path>,
    /// The innermost directory with attributes, up to the repository's top; `None` outside
    /// repositories.
    directory: Option<Arc<AttributeDir>>,
}

/// A directory with attributes, or a repository's top.
#[derive(Debug)]
struct AttributeDir {
    path: Arc<Path>,
    /// The lines in its `.gitattributes`.
    lines: Vec<AttributeLine>,
    /// How many bytes this file and those above have.
    bytes: usize,
    /// `None` for a repository's top.
    parent: Option<Arc<AttributeDir>>,
    repository: Arc<Repository>,
}

/// What holds in a whole repository.
#[derive(Debug)]
struct Repository {
    /// The lines in `info/attributes`.
    own: Vec<AttributeLine>,
    /// The lines in the user's file, then those in the system's.
    usual: [Vec<AttributeLine>; 2],
    macros: Macros,
    case: LetterCase,
    function_names: Vec<(Vec<u8>, Arc<FunctionName>)>,
}

impl GitAttributes {
    /// Finds attributes where `environment` places the user's files. With `confined`, links that
    /// lead out of a repository are not followed. Nothing is read yet.
    #[must_use]
    pub fn new(environment: Environment, confined: bool) -> GitAttributes {
        let (user, kept, found) = (OnceLock::new(), Mutex::default(), Mutex::default());
        GitAttributes { environment, user, confined, kept, found }
    }

    /// Returns how git recognises functions in the file at `path`, which is absolute; `None` if git
    /// has no driver for the file.
    #[must_use]
    pub fn diff(&self, path: &Path) -> Option<DiffDriver> {
        if bytes_of(path).len() > MAX_PATH_BYTES {
            return None;
        }
        let name = with_slashes(Path::new(path.file_name()?));
        let Examined { real, directory } = self.examined(path.parent()?, true)?;
        let directory = directory?;
        let value = directory.value(&real, name);
        let names = &directory.repository.function_names;
        let known = |driver: &[u8]| {
            let newest = names.iter().rev().find(|(name, _)| name == driver);
            newest.map(|(_, function_name)| Arc::clone(function_name))
        };
        let driver = match value.unwrap_or(Value::Unspecified) {
            Value::Set | Value::Unset => return None,
            Value::Unspecified => DiffDriver { fallback: known(b"default"), ..Default::default() },
            Value::Text(name) => DiffDriver {
                function_name: known(&name),
                fallback: known(b"default"),
                name: Some(String::from_utf8_lossy(&name).into_owned()),
            },
        };
        (driver != DiffDriver::default()).then_some(driver)
    }

    /// Returns the problems that were found since the last call.
    pub fn take_problems(&self) -> Vec<Problem> {
        mem::take(&mut lock(&self.found).problems)
    }

    /// What is known about the directory at `path`. `resolves` states whether there may be links in
    /// it.
    fn examined(&self, path: &Path, resolves: bool) -> Option<Examined> {
        // Those below the first known one, from below.
        let mut unknown = Vec::new();
        let mut above = None;
        for dir in path.ancestors() {
            above = lock(&self.kept).directories.get(dir.as_os_str()).cloned();
            if above.is_some() {
                break;
            }
            unknown.push(dir);
        }
        for dir in unknown.into_iter().rev() {
            let is_link = || fs::symlink_metadata(dir).is_ok_and(|data| data.is_symlink());
            let is_indirect = dir.parent().is_some() && (dir.file_name().is_none() || is_link());
            let examined = match is_indirect && resolves {
                true => self.examined(&fs::canonicalize(dir).ok()?, false)?,
                false => self.examine(dir, above),
            };
            let mut kept = lock(&self.kept);
            if kept.directories.len() >= MAX_KEPT_DIRECTORIES || kept.bytes > MAX_KEPT_BYTES {
                *kept = ExaminedDirs::default();
            }
            // The files of directories above are counted again, which does no harm.
            let directory = examined.directory.as_ref().filter(|found| found.path == examined.real);
            kept.bytes += directory.map_or(0, |directory| directory.bytes);
            kept.directories.insert(dir.into(), examined.clone());
            above = Some(examined);
        }
        above
    }

    /// Examines the directory at `path`, below one that has been examined.
    fn examine(&self, path: &Path, above: Option<Examined>) -> Examined {
        let real: Arc<Path> = match (&above, path.file_name()) {
            (Some(above), Some(name)) => above.real.join(name).into(),
            _ => path.into(),
        };
        let above = above.and_then(|above| above.directory);
        let mut files = ByPath { dir: &real, confined: self.confined };
        let git = files.path(c".git");
        let is_top = git.try_exists().unwrap_or(false)
            && !files.leads_out(c".git")
            && !is_foreign(&real, &git);
        let parent = above.filter(|_| !is_top);
        if parent.is_none() && !is_top {
            return Examined { real, directory: None };
        }
        let bytes_above = parent.as_ref().map_or(0, |parent| parent.bytes);
        let text = self.read(&mut files, c".gitattributes", bytes_above);
        let repository = match &parent {
            Some(parent) => Arc::clone(&parent.repository),
            None => Arc::new(self.repository(&real, &text)),
        };
        let lines = repository.macros.lines(&text, repository.case);
        if lines.is_empty() && parent.is_some() {
            return Examined { real, directory: parent };
        }
        let (path, bytes) = (Arc::clone(&real), bytes_above + text.len());
        let directory = AttributeDir { path, lines, bytes, parent, repository };
        Examined { real, directory: Some(Arc::new(directory)) }
    }

    /// Reads what holds in the repository at `top`. Its `.gitattributes` contains `text`.
    fn repository(&self, top: &Path, text: &[u8]) -> Repository {
        let user = self.user.get_or_init(|| UserConfig::read(&self.environment));
        let mut buffer = Vec::new();
        let mut files = ByPath { dir: top, confined: self.confined };
        let core = user.attributes_in(&mut files, &mut buffer, top);
        let [system, users] = user.attributes_files(&core, top).map(|path| {
            let mut text = Vec::new();
            if let Some(path) = path {
                let read = fs::metadata(&path).and_then(|data| read_file(&path, &data, &mut text));
                self.check(path, read, &mut text, 0);
            }
            text
        });
        let (path, read) = read_in_repository(&mut files, ATTRIBUTES, &mut buffer);
        let path = path.unwrap_or_else(|| Path::new(".git").join(ATTRIBUTES));
        self.check(top.join(path), read, &mut buffer, 0);
        let mut macros = Macros::new();
        [&system, &users, text, &buffer].into_iter().for_each(|text| macros.add(text));
        let ignores_case = core.ignore_case == Some(true);
        let case = if ignores_case { LetterCase::FoldedByGit } else { LetterCase::Exact };
        let [own, users, system] = [&buffer, &users, &system].map(|text| macros.lines(text, case));
        let function_names = core.function_names;
        Repository { own, usual: [users, system], macros, case, function_names }
    }

    /// Reads a file in a directory. The files above have `bytes_above` bytes.
    fn read(&self, files: &mut ByPath<'_>, name: &CStr, bytes_above: usize) -> Vec<u8> {
        let mut text = Vec::new();
        let read = files.read(name, &mut text);
        self.check(files.path(name), read, &mut text, bytes_above);
        text
    }

    /// Empties `text`, which the file at `path` contains, if reading it failed or it is too large,
    /// and notes this problem.
    fn check(&self, path: PathBuf, read: io::Result<()>, text: &mut Vec<u8>, bytes_above: usize) {
        let problem = match missing_is_empty(read, text) {
            Err(error) => Problem::unreadable(path, &error),
            Ok(()) if bytes_above + text.len() > MAX_ATTRIBUTE_BYTES => {
                let most = MAX_ATTRIBUTE_BYTES >> 20;
                let message = match bytes_above {
                    0 => format!("larger than {most} MiB, not used"),
                    _ => format!("with those above, more than {most} MiB of attributes; not used"),
                };
                Problem { path, line: None, message, is_failure: false }
            }
            Ok(()) => return,
        };
        text.clear();
        let mut found = lock(&self.found);
        if found.reported.len() < MAX_REPORTED && found.reported.insert(problem.path.clone()) {
            found.problems.push(problem);
        }
    }
}

impl AttributeDir {
    /// The value of `diff` for the file `name` in the directory at `dir`, which is this one or one
    /// below it.
    fn value(&self, dir: &Path, mut name: Vec<u8>) -> Option<Value> {
        let Repository { own, usual, macros, case, .. } = &*self.repository;
        let levels = || iter::successors(Some(self), |level| level.parent.as_deref());
        let has_lines = levels().any(|level| !level.lines.is_empty());
        if !has_lines && own.is_empty() && usual.iter().all(Vec::is_empty) {
            return None;
        }
        let top = &levels().last()?.path;
        let mut path = with_slashes(dir.strip_prefix(top).unwrap_or(dir));
        path_bytes::push(&mut path, &name);
        if case.is_folded() {
            path.make_ascii_lowercase();
            name.make_ascii_lowercase();
        }
        let mut search = DiffSearch::new(macros);
        let own = search.lines(own, &path, &name);
        let in_levels = || {
            levels().find_map(|level| {
                let depth = level.path.strip_prefix(top).map_or(0, |dir| dir.components().count());
                search.lines(&level.lines, without_first(&path, depth), &name)
            })
        };
        let found = own.or_else(in_levels);
        found.or_else(|| usual.iter().find_map(|lines| search.lines(lines, &path, &name)))
    }
}

/// `path` without its first `count` components.
fn without_first(path: &[u8], count: usize) -> &[u8] {
    (0..count).fold(path, |path, _| memchr::memchr(b'/', path).map_or(path, |at| &path[at + 1..]))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while the lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
