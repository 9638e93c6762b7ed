//! The rules in directories above roots, which no walk lists.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    compiled::CompiledConfig,
    error::Problem,
    path_bytes,
    read_file::{ByPath, ReadFile},
    rule_files::RuleFilesPresent,
    scope::{Entering, Scope},
    worker_cache::WorkerCache,
};

/// The scopes for directories above roots. Kept because many roots may lie in one directory.
#[derive(Debug, Default)]
pub(crate) struct AboveRoots(Mutex<HashMap<PathBuf, MaybeScope>>);

/// `None` if neither the directory nor any above it has rules.
type MaybeScope = Option<Arc<Scope>>;

impl AboveRoots {
    /// Returns the scope for a directory above a root.
    pub(crate) fn scope(
        &self,
        compiled: &CompiledConfig,
        path: &Path,
        cache: &mut WorkerCache,
    ) -> MaybeScope {
        if compiled.honoured.is_empty() {
            return None;
        }
        if let Some(scope) = self.known(path) {
            return scope;
        }
        let mut dirs: Vec<&Path> = path.ancestors().collect();
        dirs.reverse();
        // If a directory is out of reach, so are all below it.
        let within_reach = match reach(path) {
            Ok(()) => dirs.len(),
            Err(_) => dirs.partition_point(|dir| reach(dir).is_ok()),
        };
        let mut scope = None;
        for dir in &dirs[..within_reach] {
            scope = match self.known(dir) {
                Some(scope) => scope,
                None => {
                    let reported = cache.problems.len();
                    let own = enter(compiled, dir, scope.as_ref(), cache);
                    self.insert(dir, own.or(scope)).unwrap_or_else(|first| {
                        cache.problems.truncate(reported);
                        first
                    })
                }
            };
        }
        if let Some(first) = dirs.get(within_reach) {
            if self.insert(first, scope.clone()).is_ok() {
                cache.problems.extend(out_of_reach(first));
            }
            // Another worker may have inserted the same scope.
            let _ = self.insert(path, scope.clone());
        }
        scope
    }

    fn known(&self, path: &Path) -> Option<MaybeScope> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// Keeps a directory's scope.
    ///
    /// # Errors
    /// Another worker was faster: its scope, which applies. That worker has also reported the
    /// problems.
    fn insert(&self, path: &Path, scope: MaybeScope) -> Result<MaybeScope, MaybeScope> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.entry(path.to_owned()) {
            Entry::Occupied(first) => Err(first.get().clone()),
            Entry::Vacant(place) => Ok(place.insert(scope).clone()),
        }
    }
}

/// Returns the scope for a directory that has rules of its own.
fn enter(
    compiled: &CompiledConfig,
    path: &Path,
    above: Option<&Arc<Scope>>,
    cache: &mut WorkerCache,
) -> MaybeScope {
    let mut by_path = ByPath { dir: path, confined: compiled.config.confined };
    let found = rule_files_in(&by_path, compiled.honoured, cache);
    let base = path_bytes::with_slashes(path).len();
    let (files, path) = (&mut by_path, &|| path.to_owned());
    Entering { compiled, reads: compiled.config.parents, files, cache, rule_bytes: 0, path }
        .scope(above, base, found)
        .map(Arc::new)
}

/// Returns which of the honoured rule files a directory may have. Only repositories are looked for;
/// rule files are tried when they are read.
fn rule_files_in(
    by_path: &ByPath<'_>,
    honoured: RuleFilesPresent,
    cache: &mut WorkerCache,
) -> RuleFilesPresent {
    let mut found = RuleFilesPresent::default();
    if honoured.has(RuleFilesPresent::GIT) {
        for name in [c".git", c".jj"] {
            let path = by_path.path(name);
            match path.try_exists() {
                Ok(true) if by_path.leads_out(name) => {}
                Ok(true) if is_foreign(by_path.dir, &path) => {
                    let message = "another user owns this, so that it is disregarded, as by git";
                    let message = message.to_owned();
                    cache.problems.push(Problem { path, line: None, message, is_failure: false });
                }
                Ok(true) => found.note(name.to_bytes()),
                Ok(false) => {}
                Err(error) => cache.problems.push(Problem::unreadable(path, &error)),
            }
        }
    }
    found.or(honoured.without(RuleFilesPresent::GIT.or(RuleFilesPresent::JJ)))
}

/// Returns whether the repository at `path` in `dir`, a directory above a root, belongs to someone
/// who should not decide about the user's search: neither to the user nor to root, nor to the owner
/// of `dir`. Anyone can put a `.git` into `/tmp`, or a link there to a repository of the user.
#[cfg(unix)]
pub(crate) fn is_foreign(dir: &Path, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    [fs::symlink_metadata(path), fs::metadata(path)].into_iter().flatten().any(|found| {
        let owner = found.uid();
        owner != user && owner != 0 && !fs::metadata(dir).is_ok_and(|dir| dir.uid() == owner)
    })
}

#[cfg(not(unix))]
pub(crate) fn is_foreign(_dir: &Path, _path: &Path) -> bool {
    false
}

/// Returns whether files in a directory can be opened by their paths.
fn reach(dir: &Path) -> io::Result<()> {
    /// The directory itself, by a name as long as the longest that is opened in it.
    const ITSELF: &str = "././././././././.";
    fs::metadata(dir.join(ITSELF)).map(drop)
}

/// The problem that a directory's rule files cannot be opened.
fn out_of_reach(dir: &Path) -> Option<Problem> {
    let error = reach(dir).err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
    let message = format!("cannot look for ignore files here and below, above the root: {error}");
    Some(Problem { path: dir.to_owned(), line: None, message, is_failure: false })
}
