//! Random trees with random ignore files, generated from a seed, and the minimisation of a case
//! that fails.

use std::fs;

use crate::{
    random::{Choose, Rng},
    sys,
    temp_tree::TempTree,
};

/// Names of files and directories: few and short, so that random rules match them often.
const NAMES: [&str; 24] = [
    "a", "b", "ab", "abc", "A", "b.log", "a.log", "c.txt", "x.tar.gz", "build", "src", "a b",
    "trail ", "#x", "!y", "x1", "x-", "[1]", "{a,b}", "s*r", "q?", "b\\s", ".hid", "é",
];

/// Names and parts of globs that mean the same in every dialect.
const PLAIN: [&str; 12] =
    ["a", "b", "ab", "abc", "b.log", "a.log", "c.txt", "x.tar.gz", "build", "src", "x1", ".hid"];

/// A case of a differential test that can be made smaller.
pub(crate) trait Shrink: Sized {
    /// Copies of the case that each lack one part; the largest parts come first.
    fn candidates(&self) -> impl Iterator<Item = Self>;

    /// Removes parts for as long as `fails` holds for what is left.
    fn shrink(mut self, fails: impl Fn(&Self) -> bool) -> Self {
        loop {
            let Some(smaller) = self.candidates().find(|smaller| fails(smaller)) else {
                return self;
            };
            self = smaller;
        }
    }
}

/// A copy of `case` with `change` applied: one candidate of a [`Shrink`].
pub(crate) fn changed<T: Clone>(case: &T, change: impl FnOnce(&mut T)) -> T {
    let mut case = case.clone();
    change(&mut case);
    case
}

/// The program whose ignore files a tree has, which is also the oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `.gitignore`, `info/exclude` and `core.excludesFile`, with every rule that git accepts.
    Git,
    /// Also `.ignore` and `.rgignore`: rules that mean the same to git and ripgrep, and braces.
    Ripgrep,
}

/// The description of a tree, from which parts can be removed before it is written to disk.
#[derive(Clone, Debug)]
pub(crate) struct TreeSpec {
    files: Vec<Vec<u8>>,
    /// Directories that are git repositories; the first is the top.
    repos: Vec<Vec<u8>>,
    /// Ignore files and their lines.
    rules: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
}

impl TreeSpec {
    pub(crate) fn generate(rng: &mut Rng, dialect: Dialect) -> TreeSpec {
        let mut spec = TreeSpec { files: Vec::new(), repos: vec![Vec::new()], rules: Vec::new() };
        spec.add_dir(rng, dialect, &[], 0);
        let mut extra = vec![b".git/info/exclude".to_vec()];
        if dialect == Dialect::Git {
            extra.push(b"../home/.config/git/ignore".to_vec());
        }
        for name in extra {
            if rng.chance(30) {
                spec.add_rules(rng, dialect, name);
            }
        }
        spec
    }

    fn add_dir(&mut self, rng: &mut Rng, dialect: Dialect, dir: &[u8], depth: usize) {
        let ignore_files: &[&[u8]] = match dialect {
            Dialect::Git => &[b".gitignore"],
            Dialect::Ripgrep => &[b".gitignore", b".ignore", b".rgignore"],
        };
        for name in ignore_files {
            if rng.chance(if depth == 0 { 80 } else { 25 }) {
                self.add_rules(rng, dialect, join(dir, name));
            }
        }
        let mut names: Vec<&[u8]> = (0..2 + rng.usize(..6)).map(|_| name(rng)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let path = join(dir, name);
            if depth == 4 || rng.chance(50) {
                self.files.push(path);
                continue;
            }
            if rng.chance(8) {
                self.repos.push(path.clone());
            }
            self.add_dir(rng, dialect, &path, depth + 1);
        }
    }

    fn add_rules(&mut self, rng: &mut Rng, dialect: Dialect, name: Vec<u8>) {
        let mut lines = rules(rng, dialect);
        let is_git_file = name.ends_with(b".gitignore") || name.ends_with(b"exclude");
        if dialect == Dialect::Ripgrep && is_git_file {
            // Git has no braces. In its files heist follows git, so that ripgrep cannot be the
            // oracle.
            lines.retain(|line| !line.contains(&b'{'));
        }
        self.rules.push((name, lines));
    }

    /// Writes the tree to disk.
    pub(crate) fn build(&self) -> TempTree {
        let tree = TempTree::new("differential");
        for repo in &self.repos {
            // The least that git accepts as a repository.
            let git = tree.join(sys::name(&join(repo, b".git")));
            for dir in ["objects", "refs", "info"] {
                fs::create_dir_all(git.join(dir)).expect("a repository");
            }
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("a repository's head");
        }
        for file in &self.files {
            tree.file(sys::name(file), "");
        }
        for (name, lines) in &self.rules {
            tree.file(sys::name(name), lines.join(&b'\n'));
        }
        tree
    }
}

