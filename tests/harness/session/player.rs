//! Plays the steps of a case: prepares its tree, makes its runs and checks them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::{Command, Stdio},
};

use regex_automata::meta::Regex;
use skipped_tests::skip_part;

use super::{Below, Marks, Runs, Step, unescape};
use crate::harness::{
    Hs, TempTree,
    process::{self, Outcome},
    run::{self, Run},
    succeeds,
    sys::name as path,
    windows,
};

/// Plays the steps of a case in its tree.
pub(super) struct Player<'t> {
    file: &'t str,
    title: &'t str,
    tree: &'t TempTree,
    hs: Hs<'t>,
    /// The marks of all runs.
    marks: Marks,
    each: Vec<(String, Vec<String>)>,
    /// Whether the machine lacks what the case needs, or the case is about another program.
    is_skipped: bool,
    /// Whether a run has not met its expectations.
    pub(super) has_failed: bool,
    pub(super) runs: Runs,
}

impl<'t> Player<'t> {
    pub(super) fn new(file: &'t str, title: &'t str, tree: &'t TempTree) -> Player<'t> {
        Player {
            file,
            title,
            tree,
            hs: Hs::new(tree),
            marks: Marks::default(),
            each: Vec::new(),
            is_skipped: false,
            has_failed: false,
            runs: Runs::default(),
        }
    }

    /// Prepares the tree, or makes a run.
    pub(super) fn step(&mut self, step: &Step) {
        if self.is_skipped {
            self.runs.skipped += usize::from(step.is_run());
            return;
        }
        let place = format!("{}:{}: {}", self.file, step.number, step.text);
        let (verb, rest) = step.text.split_once(' ').unwrap_or((&step.text, ""));
        let fill = |text: &str| self.fill(text);
        let words = || -> Vec<Vec<u8>> {
            let words = shlex::split(rest).unwrap_or_else(|| panic!("{place}: an open quote"));
            words.iter().map(|word| unescape(&(fill(word) + "\\"))).collect()
        };
        let tree = self.tree;
        if let Some(why) = self.leaves_out(verb, words) {
            eprintln!("left out {}: {}: {why}", self.file, self.title);
            self.is_skipped = true;
            return;
        }
        if verb == "%" && !run::has_shell() {
            return self.skip("there is no shell `sh`");
        }
        match verb {
            "$" => self.runs(step, &place),
            "%" => drop(self.hs.line(&fill(rest)).at(&place).prints("")),
            "needs" => {
                let mut command = Command::new("sh");
                command.args(["-c", rest]).current_dir(tree.path());
                if !succeeds(command.stdout(Stdio::null())) {
                    self.skip(&lack(rest));
                }
            }
            "file" => {
                let contents = step.bytes('|', &fill).unwrap_or_default();
                tree.files(words().iter().map(|name| path(name)), contents);
            }
            "dir" => {
                for name in words() {
                    tree.dir(path(&name));
                }
            }
            "pipe" => {
                for name in words() {
                    tree.fifo(path(&name));
                }
            }
            "wide" => match &words()[..] {
                [dirs, files] => {
                    tree.wide(number(dirs), number(files));
                }
                _ => panic!("{place}: not two numbers"),
            },
            "mode" => {
                let (mode, name) =
                    rest.split_once(' ').unwrap_or_else(|| panic!("{place}: no name"));
                let mode = u32::from_str_radix(mode, 8).unwrap_or_else(|e| panic!("{place}: {e}"));
                tree.chmod(name, mode);
            }
            "link" => match &words()[..] {
                [name, arrow, target] if arrow == b"->" => {
                    tree.symlink(path(target), path(name));
                }
                _ => panic!("{place}: not NAME -> TARGET"),
            },
            "each" => {
                let mut values = shlex::split(rest).unwrap_or_default().into_iter();
                let name = format!("${}", values.next().unwrap_or_default());
                self.each.push((name, values.collect()));
            }
            _ => assert!(self.marks.add(&step.text), "{place}: not a line of a session"),
        }
    }

    /// Skips what is left of the case, because this machine lacks what `why` names.
    fn skip(&mut self, why: &str) {
        skip_part(&format!("{}: {}", self.file, self.title), why);
        self.is_skipped = true;
    }

    /// Why the case does not concern the program that is tested, if that is so.
    fn leaves_out(&self, verb: &str, words: impl Fn() -> Vec<Vec<u8>>) -> Option<&'static str> {
        if verb == "%" && self.marks.difference.is_some() && process::oracle().is_some() {
            return Some("ripgrep differs");
        }
        if !run::is_for_windows() {
            return None;
        }
        match verb {
            "pipe" => Some("Windows has no named pipes in directories"),
            "link" if cfg!(unix) => Some("Wine shows what a symbolic link points to"),
            "link" if !self.tree.can_link() => Some("this user may not create symbolic links"),
            "file" | "dir" => words().iter().find_map(|name| windows::cannot_have(name)),
            _ => None,
        }
    }

