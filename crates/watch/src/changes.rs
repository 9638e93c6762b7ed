//! What has changed since the index of a tree was built.

use std::ops::Range;

use heist_index::BitSet;

/// What may have changed since a tree's index was built: directories, files and sources of rules,
/// by the numbers that the index and its snapshot give them.
///
/// What is not in it has the same stamp as in the index. This also holds for the path: a file
/// without a known change is where the snapshot has it. Sets only grow, until the index is brought
/// up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Directories that may contain other entries, or may be elsewhere.
    dirs: BitSet,
    /// Files that may contain something else, or may be elsewhere.
    files: BitSet,
    /// Files that decide what is ignored, by their place in [`heist_index::Snapshot::sources`].
    sources: BitSet,
}

impl Changes {
    /// No change, in a tree with this many directories, files and sources.
    pub(crate) fn none(dirs: u32, files: u32, sources: u32) -> Changes {
        let [dirs, files, sources] = [dirs, files, sources].map(BitSet::none);
        Changes { dirs, files, sources }
    }

    /// Whether the stamp of this directory may differ from the one in the snapshot, or another
    /// directory may have taken its place.
    #[must_use]
    pub fn has_dir(&self, number: u32) -> bool {
        may_have(&self.dirs, number)
    }

    /// Whether the stamp of this file may differ from the one in the index.
    #[must_use]
    pub fn has_file(&self, number: u32) -> bool {
        may_have(&self.files, number)
    }

    /// Whether this file that decides what is ignored may differ from what it was. Files outside
    /// the directories that are watched always may.
    #[must_use]
    pub fn has_source(&self, number: u32) -> bool {
        may_have(&self.sources, number)
    }

    /// The directories that [may have changed](Changes::has_dir), as far as the set's limit goes.
    /// Any directory beyond it may have changed too.
    #[must_use]
    pub fn dirs(&self) -> &BitSet {
        &self.dirs
    }

    /// The files that [may have changed](Changes::has_file), as far as the set's limit goes. Any
    /// file beyond it may have changed too.
    #[must_use]
    pub fn files(&self) -> &BitSet {
        &self.files
    }

    /// The files that decide what is ignored and [may have changed](Changes::has_source), as far as
    /// the set's limit goes. Any such file beyond it may have changed too.
    #[must_use]
    pub fn sources(&self) -> &BitSet {
        &self.sources
    }

    /// How many directories, files and sources may have changed.
    #[must_use]
    pub fn counts(&self) -> [u32; 3] {
        [&self.dirs, &self.files, &self.sources].map(BitSet::count)
    }

    /// Marks directories.
    pub(crate) fn add_dirs(&mut self, numbers: Range<u32>) {
        self.dirs.insert_all(numbers.start..numbers.end.min(self.dirs.limit()));
    }

    /// Marks a file.
    pub(crate) fn add_file(&mut self, number: u32) {
        insert(&mut self.files, number);
    }

    /// Marks files.
    pub(crate) fn add_files(&mut self, numbers: impl IntoIterator<Item = u32>) {
        numbers.into_iter().for_each(|number| self.add_file(number));
    }

    /// Marks a source.
    pub(crate) fn add_source(&mut self, number: u32) {
        insert(&mut self.sources, number);
    }

    /// Marks sources.
    pub(crate) fn add_sources(&mut self, numbers: impl IntoIterator<Item = u32>) {
        numbers.into_iter().for_each(|number| self.add_source(number));
    }

    /// Appends the sets to a message.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for set in [&self.dirs, &self.files, &self.sources] {
            out.extend(set.limit().to_le_bytes());
            out.extend(set.bytes());
        }
    }

    /// Takes the sets from the beginning of a message.
    pub(crate) fn take(message: &mut &[u8]) -> Option<Changes> {
        let mut set = || take_set(message);
        Some(Changes { dirs: set()?, files: set()?, sources: set()? })
    }
}

/// Whether a number is in the set, or beyond its limit.
fn may_have(set: &BitSet, number: u32) -> bool {
    number >= set.limit() || set.contains(number)
}

/// Adds a number, unless it is beyond the set's limit.
fn insert(set: &mut BitSet, number: u32) {
    if number < set.limit() {
        set.insert(number);
    }
}

fn take_set(message: &mut &[u8]) -> Option<BitSet> {
    let (limit, rest) = message.split_first_chunk()?;
    let limit = u32::from_le_bytes(*limit);
    let (bytes, rest) = rest.split_at_checked(limit.div_ceil(8) as usize)?;
    *message = rest;
    let mut set = BitSet::none(limit);
    set.set_bytes(bytes).then_some(set)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sets_are_those_of_the_standard_library() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..300 {
            let len = rng.u32(1..400);
            let mut changes = Changes::none(len, len, 0);
            let mut expected = BTreeSet::new();
            for _ in 0..rng.u32(..10) {
                let start = rng.u32(..len);
                let range = start..rng.u32(start..=len);
                changes.add_dirs(range.clone());
                changes.add_files(range.clone());
                expected.extend(range);
            }
            for number in 0..len {
                assert_eq!(changes.has_dir(number), expected.contains(&number));
                assert_eq!(changes.has_file(number), expected.contains(&number));
            }
            assert_eq!(changes.counts(), [expected.len() as u32, expected.len() as u32, 0]);
            for number in [len, len + 64] {
                assert!(changes.has_dir(number), "what is not in the set's range is not known");
                assert!(changes.has_file(number) && changes.has_source(number));
            }
            let before = changes.clone();
            changes.add_dirs(len..len + 64);
            changes.add_files([len, len + 64]);
            changes.add_sources([0, 64]);
            assert_eq!(changes, before, "there is nothing to mark");

            let mut message = Vec::new();
            changes.write(&mut message);
            message.push(7);
            let mut rest = &message[..];
            assert_eq!(Changes::take(&mut rest), Some(changes));
            assert_eq!(rest, [7]);
            assert_eq!(Changes::take(&mut &message[..message.len() - 2]), None);
        }
    }
}
