//! What collectors share.

use std::{
    fs::{self, File},
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
};

use super::run::Run;
use crate::{
    bit_set::BitSet,
    blocks::Block,
    error::{AtPath, Error},
    index::Index,
    layout::FileRecord,
    manifest::SegmentInfo,
    segment::{Files, Segment},
};

/// The memory of the lists of all collectors, in bytes.
const MAX_BYTES: usize = 128 << 20;
/// The least that one collector has of it, so that there are not too many runs.
const MIN_BYTES: usize = 8 << 20;
/// So many collectors are expected, before there are more.
const USUAL_COLLECTORS: usize = 2;

/// What the collectors of one update share.
pub(super) struct Workspace {
    /// The directory of the index.
    pub(super) dir: PathBuf,
    /// What is kept; empty for a new index.
    pub(super) old: Vec<OldSegment>,
    pub(super) collected: Mutex<Vec<Collected>>,
    /// How many collectors there are.
    collectors: AtomicUsize,
    /// How many files of runs have been created.
    run_files: AtomicU32,
    /// The most blocks of a run.
    pub(super) run_blocks: u32,
}

/// A segment of the index that is brought up to date.
pub(super) struct OldSegment {
    pub(super) segment: Arc<Segment>,
    pub(super) files: Files,
    pub(super) info: SegmentInfo,
}

/// What one thread has collected.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) files: Vec<FileRecord>,
    pub(super) blocks: Vec<Block>,
    pub(super) runs: Vec<Run>,
    /// Contains the runs.
    pub(super) file: Option<Arc<File>>,
    /// The files of each older segment that are as they were.
    pub(super) seen: Vec<BitSet>,
    /// Why a run is missing.
    pub(super) error: Option<Error>,
}

impl Collected {
    /// Whether there are files to cover.
    pub(super) fn has_files(&self) -> bool {
        self.files.iter().any(|file| file.flags & FileRecord::DEAD == 0)
    }
}

impl Workspace {
    pub(super) fn new(dir: PathBuf, old: Vec<OldSegment>) -> Workspace {
        Workspace {
            dir,
            old,
            collected: Mutex::default(),
            collectors: AtomicUsize::new(0),
            run_files: AtomicU32::new(0),
            run_blocks: u32::MAX,
        }
    }

    /// Counts a collector that begins.
    pub(super) fn add_collector(&self) {
        // Ordering: Relaxed, like all accesses: the number only divides memory.
        self.collectors.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a collector that ends.
    pub(super) fn remove_collector(&self) {
        // Ordering: Relaxed, as in `add_collector`.
        self.collectors.fetch_sub(1, Ordering::Relaxed);
    }

    /// The memory that the lists of one collector may take now. A tree on a disk is read by more
    /// threads than there are cores, and the memory of all of them together is to be the same.
    pub(super) fn bytes_of_collector(&self) -> usize {
        // Ordering: Relaxed, as in `add_collector`.
        let collectors = self.collectors.load(Ordering::Relaxed).max(USUAL_COLLECTORS);
        (MAX_BYTES / collectors).max(MIN_BYTES)
    }

    /// Creates a file for runs. It has no name, so that it is gone with this process.
    pub(super) fn run_file(&self) -> Result<File, Error> {
        // Ordering: a number that no other thread has; nothing else is shared.
        let number = self.run_files.fetch_add(1, Ordering::Relaxed);
        let path = self.dir.join(format!("run-{}-{number}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path).at(&path)?;
        fs::remove_file(&path).at(&path)?;
        Ok(file)
    }
}

impl OldSegment {
    pub(super) fn all(index: Index) -> Result<Vec<OldSegment>, Error> {
        let Index { manifest, segments, .. } = index;
        let both = segments.into_iter().zip(manifest.segments);
        both.map(|(segment, info)| {
            let files = segment.files()?;
            Ok(OldSegment { segment, files, info })
        })
        .collect()
    }

    pub(super) fn live(&self) -> &BitSet {
        &self.info.live
    }
}
