//! Sessions: tests as text, which read like what is typed and shown in a terminal.
//!
//! ```text
//! # A comment.
//!
//! == context lines are marked
//! file hoard
//! |rock
//! |a gem
//!
//! $ hs -n -B1 gem hoard
//! |1-rock
//! |2:a gem
//!
//! $ hs gem hoard missing
//! |hoard:a gem
//! ! missing: No such file or directory
//! exit 2
//! ```
//!
//! `==` begins a case, which has a tree of its own; lines before the first `==` apply to each case.
//! These lines prepare the tree, relative to its top:
//!
//! | line | meaning |
//! |---|---|
//! | `file NAME...` | files with the lines below, each after `\|`; `20\|` repeats a line 20 times |
//! | `dir NAME...`, `pipe NAME...` | directories and named pipes |
//! | `link NAME -> TARGET` | a symbolic link |
//! | `mode 755 NAME` | permissions |
//! | `wide 60 5` | `dir000` to `dir059`, each with `file000` to `file004` that contain `gem` |
//! | `% COMMAND` | a command for the shell, which has to succeed and print nothing |
//! | `needs COMMAND` | the case ends here, and passes, unless the command succeeds |
//! | `each NAME VALUE...` | runs that contain `$NAME` are repeated with each value |
//!
//! `$ ` begins a run of `hs`, and `> ` continues its line. The line is one for a shell, which is
//! started only if it is needed; `cd DIR && ` and `NAME=VALUE ` in front of `hs` do not need one.
//! `$TREE` and `$HOME` stand for the tree and the empty home directory beside it. Below the run is
//! what it is given and expected to do; otherwise it has no input, prints nothing and exits with 0:
//!
//! | line | meaning |
//! |---|---|
//! | `<LINE` | a line of standard input, which is a pipe |
//! | `\|LINE` | a line of standard output, which has these lines only |
//! | `~ TEXT`, `~/REGEX/` | standard output contains the text, matches the regex |
//! | `! TEXT`, `!/REGEX/` | standard error likewise, without the name of the program |
//! | `= COMMAND` | output, messages and status are those of another command |
//! | `/~ TEXT`, `/! TEXT`, `/= COMMAND` | the opposite |
//! | `exit 2` | the exit status; `exit 0 1` if a race decides |
//!
//! In text, `\t`, `\r`, `\n`, `\0`, `\e`, `\x01` and `\\` stand for single bytes, and a line that
//! ends in `\` has no line feed. The marks in [`Marks::add`] change how a run is made and compared;
//! before the first run they apply to all runs of the case.

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use super::TempTree;
use player::Player;

mod player;

/// Plays the cases of the session `name`, and fails if one of them does.
///
/// `HS_TEST_CASE=TEXT` plays only the cases whose titles contain the text.
pub(crate) fn play(name: &str) {
    let file = format!("tests/sessions/{name}.txt");
    let text = fs::read_to_string(directory().join(name).with_extension("txt"));
    let (common, cases) = parse(&file, &text.unwrap_or_else(|e| panic!("{file}: {e}")));
    let wanted = env::var("HS_TEST_CASE").unwrap_or_default();
    let (mut failed, mut runs) = (Vec::new(), Runs::default());
    for case in cases.iter().filter(|case| case.title.contains(&wanted)) {
        let tree = TempTree::new("session");
        let mut player = Player::new(&file, &case.title, &tree);
        let steps = common.iter().chain(&case.steps);
        // A failed preparation is a panic, which ends the case; failed runs are counted.
        let played = catch_unwind(AssertUnwindSafe(|| steps.for_each(|step| player.step(step))));
        if played.is_err() || player.has_failed {
            failed.push(&case.title);
        }
        runs.made += player.runs.made;
        runs.skipped += player.runs.skipped;
    }
    eprintln!("{file}: {} runs made, {} skipped", runs.made, runs.skipped);
    assert!(failed.is_empty(), "{file}: {} cases failed: {failed:#?}", failed.len());
}

/// The directory of the sessions.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sessions")
}

/// How many runs have been made and skipped.
#[derive(Default)]
struct Runs {
    made: usize,
    skipped: usize,
}

struct Case {
    title: String,
    steps: Vec<Step>,
}

/// A line and what belongs to it: the contents of a file, or input and expectations of a run.
struct Step {
    /// The number of the line.
    number: usize,
    text: String,
    below: Vec<Below>,
}

/// A line of contents, input or expectation.
struct Below {
    /// The mark in front: `<`, `|`, `~`, `!`, `=`, or a blank for a line of [`Marks`].
    mark: char,
    /// Whether a slash precedes the mark.
    is_negated: bool,
    times: usize,
    text: String,
}

