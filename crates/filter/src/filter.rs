//! The filter: what all workers share.

use std::{
    collections::{HashMap, hash_map::Entry},
    fs, io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::{
    config::FilterConfig,
    directory::Directory,
    error::{Error, Problem},
    git,
    ignore_file::Dialect,
    overrides::Overrides,
    path_bytes,
    pattern::ParseOptions,
    rule_files::RuleFilesPresent,
    rules::RuleSet,
    scope::{self, ByPath, Entering, ReadFile, Root, Scope},
    worker_cache::WorkerCache,
};

/// Decides which entries are wanted. Shared by all workers.
#[derive(Debug)]
pub struct Filter {
    pub(crate) config: FilterConfig,
    /// The current directory, without a slash at the end.
    pub(crate) cwd: Vec<u8>,
    pub(crate) overrides: Overrides,
    /// The files of `--ignore-file`, the weakest first, and their rules.
    pub(crate) ignore_files: Vec<(PathBuf, RuleSet)>,
    /// The user's global excludes file, looked for when the first root is: a run that walks no
    /// directory reads no configuration of git's.
    global: OnceLock<Option<(PathBuf, RuleSet)>>,
    /// RuleFilesPresent that mean something with this configuration.
    honoured: RuleFilesPresent,
    problems: Vec<Problem>,
    /// Scopes of directories above roots, as there may be many roots.
    ancestors: Mutex<HashMap<PathBuf, Option<Arc<Scope>>>>,
}

impl Filter {
    /// Compile what is given and read what is named. What is wrong with ignore files is no error;
    /// see [`Filter::problems`].
    ///
    /// # Errors
    /// A glob that does not parse.
    pub fn new(config: FilterConfig) -> Result<Filter, Error> {
        let overrides = Overrides::new(&config.globs)?;
        let mut problems = Vec::new();
        let mut ignore_files = Vec::new();
        for path in &config.ignore_files {
            match fs::read(config.cwd.join(path)) {
                Ok(source) => {
                    // In their own case, as ripgrep has it.
                    let rules =
                        RuleSet::parse(&source, ParseOptions::file(Dialect::Ripgrep, false));
                    problems.extend(scope::problems(path, &rules));
                    ignore_files.push((path.clone(), rules));
                }
                Err(error) => problems.push(Problem::unreadable(path.clone(), &error)),
            }
        }
        ignore_files.retain(|(_, rules)| !rules.is_empty());
        let honoured = honoured(&config);
        let ancestors = Mutex::default();
        Ok(Filter {
            cwd: path_bytes::as_bytes(&config.cwd),
            config,
            overrides,
            ignore_files,
            global: OnceLock::new(),
            honoured,
            problems,
            ancestors,
        })
    }

    /// What is wrong with the ignore files that were named.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether nothing is ever unwanted, so that nobody need ask.
    #[must_use]
    pub fn wants_everything(&self) -> bool {
        self.config.hidden
            && self.honoured.is_empty()
            && self.ignore_files.is_empty()
            && !self.has_choices()
    }

    /// The user's global excludes file and its rules, if it has any.
    pub(crate) fn global(&self) -> Option<&(PathBuf, RuleSet)> {
        self.global.get().and_then(Option::as_ref)
    }

    /// Whether globs or types may rule out an entry that no rule mentions.
    pub(crate) fn has_choices(&self) -> bool {
        // A glob that includes but can never match leaves no rule, yet rules out all files.
        self.overrides.includes || !self.overrides.runs.is_empty() || !self.config.types.is_empty()
    }

    /// Whether a set of rules may have to see names and paths in lower case.
    pub(crate) fn case_insensitive(&self) -> bool {
        self.config.ignore_case || self.overrides.runs.iter().any(RuleSet::case_insensitive)
    }

    /// The rules that hold for a root before its own ignore files: those of the directories above
    /// it. `root` is as the user named it; if it is relative, to `cwd`.
    pub fn root(&self, root: &Path, cache: &mut WorkerCache) -> Arc<Scope> {
        self.global.get_or_init(|| {
            let is_wanted = self.config.vcs && self.config.global;
            is_wanted.then(|| read_global(&self.config, &mut cache.problems)).flatten()
        });
        let joined = self.config.cwd.join(root);
        // A directory that is open already can be out of reach by its path: if that is too long, or leads through one
        // that may not be searched. Where links in it lead cannot be told then.
        let absolute = fs::canonicalize(&joined).unwrap_or_else(|_| without_dots(&joined));
        let parent = absolute.parent().and_then(|parent| self.ancestor(parent, cache));
        let typed = typed(root);
        let absolute = path_bytes::as_bytes(&absolute);
        Arc::new(Scope::of_root(parent, Root { path: root.to_owned(), absolute, typed }))
    }

    /// The scope of a directory above a root, if there are any rules in it or above.
    fn ancestor(&self, path: &Path, cache: &mut WorkerCache) -> Option<Arc<Scope>> {
        if self.honoured.is_empty() {
            return None;
        }
        if let Some(scope) = self.known(path) {
            return scope;
        }
        let mut dirs: Vec<&Path> = path.ancestors().collect();
        dirs.reverse();
        // Where one is out of reach, so are those below it.
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
                    let own = self.enter_above(dir, scope.as_ref(), cache);
                    self.keep(dir, own.or(scope)).unwrap_or_else(|first| {
                        cache.problems.truncate(reported);
                        first
                    })
                }
            };
        }
        if let Some(first) = dirs.get(within_reach) {
            if self.keep(first, scope.clone()).is_ok() {
                cache.problems.extend(out_of_reach(first));
            }
            // Others may have kept the same.
            let _ = self.keep(path, scope.clone());
        }
        scope
    }

    /// The scope of a directory above a root, if that has been looked for.
    fn known(&self, path: &Path) -> Option<Option<Arc<Scope>>> {
        self.ancestors.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// Keep the scope of a directory above a root.
    ///
    /// # Errors
    /// Somebody else was first: theirs, which counts, and with it what they told of.
    fn keep(
        &self,
        path: &Path,
        scope: Option<Arc<Scope>>,
    ) -> Result<Option<Arc<Scope>>, Option<Arc<Scope>>> {
        let mut known = self.ancestors.lock().unwrap_or_else(PoisonError::into_inner);
        match known.entry(path.to_owned()) {
            Entry::Occupied(first) => Err(first.get().clone()),
            Entry::Vacant(place) => Ok(place.insert(scope).clone()),
        }
    }

    /// The rules in a directory above a root, if it has any.
    fn enter_above(
        &self,
        path: &Path,
        above: Option<&Arc<Scope>>,
        cache: &mut WorkerCache,
    ) -> Option<Arc<Scope>> {
        let found = self.look_for_rule_files(path, cache);
        let base = path_bytes::as_bytes(path).len();
        Entering {
            config: &self.config,
            reads: self.config.parents,
            files: &mut ByPath(path),
            cache,
            path: &|| path.to_owned(),
        }
        .scope(above, base, found)
        .map(Arc::new)
    }

    /// The rule_files of a directory that is not listed. Ignore files are not looked for, only
    /// tried.
    fn look_for_rule_files(&self, path: &Path, cache: &mut WorkerCache) -> RuleFilesPresent {
        let mut found = RuleFilesPresent::default();
        if self.honoured.has(RuleFilesPresent::GIT) {
            for name in [".git", ".jj"] {
                let path = path.join(name);
                match path.try_exists() {
                    Ok(true) => found.note(name.as_bytes()),
                    Ok(false) => {}
                    Err(error) => cache.problems.push(Problem::unreadable(path, &error)),
                }
            }
        }
        found.or(self.honoured.without(RuleFilesPresent::GIT.or(RuleFilesPresent::JJ)))
    }

    /// The rules in a directory `path` (relative to its root, without a slash at the end) whose
    /// listing shows `found`.
    pub fn enter(
        &self,
        parent: &Arc<Scope>,
        path: &[u8],
        found: RuleFilesPresent,
        files: &mut dyn ReadFile,
        cache: &mut WorkerCache,
    ) -> Arc<Scope> {
        let found = found.and(self.honoured);
        if found.is_empty() {
            return Arc::clone(parent);
        }
        let base = parent.base_of(path);
        let full_path = || {
            let root = parent.root().map_or(Path::new(""), |root| &root.path);
            if path.is_empty() { root.to_owned() } else { root.join(path_bytes::as_path(path)) }
        };
        Entering { config: &self.config, reads: true, files, cache, path: &full_path }
            .scope(Some(parent), base, found)
            .map_or_else(|| Arc::clone(parent), Arc::new)
    }

    /// Prepare to judge the entries of one directory: `path` relative to its root.
    pub fn directory<'a>(
        &'a self,
        scope: &'a Scope,
        path: &[u8],
        cache: &'a mut WorkerCache,
    ) -> Directory<'a> {
        Directory::new(self, scope, path, cache)
    }
}

