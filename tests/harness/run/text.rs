//! What a run has printed, for comparisons and reports.

use crate::harness::process;

/// The sign of a crash in `stderr`, which no test expects.
pub(super) fn crash(stderr: &[u8]) -> Option<&'static str> {
    let words = ["panicked at", "has overflowed its stack", "memory allocation of", "Sanitizer"];
    let text = String::from_utf8_lossy(stderr);
    words.into_iter().find(|word| text.contains(word) && process::oracle().is_none())
}

/// Errors that musl, the C library of a static program, words otherwise than glibc.
const MUSL: [(&str, &str); 3] = [
    ("I/O error (os", "Input/output error (os"),
    ("Symbolic link loop (os", "Too many levels of symbolic links (os"),
    ("Filename too long (os", "File name too long (os"),
];

/// Stderr as text, each message without the name of the program, with glibc's words for errors.
pub(crate) fn messages(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr).into_owned();
    let text = MUSL.iter().fold(text, |text, (musl, glibc)| text.replace(musl, glibc));
    let strip = |line: &str| {
        let rest = line.strip_prefix("hs: ").or_else(|| line.strip_prefix("rg: "));
        rest.unwrap_or(line).to_string() + "\n"
    };
    text.lines().map(strip).collect()
}

/// The lines, sorted: workers print them in any order.
pub(crate) fn sorted_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<_> = text.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    lines.sort();
    lines
}

/// The lines from the first to the last that differ: those of `expected` after `-`, those of
/// `actual` after `+`.
pub(super) fn diff(expected: &[u8], actual: &[u8]) -> String {
    let [expected, actual] = [expected, actual]
        .map(|text| text.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>());
    let head = expected.iter().zip(&actual).take_while(|(one, other)| one == other).count();
    let (expected, actual) = (&expected[head..], &actual[head..]);
    let pairs = expected.iter().rev().zip(actual.iter().rev());
    let tail = pairs.take_while(|(one, other)| one == other).count();
    let marked = |mark: &str, lines: &[&[u8]]| -> String {
        let lines = &lines[..lines.len() - tail];
        lines.iter().map(|line| format!("{mark}{}\n", show(line).trim_end_matches('\n'))).collect()
    };
    let equal =
        |count: usize| if count > 0 { format!(" {count} equal lines\n") } else { String::new() };
    let middle = marked("-", expected) + &marked("+", actual);
    equal(head) + &middle + &equal(tail)
}

/// Bytes for a report: text unchanged, other bytes escaped, at most 8000.
pub(super) fn show(bytes: &[u8]) -> String {
    const MOST: usize = 8000;
    let shown = &bytes[..bytes.len().min(MOST)];
    let text = match std::str::from_utf8(shown) {
        Ok(text) if !text.contains(['\0', '\r', '\x1b']) => text.to_string(),
        _ => shown.escape_ascii().to_string().replace("\\n", "\\n\n"),
    };
    if bytes.len() > MOST { format!("{text}… {} bytes in total", bytes.len()) } else { text }
}
