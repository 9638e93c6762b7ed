//! Git itself as the oracle. `git ls-files --cached --others --exclude-standard` and the filter
//! list random trees with random rule files and names. For every entry, `git check-ignore` must
//! name the same file and line as the filter.

#![cfg(unix)]

mod support;

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use heist_filter::{Environment, Filter, FilterConfig, WorkerCache};
use support::{Random, cases, config, each_seed, git, is_git_missing, output, rule_files, walk};

/// Parts of rules, separated by `~`; `%` stands for the byte 0xff.
const PARTS: &str = "a~b~c~ab~A~*~*~**~**~/~/~/~?~[ab]~[!a]~[^b-c]~[[:alpha:]]~[[:upper:]~[a-~[]-a]~\
    [\\]]~[c-a]~[a-c-x]~\\a~\\*~\\~{a,b}~.~.c~ ~\\ ~\t~!~#~é~%~***~]~-~[/]~\\A~[A]~[!A]~[aB]~\
    [\\A]~[A-B]~[B-a]~[!A-B]~[[:upper:]]~[[:lower:]]~[![:upper:]]~B";

/// Names of entries, in the same form.
const NAMES: &str = "a~b~c~ab~abc~A~Ab~a.c~b.c~.c~a b~a ~*~[~{a,b}~!a~#a~\\a~%~é~a\t~bb~-";

fn pick(random: &mut Random, from: &str) -> Vec<u8> {
    let parts: Vec<&str> = from.split('~').collect();
    match random.pick(&parts) {
        "%" => vec![0xff],
        part => part.into(),
    }
}

/// How many trees share a repository: starting git takes far longer than its work.
const TREES: usize = 25;

fn rule(random: &mut Random) -> Vec<u8> {
    let mut rule = Vec::new();
    if random.one_in(5) {
        rule.extend(random.pick::<[u8]>(&[b"!", b"/", b"!/", b"\\!", b"#", b"\\#"]));
    }
    // Most rules must match something, so they begin with a name.
    if random.one_in(2) {
        rule.extend(pick(random, NAMES));
    }
    for _ in 0..random.below(5) {
        rule.extend(pick(random, PARTS));
    }
    if random.one_in(5) {
        rule.extend(random.pick::<[u8]>(&[b"/", b"/**", b" ", b"  ", b"\r", b"\\", b"\0x", b"/*"]));
    }
    without_letter_before_stars(rule)
}

/// Git before 2.52 reads `a**/b` otherwise than git since, if `**` is its first wildcard. All
/// versions read `[a]**/b` as the latter read `a**/b`.
fn without_letter_before_stars(mut rule: Vec<u8>) -> Vec<u8> {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
    let Some(first) = rule.iter().position(is_special) else { return rule };
    if first == 0 || !rule[first..].starts_with(b"**") || rule[..first] == *b"!" {
        return rule;
    }
    match rule[first - 1] {
        b'/' => {}
        b'!' | b'^' => rule.insert(first, b'/'),
        letter => drop(rule.splice(first - 1..first, [b'[', letter, b']'])),
    }
    rule
}

fn ignore_file(random: &mut Random) -> Vec<u8> {
    let mut file = Vec::new();
    if random.one_in(20) {
        file.extend(b"\xef\xbb\xbf");
    }
    for _ in 0..1 + random.below(4) {
        file.extend(rule(random));
        file.push(b'\n');
    }
    if random.one_in(4) {
        file.pop();
    }
    file
}

/// Fills a directory with random entries. Some directories become repositories of their own, which
/// are added to `nested`.
fn fill(random: &mut Random, directory: &Path, depth: usize, nested: &mut Vec<PathBuf>) {
    for _ in 0..2 + random.below(5) {
        let path = directory.join(OsStr::from_bytes(&pick(random, NAMES)));
        if depth < 3 && random.one_in(2) {
            if fs::create_dir(&path).is_ok() {
                fill(random, &path, depth + 1, nested);
                if random.one_in(1200) {
                    nested.push(path);
                }
            }
        } else if !path.exists() {
            fs::write(path, "").unwrap();
        }
    }
    if depth == 0 || random.one_in(3) {
        fs::write(directory.join(".gitignore"), ignore_file(random)).unwrap();
    }
}

/// Creates a repository without the files of `git init`'s template, and often with an exclude file,
/// or with `core.ignoreCase`.
fn repository(random: &mut Random, top: &Path) {
    fs::create_dir_all(top).unwrap();
    output(git(top).args(["init", "-q", "--template="]), b"");
    if random.one_in(2) {
        fs::create_dir(top.join(".git/info")).unwrap();
        fs::write(top.join(".git/info/exclude"), ignore_file(random)).unwrap();
    }
    if random.one_in(2) {
        let value = random.pick(&["true", "yes", "0x1", "010", "1k", "false", "0x0"]);
        output(git(top).args(["config", "core.ignoreCase", value]), b"");
    }
}

