//! Files and lines that have changed, in random repositories, against `git diff` and
//! `git ls-files`: renames, merges, submodules, worktrees, SHA-256, split and sparse indexes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::harness::{
    Hs, TempTree, git, has_git, nul_paths, process,
    random::{Choose, Rng, env_number},
};

/// The files that random steps write, below the top of a repository.
const NAMES: [&str; 9] =
    ["a", "b.c", "d/e", "d/f/g", "d/f/\"h", "i j", "k\u{e9}", "out/l", "out/m/n"];

/// A repository with others in it.
struct Repositories<'t> {
    tree: &'t TempTree,
    /// The main repository and those in it, from the tree.
    tops: Vec<String>,
}

impl Repositories<'_> {
    /// Runs git; returns its output if it succeeded.
    fn git(&self, top: &str, args: &[&str]) -> Option<Vec<u8>> {
        let outcome = process::run(git(self.tree, top).args(args), None);
        outcome.status.success().then_some(outcome.stdout)
    }

    /// The words, between blanks or NUL bytes, that git prints.
    fn words(&self, top: &str, args: &[&str], end: char) -> Vec<String> {
        let output = self.git(top, args).unwrap_or_default();
        let text = String::from_utf8(output).expect("names are text");
        text.split(end)
            .map(str::trim_end)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn write(&self, top: &str, name: &str, text: &str) {
        let path = self.tree.join(top).join(name);
        if path.parent().is_some_and(|dir| fs::create_dir_all(dir).is_ok()) && !path.is_dir() {
            fs::write(path, text).expect("a file");
        }
    }

    /// Changes files of the repository at `top`, and its index, at random.
    fn step(&mut self, rng: &mut Rng, top: &str) {
        let name = rng.pick(&NAMES);
        let path = self.tree.join(top).join(name);
        match rng.usize(..16) {
            0..=3 => self.write(top, name, &lines(rng)),
            4..=6 if path.is_file() => {
                let text = fs::read_to_string(&path).unwrap_or_default();
                self.write(top, name, &edited(rng, &text));
            }
            7 => drop(fs::remove_file(&path)),
            8 => drop(self.git(top, &["add", "-A"])),
            9 => drop(self.git(top, &["add", "--", name])),
            10 => drop(self.git(top, &["rm", "-q", "--cached", "--", name])),
            11 => drop(self.git(top, &["mv", "-f", "--", name, rng.pick(&NAMES)])),
            12 | 13 => drop(self.git(top, &["commit", "-qam", "x"])),
            14 => {
                let branch = format!("b{}", rng.usize(..3));
                let _ = self.git(top, &["checkout", "-q", "-B", &branch]);
            }
            _ => {
                let branch = format!("b{}", rng.usize(..3));
                let _ = self.git(top, &["merge", "-q", &branch]);
            }
        }
    }

    /// Adds a repository below the one at `top`.
    fn add(&mut self, rng: &mut Rng, top: &str) {
        let place = format!("{}x{}", rng.pick(&["", "d/", "sub/"]), self.tops.len());
        let is_added = match rng.usize(..4) {
            0 | 1 => self.git(top, &["submodule", "add", "-q", "../lib", &place]).is_some(),
            2 => self.git(top, &["worktree", "add", "-q", "--detach", &place]).is_some(),
            _ => {
                self.write(top, &format!("{place}/a"), "gem\n");
                self.git(&format!("{top}/{place}"), &["init", "-q"]).is_some()
            }
        };
        if is_added {
            self.tops.push(format!("{top}/{place}"));
        }
    }

    /// What the files of the repository at `top` are compared with, if those of the main one are
    /// compared with `since`: nothing is `None`, and the index is empty.
    fn base(&self, top: &str, since: &str) -> Option<String> {
        if since.is_empty() || top == "main" {
            return Some(since.to_owned());
        }
        let above = self.tops.iter().filter(|above| top.starts_with(&format!("{above}/")));
        let above = above.max_by_key(|above| above.len()).expect("the main one");
        let base = self.base(above, since)?;
        let place = &top[above.len() + 1..];
        let entry =
            self.words(above, &["ls-tree", &base, "--", place], '\n').pop().unwrap_or_default();
        let commit = match entry.strip_prefix("160000 commit ") {
            Some(rest) => rest.split('\t').next().expect("an object").to_owned(),
            None => self.words(above, &["rev-parse", &format!("{base}^{{commit}}")], '\n').pop()?,
        };
        self.git(top, &["cat-file", "-e", &format!("{commit}^{{commit}}")])?;
        Some(commit)
    }

    /// The regular files below `top`, from the tree, that git reports as changed or untracked.
    fn changed(&self, top: &str, since: &str) -> BTreeSet<String> {
        let always = ["diff", "-z", "--name-only", "--no-renames", "--ignore-submodules=all"];
        let mut found = match self.base(top, since) {
            Some(base) if base.is_empty() => self.words(top, &always, '\0'),
            Some(base) => self.words(top, &[&always[..], &[&base, "--"]].concat(), '\0'),
            None => self.words(top, &["ls-files", "-z"], '\0'),
        };
        found.extend(self.words(top, &["ls-files", "-z", "-o"], '\0'));
        let paths = found.into_iter().map(|path| format!("{top}/{path}"));
        let is_file = |path: &String| {
            let metadata = self.tree.join(path).symlink_metadata();
            metadata.is_ok_and(|metadata| metadata.is_file()) && !path.ends_with("/.git")
        };
        paths.filter(is_file).collect()
    }
}

