//! The visitor of a measured walk: counts and hashes entries, so that two walks can be compared.

use std::{io, io::Read, ops::ControlFlow};

use heist_filter::Problem;
use heist_walk::{Entry, Error, FileType, Helpers, OpenedFile, Visitor, Wants};

use crate::checksum::scramble;
use crate::record::Outcome;

/// Bytes read at a time.
const BUFFER_BYTES: usize = 128 << 10;

/// A read that is short, but ends on a page, may have been cut by a page that cannot be read.
const PAGE_BYTES: usize = 4 << 10;

/// What one worker visited, or all of them.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Entries of each [`Sort`].
    entries: [u64; 3],
    errors: u64,
    hash: u64,
    bytes: u64,
    pub(crate) first_error: Option<String>,
    /// Whether files are read.
    reads: bool,
    /// Made for the first file that is read.
    buffer: Vec<u8>,
}

/// The sort of an entry, as it goes into its hash.
#[derive(Clone, Copy, Debug)]
enum Sort {
    Directory,
    File,
    Symlink,
}

impl Tally {
    /// An empty tally; `reads`: read every file.
    pub(crate) fn new(reads: bool) -> Tally {
        Tally { reads, ..Tally::default() }
    }

    /// This and what another worker of the same walk visited.
    pub(crate) fn and(self, other: Tally) -> Tally {
        Tally {
            entries: [0, 1, 2].map(|sort| self.entries[sort] + other.entries[sort]),
            errors: self.errors + other.errors,
            hash: self.hash.wrapping_add(other.hash),
            bytes: self.bytes + other.bytes,
            first_error: self.first_error.or(other.first_error),
            ..Tally::default()
        }
    }

    /// The result that all walks of this tree must have.
    pub(crate) fn outcome(&self) -> Outcome {
        // Two walks that read other bytes, or met other errors, differ as well.
        let rest = scramble(self.bytes ^ 1).wrapping_add(scramble(self.errors ^ 2));
        let digest = self.hash.wrapping_add(rest);
        Outcome { lines: self.entries.iter().sum(), digest, code: 0 }
    }

    /// How much was visited, as figures.
    pub(crate) fn counts(&self) -> [(&'static str, u64); 5] {
        let [directories, files, symlinks] = self.entries;
        [
            ("directories", directories),
            ("files", files),
            ("symlinks", symlinks),
            ("errors", self.errors),
            ("bytes", self.bytes),
        ]
    }

    fn note(&mut self, sort: Sort, dir: &[u8], name: &[u8]) {
        self.entries[sort as usize] += 1;
        // A name holds no slash and a directory ends in one, so the two parts determine the path.
        let hash = absorb(absorb(sort as u64 + 1, dir), name);
        self.hash = self.hash.wrapping_add(scramble(hash));
    }

    fn fail(&mut self, message: impl FnOnce() -> String) {
        self.errors += 1;
        self.first_error.get_or_insert_with(message);
    }

    /// Reads the file to its end, as a search that finds nothing does.
    fn read(&mut self, file: &Entry<'_>) -> io::Result<()> {
        let OpenedFile { mut file, short_read_is_eof, .. } = file.open()?;
        self.buffer.resize(BUFFER_BYTES, 0);
        let mut length = 0;
        loop {
            match file.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(count) => {
                    length += count;
                    let is_short = count < BUFFER_BYTES && !length.is_multiple_of(PAGE_BYTES);
                    if is_short && short_read_is_eof {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.bytes += length as u64;
        Ok(())
    }
}

impl Visitor for Tally {
    const WANTED_ENTRIES: Wants = Wants { directories: true, links: true, ..Wants::ONLY_FILES };

    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        match entry.file_type() {
            FileType::Dir => {
                // Hashed with a slash at the end, as the path in front of its entries.
                let mut path = [entry.dir(), entry.name()].concat();
                if !path.ends_with(b"/") {
                    path.push(b'/');
                }
                self.note(Sort::Directory, &path, b"");
            }
            FileType::Symlink => self.note(Sort::Symlink, entry.dir(), entry.name()),
            FileType::File | FileType::Other => {
                self.note(Sort::File, entry.dir(), entry.name());
                if self.reads
                    && let Err(error) = self.read(entry)
                {
                    self.fail(|| format!("{}: {error}", entry.path().display()));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        self.fail(|| error.to_string());
    }

    fn problem(&mut self, problem: Problem) {
        self.fail(|| problem.to_string());
    }
}

/// Absorbs bytes into a hash, eight at a time: a few nanoseconds for a path, against the
/// microsecond that the system takes for an entry. It has to detect mistakes, not attacks.
fn absorb(hash: u64, bytes: &[u8]) -> u64 {
    let step =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(hash, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    // The length distinguishes a rest from the same one followed by NUL bytes.
    step(step(hash, u64::from_le_bytes(last)), bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_result_sees_every_difference_but_order() {
        let of = |entries: &[(Sort, &str, &str)]| {
            let mut tally = Tally::default();
            for (sort, dir, name) in entries {
                tally.note(*sort, dir.as_bytes(), name.as_bytes());
            }
            tally
        };
        let one = (Sort::File, "some/directory/", "a-name");
        let two = (Sort::Symlink, "some/", "link");
        assert_eq!(of(&[one, two]).outcome(), of(&[two, one]).outcome());
        assert_eq!(of(&[one]).and(of(&[two])).outcome(), of(&[one, two]).outcome());
        let others = [
            of(&[]),
            of(&[one]),
            of(&[one, two]),
            of(&[one, one]),
            of(&[(Sort::Symlink, one.1, one.2)]),
            of(&[(Sort::Directory, one.1, one.2)]),
            of(&[(Sort::File, "some/", "directory/a-name")]),
            of(&[(Sort::File, "some/directory/", "a-name\0")]),
            of(&[(Sort::File, "some/directory/", "a-nam")]),
            Tally { bytes: 5, ..of(&[one]) },
            Tally { bytes: 4, ..of(&[one]) },
            Tally { errors: 1, ..of(&[one]) },
        ];
        let digests: BTreeSet<u64> = others.iter().map(|tally| tally.outcome().digest).collect();
        assert_eq!(digests.len(), others.len());
        assert_eq!(others[2].outcome().lines, 2);
    }
}
