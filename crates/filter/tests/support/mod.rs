//! What the tests of this crate share: a walk with `std::fs`, random choices, and git.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::{
    ffi::{CStr, OsStr},
    fs,
    io::{self, Seek, Write},
    num::NonZero,
    ops::Range,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
};

use skipped_tests::skip;

use heist_filter::{
    Environment, Filter, FilterConfig, ReadFile, Reason, RuleFilesPresent, RuleSource, Scope,
    WorkerCache,
};

/// Reads rule files by path.
pub(crate) struct Files<'a>(pub(crate) &'a Path);

impl ReadFile for Files<'_> {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        *into = fs::read(self.0.join(OsStr::from_bytes(name.to_bytes())))?;
        Ok(())
    }
}

/// A tree of files in a temporary directory.
pub(crate) struct Tree {
    _directory: tempfile::TempDir,
    pub(crate) top: PathBuf,
}

impl Tree {
    /// An empty tree.
    pub(crate) fn new() -> Tree {
        let directory = tempfile::tempdir_in(skipped_tests::place()).unwrap();
        Tree { top: fs::canonicalize(directory.path()).unwrap(), _directory: directory }
    }

    /// A tree of these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree::new();
        files.iter().for_each(|(path, contents)| tree.add(path, contents));
        tree
    }

    /// Adds a file, or a directory if the path ends in a slash.
    pub(crate) fn add(&self, path: &str, contents: &str) {
        let full = self.top.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        match path.ends_with('/') {
            true => fs::create_dir_all(full).unwrap(),
            false => fs::write(full, contents).unwrap(),
        }
    }
}

/// The standard configuration, without git's system-wide one.
pub(crate) fn config(cwd: &Path) -> FilterConfig {
    let environment =
        Environment { git_config_system: Some("/nonexistent".into()), ..Environment::default() };
    FilterConfig { environment, ..FilterConfig::standard(cwd) }
}

/// All files below `root` that the filter wants, relative to it, sorted.
pub(crate) fn files(filter: &Filter, root: &Path, cache: &mut WorkerCache) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    walk(filter, root, cache, &mut |entry| {
        if entry.is_wanted && !entry.is_dir {
            found.push(entry.path.to_vec());
        }
    });
    found.sort();
    found
}

/// An entry, judged.
pub(crate) struct Entry<'a> {
    /// Relative to the root.
    pub(crate) path: &'a [u8],
    pub(crate) is_dir: bool,
    pub(crate) is_wanted: bool,
    /// The rule file and the line that decided.
    pub(crate) rule: Option<(PathBuf, u32)>,
    /// The decision in words.
    pub(crate) verdict: String,
}

/// Walks a tree and calls `visit` with every entry. The path is absolute or relative to the
/// filter's current directory.
pub(crate) fn walk(
    filter: &Filter,
    root: &Path,
    cache: &mut WorkerCache,
    visit: &mut dyn FnMut(&Entry<'_>),
) {
    let scope = filter.root(root, cache);
    Walk { filter, root, cache, visit }.directory(&scope, b"");
}

struct Walk<'a> {
    filter: &'a Filter,
    root: &'a Path,
    cache: &'a mut WorkerCache,
    visit: &'a mut dyn FnMut(&Entry<'_>),
}

impl Walk<'_> {
    fn directory(&mut self, scope: &Arc<Scope>, path: &[u8]) {
        let full = self.root.join(OsStr::from_bytes(path));
        let mut entries = Vec::new();
        let mut rule_files = RuleFilesPresent::default();
        for entry in fs::read_dir(&full).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().as_bytes().to_vec();
            rule_files.note(&name);
            entries.push((name, entry.file_type().unwrap().is_dir()));
        }
        let scope = if rule_files.is_empty() {
            Arc::clone(scope)
        } else {
            self.filter.enter(scope, path, rule_files, &mut Files(&full), self.cache)
        };
        let mut directory = self.filter.directory(&scope, path, self.cache);
        let judged: Vec<_> = entries
            .into_iter()
            .map(|(name, is_dir)| {
                let is_wanted = directory.is_wanted(&name, is_dir);
                let verdict = directory.verdict(&name, is_dir);
                assert_eq!(verdict.is_wanted, is_wanted, "{verdict}");
                let shown = verdict.to_string();
                let rule = match verdict.reason {
                    Reason::Rule(RuleSource::File { path, line, .. }) => Some((path, line)),
                    _ => None,
                };
                (name, is_dir, is_wanted, rule, shown)
            })
            .collect();
        drop(directory);
        for (name, is_dir, is_wanted, rule, verdict) in judged {
            let mut path = path.to_vec();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend(name);
            (self.visit)(&Entry { path: &path, is_dir, is_wanted, rule, verdict });
            if is_dir && is_wanted {
                self.directory(&scope, &path);
            }
        }
    }
}

