//! What globs match, and how lines and names are read, as rows of text: `tests/facts.txt`.
//!
//! A heading in brackets names a fact. In the rows below it, a glob, or bytes in quotes, stands
//! before ` -> ` and the fact behind it. Of a glob that is the names that match and, behind `|`,
//! those that do not. In quotes, `\n`, `\r`, `\t`, `\0`, `\\` and `\xFF` stand for bytes. Comments
//! follow `# `.

use crate::{
    glob::{Glob, LetterCase, Scan, git_tokens, ripgrep_tokens},
    ignore_file::{Dialect, Line, lines},
    name::{Name, pack},
};

/// The bytes of a row, in quotes or not.
fn unescape(row: &str) -> Vec<u8> {
    let Some(row) = row.strip_prefix('\'').and_then(|row| row.strip_suffix('\'')) else {
        return row.into();
    };
    let (mut bytes, mut rest) = (Vec::new(), row.as_bytes());
    while let [byte, behind @ ..] = rest {
        let (byte, len) = match (byte, behind) {
            (b'\\', [b'n', ..]) => (b'\n', 1),
            (b'\\', [b'r', ..]) => (b'\r', 1),
            (b'\\', [b't', ..]) => (b'\t', 1),
            (b'\\', [b'0', ..]) => (0, 1),
            (b'\\', [b'\\', ..]) => (b'\\', 1),
            (b'\\', [b'x', digits @ ..]) => {
                let digits = str::from_utf8(&digits[..2]).expect("two digits");
                (u8::from_str_radix(digits, 16).expect("two digits"), 3)
            }
            _ => (*byte, 0),
        };
        bytes.push(byte);
        rest = &behind[len..];
    }
    bytes
}

/// The names in `row`: those that match, and behind `|` the others.
fn sorted(row: &str, is_match: impl Fn(&[u8]) -> bool) -> String {
    let names = row.split_whitespace().filter(|name| *name != "|");
    let (yes, no): (Vec<_>, Vec<_>) = names.partition(|name| is_match(name.as_bytes()));
    format!("{} | {}", yes.join(" "), no.join(" ")).trim().to_owned()
}

/// The rules of a file: number, flags, glob. `!` whitelist, `d` directories, `p` path.
fn shown(source: &[u8], dialect: Dialect) -> String {
    let show = |line: Line| {
        let flags = [(line.is_whitelist, "!"), (line.is_only_dir, "d"), (line.is_path, "p")];
        let flags: String = flags.iter().filter(|(is, _)| *is).map(|(_, flag)| *flag).collect();
        format!("'{}:{flags}:{}'", line.number, source[line.glob].escape_ascii())
    };
    lines(source, dialect).map(show).collect::<Vec<_>>().join(" ")
}

/// The fact called `name` about `bytes`, in the form of the one that is expected.
fn fact(name: &str, bytes: &[u8], expected: &str) -> String {
    let git = |is_path| git_tokens(bytes, is_path, LetterCase::Exact).map(Glob::new);
    let matches = |glob: Option<Glob>| {
        sorted(expected, |name| glob.as_ref().is_some_and(|glob| glob.is_match(name)))
    };
    match name {
        "git glob of names" => matches(git(false)),
        "git glob of paths" => matches(git(true)),
        "glob of lower case" => {
            let git = git_tokens(bytes, false, LetterCase::Folded).map(Glob::new);
            let Scan::Plain(ripgrep) = ripgrep_tokens(bytes, false, true) else {
                return "-".into();
            };
            let by_ripgrep = matches(Some(Glob::new(ripgrep)));
            assert_eq!(by_ripgrep, matches(git), "the dialects agree");
            by_ripgrep
        }
        "git glob with core.ignoreCase" => {
            matches(git_tokens(bytes, false, LetterCase::FoldedByGit).map(Glob::new))
        }
        "ripgrep glob of names" | "ripgrep glob of paths" => {
            match ripgrep_tokens(bytes, name.ends_with("paths"), false) {
                Scan::Plain(_) => "plain".into(),
                Scan::Regex => "regex".into(),
            }
        }
        "lines of git" => shown(bytes, Dialect::Git),
        "lines of ripgrep" => shown(bytes, Dialect::Ripgrep),
        "lines of both" => {
            let lines = shown(bytes, Dialect::Git);
            assert_eq!(shown(bytes, Dialect::Ripgrep), lines);
            lines
        }
        "extension" => {
            let name = Name::new(bytes);
            let at = (0..=bytes.len()).rev().find(|&at| pack(&bytes[at..]) == name.extension);
            let extension = at.map_or("?".into(), |at| bytes[at..].escape_ascii().to_string());
            format!("'{extension}'{}", if name.has_two_dots() { ", two dots" } else { "" })
        }
        _ => panic!("unknown fact: {name}"),
    }
}

#[test]
fn every_row_has_its_fact() {
    let (mut name, mut count, mut faults) = ("", 0, String::new());
    for row in include_str!("tests/facts.txt").lines().filter(|row| !row.is_empty()) {
        if row.starts_with("# ") {
            continue;
        }
        let Some((left, expected)) = row.rsplit_once(" ->") else {
            name = row.trim_matches(['[', ']']);
            continue;
        };
        let found = fact(name, &unescape(left), expected.trim());
        if found != expected.trim() {
            faults += &format!("[{name}] {row}, but is {found}\n");
        }
        count += 1;
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert_eq!(count, 126);
}
