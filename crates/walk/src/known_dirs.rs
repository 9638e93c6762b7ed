//! Directories that were listed earlier. A walk that proves one unchanged need not open it.

use std::{fmt, io, path::Path, time::SystemTime};

use heist_filter::Fingerprint;

use crate::{
    listing::{FileType, Listing, Shortcut},
    metadata::FileMetadata,
    sys::{Lister, Progress, System},
};

/// Directories as they were listed earlier, which have numbers.
///
/// A walk looks up its roots, and the directories in those that are known. It relies on the
/// results: they must be those that the system would return now.
pub trait KnownDirs: fmt::Debug + Send + Sync {
    /// Returns the number that the directory at `path`, a root, has.
    fn root(&self, path: &Path) -> Option<u32>;

    /// Returns whether a directory has the entries that are known. `look` returns what the system
    /// reports about it now.
    fn is_unchanged(&self, dir: u32, look: &mut dyn FnMut() -> io::Result<FileMetadata>) -> bool;

    /// Returns whether the file with this number, which is to be [passed over](Shortcut::PassOver)
    /// then, contains what it did. `look` returns what the system reports about it now.
    fn is_file_unchanged(
        &self,
        file: u32,
        look: &mut dyn FnMut() -> io::Result<FileMetadata>,
    ) -> bool;

    /// Passes the entries of a directory, from the one with this index on, to `add`, in the order
    /// in which they were listed, until it returns `false`. Returns whether that happened.
    ///
    /// # Errors
    /// They cannot be read.
    fn entries(
        &self,
        dir: u32,
        from: usize,
        add: &mut dyn FnMut(KnownEntry<'_>) -> bool,
    ) -> io::Result<bool>;

    /// Returns whether rules with this fingerprint have judged a directory's entries.
    fn is_judged_by(&self, dir: u32, rules: Fingerprint) -> bool;

    /// Returns the fingerprint for the rules in force in a directory, if the rules above it have
    /// the fingerprint `above` and its own rule files contain what they did. `look` returns what
    /// the system reports about one of these files now.
    fn rules(
        &self,
        dir: u32,
        above: Fingerprint,
        look: &mut dyn FnMut(&[u8]) -> io::Result<FileMetadata>,
    ) -> Option<Fingerprint>;
}

/// An entry in a directory that was listed.
#[derive(Clone, Copy, Debug)]
pub struct KnownEntry<'a> {
    /// The entry's name.
    pub name: &'a [u8],
    /// The entry's type; `None` if it has to be examined.
    pub file_type: Option<FileType>,
    /// The entry's inode number, as it was listed.
    pub inode: u64,
    /// The number of the directory that it is, if that is known, or the one that [`KnownDirs`] has
    /// for a file, see [`Entry::number`](crate::Entry::number).
    pub number: Option<u32>,
    /// Whether it was wanted, if it was judged.
    pub is_wanted: Option<bool>,
    /// What the walk may do with it.
    pub shortcut: Shortcut,
}

/// Some of a directory's entries, as a walk has listed and judged them. See
/// [`DirVisitor::listed`](crate::DirVisitor::listed).
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The directory's path, relative to its root, without a slash at its end.
    pub path: &'a [u8],
    /// What the system reported about the directory before it was listed, and the time before that.
    pub looked: Option<(FileMetadata, SystemTime)>,
    /// The fingerprint that the rules have by which the entries were judged.
    pub rules: Option<Fingerprint>,
    /// The directory's number, if it has the entries that are known.
    pub known: Option<u32>,
    /// Whether the verdicts are those that are known.
    pub is_known_judged: bool,
    /// Whether these are the directory's first entries.
    pub is_first: bool,
    /// Whether entries are missing, because listing the directory failed.
    pub is_partial: bool,
    pub(crate) listing: &'a Listing,
    pub(crate) verdicts: &'a [Option<bool>],
}

impl<'a> Listed<'a> {
    /// Returns the entries in the order in which they were listed.
    pub fn entries(&self) -> impl Iterator<Item = KnownEntry<'a>> + use<'a> {
        let listing = self.listing;
        listing.entries().iter().zip(self.verdicts).map(|(&entry, &is_wanted)| KnownEntry {
            name: listing.name(entry).bytes(),
            file_type: entry.file_type,
            inode: entry.inode,
            number: None,
            is_wanted,
            shortcut: Shortcut::None,
        })
    }
}

/// Where entries come from: the system, or what is known.
pub(crate) enum EntrySource<'a, S: System> {
    System(S::Lister<'a>),
    /// A directory, and how many entries have been taken from it.
    Known(&'a dyn KnownDirs, u32, usize),
}

impl<S: System> Lister for EntrySource<'_, S> {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        let (dirs, dir, taken) = match self {
            EntrySource::System(lister) => return lister.fill(listing),
            EntrySource::Known(dirs, dir, taken) => (dirs, *dir, taken),
        };
        let from = *taken;
        let is_interrupted = dirs.entries(dir, from, &mut |entry| {
            let is_added = !listing.is_full();
            if is_added {
                let KnownEntry { name, file_type, inode, number, is_wanted, shortcut } = entry;
                listing.push_known(name, file_type, inode, number, is_wanted, shortcut);
                *taken += 1;
            }
            is_added
        })?;
        Ok(if is_interrupted { Progress::More } else { Progress::End })
    }
}
