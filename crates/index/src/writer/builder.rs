//! Building an index, and bringing one up to date.

use std::{
    fs::{self, File},
    io::{self, Write},
    mem,
    path::{Path, PathBuf},
    sync::PoisonError,
};

use super::{
    block_writer::Collected,
    collector::Collector,
    workspace::{OldSegment, Workspace},
    write::NewSegment,
};
use crate::{
    bit_set::BitSet,
    error::{AtPath, Error},
    home::TAG_NAME,
    index::Index,
    layout::FileRecord,
    lock::Lock,
    manifest::{FileInfo, Manifest, SegmentInfo, segment_name, snapshot_name},
    segment::Segment,
    snapshot::SnapshotBuilder,
    stamp::device_of,
    trust::create_private,
};

/// Newer segments are merged with the oldest one once they have more text than this percentage of
/// its own, or once this percentage of its files is not up to date.
const MERGED_PERCENT: u64 = 12;
/// Newer segments are merged with each other once there are more.
pub(super) const MAX_SMALL: usize = 6;

/// What the file contains that marks a directory for backup programs.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";

/// Builds the index of a tree, or brings it up to date.
pub struct Builder {
    /// The directory that is covered.
    root: PathBuf,
    pub(super) workspace: Workspace,
    /// The manifest that is to be replaced, if there is one.
    current: Option<Manifest>,
    /// The size of the current manifest; `None` if nothing that it names is kept.
    manifest_len: Option<u64>,
    /// The next segment's number.
    pub(super) next: u64,
    _lock: Lock,
}

/// The directories that an update has seen.
enum NewSnapshot<'a> {
    Collected(SnapshotBuilder),
    /// The directories in this snapshot, and what collects them anew.
    Same(Option<FileInfo>, Box<dyn FnOnce() -> SnapshotBuilder + 'a>),
}

/// What was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// The files that are covered.
    pub files: u64,
    /// Their bytes.
    pub text: u64,
    /// How many bytes the index has.
    pub size: u64,
    /// The files that were covered before and still are.
    pub kept: u64,
    /// The files that were covered before and are no longer, as they were.
    pub dropped: u64,
}

impl Builder {
    /// Creates a builder that writes the index of the directory `root`, a canonical path, to the
    /// directory `dir`, as if there were none.
    ///
    /// # Errors
    /// The directory cannot be created, or is not only this user's; [`Error::Busy`].
    pub fn new(dir: &Path, root: &Path) -> Result<Builder, Error> {
        Builder::with(dir, root, |_| Ok(None))
    }

    /// Creates a builder that brings the index of the directory `root` in the directory `dir` up to
    /// date. If there is none, or none that can be used, a new one is written. Damage is noticed in
    /// what an update reads, and in files that were changed after the index was written.
    ///
    /// Files that [`Collector::keep`] knows need not be added; those that are neither kept nor
    /// added are no longer covered.
    ///
    /// # Errors
    /// The directory cannot be created, or is not only this user's; [`Error::Busy`].
    pub fn update(dir: &Path, root: &Path) -> Result<Builder, Error> {
        // An index that is damaged, or belongs to another directory, is of no use.
        Builder::with(dir, root, |dir| {
            let index = Index::open(dir).ok().filter(|index| index.root() == root);
            Ok(index.filter(|index| index.check_if_changed().is_ok()))
        })
    }

