//! The crate `ignore`, which ripgrep uses, as the oracle: random trees with every kind of rule
//! file, searched with random flags.
//!
//! `.ignore`, `.rgignore`, `--ignore-file` and `-g` get any pattern. Git's rule files get only
//! patterns on which git and ripgrep agree; `git.rs` tests the others.

#![cfg(unix)]

mod support;

use std::{
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use heist_filter::{Filter, FilterConfig, Glob, TypeTable, WorkerCache};
use ignore::{WalkBuilder, overrides::OverrideBuilder, types::TypesBuilder};
use support::{Random, cases, config, each_seed, files, fill, rule_files};

const NAMES: [&str; 16] = [
    "a", "b", "c", "ab", "A", "a.c", "b.rs", ".c", ".d", "a b", "c.d.rs", "{a", "[", "é",
    "Makefile", "x.json",
];

const PLAIN: [&str; 14] =
    ["a", "b", "c", "*", "*", "/", "/", "**/", "/**", ".c", ".rs", "[ab]", "?", "é"];

/// Patterns that only ripgrep's dialect reads so, separated by `~`.
const ODD: &str = "{a,b}~{a*,c}~{a,{b,c}}~**~***~[!a]~[^b]~[a-c]~[c-a]~[]a]~[[:alpha:]]~[\\]]~\
    \\a~\\*~\\~[~]~{~}~,~[+-9]~[é]~\\/";

fn odd() -> Vec<&'static str> {
    ODD.split('~').collect()
}

fn pattern(random: &mut Random, parts: &[&[&str]]) -> String {
    let mut pattern = String::new();
    if random.one_in(4) {
        pattern += random.pick(&["!", "/", "!/"]);
    }
    if random.one_in(2) {
        pattern += random.pick(&NAMES[..12]);
    }
    for _ in 0..random.below(4) {
        let from = parts[random.below(parts.len())];
        pattern += random.pick(from);
    }
    if random.one_in(6) {
        pattern += "/";
    }
    pattern
}

fn ignore_file(random: &mut Random, parts: &[&[&str]]) -> String {
    (0..1 + random.below(3)).map(|_| pattern(random, parts) + "\n").collect()
}

/// Patterns that git and ripgrep read alike: no special syntax, no double slash, no `**` after a
/// letter.
fn common_ignore_file(random: &mut Random) -> String {
    let is_common = |line: &str| {
        let rest = line.trim_start_matches(['!', '/']);
        !line.contains("//")
            && !line.contains("***")
            && !rest.is_empty()
            && rest.match_indices("**").all(|(at, _)| at == 0 || rest[..at].ends_with('/'))
            && !line.contains(['{', '[', '#', '\\'])
    };
    ignore_file(random, &[&PLAIN])
        .lines()
        .filter(|line| is_common(line))
        .map(|line| line.to_owned() + "\n")
        .collect()
}

/// Writes random rule files into a directory, and what makes one a repository.
fn add_rules(random: &mut Random, directory: &Path, _depth: usize) {
    if random.one_in(4) {
        fs::write(directory.join(".gitignore"), common_ignore_file(random)).unwrap();
    }
    for name in [".ignore", ".rgignore"] {
        if random.one_in(5) {
            fs::write(directory.join(name), ignore_file(random, &[&PLAIN, &odd()])).unwrap();
        }
    }
    if random.one_in(8) {
        fs::create_dir_all(directory.join(".git/info")).unwrap();
        fs::write(directory.join(".git/info/exclude"), common_ignore_file(random)).unwrap();
    } else if random.one_in(30) {
        fs::create_dir_all(directory.join(".jj")).unwrap();
    }
}

/// One search: the same flags for both.
#[derive(Debug)]
struct Search {
    config: FilterConfig,
    /// Types to add, select and negate, as `--type-add`, `-t` and `-T` give them.
    types: Vec<(char, &'static str)>,
    root: PathBuf,
}

impl Search {
    fn random(random: &mut Random, top: &Path, directories: &[PathBuf]) -> Search {
        let cwd =
            if random.one_in(3) { &directories[random.below(directories.len())] } else { top };
        let root =
            if random.one_in(2) { &directories[random.below(directories.len())] } else { top };
        let mut config = config(cwd);
        config.hidden = random.one_in(3);
        config.dot = !random.one_in(4);
        config.vcs = !random.one_in(4);
        config.exclude = !random.one_in(4);
        config.parents = !random.one_in(4);
        config.require_git = !random.one_in(3);
        config.global = false;
        if random.one_in(4) {
            config.ignore_case = true;
        } else if random.one_in(3) {
            for name in ["first-ignore", "second-ignore"] {
                let path = top.with_file_name(name);
                fs::write(&path, ignore_file(random, &[&PLAIN, &odd()])).unwrap();
                config.ignore_files.push(path);
            }
        }
        if random.one_in(2) {
            let is_good = |text: &String| OverrideBuilder::new("").add(text).is_ok();
            let globs = (0..4).map(|_| pattern(random, &[&PLAIN, &odd()])).filter(is_good);
            config.globs = globs.map(|text| Glob { text, ignore_case: false }).collect();
        }
        if cwd.starts_with(root) && cwd != root {
            // Ripgrep treats the path of the current directory itself as empty.
            config.globs.clear();
            config.ignore_files.clear();
        }
        let mut types = Vec::new();
        if random.one_in(3) {
            types = (0..1 + random.below(3))
                .map(|_| {
                    let add = ["q:*b*", "q:a", "q:include:rust,make", "rust:*.d"];
                    match random.below(3) {
                        0 => ('+', random.pick(&add)),
                        1 => ('t', random.pick(&["rust", "c", "make", "json", "all"])),
                        _ => ('T', random.pick(&["rust", "c", "make", "json", "all"])),
                    }
                })
                .collect();
        }
        Search { config, types, root: root.to_path_buf() }
    }

