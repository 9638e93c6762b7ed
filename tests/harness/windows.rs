//! A program for Windows, run on Windows, or on Unix by a script called `hs.exe` that starts Wine
//! (`ci/windows`).
//!
//! The expectations of the tests are those of Unix. They hold for such a program after both its
//! output and they are [normalised](like_unix), and only cases are played whose files Windows can
//! have: see [`cannot_have`].

use super::process::Outcome;

/// Windows' errors, and the messages and numbers of Unix for the same.
const ERRORS: [(u32, &str); 8] = [
    (2, "No such file or directory (os error 2)"),
    (3, "No such file or directory (os error 2)"),
    (5, "Permission denied (os error 13)"),
    (32, "Permission denied (os error 13)"),
    (123, "No such file or directory (os error 2)"),
    (161, "No such file or directory (os error 2)"),
    (267, "Not a directory (os error 20)"),
    (1921, "Too many levels of symbolic links (os error 40)"),
];

/// Names that stand for devices in every directory.
const DEVICES: [&str; 4] = ["con", "nul", "aux", "prn"];

/// The outcome as a program on Unix would have it: `/` in paths, and Unix' messages for errors.
pub(crate) fn normalised(mut outcome: Outcome) -> Outcome {
    outcome.stdout = like_unix(&outcome.stdout);
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let lines = text.split_inclusive('\n').map(|line| {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        renamed_error(line).unwrap_or_else(|| line.to_string()) + end
    });
    outcome.stderr = like_unix(lines.collect::<String>().as_bytes());
    outcome
}

/// `line` with the error that it ends in as on Unix, if it ends in one: `x: File not found. (os
/// error 2)` becomes `x: No such file or directory (os error 2)`.
fn renamed_error(line: &str) -> Option<String> {
    let (before, number) = line.strip_suffix(')')?.rsplit_once(" (os error ")?;
    let number = number.parse().ok()?;
    let (_, message) = ERRORS.iter().find(|(code, _)| *code == number)?;
    let (about, _) = before.rsplit_once(": ")?;
    Some(format!("{about}: {message}"))
}

/// `text` with each run of slashes and backslashes replaced by a slash.
///
/// What separates the parts of a path is thereby not compared; cases that are about it have the
/// mark `windows only`, whose output is compared as it is.
pub(crate) fn like_unix(text: &[u8]) -> Vec<u8> {
    let mut normalised = Vec::with_capacity(text.len());
    for &byte in text {
        let byte = if byte == b'\\' { b'/' } else { byte };
        if byte != b'/' || normalised.last() != Some(&b'/') {
            normalised.push(byte);
        }
    }
    normalised
}

/// Why no file of Windows can have this path, if that is so.
pub(crate) fn cannot_have(path: &[u8]) -> Option<&'static str> {
    let Ok(path) = str::from_utf8(path) else { return Some("names in Windows are Unicode") };
    let is_odd = |part: &str| {
        let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
        part.contains(|c: char| c.is_ascii_control() || "<>:\"|?*\\".contains(c))
            || part.ends_with(' ')
            || part.ends_with('.') && !matches!(part, "." | "..")
            || DEVICES.contains(&stem.as_str())
    };
    path.split('/').any(is_odd).then_some("Windows has no such name")
}

#[test]
fn errors_and_paths_are_those_of_unix() {
    assert_eq!(
        renamed_error("a\\b: File not found. (os error 2)").as_deref(),
        Some("a\\b: No such file or directory (os error 2)")
    );
    assert_eq!(renamed_error("a: nothing (os error 4711)"), None);
    assert_eq!(like_unix(b"a\\\\b//c\\d\n"), b"a/b/c/d\n");
    assert_eq!(cannot_have("a b/.c/\u{e9}.txt".as_bytes()), None);
    for path in [&b"a\xff"[..], b"a:b", b"a/b /c", b"x/nul.txt", b"tab\t"] {
        assert!(cannot_have(path).is_some(), "{}", path.escape_ascii());
    }
}
