//! Directories that a list takes from a snapshot with all that is below them, without a walk. The
//! walk leads to them: it finds out that the rules in force are those by which their entries were
//! judged.

use std::fs;

use heist_filter::path_bytes::{SEPARATOR, path_of};
use heist_index::{DirEntry, EntryKind, Error};
use heist_walk::{FileId, FileMetadata, QueueKind};

use super::{
    home::reason,
    lazy::visits_by_rules,
    needs::Needs,
    oracle::directory,
    rules::{decides, verdict_in},
    snapshot::{KnownTree, Tree},
};
use crate::{
    resolved::{ResolvedArgs, Sorting},
    typed::IndexUse,
};

/// The share of all entries, how many at least, and at most, that one worker takes at once.
const SHARE: u32 = 16;
const MIN: u32 = 1 << 10;
const MAX: u32 = 1 << 16;

/// Checks that an index has each directory of a list, if `--index=require` is given.
///
/// # Errors
/// The reason why none can be used.
pub(crate) fn check_list(args: &ResolvedArgs) -> Result<(), String> {
    if args.index != IndexUse::Require {
        return Ok(());
    }
    let unfit = |why: String| format!("no index is used: {why}");
    if args.walk.follow {
        return Err(unfit("links are followed".to_owned()));
    }
    let indexes = args.indexes.as_ref().ok_or_else(|| unfit("there is no index".to_owned()))?;
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

/// Makes the walk of a list pass whole directories, unless it matters how each file is found.
pub(crate) fn pass_whole(args: &ResolvedArgs) {
    let is_plain = args.sorting == Sorting::AsFound
        && args.walk.queue == QueueKind::default()
        && !args.quiet
        && args.progress.is_none()
        && !log::log_enabled!(log::Level::Debug);
    if is_plain
        && visits_by_rules(args)
        && let Some(tree) = &args.known_tree
        && tree.proves_rules
        && tree.knows(&args.walk.roots)
    {
        tree.pass_whole();
    }
}

impl KnownTree {
    /// Makes the walk pass directories [whole](heist_walk::Visitor::whole).
    fn pass_whole(&self) {
        let needs = || {
            let tree = self.tree()?;
            Needs::of_list(&tree.snapshot, tree.index.freshness.changes.as_ref())
        };
        if let Some(needs) = needs() {
            // Nothing has set it: there is one list in a run.
            let _ = self.needs.set(needs);
        }
    }

    /// Passes the names of all wanted files below a directory that is passed whole, with the path
    /// of their directory, to `each`, in the order in which one worker of a walk visits them.
    /// `path` is that of the directory. Returns how many files there are.
    ///
    /// Returns `None`, and has perhaps passed some, if it turns out that they have to be walked to:
    /// something has changed, one of them is `skip`, or there is work for several workers.
    pub(crate) fn files_below(
        &self,
        number: u32,
        path: &[u8],
        skip: Option<FileId>,
        mut each: impl FnMut(&[u8], &[u8]),
    ) -> Option<u64> {
        let (tree, needs) = (self.tree()?, self.needs.get()?);
        let most = needs.entries(0..tree.snapshot.dirs())? / SHARE;
        if needs.entries(number..tree.dir(number)?.end())? > most.clamp(MIN, MAX) {
            return None;
        }
        let mut files = 0;
        let mut path = path.to_vec();
        // The directories that are to be visited, the next one last: with their names, and how long
        // the paths of those are that contain them.
        let mut dirs = vec![(number, path.len(), &b""[..])];
        while let Some((number, parent_len, name)) = dirs.pop() {
            path.truncate(parent_len);
            if !name.is_empty() {
                path.extend_from_slice(name);
                path.push(SEPARATOR);
            }
            tree.is_dir_unchanged(number, &path).then_some(())?;
            let first = dirs.len();
            for entry in tree.dir(number)?.entries() {
                if decides(entry.marks()) {
                    tree.is_rule_file_unchanged(&entry, &path).then_some(())?;
                }
                if verdict_in(entry.marks()) != Some(true) {
                    continue;
                }
                match (entry.kind(), entry.dir()) {
                    (EntryKind::File, _) if skip.is_some_and(|it| it.inode == entry.inode()) => {
                        return None;
                    }
                    (EntryKind::File, _) => {
                        each(&path, entry.name());
                        files += 1;
                    }
                    (_, Some(below)) => dirs.push((below, path.len(), entry.name())),
                    _ => {}
                }
            }
            dirs[first..].reverse();
        }
        Some(files)
    }
}

impl Tree {
    /// Whether the directory with this number, whose path ends in a slash, has the entries that the
    /// snapshot has.
    fn is_dir_unchanged(&self, number: u32, path: &[u8]) -> bool {
        let Some(dir) = self.dir(number) else { return false };
        self.index.freshness.is_dir_unchanged(number, &dir.stamp(), || {
            FileMetadata::of(&fs::symlink_metadata(path_of(&path[..path.len() - 1]))?)
        })
    }

    /// Whether a rule file in the directory at `path` contains what it did.
    fn is_rule_file_unchanged(&self, entry: &DirEntry<'_>, path: &[u8]) -> bool {
        let known = self.rule_files().and_then(|rule_files| rule_files.find(entry));
        known.is_some_and(|(number, then)| {
            self.index.freshness.is_source_unchanged(number, &then, || {
                FileMetadata::of(&fs::symlink_metadata(path_of(&[path, entry.name()].concat()))?)
            })
        })
    }
}
