//! What collectors share.

use std::{
    io, mem,
    num::NonZero,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use super::{
    block_writer::{BlockWriter, Collected, RunFiles},
    run::RunLimits,
};
use crate::{
    bit_set::BitSet,
    error::Error,
    index::Index,
    manifest::SegmentInfo,
    segment::{Segment, SegmentFiles},
};

/// How many bytes the lists of all writers take together.
const MAX_BYTES: usize = 128 << 20;
/// The most writers, which have 8 MB each, and a little more for tables: with less there would be
/// too many runs.
const MAX_WRITERS: usize = 16;

/// What all collectors in one update share.
pub(super) struct Workspace {
    /// The index's directory.
    pub(super) dir: PathBuf,
    /// The tree's device, if the system has such numbers. Records do not have it, so files on other
    /// devices are not covered.
    pub(super) device: Option<u64>,
    pub(super) run_files: RunFiles,
    /// What is kept; empty for a new index.
    pub(super) old: Vec<OldSegment>,
    pub(super) collected: Mutex<Vec<Collected>>,
    /// The files of each older segment that are as they were, as each collector has met them.
    pub(super) seen: Mutex<Vec<Vec<BitSet>>>,
    writers: Mutex<Writers>,
    /// Notified when there is an idle writer.
    returned: Condvar,
    /// The most writers that there are at a time.
    pub(super) max_writers: usize,
    /// When a writer's run is full.
    pub(super) run_limits: RunLimits,
}

/// What files are added to.
#[derive(Default)]
struct Writers {
    idle: Vec<BlockWriter>,
    /// How many there are, in use or idle.
    count: usize,
    /// How many collectors there are. Each may use a writer.
    collectors: usize,
}

/// Counts one writer less where using it has panicked.
struct Vacancy<'b>(&'b Workspace);

impl Drop for Vacancy<'_> {
    fn drop(&mut self) {
        self.0.writers().count -= 1;
        self.0.returned.notify_one();
    }
}

/// Makes the update fail where the use of a writer has panicked: it is gone with files that
/// collectors have returned as covered.
struct Loss<'b>(&'b Workspace);

impl Drop for Loss<'_> {
    fn drop(&mut self) {
        let error = Error::Io(io::Error::other("a thread panicked while it added files"));
        self.0.take_in(Collected { error: Some(error), ..Collected::default() });
    }
}

/// A segment in the index that is brought up to date.
pub(super) struct OldSegment {
    pub(super) segment: Arc<Segment>,
    pub(super) files: SegmentFiles,
    pub(super) info: SegmentInfo,
}

impl Workspace {
    pub(super) fn new(dir: PathBuf, device: Option<u64>, old: Vec<OldSegment>) -> Workspace {
        // One for each core.
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let max_writers = cores.min(MAX_WRITERS);
        Workspace {
            run_files: RunFiles::new(dir.clone()),
            dir,
            device,
            old,
            collected: Mutex::default(),
            seen: Mutex::default(),
            writers: Mutex::default(),
            returned: Condvar::new(),
            max_writers,
            run_limits: RunLimits { blocks: u32::MAX, bytes: MAX_BYTES / max_writers.max(2) },
        }
    }

    /// Counts a collector that begins.
    pub(super) fn add_collector(&self) {
        self.writers().collectors += 1;
    }

    /// Counts a collector that ends, takes in what it has `seen`, and ends the writers that the
    /// others do not need.
    pub(super) fn remove_collector(&self, seen: Vec<BitSet>) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let mut writers = self.writers();
        writers.collectors -= 1;
        let surplus = writers.count.saturating_sub(writers.collectors);
        let ended = writers.idle.len().saturating_sub(surplus);
        let ended = writers.idle.split_off(ended);
        writers.count -= ended.len();
        drop(writers);
        for writer in ended {
            let loss = Loss(self);
            let collected = writer.finish(&self.run_files);
            mem::forget(loss);
            self.take_in(collected);
        }
    }

    fn take_in(&self, collected: Collected) {
        self.collected.lock().unwrap_or_else(PoisonError::into_inner).push(collected);
    }

    /// Calls `add` with a writer, once there is one that no other collector uses.
    pub(super) fn with_writer<R>(&self, add: impl FnOnce(&mut BlockWriter) -> R) -> R {
        let mut writers = self.writers();
        let idle = loop {
            match writers.idle.pop() {
                None if writers.count < self.max_writers => break None,
                None => {
                    writers = self.returned.wait(writers).unwrap_or_else(PoisonError::into_inner);
                }
                idle => break idle,
            }
        };
        writers.count += usize::from(idle.is_none());
        drop(writers);
        let (vacancy, loss) = (Vacancy(self), Loss(self));
        let mut writer = idle.unwrap_or_else(|| BlockWriter::new(self.run_limits));
        let result = add(&mut writer);
        mem::forget((vacancy, loss));
        self.writers().idle.push(writer);
        self.returned.notify_one();
        result
    }

    fn writers(&self) -> MutexGuard<'_, Writers> {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner)
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
