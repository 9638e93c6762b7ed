//! Whether ignore rules match a path, and which one does, without a walk.

use std::{
    collections::HashMap,
    env, fs, io, mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use heist_filter::{
    ByPath, Directory, Environment, Filter, FilterConfig, Problem, Reason, RuleFilesPresent,
    RuleSource, Scope, WorkerCache,
    path_bytes::{bytes_of, is_separator, path_of},
};

use crate::{
    Error,
    threads::{in_threads, useful_threads},
};

/// The fewest paths for which a thread is started.
const MIN_THREAD_PATHS: usize = 4096;

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
    rules: Rules,
    judge: Judge,
}

/// What all threads share.
#[derive(Debug)]
struct Rules {
    filter: Filter,
    /// The root, absolute.
    root: PathBuf,
    has_dot: bool,
}

/// What one thread has read.
#[derive(Debug, Default)]
struct Judge {
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
        let rules = Rules { filter, root: absolute, has_dot };
        Ok(Ignore { rules, judge: Judge { cache, dirs } })
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
        Ok(self.judge.are_ignored(&self.rules, &[path])?[0])
    }

    /// Whether each of `paths` is ignored, as [`is_ignored`](Ignore::is_ignored) finds. Of paths
    /// that follow each other in one directory, the directory is looked up once, and several
    /// threads judge thousands of paths.
    ///
    /// # Errors
    /// Those of [`is_ignored`](Ignore::is_ignored), for the first path with one.
    pub fn are_ignored<P: AsRef<Path> + Sync>(&mut self, paths: &[P]) -> Result<Vec<bool>, Error> {
        let threads = (paths.len() / MIN_THREAD_PATHS).clamp(1, useful_threads());
        if threads == 1 {
            return self.judge.are_ignored(&self.rules, paths);
        }
        let (rules, known) = (&self.rules, &self.judge.dirs);
        let parts = paths.chunks(paths.len().div_ceil(threads));
        let work = |part: &[P]| {
            let mut judge = Judge { dirs: known.clone(), ..Judge::default() };
            let ignored = judge.are_ignored(rules, part);
            (judge, ignored)
        };
        let results = in_threads(parts, work);
        let mut all = Vec::with_capacity(paths.len());
        for (judge, ignored) in results {
            self.judge.dirs.extend(judge.dirs);
            self.judge.cache.problems.extend(judge.cache.problems);
            all.extend(ignored?);
        }
        Ok(all)
    }

    /// The rule that makes `path` ignored, if one does; see [`is_ignored`](Ignore::is_ignored).
    ///
    /// # Errors
    /// Those of [`is_ignored`](Ignore::is_ignored).
    pub fn why(&mut self, path: impl AsRef<Path>) -> Result<Option<IgnoredBy>, Error> {
        let (path, mut relative) = (path.as_ref(), Vec::new());
        relative_to(&self.rules.root, path, &mut relative)?;
        let (rules, judge) = (&self.rules, &mut self.judge);
        Ok((!relative.is_empty()).then(|| judge.why(rules, &relative, is_marked(path))).flatten())
    }

    /// The mistakes in the rule files that were read since the last call. Their other rules hold.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        mem::take(&mut self.judge.cache.problems)
    }
}

impl Judge {
    /// Whether each of `paths` is ignored.
    fn are_ignored<P: AsRef<Path>>(
        &mut self,
        rules: &Rules,
        paths: &[P],
    ) -> Result<Vec<bool>, Error> {
        let mut ignored = Vec::with_capacity(paths.len());
        let mut paths = paths.iter();
        let (mut dir, mut relative) = (Vec::new(), Vec::new());
        let Some(mut path) = paths.next() else { return Ok(ignored) };
        relative_to(&rules.root, path.as_ref(), &mut relative)?;
        loop {
            dir.clear();
            if !relative.is_empty() {
                dir.extend_from_slice(split(&relative).0);
            }
            let known = self.dir(rules, &dir);
            let mut directory = match &known {
                Dir::Open(scope) => Some(rules.filter.directory(scope, &dir, &mut self.cache)),
                Dir::Ignored(_) => None,
            };
            // All that follow in this directory.
            loop {
                ignored.push(match &mut directory {
                    _ if relative.is_empty() => false,
                    None => true,
                    Some(directory) => {
                        let is_marked = is_marked(path.as_ref());
                        is_ignored(rules, &relative, is_marked, directory).is_some()
                    }
                });
                path = match paths.next() {
                    Some(next) => next,
                    None => return Ok(ignored),
                };
                relative_to(&rules.root, path.as_ref(), &mut relative)?;
                if relative.is_empty() || split(&relative).0 != dir {
                    break;
                }
            }
        }
    }

