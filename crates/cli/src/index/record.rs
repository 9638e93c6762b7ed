//! Records the directories that a walk lists, for the snapshot of an index.

use std::{
    collections::HashSet,
    fs, mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use heist_filter::Fingerprint;
use heist_index::{EntryKind, RuleSource, SnapshotBuilder, Stamp};
use heist_walk::{FileId, FileType, KnownEntry, Listed};

use super::{
    freshness::stamp_of,
    needs::is_always_visited,
    rules::{Rules, is_rule_file, label, marks_of},
    snapshot::{KnownTree, sort_by_path},
};
use crate::sys;

/// Collects what all workers of a walk record.
#[derive(Default)]
pub(crate) struct Recorder {
    /// The device of the tree. Directories on another one are not known.
    device: u64,
    root: PathBuf,
    /// When the walk began.
    started: Option<SystemTime>,
    /// What the last update has recorded.
    known_tree: Option<Arc<KnownTree>>,
    collected: Mutex<Collected>,
}

#[derive(Default)]
struct Collected {
    rules: HashSet<Fingerprint>,
    /// The rule files, with the stamps that they had when they were read, as far as these prove
    /// what they contain.
    sources: Vec<RuleSource>,
    /// Directories that are not as the last update has recorded them.
    new: SnapshotBuilder,
    /// The numbers and paths of those that are.
    known: Vec<(u32, Box<[u8]>)>,
    /// Whether there are other ones.
    has_new: bool,
}

/// What one worker records. Handed over when it ends.
pub(crate) struct WorkerRecord<'a> {
    recorder: &'a Recorder,
    collected: Collected,
    /// The rules of the last directory.
    last: Option<Fingerprint>,
    /// Whether this directory is as the last update has recorded it.
    is_known: bool,
    /// Whether rule files of this directory have mistakes.
    has_problem: bool,
    /// Whether rule files of the next directory have mistakes.
    has_problem_ahead: bool,
}

impl Recorder {
    /// Records the directories of a tree on this device.
    pub(crate) fn new(device: u64, root: &Path, known_tree: Option<Arc<KnownTree>>) -> Recorder {
        let (root, started) = (root.to_owned(), Some(SystemTime::now()));
        Recorder { device, root, started, known_tree, ..Recorder::default() }
    }

    /// Creates what one worker records into.
    pub(crate) fn worker(&self) -> WorkerRecord<'_> {
        WorkerRecord {
            recorder: self,
            collected: Collected::default(),
            last: None,
            is_known: false,
            has_problem: false,
            has_problem_ahead: false,
        }
    }

    /// Whether everything is as the last update has recorded it.
    pub(crate) fn is_unchanged(&self) -> bool {
        let collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        let dirs = self.known_tree.as_ref().and_then(|tree| tree.dirs());
        !collected.has_new
            && dirs.is_some_and(|dirs| dirs as usize == collected.known.len())
            && self.known_tree.as_ref().and_then(|tree| tree.sources())
                == Some(collected.all_sources())
    }

    /// What was recorded.
    pub(crate) fn finish(self) -> SnapshotBuilder {
        let collected = self.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sources = collected.all_sources();
        let mut builder = collected.new;
        for source in sources {
            builder.source(&source.path, source.stamp);
        }
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
        builder.set_visits(is_always_visited);
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
            self.has_problem = mem::take(&mut self.has_problem_ahead);
            self.collected.known.extend(known.map(|number| (number, listed.path.into())));
        }
        for entry in listed.entries().filter(|entry| is_rule_file(entry.name)) {
            self.add_source(listed.path, &entry);
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
                Some(FileType::Other) => EntryKind::Other,
                None => EntryKind::Unknown,
            };
            builder.entry(entry.name, kind, entry.inode, marks_of(entry.name, entry.is_wanted));
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

impl WorkerRecord<'_> {
    /// Records a rule file. Its stamp is valid for what was read if it is from before the walk.
    fn add_source(&mut self, dir: &[u8], entry: &KnownEntry<'_>) {
        let [dir, name] = [dir, entry.name].map(sys::argument);
        let path = self.recorder.root.join(dir).join(name);
        let now = fs::symlink_metadata(&path).ok();
        // Another file may be mounted in its place. What is written to that one is reported in the
        // directory where it lies.
        let is_own = |id: FileId| id.device == self.recorder.device && id.inode == entry.inode;
        let now = now.filter(|now| FileId::of(now).is_some_and(is_own));
        let stamp = now.and_then(|now| Stamp::of(&now));
        let started = self.recorder.started.unwrap_or(SystemTime::UNIX_EPOCH);
        let is_file = entry.file_type == Some(FileType::File);
        // One without a stamp is read by every search, which reports its mistakes.
        let is_proven = is_file && !self.has_problem;
        let stamp = stamp.filter(|stamp| stamp.is_settled(started) && is_proven);
        let path = path.as_os_str().as_encoded_bytes().to_vec();
        self.collected.sources.push(RuleSource { path, stamp });
    }

    /// Notes that a rule file of the directory that is added next has mistakes, or cannot be read.
    pub(crate) fn note_problem(&mut self) {
        self.has_problem_ahead = true;
    }
}

impl Collected {
    /// The rule files, sorted.
    fn all_sources(&self) -> Vec<RuleSource> {
        let mut sources = self.sources.clone();
        sort_by_path(&mut sources);
        sources.dedup_by(|a, b| a.path == b.path);
        sources
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
        all.sources.extend(own.sources);
    }
}
