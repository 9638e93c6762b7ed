//! The edits of a file as a patch in git's format, which `git apply` takes.
//!
//! The file is read line by line; what is in memory is the lines of one change, and a few around
//! it.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader},
    path::Path,
};

use crate::{Edit, Error, FileEdits};

/// How many unchanged lines are shown on each side of a change.
const CONTEXT_LINES: usize = 3;

/// What follows a line that has no line feed.
const NO_LINE_FEED: &[u8] = b"\n\\ No newline at end of file\n";

/// Appends what `file` changes, as a patch, to `out`. The file is read again for that.
///
/// # Errors
/// The file has changed since its edits were made, or cannot be read.
pub fn write_patch(file: &FileEdits, out: &mut Vec<u8>) -> Result<(), Error> {
    let before = out.len();
    let (reader, _) = file.open()?;
    let name = patch_name(&file.shown);
    let patched = write_text(&name, BufReader::new(reader), &file.edits, out);
    patched.map_err(|error| {
        out.truncate(before);
        match error.kind() {
            io::ErrorKind::InvalidData => file.changed(),
            _ => Error::failed(&file.shown, "cannot be read", error),
        }
    })
}

/// The path as a patch names it: `./a` is `a`, and `/tmp/a` is `tmp/a`.
fn patch_name(path: &Path) -> Vec<u8> {
    let shown = path.as_os_str().as_encoded_bytes();
    let mut name = match cfg!(windows) {
        true => shown.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect(),
        false => shown.to_vec(),
    };
    loop {
        let prefix = if name.starts_with(b"./") { 2 } else { usize::from(name.starts_with(b"/")) };
        if prefix == 0 {
            return name;
        }
        name.drain(..prefix);
    }
}

