//! The directories of a tree as an index has them.

use std::{
    path::Path,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use heist_index::{Dir, Dirs, RuleFiles, RuleSource, Snapshot};
use heist_walk::Root;

use super::{
    opened::{OpenIndex, OpenIndexes, canonical_dir},
    rules::Rules,
};

/// The directories that a walk need not list: those that the first index has that covers a root. A
/// walk learns about it when it visits the root.
pub(crate) struct KnownTree {
    indexes: Arc<OpenIndexes>,
    tree: OnceLock<Option<SnapshotTree>>,
    /// Whether to count how many directories have not changed.
    counts: bool,
    /// Whether stamps prove what rule files contain.
    pub(super) proves_rules: bool,
}

/// What the snapshot of an index knows about a tree's directories.
pub(super) struct SnapshotTree {
    pub(super) index: Arc<OpenIndex>,
    pub(super) snapshot: Snapshot,
    /// The directories, in parts that are read when they are first needed.
    parts: OnceLock<DirParts>,
    /// The rules by which entries were judged.
    pub(super) rules: Rules,
    /// The stamps of rule files, read when they are first needed.
    rule_files: OnceLock<Option<RuleFiles>>,
    /// How many directories were looked at, and how many of them have not changed.
    looked: AtomicU32,
    unchanged: AtomicU32,
}

/// The directories in a snapshot, read `len` at a time; `None` stands for directories that cannot
/// be read.
pub(super) struct DirParts {
    len: u32,
    read: Box<[OnceLock<Option<Dirs>>]>,
}

/// How many directories are read at once.
pub(super) const DIRS_PER_PART: u32 = 256;
/// How many directories are read at once where only few are needed.
pub(super) const DIRS_PER_SMALL_PART: u32 = 32;
/// How many directories are read at once where nearly all are needed. Each part reads three pages
/// that its neighbours read as well.
pub(super) const DIRS_PER_LARGE_PART: u32 = 1024;

/// Sorts rule files by path.
pub(super) fn sort_by_path(sources: &mut [RuleSource]) {
    sources.sort_unstable_by(|a, b| a.path.cmp(&b.path));
}

impl KnownTree {
    /// Prepares to use the snapshots of `indexes`.
    pub(crate) fn new(indexes: Arc<OpenIndexes>, counts: bool, proves_rules: bool) -> KnownTree {
        KnownTree { indexes, tree: OnceLock::new(), counts, proves_rules }
    }

    /// Whether a process knows all changes below roots that are known, changes in rules included.
    pub(super) fn knows_changes(&self) -> bool {
        self.index().is_some_and(|index| index.freshness.changes.is_some())
    }

    /// Whether the roots are known directories.
    pub(super) fn knows(&self, roots: &[Root]) -> bool {
        roots.iter().all(|root| match root {
            Root::Here => self.root(Path::new(".")).is_some(),
            Root::Path(path) => self.root(path).is_some(),
            Root::Stdin => false,
        })
    }

    /// How many entries are below these roots; `None` unless they are known directories.
    pub(super) fn entries_below(&self, roots: &[Root]) -> Option<u32> {
        let tree = self.tree()?;
        let places = tree.snapshot.places().ok()?;
        let below = |root: &Root| {
            let number = match root {
                Root::Here => self.root(Path::new("."))?,
                Root::Path(path) => self.root(path)?,
                Root::Stdin => return None,
            };
            places.entries(number..tree.dir(number)?.end())
        };
        roots.iter().map(below).sum()
    }

    /// The files that decided what is ignored, sorted; `None` if they cannot be read.
    pub(super) fn sources(&self) -> Option<Vec<RuleSource>> {
        let mut sources = self.tree()?.snapshot.sources().ok()?;
        sort_by_path(&mut sources);
        Some(sources)
    }

    /// The index that numbers the files.
    pub(crate) fn index(&self) -> Option<&Arc<OpenIndex>> {
        Some(&self.tree()?.index)
    }

    /// Logs for how many directories the snapshot saved work, if the walk has used it.
    pub(crate) fn log(&self) {
        if let Some(tree) = self.tree() {
            let [unchanged, looked] = self.unchanged();
            log::debug!(
                "snapshot of {}: {unchanged} of {looked} directories are as they were, and were not \
                 listed",
                tree.index.root().display(),
            );
        }
    }

    /// How many directories have not changed, and how many were known, if they were to be counted.
    pub(crate) fn unchanged(&self) -> [u32; 2] {
        let Some(tree) = self.tree() else { return [0; 2] };
        // Ordering: Relaxed; the walk has ended.
        [&tree.unchanged, &tree.looked].map(|count| count.load(Ordering::Relaxed))
    }

    /// Counts a directory that was looked at, if that is wanted.
    pub(super) fn count(&self, tree: &SnapshotTree, is_unchanged: bool) {
        if self.counts {
            // Ordering: Relaxed; the numbers are read after the walk.
            tree.looked.fetch_add(1, Ordering::Relaxed);
            tree.unchanged.fetch_add(is_unchanged.into(), Ordering::Relaxed);
        }
    }

    /// How many directories the snapshot has, if it has been used.
    pub(super) fn dirs(&self) -> Option<u32> {
        Some(self.tree()?.snapshot.dirs())
    }

    /// A directory of the snapshot.
    pub(super) fn dir(&self, number: u32) -> Option<Dir<'_>> {
        self.tree()?.dir(number)
    }

    pub(super) fn tree(&self) -> Option<&SnapshotTree> {
        self.tree.get()?.as_ref()
    }

    /// The number of the directory at `path`, a root. The first one that an index covers decides
    /// which tree is known.
    pub(super) fn root(&self, path: &Path) -> Option<u32> {
        let dir = canonical_dir(path)?;
        let index = match self.indexes.covering(&dir) {
            Ok(index) => index,
            Err(error) => {
                log::debug!("{}: no snapshot is used: {error}", dir.display());
                return None;
            }
        };
        let tree = self.tree.get_or_init(|| {
            let tree = SnapshotTree::new(Arc::clone(&index));
            if tree.is_none() {
                log::debug!("{}: no snapshot is used: there is none", dir.display());
            }
            tree
        });
        let tree = tree.as_ref().filter(|tree| Arc::ptr_eq(&tree.index, &index))?;
        tree.snapshot.find(dir.strip_prefix(index.root()).ok()?).ok()?
    }
}

