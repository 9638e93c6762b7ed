//! Records the directories that a walk lists, for the snapshot of an index.

use std::{
    collections::HashSet,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use heist_filter::Fingerprint;
use heist_index::{EntryKind, SnapshotBuilder, Stamp};
use heist_walk::{FileType, Listed};

use super::{
    rules::{Rules, label, marks_of},
    snapshot::KnownTree,
    stamp::stamp_of,
};

/// Collects what all workers of a walk record.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The device of the tree. Directories on another one are not known.
    device: u64,
    /// What the last update has recorded.
    known_tree: Option<Arc<KnownTree>>,
    collected: Mutex<Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    rules: HashSet<Fingerprint>,
    /// Directories that are not as the last update has recorded them.
    new: SnapshotBuilder,
    /// The numbers and paths of those that are.
    known: Vec<(u32, Box<[u8]>)>,
    /// Whether there are other ones.
    has_new: bool,
}

/// What one worker records. Handed over when it ends.
#[derive(Debug)]
pub(crate) struct WorkerRecord<'a> {
    recorder: &'a Recorder,
    collected: Collected,
    /// The rules of the last directory.
    last: Option<Fingerprint>,
    /// Whether this directory is as the last update has recorded it.
    is_known: bool,
}

impl Recorder {
    /// Records the directories of a tree on this device.
    pub(crate) fn new(device: u64, known_tree: Option<Arc<KnownTree>>) -> Recorder {
        Recorder { device, known_tree, ..Recorder::default() }
    }

    /// Creates what one worker records into.
    pub(crate) fn worker(&self) -> WorkerRecord<'_> {
        WorkerRecord {
            recorder: self,
            collected: Collected::default(),
            last: None,
            is_known: false,
        }
    }

    /// Whether everything is as the last update has recorded it.
    pub(crate) fn is_unchanged(&self) -> bool {
        let collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        let dirs = self.known_tree.as_ref().and_then(|tree| tree.dirs());
        !collected.has_new && dirs.is_some_and(|dirs| dirs as usize == collected.known.len())
    }

    /// What was recorded.
    pub(crate) fn finish(self) -> SnapshotBuilder {
        let collected = self.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut builder = collected.new;
        let dirs = collected
            .known
            .iter()
            .filter_map(|(number, path)| Some((path, self.known_tree.as_ref()?.dir(*number)?)));
        for (path, dir) in dirs {
            builder.dir(path, dir.stamp(), dir.marks());
            for entry in dir.entries() {
                builder.entry(entry.name(), entry.kind(), entry.inode(), entry.marks());
            }
        }
        builder.set_context(&Rules::of(collected.rules.into_iter()).to_bytes());
        builder
    }
}

impl WorkerRecord<'_> {
    /// Records some entries of a directory.
    pub(crate) fn add(&mut self, listed: &Listed<'_>) {
        if listed.is_first && self.last != listed.rules {
            self.last = listed.rules;
            self.collected.rules.extend(listed.rules);
        }
        if listed.is_first {
            let known = self.known(listed);
            self.is_known = known.is_some();
            self.collected.known.extend(known.map(|number| (number, listed.path.into())));
        }
        if self.is_known {
            return;
        }
        self.collected.has_new = true;
        let builder = &mut self.collected.new;
        if listed.is_first {
            let looked = listed.looked.filter(|(now, _)| now.id.device == self.recorder.device);
            let stamp = looked
                .map(|(now, at)| (stamp_of(&now), at))
                .filter(|(stamp, at)| stamp.is_settled(*at));
            let stamp = stamp.map_or(Stamp::NONE, |(stamp, _)| stamp);
            builder.dir(listed.path, stamp, label(listed.rules));
        }
        for entry in listed.entries() {
            let kind = match entry.file_type {
                Some(FileType::File) => EntryKind::File,
                Some(FileType::Dir) => EntryKind::Dir,
                Some(FileType::Symlink) => EntryKind::Symlink,
                Some(FileType::Other) | None => EntryKind::Other,
            };
            builder.entry(entry.name, kind, entry.inode, marks_of(entry.is_wanted));
        }
        if listed.is_partial {
            builder.set_partial();
        }
    }

    /// The number of a directory that is as the last update has recorded it.
    fn known(&self, listed: &Listed<'_>) -> Option<u32> {
        let number = listed.known?;
        let dir = self.recorder.known_tree.as_ref()?.dir(number)?;
        let has_verdicts = listed.rules.is_none() || listed.is_known_judged;
        (has_verdicts && dir.marks() == label(listed.rules)).then_some(number)
    }
}

impl Drop for WorkerRecord<'_> {
    fn drop(&mut self) {
        let own = mem::take(&mut self.collected);
        let mut all = self.recorder.collected.lock().unwrap_or_else(PoisonError::into_inner);
        all.rules.extend(own.rules);
        all.new.append(own.new);
        all.known.extend(own.known);
        all.has_new |= own.has_new;
    }
}
