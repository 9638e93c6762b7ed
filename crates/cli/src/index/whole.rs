//! Directories that a list takes from a snapshot with all that is below them, without a walk. The
//! walk leads to them: it finds out that the rules in force are those by which their entries were
//! judged.

use std::{
    fs,
    ops::{ControlFlow, Range},
};

use heist_filter::path_bytes::{SEPARATOR, path_of};
use heist_index::{Dir, DirEntry, Dirs, EntryKind, Error};
use heist_walk::{FileId, FileMetadata, QueueKind};

use super::{
    coverage::{Coverage, Skip},
    freshness::Numbered,
    home::{advice, reason},
    lazy::visits_by_rules,
    needs::Needs,
    oracle::directory,
    rules::{decides, verdict_in},
    snapshot::{DIRS_PER_LARGE_PART, DIRS_PER_PART, SnapshotTree},
};
use crate::{
    resolved::{ResolvedArgs, Sorting},
    typed::IndexUse,
};

/// A worker takes at once one in this many of all entries, but at least [`MIN_ENTRIES`] and at most
/// [`MAX_ENTRIES`].
const ENTRY_SHARE: u32 = 16;
const MIN_ENTRIES: u32 = 1 << 10;
const MAX_ENTRIES: u32 = 1 << 16;
/// How many entries one worker prints before a second one is of use, if no stamp is taken
/// (docs/decisions/0134-short-lists-are-made-at-once.md).
const MAX_SHORT_LIST: u32 = 1 << 17;

/// Checks that an index has each directory of a list, if `--index=require` is given.
///
/// # Errors
/// The reason why none can be used.
pub(crate) fn check_list(args: &ResolvedArgs) -> Result<(), String> {
    if args.index != IndexUse::Require {
        return Ok(());
    }
    let unfit = |why: String| format!("no index is used: {why}");
    let absent = || unfit(format!("there is no index; {}", advice()));
    if args.walk.follow {
        return Err(unfit("links are followed".to_owned()));
    }
    let indexes = args.indexes.as_ref().ok_or_else(absent)?;
    for dir in args.walk.roots.iter().filter_map(directory) {
        match indexes.covering(&dir).and_then(|opened| opened.index.snapshot()) {
            Ok(Some(_)) => {}
            Ok(None) => return Err(unfit(format!("{}: it has no directories", dir.display()))),
            Err(error @ Error::Absent) => return Err(unfit(reason(&dir, &error))),
            Err(error) => return Err(reason(&dir, &error)),
        }
    }
    Ok(())
}

/// Makes the walk of a list take whole directories, unless it matters how each file is found.
pub(crate) fn cover_list(args: &mut ResolvedArgs) {
    let is_plain = args.sorting == Sorting::AsFound
        && args.walk.queue == QueueKind::default()
        && !args.quiet
        && args.progress.is_none()
        && !log::log_enabled!(log::Level::Debug);
    if !is_plain || !visits_by_rules(args) {
        return;
    }
    let Some(coverage) = &args.coverage else { return };
    let tree = coverage.tree();
    if tree.proves_rules
        && tree.knows(&args.walk.roots)
        && let Some(skip) = tree.tree().and_then(Skip::whole_dirs)
    {
        args.cover(Some(coverage.skipping(skip)));
    }
}

impl Skip {
    /// The walk of all directories that have not changed, as far as that is known.
    fn whole_dirs(tree: &SnapshotTree) -> Option<Skip> {
        let needs = Needs::of_list(&tree.snapshot, tree.index.freshness.changes.as_ref())?;
        // What is listed at once is not read in parts.
        tree.divide(if is_short(tree, &needs) { DIRS_PER_PART } else { DIRS_PER_LARGE_PART });
        Some(Skip::WholeDirs(needs))
    }
}

impl Coverage {
    /// What determines which directories are taken whole, if any are.
    fn whole_dirs(&self) -> Option<(&SnapshotTree, &Needs)> {
        match &self.skip {
            Skip::WholeDirs(needs) => Some((self.tree().tree()?, needs)),
            _ => None,
        }
    }

    /// Whether directories that are taken whole take less time than a worker to begin.
    pub(crate) fn is_listed_at_once(&self) -> bool {
        self.whole_dirs().is_some_and(|(tree, needs)| is_short(tree, needs))
    }

    /// Passes all wanted files below a directory that is taken whole to `list`, in the order in
    /// which a walk with one worker visits them. `path` is the directory's.
    ///
    /// Returns `None`, and has passed none, if it turns out that they have to be walked to:
    /// something has changed, one of them may be `skip`, or there is work for several workers.
    pub(crate) fn list_below<'t>(
        &'t self,
        number: u32,
        path: &[u8],
        skip: Option<FileId>,
        scratch: &mut ListScratch<'t>,
        list: &mut impl ListFiles,
    ) -> Option<ControlFlow<()>> {
        if skip.is_some() {
            return None;
        }
        let (tree, needs) = self.whole_dirs()?;
        if is_short(tree, needs) {
            // No other worker needs them: they are read into memory that is used again.
            let end = needs.end_below(number).filter(|&end| end <= tree.snapshot.dirs())?;
            let old = scratch.read.take().unwrap_or_else(|| tree.snapshot.room());
            let dirs = tree.snapshot.read_again(number..end, old).ok()?;
            let dirs = &*scratch.read.insert(dirs);
            let below = &mut DirsBelow::default();
            return tree.list_below(number..end, |dir| dirs.get(dir), path, below, list);
        }
        let end = tree.dir(number)?.end();
        let most = needs.all_entries() / ENTRY_SHARE;
        if needs.entries(number..end)? > most.clamp(MIN_ENTRIES, MAX_ENTRIES) {
            return None;
        }
        tree.list_below(number..end, |dir| tree.dir(dir), path, &mut scratch.below, list)
    }
}

