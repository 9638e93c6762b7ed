//! Git itself as the oracle for whitelists: a rule such as `!.*` re-includes hidden entries, but
//! never `.git`, whatever it is, wherever it lies, and in whichever of git's files the rule stands.
//! Random trees are listed as by default, with dotfiles, and with all hidden entries.

#![cfg(unix)]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use heist_filter::{Environment, Filter, FilterConfig, WorkerCache, is_of_version_control};
use support::{
    Random, cases, config, each_seed, fill, git, is_git_missing, output, rule_files, walk,
};

/// Globs of rules that match hidden entries, `.git` among them, or what lies in these.
const GLOBS: [&str; 26] = [
    "*",
    "**",
    ".*",
    ".git",
    ".git*",
    ".gi?",
    ".[g]it",
    ".GIT",
    ".G*",
    ".hg",
    ".e*",
    "a",
    "a*",
    "*.*",
    "/*",
    "/.*",
    "/.git",
    "/.git*",
    "**/.git",
    ".git/config",
    "/.git/**",
    "a/.git",
    "*/.git",
    "a/.*",
    ".a",
    ".[!g]*",
];

/// Names of entries besides those of repositories.
const NAMES: [&str; 12] =
    ["a", "b", "a.b", ".a", ".env", ".gitx", ".github", ".GIT", ".Git", ".hg", ".svn", "git"];

/// How many trees a seed stands for: starting git takes far longer than its work.
const TREES: usize = 10;

fn rules(random: &mut Random) -> String {
    let rule = |random: &mut Random| {
        let sign = if random.one_in(3) { "" } else { "!" };
        let glob = random.pick(&GLOBS);
        let slash = if random.one_in(4) { "/" } else { "" };
        format!("{sign}{glob}{slash}\n")
    };
    (0..1 + random.below(4)).map(|_| rule(random)).collect()
}

/// Writes a random rule file into a directory, or none.
fn add_rules(random: &mut Random, directory: &Path, depth: usize) {
    if random.one_in(if depth == 0 { 2 } else { 5 }) {
        fs::write(directory.join(".gitignore"), rules(random)).unwrap();
    }
}

/// A tree with repositories, and git's configuration of its user.
struct World {
    /// The repositories: an outer one, and those within.
    tops: Vec<PathBuf>,
    /// Whether names are compared without regard to case, as the user's configuration requires.
    ignore_case: bool,
    global: PathBuf,
    random: Random,
}

impl World {
    fn new(mut random: Random, directory: &Path) -> World {
        let directory = fs::canonicalize(directory).unwrap();
        let (outer, global) = (directory.join("top"), directory.join("gitconfig"));
        let ignore_case = random.one_in(4);
        let excludes = directory.join("excludes");
        let configuration =
            format!("[core]\nexcludesFile = {}\nignoreCase = {ignore_case}\n", excludes.display());
        fs::write(&global, configuration).unwrap();
        if random.one_in(3) {
            fs::write(&excludes, rules(&mut random)).unwrap();
        }
        fs::create_dir(&outer).unwrap();
        fill(&mut random, &outer, &NAMES, 2..6, &mut add_rules);
        let mut world = World { tops: Vec::new(), ignore_case, global, random };
        world.add(&outer, &directory.join("gitdir0"));
        let inner = ["a", "b", ".a", "a/b", "git"].map(|name| outer.join(name));
        let inner = inner.iter().find(|path| path.is_dir() && world.random.one_in(3));
        if let Some(inner) = inner {
            world.add(inner, &directory.join("gitdir1"));
        }
        world
    }

    /// Makes a directory the top of a repository, whose `.git` is sometimes a file that names
    /// `git_dir`.
    fn add(&mut self, top: &Path, git_dir: &Path) {
        let mut init = self.git(top);
        init.args(["init", "-q"]);
        let own = if self.random.one_in(3) {
            init.arg("--separate-git-dir").arg(git_dir);
            git_dir.to_owned()
        } else {
            top.join(".git")
        };
        output(&mut init, b"");
        // What git finds out about the file system would outrank the user's configuration.
        let _ = self.git(top).args(["config", "--unset", "core.ignoreCase"]).status();
        let rules = if self.random.one_in(3) { rules(&mut self.random) } else { String::new() };
        fs::write(own.join("info/exclude"), rules).unwrap();
        // Git lists a repository without a commit as a plain directory.
        let commit = ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"];
        output(self.git(top).args(commit).arg("--allow-empty"), b"");
        self.tops.push(top.to_owned());
    }

    fn git(&self, directory: &Path) -> Command {
        let mut git = git(directory);
        git.env("GIT_CONFIG_GLOBAL", &self.global);
        git
    }

