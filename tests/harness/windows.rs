//! A program for Windows, run on Windows, or on Unix by a script called `hs.exe` that starts Wine
//! (`ci/windows`).
//!
//! The expectations of the tests are those of Unix. They hold for such a program after both its
//! output and they are [normalised](like_unix), and only cases are played whose files Windows can
//! have: see [`cannot_have`].

use std::borrow::Cow;

use super::process::Outcome;

/// Windows' errors, and the messages and numbers of Unix for the same.
const ERRORS: [(u32, &str); 10] = [
    (2, "No such file or directory (os error 2)"),
    (3, "No such file or directory (os error 2)"),
    (5, "Permission denied (os error 13)"),
    (32, "Permission denied (os error 13)"),
    (87, "Invalid argument (os error 22)"),
    (112, "No space left on device (os error 28)"),
    (123, "No such file or directory (os error 2)"),
    (161, "No such file or directory (os error 2)"),
    (267, "Not a directory (os error 20)"),
    (1921, "Too many levels of symbolic links (os error 40)"),
];

/// Names that stand for devices in every directory.
const DEVICES: [&str; 4] = ["con", "nul", "aux", "prn"];

/// The outcome as a program on Unix would have it: `/` in paths, and Unix' messages for errors.
pub(crate) fn normalised(mut outcome: Outcome) -> Outcome {
    for output in [&mut outcome.stdout, &mut outcome.stderr] {
        let lines = output.split_inclusive(|&byte| byte == b'\n').map(with_renamed_error);
        *output = like_unix(&lines.collect::<Vec<_>>().concat());
    }
    outcome
}

/// A line with the error that it ends in as on Unix: `x: File not found. (os error 3)` becomes `x:
/// No such file or directory (os error 2)`.
fn with_renamed_error(line: &[u8]) -> Cow<'_, [u8]> {
    let renamed = || {
        let (before, number) =
            str::from_utf8(line).ok()?.strip_suffix(")\n")?.rsplit_once(" (os error ")?;
        let number: u32 = number.parse().ok()?;
        let (_, message) = ERRORS.iter().find(|(code, _)| *code == number)?;
        let (about, _) = before.rsplit_once(": ")?;
        Some(format!("{about}: {message}\n").into_bytes())
    };
    renamed().map_or(Cow::Borrowed(line), Cow::Owned)
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
        *with_renamed_error(b"a\\b: File not found. (os error 3)\n"),
        *b"a\\b: No such file or directory (os error 2)\n"
    );
    for line in [&b"a: nothing (os error 4711)\n"[..], b"rock\n", b"\xff (os error 3)\n"] {
        assert_eq!(*with_renamed_error(line), *line);
    }
    assert_eq!(like_unix(b"a\\\\b//c\\d\n"), b"a/b/c/d\n");
    assert_eq!(cannot_have("a b/.c/\u{e9}.txt".as_bytes()), None);
    for path in [&b"a\xff"[..], b"a:b", b"a/b /c", b"x/nul.txt", b"tab\t"] {
        assert!(cannot_have(path).is_some(), "{}", path.escape_ascii());
    }
}
