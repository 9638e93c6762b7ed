//! The rules in force in one directory and below it: a chain of the directories that have some.
//!
//! A directory without rules of its own shares the scope above, so the chain is as long as there
//! are directories *with* rules above an entry. A scope stores how long its directory's absolute
//! path is. Every base lies above the entry, so this number is all that is needed to make an
//! entry's path relative to the base.

use std::{
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    compiled::{CompiledConfig, read_excludes},
    error::Problem,
    fingerprint::Fingerprint,
    git,
    glob::LetterCase,
    ignore_file::{Dialect, ParseOptions},
    links::leads_out,
    read_file::{ReadFile, missing_is_empty},
    root::Root,
    rule_files::{RuleFileKind, RuleFilesPresent},
    rules::RuleSet,
    tracked::TrackedFiles,
    worker_cache::WorkerCache,
};

/// How many bytes the rule files may have that are in force in one directory: all rule files above
/// an entry are in memory at once.
const MAX_RULE_BYTES: usize = 64 << 20;

/// The rules in force in one directory and below it.
#[derive(Debug)]
pub struct Scope {
    /// The next directory above that has rules.
    pub(crate) parent: Option<Arc<Scope>>,
    /// The rules in the directory's own files, in order of precedence.
    pub(crate) own: Vec<(RuleFileKind, Arc<RuleSet>)>,
    /// The exclude file's path, if that lies in another directory.
    pub(crate) exclude: Option<Box<Path>>,
    /// If this is the top of a repository, the excludes file that applies in it instead of the
    /// user's.
    pub(crate) own_excludes: Option<Box<OwnExcludes>>,
    /// How long the directory's absolute path is; 0 for `/`.
    pub(crate) base: usize,
    /// How long the absolute path of the root above is; 0 for `/`.
    root_base: usize,
    /// How many bytes the rule files in this directory and above have.
    rule_bytes: usize,
    /// Whether the directory is a repository's top.
    pub(crate) is_repository: bool,
    /// The innermost repository's base, which may be this directory.
    pub(crate) repository: Option<usize>,
    /// The innermost repository's tracked files, if they matter.
    pub(crate) tracked: Option<Arc<TrackedFiles>>,
    /// Whether untracked entries are unwanted here: a directory above is, and was entered only for
    /// tracked files in it.
    pub(crate) is_ignored: bool,
    /// Whether git's rules match without regard to case here.
    pub(crate) ignore_case: bool,
    /// Whether they do so here or in a directory above.
    pub(crate) needs_lower: bool,
    /// The fingerprint of all rules in force, if there are to be fingerprints.
    fingerprint: Option<Fingerprint>,
    /// The root, only in the scope that is made for it.
    root: Option<Root>,
}

/// An excludes file that the configuration of a repository names; without rules if it names none.
#[derive(Debug)]
pub(crate) struct OwnExcludes {
    pub(crate) path: PathBuf,
    pub(crate) rules: Option<Arc<RuleSet>>,
}

impl Drop for Scope {
    /// Drops a long chain without recursion, because trees may be deeper than the stack.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut scope) = next.and_then(Arc::into_inner) {
            next = scope.parent.take();
        }
    }
}

impl Scope {
    /// A root's scope, below the scope of the directory above.
    pub(crate) fn of_root(
        parent: Option<Arc<Scope>>,
        root: Root,
        compiled: &CompiledConfig,
    ) -> Scope {
        let above = parent.as_deref();
        // Outside repositories.
        let ignore_case = compiled.user_ignore_case();
        Scope {
            own: Vec::new(),
            exclude: None,
            own_excludes: None,
            base: root.absolute.len(),
            rule_bytes: above.map_or(0, |above| above.rule_bytes),
            root_base: root.absolute.len(),
            is_repository: false,
            repository: above.and_then(|above| above.repository),
            tracked: above.and_then(|above| above.tracked.clone()),
            is_ignored: false,
            ignore_case: above.map_or(ignore_case, |above| above.ignore_case),
            needs_lower: above.map_or(ignore_case, |above| above.needs_lower),
            fingerprint: above.map_or_else(|| compiled.fingerprint(), |above| above.fingerprint),
            root: Some(root),
            parent,
        }
    }

    /// The scope of a directory that is unwanted but contains tracked files.
    pub(crate) fn of_ignored(parent: &Arc<Scope>, path: &[u8]) -> Scope {
        Scope {
            own: Vec::new(),
            exclude: None,
            own_excludes: None,
            base: parent.base_of(path),
            rule_bytes: parent.rule_bytes,
            root_base: parent.root_base,
            is_repository: false,
            repository: parent.repository,
            tracked: parent.tracked.clone(),
            is_ignored: true,
            ignore_case: parent.ignore_case,
            needs_lower: parent.needs_lower,
            // Verdicts depend on git's index here.
            fingerprint: None,
            root: None,
            parent: Some(Arc::clone(parent)),
        }
    }