/// Random choices that a seed repeats.
pub(crate) struct Random(fastrand::Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Fills a directory with a number of random entries, up to three levels deep. For each directory,
/// `add_rules` is called with its depth, when its other entries exist.
pub(crate) fn fill(
    random: &mut Random,
    directory: &Path,
    names: &[&str],
    entries: Range<usize>,
    add_rules: &mut dyn FnMut(&mut Random, &Path, usize),
) {
    Fill { names, entries, add_rules }.directory(random, directory, 0);
}

struct Fill<'a> {
    names: &'a [&'a str],
    entries: Range<usize>,
    add_rules: &'a mut dyn FnMut(&mut Random, &Path, usize),
}

impl Fill<'_> {
    fn directory(&mut self, random: &mut Random, directory: &Path, depth: usize) {
        for _ in 0..self.entries.start + random.below(self.entries.len()) {
            let path = directory.join(random.pick(self.names));
            if depth < 3 && random.one_in(2) {
                if fs::create_dir(&path).is_ok() {
                    self.directory(random, &path, depth + 1);
                }
            } else if !path.exists() {
                fs::write(path, "").unwrap();
            }
        }
        (self.add_rules)(random, directory, depth);
    }
}

/// The rule files of a tree, for messages.
pub(crate) fn rule_files(directory: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or(OsStr::new(""));
        if path.is_dir() {
            if name == ".git" || name == ".jj" {
                text += &format!("{}\n", path.display());
            }
            text += &rule_files(&path);
        } else if name.as_bytes().ends_with(b"ignore") || name == "exclude" {
            let contents = fs::read(&path).unwrap();
            text += &format!("{}: {}\n", path.display(), contents.escape_ascii());
        }
    }
    text
}

/// The seed to begin with: `HEIST_FILTER_SEED`, else 0.
pub(crate) fn first_seed() -> u64 {
    std::env::var("HEIST_FILTER_SEED").map_or(0, |seed| seed.parse().unwrap())
}

/// How many random cases to run: `HEIST_FILTER_CASES`, else `default`.
pub(crate) fn cases(default: usize) -> usize {
    std::env::var("HEIST_FILTER_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Calls `test` with `count` seeds, on all cores.
pub(crate) fn each_seed(count: usize, test: impl Fn(u64) + Sync) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for core in 0..cores {
            let seeds = (first_seed()..).take(count).skip(core).step_by(cores);
            scope.spawn(|| seeds.for_each(&test));
        }
    });
}

/// Git, cut off from the user's configuration.
pub(crate) fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", "/nonexistent")
        .env_remove("GIT_DIR")
        .env_remove("XDG_CONFIG_HOME");
    git
}

/// Whether git is missing, so that the test is skipped. Prints a message then.
pub(crate) fn is_git_missing() -> bool {
    let status = Command::new("git").arg("--version").stdout(Stdio::null()).status();
    let is_missing = !status.is_ok_and(|status| status.success());
    if is_missing {
        skip("git is not installed");
    }
    is_missing
}

/// What a command that must succeed prints, given `input`.
pub(crate) fn output(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut stdin = tempfile::tempfile().unwrap();
    stdin.write_all(input).unwrap();
    stdin.rewind().unwrap();
    let output = command.stdin(stdin).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    // `git check-ignore` exits with 1 if nothing matched.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{command:?}: {stderr}");
    output.stdout
}
