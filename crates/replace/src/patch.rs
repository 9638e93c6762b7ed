//! The edits of a file as a patch in git's format, which `git apply` takes.
//!
//! The file is read line by line; what is in memory is the lines of one change, and a few around
//! it.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader},
    ops::Range,
    path::Path,
};

use crate::{Edit, Error, FileEdits};

/// How many unchanged lines are shown on each side of a change.
const CONTEXT_LINES: usize = 3;

/// The line of a patch after one that has no line feed.
pub const NO_LINE_FEED: &[u8] = b"\\ No newline at end of file\n";

/// Lines that are changed, with a few unchanged ones around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchHunk {
    /// Which edits it has, as indices of [`FileEdits::edits`].
    pub edits: Range<usize>,
    /// The lines in their order: of those that take each other's place, the old ones come first.
    pub lines: Vec<PatchLine>,
    /// How many lines precede it in the old file, and in the new one.
    before: [usize; 2],
}

/// A line of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchLine {
    /// In which of the files it is.
    pub kind: PatchLineKind,
    /// The line, with the line feed if it has one.
    pub text: Vec<u8>,
    /// The parts that edits remove or add, in bytes of the line.
    pub spans: Vec<Range<usize>>,
}

/// In which of the files a line of a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchLineKind {
    /// In both.
    Kept,
    /// In the old one.
    Removed,
    /// In the new one.
    Added,
}

impl PatchLineKind {
    /// The character in front of the line.
    #[must_use]
    pub fn sign(self) -> u8 {
        match self {
            PatchLineKind::Kept => b' ',
            PatchLineKind::Removed => b'-',
            PatchLineKind::Added => b'+',
        }
    }
}

impl PatchHunk {
    /// Where its lines are in both files: `@@ -1,4 +1,5 @@`, without a line feed.
    #[must_use]
    pub fn place(&self) -> String {
        let [old, new] = [PatchLineKind::Added, PatchLineKind::Removed].map(|other| {
            let count = self.lines.iter().filter(|line| line.kind != other).count();
            (usize::from(count > 0), count)
        });
        let [from, to] = [self.before[0] + old.0, self.before[1] + new.0];
        format!("@@ -{from},{} +{to},{} @@", old.1, new.1)
    }

    /// Appends it as text.
    fn append(&self, out: &mut Vec<u8>) {
        out.extend([self.place().as_bytes(), b"\n"].concat());
        for line in &self.lines {
            out.push(line.kind.sign());
            out.extend_from_slice(&line.text);
            if !line.text.ends_with(b"\n") {
                out.extend([b"\n", NO_LINE_FEED].concat());
            }
        }
    }
}

/// Appends what `file` changes, as a patch, to `out`. The file is read again for that.
///
/// # Errors
/// The file has changed since its edits were made, or cannot be read.
pub fn write_patch(file: &FileEdits, out: &mut Vec<u8>) -> Result<(), Error> {
    let before = out.len();
    out.extend(patch_header(file));
    read_hunks(file, |hunk| hunk.append(out)).inspect_err(|_| out.truncate(before))
}

/// The lines of a patch that name the file.
#[must_use]
pub fn patch_header(file: &FileEdits) -> Vec<u8> {
    let mut header = Vec::new();
    append_header(&patch_name(&file.shown), &mut header);
    header
}