fn lines(rng: &mut Rng) -> String {
    (0..rng.usize(..9))
        .map(|_| format!("{}\n", rng.pick(&["gem", "rock", "", "@@ -1 +1 @@"])))
        .collect()
}

/// The text with a few other lines.
fn edited(rng: &mut Rng, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for _ in 0..1 + rng.usize(..3) {
        let at = rng.usize(..lines.len() + 1);
        match rng.usize(..3) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = "+++ b/a",
            _ => lines.insert(at, rng.pick(&["--- a/gem", "new", "\\ No newline"])),
        }
    }
    let end = rng.pick(&["\n", ""]);
    format!("{}{}", lines.join("\n"), if lines.is_empty() { "" } else { end })
}

/// Repositories after random steps.
fn make<'t>(tree: &'t TempTree, rng: &mut Rng) -> Repositories<'t> {
    let mut all = Repositories { tree, tops: vec!["main".to_owned()] };
    let is_sha256 = rng.chance(15);
    let format = if is_sha256 { "--object-format=sha256" } else { "--object-format=sha1" };
    for top in ["lib", "main"] {
        tree.dir(top);
        for name in NAMES {
            all.write(top, name, &lines(rng));
        }
        for args in [&["init", "-q", format][..], &["add", "-A"], &["commit", "-qm", "x"]] {
            assert!(all.git(top, args).is_some(), "{args:?}");
        }
    }
    if rng.chance(30) {
        let _ = all.git("main", &["update-index", "--split-index"]);
    }
    for _ in 0..rng.usize(..3) {
        let top = rng.pick(&all.tops.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
        all.add(rng, &top);
    }
    for _ in 0..8 + rng.usize(..16) {
        let top = rng.pick(&all.tops.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
        all.step(rng, &top);
    }
    if rng.chance(25) {
        let is_sparse = rng.pick(&["--sparse-index", "--no-sparse-index"]);
        let _ = all.git("main", &["sparse-checkout", "set", "--cone", is_sparse, "d"]);
        all.write("main", "out/m/o", "gem\n");
    }
    all
}

/// The paths that `hs` prints, each ended by NUL.
fn listed(hs: &Hs<'_>, args: &[&str]) -> BTreeSet<String> {
    let always = ["-0", "--files", "--no-ignore", "--hidden", "-g", "!.git", "main"];
    let run = hs.args(args.iter().chain(&always)).differs_from_ripgrep("no such flag");
    run.outcome().map_or(BTreeSet::new(), |outcome| nul_paths(outcome.stdout))
}

hs_test!(changed_files_are_those_of_git, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let (seed, mut found) = (env_number("HS_TEST_SEED", 1), 0);
    for seed in seed..seed + env_number("HS_TEST_TREES", 6) {
        let tree = TempTree::new("changed");
        let mut rng = Rng::with_seed(seed);
        let all = make(&tree, &mut rng);
        let hs = Hs::new(&tree);
        for since in ["", "HEAD", "HEAD~1", "b0"] {
            if !since.is_empty() && all.git("main", &["rev-parse", "--verify", since]).is_none() {
                continue;
            }
            let expected: BTreeSet<String> =
                all.tops.iter().flat_map(|top| all.changed(top, since)).collect();
            let flag =
                if since.is_empty() { "--changed".into() } else { format!("--changed={since}") };
            let threads = rng.pick(&["-j1", "-j4", "--sort=path"]);
            found += expected.len();
            assert_eq!(listed(&hs, &[&flag, threads]), expected, "seed {seed}, {flag}");
            assert_eq!(
                listed(&hs, &[&flag, "--changed-lines"]),
                expected,
                "seed {seed}, {flag} --changed-lines"
            );
        }
    }
    assert!(found > 20, "{found}");
});