    /// What ignores the entry at `relative`, a path that is not empty.
    fn why(&mut self, rules: &Rules, relative: &[u8], is_marked: bool) -> Option<IgnoredBy> {
        let (dir, name) = split(relative);
        let scope = match self.dir(rules, dir) {
            Dir::Ignored(by) => return Some((*by).clone()),
            Dir::Open(scope) => scope,
        };
        let mut directory = rules.filter.directory(&scope, dir, &mut self.cache);
        let is_dir = is_ignored(rules, relative, is_marked, &mut directory)?;
        Some(ignored_by(relative, &directory.verdict(name, is_dir).reason))
    }

    /// What is known of the directory at `path`.
    fn dir(&mut self, rules: &Rules, path: &[u8]) -> Dir {
        if let Some(known) = self.dirs.get(path) {
            return known.clone();
        }
        // The nearest directory above that is known. The root is.
        let mut end = path.len();
        while !self.dirs.contains_key(&path[..end]) {
            end = split(&path[..end]).0.len();
        }
        let mut known = self.dirs[&path[..end]].clone();
        while end < path.len() {
            let above = end;
            let start = if end == 0 { 0 } else { end + 1 };
            let len = path[start..].iter().position(|byte| *byte == b'/');
            end = len.map_or(path.len(), |len| start + len);
            known = match known {
                Dir::Open(scope) => {
                    self.enter(rules, &scope, &path[..above], &path[start..end], &path[..end])
                }
                ignored @ Dir::Ignored(_) => ignored,
            };
            self.dirs.insert(path[..end].into(), known.clone());
        }
        known
    }

    /// Judges the directory `name` in the one at `above`, and reads its rules.
    fn enter(
        &mut self,
        rules: &Rules,
        scope: &Arc<Scope>,
        above: &[u8],
        name: &[u8],
        path: &[u8],
    ) -> Dir {
        let mut directory = rules.filter.directory(scope, above, &mut self.cache);
        if !directory.is_wanted(name, true) {
            let by = ignored_by(path, &directory.verdict(name, true).reason);
            return Dir::Ignored(Arc::new(by));
        }
        drop(directory);
        let absolute = rules.root.join(path_of(path));
        let found = rule_files_in(&absolute, rules.has_dot);
        let files = &mut ByPath::new(&absolute);
        Dir::Open(rules.filter.enter(scope, path, found, files, &mut self.cache))
    }
}

/// Whether the entry at `relative` is a directory, if it is ignored; else `None`. The file system
/// decides if the rules treat files and directories of its name differently.
fn is_ignored(
    rules: &Rules,
    relative: &[u8],
    is_marked: bool,
    directory: &mut Directory<'_>,
) -> Option<bool> {
    let name = split(relative).1;
    let ignores_dir = !directory.is_wanted(name, true);
    if is_marked {
        return ignores_dir.then_some(true);
    }
    let ignores_file = !directory.is_wanted(name, false);
    if ignores_dir == ignores_file {
        return ignores_file.then_some(false);
    }
    let found = fs::symlink_metadata(rules.root.join(path_of(relative)));
    let is_dir = found.is_ok_and(|found| found.is_dir());
    (if is_dir { ignores_dir } else { ignores_file }).then_some(is_dir)
}

