//! Random haystacks, patterns and flags: what is printed has to be what ripgrep prints, byte for byte.

use std::{ffi::OsStr, fmt};

use crate::{
    grow::{Random, Smaller},
    process,
    vault::Vault,
};

/// Lines and pieces of lines.
const WORDS: [&[u8]; 24] = [
    b"gem",
    b"Gem",
    b"gems",
    b"gemstone",
    b"a",
    b"b",
    b" ",
    b"  \t",
    b"foo",
    b"foobar",
    b"42",
    b"7",
    b"-2",
    b"\xc3\xa9",
    b"\xc3\x89",
    b"\xce\xb1\xce\xb2",
    b"\xff",
    b"_",
    b".",
    b"(x)",
    b"\xe2\x84\xaa",
    b"gem gem",
    b"e\xcc\x81",
    b"\r",
];

/// Patterns of every kind that a matcher treats in its own way.
const PATTERNS: [&str; 44] = [
    "gem",
    "Gem",
    "gems?",
    "foo|foobar",
    "foobar|foo",
    "^gem",
    "gem$",
    "^$",
    "",
    "^",
    "$",
    r"\bgem\b",
    r"\w+",
    r"\d+",
    r"\s",
    "[^a]",
    ".",
    "..",
    "g.m",
    "x*",
    r"\W",
    "(?i)gem",
    r"(?-u:\xff)",
    "é",
    r"\p{Greek}",
    "k",
    r"gem\s*$",
    r"^\s+",
    "gem.*gem",
    "a|b",
    "(a|b)+",
    "[a-f]{2,3}",
    "nowhere",
    "nowhere|gem",
    r"\w{5}\s+\w",
    "(?x)g e m",
    r"-2",
    r"\.",
    r"\(x\)",
    "gem|42|foo",
    "e",
    r"[[:digit:]]",
    r"\b",
    "(?s).",
];

/// Flags, each with a value if it has one.
const FLAGS: [&str; 52] = [
    "-n",
    "-N",
    "--column",
    "-b",
    "-H",
    "-I",
    "--heading",
    "-o",
    "-v",
    "-i",
    "-S",
    "-w",
    "-x",
    "-m0",
    "-m1",
    "-m2",
    "-m3",
    "-c",
    "-l",
    "--count-matches",
    "--files-without-match",
    "--include-zero",
    "-A0",
    "-A1",
    "-A3",
    "-B1",
    "-B2",
    "-C1",
    "-C2",
    "--passthru",
    "--vimgrep",
    "-M1",
    "-M8",
    "-M30",
    "--max-columns-preview",
    "--trim",
    "-0",
    "--color=always",
    "--colors=highlight:bg:blue",
    "-a",
    "--binary",
    "--no-unicode",
    "--no-context-separator",
    "--context-separator=~",
    "--field-match-separator=|",
    "--field-context-separator=#",
    "-q",
    "-F",
    "--stop-on-nonmatch",
    "-E=none",
    "--line-buffered",
    "--no-heading",
];

/// One command line and what it searches.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The lines of each file.
    files: Vec<Vec<Vec<u8>>>,
    flags: Vec<String>,
    patterns: Vec<String>,
    input: Input,
}

/// How the files are named to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// Each by its name.
    Named,
    /// The first through a pipe.
    Piped,
    /// By the directory they are in.
    Walked,
}

/// What a program answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    stdout: Vec<u8>,
    status: Option<i32>,
}

impl Session {
    pub(crate) fn grow(random: &mut Random) -> Session {
        let input = [Input::Named, Input::Piped, Input::Walked][random.below(3)];
        let files = if input == Input::Named { 1 + random.below(3) } else { 1 };
        Session {
            files: (0..files).map(|_| haystack(random)).collect(),
            flags: (0..random.below(6)).map(|_| random.pick(&FLAGS).to_string()).collect(),
            patterns: (0..1 + random.below(8) / 6)
                .map(|_| random.pick(&PATTERNS).to_string())
                .collect(),
            input,
        }
    }

    /// Whether ripgrep itself is at fault here, or at odds with itself, so that nobody should follow it.
    pub(crate) fn is_beyond_the_judge(&self) -> bool {
        let has = |starts: &[&str]| {
            self.flags.iter().any(|flag| starts.iter().any(|start| flag.starts_with(start)))
        };
        let has_nul = self.files.iter().flatten().any(|line| line.contains(&0));
        let is_long =
            self.files.iter().any(|lines| lines.iter().map(Vec::len).sum::<usize>() > 8000);
        let has_context = has(&["-A", "-B", "-C"]);
        [
            // A NUL in a context line makes it give the file up, although a match is still to come.
            has_nul && (has_context || has(&["--passthru"])),
            // What it has printed of a pipe before it meets a NUL depends on how the pipe delivers.
            has_nul && self.input == Input::Piped && is_long,
            // Before a file that prints nothing but that it is binary, it writes a separator if there
            // are several threads, and none if there is one.
            has_nul && self.files.len() > 1 && has(&["--heading"]),
            // A binary file that was passed over makes it exit with 0, although it printed nothing.
            has_nul && has(&["--files-without-match"]),
            // Matches in the context after the last line that counts are counted.
            has(&["-m"]) && has_context && has(&["-c", "--count-matches"]),
            // With -v, or once -m is reached, a line that does not match stops some ways of searching and
            // not others.
            has(&["--stop-on-nonmatch"]) && has(&["-v", "-m"]),
            // Once -m is reached, -v miscounts and mislabels the lines that follow.
            has(&["-v"]) && has(&["-m"]) && (has_context || has(&["--passthru"])),
            // Whether a binary file is listed depends on how many lines it takes at a time.
            has_nul && has(&["-v"]) && has(&["-l"]),
            // A line is printed once per match: gigabytes, if it is long.
            has(&["--vimgrep"]) && self.files.iter().flatten().any(|line| line.len() > 8000),
            // A pattern that is wrong without Unicode is not looked at when nothing is to be found.
            has(&["-m0"]) && has(&["--no-unicode"]),
        ]
        .contains(&true)
    }

