//! What differs from git's index or from a commit: `--changed` and `--changed-lines`.
//!
//! Whether a file is tracked is read from git's index where this crate can read it completely. What
//! a tracked file has changed is known to `git diff` alone, since attributes and filters decide
//! which bytes git compares. Git runs once for each repository in which a file is looked up.
//!
//! | file | holds |
//! |---|---|
//! | `git` | runs git |
//! | `diff` | reads what `git diff` prints |
//! | `repository` | the changes in one repository |

mod diff;
mod git;
mod repository;
#[cfg(test)]
mod tests;

use std::{
    borrow::Borrow,
    collections::HashMap,
    fs,
    hash::Hash,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

pub use self::diff::AddedLines;
use self::{
    git::Base,
    repository::{ChangedFiles, Repository},
};
use crate::path_bytes::{bytes_of, path_of, rule_path};

/// Which files, and which of their lines, differ from git's index or from a commit.
///
/// Each file belongs to the innermost git repository around it. In a submodule, a commit stands for
/// the one that it records of the submodule. Files that git does not track have changed. Git is
/// run, so that its configuration decides which programs filter files before they are compared.
///
/// ```
/// use heist_filter::{Changes, ChangesConfig};
/// # if !std::process::Command::new("git").arg("--version").output().is_ok() { return Ok(()) }
///
/// let temp = tempfile::tempdir()?;
/// std::process::Command::new("git").args(["init", "-q"]).current_dir(temp.path()).status()?;
/// std::fs::write(temp.path().join("new.c"), "")?;
/// let changes = Changes::new(ChangesConfig { cwd: temp.path().into(), ..Default::default() });
/// assert_eq!(changes.is_changed(b"", b"new.c")?, Some(true));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Changes {
    config: ChangesConfig,
    /// The tops of the repositories that the roots are in.
    own: Vec<PathBuf>,
    /// Directories by their paths as the walk has them.
    dirs: RwLock<HashMap<Box<[u8]>, Arc<Place>>>,
    /// The tops of the repositories that directories are in, by their real paths.
    tops: RwLock<HashMap<PathBuf, Option<PathBuf>>>,
    repositories: RwLock<HashMap<PathBuf, Arc<Repository>>>,
    /// Whether the error has been returned that a directory is in no repository.
    is_outside: AtomicBool,
}

/// What files are compared with, and where they are.
#[derive(Clone, Debug, Default)]
pub struct ChangesConfig {
    /// The commit that files are compared with, as `git rev-parse` takes it. `REV...` stands for
    /// the best common ancestor of REV and the current commit. If `None`, files are compared with
    /// git's index.
    pub since: Option<String>,
    /// Whether [`added_lines`](Changes::added_lines) is called. Git takes longer to answer.
    pub has_lines: bool,
    /// The absolute path of the directory that paths are relative to.
    pub cwd: PathBuf,
    /// Where searches start. Of the repositories around them, `since` names a commit.
    pub roots: Vec<PathBuf>,
}

/// Where a directory is.
#[derive(Debug)]
struct Place {
    /// The innermost repository, unless there is none.
    repository: Option<Arc<Repository>>,
    /// The directory's path from the top of the repository, with a slash at the end unless that is
    /// the directory.
    prefix: Box<[u8]>,
}

impl Changes {
    /// Prepares to look for changes. Git runs once a file is looked up.
    #[must_use]
    pub fn new(config: ChangesConfig) -> Changes {
        let real = |root: &PathBuf| fs::canonicalize(config.cwd.join(root)).ok();
        let mut own: Vec<_> = config.roots.iter().filter_map(real).collect();
        own.iter_mut().for_each(|root| *root = git::top_of(root).unwrap_or_default());
        own.retain(|top| !top.as_os_str().is_empty());
        own.sort();
        own.dedup();
        let (dirs, tops, repositories, is_outside) = Default::default();
        Changes { config, own, dirs, tops, repositories, is_outside }
    }