    /// `text` with the paths of the tree and the home directory.
    fn fill(&self, text: &str) -> String {
        let show = |path: PathBuf| path.display().to_string();
        text.replace("$TREE", &show(self.tree.path())).replace("$HOME", &show(self.tree.home()))
    }

    /// Makes a run for each combination of the values of the variables in it.
    fn runs(&mut self, step: &Step, place: &str) {
        let lines = || step.below.iter().map(|line| &line.text).chain([&step.text]);
        let mut combinations: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
        for (name, values) in self.each.iter().filter(|(name, _)| lines().any(|l| l.contains(name)))
        {
            let pairs = values.iter().map(|value| (name.as_str(), value.as_str()));
            combinations = pairs
                .flat_map(|pair| {
                    combinations.iter().map(move |before| [&before[..], &[pair]].concat())
                })
                .collect();
        }
        let mut has_failed = false;
        for combination in &combinations {
            let fill = |text: &str| {
                let text = self.fill(text);
                combination.iter().fold(text, |text, (name, value)| text.replace(name, value))
            };
            let place = if combination.is_empty() { place } else { &fill(place) };
            match catch_unwind(AssertUnwindSafe(|| self.run(step, place, fill))) {
                Ok(true) => self.runs.made += 1,
                Ok(false) => self.runs.skipped += 1,
                Err(_) => has_failed = true,
            }
        }
        self.has_failed |= has_failed;
    }

    /// Makes a run and checks it. False if it is skipped.
    fn run(&self, step: &Step, place: &str, fill: impl Fn(&str) -> String) -> bool {
        let mut marks = self.marks.clone();
        let lines = |mark| step.below.iter().filter(move |line| line.mark == mark);
        for line in lines(' ') {
            marks.add(&fill(&line.text));
        }
        let input = step.bytes('<', &fill);
        let start = |line: &str| self.start(place, line, &marks, input.clone());
        let mut run = start(&fill(&step.text[2..]));
        let is_made = !run.is_skipped();
        for line in lines('~').chain(lines('!')) {
            run = contains(run, line, &fill(&line.text));
        }
        if let Some(expected) = step.bytes('|', &fill) {
            run = if marks.any_order {
                run.prints_in_any_order(expected)
            } else {
                run.prints(expected)
            };
        }
        if !marks.exits.is_empty() {
            run = run.exits_with_one_of(&marks.exits);
        }
        for line in lines('=') {
            let other = start(fill(&line.text).trim_start()).outcome();
            run = resembles(run, line, other, marks.any_order);
        }
        if step.below.iter().all(|line| matches!(line.mark, ' ' | '<')) {
            run.prints("");
        }
        is_made
    }

