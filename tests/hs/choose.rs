//! Flags that choose files, as far as they need Rust: git's index against git itself, in random
//! repositories, and lists of paths that are still being written.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use crate::harness::{
    Hs, TempTree, git, has_git, process,
    random::{Choose, Rng, env_number},
};

/// The names of entries in random repositories.
const NAMES: [&str; 8] = ["a.c", "b.txt", ".hid", "d", "e", "x.log", "d.c", "f-g"];

/// The lines of random ignore files.
const RULES: [&str; 7] = ["*.log", "/d/", "e", "!b.txt", "d/*", ".hid", "*.c"];

/// A random repository below a temporary tree.
struct Repository<'t> {
    tree: &'t TempTree,
    /// The path of its top, or of that of a worktree of it, from the tree.
    top: &'static str,
}

impl Repository<'_> {
    /// Runs git; returns whether it succeeded, and its output.
    fn git(&self, args: &[&str]) -> (bool, Vec<u8>) {
        let outcome = process::run(git(self.tree, self.top).args(args), None);
        (outcome.status.success(), outcome.stdout)
    }

    /// Runs git, which has to succeed.
    fn do_git(&self, args: &[&str]) {
        assert!(self.git(args).0, "git {args:?}");
    }

    /// The regular files among the paths that git prints.
    fn files(&self, args: &[&str]) -> BTreeSet<String> {
        let (_, output) = self.git(args);
        let is_file = |path: &&str| {
            let found = self.tree.join(self.top).join(path).symlink_metadata();
            found.is_ok_and(|metadata| metadata.is_file())
        };
        let text = String::from_utf8(output).expect("names are ASCII");
        text.split('\0').filter(is_file).map(str::to_string).collect()
    }

    /// Writes random files below `dir`, at most `depth` levels deep. Returns their paths.
    fn write(&self, rng: &mut Rng, dir: &str, depth: usize) -> Vec<String> {
        let mut written = Vec::new();
        for _ in 0..1 + rng.usize(..5) {
            let path = format!("{dir}{}", rng.pick(&NAMES));
            let full = self.tree.join(self.top).join(&path);
            if depth > 0 && rng.chance(40) && (full.is_dir() || !full.exists()) {
                fs::create_dir_all(&full).expect("a directory");
                written.extend(self.write(rng, &format!("{path}/"), depth - 1));
            } else if !full.exists() {
                fs::write(&full, rng.pick(&["gem\n", "rock\n"])).expect("a file");
                written.push(path);
            }
        }
        if rng.chance(30) {
            let rules: Vec<&str> = (0..1 + rng.usize(..3)).map(|_| rng.pick(&RULES)).collect();
            let path = format!("{dir}.gitignore");
            fs::write(self.tree.join(self.top).join(&path), rules.join("\n")).expect("rules");
            written.push(path);
        }
        written
    }

    /// Tracks some of `paths`, ignored ones too.
    fn track(&self, rng: &mut Rng, paths: &[String]) {
        let some: Vec<&str> = paths.iter().filter(|_| rng.chance(60)).map(String::as_str).collect();
        if !some.is_empty() {
            let intent = if rng.chance(20) { "-fN" } else { "-f" };
            self.do_git(&[&["add", intent, "--"], some.as_slice()].concat());
        }
    }

    /// Removes some of `paths` from the tree, or from the index.
    fn remove(&self, rng: &mut Rng, paths: &[String]) {
        for path in paths {
            if !rng.chance(15) {
                continue;
            }
            if rng.chance(50) {
                let _ = fs::remove_file(self.tree.join(self.top).join(path));
            } else {
                self.git(&["rm", "-q", "--cached", "--", path]);
            }
        }
    }

    /// Fills the repository and brings its index into a random form. Returns a description.
    fn grow(&mut self, rng: &mut Rng) -> String {
        let hash = if rng.chance(20) { "--object-format=sha256" } else { "--object-format=sha1" };
        self.do_git(&["init", "-q", "--template=", hash]);
        let version = rng.pick(&["2", "3", "4"]);
        self.do_git(&["config", "index.version", version]);
        let first = self.write(rng, "", 3);
        self.track(rng, &first);
        let mut form = format!("{hash} version {version}");
        if rng.chance(60) {
            self.do_git(&["commit", "-q", "--allow-empty", "-m", "first"]);
            match rng.usize(..4) {
                0 if self.git(&["worktree", "add", "-q", "../work"]).0 => {
                    form += ", worktree";
                    self.top = "work";
                }
                // What git leaves in directories outside of the cone would have to be looked up in
                // its trees.
                1 if self.git(&["clean", "-fdxq"]).0
                    && self.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "d"]).0 =>
                {
                    return form + ", sparse";
                }
                _ => {}
            }
        }
        if rng.chance(40) {
            self.do_git(&["update-index", "--split-index"]);
            form += ", split";
        }
        let second = self.write(rng, "", 3);
        self.track(rng, &second);
        self.remove(rng, &[first, second].concat());
        self.write(rng, "", 2);
        form
    }
}

