//! Rules above roots, in deep trees and of git's own configuration, which the command lines of
//! `trees.rs` do not show.

#![cfg(unix)]

mod support;

use std::{fs, path::Path, sync::Barrier, thread};

use heist_filter::{Filter, FilterConfig, Glob, TypeTable, WorkerCache};
use support::{Tree, config, files, git, is_git_missing, output};

#[test]
fn a_problem_above_several_roots_is_reported_once() {
    let tree = Tree::of(&[(".ignore", "{a\n"), ("a/b/x", "")]);
    for _ in 0..2000 {
        let filter = Filter::new(config(&tree.top)).unwrap();
        let begin = Barrier::new(2);
        let look = || {
            let mut cache = WorkerCache::default();
            begin.wait();
            filter.root(&tree.top.join("a/b"), &mut cache);
            cache.problems.len()
        };
        let reported = thread::scope(|scope| {
            let other = scope.spawn(look);
            look() + other.join().unwrap()
        });
        assert_eq!(reported, 1);
    }
}

#[test]
fn everything_is_wanted_only_if_nothing_can_rule_it_out() {
    let globs = |texts: &[&str]| -> Vec<Glob> {
        texts.iter().map(|text| Glob { text: (*text).into(), ignore_case: false }).collect()
    };
    let all = FilterConfig { hidden: true, ..FilterConfig::default() };
    let wants_everything = |config: FilterConfig| Filter::new(config).unwrap().wants_everything();
    assert!(wants_everything(all.clone()));
    assert!(wants_everything(FilterConfig {
        globs: globs(&["", "# no glob", "!", "/"]),
        ..all.clone()
    }));
    assert!(!wants_everything(FilterConfig { hidden: false, ..all.clone() }));
    assert!(!wants_everything(FilterConfig { dot: true, ..all.clone() }));
    assert!(!wants_everything(FilterConfig { vcs: true, ..all.clone() }));
    assert!(!wants_everything(FilterConfig { globs: globs(&["//"]), ..all.clone() }));
    assert!(!wants_everything(FilterConfig { globs: globs(&["!a"]), ..all.clone() }));
    let mut table = TypeTable::new();
    table.negate("rust");
    assert!(!wants_everything(FilterConfig { types: table.selection().unwrap(), ..all }));
}

#[test]
fn many_levels_of_rules_neither_overflow_the_stack_nor_get_lost() {
    let filter = Filter::new(config(Path::new("/"))).unwrap();
    let mut cache = WorkerCache::default();
    struct Same;
    impl heist_filter::ReadFile for Same {
        fn read(&mut self, _: &std::ffi::CStr, into: &mut Vec<u8>) -> std::io::Result<()> {
            *into = b"x\n".to_vec();
            Ok(())
        }
    }
    let mut found = heist_filter::RuleFilesPresent::default();
    found.note(b".ignore");
    let mut scope = filter.root(Path::new("/"), &mut cache);
    let mut path = Vec::new();
    for _ in 0..100_000 {
        scope = filter.enter(&scope, &path, found, &mut Same, &mut cache);
        path.extend(if path.is_empty() { &b"d"[..] } else { b"/d" });
    }
    assert!(!filter.directory(&scope, &path, &mut cache).is_wanted(b"x", false));
    drop(scope);
}

#[test]
fn global_excludes_and_worktrees_are_read_as_git_reads_them() {
    if is_git_missing() {
        return;
    }
    let tree = Tree::of(&[
        ("home/.gitconfig", "[core]\n\texcludesFile = ~/global\n"),
        ("home/global", "/top\ndeep/x\n*.swp\n"),
        ("repo/top", ""),
        ("repo/deep/top", ""),
        ("repo/deep/x", ""),
        ("repo/deep/a.swp", ""),
        ("repo/deep/e", ""),
    ]);
    let (home, repo) = (tree.top.join("home"), tree.top.join("repo"));
    output(git(&repo).args(["init", "-q"]), b"");
    let identity = ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"];
    output(git(&repo).args(identity).arg("--allow-empty"), b"");
    output(git(&repo).args(["worktree", "add", "-q", "../work"]), b"");
    fs::write(repo.join(".git/info/exclude"), "e\n").unwrap();
    let work = tree.top.join("work");
    for file in ["top", "e", "deep"] {
        fs::write(work.join(file), "").unwrap();
    }
    for (root, part) in [(&repo, ""), (&repo, "deep"), (&work, "")] {
        let root = root.join(part);
        let listed = output(
            git(&root).env("HOME", &home).env_remove("GIT_CONFIG_GLOBAL").args([
                "ls-files",
                "-co",
                "--exclude-standard",
            ]),
            b"",
        );
        let mut config = config(&tree.top);
        config.environment.home = Some(home.clone());
        let filter = Filter::new(config).unwrap();
        let ours = files(&filter, &root, &mut WorkerCache::default());
        let ours: Vec<u8> = ours.iter().flat_map(|path| [&path[..], b"\n"].concat()).collect();
        assert_eq!(ours.escape_ascii().to_string(), listed.escape_ascii().to_string());
    }
}

#[test]
fn above_a_root_rules_are_looked_for_as_far_as_paths_reach() {
    let tree = Tree::of(&[(".ignore", "x\n/deep/**/y/z\n")]);
    let mut made = tree.top.join("deep");
    while made.as_os_str().len() < 4070 {
        let rest = 4080 - made.as_os_str().len();
        made.push("n".repeat(rest.min(200)));
    }
    fs::create_dir_all(&made).unwrap();
    // The paths below do not exist, or are too long.
    for levels in [0, 1, 2, 20_000] {
        let cwd = made.join("d/".repeat(levels));
        let filter = Filter::new(config(&cwd)).unwrap();
        let mut cache = WorkerCache::default();
        for root in ["", "a", "b/../c", "../y"] {
            let scope = filter.root(Path::new(root), &mut cache);
            let mut directory = filter.directory(&scope, b"", &mut cache);
            assert!(!directory.is_wanted(b"x", false), "{levels} {root:?}");
            assert!(directory.is_wanted(b"d", false), "{levels} {root:?}");
            assert_eq!(directory.is_wanted(b"z", false), root != "../y", "{levels} {root:?}");
        }
        let problems: Vec<_> = cache.problems.iter().map(|problem| &problem.message).collect();
        assert!(problems.len() < 2, "{levels} {problems:?}");
        assert!(problems.iter().all(|text| text.contains("too long")), "{levels} {problems:?}");
    }
}