    /// A run of `line` without expectations.
    fn start(&self, place: &str, line: &str, marks: &Marks, input: Option<Vec<u8>>) -> Run<'t> {
        let moved = line.strip_prefix("cd ").and_then(|rest| rest.split_once(" && "));
        let (dir, line) = moved.unwrap_or(("", line));
        let words = if marks.terminal { None } else { words(line) };
        let mut run = match words {
            Some(words) => self.hs.words(&words),
            None if marks.terminal => self.hs.line_on_terminal(line),
            None => self.hs.line(line),
        };
        run = run.at(place).cwd(dir);
        if marks.cold {
            self.tree.evict_from_page_cache();
        }
        if let Some(input) = input {
            run = run.stdin(input);
        }
        if let Some(name) = &marks.config {
            run = run.config(name);
        }
        if marks.nobody {
            run = run.by_unprivileged_user();
        }
        if let Some(reason) = &marks.difference {
            run = run.differs_from_ripgrep(reason);
        }
        if let Some(reason) = &marks.unix {
            run = run.unix_only(reason);
        }
        if marks.windows {
            run = run.windows_only();
        }
        run
    }
}

/// Expects that an output, standard error if the mark is `!`, contains a text or matches a regex.
fn contains<'t>(run: Run<'t>, line: &Below, text: &str) -> Run<'t> {
    let regex = text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
    let regex = regex.map(|regex| Regex::new(regex).unwrap_or_else(|e| panic!("{regex}: {e}")));
    let part = match regex {
        Some(_) => Vec::new(),
        None => {
            let text = text.strip_prefix(' ').expect("a blank or a slash");
            run.portable(&unescape(&format!("{text}\\"))).into_owned()
        }
    };
    let holds = |output: &[u8]| {
        line.is_negated
            != match &regex {
                Some(regex) => regex.is_match(String::from_utf8_lossy(output).as_bytes()),
                None => output.windows(part.len()).any(|window| window == part),
            }
    };
    let what = format!("it {} {text}", if line.is_negated { "lacks" } else { "contains" });
    if line.mark == '!' {
        run.stderr_satisfies(&what, |messages| holds(messages.as_bytes()))
    } else {
        run.stdout_satisfies(&what, holds)
    }
}

/// Expects output, messages and status to be those of `other`, or not to be.
fn resembles<'t>(run: Run<'t>, line: &Below, other: Option<Outcome>, any_order: bool) -> Run<'t> {
    let Some(other) = other else {
        return run.satisfies("anything: it is skipped", |_| true);
    };
    let all = |outcome: &Outcome| {
        let stdout = outcome.stdout.clone();
        let stdout = if any_order { run::sorted_lines(&stdout).concat() } else { stdout };
        (stdout, run::messages(&outcome.stderr), outcome.status.code())
    };
    let expected = all(&other);
    let shown = expected.0.escape_ascii().to_string().replace("\\n", "\n");
    let what = format!(
        "it {} that of{}:\n{shown}",
        if line.is_negated { "is not" } else { "is" },
        line.text
    );
    run.satisfies(&what, |outcome| line.is_negated != (all(outcome) == expected))
}

/// The words of a line that only starts `hs`, for which no shell is needed.
fn words(line: &str) -> Option<Vec<String>> {
    let words = shlex::split(line).filter(|_| !needs_shell(line))?;
    let name = words.iter().find(|word| !word.contains('='))?;
    (name == "hs").then_some(words)
}

/// Whether a shell has to read `line`: a character that is special to it is not in quotes.
fn needs_shell(line: &str) -> bool {
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | '~' | '#')
            | (None | Some('"'), '$' | '`' | '\\') => return true,
            _ => {}
        }
    }
    false
}

/// What a machine lacks on which the command of a line `needs` fails. `zsh --version` becomes
/// `zsh is not installed`.
fn lack(command: &str) -> String {
    match command.strip_suffix(" --version") {
        Some(program) => format!("{program} is not installed"),
        None => format!("`{command}` fails"),
    }
}

fn number(word: &[u8]) -> usize {
    String::from_utf8_lossy(word).parse().expect("a number")
}