    fn ours(&self) -> Vec<Vec<u8>> {
        let mut table = TypeTable::new();
        for &(what, text) in &self.types {
            match what {
                '+' => table.add(text).unwrap(),
                't' => table.select(text),
                _ => table.negate(text),
            }
        }
        let types = table.selection().unwrap();
        let filter = Filter::new(FilterConfig { types, ..self.config.clone() }).unwrap();
        files(&filter, &self.root, &mut WorkerCache::default())
    }

    fn theirs(&self) -> Vec<Vec<u8>> {
        let config = &self.config;
        let mut builder = WalkBuilder::new(&self.root);
        let mut overrides = OverrideBuilder::new(&config.cwd);
        for glob in &config.globs {
            overrides.add(&glob.text).unwrap();
        }
        let mut types = TypesBuilder::new();
        types.add_defaults();
        for &(what, text) in &self.types {
            match what {
                '+' => types.add_def(text).unwrap(),
                't' => drop(types.select(text)),
                _ => drop(types.negate(text)),
            }
        }
        builder
            .current_dir(&config.cwd)
            .hidden(!config.hidden)
            .parents(config.parents)
            .ignore(config.dot)
            .git_global(false)
            .git_ignore(config.vcs)
            .git_exclude(config.vcs && config.exclude)
            .require_git(config.require_git)
            .ignore_case_insensitive(config.ignore_case)
            .overrides(overrides.build().unwrap())
            .types(types.build().unwrap());
        if config.dot {
            builder.add_custom_ignore_filename(".rgignore");
        }
        for path in &config.ignore_files {
            // Errors in single lines do not matter here.
            drop(builder.add_ignore(path));
        }
        let mut found: Vec<Vec<u8>> = builder
            .build()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .map(|entry| relative(entry.path(), &self.root))
            .collect();
        found.sort();
        found
    }
}

fn relative(path: &Path, root: &Path) -> Vec<u8> {
    path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec()
}

fn directories(top: &Path, found: &mut Vec<PathBuf>) {
    found.push(top.to_owned());
    for entry in fs::read_dir(top).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() && !entry.file_name().as_bytes().starts_with(b".") {
            directories(&entry.path(), found);
        }
    }
}

fn is_in_git_dir(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').any(|name| name == b".git")
}

/// The paths that only the first list contains.
fn show(paths: &[Vec<u8>], others: &[Vec<u8>]) -> String {
    let alone = paths.iter().filter(|path| !others.contains(path));
    alone.map(|path| format!("  {}\n", path.escape_ascii())).collect()
}

#[test]
fn random_searches_find_what_ripgrep_finds() {
    each_seed(cases(200), |seed| {
        let mut random = Random::new(seed);
        let directory = tempfile::tempdir_in(skipped_tests::place()).unwrap();
        let top = fs::canonicalize(directory.path()).unwrap().join("top");
        fs::create_dir(&top).unwrap();
        fill(&mut random, &top, &NAMES, 2..7, &mut add_rules);
        let mut all = Vec::new();
        directories(&top, &mut all);
        all.sort();
        for _ in 0..4 {
            let search = Search::random(&mut random, &top, &all);
            let (ours, mut theirs) = (search.ours(), search.theirs());
            if search.config.vcs && !search.config.hidden {
                // For ripgrep, rules of git's files re-include `.git`; `git_dir.rs` tests that.
                theirs.retain(|path| !is_in_git_dir(path) || ours.contains(path));
            }
            assert!(
                ours == theirs,
                "seed {seed}: {search:#?}\nonly the filter finds\n{}only ripgrep finds\n{}with\n{}",
                show(&ours, &theirs),
                show(&theirs, &ours),
                rule_files(directory.path())
            );
        }
    });
}
