//! Searches of a tree that a process watches: each prints what it prints without an index, whatever
//! is done to the tree or to the process.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use skipped_tests::skip;

use crate::harness::{TempTree, has_git, process, succeeds, sys};

mod names;
mod permissions;
mod process_life;
mod rules;

/// Why a test is skipped that mounts something for one program.
const NO_NAMESPACES: &str = "there are no user and mount namespaces (unshare -rm)";

/// A tree that is watched until this value is dropped.
struct Watched {
    tree: TempTree,
    process: u32,
    program: PathBuf,
    /// Whether the user `nobody` searches, and watches.
    by_nobody: bool,
}

impl Watched {
    fn new(name: &str) -> Watched {
        let mut watched = Watched::filled(name);
        watched.update();
        watched.watch();
        watched
    }

    /// A tree without an index.
    fn filled(name: &str) -> Watched {
        let tree = TempTree::new(name);
        tree.git_init("");
        for dir in ["", "a/", "a/b/", "a/b/c/", "d/", "d/e/"] {
            for name in ["one.c", "two.c", "three.txt"] {
                tree.file(format!("{dir}{name}"), format!("int {name} of nothing\n"));
            }
        }
        tree.file("d/e/emerald.c", "a gem\n").file("d/.gitignore", "*.txt\n");
        Watched { tree, process: 0, program: process::program(), by_nobody: false }
    }