/// Appends the patch of the text that `reader` returns.
fn write_text(
    name: &[u8],
    mut reader: impl BufRead,
    edits: &[Edit],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    append_header(name, out);
    let mut hunk = Hunk::default();
    let mut edits = edits;
    let mut at = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if !is_touched(edits, at + line.len() as u64, reader.fill_buf()?.is_empty()) {
            at += line.len() as u64;
            hunk.keep(std::mem::take(&mut line), out);
            continue;
        }
        let (start, mut old) = (at, std::mem::take(&mut line));
        let mut new;
        loop {
            let is_last = reader.fill_buf()?.is_empty();
            let end = start + old.len() as u64;
            let within =
                edits.iter().take_while(|edit| edit.at < end || is_last && edit.at == end).count();
            let is_open = within > 0 && edits[within - 1].end() > end;
            new = replaced(&old, start, &edits[..within], is_open && !is_last)?;
            if is_last || !is_open && (new.is_empty() || new.ends_with(b"\n")) {
                edits = &edits[within..];
                at = end;
                break;
            }
            reader.read_until(b'\n', &mut old)?;
        }
        hunk.change(&old, &new);
    }
    hunk.close(out);
    match edits {
        [] => Ok(()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Whether the next edit begins in the line that ends at `end`.
fn is_touched(edits: &[Edit], end: u64, is_last: bool) -> bool {
    edits.first().is_some_and(|edit| edit.at < end || is_last && edit.at == end)
}

/// The text `old`, which begins at `start`, with `edits`; nothing yet if the last of them reaches
/// beyond it.
fn replaced(old: &[u8], start: u64, edits: &[Edit], is_open: bool) -> io::Result<Vec<u8>> {
    let mut new = Vec::new();
    if is_open {
        return Ok(new);
    }
    let shifted = edits.iter().map(|edit| Edit { at: edit.at - start, ..edit.clone() });
    crate::edit::splice(&mut &*old, &shifted.collect::<Vec<_>>(), &mut new)?;
    Ok(new)
}

fn append_header(name: &[u8], out: &mut Vec<u8>) {
    let (old, new) = (quoted(b"a/", name), quoted(b"b/", name));
    // Git ends a name with spaces by a tab, so that no time seems to follow.
    let tab: &[u8] = if name.contains(&b' ') && !old.starts_with(b"\"") { b"\t" } else { b"" };
    let parts: [&[u8]; 11] =
        [b"diff --git ", &old, b" ", &new, b"\n--- ", &old, tab, b"\n+++ ", &new, tab, b"\n"];
    out.extend(parts.concat());
}

/// A name as git quotes it: `a/"x"` is `"a/\"x\""`.
fn quoted(prefix: &[u8], name: &[u8]) -> Vec<u8> {
    let is_special = |byte: &u8| !(b' '..=b'~').contains(byte) || matches!(byte, b'"' | b'\\');
    if !name.iter().any(is_special) {
        return [prefix, name].concat();
    }
    let mut text = [b"\"", prefix].concat();
    for byte in name {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            byte if is_special(byte) => text.extend(format!("\\{byte:03o}").bytes()),
            byte => text.push(*byte),
        }
    }
    text.push(b'"');
    text
}

/// The part of a patch that is being made.
#[derive(Default)]
struct Hunk {
    /// The lines as they are printed.
    body: Vec<u8>,
    old_lines: usize,
    new_lines: usize,
    /// The number of lines before it.
    old_before: usize,
    new_before: usize,
    /// Unchanged lines that may follow or precede a change.
    kept: VecDeque<Vec<u8>>,
    is_open: bool,
    /// The number of lines up to here.
    old_seen: usize,
    new_seen: usize,
}

impl Hunk {
    /// Adds a line that is not changed.
    fn keep(&mut self, line: Vec<u8>, out: &mut Vec<u8>) {
        self.kept.push_back(line);
        self.old_seen += 1;
        self.new_seen += 1;
        if self.is_open && self.kept.len() > 2 * CONTEXT_LINES {
            self.close(out);
        }
        if !self.is_open && self.kept.len() > CONTEXT_LINES {
            self.kept.pop_front();
        }
    }

    /// Adds lines that are changed.
    fn change(&mut self, old: &[u8], new: &[u8]) {
        if !self.is_open {
            self.is_open = true;
            self.old_before = self.old_seen - self.kept.len();
            self.new_before = self.new_seen - self.kept.len();
        }
        self.take_kept(usize::MAX);
        for (sign, text) in [(b'-', old), (b'+', new)] {
            let lines = text.split_inclusive(|&byte| byte == b'\n');
            let count = lines.map(|line| append_line(sign, line, &mut self.body)).count();
            let (counted, seen) = match sign {
                b'-' => (&mut self.old_lines, &mut self.old_seen),
                _ => (&mut self.new_lines, &mut self.new_seen),
            };
            *counted += count;
            *seen += count;
        }
    }

    /// Adds up to `most` of the unchanged lines.
    fn take_kept(&mut self, most: usize) {
        for _ in 0..most.min(self.kept.len()) {
            let Some(line) = self.kept.pop_front() else { return };
            append_line(b' ', &line, &mut self.body);
            self.old_lines += 1;
            self.new_lines += 1;
        }
    }

    /// Appends the hunk to `out`, if there is one.
    fn close(&mut self, out: &mut Vec<u8>) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        self.take_kept(CONTEXT_LINES);
        let start = |before: usize, count: usize| before + usize::from(count > 0);
        let (old, new) = (self.old_lines, self.new_lines);
        let (from, to) = (start(self.old_before, old), start(self.new_before, new));
        out.extend(format!("@@ -{from},{old} +{to},{new} @@\n").bytes());
        out.append(&mut self.body);
        (self.old_lines, self.new_lines) = (0, 0);
    }
}

fn append_line(sign: u8, line: &[u8], body: &mut Vec<u8>) {
    body.push(sign);
    match line.strip_suffix(b"\n") {
        Some(_) => body.extend_from_slice(line),
        None => body.extend([line, NO_LINE_FEED].concat()),
    }
}
