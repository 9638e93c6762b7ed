//! What has changed since the index of a tree was built.

use std::ops::Range;

use crate::bits::Bits;

/// What may have changed since the index of a tree was built: directories, files and sources of
/// rules, by the numbers that the index and its snapshot give them.
///
/// What is not in it has the same stamp as in the index. This also holds for the path: a file of
/// which nothing is known to have changed is where the snapshot has it. Sets only grow, until the
/// index is brought up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Directories that may contain other entries, or may be elsewhere.
    pub(crate) dirs: Bits,
    /// Files that may contain something else, or may be elsewhere.
    pub(crate) files: Bits,
    /// Files that decide what is ignored, by their place in [`heist_index::Snapshot::sources`].
    pub(crate) sources: Bits,
}

impl Changes {
    /// No change, of so many directories, files and sources.
    pub(crate) fn none(dirs: u32, files: u32, sources: u32) -> Changes {
        let [dirs, files, sources] = [dirs, files, sources].map(Bits::none);
        Changes { dirs, files, sources }
    }

    /// Whether the stamp of this directory may differ from the one in the snapshot, or another
    /// directory may have taken its place.
    #[must_use]
    pub fn has_dir(&self, number: u32) -> bool {
        self.dirs.contains(number)
    }

    /// Whether the stamp of this file may differ from the one in the index.
    #[must_use]
    pub fn has_file(&self, number: u32) -> bool {
        self.files.contains(number)
    }

    /// Whether this file that decides what is ignored may differ from what it was. Those outside of
    /// the directories that are watched always may.
    #[must_use]
    pub fn has_source(&self, number: u32) -> bool {
        self.sources.contains(number)
    }

    /// How many directories, files and sources may have changed.
    #[must_use]
    pub fn counts(&self) -> [u32; 3] {
        [&self.dirs, &self.files, &self.sources].map(Bits::count)
    }

    /// Marks directories.
    pub(crate) fn add_dirs(&mut self, numbers: Range<u32>) {
        self.dirs.insert_all(numbers);
    }

    /// Appends the sets to a message.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        [&self.dirs, &self.files, &self.sources].iter().for_each(|bits| bits.write(out));
    }

    /// Takes the sets from the beginning of a message.
    pub(crate) fn take(message: &mut &[u8]) -> Option<Changes> {
        let mut bits = || Bits::take(message);
        Some(Changes { dirs: bits()?, files: bits()?, sources: bits()? })
    }
}