    fn update(&self) {
        thread::sleep(Duration::from_millis(130));
        let output = self.run(&["--index-update"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }

    /// Starts the process, unless there is one, and waits until it answers.
    fn watch(&mut self) {
        let output = self.run(&["--index-watch"]);
        let report = String::from_utf8_lossy(&output.stdout);
        let number = report.split_once(": process ").and_then(|(_, rest)| rest.split_once(' '));
        self.process = number.and_then(|(number, _)| number.parse().ok()).unwrap_or_else(|| {
            panic!("{output:?}");
        });
    }

    fn signal(&self, name: &str) {
        let script = format!("kill {name} {}", self.process);
        assert!(succeeds(Command::new("sh").args(["-c", &script])));
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--no-config").args(args).current_dir(self.tree.path()).env_clear();
        sys::set_environment(&mut command, &self.tree.home());
        command.stdin(Stdio::null());
        if self.by_nobody {
            sys::set_nobody(&mut command);
        }
        command
    }

    /// A shell script that can mount file systems; its arguments are the program and `args`.
    fn in_namespace(&self, script: &str, args: &[&str]) -> Command {
        let inner = self.command(args);
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-ec", script, "sh"]).arg(inner.get_program());
        command.args(inner.get_args()).current_dir(self.tree.path()).env_clear();
        sys::set_environment(&mut command, &self.tree.home());
        command.envs(env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("a program")
    }

    /// What a search logs about the process, such as why it knows nothing.
    fn log(&self) -> String {
        let output = self.run(&["--debug", "gem", "./"]);
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        log.lines()
            .filter(|line| line.contains("stamps are taken") || line.contains("changes are known"))
            .collect()
    }

    #[track_caller]
    fn knows(&self) {
        self.comes_to_log("changes are known");
    }

    #[track_caller]
    fn does_not_know(&self, why: &str) {
        self.comes_to_log(why);
    }

    /// Waits for this log: on a busy machine, the process may be slow to answer.
    #[track_caller]
    fn comes_to_log(&self, text: &str) {
        let started = Instant::now();
        while !self.log().contains(text) {
            assert!(started.elapsed() < Duration::from_secs(20), "{}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Compares searches with the same ones without an index. Returns what one of them has found.
    #[track_caller]
    fn check(&self) -> String {
        self.check_in("./", |args| self.run(args))
    }

    #[track_caller]
    fn check_in(&self, path: &str, run: impl Fn(&[&str]) -> Output) -> String {
        let searches: [&[&str]; 11] = [
            &["gem"],
            &["-l", "int one"],
            &["-c", "gem"],
            &["--files"],
            &["--files", "-j1"],
            &["--files", "-j2"],
            &["-uu", "gem"],
            &["--hidden", "gem"],
            &["--files-without-match", "gem"],
            &["no such text"],
            &["-q", "gem"],
        ];
        let mut found = String::new();
        for search in searches {
            let result = |index| {
                // One worker has an order, too. Several pass whole directories if there is none.
                let is_unsorted = search[0] == "--files" && search.len() > 1;
                let order = if is_unsorted { "--sort=none" } else { "--sort=path" };
                let args = [&[index, order, "--index-after=0"], search, &[path]].concat();
                let Output { status, stdout, stderr } = run(&args);
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                // What is met before the first match ends the search is a matter of time.
                let messages = if search[0] == "-q" { String::new() } else { text(&stderr) };
                // Those of files may come later than those of directories.
                let mut messages: Vec<_> = messages.lines().map(str::to_owned).collect();
                messages.sort_unstable();
                let mut lines: Vec<_> = text(&stdout).lines().map(|it| format!("{it}\n")).collect();
                if search.contains(&"-j2") {
                    lines.sort_unstable();
                }
                (lines.concat(), messages, status.code())
            };
            let (with, without) = (result("--index=auto"), result("--index=never"));
            assert_eq!(with, without, "{search:?} {path}");
            if search == ["gem"] {
                found = with.0;
            }
        }
        found
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The process may have ended, and the program may be one that cannot be run.
        let _ = self.command(&["--index-unwatch"]).output();
    }
}

#[test]
fn own_edits_are_found_at_once() {
    let watched = Watched::new("watched_edits");
    let tree = &watched.tree;
    assert_eq!(watched.check(), "./d/e/emerald.c:a gem\n");
    watched.knows();
    let path = tree.join("a/b/one.c");
    // Of equal size.
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("gem{}", &text[3..])).unwrap();
    assert!(watched.check().contains("a/b/one.c"));
    // With the times of another file, and with a copy of one.
    assert!(succeeds(Command::new("touch").arg("-r").arg(tree.join("d/one.c")).arg(&path)));
    assert!(watched.check().contains("a/b/one.c"));
    assert!(succeeds(Command::new("cp").arg("-p").arg(&path).arg(tree.join("d/two.c"))));
    assert!(watched.check().contains("d/two.c"));
    // A file that an editor puts in the place of the old one.
    tree.file("a/new", "gem");
    fs::rename(tree.join("a/new"), tree.join("a/one.c")).unwrap();
    assert!(watched.check().contains("a/one.c"));
    fs::remove_file(tree.join("a/one.c")).unwrap();
    watched.check();
    fs::hard_link(tree.join("two.c"), tree.join("a/b/c/link.c")).unwrap();
    fs::write(tree.join("a/b/c/link.c"), "gem").unwrap();
    assert!(watched.check().contains("./two.c"));
    watched.knows();
    watched.update();
    watched.check();
}

#[test]
fn moved_directories_are_found() {
    let watched = Watched::new("watched_moves");
    let tree = &watched.tree;
    let outside = tree.path().with_file_name("outside");
    fs::rename(tree.join("d"), &outside).unwrap();
    assert_eq!(watched.check(), "");
    fs::write(outside.join("e/two.c"), "another gem\n").unwrap();
    // Full of files, to another place and back.
    fs::rename(&outside, tree.join("a/b/d")).unwrap();
    assert!(watched.check().contains("./a/b/d/e/two.c"));
    fs::rename(tree.join("a/b/d"), tree.join("d")).unwrap();
    assert!(watched.check().contains("./d/e/two.c"));
    // Files in directories that are newer than the index.
    fs::create_dir_all(tree.join("new/x")).unwrap();
    watched.check();
    tree.file("new/x/file", "gem");
    assert!(watched.check().contains("new/x/file"));
    fs::remove_dir_all(tree.join("a")).unwrap();
    watched.check();
    tree.file("a/b/one.c", "gem");
    assert!(watched.check().contains("a/b/one.c"));
    watched.knows();
}

#[test]
fn a_damaged_snapshot_is_not_listed() {
    let watched = Watched::new("watched_damage");
    // A few pages of names.
    for number in 0..400 {
        watched.tree.file(format!("d/e/{number}-{}", "x".repeat(100)), "");
    }
    watched.update();
    watched.knows();
    let mut dirs = vec![watched.tree.home()];
    let mut snapshots = Vec::new();
    while let Some(dir) = dirs.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => dirs.push(path),
                false if path.to_string_lossy().contains("/snapshot-") => snapshots.push(path),
                false => {}
            }
        }
    }
    let [snapshot] = &snapshots[..] else { panic!("{snapshots:?}") };
    let right = fs::read(snapshot).unwrap();
    assert!(right.len() > 2 * (16 << 10), "several pages");
    for at in (0..right.len()).step_by(8 << 10) {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        fs::write(snapshot, wrong).unwrap();
        watched.check();
    }
    fs::write(snapshot, right).unwrap();
    watched.knows();
}

#[test]
fn edited_ignore_files_are_obeyed() {
    let watched = Watched::new("watched_rules");
    let tree = &watched.tree;
    tree.file("d/three.txt", "a hidden gem\n");
    assert_eq!(watched.check(), "./d/e/emerald.c:a gem\n");
    fs::write(tree.join("d/.gitignore"), "*.md\n").unwrap();
    assert!(watched.check().contains("d/three.txt"));
    fs::write(tree.join("d/.gitignore"), "*.c\n").unwrap();
    assert_eq!(watched.check(), "./d/three.txt:a hidden gem\n");
    fs::remove_file(tree.join("d/.gitignore")).unwrap();
    watched.check();
    // A new one, and those that lie elsewhere.
    tree.file(".ignore", "e/\n");
    watched.check();
    tree.file(".git/info/exclude", "three.*\n");
    assert_eq!(watched.check(), "");
    fs::remove_file(tree.join(".ignore")).unwrap();
    watched.check();
    watched.update();
    tree.file("../.ignore", "emerald.c\n");
    watched.check();
    for path in ["d", "d/e", "./a/.."] {
        watched.check_in(path, |args| watched.run(args));
    }
    watched.knows();
}

#[test]
fn rule_files_with_mistakes_are_reported() {
    let watched = Watched::new("watched_mistakes");
    watched.tree.file("a/b/.ignore", "[z-a].c\n");
    watched.update();
    watched.check();
    watched.tree.git_init("a/b/c");
    watched.tree.file("a/b/c/.git/info/exclude", "one.c\n");
    watched.update();
    watched.tree.file("a/b/c/.git/info/exclude", "two.c\n");
    watched.check();
}

#[test]
fn what_git_checks_out_is_found() {
    let watched = Watched::new("watched_git");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(watched.tree.path()).env_clear();
        sys::set_environment(&mut command, &watched.tree.home());
        command.args(["-c", "user.name=a", "-c", "user.email=b", "-c", "init.defaultBranch=main"]);
        succeeds(command.args(args).stdout(Stdio::null()).stderr(Stdio::null()))
    };
    if !has_git() {
        return;
    }
    assert!(git(&["init", "-q"]));
    assert!(git(&["add", "-A"]) && git(&["commit", "-qm", "one"]));
    assert!(git(&["checkout", "-qb", "other"]));
    watched.tree.file("a/b/c/two.c", "gem on a branch\n").file("f/g.c", "gem\n");
    fs::remove_file(watched.tree.join("d/e/emerald.c")).unwrap();
    assert!(git(&["add", "-A"]) && git(&["commit", "-qm", "two"]));
    watched.update();
    assert!(watched.check().contains("f/g.c"));
    for (branch, has_branch) in [("-", false), ("-", true)] {
        assert!(git(&["checkout", "-q", branch]));
        assert_eq!(watched.check().contains("gem on a branch"), has_branch);
    }
    watched.knows();
}

#[test]
fn a_tree_of_nothing_but_the_output_has_no_files() {
    let mut watched = Watched::filled("watched_output");
    for dir in ["a", "d", ".git"] {
        fs::remove_dir_all(watched.tree.join(dir)).unwrap();
    }
    for name in ["two.c", "three.txt"] {
        fs::remove_file(watched.tree.join(name)).unwrap();
    }
    watched.update();
    watched.watch();
    watched.knows();
    let run = |index| {
        let output = fs::File::options().append(true).open(watched.tree.join("one.c")).unwrap();
        watched.command(&[index, "gem"]).stdout(output).output().expect("a program")
    };
    let (with, without) = (run("--index=auto"), run("--index=never"));
    assert_eq!((with.status, with.stderr), (without.status, without.stderr));
}

#[test]
fn other_mounted_file_systems_are_noticed() {
    let watched = Watched::new("watched_mounts");
    watched.tree.file("../other/one.c", "gem\n");
    let script = "mount --bind ../other a/b && exec \"$@\"";
    let Ok(output) = watched.in_namespace(script, &["--version"]).output() else {
        return skip("unshare is not installed");
    };
    if output.status.code() != Some(0) {
        return skip(NO_NAMESPACES);
    }
    let in_namespace =
        |args: &[&str]| watched.in_namespace(script, args).output().expect("unshare");
    assert!(watched.check_in("./", in_namespace).contains("a/b/one.c"));
    assert!(!watched.check().contains("a/b/one.c"));
}
