//! The walk of the facade: which entries it yields, as an iterator and to a closure.

use std::{
    fs,
    path::{MAIN_SEPARATOR, Path},
    process::Command,
    sync::Mutex,
    time::{Duration, SystemTime},
};

use heist::{CancelToken, FileTime, FileType, SkipKind, Walk};
use tempfile::TempDir;

fn tree() -> TempDir {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for path in ["a/b/deep.rs", "a/x.txt", "z.rs", ".hidden", "skip/x.rs"] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text").unwrap();
    }
    fs::write(dir.path().join(".ignore"), "skip/\n").unwrap();
    dir
}

/// `path` below `dir`, with slashes.
fn below(dir: &TempDir, path: &Path) -> String {
    let path = path.strip_prefix(dir.path()).unwrap().display().to_string();
    path.replace(MAIN_SEPARATOR, "/")
}

/// The paths that `walk` yields, below `dir`.
fn listed(walk: Walk, dir: &TempDir) -> Vec<String> {
    walk.into_iter().map(|entry| below(dir, &entry.unwrap().path())).collect()
}

#[test]
fn the_iterator_yields_what_rules_and_options_leave() {
    let dir = tree();
    let walk = || Walk::new(dir.path()).sorted();
    assert_eq!(listed(walk(), &dir), ["a/b/deep.rs", "a/x.txt", "z.rs"]);
    assert_eq!(listed(walk().glob("*.rs"), &dir), ["a/b/deep.rs", "z.rs"]);
    assert_eq!(listed(walk().glob("!a"), &dir), ["z.rs"]);
    assert_eq!(listed(walk().file_type("rust"), &dir), ["a/b/deep.rs", "z.rs"]);
    assert_eq!(listed(walk().without_file_type("rust"), &dir), ["a/x.txt"]);
    assert_eq!(listed(walk().max_depth(1), &dir), ["z.rs"]);
    assert_eq!(listed(walk().hidden(true).max_depth(1), &dir), [".hidden", ".ignore", "z.rs"]);
    assert_eq!(listed(walk().ignore_files(false).glob("x.*"), &dir), ["a/x.txt", "skip/x.rs"]);
    assert_eq!(listed(walk().everything(), &dir).len(), 6);
    assert_eq!(listed(walk().max_file_size(3), &dir), [""; 0]);
}

#[test]
fn an_unsorted_iterator_yields_the_same_and_may_be_dropped() {
    let dir = tree();
    let mut unsorted = listed(Walk::new(dir.path()).threads(3), &dir);
    unsorted.sort();
    assert_eq!(unsorted, listed(Walk::new(dir.path()).sorted(), &dir));
    assert!(Walk::new(dir.path()).into_iter().next().is_some());
}

#[test]
fn directories_come_before_their_entries() {
    let dir = tree();
    let seen = Mutex::new(Vec::new());
    let walk = Walk::new(dir.path()).directories(true).sorted();
    let summary = walk.run(|entry| {
        let path = below(&dir, &entry.path());
        seen.lock().unwrap().push((entry.depth(), entry.file_type(), path));
    });
    let seen = seen.into_inner().unwrap();
    let expected = [
        (0, FileType::Dir, ""),
        (1, FileType::Dir, "a"),
        (2, FileType::Dir, "a/b"),
        (3, FileType::File, "a/b/deep.rs"),
        (2, FileType::File, "a/x.txt"),
        (1, FileType::File, "z.rs"),
    ];
    let expected = expected.map(|(depth, file_type, path)| (depth, file_type, path.to_string()));
    assert_eq!(seen, expected);
    assert_eq!(summary.unwrap().entries, 6);
}

