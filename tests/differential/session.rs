//! Random haystacks, patterns and flags, for which `hs` has to print the bytes that ripgrep prints.

use std::{ffi::OsStr, fmt};

use crate::{
    answer::{Answer, Order},
    generate::{Shrink, changed},
    haystack::Haystack,
    known::{self, Case},
    process,
    random::{Choose, Rng},
    temp_tree::TempTree,
    words,
};

/// The ignore files that a tree can have. They are simple: `generate` tests what rules mean.
const RULES: [(&str, &str); 5] = [
    (".ignore", "*.log\n"),
    (".gitignore", "noise.*\n!sub\n"),
    (".rgignore", "!noise.log\n/sub/deep\n"),
    ("sub/.ignore", "!*.log\nc.txt\n"),
    (".rules", "*.rs\n"),
];

/// The flag that names the last of the ignore files, which has to exist then.
const NAMED_RULES: &str = "--ignore-file=.rules";

/// A command line and the files it searches.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    files: Vec<Haystack>,
    rules: Vec<(&'static str, &'static str)>,
    /// Flags with their values.
    flags: Vec<&'static str>,
    patterns: Vec<&'static str>,
    /// The patterns are passed in a file.
    has_pattern_file: bool,
    input: Input,
    threads: usize,
}

/// The file of patterns, outside the searched tree.
const PATTERN_FILE: &str = "../home/patterns";

/// How the program receives the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Every file is an argument.
    Named,
    /// The first file is standard input.
    Piped,
    /// Their directory is an argument.
    Walked,
    /// No argument: the program searches the current directory.
    Here,
    /// The first file is standard input, named `-`; the others are arguments.
    Both,
}

impl Session {
    pub(crate) fn generate(rng: &mut Rng) -> Session {
        use Input::{Both, Here, Named, Piped, Walked};
        Session::generate_for(rng, &[Named, Named, Piped, Walked, Walked, Here, Both])
    }

    /// Returns a session with one of these inputs.
    pub(crate) fn generate_for(rng: &mut Rng, inputs: &[Input]) -> Session {
        let input = rng.pick(inputs);
        let files = if input == Input::Piped { 1 } else { 1 + rng.usize(..4) };
        let patterns = if rng.chance(15) { words::pcre2_patterns() } else { words::patterns() };
        let files = Haystack::files(rng, files);
        let mut rules: Vec<_> = RULES.into_iter().filter(|_| rng.chance(8)).collect();
        let flags = flags(rng);
        if flags.contains(&NAMED_RULES) && !rules.contains(&RULES[4]) {
            rules.push(RULES[4]);
        }
        Session {
            files,
            rules,
            flags,
            patterns: (0..1 + rng.usize(..8) / 6).map(|_| rng.pick(&patterns)).collect(),
            has_pattern_file: rng.chance(10),
            input,
            threads: rng.pick(&[1, 1, 3]),
        }
    }

    /// Writes the files to disk.
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

    /// Keeps the flags that satisfy `keep`.
    pub(crate) fn with_flags(mut self, keep: impl Fn(&str) -> bool) -> Session {
        self.flags.retain(|flag| keep(flag));
        self
    }

    /// Returns the only file if it is standard input.
    pub(crate) fn piped(&self) -> Option<&Haystack> {
        (self.input == Input::Piped).then(|| &self.files[0])
    }

    /// Makes one file so large that several workers search it.
    pub(crate) fn enlarge(&mut self, rng: &mut Rng) {
        let file = rng.usize(..self.files.len());
        self.files[file].enlarge();
    }

