//! Reads files for an index, one thread's part of them.

use std::{
    fs::{File, Metadata},
    time::{Duration, SystemTime},
};

use super::{
    block_writer::{BlockWriter, Contents, fill},
    decoded::is_decoded,
    workspace::Workspace,
};
use crate::{
    bit_set::BitSet,
    error::Error,
    layout::FileRecord,
    stamp::{Stamp, device_of},
};

/// How many bytes of small files are passed to a writer together, and how many of a larger file are
/// read at once.
const BATCH_BYTES: usize = 1 << 20;
/// A file that was changed more recently than this is [`FileRecord::CHANGED_RECENTLY`].
const RECENT_CHANGE: Duration = Duration::from_secs(60);

/// Whether a file is covered by the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The file is covered.
    Covered,
    /// The file is not covered: it was changed too short a time ago, or while it was read, or one
    /// of its times is in the future.
    Unsettled,
    /// The file is not covered because of what it is: no regular file, on another device than the
    /// tree, perhaps UTF-16 or UTF-32, with a line of 4 GiB, or mostly holes.
    Odd,
}

/// Reads files for an index, one thread's part of them.
///
/// A tree on a disk is read by more threads than there are cores. What is done with the bytes takes
/// a core and much memory, so that the threads share a few writers for it.
/// Files that a thread meets one after another lie in one directory and have grams in common; lists
/// are shorter if their blocks have consecutive numbers, so that they are passed on together.
pub struct Collector<'b> {
    workspace: &'b Workspace,
    /// The files of each older segment that are as they were.
    seen: Vec<BitSet>,
    /// What [`files`](Self::files) contain, and room for others.
    batch: Vec<u8>,
    used: usize,
    /// Files that were read but not passed on: the records, without a block, and their ends in the
    /// batch.
    files: Vec<(FileRecord, usize)>,
}

