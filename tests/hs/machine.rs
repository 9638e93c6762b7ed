//! A random machine of operations on files. After each of them, a random search with an index,
//! which was built some operations before, is compared with the same search without one.
//!
//! The tree is a repository with others in it; rules and git's configuration change too, inside and
//! outside.
//!
//! `HS_TEST_STEPS` sets how many operations there are, `HS_TEST_SEED` where they begin;
//! `ci/index-machine` runs many.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, SystemTime},
};

use skipped_tests::skip_part;

use crate::harness::{
    TempTree, process,
    random::{Choose, Rng, env_number},
    sys,
};

mod queries;

/// Words of files. Many searches are for parts of them.
const WORDS: [&str; 12] = [
    "diamond",
    "Opal",
    "GARNET",
    "ruby_red",
    "jet",
    "zircon42",
    "\u{212a}unzite",
    "ſpinel",
    "a",
    "\t",
    "topaz-yellow",
    "\u{e9}meraude",
];

const DIRS: [&str; 6] = ["", "a", "a/b", "c", ".hid", "c/target"];
const NAMES: [&str; 7] = ["one.c", "two.c", "three.txt", ".dot", "skip.log", "keep.log", "data"];
const RULES: [&str; 8] =
    ["*.log\n", "*.log\n!keep.log\n", "target/\n", "two.c\n", "", "/a\n", "TWO.C\n[\n", "!.hid\n"];
/// Files that decide what is ignored, relative to the tree. Some are above it, or are not meant for
/// this tree alone.
const RULE_FILES: [&str; 12] = [
    ".gitignore",
    ".ignore",
    ".rgignore",
    "a/.gitignore",
    "a/b/.gitignore",
    "c/.ignore",
    ".git/info/exclude",
    "a/.git/info/exclude",
    "../.ignore",
    "../.gitignore",
    "../home/.config/git/ignore",
    "../home/excludes",
];
/// Contents of git's configuration.
const GIT_CONFIGS: [&str; 4] = [
    "",
    "[core]\nexcludesFile = ~/excludes\n",
    "[core]\nignoreCase = true\n",
    "[include]\npath = more\n[core]\nexcludesFile = none\n",
];
/// Files of git's configuration.
const GIT_CONFIG_FILES: [&str; 4] =
    [".git/config", "a/.git/config", "../home/.gitconfig", "../home/.config/git/config"];

#[test]
fn every_step_is_seen() {
    run(false);
}

/// Every step is seen in directories that processes watch, too.
#[test]
fn every_step_is_seen_where_a_process_watches() {
    run(true);
}

fn run(is_watched: bool) {
    let steps = env_number("HS_TEST_STEPS", 120);
    let seed = env_number("HS_TEST_SEED", 1);
    let mut machine = Machine::new(seed, is_watched);
    let mut done = Vec::new();
    for step in 0..steps {
        done.push(machine.step());
        for _ in 0..2 {
            let args = machine.search();
            let [with, without] = ["auto", "never"].map(|index| machine.run(index, &args));
            assert!(
                with == without,
                "seed {seed}, step {step}: hs {args:?}\nwith an index: {with:?}\nwithout: \
                 {without:?}\nin {}\nafter {:#?}",
                machine.tree.path().display(),
                &done[done.len().saturating_sub(40)..],
            );
        }
    }
    for (kind, used) in machine.used {
        let is_expected = is_watched || kind != "a process";
        assert!(!is_expected || used > steps / 20, "{kind} was of use {used} times only");
    }
}