    /// Run `program` on it.
    pub(crate) fn answer(&self, program: &OsStr) -> Answer {
        let vault = Vault::new("session");
        let name = |index| format!("file{index}");
        for (index, lines) in self.files.iter().enumerate() {
            vault.file(name(index), lines.concat());
        }
        let mut command = crate::command(&vault, program, &vault.path());
        // Maps see other blocks than reads, which shows in what is binary.
        command.args(["-j1", "--no-config", "--no-mmap"]).args(&self.flags);
        command.args(self.patterns.iter().map(|pattern| format!("-e{pattern}")));
        match self.input {
            Input::Named => drop(command.args((0..self.files.len()).map(name))),
            Input::Piped => {}
            Input::Walked => drop(command.arg(".")),
        }
        let stdin = (self.input == Input::Piped).then(|| self.files[0].concat());
        let outcome = process::run(&mut command, stdin);
        assert!(!outcome.hung, "{self} hung");
        Answer { stdout: outcome.stdout, status: outcome.status.code() }
    }
}

impl Smaller for Session {
    /// Flags, files and patterns one by one; of lines first halves, then quarters, at last single ones.
    fn smaller(&self) -> impl Iterator<Item = Session> {
        let flags = (0..self.flags.len()).map(|index| {
            let mut session = self.clone();
            session.flags.remove(index);
            session
        });
        let files = (0..self.files.len()).filter(|_| self.files.len() > 1).map(|index| {
            let mut session = self.clone();
            session.files.remove(index);
            session
        });
        let patterns = (0..self.patterns.len()).filter(|_| self.patterns.len() > 1).map(|index| {
            let mut session = self.clone();
            session.patterns.remove(index);
            session
        });
        let lines = (0..self.files.len()).flat_map(move |file| {
            let count = self.files[file].len();
            let sizes = std::iter::successors(Some(count.div_ceil(2)), |size| {
                (*size > 1).then(|| size.div_ceil(2))
            });
            sizes
                .flat_map(move |size| (0..count).step_by(size.max(1)).map(move |at| (at, size)))
                .map(move |(at, size)| {
                    let mut session = self.clone();
                    session.files[file].drain(at..(at + size).min(count));
                    session
                })
        });
        flags.chain(files).chain(patterns).chain(lines)
    }
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}, flags {:?}, patterns {:?}", self.input, self.flags, self.patterns)?;
        for (index, lines) in self.files.iter().enumerate() {
            writeln!(f, "file{index}:")?;
            for same in lines.chunk_by(|a, b| a == b) {
                writeln!(f, "    {} times {} bytes: {}", same.len(), same[0].len(), cut(&same[0]))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "status {:?}", self.status)?;
        for line in self.stdout.split_inclusive(|&b| b == b'\n').take(60) {
            writeln!(f, "    {}", cut(line))?;
        }
        Ok(())
    }
}

fn cut(line: &[u8]) -> String {
    let shown = line[..line.len().min(150)].escape_ascii();
    if line.len() > 150 { format!("{shown}…") } else { shown.to_string() }
}

/// The lines of a file, each with its end; small mostly, larger than a read block now and then.
fn haystack(random: &mut Random) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = (0..random.below(12)).map(|_| line(random)).collect();
    if random.chance(15) {
        // Past the first 64 KiB, where the next block begins.
        let filler: &[u8] =
            [&b"filler without any\n"[..], b"gem here and there\n"][random.below(2)];
        let at = random.below(lines.len() + 1);
        let block = filler.repeat(3400 + random.below(100));
        lines.splice(at..at, block.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec));
    }
    if random.chance(5) {
        let long = [&b"x".repeat(70_000 + random.below(100_000))[..], b"gem\n"].concat();
        lines.insert(random.below(lines.len() + 1), long);
    }
    if random.chance(12) {
        let at = random.below(lines.len() + 1);
        lines.insert(
            at,
            [b"\0\n".to_vec(), b"gem\0gem\n".to_vec(), b"\0".to_vec()][random.below(3)].clone(),
        );
    }
    if random.chance(5) {
        lines.insert(0, b"\xef\xbb\xbf".to_vec());
    }
    if random.chance(30)
        && let Some(last) = lines.last_mut()
        && last.last() == Some(&b'\n')
    {
        last.pop();
    }
    if random.chance(4) {
        let text = String::from_utf8_lossy(&lines.concat()).into_owned();
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        return vec![b"\xff\xfe".iter().copied().chain(units).collect()];
    }
    lines
}

fn line(random: &mut Random) -> Vec<u8> {
    let mut line: Vec<u8> =
        (0..random.below(6)).flat_map(|_| random.pick(&WORDS).to_vec()).collect();
    if random.chance(10) {
        line.push(b'\r');
    }
    line.push(b'\n');
    line
}
