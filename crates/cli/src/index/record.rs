//! Records the directories that a walk lists, for the snapshot of an index.

use std::{
    collections::HashSet,
    mem,
    sync::{Mutex, PoisonError},
};

use heist_filter::Fingerprint;
use heist_index::{EntryKind, SnapshotBuilder, Stamp};
use heist_walk::{FileType, Listed};

use super::{
    rules::{Rules, label, marks_of},
    stamp::stamp_of,
};

/// Collects what all workers of a walk record.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The device of the tree. Directories on another one are not known.
    device: u64,
    rules: Mutex<HashSet<Fingerprint>>,
    collected: Mutex<SnapshotBuilder>,
}

/// What one worker records. Handed over when it ends.
#[derive(Debug)]
pub(crate) struct WorkerRecord<'a> {
    recorder: &'a Recorder,
    builder: SnapshotBuilder,
    /// The rules of the last directory.
    last: Option<Fingerprint>,
}

impl Recorder {
    /// Records the directories of a tree on this device.
    pub(crate) fn new(device: u64) -> Recorder {
        Recorder { device, ..Recorder::default() }
    }

    /// Creates what one worker records into.
    pub(crate) fn worker(&self) -> WorkerRecord<'_> {
        WorkerRecord { recorder: self, builder: SnapshotBuilder::default(), last: None }
    }

    /// What was recorded.
    pub(crate) fn finish(self) -> SnapshotBuilder {
        let mut builder = self.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rules = self.rules.into_inner().unwrap_or_else(PoisonError::into_inner);
        builder.set_context(&Rules::of(rules.into_iter()).to_bytes());
        builder
    }
}

impl WorkerRecord<'_> {
    /// Records some entries of a directory.
    pub(crate) fn add(&mut self, listed: &Listed<'_>) {
        if listed.is_first {
            if self.last != listed.rules {
                self.last = listed.rules;
                let mut rules = self.recorder.rules.lock().unwrap_or_else(PoisonError::into_inner);
                rules.extend(listed.rules);
            }
            let looked = listed.looked.filter(|(now, _)| now.id.device == self.recorder.device);
            let stamp = looked
                .map(|(now, at)| (stamp_of(&now), at))
                .filter(|(stamp, at)| stamp.is_settled(*at));
            let stamp = stamp.map_or(Stamp::NONE, |(stamp, _)| stamp);
            self.builder.dir(listed.path, stamp, label(listed.rules));
        }
        for entry in listed.entries() {
            let kind = match entry.file_type {
                Some(FileType::File) => EntryKind::File,
                Some(FileType::Dir) => EntryKind::Dir,
                Some(FileType::Symlink) => EntryKind::Symlink,
                Some(FileType::Other) | None => EntryKind::Other,
            };
            self.builder.entry(entry.name, kind, entry.inode, marks_of(entry.is_wanted));
        }
        if listed.is_partial {
            self.builder.set_partial();
        }
    }
}

impl Drop for WorkerRecord<'_> {
    fn drop(&mut self) {
        let builder = mem::take(&mut self.builder);
        self.recorder.collected.lock().unwrap_or_else(PoisonError::into_inner).append(builder);
    }
}