#[test]
fn a_missing_root_is_an_error_of_its_own() {
    let dir = tree();
    let walk = || Walk::new(dir.path().join("none")).root(dir.path());
    for walk in [walk(), walk().sorted()] {
        let items: Vec<_> = walk.into_iter().collect();
        assert_eq!(items.iter().filter(|item| item.is_err()).count(), 1);
        assert_eq!(items.iter().filter(|item| item.is_ok()).count(), 3);
    }
    let below_a_file = dir.path().join("z.rs").join("x");
    let walk = || Walk::new(&below_a_file).root(dir.path().join("z.rs"));
    for walk in [walk(), walk().sorted(), walk().directories(true)] {
        let summary = walk.clone().run(|_| ()).unwrap();
        assert_eq!(summary.entries, 1);
        let paths: Vec<_> = summary.errors.iter().map(|error| error.path()).collect();
        assert_eq!(paths, [Some(&*below_a_file)]);
        assert_eq!(walk.into_iter().filter(Result::is_err).count(), 1);
    }
    let token = CancelToken::new();
    token.cancel();
    assert_eq!(Walk::new(dir.path()).cancel(&token).into_iter().count(), 0);
}

#[test]
fn only_and_exclude_add_nothing() {
    let dir = tree();
    let walk = || Walk::new(dir.path()).sorted();
    assert_eq!(listed(walk().only("*.rs"), &dir), ["a/b/deep.rs", "z.rs"]);
    assert_eq!(listed(walk().only("*.rs").only("*.txt"), &dir).len(), 3);
    assert_eq!(listed(walk().only("a"), &dir), ["a/b/deep.rs", "a/x.txt"]);
    assert_eq!(listed(walk().exclude("b").exclude("*.txt"), &dir), ["z.rs"]);
    assert_eq!(listed(walk().only("*.rs").exclude("a"), &dir), ["z.rs"]);
    // Neither ignored files nor hidden ones are added, whatever the order of the calls.
    assert!(listed(walk().only("skip/*"), &dir).is_empty());
    assert!(listed(walk().only(".hidden"), &dir).is_empty());
    assert_eq!(listed(walk().only("skip").ignore_files(false), &dir), ["skip/x.rs"]);
    assert_eq!(listed(walk().ignore_files(false).exclude("a"), &dir), ["skip/x.rs", "z.rs"]);
    assert_eq!(listed(walk().glob("*.rs").exclude("b"), &dir), ["z.rs"]);
}

#[test]
fn a_tree_without_files_sees_a_cancellation() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
    let token = CancelToken::new();
    token.cancel();
    let summary = Walk::new(dir.path()).cancel(&token).run(|_| ()).unwrap();
    assert!(!summary.is_complete);
    let search = heist::Search::new("x").unwrap().root(dir.path()).cancel(&token);
    assert!(!search.run(|_| ()).unwrap().is_complete);
    let summary = Walk::new(dir.path()).run(|_| ()).unwrap();
    assert!(summary.is_complete && summary.entries == 0);
}