/// A tree that is changed and searched.
struct Machine {
    tree: TempTree,
    rng: Rng,
    /// How often an index has spared reading files, listing directories, and judging entries.
    used: [(&'static str, u64); 3],
    /// Whether directories are watched once they have an index.
    is_watched: bool,
    /// What an environment variable of git decides.
    environment: Option<[&'static str; 2]>,
}

impl Machine {
    fn new(seed: u64, is_watched: bool) -> Machine {
        let tree = TempTree::new(if is_watched { "machine_watched" } else { "machine" });
        tree.git_init("");
        let used = [("an index", 0), ("a snapshot", 0), ("a process", 0)];
        let rng = Rng::with_seed(seed);
        let mut machine = Machine { tree, rng, used, is_watched, environment: None };
        for _ in 0..40 {
            machine.write();
        }
        machine.update(true);
        machine
    }

    /// Does something at random. Returns what. Errors are ignored: an earlier step can make this
    /// one impossible.
    fn step(&mut self) -> String {
        let (path, other) = (self.path(), self.path());
        let kind = self.rng.u32(..39);
        let what = match kind {
            0..=3 => return self.write(),
            4..=6 => return self.rewrite(&path),
            7 => fs::remove_file(&path),
            8 | 9 => fs::rename(&path, &other),
            10 => fs::hard_link(&path, &other),
            11 => sys::symlink(&other, &path),
            12 => fs::create_dir_all(&path),
            13 => fs::rename(self.subdir(), self.subdir()),
            14 => fs::rename(self.subdir(), self.outside()),
            15 => fs::rename(self.outside(), self.subdir()),
            16 | 17 => self.write_rules(),
            18 => self.copy_with_times(&path, &other),
            19 => self.set_times(&path),
            20 => sys::chmod(&path, self.rng.pick(&[0o000, 0o644, 0o755])),
            21 => {
                fs::remove_dir_all(self.dir()).and_then(|()| fs::create_dir_all(self.tree.path()))
            }
            22 => append(&path, &self.text()),
            23..=25 => {
                self.update(kind == 23);
                return format!("update, settled: {}", kind == 23);
            }
            26 => fs::remove_file(self.tree.join(self.rng.pick(&RULE_FILES))),
            27 => self.write_git_config(),
            28 => fs::create_dir_all(self.subdir().join(self.rng.pick(&[".git", ".jj"]))),
            29 => fs::remove_dir_all(self.subdir().join(self.rng.pick(&[".git", ".jj"]))),
            30 => fs::write(self.subdir().join(".git"), "gitdir: ../.git\n"),
            31 => self.swap(),
            32 => self.replace_by_link(),
            33 => sys::chmod(&self.subdir(), self.rng.pick(&[0o000, 0o500, 0o755, 0o755])),
            34 => return self.git(),
            35 => self.link_rules(),
            36 => sys::symlink(self.outside(), self.subdir().join(self.rng.pick(&[".git", ".jj"]))),
            37 => match self.rng.chance(50) {
                true => fs::create_dir_all(self.outside()),
                false => fs::remove_dir_all(self.outside()),
            },
            _ => {
                let choices = [None, Some(["core.excludesFile", "~/excludes"])];
                self.environment = self.rng.pick(&choices);
                return format!("environment {:?}", self.environment);
            }
        };
        format!("{kind} {} {} {what:?}", path.display(), other.display())
    }

    fn dir(&mut self) -> PathBuf {
        self.tree.join(self.rng.pick(&DIRS))
    }

    /// A directory beside the tree, which may be missing.
    fn outside(&self) -> PathBuf {
        self.tree.path().with_file_name("outside")
    }

    fn subdir(&mut self) -> PathBuf {
        self.tree.join(self.rng.pick(&DIRS[1..]))
    }

    fn path(&mut self) -> PathBuf {
        self.dir().join(self.rng.pick(&NAMES))
    }

    /// Writes a file that decides what is ignored; now and then of the same length and with the
    /// same time of modification as before.
    fn write_rules(&mut self) -> std::io::Result<()> {
        let path = self.tree.join(self.rng.pick(&RULE_FILES));
        fs::create_dir_all(path.parent().expect("a file in a directory"))?;
        if self.rng.chance(40) {
            let (metadata, old) = (fs::metadata(&path)?, fs::read(&path)?);
            fs::write(
                &path,
                old.iter().map(|byte| byte ^ u8::from(*byte > b'a')).collect::<Vec<_>>(),
            )?;
            return fs::File::options().write(true).open(&path)?.set_modified(metadata.modified()?);
        }
        fs::write(path, self.rng.pick(&RULES))
    }

    /// Puts a link to another file in the place of one that decides what is ignored.
    fn link_rules(&mut self) -> std::io::Result<()> {
        let [path, target] = [(); 2].map(|()| self.tree.join(self.rng.pick(&RULE_FILES)));
        fs::remove_file(&path)?;
        match self.rng.chance(70) {
            true => sys::symlink(target, path),
            false => fs::hard_link(target, path),
        }
    }

    fn write_git_config(&mut self) -> std::io::Result<()> {
        let path = self.tree.join(self.rng.pick(&GIT_CONFIG_FILES));
        fs::create_dir_all(path.parent().expect("a file in a directory"))?;
        fs::write(path, self.rng.pick(&GIT_CONFIGS))
    }

    /// Makes two directories change places.
    fn swap(&mut self) -> std::io::Result<()> {
        let (one, other) = (self.subdir(), self.subdir());
        let aside = self.tree.path().with_file_name("aside");
        fs::rename(&one, &aside)?;
        // What fails is undone: the other directory may lie in this one.
        let moved = fs::rename(&other, &one);
        fs::rename(&aside, if moved.is_ok() { &other } else { &one })
    }

    /// Puts a symbolic link to a directory in the place of it.
    fn replace_by_link(&mut self) -> std::io::Result<()> {
        let dir = self.subdir();
        let aside = self.tree.path().with_file_name(format!("aside{}", self.rng.u32(..1000)));
        fs::rename(&dir, &aside)?;
        sys::symlink(&aside, &dir)
    }

    /// Commits everything, or checks out something else.
    fn git(&mut self) -> String {
        let commands: [&[&str]; 5] = [
            &["init", "-q"],
            &["add", "-A"],
            &["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "more"],
            &["checkout", "-qf", "HEAD~1"],
            &["checkout", "-qf", "-"],
        ];
        let from = self.rng.usize(..commands.len());
        for args in &commands[from..(from + 3).min(commands.len())] {
            let mut git = Command::new("git");
            git.args(*args).current_dir(self.tree.path());
            sys::set_environment(&mut git, &self.tree.home());
            if let Err(error) = git.output() {
                skip_part("changes by git", format!("git is not installed: {error}"));
            }
        }
        format!("git {:?} and more", commands[from])
    }

    /// Lines of words, of a few bytes or of several blocks.
    fn text(&mut self) -> Vec<u8> {
        let lines = self.rng.pick(&[0, 1, 3, 3, 10, 2000]);
        let mut text = Vec::new();
        for _ in 0..lines {
            for _ in 0..self.rng.usize(..5) {
                text.extend(self.rng.pick(&WORDS).as_bytes());
                text.push(b' ');
            }
            text.push(b'\n');
        }
        if self.rng.chance(5) {
            text.push(0);
        }
        match self.rng.u32(..40) {
            0 => [b"\xef\xbb\xbf", &text[..]].concat(),
            1 => [b"\xff\xfe", &text[..]].concat(),
            _ => text,
        }
    }

    fn write(&mut self) -> String {
        let (path, text) = (self.path(), self.text());
        let dir = path.parent().expect("a file in a directory");
        let written = fs::create_dir_all(dir).and_then(|()| fs::write(&path, text));
        format!("write {} {written:?}", path.display())
    }

    /// Gives a file other contents of the same length and the same time of modification.
    fn rewrite(&mut self, path: &Path) -> String {
        let rewritten = (|| {
            let metadata = fs::metadata(path)?;
            let mut text = self.text().repeat(metadata.len() as usize / 100 + 1);
            text.resize(metadata.len() as usize, b'x');
            let mut file = fs::File::options().write(true).open(path)?;
            file.write_all(&text)?;
            file.set_modified(metadata.modified()?)
        })();
        format!("rewrite {} {rewritten:?}", path.display())
    }

    fn copy_with_times(&mut self, from: &Path, to: &Path) -> std::io::Result<()> {
        let modified = fs::metadata(from)?.modified()?;
        fs::copy(from, to)?;
        fs::File::options().write(true).open(to)?.set_modified(modified)
    }

    fn set_times(&mut self, path: &Path) -> std::io::Result<()> {
        let age = Duration::from_secs(self.rng.pick(&[0, 1, 100_000]));
        fs::File::options().write(true).open(path)?.set_modified(SystemTime::now() - age)
    }

    /// Builds the index or brings it up to date, after the files are settled or at once.
    fn update(&mut self, is_settled: bool) {
        if is_settled {
            thread::sleep(Duration::from_millis(120));
        }
        let scope = self.rng.pick(&["-uu", "--hidden", "-L", "-q", "-q", "-q", "-q", "-q"]);
        let root = self.rng.pick(&[".", ".", ".", ".", "a", "c"]);
        let mut command = self.hs();
        let output = command.args(["--index-update", "-q", "--no-messages", scope, root]).output();
        let output = output.expect("a program");
        // The directory may be gone.
        assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
        if self.is_watched {
            // There may be no index, or one without directories.
            let output = self.hs().args(["--no-config", "--index-watch", root]).output();
            let output = output.expect("a program");
            assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
        }
    }

    fn hs(&self) -> Command {
        let mut command = Command::new(process::program());
        command.current_dir(self.tree.path()).env_clear();
        sys::set_environment(&mut command, &self.tree.home());
        command.env("XDG_CACHE_HOME", self.tree.home().join("cache"));
        if let Some([name, value]) = self.environment {
            command.env("GIT_CONFIG_COUNT", "1");
            command.env("GIT_CONFIG_KEY_0", name).env("GIT_CONFIG_VALUE_0", value);
        }
        command
    }

    /// The result of a search: standard output, messages, exit code.
    fn run(&mut self, index: &str, args: &[&str]) -> (String, String, Option<i32>) {
        let index = format!("--index={index}");
        let run = |command: &mut Command| command.output().expect("a program");
        let Output { status, stdout, stderr } = run(self.hs().arg(&index).args(args));
        if index == "--index=auto" && self.rng.chance(20) {
            let debugged = run(self.hs().args([&index, "--debug"]).args(args));
            let debugged = String::from_utf8_lossy(&debugged.stderr).into_owned();
            self.used[0].1 += u64::from(debugged.contains("debug: index of"));
            let is_used = debugged.contains("are as they were") && !debugged.contains(": 0 of");
            self.used[1].1 += u64::from(is_used);
            self.used[2].1 += u64::from(debugged.contains("changes are known"));
        }
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        // What is met before the first match ends the search is a matter of time.
        let messages = if args.contains(&"-q") { String::new() } else { text(stderr) };
        // Those of several workers are in no order.
        let mut messages: Vec<_> = messages.lines().collect();
        messages.sort_unstable();
        (text(stdout), messages.join("\n"), status.code())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for root in [".", "a", "c"].iter().filter(|_| self.is_watched) {
            // It may have ended, or there may be none.
            let _ = self.hs().args(["--no-config", "--index-unwatch", root]).output();
        }
    }
}

fn append(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = fs::File::options().write(true).open(path)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(text)
}