    /// Returns whether the file `name` in the directory `dir` has changed, or `None` if that is not
    /// known, for a reason that was returned before. `dir` is empty or ends in a separator.
    ///
    /// # Errors
    /// The directory is in no git repository, git cannot be run, or it reports an error. The error
    /// is returned once for each repository, and once outside of repositories.
    pub fn is_changed(&self, dir: &[u8], name: &[u8]) -> io::Result<Option<bool>> {
        let place = self.place(dir)?;
        let Some(repository) = &place.repository else {
            // Ordering: one of the callers is the first, and nothing else depends on it.
            let is_reported = self.is_outside.swap(true, Relaxed);
            return if is_reported { Ok(None) } else { Err(not_in_repository()) };
        };
        match self.files(repository) {
            Ok(files) => Ok(Some(files.is_changed(&place.path_of(name)))),
            Err(_) if repository.reports() => Ok(None),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Returns the numbers of the lines that were added to the file at `path`, in order, or `None`
    /// if that is every line: of a file that git does not track, or that it takes for binary.
    ///
    /// # Errors
    /// As for [`is_changed`](Changes::is_changed), for each file.
    pub fn added_lines(&self, path: &[u8]) -> io::Result<Option<AddedLines>> {
        let path = rule_path(path);
        let (dir, name) =
            path.split_at(path.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1));
        let place = self.place(dir)?;
        let Some(repository) = &place.repository else { return Err(not_in_repository()) };
        let files = self.files(repository).map_err(io::Error::other)?;
        Ok(files.added_lines(&place.path_of(name)))
    }

    /// Returns where a directory is.
    fn place(&self, dir: &[u8]) -> io::Result<Arc<Place>> {
        if let Some(place) = known(&self.dirs, dir) {
            return Ok(place);
        }
        let path = if dir.is_empty() { Path::new(".").into() } else { path_of(dir) };
        let real = fs::canonicalize(self.config.cwd.join(path))?;
        let top = self.top_of(&real);
        let below = top.as_ref().and_then(|top| real.strip_prefix(top).ok());
        let mut prefix = below.map_or(Vec::new(), |below| rule_path(&bytes_of(below)).into_owned());
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let place =
            Place { repository: top.map(|top| self.repository(top)), prefix: prefix.into() };
        let mut dirs = self.dirs.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(dirs.entry(dir.into()).or_insert_with(|| Arc::new(place))))
    }

    /// Returns the top of the innermost repository around the directory with this real path.
    fn top_of(&self, real: &Path) -> Option<PathBuf> {
        if let Some(top) = known(&self.tops, real) {
            return top;
        }
        let top = match git::is_top(real) {
            true => Some(real.to_path_buf()),
            false => real.parent().and_then(|above| self.top_of(above)),
        };
        let mut tops = self.tops.write().unwrap_or_else(PoisonError::into_inner);
        tops.entry(real.to_path_buf()).or_insert(top).clone()
    }

    /// The repository with this top.
    fn repository(&self, top: PathBuf) -> Arc<Repository> {
        let mut known = self.repositories.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(top).or_insert_with_key(|top| Arc::new(Repository::new(top))))
    }

    /// Returns the changed files of a repository.
    fn files<'r>(&self, repository: &'r Repository) -> Result<&'r ChangedFiles, String> {
        repository.files(self.config.has_lines, || self.base(repository.top()))
    }

    /// What the files of the repository at `top` are compared with.
    fn base(&self, top: &Path) -> Result<Base, String> {
        let Some(since) = &self.config.since else { return Ok(Base::Index) };
        let is_nested = self.own.iter().any(|own| top != own && top.starts_with(own));
        match top.parent().filter(|_| is_nested).and_then(|above| self.top_of(above)) {
            None => git::commit(top, since).map(Base::Commit),
            Some(parent) => match self.base(&parent)? {
                Base::Commit(commit) => git::commit_of_nested(&parent, top, &commit),
                base => Ok(base),
            },
        }
    }
}

impl Place {
    /// The path of a file in the directory, from the top of the repository.
    fn path_of(&self, name: &[u8]) -> Vec<u8> {
        [&*self.prefix, name].concat()
    }
}

/// Returns what is known by `key`.
fn known<K: Hash + Eq + Borrow<Q>, Q: Hash + Eq + ?Sized, V: Clone>(
    all: &RwLock<HashMap<K, V>>,
    key: &Q,
) -> Option<V> {
    // No code panics while a lock is held.
    all.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
}

fn not_in_repository() -> io::Error {
    io::Error::other("in no git repository, so that nothing is known of its changes (--changed)")
}
