//! The changes in one repository.

use std::{
    collections::{HashMap, HashSet},
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use super::{
    diff::{self, AddedLines, Differing},
    git::{self, Base},
};
use crate::tracked::TrackedFiles;

/// A repository in which files are looked up.
#[derive(Debug)]
pub(super) struct Repository {
    top: PathBuf,
    files: OnceLock<Result<ChangedFiles, String>>,
    /// Whether the error has been returned.
    has_reported: AtomicBool,
}

impl Repository {
    pub(super) fn new(top: &Path) -> Repository {
        Repository { top: top.into(), files: OnceLock::new(), has_reported: AtomicBool::new(false) }
    }

    /// Returns the changed files. The first caller runs git, and the others wait for it.
    pub(super) fn files(
        &self,
        has_lines: bool,
        base: impl FnOnce() -> Result<Base, String>,
    ) -> Result<&ChangedFiles, String> {
        let read = || ChangedFiles::read(&self.top, &base()?, has_lines);
        self.files.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// Notes that the error is returned. Returns whether it has been before.
    pub(super) fn reports(&self) -> bool {
        // Ordering: one of the callers is the first, and nothing else depends on it.
        self.has_reported.swap(true, Relaxed)
    }
}

/// The changed files of a repository. Paths are relative to its top.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    /// Tracked files that differ, with the lines that were added; `None` if that is every line.
    differing: Differing,
    tracked: Tracked,
}

/// The files that git tracks, by which the others are known.
#[derive(Debug)]
enum Tracked {
    /// As this crate reads the index.
    Index(TrackedFiles),
    /// As git lists them.
    Listed(HashSet<Box<[u8]>>),
}

impl Default for Tracked {
    fn default() -> Tracked {
        Tracked::Listed(HashSet::new())
    }
}

impl ChangedFiles {
    fn read(top: &Path, base: &Base, has_lines: bool) -> Result<ChangedFiles, String> {
        let commit = match base {
            // No file was tracked.
            Base::Nothing => return Ok(ChangedFiles::default()),
            Base::Index => None,
            Base::Commit(commit) => Some(commit),
        };
        let mut args = vec!["diff", "--no-color", "--no-ext-diff", "--no-textconv"];
        args.extend(["--ignore-submodules=all", "--no-relative", "-z"]);
        match has_lines {
            true => {
                args.extend(["--numstat", "--patch", "--unified=0", "--inter-hunk-context=0"]);
                args.extend(["--src-prefix=a/", "--dst-prefix=b/", "--find-renames"]);
            }
            false => args.extend(["--name-only", "--no-renames"]),
        }
        match commit {
            Some(commit) => args.push(commit),
            // A file with conflicts is compared with the own side.
            None if has_lines => args.push("--ours"),
            None => {}
        }
        args.push("--");
        let (tracked, differing) = thread::scope(|scope| {
            let tracked = scope.spawn(|| Tracked::read(top));
            let differing = match has_lines {
                true => git::stream(top, &args, diff::read_lines),
                false => git::stream(top, &args, diff::read_names),
            };
            (tracked.join(), differing)
        });
        let mut differing = differing?;
        if commit.is_none() && has_lines {
            add_conflicts(top, &mut differing)?;
        }
        let tracked = tracked.unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok(ChangedFiles { differing, tracked })
    }

    pub(super) fn is_changed(&self, path: &[u8]) -> bool {
        self.differing.contains_key(path) || !self.tracked.contains(path)
    }

    /// The lines that were added to the file at `path`; `None` if that is every line.
    pub(super) fn added_lines(&self, path: &[u8]) -> Option<AddedLines> {
        if !self.tracked.contains(path) {
            return None;
        }
        self.differing.get(path).map_or_else(|| Some(AddedLines::default()), Clone::clone)
    }
}

/// Adds the files with conflicts that the own side has deleted, of which every line was added.
fn add_conflicts(top: &Path, differing: &mut Differing) -> Result<(), String> {
    let unmerged = git::bytes(top, &["ls-files", "--unmerged", "-z"])?;
    let mut has_own = HashMap::new();
    // `MODE ID STAGE<tab>PATH`
    for record in unmerged.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
        let Some(tab) = record.iter().position(|&byte| byte == b'\t') else { continue };
        *has_own.entry(&record[tab + 1..]).or_insert(false) |= record[..tab].ends_with(b" 2");
    }
    for (path, _) in has_own.into_iter().filter(|(_, has_own)| !has_own) {
        differing.insert(path.into(), None);
    }
    Ok(())
}

impl Tracked {
    fn read(top: &Path) -> Result<Tracked, String> {
        let own = || TrackedFiles::read(top, &|_| false).ok().filter(TrackedFiles::is_complete);
        let own = if git::has_other_index() { None } else { own() };
        if let Some(index) = own {
            return Ok(Tracked::Index(index));
        }
        // What `git ls-files` prints of each file is known once.
        let listed = git::stream(top, &["ls-files", "-z"], diff::read_names)?;
        Ok(Tracked::Listed(listed.into_keys().collect()))
    }

    fn contains(&self, path: &[u8]) -> bool {
        match self {
            Tracked::Index(index) => index.contains_file(path),
            Tracked::Listed(names) => names.contains(path),
        }
    }
}
