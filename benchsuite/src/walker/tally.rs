//! The visitor of a sample: counts what it is shown, so that two walks can be told apart.

use std::{io, io::Read, ops::ControlFlow};

use heist_filter::Problem;
use heist_walk::{Entry, Error, FileType, Helpers, OpenedFile, Visitor};
use serde::{Deserialize, Serialize};

use crate::random::scramble;

/// Bytes read at a time.
const BUFFER: usize = 128 << 10;

/// A read that is short, but ends on a page, may have been cut by a page that cannot be read.
const PAGE: usize = 4 << 10;

/// What a walk saw. Two walks of one tree in one mode must be equal in all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Directories that were listed, the root among them.
    pub(crate) directories: u64,
    /// Regular files.
    pub(crate) files: u64,
    /// Symbolic links; none is followed.
    pub(crate) symlinks: u64,
    /// Paths that could not be walked or read, and faults of ignore files.
    pub(crate) errors: u64,
    /// Bytes read of files.
    pub(crate) bytes: u64,
    /// The sum of a hash of every path with its sort, in hexadecimal: the order does not matter.
    pub(crate) hash: String,
}

impl Counts {
    /// Directories, files and symbolic links together.
    pub(crate) fn entries(&self) -> u64 {
        self.directories + self.files + self.symlinks
    }

    /// How these differ from `reference`, if they do.
    pub(crate) fn difference(&self, reference: &Counts) -> Option<String> {
        let numbers = |counts: &Counts| {
            [
                ("directories", counts.directories),
                ("files", counts.files),
                ("symlinks", counts.symlinks),
                ("errors", counts.errors),
                ("bytes", counts.bytes),
            ]
        };
        let pairs = numbers(self).into_iter().zip(numbers(reference));
        let mut differences: Vec<String> = pairs
            .filter(|(seen, expected)| seen != expected)
            .map(|((name, seen), (_, expected))| format!("{seen} {name} instead of {expected}"))
            .collect();
        if differences.is_empty() && self.hash != reference.hash {
            differences.push("other paths, though as many".to_owned());
        }
        (!differences.is_empty()).then(|| differences.join(", "))
    }
}

/// What one worker saw.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    directories: u64,
    files: u64,
    symlinks: u64,
    errors: u64,
    hash: u64,
    /// Bytes read of files.
    pub(crate) bytes: u64,
    /// What the first error said.
    pub(crate) first_error: Option<String>,
    /// Whether files are read.
    reads: bool,
    /// Made for the first file that is read.
    buffer: Vec<u8>,
}

/// The sort of an entry, as it goes into its hash.
#[derive(Clone, Copy, Debug)]
enum Sort {
    Directory = 1,
    File,
    Symlink,
}

impl Tally {
    /// Nothing seen yet. `reads`: read every file.
    pub(crate) fn new(reads: bool) -> Tally {
        Tally { reads, ..Tally::default() }
    }

    /// Adds what another worker of the same walk saw.
    pub(crate) fn add(&mut self, other: Tally) {
        self.directories += other.directories;
        self.files += other.files;
        self.symlinks += other.symlinks;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.hash = self.hash.wrapping_add(other.hash);
        self.first_error = self.first_error.take().or(other.first_error);
    }

    /// What was seen.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            directories: self.directories,
            files: self.files,
            symlinks: self.symlinks,
            errors: self.errors,
            bytes: self.bytes,
            hash: format!("{:016x}", self.hash),
        }
    }

    fn note(&mut self, sort: Sort, dir: &[u8], name: &[u8]) {
        // A name holds no slash and a directory ends in one, so the two parts tell the path.
        let hash = absorb(absorb(sort as u64, dir), name);
        self.hash = self.hash.wrapping_add(scramble(hash));
    }

    fn fail(&mut self, message: impl FnOnce() -> String) {
        self.errors += 1;
        self.first_error.get_or_insert_with(message);
    }

    /// Reads the file to its end, as a search that finds nothing does.
    fn read(&mut self, file: &Entry<'_>) -> io::Result<()> {
        let OpenedFile { mut file, short_read_is_eof, .. } = file.open()?;
        self.buffer.resize(BUFFER, 0);
        let mut length = 0;
        loop {
            match file.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(count) => {
                    length += count;
                    let is_short = count < BUFFER && !length.is_multiple_of(PAGE);
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
    const DIRECTORIES: bool = true;
    const LINKS: bool = true;

    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        match entry.file_type() {
            FileType::Dir => {
                self.directories += 1;
                // Hashed with a slash at the end, as the path in front of its entries.
                let mut path = [entry.dir(), entry.name()].concat();
                if !path.ends_with(b"/") {
                    path.push(b'/');
                }
                self.note(Sort::Directory, &path, b"");
            }
            FileType::Symlink => {
                self.symlinks += 1;
                self.note(Sort::Symlink, entry.dir(), entry.name());
            }
            FileType::File | FileType::Other => {
                self.files += 1;
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

/// Takes bytes into a hash, eight at a time: a few nanoseconds for a path, against the microsecond
/// that the system takes for an entry. Nobody attacks it; it only has to notice mistakes.
fn absorb(hash: u64, bytes: &[u8]) -> u64 {
    let step =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(hash, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    // The length tells a rest from the same one with NUL bytes behind it.
    step(step(hash, u64::from_le_bytes(last)), bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn hash_of(entries: &[(Sort, &str, &str)]) -> String {
        let mut tally = Tally::new(false);
        for (sort, dir, name) in entries {
            tally.note(*sort, dir.as_bytes(), name.as_bytes());
        }
        tally.counts().hash
    }

    #[test]
    fn the_hash_sees_every_difference_but_order() {
        let one = (Sort::File, "some/directory/", "a-name");
        let two = (Sort::Symlink, "some/", "link");
        assert_eq!(hash_of(&[one, two]), hash_of(&[two, one]));
        let others = [
            vec![],
            vec![one],
            vec![one, two],
            vec![one, one],
            vec![(Sort::Symlink, one.1, one.2)],
            vec![(Sort::Directory, one.1, one.2)],
            vec![(Sort::File, "some/", "directory/a-name")],
            vec![(Sort::File, "some/directory/", "a-name\0")],
            vec![(Sort::File, "some/directory/", "a-nam")],
        ];
        let hashes: BTreeSet<String> = others.iter().map(|entries| hash_of(entries)).collect();
        assert_eq!(hashes.len(), others.len());
    }

    #[test]
    fn differences_are_told_by_name() {
        let mut tally = Tally::new(false);
        tally.note(Sort::File, b"", b"x");
        let reference = Counts { files: 3, bytes: 5, ..tally.counts() };
        assert_eq!(reference.difference(&reference), None);
        let fewer = Counts { files: 2, bytes: 4, ..reference.clone() };
        let difference = fewer.difference(&reference).unwrap();
        assert_eq!(difference, "2 files instead of 3, 4 bytes instead of 5");
        let others = Counts { hash: hash_of(&[(Sort::File, "", "y")]), ..reference };
        assert_eq!(others.difference(&reference).unwrap(), "other paths, though as many");
    }
}
