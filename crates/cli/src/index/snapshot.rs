//! The directories of a tree as an index has them, for a walk that does without listing them.

use std::{
    fmt, io,
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use heist_filter::Fingerprint;
use heist_index::{Dir, Dirs, EntryKind, Snapshot};
use heist_walk::{FileMetadata, FileType, KnownDirs, KnownEntry};

use super::{
    opened::{OpenIndex, OpenIndexes, canonical_dir},
    rules::{Rules, verdict_in},
};

/// The directories that the walk of a run need not list: those of the first index that covers a
/// root. A walk learns of it when it visits the root.
#[derive(Debug)]
pub(crate) struct KnownTree {
    indexes: Arc<OpenIndexes>,
    tree: OnceLock<Option<Tree>>,
}

/// What an index has of the directories of a tree.
struct Tree {
    index: Arc<OpenIndex>,
    snapshot: Snapshot,
    /// The directories, in parts that are read when they are first needed; `None` stands for one
    /// that cannot be read.
    parts: Box<[OnceLock<Option<Dirs>>]>,
    /// The rules by which entries were judged.
    rules: Rules,
    asked: AtomicU32,
    unchanged: AtomicU32,
}

/// How many directories are read at once.
const PART: u32 = 256;

impl KnownTree {
    /// Prepares to use the snapshots of `indexes`.
    pub(crate) fn new(indexes: Arc<OpenIndexes>) -> KnownTree {
        KnownTree { indexes, tree: OnceLock::new() }
    }

    /// The index whose numbers files have.
    pub(super) fn index(&self) -> Option<&Arc<OpenIndex>> {
        Some(&self.tree()?.index)
    }

    /// Logs of how many directories the snapshot was of use, if the walk has used it.
    pub(crate) fn log(&self) {
        if let Some(Some(tree)) = self.tree.get() {
            // Ordering: Relaxed; the walk has ended.
            let [asked, unchanged] =
                [&tree.asked, &tree.unchanged].map(|count| count.load(Ordering::Relaxed));
            log::debug!(
                "snapshot of {}: {unchanged} of {asked} directories are as they were, and were not \
                 listed",
                tree.index.root().display(),
            );
        }
    }

    fn tree(&self) -> Option<&Tree> {
        self.tree.get()?.as_ref()
    }
}

impl KnownDirs for KnownTree {
    fn root(&self, path: &Path) -> Option<u32> {
        let dir = canonical_dir(path)?;
        let index = match self.indexes.covering(&dir) {
            Ok(index) => index,
            Err(error) => {
                log::debug!("{}: no snapshot is used: {error}", dir.display());
                return None;
            }
        };
        let tree = self.tree.get_or_init(|| {
            let tree = Tree::new(Arc::clone(&index));
            if tree.is_none() {
                log::debug!("{}: no snapshot is used: there is none", dir.display());
            }
            tree
        });
        let tree = tree.as_ref().filter(|tree| Arc::ptr_eq(&tree.index, &index))?;
        tree.snapshot.find(dir.strip_prefix(index.root()).ok()?).ok()?
    }

    fn is_unchanged(&self, dir: u32, look: &mut dyn FnMut() -> io::Result<FileMetadata>) -> bool {
        let Some(tree) = self.tree() else { return false };
        let Some(then) = tree.dir(dir) else { return false };
        let is_unchanged = tree.index.freshness.is_dir_unchanged(dir, &then.stamp(), look);
        if log::log_enabled!(log::Level::Debug) {
            // Ordering: Relaxed; the numbers are read after the walk.
            tree.asked.fetch_add(1, Ordering::Relaxed);
            tree.unchanged.fetch_add(is_unchanged.into(), Ordering::Relaxed);
        }
        is_unchanged
    }

    fn entries(
        &self,
        dir: u32,
        from: usize,
        add: &mut dyn FnMut(KnownEntry<'_>) -> bool,
    ) -> io::Result<bool> {
        let dir = self.tree().and_then(|tree| tree.dir(dir)).ok_or(io::ErrorKind::InvalidData)?;
        let mut entries = dir.entries().skip(from);
        let is_interrupted = entries.any(|entry| {
            !add(KnownEntry {
                name: entry.name(),
                file_type: file_type(entry.kind()),
                inode: entry.inode(),
                number: entry.dir().or_else(|| entry.file()),
                is_wanted: verdict_in(entry.marks()),
            })
        });
        Ok(is_interrupted)
    }

    fn is_judged_by(&self, dir: u32, rules: Fingerprint) -> bool {
        let tree = self.tree();
        tree.is_some_and(|tree| tree.dir(dir).is_some_and(|dir| tree.rules.are(dir.marks(), rules)))
    }
}

impl Tree {
    fn new(index: Arc<OpenIndex>) -> Option<Tree> {
        let snapshot = index.index.snapshot().ok()??;
        let rules = Rules::from_bytes(&snapshot.context().ok()?);
        let parts = (0..snapshot.dirs().div_ceil(PART)).map(|_| OnceLock::new()).collect();
        let (asked, unchanged) = Default::default();
        Some(Tree { index, snapshot, parts, rules, asked, unchanged })
    }

    /// A directory; `None` if it cannot be read.
    fn dir(&self, number: u32) -> Option<Dir<'_>> {
        let part = number / PART;
        let read = || {
            let start = part * PART;
            self.snapshot.read(start..self.snapshot.dirs().min(start + PART)).ok()
        };
        self.parts.get(part as usize)?.get_or_init(read).as_ref()?.get(number)
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The type of an entry; `None` if it has to be examined.
fn file_type(kind: EntryKind) -> Option<FileType> {
    match kind {
        EntryKind::File => Some(FileType::File),
        EntryKind::Dir => Some(FileType::Dir),
        EntryKind::Symlink => Some(FileType::Symlink),
        EntryKind::Other => None,
    }
}