    pub(super) fn with(
        dir: &Path,
        root: &Path,
        open: impl FnOnce(&Path) -> Result<Option<Index>, Error>,
    ) -> Result<Builder, Error> {
        let device = device_of(&fs::metadata(root).at(root)?);
        create_private(dir.parent().unwrap_or(dir), dir)?;
        let lock = Lock::acquire(dir)?;
        let current = Manifest::read(dir).ok().map(|(manifest, _)| manifest);
        let next = Manifest::clean(dir, current.as_ref()).at(dir)?;
        let tag = dir.join(TAG_NAME);
        match File::create_new(&tag).and_then(|mut file| file.write_all(TAG.as_bytes())) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(error).at(&tag);
            }
            _ => {}
        }
        let (manifest_len, old) =
            match open(dir)?.map(|index| (index.manifest_len, OldSegment::all(index))) {
                Some((len, Ok(old))) => (Some(len), old),
                Some((_, Err(_))) | None => (None, Vec::new()),
            };
        Ok(Builder {
            root: root.to_owned(),
            workspace: Workspace::new(dir.to_owned(), device, old),
            current,
            manifest_len,
            next,
            _lock: lock,
        })
    }

    /// Creates a collector, which hands over what it has collected when it ends.
    #[must_use]
    pub fn collector(&self) -> Collector<'_> {
        Collector::new(&self.workspace)
    }

    /// Writes the index with `threads` threads, and replaces the old one by it. A snapshot of
    /// directories remains only if no file was added or dropped.
    ///
    /// # Errors
    /// The index or a run cannot be written; the old index remains, unless it proves to be damaged.
    pub fn finish(self, threads: usize) -> Result<Built, Error> {
        self.finish_with(threads, None)
    }

    /// Does what [`finish`](Self::finish) does, and stores a snapshot of all directories.
    ///
    /// # Errors
    /// The index, a run or the snapshot cannot be written; the old index remains, unless it proves
    /// to be damaged.
    pub fn finish_with_snapshot(
        self,
        threads: usize,
        snapshot: SnapshotBuilder,
    ) -> Result<Built, Error> {
        self.finish_with(threads, Some(NewSnapshot::Collected(snapshot)))
    }

    /// Does what [`finish_with_snapshot`](Self::finish_with_snapshot) does. All directories are as
    /// in the snapshot of `old`, which remains if no file was added or dropped; otherwise
    /// `snapshot` returns it anew.
    ///
    /// # Errors
    /// The index, a run or the snapshot cannot be written; the old index remains, unless it proves
    /// to be damaged.
    pub fn finish_with_same_snapshot(
        self,
        threads: usize,
        old: &Index,
        snapshot: impl FnOnce() -> SnapshotBuilder,
    ) -> Result<Built, Error> {
        let old = old.manifest.snapshot;
        self.finish_with(threads, Some(NewSnapshot::Same(old, Box::new(snapshot))))
    }

    fn finish_with(
        self,
        threads: usize,
        snapshot: Option<NewSnapshot<'_>>,
    ) -> Result<Built, Error> {
        let mut this = self;
        let collected = mem::take(&mut this.workspace.collected);
        let mut collected = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = collected.iter_mut().find_map(|collected| collected.error.take()) {
            return Err(error);
        }
        let before: u64 = this.workspace.old.iter().map(|old| u64::from(old.live().count())).sum();
        let has_dropped = this.leave_out_unseen();
        let kept: u64 = this.workspace.old.iter().map(|old| u64::from(old.live().count())).sum();
        let has_new = collected.iter().any(Collected::has_files);
        let is_unchanged = this.manifest_len.is_some() && !has_new && !has_dropped;
        let published = this.publish(collected, threads, is_unchanged, snapshot);
        let dir = &this.workspace.dir;
        let (manifest, manifest_len) = match published {
            Ok(published) => published,
            Err(error) => {
                // A damaged segment could never be merged: the next update builds all anew.
                let is_of_use = this.current.filter(|_| !error.is_damage());
                // What was written to no avail takes room, perhaps where none is left.
                let _ = Manifest::clean(dir, is_of_use.as_ref());
                return Err(error);
            }
        };
        let segments = &manifest.segments;
        let sum = |of: fn(&SegmentInfo) -> u64| segments.iter().map(of).sum::<u64>();
        Ok(Built {
            files: sum(|info| u64::from(info.live.count())),
            text: sum(|info| info.text),
            size: manifest_len + manifest.files_len(),
            kept,
            dropped: before - kept,
        })
    }

    /// Leaves out the files in old segments that were not kept. Returns whether there are any.
    fn leave_out_unseen(&mut self) -> bool {
        let all_seen = mem::take(&mut self.workspace.seen);
        let all_seen = all_seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut has_dropped = false;
        for (index, old) in self.workspace.old.iter_mut().enumerate() {
            let mut seen = BitSet::none(old.live().limit());
            all_seen.iter().for_each(|of_one| seen.unite(&of_one[index]));
            if seen == *old.live() {
                continue;
            }
            has_dropped = true;
            old.info.text =
                seen.iter().filter_map(|file| Some(old.files.get(file as usize)?.stamp.size)).sum();
            old.info.live = seen;
        }
        has_dropped
    }

    /// Writes what is new, and a manifest if it is another one. Returns it with its size.
    fn publish(
        &self,
        collected: Vec<Collected>,
        threads: usize,
        is_unchanged: bool,
        snapshot: Option<NewSnapshot<'_>>,
    ) -> Result<(Manifest, u64), Error> {
        let old = self.current.as_ref().and_then(|manifest| manifest.snapshot);
        let old = old.filter(|_| self.manifest_len.is_some());
        let segments = match is_unchanged {
            true => self.workspace.old.iter().map(|old| old.info.clone()).collect(),
            false => self.replace_segments(collected, threads)?,
        };
        let snapshot = match snapshot {
            Some(NewSnapshot::Same(same, _)) if is_unchanged && old.is_some() && old == same => old,
            Some(NewSnapshot::Same(_, collect)) => {
                Some(self.write_snapshot(collect(), &segments, old)?)
            }
            Some(NewSnapshot::Collected(snapshot)) => {
                Some(self.write_snapshot(snapshot, &segments, old)?)
            }
            None => old.filter(|_| is_unchanged),
        };
        let manifest = Manifest { root: self.root.clone(), segments, snapshot };
        if let Some(len) = self.manifest_len
            && self.current.as_ref() == Some(&manifest)
        {
            return Ok((manifest, len));
        }
        let len = manifest.publish(&self.workspace.dir)?;
        // Readers that have opened old segments keep them. What cannot be removed now is removed by
        // the next update.
        let _ = Manifest::clean(&self.workspace.dir, Some(&manifest));
        Ok((manifest, len))
    }

    /// Writes a segment, if there is anything new. Returns all segments.
    fn replace_segments(
        &self,
        collected: Vec<Collected>,
        threads: usize,
    ) -> Result<Vec<SegmentInfo>, Error> {
        let has_new = collected.iter().any(Collected::has_files);
        let first_merged = self.first_merged(&collected);
        let (kept, merged) = self.workspace.old.split_at(first_merged);
        let is_alive = |old: &&OldSegment| old.live().count() > 0;
        let mut segments: Vec<_> =
            kept.iter().filter(is_alive).map(|old| old.info.clone()).collect();
        if has_new || merged.iter().any(|old| is_alive(&old)) {
            let mut new = NewSegment::default();
            for old in merged.iter().filter(is_alive) {
                new.add_segment(&old.segment, &old.files, old.live())?;
            }
            collected.into_iter().for_each(|collected| new.add_collected(collected));
            let path = self.workspace.dir.join(segment_name(self.next));
            segments.push(new.write(self.next, &path, threads)?);
        }
        Ok(segments)
    }

    /// Writes a snapshot, unless `old` has it.
    fn write_snapshot(
        &self,
        snapshot: SnapshotBuilder,
        segments: &[SegmentInfo],
        old: Option<FileInfo>,
    ) -> Result<FileInfo, Error> {
        let mut new = None;
        let mut tables = Vec::new();
        let mut base = 0;
        for info in segments {
            let is_same = |old: &&OldSegment| old.info.number == info.number;
            let known = self.workspace.old.iter().find(is_same).map(|old| &old.files);
            tables.push((base, known, info));
            base += info.live.limit();
            if known.is_none() {
                let path = self.workspace.dir.join(segment_name(info.number));
                let files = Segment::open(&path, info.len, info.checksum).and_then(|it| it.files());
                // Damage to it is no reason to give up the old index.
                new = Some(files.map_err(|error| Error::Io(io::Error::other(error)))?);
            }
        }
        let file_of = |inode| {
            // The newest first.
            tables.iter().rev().find_map(|(base, files, info)| {
                let is_live = |file: usize, _: &FileRecord| info.live.contains(file as u32);
                let (found, _) = files.or(new.as_ref())?.find_inode(inode, is_live)?;
                Some(base + found as u32)
            })
        };
        let number = self.next + 1;
        let path = self.workspace.dir.join(snapshot_name(number));
        snapshot.lay_out(&self.root, file_of)?.write(number, &path, old)
    }

    /// The first old segment that is merged with the new one.
    fn first_merged(&self, collected: &[Collected]) -> usize {
        let Some((base, small)) = self.workspace.old.split_first() else { return 0 };
        let new = collected.iter().flat_map(|collected| &collected.files);
        let new_text: u64 = new.map(|file| file.stamp.size).sum();
        let small_text: u64 = small.iter().map(|old| old.info.text).sum();
        let is_much = |part: u64, whole: u64| 100 * part > MERGED_PERCENT * whole;
        let dead = base.live().limit() - base.live().count();
        if is_much(small_text + new_text, base.info.text)
            || is_much(dead.into(), base.live().limit().into())
        {
            0
        } else if small.len() + usize::from(new_text > 0) > MAX_SMALL {
            1
        } else {
            self.workspace.old.len()
        }
    }
}
