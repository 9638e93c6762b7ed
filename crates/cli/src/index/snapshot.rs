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
use heist_index::{Candidates, Dir, DirEntry, Dirs, EntryKind, RuleFiles, RuleSource, Snapshot};
use heist_walk::{FileId, FileMetadata, FileType, KnownDirs, KnownEntry, Root, Shortcut};

use super::{
    needs::Needs,
    opened::{OpenIndex, OpenIndexes, canonical_dir},
    ruled_out::{RuledOut, files_to_visit},
    rules::{Rules, decides, is_repository, verdict_in},
};

/// The directories that a walk need not list: those that the first index has that covers a root. A
/// walk learns about it when it visits the root.
pub(crate) struct KnownTree {
    indexes: Arc<OpenIndexes>,
    tree: OnceLock<Option<SnapshotTree>>,
    /// Whether to count how many directories have not changed.
    counts: bool,
    /// What a search has to visit, if that is known.
    pub(super) needs: OnceLock<Needs>,
    /// What it has to visit only if it has changed, likewise.
    ruled_out: OnceLock<RuledOut>,
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
    rules: Rules,
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
const DIRS_PER_SMALL_PART: u32 = 32;
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
        let (tree, needs, ruled_out) = Default::default();
        KnownTree { indexes, tree, counts, needs, ruled_out, proves_rules }
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

    /// Leaves out what a search need not visit: unchanged files that cannot match, and directories
    /// with no others. The caller makes sure that nothing is reported of them. The walk has to meet
    /// the file `output`, because it leaves that one out itself: a search of nothing else reports
    /// that there were no files.
    pub(super) fn leave_out(
        &self,
        candidates: &Candidates,
        skips_binary: bool,
        output: Option<FileId>,
    ) {
        let narrowed = || {
            let tree = self.tree()?;
            let changes = tree.index.freshness.changes.as_ref()?;
            let files = files_to_visit(candidates, skips_binary, output);
            let end = candidates.files_end();
            let needs = Needs::of_search(&tree.snapshot, changes, &files, end)?;
            let are_few = needs.dirs() < tree.snapshot.dirs() / 8;
            tree.divide(if are_few { DIRS_PER_SMALL_PART } else { DIRS_PER_PART });
            Some(needs)
        };
        if let Some(needs) = narrowed() {
            // Nothing has set it: there is one search in a run.
            let _ = self.needs.set(needs);
        }
    }

    /// Makes the walk pass over files that cannot match, if they have not changed. Otherwise as
    /// [`leave_out`](Self::leave_out).
    pub(super) fn pass_over(
        &self,
        candidates: &Arc<Candidates>,
        skips_binary: bool,
        output: Option<FileId>,
    ) {
        let _ = self.ruled_out.set(RuledOut::new(candidates, skips_binary, output));
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

    /// Whether the walk has left out a file that it would have visited.
    pub(crate) fn has_left_out(&self) -> bool {
        self.needs.get().is_some_and(Needs::has_left_out)
            || self.ruled_out.get().is_some_and(RuledOut::has_passed_over)
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
            let tree = SnapshotTree::new(Arc::clone(&index));
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
        if self.counts {
            // Ordering: Relaxed; the numbers are read after the walk.
            tree.looked.fetch_add(1, Ordering::Relaxed);
            tree.unchanged.fetch_add(is_unchanged.into(), Ordering::Relaxed);
        }
        is_unchanged
    }

    fn is_file_unchanged(
        &self,
        file: u32,
        look: &mut dyn FnMut() -> io::Result<FileMetadata>,
    ) -> bool {
        let (Some(index), Some(ruled_out)) = (self.index(), self.ruled_out.get()) else {
            return false;
        };
        ruled_out.is_unchanged(file, &index.freshness, look)
    }

    fn entries(
        &self,
        dir: u32,
        from: usize,
        add: &mut dyn FnMut(KnownEntry<'_>) -> bool,
    ) -> io::Result<bool> {
        let dir = self.tree().and_then(|tree| tree.dir(dir)).ok_or(io::ErrorKind::InvalidData)?;
        let (needs, ruled_out) = (self.needs.get(), self.ruled_out.get());
        let mut entries = dir.entries().skip(from);
        let is_interrupted = entries.any(|entry| {
            let is_needed = needs.is_none_or(|needs| needs.has(&entry));
            let has_all_files = needs.is_some_and(Needs::has_all_files);
            !add(KnownEntry {
                name: entry.name(),
                file_type: file_type(entry.kind()),
                inode: entry.inode(),
                number: entry.dir().or_else(|| entry.file()),
                is_wanted: verdict_in(entry.marks())
                    .map(|is_wanted| is_wanted && (is_needed || has_all_files)),
                shortcut: match ruled_out {
                    _ if has_all_files && !is_needed => Shortcut::Whole,
                    Some(ruled_out) if entry.file().is_some_and(|file| ruled_out.has(file)) => {
                        Shortcut::PassOver
                    }
                    _ => Shortcut::None,
                },
            })
        });
        Ok(is_interrupted)
    }

    fn is_judged_by(&self, dir: u32, rules: Fingerprint) -> bool {
        let are = |tree: &SnapshotTree| Some(tree.rules.are(tree.dir(dir)?.marks(), rules));
        let is_judged = self.tree().and_then(are) == Some(true);
        if let Some(needs) = self.needs.get().filter(|_| is_judged) {
            needs.note_dir(dir, |number| self.dir(number));
        }
        is_judged
    }

    fn rules(
        &self,
        dir: u32,
        above: Fingerprint,
        look: &mut dyn FnMut(&[u8]) -> io::Result<FileMetadata>,
    ) -> Option<Fingerprint> {
        let tree = self.tree().filter(|_| self.proves_rules)?;
        let dir = tree.dir(dir)?;
        if !tree.rules.are(tree.dir(dir.parent()?)?.marks(), above) {
            return None;
        }
        let rule_files = tree.rule_files()?;
        let is_unchanged = |entry: DirEntry<'_>| {
            let Some((number, then)) = rule_files.find(&entry) else { return false };
            let freshness = &tree.index.freshness;
            freshness.is_source_unchanged(number, &then, || look(entry.name()))
        };
        // What made the directory the top of a repository may be a link that leads nowhere by now.
        let matters = |marks| decides(marks) || is_repository(marks);
        let mut entries = dir.entries().filter(|entry| matters(entry.marks()));
        entries.all(is_unchanged).then(|| tree.rules.of_label(dir.marks()))?
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

/// Without what it contains: the walk requires the trait, and so the program would have the code
/// that prints all of an index.
impl fmt::Debug for KnownTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownTree").finish_non_exhaustive()
    }
}

/// The type of an entry; `None` if it has to be examined.
fn file_type(kind: EntryKind) -> Option<FileType> {
    match kind {
        EntryKind::File => Some(FileType::File),
        EntryKind::Dir => Some(FileType::Dir),
        EntryKind::Symlink => Some(FileType::Symlink),
        EntryKind::Other => Some(FileType::Other),
        EntryKind::Unknown => None,
    }
}
