//! An index as a search uses it: the segments that a manifest names.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use crate::{
    error::Error,
    manifest::{self, FileInfo, Manifest, segment_name, snapshot_name},
    segment::{Segment, SegmentFiles},
    snapshot::Snapshot,
    stamp::Stamp,
};

/// How often the manifest is read anew because an update has removed a segment meanwhile.
const MAX_READS: u32 = 10;

/// The index of a tree.
#[derive(Debug)]
pub struct Index {
    dir: PathBuf,
    pub(crate) manifest: Manifest,
    /// The segments that the manifest names.
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) manifest_len: u64,
}

impl Index {
    /// Opens the index in `dir`.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; another error if it cannot be read, or is not what was
    /// written.
    pub(crate) fn open(dir: &Path) -> Result<Index, Error> {
        let mut read = Manifest::read(dir)?;
        for _ in 0..MAX_READS {
            let (manifest, manifest_len) = read;
            let segments: Result<Vec<_>, _> = manifest
                .segments
                .iter()
                .map(|info| {
                    let path = dir.join(segment_name(info.number));
                    let segment = Segment::open(&path, info.len, info.checksum)?;
                    match segment.len() == info.live.limit() {
                        true => Ok(Arc::new(segment)),
                        false => Err(Error::Damaged("the number of files").at(&path)),
                    }
                })
                .collect();
            match segments {
                Ok(segments) => {
                    let dir = dir.to_owned();
                    return Ok(Index { dir, manifest, segments, manifest_len });
                }
                Err(Error::Absent) => {}
                Err(error) => return Err(error),
            }
            // A newer manifest does without the segment that is gone.
            let newer = Manifest::read(dir)?;
            if newer.0 == manifest {
                break;
            }
            read = newer;
        }
        Err(Error::Damaged("a segment is missing").at(dir))
    }

    /// The directory that is covered.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.manifest.root
    }

    /// How many bytes the index takes on the disk.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.manifest_len + self.manifest.files_len()
    }

    /// How many bytes the files have that were covered after the last update.
    #[must_use]
    pub fn text(&self) -> u64 {
        self.manifest.segments.iter().map(|info| info.text).sum()
    }

    /// When the index was last brought up to date; `None` if the system does not know.
    #[must_use]
    pub fn updated(&self) -> Option<SystemTime> {
        fs::metadata(self.dir.join(manifest::NAME)).ok()?.modified().ok()
    }

    /// How many files were covered after the last update.
    #[must_use]
    pub fn files_covered(&self) -> u64 {
        self.manifest.segments.iter().map(|info| u64::from(info.live.count())).sum()
    }

    /// How many blocks the files have, also those that have changed since.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.segments.iter().map(|segment| segment.blocks()).sum()
    }

    /// How many segments there are.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Returns a number that another state of an index is not expected to have. If two processes
    /// have the same one, a file's or directory's number means the same in both.
    #[must_use]
    pub fn identity(&self) -> u64 {
        self.manifest.identity()
    }

    /// Reads all files' stamps.
    ///
    /// # Errors
    /// The index cannot be read, or is not what was written.
    pub fn stamps(&self) -> Result<Stamps, Error> {
        let mut first = 0;
        let parts = self.segments.iter().map(|segment| {
            let start = first;
            first += segment.len();
            Ok((start, segment.files()?))
        });
        Ok(Stamps { parts: parts.collect::<Result<_, Error>>()?, len: first })
    }

    /// Opens the snapshot of the tree's directories; `None` if the last update left none.
    ///
    /// # Errors
    /// [`Error::Absent`] if an update has replaced it since the index was opened; another error if
    /// it cannot be read, or is not what was written.
    pub fn snapshot(&self) -> Result<Option<Snapshot>, Error> {
        let open = |info: FileInfo| {
            let path = self.dir.join(snapshot_name(info.number));
            Snapshot::open(&path, info, &self.manifest.root)
        };
        self.manifest.snapshot.map(open).transpose()
    }

    /// Does what [`check`](Self::check) does, if a file of the index was changed after the manifest
    /// was written, as damage by another program does. What a disk has lost does not show.
    ///
    /// # Errors
    /// [`Error::Damaged`].
    pub fn check_if_changed(&self) -> Result<(), Error> {
        let segments = self.manifest.segments.iter().map(|info| segment_name(info.number));
        let snapshot = self.manifest.snapshot.map(|info| snapshot_name(info.number));
        match segments.chain(snapshot).all(|name| self.is_older(&name)) {
            true => Ok(()),
            false => self.check(),
        }
    }

    /// Whether a file was last changed before the manifest was written.
    fn is_older(&self, name: &str) -> bool {
        let [file, manifest] = [name, manifest::NAME].map(|name| {
            let metadata = fs::metadata(self.dir.join(name)).ok()?;
            // Where the system does not record changes, nothing shows.
            Some(Stamp::of(&metadata).map_or(0, |stamp| stamp.changed))
        });
        file.is_some_and(|file| manifest.is_some_and(|manifest| file <= manifest))
    }

    /// Reads every byte of the index and compares it with its checksum.
    ///
    /// # Errors
    /// [`Error::Damaged`].
    pub fn check(&self) -> Result<(), Error> {
        self.segments.iter().try_for_each(|segment| segment.check())?;
        self.snapshot()?.map_or(Ok(()), |snapshot| snapshot.check())
    }
}

/// The stamps that an index's files had when they were indexed.
pub struct Stamps {
    /// For each segment, its first file's number, and its files.
    parts: Vec<(u32, SegmentFiles)>,
    len: u32,
}

impl Stamps {
    /// All files' numbers are below this one.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.len
    }

    /// The stamp of the file with this number, as entries in a snapshot
    /// [have](crate::DirEntry::file) them; `None` if there is no such file.
    #[must_use]
    pub fn get(&self, file: u32) -> Option<Stamp> {
        let part = self.parts.partition_point(|(first, _)| *first <= file).checked_sub(1)?;
        let (first, files) = &self.parts[part];
        Some(files.get((file - first) as usize)?.stamp)
    }
}
