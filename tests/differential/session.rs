//! Random haystacks, patterns and flags: what is printed has to be what ripgrep prints, byte for byte.

use std::{ffi::OsStr, fmt};

use crate::{
    answer::{Answer, Order},
    grow::{Random, Smaller},
    haystack::Haystack,
    known::{self, Case},
    process,
    temp_tree::TempTree,
    words,
};

/// Ignore files that a tree may have. They name few things: what they mean is tested elsewhere.
const RULES: [(&str, &str); 5] = [
    (".ignore", "*.log\n"),
    (".gitignore", "noise.*\n!sub\n"),
    (".rgignore", "!noise.log\n/sub/deep\n"),
    ("sub/.ignore", "!*.log\nc.txt\n"),
    (".rules", "*.rs\n"),
];

/// One command line and what it searches.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    files: Vec<Haystack>,
    rules: Vec<(&'static str, &'static str)>,
    /// Each flag with its value.
    flags: Vec<&'static str>,
    patterns: Vec<&'static str>,
    /// The patterns stand in a file.
    has_pattern_file: bool,
    input: Input,
    threads: usize,
}

/// Where the patterns stand then, out of the search's way.
const PATTERN_FILE: &str = "../home/patterns";

/// How the files are named to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Each by its name.
    Named,
    /// The first through a pipe.
    Piped,
    /// By the directory they are in.
    Walked,
    /// Not at all: the current directory is searched.
    Here,
    /// The first through a pipe that is named `-`, the others by their names.
    Both,
}

impl Session {
    pub(crate) fn grow(random: &mut Random) -> Session {
        use Input::{Both, Here, Named, Piped, Walked};
        Session::grow_for(random, &[Named, Named, Piped, Walked, Walked, Here, Both])
    }

    /// A session whose files are named in one of these ways.
    pub(crate) fn grow_for(random: &mut Random, inputs: &[Input]) -> Session {
        let input = inputs[random.below(inputs.len())];
        let files = if input == Input::Piped { 1 } else { 1 + random.below(4) };
        let patterns =
            if random.chance(15) { &words::PCRE2_PATTERNS[..] } else { &words::PATTERNS };
        Session {
            files: Haystack::tree(random, files),
            rules: RULES.into_iter().filter(|_| random.chance(8)).collect(),
            flags: flags(random),
            patterns: (0..1 + random.below(8) / 6).map(|_| random.pick(patterns)).collect(),
            has_pattern_file: random.chance(10),
            input,
            threads: [1, 1, 3][random.below(3)],
        }
    }

    /// The tree on disk.
    pub(crate) fn build(&self) -> TempTree {
        let tree = TempTree::new("session");
        for file in &self.files {
            tree.file(file.name, file.bytes());
        }
        for (name, lines) in &self.rules {
            tree.file(name, lines);
        }
        if self.has_pattern_file {
            tree.file(PATTERN_FILE, self.patterns.join("\n"));
        }
        tree
    }

    /// The session without the flags that do not satisfy `stays`.
    pub(crate) fn with_flags(mut self, stays: impl Fn(&str) -> bool) -> Session {
        self.flags.retain(|flag| stays(flag));
        self
    }

    /// What the one file holds that comes through standard input and nowhere else, if that is so.
    pub(crate) fn piped(&self) -> Option<&Haystack> {
        (self.input == Input::Piped).then(|| &self.files[0])
    }

    /// Make one file so large that several workers search it.
    pub(crate) fn enlarge(&mut self, random: &mut Random) {
        let file = random.below(self.files.len());
        self.files[file].enlarge();
    }

    /// What follows the program's name.
    pub(crate) fn args(&self) -> Vec<String> {
        // Maps see other blocks than reads, which shows in what is binary.
        let mut args: Vec<String> =
            ["--no-config", "--no-mmap"].into_iter().map(str::to_string).collect();
        args.push(format!("-j{}", self.threads));
        args.extend(self.flags.iter().flat_map(|flag| flag.split(' ')).map(str::to_string));
        if self.has_pattern_file {
            args.push(format!("--file={PATTERN_FILE}"));
        } else if !self.flags.contains(&"--files") {
            args.extend(self.patterns.iter().map(|pattern| format!("-e{pattern}")));
        }
        let named = |skipped| self.files.iter().skip(skipped).map(|file| file.name.to_string());
        match self.input {
            Input::Named => args.extend(named(0)),
            Input::Both => args.extend(std::iter::once("-".to_string()).chain(named(1))),
            Input::Walked => args.push(".".to_string()),
            Input::Piped | Input::Here => {}
        }
        args
    }

    /// Run `program` in the tree that was built.
    pub(crate) fn answer(&self, tree: &TempTree, program: &OsStr) -> Answer {
        let mut command = crate::command(tree, program, &tree.path());
        command.args(self.args());
        let is_piped = matches!(self.input, Input::Piped | Input::Both);
        let outcome = process::run(&mut command, is_piped.then(|| self.files[0].bytes()));
        assert!(!outcome.hung, "{self} hung");
        Answer::of(&outcome)
    }