/// The rule_files that mean something.
fn honoured(config: &FilterConfig) -> RuleFilesPresent {
    let mut honoured = RuleFilesPresent::default();
    if config.dot {
        honoured = honoured.or(RuleFilesPresent::RGIGNORE.or(RuleFilesPresent::IGNORE));
    }
    if config.vcs {
        honoured = honoured.or(RuleFilesPresent::GITIGNORE);
        honoured = honoured.or(RuleFilesPresent::GIT.or(RuleFilesPresent::JJ));
    }
    honoured
}

fn read_global(config: &FilterConfig, problems: &mut Vec<Problem>) -> Option<(PathBuf, RuleSet)> {
    let path = config.cwd.join(git::global_excludes(&config.environment)?);
    let mut source = Vec::new();
    let result =
        fs::metadata(&path).and_then(|metadata| scope::read_file(&path, &metadata, &mut source));
    if let Err(error) = git::forgive_missing(result, &mut source) {
        problems.push(Problem::unreadable(path.clone(), &error));
    }
    let rules = RuleSet::parse(&source, ParseOptions::file(Dialect::Git, config.ignore_case));
    (!rules.is_empty()).then_some((path, rules))
}

/// Whether files in a directory can be opened by their paths.
fn reach(dir: &Path) -> io::Result<()> {
    /// The directory itself, by a name as long as the longest that is looked for in it.
    const ITSELF: &str = "././././././././.";
    fs::metadata(dir.join(ITSELF)).map(drop)
}

/// What to say of the first directory that is out of reach.
fn out_of_reach(dir: &Path) -> Option<Problem> {
    let error = reach(dir).err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
    let message = format!("cannot look for ignore files here and below, above the root: {error}");
    Some(Problem { path: dir.to_owned(), line: None, message })
}

/// A path without `.` and `..` components, whose directories are taken to be no links.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// A root as typed, without `.` components.
fn typed(root: &Path) -> Vec<u8> {
    let plain: PathBuf = root.components().filter(|part| *part != Component::CurDir).collect();
    if plain == Path::new("/") { b"/".to_vec() } else { path_bytes::as_bytes(&plain) }
}
