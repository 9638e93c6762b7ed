//! What an index has spared a search, for `--stats` and `--debug`.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::texts::messages::grouped;

/// Counts files of which an index proves something, in a search that reports it.
#[derive(Debug, Default)]
pub(super) struct SparedCounts {
    unread: AtomicU64,
    in_part: AtomicU64,
}

impl SparedCounts {
    /// Notes a file that is not read.
    pub(super) fn note_unread(&self) {
        // Ordering: Relaxed, as below; the numbers are read after all workers were joined.
        self.unread.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a file of which parts are read.
    pub(super) fn note_in_part(&self) {
        self.in_part.fetch_add(1, Ordering::Relaxed);
    }

    /// What was counted. `may_match` of the indexes' `blocks` may contain a match.
    pub(super) fn total(&self, may_match: u64, blocks: u64) -> Spared {
        let [unread, in_part] =
            [&self.unread, &self.in_part].map(|count| count.load(Ordering::Relaxed));
        Spared { unread, in_part, may_match, blocks }
    }
}

/// What indexes have spared a search.
///
/// Displays as `78,214 files left unread, 12 read in part; 91 of 166,210 blocks may match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spared {
    /// Files that were not opened, since they contain no match.
    unread: u64,
    /// Files of which only some blocks were read.
    in_part: u64,
    /// The blocks in which the indexes do not rule out a match.
    may_match: u64,
    /// The blocks that the indexes have.
    blocks: u64,
}

impl Spared {
    /// Appends the line of `--stats`.
    pub(crate) fn append_text(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("index: {self}\n").as_bytes());
    }

    /// Appends the message of `--json --stats`.
    pub(crate) fn append_json(&self, out: &mut Vec<u8>) {
        let Spared { unread, in_part, may_match, blocks } = self;
        let message = format!(
            r#"{{"type":"index","data":{{"files_unread":{unread},"files_read_in_part":{in_part},"blocks_that_may_match":{may_match},"blocks":{blocks}}}}}"#,
        );
        out.extend_from_slice(message.as_bytes());
        out.push(b'\n');
    }
}

impl fmt::Display for Spared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spared { unread, in_part, may_match, blocks } = self;
        let files = if *unread == 1 { "file" } else { "files" };
        let [unread, in_part] = [*unread, *in_part].map(grouped);
        let [may_match, blocks] = [*may_match, *blocks].map(grouped);
        write!(f, "{unread} {files} left unread, {in_part} read in part; ")?;
        write!(f, "{may_match} of {blocks} blocks may match")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spared_is_a_line_or_a_message() {
        let counts = SparedCounts::default();
        (0..1234).for_each(|_| counts.note_unread());
        counts.note_in_part();
        let spared = counts.total(3, 5000);
        let mut text = Vec::new();
        spared.append_text(&mut text);
        let line = "index: 1,234 files left unread, 1 read in part; 3 of 5,000 blocks may match\n";
        assert_eq!(text, line.as_bytes());
        text.clear();
        spared.append_json(&mut text);
        let message = r#"{"type":"index","data":{"files_unread":1234,"files_read_in_part":1,"#;
        assert!(text.starts_with(message.as_bytes()) && text.ends_with(b"\"blocks\":5000}}\n"));
    }
}
