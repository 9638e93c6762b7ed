//! Worktrees and submodules at random places in one another, against `git ls-files`, which looks
//! into none of them.

use std::{collections::BTreeSet, fs};

use crate::harness::{
    Hs, TempTree, git, has_git, nul_paths, process,
    random::{Choose, Rng, env_number},
};

/// Where worktrees and submodules are added, below the top of the repository or of a worktree.
const PLACES: [&str; 8] =
    [".claude/worktrees/", "wt/", "", "a/", "a/b/", ".hid/", "../beside-", "a/b/c/"];

/// A tree of worktrees.
struct Forest<'t> {
    tree: &'t TempTree,
    /// The main worktree and the linked ones, from the tree.
    tops: Vec<String>,
}

impl Forest<'_> {
    /// Runs git; returns whether it succeeded, and its output.
    fn git(&self, top: &str, args: &[&str]) -> (bool, Vec<u8>) {
        let outcome = process::run(git(self.tree, top).args(args), None);
        (outcome.status.success(), outcome.stdout)
    }

    /// Makes a repository with some files.
    fn init(&self, top: &str, files: &[&str]) {
        for file in files {
            let path = self.tree.join(top).join(file);
            fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
            fs::write(path, "gem\n").expect("a file");
        }
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "x"]] {
            assert!(self.git(top, args).0, "{args:?}");
        }
    }

    /// Adds a worktree or a submodule at a random place. Returns what was added.
    fn add(&mut self, rng: &mut Rng, number: usize) -> &'static str {
        let top = rng.pick(&self.tops.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
        let place = format!("{}x{number}", rng.pick(&PLACES));
        if rng.chance(25) {
            let is_added = !place.starts_with("..")
                && self.git(&top, &["submodule", "add", "-q", "../lib", &place]).0;
            return if is_added { "submodule" } else { "" };
        }
        if !self.git(&top, &["worktree", "add", "-q", "--detach", &place]).0 {
            return "";
        }
        let added = format!("{top}/{place}");
        let full = fs::canonicalize(self.tree.join(&added)).expect("the worktree");
        let root = fs::canonicalize(self.tree.join("")).expect("the tree");
        let below = full.strip_prefix(&root).expect("below the tree");
        let below = below.to_str().expect("ASCII").replace('\\', "/");
        if rng.chance(30) {
            // As `extensions.relativeWorktrees` has it.
            let text = fs::read_to_string(full.join(".git")).expect("a file");
            let (_, from_root) = text.trim().split_once("/main/.git/").expect("the repository");
            let up = "../".repeat(below.split('/').count());
            let text = format!("gitdir: {up}main/.git/{from_root}\n");
            fs::write(full.join(".git"), text).expect("a file");
        }
        if rng.chance(30) {
            fs::write(full.join("own"), "gem\n").expect("a file");
        }
        self.tops.push(below);
        "worktree"
    }

    /// The regular files that git finds in a worktree.
    fn files(&self, top: &str) -> BTreeSet<String> {
        let (is_listed, output) = self.git(top, &["ls-files", "-z", "-c", "-o"]);
        assert!(is_listed, "{top}");
        let is_file = |path: &&str| {
            let found = self.tree.join(top).join(path).symlink_metadata();
            found.is_ok_and(|metadata| metadata.is_file())
        };
        let text = String::from_utf8(output).expect("names are ASCII");
        text.split('\0').filter(is_file).map(str::to_owned).collect()
    }
}

/// The paths that `hs` prints, each ended by NUL.
fn listed(hs: &Hs<'_>, top: &str, args: &[&str]) -> BTreeSet<String> {
    let always = ["-0", "--no-ignore", "--hidden", "-g", "!.git"];
    let run = hs.args(args.iter().chain(&always)).cwd(top).differs_from_ripgrep("no such flag");
    run.outcome().map_or(BTreeSet::new(), |outcome| nul_paths(outcome.stdout))
}

hs_test!(no_worktree_is_searched_in_another_one, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let seed = env_number("HS_TEST_SEED", 1);
    let mut counts = [0; 2];
    for seed in seed..seed + env_number("HS_TEST_TREES", 6) {
        let tree = TempTree::new("worktrees");
        let (mut rng, hs) = (Rng::with_seed(seed), Hs::new(&tree));
        let mut forest = Forest { tree: &tree, tops: vec!["main".to_owned()] };
        forest.init("lib", &["l", "deep/l"]);
        forest.init("main", &["a/b/one", "a/two", ".hid/three", "four"]);
        let added: Vec<_> = (0..6).map(|number| forest.add(&mut rng, number)).collect();
        counts[0] += added.iter().filter(|added| **added == "worktree").count();
        counts[1] += added.iter().filter(|added| **added == "submodule").count();
        for top in &forest.tops {
            let threads = rng.pick(&["-j1", "-j4", "--sort=path"]);
            let describe = |what| format!("seed {seed}, {added:?}, {top}: {what}");
            let expected = forest.files(top);
            let neither = ["--no-worktrees", "--no-submodules", threads];
            let found = listed(&hs, top, &[&["--files"], &neither[..]].concat());
            assert_eq!(found, expected, "{}", describe("ls-files"));
            let found = listed(&hs, top, &[&["-l", "gem"], &neither[..]].concat());
            let gems: BTreeSet<_> =
                expected.into_iter().filter(|path| !path.ends_with(".gitmodules")).collect();
            assert_eq!(found, gems, "{}", describe("-l"));
        }
    }
    assert!(counts.iter().all(|count| *count > 2), "{counts:?}");
});
