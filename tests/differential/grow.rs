//! Random trees with random ignore files, grown from a seed and cut down to what matters.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use crate::temp_tree::TempTree;

/// Names of files and directories; short, so that rules meet them often.
const NAMES: [&[u8]; 25] = [
    b"a",
    b"b",
    b"ab",
    b"abc",
    b"A",
    b"b.log",
    b"a.log",
    b"c.txt",
    b"x.tar.gz",
    b"build",
    b"src",
    b"a b",
    b"trail ",
    b"#x",
    b"!y",
    b"x1",
    b"x-",
    b"[1]",
    b"{a,b}",
    b"s*r",
    b"q?",
    b"b\\s",
    b".hid",
    b"\xc3\xa9",
    b"n\xff",
];

/// Names and pieces of names that every dialect reads alike.
const PLAIN: [&str; 12] =
    ["a", "b", "ab", "abc", "b.log", "a.log", "c.txt", "x.tar.gz", "build", "src", "x1", ".hid"];

/// A small generator of random numbers (splitmix64 by Steele, Lea and Flood), the same everywhere.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// True `percent` times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Something that still shows a difference, or not, when parts of it are taken away.
pub(crate) trait Smaller: Sized {
    /// The same thing with one part less, in every way; the largest parts first.
    fn smaller(&self) -> impl Iterator<Item = Self>;

    /// Take away whatever can be spared while `differs` still holds.
    fn shrink(mut self, differs: impl Fn(&Self) -> bool) -> Self {
        loop {
            let Some(smaller) = self.smaller().find(|smaller| differs(smaller)) else {
                return self;
            };
            self = smaller;
        }
    }
}

/// Whose ignore files a tree has, and hence who knows what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `.gitignore`, `info/exclude` and `core.excludesFile`, with everything that git accepts.
    Git,
    /// `.ignore` and `.rgignore` too, with rules that git and ripgrep read alike, and braces.
    Ripgrep,
}

/// A tree that has not been built yet, so that parts of it can be taken away.
#[derive(Clone, Debug)]
pub(crate) struct TreeSpec {
    files: Vec<Vec<u8>>,
    /// Directories that are git repositories of their own; the first is the top.
    repos: Vec<Vec<u8>>,
    /// Ignore files and their lines.
    rules: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
}

impl TreeSpec {
    pub(crate) fn grow(random: &mut Random, dialect: Dialect) -> TreeSpec {
        let mut spec = TreeSpec { files: Vec::new(), repos: vec![Vec::new()], rules: Vec::new() };
        spec.grow_dir(random, dialect, &[], 0);
        let mut extra = vec![b".git/info/exclude".to_vec()];
        if dialect == Dialect::Git {
            extra.push(b"../home/.config/git/ignore".to_vec());
        }
        for name in extra {
            if random.chance(30) {
                spec.add_rules(random, dialect, name);
            }
        }
        spec
    }

    fn grow_dir(&mut self, random: &mut Random, dialect: Dialect, dir: &[u8], depth: usize) {
        let ignore_files: &[&[u8]] = match dialect {
            Dialect::Git => &[b".gitignore"],
            Dialect::Ripgrep => &[b".gitignore", b".ignore", b".rgignore"],
        };
        for name in ignore_files {
            if random.chance(if depth == 0 { 80 } else { 25 }) {
                self.add_rules(random, dialect, join(dir, name));
            }
        }
        let mut names: Vec<&[u8]> = (0..2 + random.below(6)).map(|_| random.pick(&NAMES)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let path = join(dir, name);
            if depth == 4 || random.chance(50) {
                self.files.push(path);
                continue;
            }
            if random.chance(8) {
                self.repos.push(path.clone());
            }
            self.grow_dir(random, dialect, &path, depth + 1);
        }
    }

    fn add_rules(&mut self, random: &mut Random, dialect: Dialect, name: Vec<u8>) {
        let mut lines = rules(random, dialect);
        let is_gits = name.ends_with(b".gitignore") || name.ends_with(b"exclude");
        if dialect == Dialect::Ripgrep && is_gits {
            // Git knows no braces; in its files heist follows git, so ripgrep is no judge of them.
            lines.retain(|line| !line.contains(&b'{'));
        }
        self.rules.push((name, lines));
    }

    /// Make the tree on disk.
    pub(crate) fn build(&self) -> TempTree {
        let tree = TempTree::new("differential");
        for repo in &self.repos {
            // As much of a repository as git asks for.
            let git = tree.join(OsStr::from_bytes(&join(repo, b".git")));
            for dir in ["objects", "refs", "info"] {
                fs::create_dir_all(git.join(dir)).expect("a repository");
            }
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("a repository's head");
        }
        for file in &self.files {
            tree.file(OsStr::from_bytes(file), "");
        }
        for (name, lines) in &self.rules {
            tree.file(OsStr::from_bytes(name), lines.join(&b'\n'));
        }
        tree
    }
}

