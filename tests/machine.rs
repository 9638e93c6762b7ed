//! A random machine of operations on files. After each of them, a random search with an index,
//! which was built some operations before, is compared with the same search without one.
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

use crate::harness::{
    TempTree, process,
    random::{Choose, Rng, env_number},
    sys,
};

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
const RULES: [&str; 6] = ["*.log\n", "*.log\n!keep.log\n", "target/\n", "two.c\n", "", "/a\n"];

#[test]
fn every_step_is_seen() {
    let steps = env_number("HS_TEST_STEPS", 120);
    let seed = env_number("HS_TEST_SEED", 1);
    let mut machine = Machine::new(seed);
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
    assert!(machine.used > steps / 10, "an index was of use {} times only", machine.used);
}

/// A tree that is changed and searched.
struct Machine {
    tree: TempTree,
    rng: Rng,
    /// How often an index has spared reading a file.
    used: u64,
}

impl Machine {
    fn new(seed: u64) -> Machine {
        let tree = TempTree::new("machine");
        tree.git_init("");
        let mut machine = Machine { tree, rng: Rng::with_seed(seed), used: 0 };
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
        let kind = self.rng.u32(..26);
        let what = match kind {
            0..=3 => return self.write(),
            4..=6 => return self.rewrite(&path),
            7 => fs::remove_file(&path),
            8 | 9 => fs::rename(&path, &other),
            10 => fs::hard_link(&path, &other),
            11 => sys::symlink(&other, &path),
            12 => fs::create_dir_all(&path),
            13 => fs::rename(self.subdir(), self.subdir()),
            14 => fs::rename(self.subdir(), self.tree.path().with_file_name("outside")),
            15 => fs::rename(self.tree.path().with_file_name("outside"), self.subdir()),
            16 | 17 => fs::write(self.dir().join(self.rule_file()), self.rng.pick(&RULES)),
            18 => self.copy_with_times(&path, &other),
            19 => self.set_times(&path),
            20 => sys::chmod(&path, self.rng.pick(&[0o000, 0o644, 0o755])),
            21 => {
                fs::remove_dir_all(self.dir()).and_then(|()| fs::create_dir_all(self.tree.path()))
            }
            22 => append(&path, &self.text()),
            _ => {
                self.update(kind == 23);
                return format!("update, settled: {}", kind == 23);
            }
        };
        format!("{kind} {} {} {what:?}", path.display(), other.display())
    }

    fn dir(&mut self) -> PathBuf {
        self.tree.join(self.rng.pick(&DIRS))
    }

    fn subdir(&mut self) -> PathBuf {
        self.tree.join(self.rng.pick(&DIRS[1..]))
    }

    fn path(&mut self) -> PathBuf {
        self.dir().join(self.rng.pick(&NAMES))
    }

    fn rule_file(&mut self) -> &'static str {
        self.rng.pick(&[".gitignore", ".ignore", ".rgignore", ".git/info/exclude"])
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
        let scope = self.rng.pick(&["-uu", "--hidden", "--no-messages"]);
        let root = self.rng.pick(&[".", ".", ".", "a", "c"]);
        let mut command = self.hs();
        let output = command.args(["--index-update", "-q", "--no-messages", scope, root]).output();
        let output = output.expect("a program");
        // The directory may be gone.
        assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
    }

    /// The arguments of a search.
    fn search(&mut self) -> Vec<&'static str> {
        const PATTERNS: [&str; 16] = [
            "diamond",
            "-iopal",
            "garnet",
            "-igarnet",
            "ruby|jet",
            r"zircon\d+",
            "-i kunzite",
            "spinel",
            "-ispinel",
            "topaz.*jet",
            "émeraude",
            r"-Ujet \n.*opal",
            "-iÉMERAUDE",
            "xxx",
            r"\w+ite",
            "Opal ",
        ];
        const FLAGS: [&str; 24] = [
            "-n",
            "-c",
            "-l",
            "--files-without-match",
            "--count-matches",
            "-o",
            "-v",
            "-q",
            "-uu",
            "-uuu",
            "--hidden",
            "-a",
            "--binary",
            "-w",
            "-F",
            "-A2",
            "-m1",
            "-gone*",
            "-g!*.log",
            "--null-data",
            "--include-zero",
            "-L",
            "-j1",
            "-d2",
        ];
        let mut args = vec!["--no-config", "--sort=path", "--index-after=0"];
        if self.rng.chance(7) {
            args.push("--files");
        } else {
            let pattern = self.rng.pick(&PATTERNS);
            args.extend(
                pattern.split_inclusive("-i ").map(str::trim_end).filter(|p| !p.is_empty()),
            );
            if let Some(letter) = pattern.strip_prefix("-i").or(pattern.strip_prefix("-U")) {
                args.truncate(3);
                args.extend([&pattern[..2], letter.trim_start()]);
            }
        }
        for _ in 0..self.rng.usize(..3) {
            args.push(self.rng.pick(&FLAGS));
        }
        match self.rng.u32(..8) {
            0 => args.push("a"),
            1 => args.extend(["c", "a"]),
            2 => args.push("one.c"),
            3 => args.push(self.rng.pick(&["./a/..", "a/b", ".hid"])),
            _ => args.push("./"),
        }
        args
    }

    fn hs(&self) -> Command {
        let mut command = Command::new(process::program());
        command.current_dir(self.tree.path()).env_clear();
        sys::set_environment(&mut command, &self.tree.home());
        command.env("XDG_CACHE_HOME", self.tree.home().join("cache"));
        command
    }

    /// The result of a search: standard output, messages, exit code.
    fn run(&mut self, index: &str, args: &[&str]) -> (String, String, Option<i32>) {
        let index = format!("--index={index}");
        let run = |command: &mut Command| command.output().expect("a program");
        let Output { status, stdout, stderr } = run(self.hs().arg(&index).args(args));
        if index == "--index=auto" && !args.contains(&"--files") && self.rng.chance(10) {
            let debugged = run(self.hs().args([&index, "--debug"]).args(args));
            let debugged = String::from_utf8_lossy(&debugged.stderr).into_owned();
            self.used += u64::from(debugged.contains("debug: index of"));
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

fn append(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = fs::File::options().write(true).open(path)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(text)
}
