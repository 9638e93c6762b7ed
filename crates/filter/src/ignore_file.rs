//! Splits a rule file into lines, and a line into its parts.
//!
//! ```text
//! !/build/*.o/      is_whitelist, is_path, is_only_dir, glob `build/*.o`
//! ```
//!
//! For git, a NUL ends a line too. Neither dialect rejects a file. What ripgrep's dialect cannot
//! read is reported when the glob is compiled, and affects only its own line.

use std::{iter, ops::Range};

use crate::glob::LetterCase;

/// Which program's syntax applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// Git's: `.gitignore`, `info/exclude`, `core.excludesFile`.
    Git,
    /// Ripgrep's: `.ignore`, `.rgignore`, `--ignore-file`, `-g`.
    Ripgrep,
}

/// How globs are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ParseOptions {
    pub(crate) dialect: Dialect,
    pub(crate) case: LetterCase,
    /// A `[` that is never closed stands for itself and is no error.
    pub(crate) allow_unclosed: bool,
}

impl ParseOptions {
    /// For a rule file in this dialect.
    pub(crate) fn file(dialect: Dialect, case: LetterCase) -> ParseOptions {
        ParseOptions { dialect, case, allow_unclosed: true }
    }

    /// For a glob on the command line, or in a file type.
    pub(crate) fn argument(case_insensitive: bool) -> ParseOptions {
        let case = LetterCase::folded_if(case_insensitive);
        ParseOptions { dialect: Dialect::Ripgrep, case, allow_unclosed: false }
    }
}

/// One rule as written, as ranges in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line's number, counted from 1.
    pub(crate) number: u32,
    /// The rule as the user wrote it, blanks trimmed.
    pub(crate) text: Range<usize>,
    /// The rule's glob: `text` without the `!`, the leading and the trailing slash. `!/doc/*.md`
    /// has the glob `doc/*.md`.
    pub(crate) glob: Range<usize>,
    /// Whether the rule begins with `!`.
    pub(crate) is_whitelist: bool,
    /// Whether the rule ends with a slash, so that it matches only directories.
    pub(crate) is_only_dir: bool,
    /// Whether the rule has a slash elsewhere, so that it matches paths, not names.
    pub(crate) is_path: bool,
}

/// Returns the rules in a file, one by one: millions of lines may contain none.
pub(crate) fn lines(source: &[u8], dialect: Dialect) -> impl Iterator<Item = Line> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let mut start = if source.starts_with(BOM) { BOM.len() } else { 0 };
    let ranges = iter::from_fn(move || {
        let rest = source.get(start..).filter(|rest| !rest.is_empty())?;
        let newline = memchr::memchr(b'\n', rest);
        let line = start..newline.map_or(source.len(), |at| start + at);
        start = line.end + 1;
        // A carriage return before the newline, or the file's end, belongs to the line end.
        let has_return = source[line.clone()].ends_with(b"\r");
        Some(line.start..line.end - usize::from(has_return))
    });
    let lines = (1..).zip(ranges);
    lines.filter_map(move |(number, range)| line(source, range, number, dialect))
}

/// Returns the rule on one line, if there is one.
pub(crate) fn line(
    source: &[u8],
    range: Range<usize>,
    number: u32,
    dialect: Dialect,
) -> Option<Line> {
    let bytes = &source[range.clone()];
    if bytes.first() == Some(&b'#') {
        return None;
    }
    let trimmed = trim(match dialect {
        Dialect::Git => &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())],
        Dialect::Ripgrep => bytes,
    });
    if trimmed.is_empty() {
        return None;
    }
    let text = range.start..range.start + trimmed.len();
    let mut glob = text.clone();
    let is_whitelist = trimmed.starts_with(b"!");
    glob.start += usize::from(is_whitelist);
    // A lone `!` or slash is no rule. For ripgrep 15.2, a `!` re-includes everything.
    if matches!(&source[glob.clone()], b"" | b"/") {
        return None;
    }
    // Git removes the last slash first, so that `/` is not anchored.
    let is_only_dir = source[glob.clone()].ends_with(b"/") && dialect == Dialect::Git;
    glob.end -= usize::from(is_only_dir);
    let is_anchored = source[glob.clone()].starts_with(b"/");
    let mut line = Line { number, text, glob, is_whitelist, is_only_dir, is_path: is_anchored };
    line.glob.start += usize::from(is_anchored);
    if dialect == Dialect::Ripgrep {
        take_last_slash(source, &mut line);
    }
    line.is_path |= memchr::memchr(b'/', &source[line.glob.clone()]).is_some();
    Some(line)
}

/// Removes a slash at the end as ripgrep does: with a backslash that escapes it.
fn take_last_slash(source: &[u8], line: &mut Line) {
    if source[line.glob.clone()].ends_with(b"/") {
        line.is_only_dir = true;
        line.glob.end -= 1;
        if source[line.glob.clone()].ends_with(b"\\") {
            line.glob.end -= 1;
        }
    }
}

/// Trims blanks at a line's end, but not tabs. An escaped blank, and what comes before it, remains.
fn trim(line: &[u8]) -> &[u8] {
    let mut kept = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => at += 1,
            b'\\' if at + 1 == line.len() => return line,
            b'\\' => {
                at += 2;
                kept = at;
            }
            _ => {
                at += 1;
                kept = at;
            }
        }
    }
    &line[..kept]
}