/// The paths that git lists in a repository; those of nested repositories end in a slash.
fn listed(top: &Path) -> Vec<Vec<u8>> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let mut listed: Vec<Vec<u8>> =
        output(git(top).args(args), b"").split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    listed.retain(|path| !path.is_empty());
    listed.sort();
    listed
}

/// For each path, the file and the line of the rule that decides according to git; line 0 if there
/// is none.
fn blamed(top: &Path, paths: &[Vec<u8>]) -> Vec<(String, u32)> {
    let args = ["check-ignore", "--no-index", "--stdin", "-vnz"];
    let input = paths.join(&0);
    let output = output(git(top).args(args), &input);
    let fields: Vec<&[u8]> = output.split(|&byte| byte == 0).collect();
    let source = |rule: &[&[u8]]| {
        let line = String::from_utf8_lossy(rule[1]).parse().unwrap_or(0);
        (String::from_utf8_lossy(rule[0]).into_owned(), line)
    };
    fields.as_chunks::<4>().0.iter().map(|rule| source(rule)).collect()
}

/// The file, relative to `top`, and the line of a rule that the filter has found; line 0 if there
/// is none, as in [`blamed`].
fn relative(rule: Option<&(PathBuf, u32)>, top: &Path) -> (String, u32) {
    let found = rule.and_then(|(file, line)| Some((file.strip_prefix(top).ok()?, *line)));
    found.map_or_else(Default::default, |(file, line)| (file.display().to_string(), line))
}

/// Compares what the filter and git find in a repository.
fn compare(top: &Path, nested: &[PathBuf], environment: &Environment, seed: u64) {
    let environment = environment.clone();
    let filter = Filter::new(FilterConfig { hidden: true, environment, ..config(top) }).unwrap();
    let mut cache = WorkerCache::default();
    let (mut files, mut entries, mut rules_found) = (Vec::new(), Vec::new(), Vec::new());
    let nested: Vec<&[u8]> = nested
        .iter()
        .filter_map(|path| path.strip_prefix(top).ok())
        .map(|path| path.as_os_str().as_bytes())
        .collect();
    walk(&filter, top, &mut cache, &mut |entry| {
        let is_inner =
            |top: &&[u8]| entry.path.strip_prefix(*top).is_some_and(|rest| rest.starts_with(b"/"));
        if entry.path.starts_with(b".git/") || entry.path == b".git" || nested.iter().any(is_inner)
        {
            return;
        }
        if entry.is_wanted && nested.contains(&entry.path) {
            files.push([entry.path, b"/"].concat());
        } else if entry.is_wanted && !entry.is_dir {
            files.push(entry.path.to_vec());
        }
        entries.push(entry.path.to_vec());
        rules_found.push(entry.rule.clone());
    });
    files.sort();
    assert_eq!(cache.problems, []);
    for ((path, rule), judged) in entries.iter().zip(&rules_found).zip(blamed(top, &entries)) {
        let ours = relative(rule.as_ref(), top);
        assert!(
            ours == judged,
            "seed {seed}, {}: git says {}, line {}, the filter says {rule:?}; with\n{}",
            path.escape_ascii(),
            judged.0,
            judged.1,
            rule_files(top)
        );
    }
    let listed = listed(top);
    assert!(files == listed, "seed {seed}: git finds\n{}not\n{}", show(&listed), show(&files));
}

fn show(paths: &[Vec<u8>]) -> String {
    paths.iter().map(|path| format!("  {}\n", path.escape_ascii())).collect()
}

#[test]
fn random_trees_are_read_as_git_reads_them() {
    if is_git_missing() {
        return;
    }
    each_seed(cases(500).div_ceil(TREES), |seed| {
        let mut random = Random::new(seed);
        let directory = tempfile::tempdir_in(skipped_tests::place()).unwrap();
        let top = fs::canonicalize(directory.path()).unwrap().join("top");
        repository(&mut random, &top);
        let mut nested = Vec::new();
        for tree in 0..TREES {
            let tree = top.join(format!("tree{tree}"));
            fs::create_dir(&tree).unwrap();
            fill(&mut random, &tree, 1, &mut nested);
        }
        // A repository within another one counts as two for the filter, as one for git.
        nested.sort();
        nested.dedup_by(|later, earlier| later.starts_with(earlier));
        for top in &nested {
            repository(&mut random, top);
            // Git lists a repository without a commit as a plain directory.
            let commit = ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q"];
            output(git(top).args(commit).args(["--allow-empty", "-m", "m"]), b"");
        }
        compare(&top, &nested, &Environment::default(), seed);
        for top in &nested {
            compare(top, &[], &Environment::default(), seed);
        }
    });
}
