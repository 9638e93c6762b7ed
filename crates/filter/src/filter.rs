//! The filter that all workers share.

use std::{path::Path, sync::Arc};

use crate::{
    above_roots::AboveRoots,
    compiled::CompiledConfig,
    config::FilterConfig,
    directory::Directory,
    error::{Error, Problem},
    path_bytes,
    read_file::ReadFile,
    root::Root,
    rule_files::RuleFilesPresent,
    scope::{Entering, Scope},
    worker_cache::WorkerCache,
};

/// Decides which entries in a tree are wanted. All workers in a walk share it.
///
/// This crate's page shows how a walk uses it.
#[derive(Debug)]
pub struct Filter {
    compiled: CompiledConfig,
    problems: Vec<Problem>,
    above_roots: AboveRoots,
}

impl Filter {
    /// Compiles the globs in `config`, and reads the rule files that it names. Mistakes in these
    /// are no error, see [`problems`](Self::problems).
    ///
    /// # Errors
    /// A glob is malformed.
    pub fn new(config: FilterConfig) -> Result<Filter, Error> {
        let (compiled, problems) = CompiledConfig::new(config)?;
        Ok(Filter { compiled, problems, above_roots: AboveRoots::default() })
    }

    /// Returns the problems in the rule files that the configuration names.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns whether every entry is wanted, so that a walk need not call the filter.
    #[must_use]
    pub fn wants_everything(&self) -> bool {
        self.compiled.wants_everything()
    }

    /// Returns the rules in force at a root before its own rule files: the rules from the
    /// directories above. `path` is the root as the user named it, absolute or relative to the
    /// current directory of the configuration.
    pub fn root(&self, path: &Path, cache: &mut WorkerCache) -> Arc<Scope> {
        self.compiled.read_user();
        let (root, above) = Root::new(path, &self.compiled.config.cwd);
        let parent = above.and_then(|dir| self.above_roots.scope(&self.compiled, &dir, cache));
        let is_inside = parent.as_ref().is_some_and(|above| above.repository.is_some());
        if is_inside || !self.compiled.config.require_git {
            self.compiled.report_user(&mut cache.problems);
        }
        Arc::new(Scope::of_root(parent, root, &self.compiled))
    }

    /// Returns the rules in force in a directory with a listing that shows `found`.
    ///
    /// `parent` is the scope of the directory above, `path` is relative to the root and has no
    /// slash at the end, and `files` reads the directory's files. Problems are left in `cache`.
    pub fn enter(
        &self,
        parent: &Arc<Scope>,
        path: &[u8],
        found: RuleFilesPresent,
        files: &mut dyn ReadFile,
        cache: &mut WorkerCache,
    ) -> Arc<Scope> {
        let found = found.and(self.compiled.honoured);
        if found.is_empty() {
            return Arc::clone(parent);
        }
        let base = parent.base_of(path);
        let full_path = || {
            let root = parent.root().map_or(Path::new(""), |root| &root.path);
            if path.is_empty() { root.to_owned() } else { root.join(path_bytes::path_of(path)) }
        };
        let scope = Entering {
            compiled: &self.compiled,
            reads: true,
            files,
            cache,
            rule_bytes: 0,
            path: &full_path,
        }
        .scope(Some(parent), base, found);
        if found.is_repository() {
            self.compiled.report_user(&mut cache.problems);
        }
        scope.map_or_else(|| Arc::clone(parent), Arc::new)
    }

    /// Returns the rules in force in a directory that a [`Directory`] enters only for [tracked
    /// files](Directory::is_entered_for_tracked): untracked ones are unwanted there. `path` leads
    /// to the directory above, as for [`enter`](Self::enter), and `name` its own.
    #[must_use]
    pub fn ignored(&self, parent: &Arc<Scope>, path: &[u8], name: &[u8]) -> Arc<Scope> {
        let mut path = path.to_vec();
        path_bytes::push(&mut path, name);
        Arc::new(Scope::of_ignored(parent, &path))
    }

    /// Prepares to judge one directory's entries: `path` relative to its root.
    pub fn directory<'a>(
        &'a self,
        scope: &'a Scope,
        path: &[u8],
        cache: &'a mut WorkerCache,
    ) -> Directory<'a> {
        Directory::new(&self.compiled, scope, path, cache)
    }
}