/// The paths that `hs` prints, each ended by NUL.
fn listed(hs: &Hs<'_>, top: &str, args: &[&str]) -> BTreeSet<String> {
    let all = args.iter().chain(&["-0", "--no-ignore-parent"]);
    let Some(outcome) = hs.args(all).cwd(top).differs_from_ripgrep("it has no such flag").outcome()
    else {
        return BTreeSet::new();
    };
    let messages = String::from_utf8_lossy(&outcome.stderr);
    assert!(messages.is_empty() || messages.contains("No files were searched"), "{messages}");
    let text = String::from_utf8(outcome.stdout).expect("names are ASCII");
    text.split('\0').filter(|path| !path.is_empty()).map(str::to_string).collect()
}

hs_test!(tracked_files_are_those_of_git, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let seed = env_number("HS_TEST_SEED", 1);
    let (mut files, mut forms) = (0, BTreeSet::new());
    for seed in seed..seed + env_number("HS_TEST_TREES", 40) {
        let tree = TempTree::new("tracked");
        let (mut rng, hs) = (Rng::with_seed(seed), Hs::new(&tree));
        tree.dir("main");
        let mut repository = Repository { tree: &tree, top: "main" };
        let form = repository.grow(&mut rng);
        let top = repository.top;
        let describe = |what: &str| format!("seed {seed}, {form}: {what}");
        let expected = repository.files(&["ls-files", "-z"]);
        let threads = rng.pick(&["-j1", "-j4"]);
        let found = listed(&hs, top, &["--files", "--tracked", threads]);
        assert_eq!(found, expected, "{}", describe("ls-files"));
        let grepped = repository.files(&["grep", "-lz", "gem"]);
        let found = listed(&hs, top, &["-l", "--tracked", "gem", threads]);
        assert_eq!(found, grepped, "{}", describe("grep"));
        let below: BTreeSet<String> =
            expected.iter().filter(|path| path.starts_with("d/")).cloned().collect();
        if !below.is_empty() {
            let found = listed(&hs, top, &["--files", "--tracked", "d"]);
            assert_eq!(found, below, "{}", describe("below d"));
        }
        let unignored = ["ls-files", "-z", "-c", "-o", "--exclude-standard"];
        let found = listed(&hs, top, &["--files", "--tracked-or-unignored", "--dotfiles", threads]);
        assert_eq!(found, repository.files(&unignored), "{}", describe("-c -o"));
        files += expected.len();
        forms.insert(form);
    }
    assert!(files > 100 && forms.len() > 8, "{files} {forms:?}");
});

/// The rule that git names for each path that it ignores: its file, its line and its text.
fn ignored_by_git(repository: &Repository<'_>, paths: &[String]) -> Vec<(String, String)> {
    let mut command = git(repository.tree, repository.top);
    command.args(["check-ignore", "--no-index", "-vz", "--stdin"]);
    let output = process::run(&mut command, Some(paths.join("\0").into_bytes())).stdout;
    let text = String::from_utf8(output).expect("names are ASCII");
    let fields: Vec<&str> = text.split('\0').collect();
    let rules = fields.as_chunks::<4>().0.iter();
    // A rule that includes is no reason to leave a path out.
    let rules = rules.filter(|[_, _, rule, _]| !rule.starts_with('!'));
    let why = |[file, line, rule, path]: &[&str; 4]| {
        (path.to_string(), format!("ignored by {file}:{line}: {rule}"))
    };
    rules.map(why).collect()
}

hs_test!(ignored_files_are_explained_as_by_git, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let (mut ignored, seed) = (0, env_number("HS_TEST_SEED", 1));
    for seed in seed..seed + env_number("HS_TEST_TREES", 40) {
        let tree = TempTree::new("why");
        let (mut rng, hs) = (Rng::with_seed(seed), Hs::new(&tree));
        tree.dir("main");
        let repository = Repository { tree: &tree, top: "main" };
        repository.do_git(&["init", "-q", "--template="]);
        let mut paths = repository.write(&mut rng, "", 3);
        paths.retain(|path| !path.ends_with(".gitignore"));
        let expected = ignored_by_git(&repository, &paths);
        let args = ["--why", "--hidden", "--"].into_iter().chain(paths.iter().map(String::as_str));
        let Some(outcome) = hs.args(args).cwd("main").differs_from_ripgrep("no flag").outcome()
        else {
            return;
        };
        let text = String::from_utf8(outcome.stdout).expect("names are ASCII");
        assert_eq!(text.lines().count(), paths.len(), "seed {seed}: {text}");
        for (path, line) in paths.iter().zip(text.lines()) {
            let found = line.strip_prefix(&format!("{path}: ")).expect("a line for each path");
            match expected.iter().find(|(ignored, _)| ignored == path) {
                // The directory above that is ignored may stand in front.
                Some((_, why)) => {
                    assert!(found.ends_with(why.as_str()), "seed {seed}: {line}: {why}");
                    ignored += 1;
                }
                None => assert_eq!(found, "searched", "seed {seed}: {line}"),
            }
        }
        assert_eq!(outcome.status.code(), Some(i32::from(expected.is_empty())));
    }
    assert!(ignored > 50, "{ignored}");
});

