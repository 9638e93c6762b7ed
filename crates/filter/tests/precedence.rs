//! Which of several matching rules decides, as trees and the files found in them.

#![cfg(unix)]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Barrier,
    thread,
};

use heist_filter::{Filter, FilterConfig, Glob, TypeTable, WorkerCache};
use support::{config, files, git, is_git_missing, output};

/// A directory with files. A path with a slash at the end creates a directory.
struct Tree {
    _directory: tempfile::TempDir,
    top: PathBuf,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Tree {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        for (path, contents) in files {
            let full = top.join(path);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            if path.ends_with('/') {
                fs::create_dir_all(full).unwrap();
            } else {
                fs::write(full, contents).unwrap();
            }
        }
        Tree { _directory: directory, top }
    }

    /// The files found below `root`, in one line. Rule files are hidden.
    fn found(&self, root: &str, adjust: impl FnOnce(&mut FilterConfig)) -> String {
        let mut config = config(&self.top);
        adjust(&mut config);
        let filter = Filter::new(config).unwrap();
        let root = if root.is_empty() { self.top.clone() } else { self.top.join(root) };
        let paths = files(&filter, &root, &mut WorkerCache::default());
        let paths: Vec<_> = paths.iter().map(|path| path.escape_ascii().to_string()).collect();
        paths.join(" ")
    }
}

fn globs(texts: &[&str]) -> Vec<Glob> {
    let glob = |text: &&str| Glob { text: (*text).to_owned(), ignore_case: false };
    texts.iter().map(glob).collect()
}

#[test]
fn the_kind_of_an_ignore_file_counts_before_its_depth() {
    let kinds = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"];
    for (strong, weak) in kinds.iter().zip(&kinds[1..]) {
        // The weaker file is in the deeper directory, and loses all the same.
        let deep = if weak.starts_with(".git/") { (*weak).to_owned() } else { format!("a/{weak}") };
        let tree = Tree::new(&[
            (".git/", ""),
            (strong, "x\n!y\n"),
            (&deep, "!x\ny\nz\n"),
            ("a/x", ""),
            ("a/y", ""),
            ("a/z", ""),
        ]);
        assert_eq!(tree.found("", |_| {}), "a/y", "{strong} {weak}");
    }
}

#[test]
fn deeper_files_and_later_lines_win_within_a_kind() {
    let tree = Tree::new(&[
        (".ignore", "x\nw\n!w\n"),
        ("a/.ignore", "!x\n"),
        ("a/x", ""),
        ("b/x", ""),
        ("b/w", ""),
    ]);
    assert_eq!(tree.found("", |_| {}), "a/x b/w");
}

#[test]
fn git_files_apply_only_in_a_repository_by_default() {
    let tree = Tree::new(&[(".gitignore", "x\n"), (".ignore", "y\n"), ("x", ""), ("y", "")]);
    assert_eq!(tree.found("", |_| {}), "x");
    assert_eq!(tree.found("", |config| config.require_git = false), "");
    fs::create_dir(tree.top.join(".jj")).unwrap();
    assert_eq!(tree.found("", |_| {}), "");
    assert_eq!(tree.found("", |config| config.vcs = false), "x");
    assert_eq!(tree.found("", |config| config.dot = false), "y");
}

#[test]
fn git_files_above_do_not_apply_in_a_nested_repository() {
    let tree = Tree::new(&[
        (".git/info/exclude", "e\n"),
        (".gitignore", "x\n"),
        (".ignore", "y\n"),
        ("in/.git", "gitdir: nowhere\n"),
        ("in/deep/x", ""),
        ("in/deep/e", ""),
        ("in/deep/y", ""),
        ("out/x", ""),
        ("out/e", ""),
    ]);
    assert_eq!(tree.found("", |_| {}), "in/deep/e in/deep/x");
    assert_eq!(tree.found("in/deep", |_| {}), "e x");
    // Without `require_git`, ripgrep ignores the bounds of repositories.
    assert_eq!(tree.found("", |config| config.require_git = false), "");
}

#[test]
fn directories_above_a_root_count_by_default() {
    let tree = Tree::new(&[
        (".git/info/exclude", "e\n"),
        (".gitignore", "/a/b/x\n/b/y\n"),
        ("a/.ignore", "b/i\n"),
        ("a/b/.gitignore", "g\n"),
        ("a/b/x", ""),
        ("a/b/y", ""),
        ("a/b/i", ""),
        ("a/b/e", ""),
        ("a/b/g", ""),
    ]);
    assert_eq!(tree.found("a/b", |_| {}), "y");
    // Git's files still apply, because the repository above counts.
    assert_eq!(tree.found("a/b", |config| config.parents = false), "e i x y");
}