/// Writes `path`, relative to the root, into `relative`: with `/` between its names and nowhere
/// else.
fn relative_to(root: &Path, path: &Path, relative: &mut Vec<u8>) -> Result<(), Error> {
    let refuse = |why: String| {
        let source = io::Error::new(io::ErrorKind::InvalidInput, why);
        Err(Error::Read { path: path.to_owned(), source })
    };
    let below = match path.is_absolute() {
        true => match path.strip_prefix(root) {
            Ok(below) => below,
            Err(_) => return refuse(format!("it is not below {}", root.display())),
        },
        false => path,
    };
    relative.clear();
    for name in bytes_of(below).split(|byte| is_separator(*byte)) {
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
    Ok(())
}

/// Splits a path that is not empty into its directory and its last name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b"", path),
    }
}

/// Whether `path` has a slash at its end, which only directories have.
fn is_marked(path: &Path) -> bool {
    bytes_of(path).last().is_some_and(|byte| is_separator(*byte))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_paths_are_judged_as_each_alone() {
        let temp = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = temp.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".gitignore", "*.o\nbuild/\nlogs/\n!logs/keep\n/top\n");
        write("src/.gitignore", "!main.o\nlocal\n");
        write("src/build", "a file");
        write("deep/build/x", "");
        let paths = [
            "",
            ".",
            "a.o",
            "a.c",
            "top",
            "src/top",
            "src/main.o",
            "src/x.o",
            "src/local/y/z",
            "src/build",
            "src/build/",
            "deep/build",
            "deep/build/x",
            "logs/keep",
            "logs",
            "logs/",
            "./src//main.o",
            "none/main.o",
            "src/main.c",
            "a.c",
        ];
        let ignored = Ignore::new(temp.path()).unwrap().are_ignored(&paths).unwrap();
        for (path, ignored) in paths.iter().zip(ignored) {
            let mut rules = Ignore::new(temp.path()).unwrap();
            assert_eq!(rules.is_ignored(path).unwrap(), ignored, "{path}");
            assert_eq!(rules.why(path).unwrap().is_some(), ignored, "{path}");
            let absolute = format!("{}/{path}", temp.path().display());
            assert_eq!(rules.is_ignored(absolute).unwrap(), ignored, "{path}, absolute");
            let expected = [
                "a.o",
                "top",
                "src/x.o",
                "src/local/y/z",
                "src/build/",
                "deep/build",
                "deep/build/x",
                "logs/keep",
                "logs/",
                "none/main.o",
            ];
            assert_eq!(ignored, expected.contains(path), "{path}");
        }
        let mut rules = Ignore::new(temp.path()).unwrap();
        assert!(rules.is_ignored("../x").is_err() && rules.are_ignored(&["a", "/x"]).is_err());
        assert!(rules.are_ignored::<&str>(&[]).unwrap().is_empty());
    }

    #[test]
    fn threads_judge_as_one() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(".gitignore"), "*7\n/3/\n[45]*/1?\n").unwrap();
        let paths: Vec<_> = (0..30_000).map(|n| format!("{}/{}", n / 1000, n % 1000)).collect();
        let mut rules = Ignore::new(temp.path()).unwrap();
        let ignored = rules.are_ignored(&paths).unwrap();
        assert_eq!(rules.are_ignored(&paths).unwrap(), ignored);
        for (path, ignored) in paths.iter().zip(&ignored).step_by(17) {
            assert_eq!(rules.is_ignored(path).unwrap(), *ignored, "{path}");
        }
        // The last digit; the directories 7, 17 and 27; 3; and 4 and 5 with 10 to 19.
        let expected = |path: &String| {
            let (dir, name) = path.split_once('/').unwrap();
            let is_teen = name.len() == 2 && name.starts_with('1');
            path.ends_with('7') || dir.ends_with('7') || dir == "3" || is_teen && "45".contains(dir)
        };
        for (path, ignored) in paths.iter().zip(&ignored) {
            assert_eq!(*ignored, expected(path), "{path}");
        }
    }

    #[test]
    fn mistakes_in_rule_files_are_kept() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(".ignore"), "*.{tmp\n*.o\n").unwrap();
        let mut rules = Ignore::of_search(temp.path()).unwrap();
        assert!(rules.is_ignored("a.o").unwrap());
        let problems = rules.take_problems();
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [Some(1)]);
        assert!(rules.take_problems().is_empty());
        assert!(!Ignore::new(temp.path()).unwrap().is_ignored("a.o").unwrap());
    }
}
