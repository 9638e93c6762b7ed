//! What an index answers to a walk, in one place: which directories need not be listed, and which
//! directories and files are skipped.

use std::{fmt, io, path::Path, sync::Arc};

use heist_filter::Fingerprint;
use heist_index::{Candidates, Dir, DirEntry, EntryKind};
use heist_walk::{FileId, FileMetadata, FileType, KnownDir, KnownDirs, KnownEntry, Look, Shortcut};

use super::{
    freshness::Numbered,
    needs::Needs,
    rules::{decides, is_repository, verdict_in},
    skippable::{SkippableFiles, files_to_visit},
    snapshot::{DIRS_PER_PART, DIRS_PER_SMALL_PART, KnownTree, SnapshotTree},
};

/// The answers of an index to one walk. A walk does not list a directory that is as the index has
/// it, and skips what [`Skip`] names.
pub(crate) struct Coverage {
    tree: Arc<KnownTree>,
    pub(super) skip: Skip,
}

/// What a walk skips in directories that are as the index has them.
pub(super) enum Skip {
    /// Nothing.
    Nothing,
    /// Files that cannot match, if their stamps show that they have not changed.
    UnchangedFiles(SkippableFiles),
    /// All that a search does not need, without a look at it: a process knows of all changes.
    Unneeded(Needs),
    /// Directories that a list takes whole, with all that is below them.
    WholeDirs(Needs),
}

impl Coverage {
    /// The answers of the index that has `tree`.
    pub(crate) fn new(tree: Arc<KnownTree>) -> Coverage {
        Coverage { tree, skip: Skip::Nothing }
    }

    /// Answers of this index that make the walk skip more.
    pub(super) fn skipping(&self, skip: Skip) -> Coverage {
        Coverage { tree: Arc::clone(&self.tree), skip }
    }

    /// The directories that the index has.
    pub(crate) fn tree(&self) -> &Arc<KnownTree> {
        &self.tree
    }

    /// Whether the walk has skipped a file that it would have visited.
    pub(crate) fn has_skipped(&self) -> bool {
        match &self.skip {
            Skip::Nothing | Skip::WholeDirs(_) => false,
            Skip::UnchangedFiles(files) => files.has_skipped(),
            Skip::Unneeded(needs) => needs.has_skipped(),
        }
    }
}

impl Skip {
    /// All that a search for `candidates` need not visit: unchanged files that cannot match, and
    /// directories with no others. `None` unless a process knows of all changes. The caller makes
    /// sure that nothing is reported of what is skipped.
    ///
    /// The walk has to meet the file `output`, because it skips that one itself: a search of
    /// nothing else reports that there were no files.
    pub(super) fn unneeded(
        tree: &SnapshotTree,
        candidates: &Candidates,
        skips_binary: bool,
        output: Option<FileId>,
    ) -> Option<Skip> {
        let changes = tree.index.freshness.changes.as_ref()?;
        let files = files_to_visit(candidates, skips_binary, output);
        let needs = Needs::of_search(&tree.snapshot, changes, &files, candidates.files_end())?;
        let are_few = needs.dirs() < tree.snapshot.dirs() / 8;
        tree.divide(if are_few { DIRS_PER_SMALL_PART } else { DIRS_PER_PART });
        Some(Skip::Unneeded(needs))
    }

    /// An entry of an unchanged directory, as the walk gets it.
    fn entry<'d>(&self, entry: &DirEntry<'d>) -> KnownEntry<'d> {
        let verdict = verdict_in(entry.marks());
        let (is_wanted, shortcut) = match self {
            Skip::UnchangedFiles(files) if entry.file().is_some_and(|file| files.has(file)) => {
                (verdict, Shortcut::SkipUnchanged)
            }
            Skip::Unneeded(needs) if !needs.has(entry) => (verdict.map(|_| false), Shortcut::None),
            Skip::WholeDirs(needs) if !needs.has(entry) => (verdict, Shortcut::Whole),
            _ => (verdict, Shortcut::None),
        };
        KnownEntry {
            name: entry.name(),
            file_type: file_type(entry.kind()),
            inode: entry.inode(),
            number: entry.dir().or_else(|| entry.file()),
            is_wanted,
            shortcut,
        }
    }
}

impl KnownDirs for Coverage {
    fn root(&self, path: &Path) -> Option<u32> {
        self.tree.root(path)
    }

    fn dir(&self, number: u32) -> Option<Box<dyn KnownDir<'_> + '_>> {
        let tree = self.tree.tree()?;
        Some(Box::new(CoveredDir { coverage: self, tree, number, dir: tree.dir(number)? }))
    }

    fn skips_file(&self, file: u32, look: Look<'_>) -> bool {
        let (Some(index), Skip::UnchangedFiles(files)) = (self.tree.index(), &self.skip) else {
            return false;
        };
        files.skips(file, &index.freshness, look)
    }
}

/// A directory that the index has.
struct CoveredDir<'c> {
    coverage: &'c Coverage,
    tree: &'c SnapshotTree,
    number: u32,
    dir: Dir<'c>,
}

impl<'c> KnownDir<'c> for CoveredDir<'c> {
    fn is_unchanged(&self, look: Look<'_>) -> bool {
        let freshness = &self.tree.index.freshness;
        let is_unchanged =
            freshness.is_unchanged(Numbered::Dir(self.number), &self.dir.stamp(), look);
        self.coverage.tree.count(self.tree, is_unchanged);
        is_unchanged
    }

    fn entries(&self) -> Box<dyn Iterator<Item = KnownEntry<'c>> + 'c> {
        let skip = &self.coverage.skip;
        Box::new(self.dir.entries().map(|entry| skip.entry(&entry)))
    }

    fn is_judged_by(&self, rules: Fingerprint) -> bool {
        let is_judged = self.tree.rules.are(self.dir.marks(), rules);
        if is_judged && let Skip::Unneeded(needs) = &self.coverage.skip {
            // The walk takes over the verdicts, and so skips what is not needed.
            needs.note_dir(self.number, |number| self.tree.dir(number));
        }
        is_judged
    }

    fn rules(
        &self,
        above: Fingerprint,
        look: &mut dyn FnMut(&[u8]) -> io::Result<FileMetadata>,
    ) -> Option<Fingerprint> {
        let CoveredDir { coverage, tree, dir, .. } = *self;
        let parent = tree.dir(dir.parent()?)?;
        if !coverage.tree.proves_rules || !tree.rules.are(parent.marks(), above) {
            return None;
        }
        let rule_files = tree.rule_files()?;
        let is_unchanged = |entry: DirEntry<'_>| {
            let Some((number, then)) = rule_files.find(&entry) else { return false };
            let freshness = &tree.index.freshness;
            freshness.is_unchanged(Numbered::RuleFile(number), &then, || look(entry.name()))
        };
        // What made the directory the top of a repository may be a link that leads nowhere by now.
        let matters = |marks| decides(marks) || is_repository(marks);
        let mut entries = dir.entries().filter(|entry| matters(entry.marks()));
        entries.all(is_unchanged).then(|| tree.rules.of_label(dir.marks()))?
    }
}

/// Without what it contains: the walk requires the trait, and so the program would have the code
/// that prints all of an index.
impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coverage").finish_non_exhaustive()
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