#[test]
fn hidden_entries_need_a_whitelist_a_glob_or_a_type() {
    let tree = Tree::new(&[
        (".ignore", "!.kept\n!.dir/\n"),
        (".kept", ""),
        (".other", ""),
        (".dir/a", ""),
        (".x.json", ""),
    ]);
    assert_eq!(tree.found("", |_| {}), ".dir/a .kept");
    assert_eq!(tree.found("", |config| config.globs = globs(&[".o*"])), ".other");
    let mut table = TypeTable::new();
    table.select("json");
    assert_eq!(tree.found("", |config| config.types = table.selection().unwrap()), ".x.json");
}

#[test]
fn globs_beat_everything_and_types_beat_whitelists() {
    let tree = Tree::new(&[
        (".ignore", "*.c\nbuild/\n!keep.py\n"),
        ("a.c", ""),
        (".b.c", ""),
        ("keep.py", ""),
        ("build/c.c", ""),
    ]);
    assert_eq!(tree.found("", |config| config.globs = globs(&["*.c"])), ".b.c a.c");
    assert_eq!(tree.found("", |config| config.globs = globs(&["build/**"])), "");
    assert_eq!(tree.found("", |config| config.globs = globs(&["*.c", "!a.*"])), ".b.c");
    assert_eq!(tree.found("", |config| config.globs = globs(&["!keep.py"])), "");
    let mut table = TypeTable::new();
    table.select("c");
    assert_eq!(tree.found("", |config| config.types = table.selection().unwrap()), "");
}

#[test]
fn globs_are_seen_from_the_current_directory() {
    let tree = Tree::new(&[("a/b/x", ""), ("a/x", ""), ("b/x", "")]);
    let found = |cwd: &str, root: &str, glob: &str| {
        tree.found(root, |config| {
            config.cwd = tree.top.join(cwd);
            config.globs = globs(&[glob]);
        })
    };
    assert_eq!(found("", "a", "/a/x"), "x");
    assert_eq!(found("a", "a", "/x"), "x");
    assert_eq!(found("a", "a/b", "/x"), "");
    assert_eq!(found("a", "a/b", "/b/x"), "x");
    // With a root above the current directory, paths below that one are relative to it.
    assert_eq!(found("a", "", "/b/x"), "a/b/x");
    // With a root elsewhere, paths are matched as typed.
    assert_eq!(found("a", "b", "/x"), "");
    assert_eq!(found("a", "b", "**/b/x"), "x");
}

#[test]
fn globs_may_ignore_case_one_by_one() {
    let tree = Tree::new(&[("A.RS", ""), ("b.rs", ""), ("c.C", ""), ("Dir/e.c", "")]);
    let found = |texts: &[(&str, bool)]| {
        let glob =
            |&(text, ignore_case): &(&str, bool)| Glob { text: text.to_owned(), ignore_case };
        tree.found("", |config| config.globs = texts.iter().map(glob).collect())
    };
    assert_eq!(found(&[("*.rs", false)]), "b.rs");
    assert_eq!(found(&[("*.rs", true)]), "A.RS b.rs");
    assert_eq!(found(&[("*.c", false), ("*.Rs", true)]), "A.RS Dir/e.c b.rs");
    assert_eq!(found(&[("*.rs", true), ("!B*", true)]), "A.RS");
    assert_eq!(found(&[("dIR/[D-F].C", true)]), "Dir/e.c");
}

#[test]
fn ignore_rules_may_ignore_case() {
    let tree = Tree::new(&[
        (".ignore", "Foo\n*.Rs\n/D/[A-F]\n{Q,r}x\n"),
        ("fOO", ""),
        ("a.rS", ""),
        ("d/E", ""),
        ("qX", ""),
        ("z", ""),
    ]);
    assert_eq!(tree.found("", |config| config.ignore_case = true), "z");
    assert_eq!(tree.found("", |_| {}), "a.rS d/E fOO qX z");
}

#[test]
fn named_ignore_files_are_weakest_and_seen_from_the_current_directory() {
    let tree = Tree::new(&[
        ("first", "x\ny\n/a/z\n"),
        ("second", "!y\n"),
        ("a/.ignore", "!x\n"),
        ("a/x", ""),
        ("a/y", ""),
        ("a/z", ""),
        ("b/x", ""),
    ]);
    let name =
        |config: &mut FilterConfig| config.ignore_files = vec!["first".into(), "second".into()];
    assert_eq!(tree.found("a", name), "x y");
    assert_eq!(tree.found("b", name), "");
}

#[test]
fn a_malformed_line_is_reported_and_the_others_apply() {
    let tree = Tree::new(&[(".ignore", "{a\nx\n"), ("extra", "a\\\ny\n"), ("x", ""), ("z", "")]);
    let mut config = config(&tree.top);
    config.ignore_files = vec!["extra".into(), "missing".into()];
    let filter = Filter::new(config).unwrap();
    let mut cache = WorkerCache::default();
    assert_eq!(files(&filter, &tree.top, &mut cache), [&b"extra"[..], b"z"]);
    let reported = |problems: &[heist_filter::Problem]| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let reason = "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)";
    let line = format!("/.ignore: line 1: error parsing glob '{{a': {reason}");
    assert_eq!(reported(&cache.problems), [tree.top.display().to_string() + &line]);
    assert_eq!(
        reported(filter.problems()),
        [
            "extra: line 1: error parsing glob 'a\\': dangling '\\'",
            "missing: No such file or directory (os error 2)"
        ]
    );
}