impl<'b> Collector<'b> {
    pub(super) fn new(workspace: &'b Workspace) -> Collector<'b> {
        workspace.add_collector();
        let seen = workspace.old.iter().map(|old| BitSet::none(old.live().limit())).collect();
        Collector { workspace, seen, batch: Vec::new(), used: 0, files: Vec::new() }
    }

    /// Returns whether the index that is brought up to date covers a file with this stamp, which
    /// then need not be added, and remains covered. The file is on the device of the tree.
    pub fn keep(&mut self, stamp: &Stamp) -> bool {
        let segments = self.workspace.old.iter().zip(&mut self.seen).rev();
        for (old, seen) in segments {
            let file = old.files.find(stamp).map(|(file, _)| file as u32);
            if let Some(file) = file.filter(|&file| old.live().contains(file)) {
                seen.insert(file);
                return true;
            }
        }
        false
    }

    /// Adds a file, which is read from its beginning.
    ///
    /// # Errors
    /// The file cannot be read; it is not covered then.
    pub fn add(&mut self, file: &mut File) -> Result<Added, Error> {
        let opened = SystemTime::now();
        let metadata = file.metadata().map_err(Error::Io)?;
        let is_own = device_of(&metadata) == self.workspace.device;
        let Some(stamp) = Stamp::of(&metadata).filter(|_| metadata.is_file() && is_own) else {
            return Ok(Added::Odd);
        };
        if !stamp.is_settled(opened) {
            return Ok(Added::Unsettled);
        }
        if is_mostly_holes(file, &metadata) {
            return Ok(Added::Odd);
        }
        let young =
            if stamp.is_older(RECENT_CHANGE, opened) { 0 } else { FileRecord::CHANGED_RECENTLY };
        if self.batch.is_empty() {
            self.batch = vec![0; BATCH_BYTES];
        }
        if stamp.size >= (BATCH_BYTES - self.used) as u64 {
            self.pass_on();
        }
        match stamp.size < BATCH_BYTES as u64 {
            true => self.add_small(file, stamp, young),
            false => self.add_large(file, stamp, young),
        }
    }

    /// Adds a file that still fits into the batch. While the disk reads it, other threads use the
    /// writers.
    fn add_small(&mut self, file: &mut File, stamp: Stamp, flags: u32) -> Result<Added, Error> {
        let rest = &mut self.batch[self.used..];
        let len = fill(file, rest)?;
        let text = &rest[..len];
        if is_decoded(text) {
            return Ok(Added::Odd);
        }
        if !is_unchanged(file, &stamp, len as u64) {
            return Ok(Added::Unsettled);
        }
        let mut contents = Contents::default();
        contents.add(text);
        self.used += len;
        let flags = flags | contents.flags();
        self.files.push((FileRecord { stamp, first_block: 0, flags }, self.used));
        Ok(Added::Covered)
    }

    /// Passes the batch's files on, once there is a writer that no other thread uses.
    fn pass_on(&mut self) {
        if self.files.is_empty() {
            return;
        }
        let Collector { workspace, batch, files, used, .. } = self;
        workspace.with_writer(|writer| {
            let mut start = 0;
            for (file, end) in files.drain(..) {
                let first_block = writer.blocks();
                let has_early_nul = file.flags & FileRecord::EARLY_NUL != 0;
                writer.add_text(&batch[start..end], has_early_nul, &workspace.run_files);
                writer.add_file(FileRecord { first_block, ..file });
                start = end;
            }
        });
        *used = 0;
    }

    /// Adds a file that is larger than a batch, which is empty.
    fn add_large(&mut self, file: &mut File, stamp: Stamp, flags: u32) -> Result<Added, Error> {
        let first = fill(file, &mut self.batch)?;
        let (workspace, piece) = (self.workspace, &mut self.batch);
        workspace.with_writer(|writer: &mut BlockWriter| {
            let first_block = writer.blocks();
            let read = writer.read(file, piece, first, &workspace.run_files);
            let added = match &read {
                Ok(Contents { is_odd: false, len, .. }) if is_unchanged(file, &stamp, *len) => {
                    Added::Covered
                }
                Ok(Contents { is_odd: false, .. }) => Added::Unsettled,
                Ok(_) | Err(_) => Added::Odd,
            };
            let mut flags =
                if added == Added::Covered { flags } else { flags | FileRecord::NO_FILE };
            if let Ok(contents) = &read {
                flags |= contents.flags();
            }
            if added == Added::Covered || writer.blocks() > first_block {
                writer.add_file(FileRecord { stamp, first_block, flags });
            }
            read?;
            Ok(added)
        })
    }
}

/// Whether a file occupies much less space on the disk than it has bytes, because most was never
/// written. To read such a file can take as long as its author likes, while a search that meets it
/// ends at the first hole, which is a NUL byte.
#[cfg(target_os = "linux")]
fn is_mostly_holes(file: &File, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    use rustix::fs::{SeekFrom, seek};

    /// Up to this many bytes, holes are read like other bytes.
    const MAX_HOLES: u64 = 16 << 20;
    /// Holes may have this many times as many bytes as all else.
    const MAX_SHARE: u64 = 3;

    let stored = metadata.blocks() * 512;
    let missing = metadata.len().saturating_sub(stored);
    if missing <= MAX_HOLES || missing / MAX_SHARE <= stored {
        return false;
    }
    // A file system may store what was written in fewer blocks, because it compresses.
    let hole = seek(file, SeekFrom::Hole(0));
    let is_back = seek(file, SeekFrom::Start(0)).is_ok();
    !is_back || hole.is_ok_and(|hole| hole < metadata.len())
}

/// Whether a file is mostly holes: not known on this system, where there are no indexes.
#[cfg(not(target_os = "linux"))]
fn is_mostly_holes(_file: &File, _metadata: &Metadata) -> bool {
    false
}

/// Whether a file still has this stamp, after `len` bytes were read.
fn is_unchanged(file: &File, stamp: &Stamp, len: u64) -> bool {
    let after = file.metadata().ok();
    len == stamp.size && after.and_then(|metadata| Stamp::of(&metadata)).as_ref() == Some(stamp)
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        self.pass_on();
        self.workspace.remove_collector(std::mem::take(&mut self.seen));
    }
}