/// Calls `each` with one hunk of the patch after the other. The file is read again for that.
///
/// # Errors
/// The file has changed since its edits were made, or cannot be read.
pub fn read_hunks(file: &FileEdits, each: impl FnMut(&PatchHunk)) -> Result<(), Error> {
    let (reader, _) = file.open()?;
    let read = hunks_of(BufReader::new(reader), &file.edits, each);
    read.map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => file.changed(),
        _ => Error::failed(&file.shown, "cannot be read", error),
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

/// Calls `each` with the hunks that `edits` make of the text that `reader` returns.
fn hunks_of(
    mut reader: impl BufRead,
    edits: &[Edit],
    each: impl FnMut(&PatchHunk),
) -> io::Result<()> {
    let (kept, added) = (VecDeque::new(), Vec::new());
    let mut open = OpenHunk { each, hunk: None, added, kept, seen: [0; 2] };
    let (mut at, mut done) = (0, 0);
    loop {
        let mut old = Vec::new();
        if reader.read_until(b'\n', &mut old)? == 0 {
            break;
        }
        let start = at;
        let mut change = Change { start, edits: &edits[done..done], growth: 0 };
        loop {
            let is_last = reader.fill_buf()?.is_empty();
            at = start + old.len() as u64;
            change.reach(&edits[done..], at, is_last);
            if is_last || change.ends_line(&old) {
                break;
            }
            reader.read_until(b'\n', &mut old)?;
        }
        match change.edits.len() {
            0 => open.keep(old),
            count => {
                open.change(&old, &change, done..done + count)?;
                done += count;
            }
        }
    }
    open.close();
    match edits.len() == done {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The edits of lines that are changed together.
struct Change<'e> {
    /// Where the lines begin in the old file.
    start: u64,
    edits: &'e [Edit],
    /// How many bytes the edits add.
    growth: i64,
}

impl<'e> Change<'e> {
    /// Takes the first ones of `edits` that begin before `end`, or there at the end of the file.
    fn reach(&mut self, edits: &'e [Edit], end: u64, is_last: bool) {
        let mut count = self.edits.len();
        while let Some(edit) = edits.get(count)
            && (edit.at < end || is_last && edit.at == end)
        {
            self.growth += edit.new.len().cast_signed() as i64;
            self.growth -= edit.old.len().cast_signed() as i64;
            count += 1;
        }
        self.edits = &edits[..count];
    }

    /// Whether the new text of the lines `old` is whole lines.
    fn ends_line(&self, old: &[u8]) -> bool {
        let end = self.start + old.len() as u64;
        match self.edits.last() {
            Some(last) if last.end() > end => false,
            Some(last) if last.end() == end => {
                last.new.ends_with(b"\n") || old.len().cast_signed() as i64 + self.growth == 0
            }
            _ => true,
        }
    }

    /// What becomes of the lines `old`.
    fn apply(&self, old: &[u8]) -> io::Result<ChangedText> {
        let shifted =
            self.edits.iter().map(|edit| Edit { at: edit.at - self.start, ..edit.clone() });
        let shifted: Vec<_> = shifted.collect();
        let mut new = Vec::new();
        crate::edit::splice(&mut &*old, &shifted, &mut new)?;
        let mut changed = ChangedText { new, removed: Vec::new(), added: Vec::new() };
        // Between the edits, both texts are the same.
        let (mut old_end, mut new_end) = (0, 0);
        for edit in &shifted {
            let at = usize::try_from(edit.at).map_err(io::Error::other)?;
            let start = new_end + at - old_end;
            (old_end, new_end) = (at + edit.old.len(), start + edit.new.len());
            changed.removed.push(at..old_end);
            changed.added.push(start..new_end);
        }
        Ok(changed)
    }
}

/// The new text of lines that are changed.
struct ChangedText {
    new: Vec<u8>,
    /// The parts of the old text that it lacks.
    removed: Vec<Range<usize>>,
    /// The parts of it that the old text lacks.
    added: Vec<Range<usize>>,
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

/// The hunk that is being made.
struct OpenHunk<F> {
    /// Is called with each hunk.
    each: F,
    hunk: Option<PatchHunk>,
    /// The new lines since the last unchanged one, which stand behind all old ones.
    added: Vec<PatchLine>,
    /// Unchanged lines that may follow or precede a change.
    kept: VecDeque<Vec<u8>>,
    /// The number of lines up to here in the old file, and in the new one.
    seen: [usize; 2],
}

impl<F: FnMut(&PatchHunk)> OpenHunk<F> {
    /// Adds a line that is not changed.
    fn keep(&mut self, line: Vec<u8>) {
        self.kept.push_back(line);
        self.seen = self.seen.map(|seen| seen + 1);
        if self.hunk.is_some() && self.kept.len() > 2 * CONTEXT_LINES {
            self.close();
        }
        if self.hunk.is_none() && self.kept.len() > CONTEXT_LINES {
            self.kept.pop_front();
        }
    }

    /// Adds the lines `old`, of which `edits` change some bytes.
    fn change(&mut self, old: &[u8], change: &Change<'_>, edits: Range<usize>) -> io::Result<()> {
        let ChangedText { new, removed, added } = change.apply(old)?;
        let before = self.seen.map(|seen| seen - self.kept.len());
        let hunk = self.hunk.get_or_insert_with(|| PatchHunk {
            edits: edits.start..edits.start,
            before,
            ..PatchHunk::default()
        });
        hunk.edits.end = edits.end;
        if !self.kept.is_empty() {
            hunk.lines.append(&mut self.added);
            hunk.lines.extend(self.kept.drain(..).map(kept_line));
        }
        self.seen[0] += append_lines(PatchLineKind::Removed, old, &removed, &mut hunk.lines);
        self.seen[1] += append_lines(PatchLineKind::Added, &new, &added, &mut self.added);
        Ok(())
    }

    /// Ends the hunk, if there is one.
    fn close(&mut self) {
        if let Some(mut hunk) = self.hunk.take() {
            hunk.lines.append(&mut self.added);
            let after = self.kept.len().min(CONTEXT_LINES);
            hunk.lines.extend(self.kept.drain(..after).map(kept_line));
            (self.each)(&hunk);
        }
    }
}

fn kept_line(text: Vec<u8>) -> PatchLine {
    PatchLine { kind: PatchLineKind::Kept, text, spans: Vec::new() }
}

/// Appends the lines of `text`, each with its part of `spans`. Returns how many there are.
fn append_lines(
    kind: PatchLineKind,
    text: &[u8],
    spans: &[Range<usize>],
    lines: &mut Vec<PatchLine>,
) -> usize {
    let (mut start, mut rest) = (0, spans);
    let before = lines.len();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let end = start + line.len();
        rest = &rest[rest.partition_point(|span| span.end <= start)..];
        let within = rest.iter().take_while(|span| span.start < end);
        let within = within.map(|span| span.start.max(start) - start..span.end.min(end) - start);
        let spans = within.filter(|span| !span.is_empty()).collect();
        lines.push(PatchLine { kind, text: line.to_vec(), spans });
        start = end;
    }
    lines.len() - before
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hunks that `edits`, as offset, old and new text, make of `text`: each with its place,
    /// its edits, and its lines with `[` and `]` around what edits remove and add.
    fn hunks(text: &str, edits: &[(u64, &str, &str)]) -> Vec<String> {
        let edit =
            |&(at, old, new): &(u64, &str, &str)| Edit { at, old: old.into(), new: new.into() };
        let edits: Vec<Edit> = edits.iter().map(edit).collect();
        let mut hunks = Vec::new();
        let shown = |hunk: &PatchHunk| {
            let mut shown = format!("{} {:?}\n", hunk.place(), hunk.edits);
            for line in &hunk.lines {
                let mut text = String::from_utf8(line.text.clone()).unwrap();
                for span in line.spans.iter().rev() {
                    text.insert(span.end, ']');
                    text.insert(span.start, '[');
                }
                shown.push(line.kind.sign().into());
                shown += &text;
            }
            shown
        };
        hunks_of(text.as_bytes(), &edits, |hunk| hunks.push(shown(hunk))).unwrap();
        hunks
    }

    #[test]
    fn hunks_know_their_edits_and_the_parts_of_lines() {
        assert_eq!(hunks("a\n", &[]), [""; 0]);
        let edits = [(2, "beer", "tea"), (8, "b", "")];
        assert_eq!(
            hunks("a beer, beer\nx\n", &edits),
            ["@@ -1,2 +1,2 @@ 0..2\n-a [beer], [b]eer\n+a [tea], eer\n x\n"]
        );
        // An edit of several lines, and one that puts a line in.
        assert_eq!(
            hunks("ab\ncd\n", &[(1, "b\nc", ""), (6, "", "x\n")]),
            ["@@ -1,2 +1,2 @@ 0..2\n-a[b\n]-[c]d\n+ad\n+[x\n]"]
        );
        // Old lines that follow each other stand together.
        assert_eq!(
            hunks("a\na\nb\na\n", &[(0, "a", "x"), (2, "a", "y"), (6, "a", "z")]),
            ["@@ -1,4 +1,4 @@ 0..3\n-[a]\n-[a]\n+[x]\n+[y]\n b\n-[a]\n+[z]\n"]
        );
        let far: String = (0..20).map(|line| format!("{}\n", line % 10)).collect();
        assert_eq!(
            hunks(&far, &[(0, "0", "x"), (14, "7", "y"), (38, "9", "z")]),
            [
                "@@ -1,11 +1,11 @@ 0..2\n-[0]\n+[x]\n 1\n 2\n 3\n 4\n 5\n 6\n-[7]\n+[y]\n 8\n 9\n 0\n",
                "@@ -17,4 +17,4 @@ 2..3\n 6\n 7\n 8\n-[9]\n+[z]\n",
            ]
        );
    }

    #[test]
    fn joining_many_lines_takes_linear_time() {
        let text = "x\n".repeat(100_000);
        let edits: Vec<_> = (0..100_000).map(|line| (2 * line + 1, "\n", "")).collect();
        assert_eq!(hunks(&text, &edits)[0].lines().next(), Some("@@ -1,100000 +1,1 @@ 0..100000"));
    }
}