impl Shrink for TreeSpec {
    fn candidates(&self) -> impl Iterator<Item = TreeSpec> {
        let without = |change: &dyn Fn(&mut TreeSpec)| changed(self, change);
        let ignore_files =
            (0..self.rules.len()).map(move |at| without(&|spec| drop(spec.rules.remove(at))));
        let files =
            (0..self.files.len()).map(move |at| without(&|spec| drop(spec.files.remove(at))));
        let repos =
            (1..self.repos.len()).map(move |at| without(&|spec| drop(spec.repos.remove(at))));
        let lines = (0..self.rules.len()).flat_map(move |at| {
            (0..self.rules[at].1.len())
                .map(move |line| without(&|spec| drop(spec.rules[at].1.remove(line))))
        });
        ignore_files.chain(repos).chain(lines).chain(files)
    }
}

/// Random command-line flags that change what is listed.
pub(crate) fn flags(rng: &mut Rng) -> Vec<String> {
    let all = "--no-ignore-vcs --no-ignore-dot --no-ignore-exclude --no-ignore-parent --no-ignore
        --no-require-git --ignore-file-case-insensitive --max-depth=3 -tlog -Ttxt -u";
    let chosen = all.split_whitespace().filter(|_| rng.chance(8));
    let mut flags: Vec<String> = chosen.map(str::to_string).collect();
    while rng.chance(25) {
        let bang = if rng.chance(50) { "!" } else { "" };
        flags.push(format!("-g{bang}{}", String::from_utf8_lossy(&glob(rng, Dialect::Ripgrep))));
    }
    flags
}

fn rules(rng: &mut Rng, dialect: Dialect) -> Vec<Vec<u8>> {
    (0..1 + rng.usize(..6)).map(|_| rule(rng, dialect)).collect()
}

fn rule(rng: &mut Rng, dialect: Dialect) -> Vec<u8> {
    if rng.chance(6) {
        let odd: &[&[u8]] = match dialect {
            Dialect::Git => &[
                b"", b"# a", b"   ", b"!", b"/", b"\\#x", b"\\!y", b"**", b"a\t", b"a\\ ", b"\xff",
                b"!.*", b"!*/", b"!.git*",
            ],
            Dialect::Ripgrep => &[b"", b"# a", b"   ", b"\\#x", b"\\!y", b"**"],
        };
        return rng.pick(odd).to_vec();
    }
    let mut rule = if rng.chance(30) { b"!".to_vec() } else { Vec::new() };
    rule.extend(glob(rng, dialect));
    if rng.chance(8) {
        rule.extend(b"  ");
    }
    rule
}

fn glob(rng: &mut Rng, dialect: Dialect) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = vec![part(rng, dialect)];
    while rng.chance(30) {
        parts.push(if rng.chance(25) { b"**".to_vec() } else { part(rng, dialect) });
    }
    let mut glob = parts.join(&b'/');
    match rng.usize(..10) {
        0 => glob.insert(0, b'/'),
        1 => drop(glob.splice(0..0, *b"**/")),
        _ => {}
    }
    match rng.usize(..12) {
        0 | 1 => glob.push(b'/'),
        2 => glob.extend(b"/*"),
        3 => glob.extend(b"/**"),
        _ => {}
    }
    glob
}

/// Components of globs that git accepts.
const GIT_GLOBS: &str = r"* *.log a* *b ? ?? [ab] [!a]* [^a] [a-c]* [c-a] [[:alpha:]] [[:digit:]x]*
    x[-1] [a \a s\*r [\]] q\? *.* [a]** []1] \[1\] {a,b}";
/// Components of globs that mean the same to git and ripgrep, and one with braces.
const RIPGREP_GLOBS: &str = "* *.log *.txt a* ? [ab] [!a]* [a-c]b *.{log,txt} x?";

/// A random component of a rule.
fn part(rng: &mut Rng, dialect: Dialect) -> Vec<u8> {
    let (globs, names) = match dialect {
        Dialect::Git => (GIT_GLOBS, 55),
        Dialect::Ripgrep => (RIPGREP_GLOBS, 60),
    };
    if !rng.chance(names) {
        let globs: Vec<&str> = globs.split_whitespace().collect();
        return rng.pick(&globs).into();
    }
    match dialect {
        Dialect::Git => name(rng).to_vec(),
        Dialect::Ripgrep => rng.pick(&PLAIN).into(),
    }
}

/// A random name: any of [`NAMES`], or one that is not UTF-8.
fn name(rng: &mut Rng) -> &'static [u8] {
    if rng.chance(4) { b"n\xff" } else { rng.pick(&NAMES).as_bytes() }
}

fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if dir.is_empty() { name.to_vec() } else { [dir, b"/", name].concat() }
}