    /// The paths that git lists in a repository; those of nested ones end in a slash.
    fn listed(&self, top: &Path) -> Vec<String> {
        let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let output = String::from_utf8(output(self.git(top).args(args), b"")).unwrap();
        output.split_terminator('\0').map(str::to_owned).collect()
    }

    /// Returns which of some paths a rule re-includes, according to git.
    fn whitelisted(&self, top: &Path, paths: &[String]) -> Vec<String> {
        let args = ["check-ignore", "--no-index", "--stdin", "-vnz"];
        let output = output(self.git(top).args(args), paths.join("\0").as_bytes());
        let output = String::from_utf8(output).unwrap();
        let fields: Vec<&str> = output.split_terminator('\0').collect();
        let rules = fields.as_chunks::<4>().0.iter();
        rules.filter(|rule| rule[2].starts_with('!')).map(|rule| rule[3].to_owned()).collect()
    }

    /// The names in a path that belong to version control.
    fn is_of_version_control(&self, path: &str) -> bool {
        path.split('/').any(|name| match self.ignore_case {
            true => is_of_version_control(name.to_ascii_lowercase().as_bytes()),
            false => is_of_version_control(name.as_bytes()),
        })
    }

    /// What the filter lists in a repository. Nested ones are listed as by git.
    fn filtered(&self, top: &Path, change: impl Fn(&mut FilterConfig)) -> Vec<String> {
        let git_config_global = Some(self.global.clone());
        let environment = Environment { git_config_global, ..config(top).environment };
        let mut config = FilterConfig { environment, ..config(top) };
        change(&mut config);
        let filter = Filter::new(config).unwrap();
        let mut cache = WorkerCache::default();
        let nested: Vec<&str> = self
            .tops
            .iter()
            .filter_map(|path| path.strip_prefix(top).ok()?.to_str())
            .filter(|path| !path.is_empty())
            .collect();
        let mut files = Vec::new();
        walk(&filter, top, &mut cache, &mut |entry| {
            let path = str::from_utf8(entry.path).unwrap();
            let is_inner = |top: &&str| path.strip_prefix(top).is_some_and(|p| p.starts_with('/'));
            if !entry.is_wanted || nested.iter().any(is_inner) {
            } else if nested.contains(&path) {
                files.push(format!("{path}/"));
            } else if !entry.is_dir {
                files.push(path.to_owned());
            }
        });
        files.sort();
        assert_eq!(cache.problems, []);
        files
    }

    fn compare(&self, top: &Path, seed: u64) {
        let mut listed = self.listed(top);
        listed.sort();
        let mut hidden: Vec<String> = listed.iter().flat_map(|path| hidden_in(path)).collect();
        hidden.sort();
        hidden.dedup();
        let whitelisted = self.whitelisted(top, &hidden);
        let is_default =
            |path: &&String| hidden_in(path).iter().all(|path| whitelisted.contains(path));
        let is_dotfile = |path: &&String| !self.is_of_version_control(path);
        let by_default: Vec<_> = listed.iter().filter(is_default).cloned().collect();
        let dotfiles: Vec<_> = listed.iter().filter(is_dotfile).cloned().collect();
        let explain = |mode: &str| format!("seed {seed}, {mode}; with\n{}", rule_files(top));
        let found = self.filtered(top, |_| {});
        assert_eq!(found, by_default, "{}", explain("by default"));
        let found = self.filtered(top, |config| config.dotfiles = true);
        assert_eq!(found, dotfiles, "{}", explain("with dotfiles"));
        let mut found = self.filtered(top, |config| config.hidden = true);
        found.retain(|path| !path.split('/').any(|name| self.is_git(name)));
        assert_eq!(found, listed, "{}", explain("with hidden entries"));
    }

    /// Whether git disregards an entry, whatever its rules are.
    fn is_git(&self, name: &str) -> bool {
        name == ".git" || self.ignore_case && name.eq_ignore_ascii_case(".git")
    }
}

/// The hidden entries that a path leads through, or to.
fn hidden_in(path: &str) -> Vec<String> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let is_hidden = |end: &usize| path[..*end].rsplit('/').next().unwrap_or("").starts_with('.');
    ends.filter(is_hidden).map(|end| path[..end].to_owned()).collect()
}

#[test]
fn no_rule_of_git_whitelists_its_own_directory() {
    if is_git_missing() {
        return;
    }
    each_seed(cases(400).div_ceil(TREES), |seed| {
        let directory = tempfile::tempdir_in(skipped_tests::place()).unwrap();
        let world = World::new(Random::new(seed), directory.path());
        world.tops.iter().for_each(|top| world.compare(top, seed));
    });
}
