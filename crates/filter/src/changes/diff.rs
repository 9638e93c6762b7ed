//! Reads what `git diff` prints.

use std::{
    collections::HashMap,
    io::{self, BufRead},
    ops::Range,
    sync::Arc,
};

use crate::git_quotes::unquoted;

/// The lines that were added to a file, as ranges of numbers, which begin with 1.
pub type AddedLines = Arc<[Range<u64>]>;

/// Files that differ, with the lines that were added; `None` if that is every line.
pub(super) type Differing = HashMap<Box<[u8]>, Option<AddedLines>>;

/// Reads names that end in NUL bytes.
pub(super) fn read_names(names: &mut impl BufRead) -> io::Result<Differing> {
    let mut differing = Differing::new();
    while let Some(name) = read_until(names, 0)? {
        differing.insert(name.into(), None);
    }
    Ok(differing)
}

/// Reads what `git diff -z --numstat --patch --unified=0` prints: a record for each file, an empty
/// one, and the patches.
///
/// ```text
/// 2<tab>1<tab>src/a.c<NUL>         lines that were added and deleted
/// -<tab>-<tab>logo.png<NUL>        a binary file
/// 1<tab>0<tab><NUL>old<NUL>new<NUL>    a file with another name
/// <NUL>
/// diff --git a/src/a.c b/src/a.c
/// --- a/src/a.c
/// +++ b/src/a.c
/// @@ -5,0 +6,2 @@                  two lines from 6 on were added
/// ```
pub(super) fn read_lines(diff: &mut impl BufRead) -> io::Result<Differing> {
    let mut differing = Differing::new();
    while let Some(record) = read_until(diff, 0)?.filter(|record| !record.is_empty()) {
        let mut fields = record.splitn(3, |&byte| byte == b'\t');
        let (Some(added), Some(_), Some(name)) = (fields.next(), fields.next(), fields.next())
        else {
            return Err(malformed(&record));
        };
        let name = match name {
            [] => {
                read_until(diff, 0)?;
                read_until(diff, 0)?.unwrap_or_default()
            }
            name => name.to_vec(),
        };
        let lines = if added == b"-" { None } else { Some(AddedLines::default()) };
        differing.insert(name.into(), lines);
    }
    let mut file: Option<(Vec<u8>, Vec<Range<u64>>)> = None;
    while let Some(line) = read_until(diff, b'\n')? {
        if let Some(name) = line.strip_prefix(b"+++ ") {
            finish(&mut differing, file.take());
            file = new_name(name).map(|name| (name, Vec::new()));
        } else if line.starts_with(b"@@ ") {
            let (deleted, added) = hunk(&line).ok_or_else(|| malformed(&line))?;
            if let Some((_, lines)) = file.as_mut().filter(|_| !added.is_empty()) {
                lines.push(added.clone());
            }
            skip_lines(diff, deleted + (added.end - added.start))?;
        }
    }
    finish(&mut differing, file);
    Ok(differing)
}

/// Notes the lines that were added to a file.
fn finish(differing: &mut Differing, file: Option<(Vec<u8>, Vec<Range<u64>>)>) {
    if let Some((name, lines)) = file {
        differing.insert(name.into(), Some(lines.into()));
    }
}

/// The name in a line `+++ b/NAME`, if the file exists. Behind a name with a blank is a tab.
fn new_name(field: &[u8]) -> Option<Vec<u8>> {
    let field = field.strip_suffix(b"\t").unwrap_or(field);
    let name = unquoted(field).unwrap_or_else(|| field.to_vec());
    name.strip_prefix(b"b/").map(<[u8]>::to_vec)
}

/// How many lines were deleted, and the numbers of those that were added: of `@@ -5,2 +6 @@`, `2`
/// and `6..7`.
fn hunk(line: &[u8]) -> Option<(u64, Range<u64>)> {
    let line = std::str::from_utf8(line.split(|&byte| byte == b'@').nth(2)?).ok()?;
    let mut sides = line.split_whitespace();
    let (_, deleted) = side(sides.next()?.strip_prefix('-')?)?;
    let (start, added) = side(sides.next()?.strip_prefix('+')?)?;
    Some((deleted, start..start.checked_add(added)?))
}

/// The first line and the number of lines of `6,2` or `6`.
fn side(text: &str) -> Option<(u64, u64)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// Reads up to `end`, which is left out. `None` at the end.
fn read_until(from: &mut impl BufRead, end: u8) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    if from.read_until(end, &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&end) {
        bytes.pop();
    }
    Ok(Some(bytes))
}

/// Passes over the lines of a hunk, which may look like anything behind their first byte, and over
/// what git adds where a line has no line feed: `\\ No newline at end of file`.
fn skip_lines(from: &mut impl BufRead, mut count: u64) -> io::Result<()> {
    while count > 0 {
        let Some(first) = from.fill_buf()?.first() else { break };
        count -= u64::from(*first != b'\\');
        from.skip_until(b'\n')?;
    }
    Ok(())
}

fn malformed(line: &[u8]) -> io::Error {
    io::Error::other(format!("git diff has printed '{}'", String::from_utf8_lossy(line)))
}