/// The lines of each file that `hs` finds as added.
fn added(hs: &Hs<'_>, flag: &str) -> Option<BTreeMap<String, Vec<(usize, String)>>> {
    let args = [flag, "--changed-lines", "-0nH", "--no-heading", "--no-ignore", "--hidden"];
    let run = hs.args(args.iter().chain(&["-g", "!.git", "", "main"]));
    let outcome = run.differs_from_ripgrep("no such flag").outcome()?;
    let text = String::from_utf8(outcome.stdout).expect("text");
    let mut found = BTreeMap::<String, Vec<(usize, String)>>::new();
    for line in text.lines() {
        let (path, rest) = line.split_once('\0').expect("a path");
        let (number, line) = rest.split_once(':').expect("a number");
        found
            .entry(path.to_owned())
            .or_default()
            .push((number.parse().expect("a number"), line.to_owned()));
    }
    Some(found)
}

/// Whether `old` without some lines is `new` without those with the numbers `added`.
fn are_added(old: &str, new: &str, added: &[usize]) -> bool {
    let kept = new.lines().enumerate().filter(|(index, _)| !added.contains(&(index + 1)));
    let mut old = old.lines();
    kept.map(|(_, line)| line).all(|line| old.by_ref().any(|other| other == line))
}

hs_test!(added_lines_are_those_of_git, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let (seed, mut compared) = (env_number("HS_TEST_SEED", 1), 0);
    for seed in seed..seed + env_number("HS_TEST_TREES", 6) {
        let tree = TempTree::new("changed");
        let mut rng = Rng::with_seed(seed);
        let all = make(&tree, &mut rng);
        let hs = Hs::new(&tree);
        // Without conflicts, the index has one version of a file.
        let is_merging = !all.words("main", &["ls-files", "-u"], '\n').is_empty();
        for since in ["", "HEAD", "HEAD~1"] {
            let is_known = since.is_empty() || all.git("main", &["rev-parse", since]).is_some();
            if is_merging || !is_known {
                continue;
            }
            let flag = format!("--changed={since}");
            let Some(found) = added(&hs, &flag) else { return };
            let always = ["diff", "-z", "--numstat", "--no-renames", "--diff-filter=M"];
            let since_args: &[&str] = if since.is_empty() { &[] } else { &[since] };
            let args = [&always[..], since_args].concat();
            for record in all.words("main", &args, '\0') {
                let mut fields = record.splitn(3, '\t');
                let (count, _, name) = (fields.next(), fields.next(), fields.next());
                let (count, name) = (count.expect("a number"), name.expect("a name"));
                let path = format!("main/{name}");
                let Ok(new) = fs::read_to_string(tree.join(&path)) else { continue };
                let spec = format!("{since}:{name}");
                let Some(old) = all.git("main", &["show", &spec]) else { continue };
                let old = String::from_utf8(old).expect("text");
                let lines = found.get(&path).map_or(&[][..], Vec::as_slice);
                let numbers: Vec<usize> = lines.iter().map(|(number, _)| *number).collect();
                let describe =
                    || format!("seed {seed}, {flag}, {path}: {lines:?}\n{old}\n--\n{new}");
                assert_eq!(count, lines.len().to_string(), "{}", describe());
                // The last lines differ if one has no line feed.
                let differs_in_end = old.ends_with('\n') != new.ends_with('\n');
                assert!(differs_in_end || are_added(&old, &new, &numbers), "{}", describe());
                for (number, line) in lines {
                    assert_eq!(new.lines().nth(number - 1), Some(&**line), "{}", describe());
                }
                compared += 1;
            }
            // Each line of an untracked file is added.
            for name in all.words("main", &["ls-files", "-z", "-o"], '\0') {
                let path = format!("main/{name}");
                let Ok(new) = fs::read_to_string(tree.join(&path)) else { continue };
                let lines = found.get(&path).map_or(0, Vec::len);
                assert_eq!(lines, new.lines().count(), "seed {seed}, {flag}, {path}");
            }
        }
    }
    assert!(compared > 3, "{compared}");
});