/// The lines before the first case, and the cases.
fn parse(file: &str, text: &str) -> (Vec<Step>, Vec<Case>) {
    let (mut common, mut cases) = (Vec::new(), Vec::<Case>::new());
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line == "#" || line.starts_with("# ") {
            continue;
        }
        if let Some(title) = line.strip_prefix("== ") {
            cases.push(Case { title: title.to_string(), steps: Vec::new() });
            continue;
        }
        let steps = cases.last_mut().map_or(&mut common, |case| &mut case.steps);
        match (Below::parse(line), steps.last_mut()) {
            (Some(below), Some(step)) if step.is_run() || below.mark == '|' => {
                step.below.push(below);
            }
            (Some(_), _) => panic!("{file}:{}: nothing that it belongs to: {line}", index + 1),
            (None, Some(step)) if line.starts_with("> ") => {
                step.text += &format!("\n{}", &line[2..]);
            }
            (None, Some(step)) if step.is_run() && Marks::default().add(line) => {
                let text = line.to_string();
                step.below.push(Below { mark: ' ', is_negated: false, times: 1, text });
            }
            (None, _) => {
                let step = Step { number: index + 1, text: line.to_string(), below: Vec::new() };
                steps.push(step);
            }
        }
    }
    (common, cases)
}

impl Step {
    fn is_run(&self) -> bool {
        self.text.starts_with("$ ")
    }

    /// The bytes of the lines after `mark`, if there are any.
    fn bytes(&self, mark: char, fill: &impl Fn(&str) -> String) -> Option<Vec<u8>> {
        let mut lines = self.below.iter().filter(|line| line.mark == mark).peekable();
        lines.peek()?;
        Some(lines.flat_map(|line| unescape(&fill(&line.text)).repeat(line.times)).collect())
    }
}

impl Below {
    fn parse(line: &str) -> Option<Below> {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (times, line) = line.split_at(digits);
        let negated = line.strip_prefix('/');
        let mark = negated.unwrap_or(line).chars().next()?;
        let is_mark = if digits > 0 {
            "<|"
        } else if negated.is_some() {
            "~!="
        } else {
            "<|~!="
        };
        is_mark.contains(mark).then(|| Below {
            mark,
            is_negated: negated.is_some(),
            times: times.parse().unwrap_or(1),
            text: negated.unwrap_or(line)[1..].to_string(),
        })
    }
}

/// How a run is made, and what is expected of it beside its output.
#[derive(Clone, Default)]
struct Marks {
    any_order: bool,
    nobody: bool,
    terminal: bool,
    cold: bool,
    windows: bool,
    unix: Option<String>,
    config: Option<String>,
    difference: Option<String>,
    exits: Vec<i32>,
}

impl Marks {
    /// Adds the mark in `line`. False if it is none.
    fn add(&mut self, line: &str) -> bool {
        let value = |name| line.strip_prefix(name).map(str::to_string);
        match line {
            // The lines are compared in sorted order.
            "any order" => self.any_order = true,
            // Run by an unprivileged user, if the test runs as root.
            "as nobody" => self.nobody = true,
            "on a terminal" => self.terminal = true,
            // The files are evicted from the page cache before the run.
            "from the disk" => self.cold = true,
            // Only run with a program for Windows, whose paths are then compared as they are.
            "windows only" => self.windows = true,
            // Not run with a program for Windows, for the reason given.
            _ if line.starts_with("unix only: ") => self.unix = value("unix only: "),
            _ if line.starts_with("config ") => self.config = value("config "),
            // Not run with ripgrep, for the reason given.
            _ if line.starts_with("differs from ripgrep: ") => {
                self.difference = value("differs from ripgrep: ");
            }
            _ if line.starts_with("exit ") => {
                let codes = line.split(' ').skip(1);
                self.exits = codes.map(|code| code.parse().expect("an exit status")).collect();
            }
            _ => return false,
        }
        true
    }
}

/// The bytes of a line, whose escapes are in the head of this file.
fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            None => return bytes,
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'n') => b'\n',
            Some(b'e') => 0x1b,
            Some(b'0') => 0,
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let digits = [rest.next(), rest.next()].map(Option::unwrap_or_default);
                let byte =
                    str::from_utf8(&digits).ok().and_then(|d| u8::from_str_radix(d, 16).ok());
                byte.unwrap_or_else(|| panic!("two digits follow \\x: {line}"))
            }
            Some(other) => panic!("unknown escape \\{}: {line}", char::from(other)),
        });
    }
    bytes.push(b'\n');
    bytes
}
