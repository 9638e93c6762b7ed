//! Whether ignore rules match a path, and which one does, without a walk.

use std::{
    collections::HashMap,
    env, fs, io, mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use heist_filter::{
    ByPath, Environment, Filter, FilterConfig, Problem, Reason, RuleFilesPresent, RuleSource,
    Scope, WorkerCache,
    path_bytes::{bytes_of, is_separator, path_of},
};

use crate::Error;

/// The ignore rules of a tree, for paths that the caller has: exactly those of git, as `git
/// check-ignore --no-index` has them, with the rules of all directories, of the repository and of
/// the user.
///
/// The rules of a directory are read when a path below it is first judged; a new `Ignore` sees
/// what has changed since. Outside of a repository, `.gitignore` files hold too.
///
/// ```
/// use heist::Ignore;
///
/// let dir = tempfile::tempdir()?;
/// std::fs::write(dir.path().join(".gitignore"), "*.o\nbuild/\n")?;
/// let mut rules = Ignore::new(dir.path())?;
/// assert!(rules.is_ignored("src/main.o")?);
/// assert!(!rules.is_ignored("src/main.c")?);
/// // What lies in an ignored directory is ignored.
/// let by = rules.why("build/notes.txt")?.expect("it is ignored");
/// assert_eq!((by.path.to_str(), by.line, by.rule.as_str()), (Some("build"), 2, "build/"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ignore {
    filter: Filter,
    /// The root, absolute.
    root: PathBuf,
    has_dot: bool,
    cache: WorkerCache,
    dirs: HashMap<Box<[u8]>, Dir>,
}

/// The rule that makes a path ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredBy {
    /// What the rule matches, relative to the root: the path, or a directory above it.
    pub path: PathBuf,
    /// The file with the rule.
    pub source: PathBuf,
    /// The number of the rule's line, from 1.
    pub line: u32,
    /// The rule as it is written.
    pub rule: String,
}

/// What is known of a directory.
#[derive(Clone, Debug)]
enum Dir {
    /// The rules in force in it.
    Open(Arc<Scope>),
    /// The rule that ignores it.
    Ignored(Arc<IgnoredBy>),
}

impl Ignore {
    /// The rules of git in the tree at `root`: those of `.gitignore` files, of
    /// `.git/info/exclude`, and of the user's `core.excludesFile`.
    ///
    /// # Errors
    /// There is no current directory.
    pub fn new(root: impl AsRef<Path>) -> Result<Ignore, Error> {
        Ignore::with_rules(root.as_ref(), false)
    }

    /// The rules of a search in the tree at `root`: those of git, and those of `.ignore` and
    /// `.rgignore` files, which outrank them.
    ///
    /// # Errors
    /// There is no current directory.
    pub fn of_search(root: impl AsRef<Path>) -> Result<Ignore, Error> {
        Ignore::with_rules(root.as_ref(), true)
    }

    fn with_rules(root: &Path, has_dot: bool) -> Result<Ignore, Error> {
        let cwd = env::current_dir().map_err(Error::CurrentDir)?;
        let absolute = cwd.join(root);
        let config = FilterConfig {
            hidden: true,
            dot: has_dot,
            require_git: false,
            environment: Environment::from_variables(|name| env::var_os(name)),
            ..FilterConfig::like_git(cwd)
        };
        let filter = Filter::new(config)?;
        let mut cache = WorkerCache::default();
        let above = filter.root(root, &mut cache);
        let found = rule_files_in(&absolute, has_dot);
        let scope = filter.enter(&above, b"", found, &mut ByPath::new(&absolute), &mut cache);
        let dirs = HashMap::from([(Box::default(), Dir::Open(scope))]);
        Ok(Ignore { filter, root: absolute, has_dot, cache, dirs })
    }

    /// Whether a rule makes `path` ignored, or a directory above it. `path` is relative to the
    /// root, or absolute and below it.
    ///
    /// A path with a slash at its end is a directory. Of any other, the file system decides, if the
    /// rules treat files and directories differently; what does not exist is a file.
    ///
    /// # Errors
    /// [`Error::Read`] if the path is not below the root, or has `..` in it.
    pub fn is_ignored(&mut self, path: impl AsRef<Path>) -> Result<bool, Error> {
        self.judge(path.as_ref(), |_| ()).map(|by| by.is_some())
    }

    /// The rule that makes `path` ignored, if one does; see [`is_ignored`](Ignore::is_ignored).
    ///
    /// # Errors
    /// Those of [`is_ignored`](Ignore::is_ignored).
    pub fn why(&mut self, path: impl AsRef<Path>) -> Result<Option<IgnoredBy>, Error> {
        let by = self.judge(path.as_ref(), |by| by)?;
        Ok(by.map(|by| match by {
            Judged::Above(by) => (*by).clone(),
            Judged::Itself(by) => by,
        }))
    }