/// Memory for directories that are taken whole, used again for the next ones.
#[derive(Default)]
pub(crate) struct ListScratch<'t> {
    below: DirsBelow<'t>,
    read: Option<Dirs>,
}

/// Whether a list of the tree takes less time than a worker to begin.
fn is_short(tree: &SnapshotTree, needs: &Needs) -> bool {
    tree.index.freshness.changes.is_some() && needs.all_entries() <= MAX_SHORT_LIST
}

/// What gets the files below a directory that is taken whole.
pub(crate) trait ListFiles {
    /// The files that follow are in the directory with this path, which ends in a slash.
    fn enter(&mut self, dir: &[u8]);

    /// Gets the next file. Its name is the first `len` bytes of `names`.
    fn file(&mut self, names: &[u8], len: usize);

    /// All files of the directory have been passed. `Break` ends the list.
    fn leave(&mut self) -> ControlFlow<()>;
}

/// The directories below one, in the order in which one worker of a walk visits them.
#[derive(Default)]
struct DirsBelow<'t> {
    /// The path of the directory that is visited.
    path: Vec<u8>,
    /// The directories that are to be visited, the next one last: with their names, and how long
    /// the paths of their parents are.
    dirs: Vec<(u32, usize, &'t [u8])>,
    /// How many there were before those in the directory that is visited were added.
    first: usize,
}

impl<'t> DirsBelow<'t> {
    /// Begins anew with the directory `number` at `path`.
    fn begin(&mut self, number: u32, path: &[u8]) {
        self.path.clear();
        self.path.extend_from_slice(path);
        self.dirs.clear();
        self.dirs.push((number, path.len(), b""));
        self.first = 0;
    }

    /// Goes on to the next directory. Returns its number.
    fn next(&mut self) -> Option<u32> {
        self.dirs[self.first..].reverse();
        let (number, parent_len, name) = self.dirs.pop()?;
        self.first = self.dirs.len();
        self.path.truncate(parent_len);
        if !name.is_empty() {
            self.path.extend_from_slice(name);
            self.path.push(SEPARATOR);
        }
        Some(number)
    }

    /// Adds a directory in the one that is visited.
    fn add(&mut self, number: u32, name: &'t [u8]) {
        self.dirs.push((number, self.path.len(), name));
    }
}

impl SnapshotTree {
    /// Passes all wanted files in these directories. The first one contains the others and is at
    /// `path`. `dir` returns a directory. Returns `None` if they cannot be read, or may have
    /// changed.
    fn list_below<'d>(
        &self,
        dirs: Range<u32>,
        dir: impl Fn(u32) -> Option<Dir<'d>>,
        path: &[u8],
        below: &mut DirsBelow<'d>,
        list: &mut impl ListFiles,
    ) -> Option<ControlFlow<()>> {
        match &self.index.freshness.changes {
            // What may have changed is needed, and so is not taken whole.
            Some(changes) => {
                let is_known = |number| dir(number).is_some() && !changes.has_dir(number);
                dirs.clone().all(is_known).then_some(())?;
            }
            None => {
                below.begin(dirs.start, path);
                self.is_unchanged_below(&dir, below)?;
            }
        }
        below.begin(dirs.start, path);
        while let Some(dir) = below.next().and_then(&dir) {
            list.enter(&below.path);
            for entry in dir.entries().filter(|entry| verdict_in(entry.marks()) == Some(true)) {
                match (entry.kind(), entry.dir()) {
                    (EntryKind::File, _) => {
                        let (names, len) = entry.name_and_more();
                        list.file(names, len);
                    }
                    (_, Some(number)) => below.add(number, entry.name()),
                    _ => {}
                }
            }
            if list.leave().is_break() {
                return Some(ControlFlow::Break(()));
            }
        }
        Some(ControlFlow::Continue(()))
    }

    /// Takes the stamps of the directories `below`, and of the rule files in them. `dir` returns a
    /// directory. Returns `None` unless they are as they were.
    fn is_unchanged_below<'d>(
        &self,
        dir: impl Fn(u32) -> Option<Dir<'d>>,
        below: &mut DirsBelow<'d>,
    ) -> Option<()> {
        while let Some(number) = below.next() {
            let path = &below.path;
            let dir = dir(number)?;
            self.is_dir_unchanged(number, &dir, path).then_some(())?;
            let mut rule_files = dir.entries().filter(|entry| decides(entry.marks()));
            rule_files.all(|entry| self.is_rule_file_unchanged(&entry, path)).then_some(())?;
            for entry in dir.entries().filter(|entry| verdict_in(entry.marks()) == Some(true)) {
                if let Some(number) = entry.dir() {
                    below.add(number, entry.name());
                }
            }
        }
        Some(())
    }

    /// Whether the directory with this number has the entries that the snapshot has. `path` ends in
    /// a slash.
    fn is_dir_unchanged(&self, number: u32, dir: &Dir<'_>, path: &[u8]) -> bool {
        self.index.freshness.is_unchanged(Numbered::Dir(number), &dir.stamp(), || {
            FileMetadata::of(&fs::symlink_metadata(path_of(&path[..path.len() - 1]))?)
        })
    }

    /// Whether a rule file in the directory at `path` contains what it did.
    fn is_rule_file_unchanged(&self, entry: &DirEntry<'_>, path: &[u8]) -> bool {
        let known = self.rule_files().and_then(|rule_files| rule_files.find(entry));
        known.is_some_and(|(number, then)| {
            self.index.freshness.is_unchanged(Numbered::RuleFile(number), &then, || {
                FileMetadata::of(&fs::symlink_metadata(path_of(&[path, entry.name()].concat()))?)
            })
        })
    }
}