/// Two workers with roots in one directory read the rule files above at the same time.
#[test]
fn a_problem_above_several_roots_is_reported_once() {
    let tree = Tree::new(&[(".ignore", "{a\n"), ("a/b/x", "")]);
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
fn a_malformed_glob_is_an_error() {
    let cases = [
        ("[a", "error parsing glob '[a': unclosed character class; missing ']'"),
        (
            "!{a ",
            "error parsing glob '!{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        ),
        ("[z-a]", "error parsing glob '[z-a]': invalid range; 'z' > 'a'"),
    ];
    for (text, message) in cases {
        let error =
            Filter::new(FilterConfig { globs: globs(&["ok", text]), ..FilterConfig::default() });
        assert_eq!(error.err().map(|error| error.to_string()).as_deref(), Some(message));
    }
}

#[test]
fn everything_is_wanted_only_if_nothing_can_rule_it_out() {
    let all = FilterConfig { hidden: true, ..FilterConfig::default() };
    let wants_everything = |config: FilterConfig| Filter::new(config).unwrap().wants_everything();
    assert!(wants_everything(all.clone()));
    assert!(wants_everything(FilterConfig { globs: globs(&["", "# no glob"]), ..all.clone() }));
    assert!(!wants_everything(FilterConfig { hidden: false, ..all.clone() }));
    assert!(!wants_everything(FilterConfig { dot: true, ..all.clone() }));
    assert!(!wants_everything(FilterConfig { vcs: true, ..all.clone() }));
    assert!(!wants_everything(FilterConfig { globs: globs(&["/"]), ..all.clone() }));
    assert!(!wants_everything(FilterConfig { globs: globs(&["!a"]), ..all.clone() }));
    let mut table = TypeTable::new();
    table.negate("rust");
    assert!(!wants_everything(FilterConfig { types: table.selection().unwrap(), ..all }));
}

#[test]
fn verdicts_name_the_rule() {
    let tree =
        Tree::new(&[(".git/", ""), (".gitignore", "# first\n/x*\n!xy\n"), ("a/.ignore", "q/\n")]);
    let mut table = TypeTable::new();
    table.negate("json");
    let config = FilterConfig {
        globs: globs(&["!*.o"]),
        types: table.selection().unwrap(),
        ..config(&tree.top)
    };
    let filter = Filter::new(config).unwrap();
    let mut cache = WorkerCache::default();
    let scope = filter.root(&tree.top.join("a"), &mut cache);
    let mut found = heist_filter::RuleFilesPresent::default();
    found.note(b".ignore");
    let a = tree.top.join("a");
    let scope = filter.enter(&scope, b"", found, &mut support::Files(&a), &mut cache);
    let mut directory = filter.directory(&scope, b"", &mut cache);
    let (a, top) = (a.display().to_string(), tree.top.display().to_string());
    let cases = [
        ("q", true, format!("ignored by {a}/.ignore:1: q/")),
        ("q", false, "included: no rule matches".to_owned()),
        ("b.o", false, "ignored by glob '!*.o'".to_owned()),
        ("b.json", false, "ignored by type json: *.json".to_owned()),
        (".h", false, "ignored: hidden".to_owned()),
        ("xy", false, format!("included by {top}/.gitignore:3: !xy")),
    ];
    for (name, is_dir, expected) in cases {
        assert_eq!(directory.verdict(name.as_bytes(), is_dir).to_string(), expected, "{name}");
    }
    drop(directory);
    let scope = filter.root(&tree.top, &mut cache);
    let mut found = heist_filter::RuleFilesPresent::default();
    found.note(b".gitignore");
    found.note(b".git");
    let scope = filter.enter(&scope, b"", found, &mut support::Files(&tree.top), &mut cache);
    let mut directory = filter.directory(&scope, b"", &mut cache);
    let expected = format!("ignored by {top}/.gitignore:2: /x*");
    assert_eq!(directory.verdict(b"xx", false).to_string(), expected);
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

/// Global excludes are relative to the top of the repository, as in git.
#[test]
fn global_excludes_and_worktrees_are_read_as_git_reads_them() {
    if is_git_missing() {
        return;
    }
    let tree = Tree::new(&[
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

/// A root may be deeper than the longest path: as the current directory it can be opened all the
/// same.
#[test]
fn above_a_root_rules_are_looked_for_as_far_as_paths_reach() {
    let tree = Tree::new(&[(".ignore", "x\n/deep/**/y/z\n")]);
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