    /// The arguments after the program's name.
    pub(crate) fn args(&self) -> Vec<String> {
        // Memory maps and reads see different blocks, which shows in binary files.
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

    /// Runs `program` in the tree that [`build`](Session::build) returned.
    pub(crate) fn answer(&self, tree: &TempTree, program: &OsStr) -> Answer {
        let mut command = crate::command(tree, program, &tree.path());
        command.args(self.args());
        let outcome = process::run(&mut command, self.is_piped().then(|| self.files[0].bytes()));
        assert!(!outcome.hung, "{self} hung");
        Answer::of(&outcome)
    }

    /// Whether the first file is standard input.
    fn is_piped(&self) -> bool {
        matches!(self.input, Input::Piped | Input::Both)
    }

    /// The order in which the output has to show the files.
    pub(crate) fn order(&self) -> Order {
        // `--files` lists the current directory even if standard input is a pipe.
        let is_walk = matches!(self.input, Input::Walked | Input::Here) || self.has_flag("--files");
        let is_unordered = is_walk || self.has_several_workers();
        if is_unordered { self.order_of_many() } else { Order::Exact }
    }

    /// The order in which the output of several workers has to show the files.
    pub(crate) fn order_of_many(&self) -> Order {
        // Ignore files are searched too if hidden files are.
        let files = self.files.len() + self.rules.len();
        if files > 1 && !known::is_sorted(&self.args()) {
            Order::AnyOfFiles { files }
        } else {
            Order::Exact
        }
    }

    /// Whether the first match ends the search. Other workers may then not report their errors.
    pub(crate) fn is_quiet(&self) -> bool {
        self.has_flag("-q") || self.has_flag("--json -q")
    }

    pub(crate) fn has_several_workers(&self) -> bool {
        self.threads > 1 || self.has_flag("-j2")
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// The known difference that this session can show.
    pub(crate) fn known(&self) -> Option<&'static known::Known> {
        // Differences are known by the patterns, which a file would hide.
        let plain = Session { has_pattern_file: false, ..self.clone() };
        known::find(&Case {
            args: &plain.args(),
            has_nul: self.files.iter().any(Haystack::has_nul),
            is_long: self.files.iter().any(Haystack::is_long),
            has_long_line: self.files.iter().any(Haystack::has_long_line),
            ends_non_ascii: self
                .files
                .iter()
                .any(|file| !file.bytes().last().is_none_or(u8::is_ascii)),
            is_utf8: self.files.iter().all(|file| str::from_utf8(&file.bytes()).is_ok()),
            is_misnamed: self.files.iter().any(Haystack::is_misnamed)
                || self.is_piped() && self.files[0].is_compressed(),
            is_piped: self.is_piped(),
            files: self.files.len(),
        })
    }
}

/// Up to seven flags, most of which change the output.
fn flags(rng: &mut Rng) -> Vec<&'static str> {
    let mut flags: Vec<&str> = Vec::new();
    flags.extend((0..rng.usize(..4)).map(|_| rng.pick(&words::flags(words::OUTPUT))));
    flags.extend((0..rng.usize(..3)).map(|_| rng.pick(&words::flags(words::SEARCH))));
    if rng.chance(30) {
        flags.push(rng.pick(&words::flags(words::MODES)));
    }
    if rng.chance(30) {
        flags.push(rng.pick(&words::flags(words::FILTER)));
    }
    rng.shuffle(&mut flags);
    flags
}

impl Shrink for Session {
    /// Removes flags, files and patterns one by one; then halves of the lines, quarters and so on,
    /// down to single lines.
    fn candidates(&self) -> impl Iterator<Item = Session> {
        let without = |change: &dyn Fn(&mut Session)| changed(self, change);
        let flags = (0..self.flags.len()).map(move |at| without(&|s| _ = s.flags.remove(at)));
        let is_named = |at: &usize| self.rules[*at] == RULES[4] && self.has_flag(NAMED_RULES);
        let rules = (0..self.rules.len()).filter(move |at| !is_named(at));
        let rules = rules.map(move |at| without(&|s| _ = s.rules.remove(at)));
        // The last file and the last pattern stay.
        let all_but_one = |len: usize| 0..if len > 1 { len } else { 0 };
        let files =
            all_but_one(self.files.len()).map(move |at| without(&|s| drop(s.files.remove(at))));
        let patterns =
            all_but_one(self.patterns.len()).map(move |at| without(&|s| _ = s.patterns.remove(at)));
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
