//! A block between two marks, in a file in Markdown.
//!
//! A line terminator precedes the block in a file that existed, and none in a file that was
//! created. So it is known what to leave when the block is taken back.

use std::ops::Range;

use bstr::ByteSlice as _;

use super::change::Change;

const BEGIN_MARK: &str = "<!-- hs: begin -->";
const END_MARK: &str = "<!-- hs: end -->";

/// What an agent has to know.
const BLOCK_LINES: &str = "\
Search with `hs --agent PATTERN [PATH...]`, not with grep, rg or find. The last line states what is
left out, and the flag that shows it.

- `-F` takes the pattern as text; `-i`, `-w`, `-l`, `-c`, `-A NUM` are those of grep.
- `--only '*.rs'` and `--exclude tests` choose files, `--files` lists them.
- `--function-context` and `--paragraph` show the function or paragraph around each match.
- `--why PATH` states why a file is not searched.
";

/// The block, with its marks, and with this line terminator.
pub(super) fn block(terminator: &str) -> String {
    format!("{BEGIN_MARK}\n{BLOCK_LINES}{END_MARK}\n").replace('\n', terminator)
}

/// What becomes of a file with this `text` if the block is added, or brought up to date. If there
/// is no file, one is created that begins with `head`.
///
/// # Errors
/// The text is not UTF-8, or its marks are not a pair.
pub(super) fn add(text: Option<&[u8]>, head: &str) -> Result<Change, String> {
    let Some(text) = text else {
        return Ok(Change::Write(format!("{head}{}", block("\n")).into_bytes()));
    };
    let end = terminator_of(text);
    let new = match find(text)? {
        Some(range) => {
            let end = terminator_of(&text[range.clone()]);
            [&text[..range.start], block(end).as_bytes(), &text[range.end..]].concat()
        }
        None => [text, end.as_bytes(), block(end).as_bytes()].concat(),
    };
    Ok(if new == text { Change::None } else { Change::Write(new) })
}

/// What becomes of a file with this `text` if the block is taken back. A file that begins with
/// `head` and has nothing else is removed.
///
/// # Errors
/// The text is not UTF-8, or its marks are not a pair.
pub(super) fn take_back(text: Option<&[u8]>, head: &str) -> Result<Change, String> {
    let Some(text) = text else { return Ok(Change::None) };
    let Some(range) = find(text)? else { return Ok(Change::None) };
    let (before, after) = (&text[..range.start], &text[range.end..]);
    if before == head.as_bytes() {
        return Ok(if after.is_empty() { Change::Remove } else { Change::Write(after.to_vec()) });
    }
    let end = terminator_of(&text[range]);
    let before = before.strip_suffix(end.as_bytes()).unwrap_or(before);
    Ok(Change::Write([before, after].concat()))
}

/// The line terminator of `text`.
fn terminator_of(text: &[u8]) -> &'static str {
    if text.contains_str("\r\n") { "\r\n" } else { "\n" }
}

/// Where the block is, with its marks and the line terminator behind it; `None` if there is none.
fn find(text: &[u8]) -> Result<Option<Range<usize>>, String> {
    if text.contains(&0) {
        return Err("not changed: it has NUL bytes, so it is no text in UTF-8".to_owned());
    }
    let (mut begins, mut ends, mut at) = (Vec::new(), Vec::new(), 0);
    for line in text.lines_with_terminator() {
        let start = at;
        at += line.len();
        match line.trim_end() {
            mark if mark == BEGIN_MARK.as_bytes() => begins.push(start),
            mark if mark == END_MARK.as_bytes() => ends.push(at),
            _ => {}
        }
    }
    match (&*begins, &*ends) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(*begin..*end)),
        _ => Err(format!(
            "not changed: the marks {BEGIN_MARK} and {END_MARK} are not there once each, in order"
        )),
    }
}