    /// Returns how long a directory's absolute path is. `path` is relative to the root.
    pub(crate) fn base_of(&self, path: &[u8]) -> usize {
        self.root_base + if path.is_empty() { 0 } else { 1 + path.len() }
    }

    /// Returns what stands for all rules in force here; `None` unless the configuration
    /// [wants](crate::FilterConfig::fingerprints) fingerprints, and if verdicts depend on globs,
    /// file types, `--ignore-file` or git's index.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint
    }

    /// Returns the root above; `None` for a scope above all roots.
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

/// A directory that is being entered.
pub(crate) struct Entering<'a> {
    pub(crate) compiled: &'a CompiledConfig,
    /// Whether rules are read. Otherwise only repositories are noted.
    pub(crate) reads: bool,
    pub(crate) files: &'a mut dyn ReadFile,
    pub(crate) cache: &'a mut WorkerCache,
    /// How many bytes the rule files have that were read here, and those above.
    pub(crate) rule_bytes: usize,
    /// Returns the path of the directory, for messages.
    pub(crate) path: &'a dyn Fn() -> PathBuf,
}

impl Entering<'_> {
    /// Returns the scope of a directory with the rule files `found`, or `None` if it is the
    /// parent's.
    pub(crate) fn scope(
        &mut self,
        parent: Option<&Arc<Scope>>,
        base: usize,
        found: RuleFilesPresent,
    ) -> Option<Scope> {
        self.rule_bytes = parent.map_or(0, |parent| parent.rule_bytes);
        let is_repository = found.is_repository();
        let above = parent.and_then(|parent| parent.repository);
        let is_inside = is_repository || above.is_some() || !self.compiled.config.require_git;
        let (ignore_case, own_excludes) = self.configuration(parent, found);
        let mut own = Vec::new();
        let mut exclude = None;
        let has_gitignore = found.has(RuleFilesPresent::GITIGNORE);
        let files = [
            (RuleFileKind::RgIgnore, c".rgignore", found.has(RuleFilesPresent::RGIGNORE)),
            (RuleFileKind::Ignore, c".ignore", found.has(RuleFilesPresent::IGNORE)),
            // Outside a repository the file has no effect, and a repository below cuts it off.
            (RuleFileKind::GitIgnore, c".gitignore", has_gitignore && is_inside),
        ];
        for (kind, name, is_present) in files {
            if is_present && self.reads {
                let result = self.files.read(name, &mut self.cache.buffer);
                let result = missing_is_empty(result, &mut self.cache.buffer);
                own.extend(self.rules(kind, None, result, ignore_case));
            }
        }
        if found.has(RuleFilesPresent::GIT) && self.compiled.config.exclude && self.reads {
            let buffer = &mut self.cache.buffer;
            let (path, result) = git::read_in_repository(self.files, git::EXCLUDE, buffer);
            exclude = path.map(|path| (self.path)().join(path).into_boxed_path());
            let kind = RuleFileKind::Exclude;
            own.extend(self.rules(kind, exclude.as_deref(), result, ignore_case));
        }
        if own.is_empty() && !is_repository {
            return None;
        }
        own.shrink_to_fit();
        let tracked = match parent {
            _ if is_repository => self.tracked(),
            parent => parent.and_then(|parent| parent.tracked.clone()),
        };
        let fingerprint = parent
            .map_or_else(|| self.compiled.fingerprint(), |parent| parent.fingerprint)
            .map(|above| above.with(&own_fingerprint(&own, own_excludes.as_deref())))
            .map(|above| above.with(&(base, is_repository, ignore_case)));
        Some(Scope {
            parent: parent.map(Arc::clone),
            own,
            exclude,
            own_excludes,
            base,
            rule_bytes: self.rule_bytes,
            root_base: parent.map_or(0, |parent| parent.root_base),
            is_repository,
            repository: if is_repository { Some(base) } else { above },
            tracked,
            is_ignored: !is_repository && parent.is_some_and(|parent| parent.is_ignored),
            ignore_case,
            needs_lower: ignore_case || parent.is_some_and(|parent| parent.needs_lower),
            fingerprint,
            root: None,
        })
    }

    /// If the directory is the top of a repository, returns its tracked files, if they matter.
    fn tracked(&mut self) -> Option<Arc<TrackedFiles>> {
        if !self.compiled.tracks() {
            return None;
        }
        let top = (self.path)();
        let leads_out = |path: &CStr| self.files.leads_out(path);
        let read = TrackedFiles::read(&self.compiled.config.cwd.join(&top), &leads_out);
        let tracked = read.unwrap_or_else(|error| {
            let message = format!("cannot be read, so that no file is tracked: {error}");
            let path = top.join(".git").join("index");
            self.cache.problems.push(Problem { path, line: None, message, is_failure: true });
            TrackedFiles::default()
        });
        Some(Arc::new(tracked))
    }

    /// Returns whether git's rules match without regard to case in a directory, and the excludes
    /// file that its repository has instead of the user's.
    fn configuration(
        &mut self,
        parent: Option<&Arc<Scope>>,
        found: RuleFilesPresent,
    ) -> (bool, Option<Box<OwnExcludes>>) {
        let config = &self.compiled.config;
        if found.has(RuleFilesPresent::GIT)
            && (!config.ignore_case || config.global)
            && let Some(user) = self.compiled.user()
        {
            let top = || config.cwd.join((self.path)());
            let own = user.in_repository(self.files, &mut self.cache.buffer, &top);
            let ignore_case = config.ignore_case || own.ignore_case;
            let excludes = match own.excludes {
                git::OwnExcludes::Other(path) if config.global => {
                    Some(Box::new(self.own_excludes(path, ignore_case)))
                }
                _ => None,
            };
            return (ignore_case, excludes);
        }
        let ignore_case = match parent {
            Some(parent) if !found.has(RuleFilesPresent::JJ) => parent.ignore_case,
            _ => self.compiled.user_ignore_case(),
        };
        (ignore_case, None)
    }

    /// Reads the excludes file of a repository.
    fn own_excludes(&mut self, path: Option<PathBuf>, ignore_case: bool) -> OwnExcludes {
        let Some(path) = path else { return OwnExcludes { path: PathBuf::new(), rules: None } };
        read_excludes(&path, &mut self.cache.buffer, &mut self.cache.problems);
        if !self.has_room(|| path.clone()) {
            return OwnExcludes { path, rules: None };
        }
        let WorkerCache { buffer, rule_sets, .. } = &mut *self.cache;
        let rules = rule_sets.parse(buffer, self.compiled.git_options(ignore_case));
        OwnExcludes { path, rules: (!rules.is_empty()).then_some(rules) }
    }

    /// Counts the bytes of the rule file in the buffer. If too many would be in force, returns
    /// false and records that problem, with the path that `path` returns.
    fn has_room(&mut self, path: impl FnOnce() -> PathBuf) -> bool {
        let bytes = self.rule_bytes + self.cache.buffer.len();
        if bytes > MAX_RULE_BYTES {
            self.cache.problems.push(Problem::too_much(path(), MAX_RULE_BYTES));
            return false;
        }
        self.rule_bytes = bytes;
        true
    }

    /// Returns whether a rule file of the directory is a link to another directory. Then it may be
    /// any file, and its lines must not get into messages.
    fn is_link_out(&self, path: &Path) -> bool {
        let dir = fs::canonicalize(self.compiled.config.cwd.join((self.path)()));
        let path = self.compiled.config.cwd.join(path);
        leads_out(&path, |target| dir.is_ok_and(|dir| target.starts_with(dir)))
    }

    /// Returns the rules in the buffer, if there are any, and records problems. `path` is the
    /// file's path unless it is the usual one.
    fn rules(
        &mut self,
        kind: RuleFileKind,
        path: Option<&Path>,
        result: io::Result<()>,
        ignore_case: bool,
    ) -> Option<(RuleFileKind, Arc<RuleSet>)> {
        let path = || path.map_or_else(|| (self.path)().join(kind.file()), Path::to_owned);
        if let Err(error) = result {
            let path = path();
            self.cache.problems.push(Problem::unreadable(path, &error));
            return None;
        }
        if self.cache.buffer.is_empty() {
            return None;
        }
        if !self.has_room(path) {
            return None;
        }
        let options = match kind.is_git() {
            true => self.compiled.git_options(ignore_case),
            false => {
                let case = LetterCase::folded_if(self.compiled.config.ignore_case);
                ParseOptions::file(Dialect::Ripgrep, case)
            }
        };
        let rules = self.cache.rule_sets.parse(&self.cache.buffer, options);
        if !rules.problems.is_empty() {
            let path = path();
            match self.is_link_out(&path) {
                true => self.cache.problems.push(Problem::not_shown(path)),
                false => self.cache.problems.extend(rules.problems_in(&path)),
            }
        }
        (!rules.is_empty()).then_some((kind, rules))
    }
}

/// The fingerprint that the rules in a directory's own files have together with the excludes file
/// that its repository has instead of the user's.
fn own_fingerprint(
    own: &[(RuleFileKind, Arc<RuleSet>)],
    excludes: Option<&OwnExcludes>,
) -> Fingerprint {
    let files: Vec<_> = own.iter().map(|(kind, rules)| (*kind, rules.fingerprint())).collect();
    let excludes = excludes.map(|own| own.rules.as_ref().map(|rules| rules.fingerprint()));
    Fingerprint::of(&(files, excludes))
}
