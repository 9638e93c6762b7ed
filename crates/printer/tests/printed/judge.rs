//! Runs every case of the tables, and random command lines, with ripgrep if it is available.

use std::{env, fs, path::PathBuf, process::Command};

use bstr::ByteSlice as _;
use skipped_tests::skip;

use crate::{Case, TABLES, cases, driver};

/// A directory with all files of the driver, removed at the end.
struct Vault(PathBuf);

impl Vault {
    fn new(name: &str) -> Vault {
        let root = env::temp_dir().join(format!("heist-printer-{name}-{}", std::process::id()));
        for (name, contents) in driver::FILES {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }
        Vault(root)
    }
}

impl Drop for Vault {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The output of ripgrep. NUL bytes are text here, and files are searched in order.
fn judge(program: &PathBuf, vault: &Vault, command: &str) -> Vec<u8> {
    let mut judge = Command::new(program);
    judge.args(["--no-config", "-j1", "-a"]).args(driver::words(command)).current_dir(&vault.0);
    let output = judge.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
    let root = vault.0.canonicalize().unwrap();
    output.stdout.replace(root.to_str().unwrap(), driver::VAULT)
}

fn program() -> Option<PathBuf> {
    let program = env::var_os("HS_TEST_JUDGE").filter(|path| !path.is_empty()).map(PathBuf::from);
    if program.is_none() {
        skip("HS_TEST_JUDGE names no ripgrep 15.2");
    }
    program
}

#[test]
fn ripgrep_agrees_with_every_case() {
    let Some(program) = program() else { return };
    let vault = Vault::new("cases");
    let mut wrong = 0;
    let same = cases(TABLES).into_iter().filter(|case| !case.differs);
    for Case { command, output: expected, .. } in same {
        let printed = driver::fold(&judge(&program, &vault, &command));
        if printed != expected {
            eprintln!("rg {command}\n{printed}---- not\n{expected}");
            wrong += 1;
        }
    }
    assert_eq!(wrong, 0);
}

/// Words of random command lines, each with its probability in per cent.
const WORDS: &[(u64, &str)] = &[
    (40, "--color=always"),
    (20, "--colors highlight:bg:blue"),
    (5, "--colors match:none"),
    (30, "-n"),
    (10, "-N"),
    (25, "-H"),
    (10, "-I"),
    (25, "-b"),
    (25, "--column"),
    (25, "-o"),
    (15, "-v"),
    (20, "--heading"),
    (15, "-0"),
    (15, "--vimgrep"),
    (15, "--trim"),
    (15, "-A 1"),
    (15, "-B 1"),
    (10, "-C 2"),
    (8, "--passthru"),
    (10, "-m 1"),
    (10, "-m 2"),
    (8, "-M 4"),
    (8, "-M 6"),
    (8, "-M 12"),
    (25, "--max-columns-preview"),
    (8, "--crlf"),
    (5, "--null-data"),
    (10, "--field-match-separator ="),
    (10, "--field-context-separator ##"),
    (5, "--context-separator ~~"),
    (5, "--no-context-separator"),
    (10, "--path-separator +"),
    (5, "-c"),
    (5, "--count-matches"),
    (3, "-l"),
    (3, "--files-without-match"),
    (10, "--include-zero"),
    (20, "-r [$0]"),
    (5, "-r ''"),
    (10, "-r $2$1$a${b}$$-"),
    (15, "--json"),
    (10, "--stats"),
    (15, "--hyperlink-format x:{path}:{line}:{column}"),
    (5, "--hyperlink-format file:{path}"),
];

const PATTERNS: &[&str] = &[
    "foo",
    "o",
    "o*",
    "''",
    "^",
    "$",
    "^$",
    "fo|bar",
    "x*",
    "\\w+",
    ".",
    "foo_",
    "\\b",
    "[^o]+",
    "zzz",
    "(?P<a>f)(?P<b>o+)",
    "(b)ar|(f)oo",
];

/// Patterns that match across lines. ripgrep's searches forget the bytes before them, so none of
/// these looks behind.
const WIDE_PATTERNS: &[&str] = &[
    "foo\\n",
    "\\n",
    "o\\s+",
    "(?s)bar.*?foo",
    "[^o]+",
    "foo|\\n+",
    "(\\d)\\n\\s*(?P<a>f|b)",
    "(?s)foo.*",
    "\\s*",
    "\\S+\\n\\S+",
    "zzz\\n",
    "\\n\\n|xyz",
];

/// The wide patterns whose matches do not end in a line terminator.
const ENDING_WITHIN_LINES: &[&str] = &["(?s)bar.*?foo", "(\\d)\\n\\s*(?P<a>f|b)", "\\S+\\n\\S+"];

#[test]
fn ripgrep_agrees_with_random_command_lines() {
    let Some(program) = program() else { return };
    let vault = Vault::new("random");
    let number = |name, default| env::var(name).map_or(default, |text| text.parse().unwrap());
    let (seed, rounds) = (number("HS_TEST_SEED", 1), number("HS_TEST_ROUNDS", 300));
    let mut random = fastrand::Rng::with_seed(seed);
    let mut wrong = 0;
    for _ in 0..rounds {
        let command = command_line(&mut random);
        let expected = driver::fold(&judge(&program, &vault, &command));
        let printed = driver::fold(&driver::run(&command));
        if printed != expected {
            eprintln!("{command}\nprinted {printed:?}\njudge   {expected:?}");
            wrong += 1;
        }
    }
    assert_eq!(wrong, 0, "seed {seed}");
}

fn command_line(random: &mut fastrand::Rng) -> String {
    let mut command: Vec<&str> = WORDS
        .iter()
        .filter(|(chance, _)| random.u64(..100) < *chance)
        .map(|(_, word)| *word)
        .collect();
    // The driver does not know how these override each other.
    if command.contains(&"--passthru") {
        command.retain(|word| !["-A 1", "-B 1", "-C 2"].contains(word));
    }
    // After the limit, ripgrep shows all lines as matching in the first case, and matching lines as
    // context in the second; a printer does not decide that.
    let is_special = command.contains(&"--passthru") && command.contains(&"-v")
        || command.contains(&"--null-data");
    if is_special {
        command.retain(|word| !word.starts_with("-m "));
    }
    // ripgrep does not link a path with other separators than the system's.
    if command.iter().any(|word| word.starts_with("--hyperlink")) {
        command.retain(|word| !word.starts_with("--path-separator"));
    }
    if command.contains(&"-C 2") {
        command.retain(|word| !["-A 1", "-B 1"].contains(word));
    }
    // A single thread of ripgrep ends the line between files as lines end; its many threads and
    // heist use a line feed.
    let several = !command.contains(&"--crlf") && !command.contains(&"--null-data");
    let pattern = PATTERNS[random.usize(..PATTERNS.len())];
    // ripgrep finds empty matches where there are none, or misses them: after the end of records,
    // before line feeds.
    let is_doubtful =
        command.contains(&"--null-data") || command.contains(&"--crlf") && pattern.starts_with('^');
    // ripgrep ends matches, lines with colors and those of blocks in CRLF, whatever they end in.
    let is_crlf = command.contains(&"--crlf");
    if is_crlf {
        command.retain(|word| !["-o", "--color=always"].contains(word));
    }
    let is_wide = random.u8(..3) == 0 && !is_doubtful && !is_crlf && !command.contains(&"-v");
    if is_wide {
        command.push("-U");
        // A printer does not decide how far a limit reaches into blocks.
        command.retain(|word| !word.starts_with("-m "));
        // ripgrep continues with the next line of a match if the first is too long to be shown.
        if command.contains(&"--vimgrep") {
            command.retain(|word| !word.starts_with("-M "));
        }
    }
    let pattern = match pattern {
        _ if is_doubtful => "foo",
        _ if is_wide => WIDE_PATTERNS[random.usize(..WIDE_PATTERNS.len())],
        pattern => pattern,
    };
    // ripgrep puts a line terminator back that was replaced.
    if is_wide && !ENDING_WITHIN_LINES.contains(&pattern) {
        command.retain(|word| !word.starts_with("-r "));
    }
    // ripgrep prints no empty matches of blocks.
    if is_wide && pattern == "\\s*" {
        command.retain(|word| !["-o", "--vimgrep"].contains(word));
    }
    command.push(pattern);
    // A single thread of ripgrep counts the separators between files as printed; its many threads
    // and heist do not.
    let several = several && !command.contains(&"--stats");
    for _ in 0..if several { random.u8(1..=3) } else { 1 } {
        command.push(driver::FILES[random.usize(..driver::FILES.len())].0);
    }
    command.join(" ")
}