/// Sets when the file at `path` was modified: so many seconds after the epoch.
fn set_modified(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

#[test]
fn times_select_and_sort() {
    let dir = tree();
    for (path, seconds) in [("a/b/deep.rs", 2000), ("a/x.txt", 1000), ("z.rs", 2000)] {
        set_modified(&dir.path().join(path), seconds);
    }
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let walk = || Walk::new(dir.path()).sorted();
    assert_eq!(listed(walk().newer(at(1001)), &dir), ["a/b/deep.rs", "z.rs"]);
    assert_eq!(listed(walk().newer(at(2000)), &dir), ["a/b/deep.rs", "z.rs"]);
    assert_eq!(listed(walk().older(at(2000)), &dir), ["a/x.txt"]);
    assert_eq!(listed(walk().newer(at(1000)).older(at(1001)), &dir), ["a/x.txt"]);
    for threads in [1, 3] {
        let walk = || Walk::new(dir.path()).threads(threads);
        let by_time = walk().sorted_by_time(FileTime::Modified);
        assert_eq!(listed(by_time.clone(), &dir), ["a/x.txt", "a/b/deep.rs", "z.rs"]);
        assert_eq!(listed(by_time.reversed(), &dir), ["z.rs", "a/b/deep.rs", "a/x.txt"]);
        assert_eq!(listed(walk().reversed(), &dir), ["z.rs", "a/x.txt", "a/b/deep.rs"]);
    }
}

#[test]
fn dotfiles_are_hidden_files_but_those_of_version_control() {
    let dir = tree();
    fs::create_dir_all(dir.path().join(".git")).unwrap();
    fs::write(dir.path().join(".git/config"), "").unwrap();
    let walk = || Walk::new(dir.path()).max_depth(2).sorted();
    assert_eq!(listed(walk().dotfiles(), &dir), [".hidden", ".ignore", "a/x.txt", "z.rs"]);
    assert_eq!(listed(walk().dotfiles().hidden(false), &dir), ["a/x.txt", "z.rs"]);
    assert!(listed(walk().dotfiles().hidden(true), &dir).contains(&".git/config".to_string()));
    let without_rules = listed(walk().dotfiles().ignore_files(false), &dir);
    assert_eq!(without_rules, [".hidden", ".ignore", "a/x.txt", "skip/x.rs", "z.rs"]);
}

#[test]
fn tracked_files_are_those_of_the_index() {
    let dir = tree();
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(dir.path()).output();
    if git(&["init", "-q"]).is_err() {
        skipped_tests::skip("git is not installed");
        return;
    }
    fs::write(dir.path().join(".gitignore"), "*.txt\n").unwrap();
    assert!(git(&["add", "-f", "a/x.txt", ".hidden"]).unwrap().status.success());
    let walk = || Walk::new(dir.path()).sorted();
    assert_eq!(listed(walk(), &dir), ["a/b/deep.rs", "z.rs"]);
    assert_eq!(listed(walk().tracked(), &dir), [".hidden", "a/x.txt"]);
    let both = [".hidden", "a/b/deep.rs", "a/x.txt", "z.rs"];
    assert_eq!(listed(walk().tracked_or_unignored(), &dir), both);
}

#[test]
fn each_thread_has_a_state_of_its_own() {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for index in 0..100 {
        let path = dir.path().join(format!("{}/{}", index % 10, index));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let walk = || Walk::new(dir.path()).threads(4);
    for walk in [walk(), walk().sorted(), walk().directories(true)] {
        let (states, summary) = walk
            .run_with_state(Vec::new, |files: &mut Vec<_>, entry| {
                if entry.file_type() == FileType::File {
                    files.push(below(&dir, &entry.path()));
                }
            })
            .unwrap();
        assert!((1..=4).contains(&states.len()), "{} states", states.len());
        let mut files: Vec<_> = states.concat();
        files.sort();
        files.dedup();
        assert_eq!(files.len(), 100);
        assert!(summary.is_complete && summary.entries >= 100);
    }
}

#[test]
fn other_worktrees_and_submodules_are_left_out_on_request() {
    let dir = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for (path, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/worktrees/fix/commondir", "../..\n"),
        (".git/modules/lib/HEAD", "ref: refs/heads/main\n"),
        (".claude/fix/.git", "gitdir: ../../.git/worktrees/fix\n"),
        (".claude/fix/a", ""),
        ("lib/.git", "gitdir: ../.git/modules/lib\n"),
        ("lib/b", ""),
        ("a", ""),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let walk = || Walk::new(dir.path()).dotfiles().sorted();
    assert_eq!(listed(walk(), &dir), [".claude/fix/a", "a", "lib/b"]);
    assert_eq!(listed(walk().worktrees(false), &dir), ["a", "lib/b"]);
    assert_eq!(listed(walk().submodules(false), &dir), [".claude/fix/a", "a"]);
    let neither = walk().worktrees(false).submodules(false).directories(true);
    assert_eq!(listed(neither.clone(), &dir), ["", ".claude", "a"]);
    let kinds: Vec<_> = neither
        .name_skipped(9)
        .run(|_| {})
        .unwrap()
        .skipped
        .entries
        .into_iter()
        .filter(|entry| !entry.path.ends_with(".git"))
        .map(|entry| (below(&dir, &entry.path), entry.kind))
        .collect();
    let expected = [
        (".claude/fix".to_owned(), SkipKind::OtherWorktree),
        ("lib".to_owned(), SkipKind::Submodule),
    ];
    assert_eq!(kinds, expected);
}