/// Flags that choose files, alone and together.
const CHOOSING: [&[&str]; 17] = [
    &["--hidden"],
    &["--dotfiles"],
    &["--no-ignore"],
    &["-g", "*.c"],
    &["-g", "!d"],
    &["--iglob", "!A.*"],
    &["--only", "*.c"],
    &["--only", "d"],
    &["--exclude", "e"],
    &["-t", "c"],
    &["-T", "txt"],
    &["--max-depth", "2"],
    &["--max-filesize", "4"],
    &["--min-filesize", "5"],
    &["--tracked"],
    &["--tracked-or-unignored"],
    &["--follow"],
];

hs_test!(a_path_is_explained_as_left_out_if_it_is_not_listed, |_, _| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let (mut counts, seed) = ([0, 0], env_number("HS_TEST_SEED", 1));
    for seed in seed..seed + env_number("HS_TEST_TREES", 60) {
        let tree = TempTree::new("why");
        let (mut rng, hs) = (Rng::with_seed(seed), Hs::new(&tree));
        tree.dir("main");
        let repository = Repository { tree: &tree, top: "main" };
        repository.do_git(&["init", "-q", "--template="]);
        let paths = repository.write(&mut rng, "", 3);
        for path in paths.iter().filter(|_| rng.chance(40)).cloned().collect::<Vec<_>>() {
            repository.do_git(&["add", "-f", "--", &path]);
        }
        let flags: Vec<&str> =
            (0..rng.usize(..4)).flat_map(|_| rng.pick(&CHOOSING)).copied().collect();
        if ["--min-filesize", "--max-filesize"].iter().all(|flag| flags.contains(flag)) {
            // They exclude each other, which is an error.
            continue;
        }
        let run = |args: Vec<&str>| {
            let args = flags.iter().copied().chain(args);
            let run = hs.args(args).cwd("main").differs_from_ripgrep("no flag");
            let outcome = run.exits_with_one_of(&[0, 1]).outcome()?;
            Some(String::from_utf8(outcome.stdout).expect("names are ASCII"))
        };
        let all: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (Some(listed), Some(explained)) =
            (run(vec!["--files"]), run([vec!["--why", "--"], all].concat()))
        else {
            return;
        };
        let listed: BTreeSet<&str> = listed.lines().collect();
        assert_eq!(explained.lines().count(), paths.len(), "seed {seed}: {explained}");
        for (path, line) in paths.iter().zip(explained.lines()) {
            let is_searched = line == format!("{path}: searched");
            let is_listed = listed.contains(path.as_str());
            assert_eq!(is_searched, is_listed, "seed {seed}: {flags:?}: {line}");
            counts[usize::from(is_listed)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
});

hs_test!(submodules_have_an_index_of_their_own, |tree, hs| {
    if process::oracle().is_some() || !has_git() {
        return;
    }
    let (inner, outer) = (Repository { tree, top: "inner" }, Repository { tree, top: "outer" });
    for repository in [&inner, &outer] {
        tree.dir(repository.top);
        repository.do_git(&["init", "-q", "--template="]);
        for name in ["tracked", "untracked"] {
            tree.file(Path::new(repository.top).join(name), "gem\n");
        }
        repository.do_git(&["add", "tracked"]);
        repository.do_git(&["commit", "-q", "-m", "first"]);
    }
    outer.do_git(&["submodule", "--quiet", "add", "../inner", "sub"]);
    tree.file("outer/sub/untracked", "gem\n")
        .file("outer/other/.git/x", "")
        .file("outer/other/y", "");
    let expected = outer.files(&["ls-files", "-z", "--recurse-submodules"]);
    assert_eq!(expected.len(), 3, "{expected:?}");
    assert_eq!(listed(hs, "outer", &["--files", "--tracked"]), expected);
    let found = listed(hs, ".", &["-l", "--tracked", "gem"]);
    let tops = ["inner/tracked", "outer/sub/tracked", "outer/tracked"].map(str::to_string);
    assert_eq!(found, tops.into(), "each repository below has its own");
});

hs_test!(listed_paths_are_searched_while_the_list_is_written, |tree, _| {
    if process::oracle().is_some() || process::is_for_windows(&process::program()) {
        return;
    }
    tree.file("a", "gem\n").file("b", "gem too\n");
    for threads in ["-j1", "-j4"] {
        let mut child = Command::new(process::program())
            .args(["--no-config", threads, "gem", "--files-from", "-"])
            .current_dir(tree.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut list = child.stdin.take().expect("a pipe");
        let mut results = BufReader::new(child.stdout.take().expect("a pipe"));
        for (path, expected) in [("a", "a:gem\n"), ("b", "b:gem too\n")] {
            writeln!(list, "{path}").expect("the list");
            let mut line = String::new();
            results.read_line(&mut line).expect("a result");
            assert_eq!(line, expected);
        }
        drop(list);
        assert!(child.wait().expect("it ends").success());
    }
});
