//! Directories that were listed earlier. A walk that proves one unchanged need not open it.

use std::{fmt, io, path::Path, time::SystemTime};

use heist_filter::Fingerprint;

use crate::{
    listing::{KnownEntry, Listing, Shortcut},
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

    /// Returns the directory with this number; `None` if what was stored cannot be read.
    fn dir(&self, number: u32) -> Option<Box<dyn KnownDir<'_> + '_>>;

    /// Returns whether the walk skips the file with this number, which has the shortcut
    /// [`SkipUnchanged`](Shortcut::SkipUnchanged): whether it contains what it did.
    fn skips_file(&self, file: u32, look: Look<'_>) -> bool;
}

/// Returns what the system reports now about the directory or file in question.
pub type Look<'l> = &'l mut dyn FnMut() -> io::Result<FileMetadata>;

/// A directory as it was listed earlier.
pub trait KnownDir<'k> {
    /// Returns whether the directory has the entries that are known.
    fn is_unchanged(&self, look: Look<'_>) -> bool;

    /// Returns the entries in the order in which they were listed.
    fn entries(&self) -> Box<dyn Iterator<Item = KnownEntry<'k>> + 'k>;

    /// Returns whether rules with this fingerprint have judged the entries. If so, the walk takes
    /// over the verdicts.
    fn is_judged_by(&self, rules: Fingerprint) -> bool;

    /// Returns the fingerprint for the rules in force in the directory, if the rules above it have
    /// the fingerprint `above` and its own rule files contain what they did. `look` returns what
    /// the system reports about the file with this name now.
    fn rules(
        &self,
        above: Fingerprint,
        look: &mut dyn FnMut(&[u8]) -> io::Result<FileMetadata>,
    ) -> Option<Fingerprint>;
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
pub(crate) enum EntrySource<'a, 'run, S: System> {
    System(S::Lister<'a>),
    Known(Box<dyn Iterator<Item = KnownEntry<'run>> + 'run>),
}

impl<S: System> Lister for EntrySource<'_, '_, S> {
    fn fill(&mut self, listing: &mut Listing) -> io::Result<Progress> {
        let entries = match self {
            EntrySource::System(lister) => return lister.fill(listing),
            EntrySource::Known(entries) => entries,
        };
        while !listing.is_full() {
            let Some(entry) = entries.next() else { return Ok(Progress::End) };
            listing.push_known(&entry);
        }
        Ok(Progress::More)
    }
}