impl Smaller for TreeSpec {
    fn smaller(&self) -> impl Iterator<Item = TreeSpec> {
        let ignore_files = (0..self.rules.len()).map(|index| {
            let mut spec = self.clone();
            spec.rules.remove(index);
            spec
        });
        let files = (0..self.files.len()).map(|index| {
            let mut spec = self.clone();
            spec.files.remove(index);
            spec
        });
        let repos = (1..self.repos.len()).map(|index| {
            let mut spec = self.clone();
            spec.repos.remove(index);
            spec
        });
        let lines = (0..self.rules.len()).flat_map(move |index| {
            (0..self.rules[index].1.len()).map(move |line| {
                let mut spec = self.clone();
                spec.rules[index].1.remove(line);
                spec
            })
        });
        ignore_files.chain(repos).chain(lines).chain(files)
    }
}

/// Random command-line flags that change what is listed.
pub(crate) fn flags(random: &mut Random) -> Vec<String> {
    let all = [
        "--no-ignore-vcs",
        "--no-ignore-dot",
        "--no-ignore-exclude",
        "--no-ignore-parent",
        "--no-ignore",
        "--no-require-git",
        "--ignore-file-case-insensitive",
        "--max-depth=3",
        "-tlog",
        "-Ttxt",
        "-u",
    ];
    let mut flags: Vec<String> =
        all.iter().filter(|_| random.chance(8)).map(ToString::to_string).collect();
    while random.chance(25) {
        let bang = if random.chance(50) { "!" } else { "" };
        flags.push(format!("-g{bang}{}", String::from_utf8_lossy(&glob(random, Dialect::Ripgrep))));
    }
    flags
}

fn rules(random: &mut Random, dialect: Dialect) -> Vec<Vec<u8>> {
    (0..1 + random.below(6)).map(|_| rule(random, dialect)).collect()
}

fn rule(random: &mut Random, dialect: Dialect) -> Vec<u8> {
    if random.chance(6) {
        let odd: &[&[u8]] = match dialect {
            Dialect::Git => &[
                b"", b"# a", b"   ", b"!", b"/", b"\\#x", b"\\!y", b"**", b"a\t", b"a\\ ", b"\xff",
            ],
            Dialect::Ripgrep => &[b"", b"# a", b"   ", b"\\#x", b"\\!y", b"**"],
        };
        return random.pick(odd).to_vec();
    }
    let mut rule = if random.chance(30) { b"!".to_vec() } else { Vec::new() };
    rule.extend(glob(random, dialect));
    if random.chance(8) {
        rule.extend(b"  ");
    }
    rule
}

fn glob(random: &mut Random, dialect: Dialect) -> Vec<u8> {
    let mut parts: Vec<Vec<u8>> = vec![part(random, dialect)];
    while random.chance(30) {
        parts.push(if random.chance(25) { b"**".to_vec() } else { part(random, dialect) });
    }
    let mut glob = parts.join(&b'/');
    match random.below(10) {
        0 => glob.insert(0, b'/'),
        1 => drop(glob.splice(0..0, *b"**/")),
        _ => {}
    }
    match random.below(12) {
        0 | 1 => glob.push(b'/'),
        2 => glob.extend(b"/*"),
        3 => glob.extend(b"/**"),
        _ => {}
    }
    glob
}

/// One component of a rule.
fn part(random: &mut Random, dialect: Dialect) -> Vec<u8> {
    if dialect == Dialect::Ripgrep {
        let globs =
            ["*", "*.log", "*.txt", "a*", "?", "[ab]", "[!a]*", "[a-c]b", "*.{log,txt}", "x?"];
        let from: &[&str] = if random.chance(60) { &PLAIN } else { &globs };
        return random.pick(from).as_bytes().to_vec();
    }
    let globs: [&[u8]; 24] = [
        b"*",
        b"*.log",
        b"a*",
        b"*b",
        b"?",
        b"??",
        b"[ab]",
        b"[!a]*",
        b"[^a]",
        b"[a-c]*",
        b"[c-a]",
        b"[[:alpha:]]",
        b"[[:digit:]x]*",
        b"x[-1]",
        b"[a",
        b"\\a",
        b"s\\*r",
        b"[\\]]",
        b"q\\?",
        b"*.*",
        b"a**",
        b"[]1]",
        b"\\[1\\]",
        b"{a,b}",
    ];
    let from: &[&[u8]] = if random.chance(55) { &NAMES } else { &globs };
    random.pick(from).to_vec()
}

fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if dir.is_empty() { name.to_vec() } else { [dir, b"/", name].concat() }
}
