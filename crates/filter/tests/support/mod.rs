//! What the tests of this crate share: a walk on `std::fs`, random numbers, and git.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::{
    ffi::{CStr, OsStr},
    fs,
    io::{self, Seek, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use heist_filter::{
    Environment, Filter, FilterConfig, ReadFile, Reason, RuleFilesPresent, RuleSource, Scope,
    WorkerCache,
};

/// Reads ignore files by path.
pub(crate) struct Files<'a>(pub(crate) &'a Path);

impl ReadFile for Files<'_> {
    fn read(&mut self, name: &CStr, into: &mut Vec<u8>) -> io::Result<()> {
        *into = fs::read(self.0.join(OsStr::from_bytes(name.to_bytes())))?;
        Ok(())
    }
}

/// The configuration of a run without any flag, that sees no file outside the tree.
pub(crate) fn config(cwd: &Path) -> FilterConfig {
    FilterConfig {
        cwd: cwd.to_owned(),
        dot: true,
        vcs: true,
        exclude: true,
        global: true,
        parents: true,
        require_git: true,
        environment: Environment {
            git_config_system: Some("/nonexistent".into()),
            ..Environment::default()
        },
        ..FilterConfig::default()
    }
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

/// An entry of a directory that is wanted.
pub(crate) struct Entry<'a> {
    /// Relative to the root.
    pub(crate) path: &'a [u8],
    pub(crate) is_dir: bool,
    pub(crate) is_wanted: bool,
    /// The rule file and the line that decided.
    pub(crate) rule: Option<(PathBuf, u32)>,
}

/// Walk a tree (its path relative to the filter's current directory, or absolute) and show every
/// entry met.
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
                let rule = match verdict.reason {
                    Reason::Rule(RuleSource::File { path, line, .. }) => Some((path, line)),
                    _ => None,
                };
                (name, is_dir, is_wanted, rule)
            })
            .collect();
        drop(directory);
        for (name, is_dir, is_wanted, rule) in judged {
            let mut path = path.to_vec();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend(name);
            (self.visit)(&Entry { path: &path, is_dir, is_wanted, rule });
            if is_dir && is_wanted {
                self.directory(&scope, &path);
            }
        }
    }
}

/// Pseudo-random numbers, the same on every run: the generator is `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// How many random cases to run: `HEIST_FILTER_CASES`, else `default`.
pub(crate) fn cases(default: usize) -> usize {
    std::env::var("HEIST_FILTER_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
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

/// Whether there is no git to ask, so that the test has to be skipped. Says so.
pub(crate) fn is_git_missing() -> bool {
    let status = Command::new("git").arg("--version").stdout(Stdio::null()).status();
    let is_missing = !status.is_ok_and(|status| status.success());
    if is_missing {
        eprintln!("skipped: there is no git");
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