    /// Whether the order of the files in the output is settled.
    pub(crate) fn order(&self) -> Order {
        // A list is one of the current directory, whatever comes through a pipe.
        let is_walk = matches!(self.input, Input::Walked | Input::Here) || self.has_flag("--files");
        let is_open = is_walk || self.has_several_workers();
        if is_open { self.order_of_many() } else { Order::Settled }
    }

    /// The same if there is more than one worker in any case.
    pub(crate) fn order_of_many(&self) -> Order {
        // Ignore files are searched like others where they are not hidden.
        let files = self.files.len() + self.rules.len();
        if files > 1 && !known::is_sorted(&self.args()) {
            Order::Open { files }
        } else {
            Order::Settled
        }
    }

    /// Whether it is over as soon as something is found, so that of several workers some may not come to complain.
    pub(crate) fn is_quiet(&self) -> bool {
        self.has_flag("-q") || self.has_flag("--json -q")
    }

    pub(crate) fn has_several_workers(&self) -> bool {
        self.threads > 1 || self.has_flag("-j2")
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// Which of the known differences this session may show.
    pub(crate) fn known(&self) -> Option<&'static known::Known> {
        // Some are known by their patterns.
        let plain = Session { has_pattern_file: false, ..self.clone() };
        known::find(&Case {
            args: &plain.args(),
            has_nul: self.files.iter().any(Haystack::has_nul),
            is_long: self.files.iter().any(Haystack::is_long),
            has_long_line: self.files.iter().any(Haystack::has_long_line),
            ends_within: self
                .files
                .iter()
                .any(|file| !file.bytes().last().is_none_or(u8::is_ascii)),
            is_utf8: self.files.iter().all(|file| str::from_utf8(&file.bytes()).is_ok()),
            is_piped: matches!(self.input, Input::Piped | Input::Both),
            files: self.files.len(),
        })
    }
}

/// Up to seven flags: most of them change what is printed, and a mode there is now and then.
fn flags(random: &mut Random) -> Vec<&'static str> {
    let mut flags: Vec<&str> = Vec::new();
    flags.extend((0..random.below(4)).map(|_| random.pick(&words::OUTPUT)));
    flags.extend((0..random.below(3)).map(|_| random.pick(&words::SEARCH)));
    if random.chance(30) {
        flags.push(random.pick(&words::MODES));
    }
    if random.chance(30) {
        flags.push(random.pick(&words::FILTER));
    }
    for last in (1..flags.len()).rev() {
        flags.swap(last, random.below(last + 1));
    }
    flags
}

impl Smaller for Session {
    /// Flags, files and patterns one by one; of lines first halves, then quarters, at last single ones.
    fn smaller(&self) -> impl Iterator<Item = Session> {
        let without = |change: &dyn Fn(&mut Session)| {
            let mut session = self.clone();
            change(&mut session);
            session
        };
        let flags = (0..self.flags.len()).map(move |at| {
            without(&|s| {
                s.flags.remove(at);
            })
        });
        let rules = (0..self.rules.len()).map(move |at| {
            without(&|s| {
                s.rules.remove(at);
            })
        });
        let files = (0..self.files.len())
            .filter(|_| self.files.len() > 1)
            .map(move |at| without(&|s| drop(s.files.remove(at))));
        let patterns =
            (0..self.patterns.len()).filter(|_| self.patterns.len() > 1).map(move |at| {
                without(&|s| {
                    s.patterns.remove(at);
                })
            });
        let threads = (self.threads > 1).then(|| without(&|s| s.threads = 1));
        let plain = self.has_pattern_file.then(|| without(&|s| s.has_pattern_file = false));
        let lines = (0..self.files.len()).flat_map(move |file| {
            let count = self.files[file].lines.len();
            let sizes = std::iter::successors(Some(count.div_ceil(2)), |size| {
                (*size > 1).then(|| size.div_ceil(2))
            });
            let pieces = sizes
                .flat_map(move |size| (0..count).step_by(size.max(1)).map(move |at| (at, size)));
            pieces.map(move |(at, size)| {
                without(&|s| drop(s.files[file].lines.drain(at..(at + size).min(count))))
            })
        });
        threads
            .into_iter()
            .chain(plain)
            .chain(flags)
            .chain(rules)
            .chain(files)
            .chain(patterns)
            .chain(lines)
    }
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}, {:?}, rules {:?}", self.input, self.args(), self.rules)?;
        if self.has_pattern_file {
            writeln!(f, "patterns {:?}", self.patterns)?;
        }
        self.files.iter().try_for_each(|file| file.fmt(f))
    }
}