    /// The mistakes in the rule files that were read since the last call. Their other rules hold.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        mem::take(&mut self.cache.problems)
    }

    /// What ignores a path. `describe` is called for a rule that matches the path itself.
    fn judge<R>(
        &mut self,
        path: &Path,
        describe: impl FnOnce(IgnoredBy) -> R,
    ) -> Result<Option<Judged<R>>, Error> {
        let relative = self.relative(path)?;
        let is_marked = bytes_of(path).last().is_some_and(|byte| is_separator(*byte));
        let Some(start) = start_of_name(&relative) else { return Ok(None) };
        let (dir, name) = (&relative[..start.saturating_sub(1)], &relative[start..]);
        let scope = match self.dir(dir) {
            Dir::Ignored(by) => return Ok(Some(Judged::Above(by))),
            Dir::Open(scope) => scope,
        };
        let mut directory = self.filter.directory(&scope, dir, &mut self.cache);
        let is_dir = is_marked || {
            let as_file = directory.is_wanted(name, false);
            as_file != directory.is_wanted(name, true) && {
                let found = fs::symlink_metadata(self.root.join(path_of(&relative)));
                found.is_ok_and(|found| found.is_dir())
            }
        };
        if directory.is_wanted(name, is_dir) {
            return Ok(None);
        }
        let by = ignored_by(&relative, &directory.verdict(name, is_dir).reason);
        Ok(Some(Judged::Itself(describe(by))))
    }

    /// What is known of the directory at `path`.
    fn dir(&mut self, path: &[u8]) -> Dir {
        if let Some(known) = self.dirs.get(path) {
            return known.clone();
        }
        // The nearest directory above that is known. The root is.
        let mut end = path.len();
        while !self.dirs.contains_key(&path[..end]) {
            end = start_of_name(&path[..end]).unwrap_or(0).saturating_sub(1);
        }
        let mut known = self.dirs[&path[..end]].clone();
        while end < path.len() {
            let above = end;
            let start = if end == 0 { 0 } else { end + 1 };
            let len = path[start..].iter().position(|byte| *byte == b'/');
            end = len.map_or(path.len(), |len| start + len);
            known = match known {
                Dir::Open(scope) => {
                    self.enter(&scope, &path[..above], &path[start..end], &path[..end])
                }
                ignored @ Dir::Ignored(_) => ignored,
            };
            self.dirs.insert(path[..end].into(), known.clone());
        }
        known
    }

    /// Judges the directory `name` in the one at `above`, and reads its rules.
    fn enter(&mut self, scope: &Arc<Scope>, above: &[u8], name: &[u8], path: &[u8]) -> Dir {
        let mut directory = self.filter.directory(scope, above, &mut self.cache);
        if !directory.is_wanted(name, true) {
            let by = ignored_by(path, &directory.verdict(name, true).reason);
            return Dir::Ignored(Arc::new(by));
        }
        drop(directory);
        let absolute = self.root.join(path_of(path));
        let found = rule_files_in(&absolute, self.has_dot);
        let files = &mut ByPath::new(&absolute);
        Dir::Open(self.filter.enter(scope, path, found, files, &mut self.cache))
    }

    /// A path below the root, relative to it, with `/` between its names and nowhere else.
    fn relative(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let refuse = |why: String| {
            let source = io::Error::new(io::ErrorKind::InvalidInput, why);
            Err(Error::Read { path: path.to_owned(), source })
        };
        let below = match path.is_absolute() {
            true => match path.strip_prefix(&self.root) {
                Ok(below) => below,
                Err(_) => return refuse(format!("it is not below {}", self.root.display())),
            },
            false => path,
        };
        let bytes = bytes_of(below);
        let mut relative = Vec::with_capacity(bytes.len());
        for name in bytes.split(|byte| is_separator(*byte)) {
            match name {
                b"" | b"." => {}
                b".." => return refuse("it has '..' in it".to_owned()),
                _ => {
                    if !relative.is_empty() {
                        relative.push(b'/');
                    }
                    relative.extend_from_slice(name);
                }
            }
        }
        Ok(relative)
    }
}

/// What ignores a path.
enum Judged<R> {
    /// The rule for a directory above it.
    Above(Arc<IgnoredBy>),
    /// The rule for the path itself.
    Itself(R),
}

impl<R> Judged<R> {}

/// Where the last name of a path begins; `None` if the path is empty.
fn start_of_name(path: &[u8]) -> Option<usize> {
    if path.is_empty() {
        return None;
    }
    Some(path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1))
}

/// The rule files and repositories in `dir`.
fn rule_files_in(dir: &Path, has_dot: bool) -> RuleFilesPresent {
    let mut found = RuleFilesPresent::default();
    for name in RuleFilesPresent::NAMES {
        let name = name.to_bytes();
        let counts = has_dot || name.starts_with(b".git") || name == b".jj";
        if counts && fs::symlink_metadata(dir.join(path_of(name))).is_ok() {
            found.note(name);
        }
    }
    found
}

fn ignored_by(path: &[u8], reason: &Reason<'_>) -> IgnoredBy {
    let path = path_of(path).into_owned();
    match reason {
        Reason::Rule(RuleSource::File { path: source, line, rule }) => IgnoredBy {
            path,
            source: source.strip_prefix(".").unwrap_or(source).to_owned(),
            line: *line,
            rule: rule.to_string(),
        },
        // There are no other rules, and hidden entries are wanted.
        _ => IgnoredBy { path, source: PathBuf::new(), line: 0, rule: String::new() },
    }
}