impl SnapshotTree {
    fn new(index: Arc<OpenIndex>) -> Option<SnapshotTree> {
        let snapshot = index.index.snapshot().ok()??;
        let rules = Rules::from_bytes(&snapshot.context().ok()?);
        let (parts, rule_files, looked, unchanged) = Default::default();
        Some(SnapshotTree { index, snapshot, parts, rules, rule_files, looked, unchanged })
    }

    /// The stamps of rule files; `None` if they cannot be read.
    pub(super) fn rule_files(&self) -> Option<&RuleFiles> {
        self.rule_files.get_or_init(|| self.snapshot.rule_files().ok()).as_ref()
    }

    /// Makes parts of `len` directories, unless one has been read already.
    pub(super) fn divide(&self, len: u32) -> &DirParts {
        self.parts.get_or_init(|| DirParts::new(self.snapshot.dirs(), len))
    }

    /// A directory; `None` if it cannot be read.
    pub(super) fn dir(&self, number: u32) -> Option<Dir<'_>> {
        let count = self.snapshot.dirs();
        let parts = self.divide(DIRS_PER_PART);
        let part = number / parts.len;
        let read = || {
            let start = part * parts.len;
            self.snapshot.read(start..count.min(start + parts.len)).ok()
        };
        parts.read.get(part as usize)?.get_or_init(read).as_ref()?.get(number)
    }
}

impl DirParts {
    /// Divides `dirs` directories into parts of `len`. None is read yet.
    fn new(dirs: u32, len: u32) -> DirParts {
        DirParts { len, read: (0..dirs.div_ceil(len)).map(|_| OnceLock::new()).collect() }
    }
}
