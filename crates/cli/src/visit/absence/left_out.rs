//! What a walk leaves out, with the reasons.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use heist_filter::{
    Filter, Reason, RuleSource, is_of_version_control,
    path_bytes::{bytes_of, rule_path},
};
use heist_queue::Stop;
use heist_walk::{
    Entry, Error, Helpers, Root, Shard, SkipObserver, SkipReason, Visitor, WalkConfig,
};

use crate::{
    resolved::ResolvedArgs,
    visit::{file_pass::visit_files, tree::or_panic},
};

/// The most entries that are kept. The others are counted.
const MAX_ENTRIES: usize = 1 << 17;

/// Why an entry is left out, in groups that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// A line of a rule file.
    Ignored,
    /// The name.
    Hidden,
    /// The globs and types of the command line.
    Selection,
    /// Git's index.
    Untracked,
    /// The size of a file.
    Size,
    /// The time of a file.
    Time,
    /// What git knows of a file's changes.
    Unchanged,
    /// The depth.
    Depth,
    /// The entry is a symbolic link.
    Link,
    /// Another file system, which may be slow, endless, or made by a program.
    FileSystem,
    /// The directory is another worktree of the repository.
    Worktree,
    /// The directory is a submodule.
    Submodule,
    /// The entry is a directory of version control, such as `.git`.
    VersionControl,
}

impl Cause {
    /// The group that a skipped entry belongs to; `None` if it has no contents of its own.
    fn of(path: &Path, why: &SkipReason<'_>) -> Option<Cause> {
        let name = path.file_name().unwrap_or_default();
        Some(match why {
            _ if is_of_version_control(name.as_encoded_bytes()) => Cause::VersionControl,
            SkipReason::Rules(verdict) => match &verdict.reason {
                Reason::Rule(RuleSource::File { .. }) | Reason::Tracked | Reason::Unmatched => {
                    Cause::Ignored
                }
                Reason::Rule(_) | Reason::NoGlob | Reason::NoType | Reason::NoOnly => {
                    Cause::Selection
                }
                Reason::Untracked => Cause::Untracked,
                Reason::Hidden => Cause::Hidden,
            },
            SkipReason::Hidden => Cause::Hidden,
            SkipReason::Link | SkipReason::LinkToDir | SkipReason::LinkOut => Cause::Link,
            SkipReason::TooLarge { .. } | SkipReason::TooSmall { .. } => Cause::Size,
            SkipReason::TooOld | SkipReason::TooNew => Cause::Time,
            SkipReason::Unchanged | SkipReason::UnknownChanges => Cause::Unchanged,
            SkipReason::TooDeep => Cause::Depth,
            SkipReason::OtherFileSystem => Cause::FileSystem,
            SkipReason::OtherWorktree => Cause::Worktree,
            SkipReason::Submodule => Cause::Submodule,
            // They have no contents of their own, or are searched elsewhere.
            SkipReason::NoRegularFile
            | SkipReason::Output
            | SkipReason::Repeated
            | SkipReason::OtherShard => return None,
            // To be looked into, whatever it is.
            _ => Cause::Ignored,
        })
    }

    /// The key in JSON.
    pub(super) fn key(self) -> &'static str {
        match self {
            Cause::Ignored => "ignored",
            Cause::Hidden => "hidden",
            Cause::Selection => "not_selected",
            Cause::Untracked => "untracked",
            Cause::Size => "size",
            Cause::Time => "time",
            Cause::Unchanged => "unchanged",
            Cause::Depth => "too_deep",
            Cause::Link => "links",
            Cause::FileSystem => "other_file_systems",
            Cause::Worktree => "other_worktrees",
            Cause::Submodule => "submodules",
            Cause::VersionControl => "version_control",
        }
    }

    /// What such entries are called after their number.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Cause::Ignored => "ignored",
            Cause::Hidden => "hidden",
            Cause::Selection => "not selected",
            Cause::Untracked => "untracked",
            Cause::Size => "of another size",
            Cause::Time => "of another time",
            Cause::Unchanged => "unchanged",
            Cause::Depth => "too deep",
            Cause::Link => "symbolic links",
            Cause::FileSystem => "on other file systems",
            Cause::Worktree => "other worktrees",
            Cause::Submodule => "submodules",
            Cause::VersionControl => "of version control",
        }
    }

    /// When such directories are looked into, the lowest first: what is hidden is mostly small,
    /// what is ignored mostly large, and other worktrees are copies of what has been searched.
    pub(super) fn rank(self) -> u8 {
        match self {
            Cause::Hidden => 0,
            Cause::Worktree => 2,
            _ => 1,
        }
    }

    /// Whether the contents of such entries are looked into.
    pub(super) fn is_looked_into(self) -> bool {
        !matches!(self, Cause::FileSystem | Cause::VersionControl)
    }
}

/// An entry that the walk leaves out, a directory with all that is below it.
#[derive(Debug)]
pub(super) struct LeftOut {
    pub(super) path: PathBuf,
    pub(super) cause: Cause,
    /// The reason, such as `ignored by .gitignore:3: *.o` or `hidden`.
    pub(super) why: String,
}

/// What a walk leaves out, and what it visits.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) entries: Vec<LeftOut>,
    /// How many entries each cause has, those included that are not kept.
    pub(super) counts: BTreeMap<Cause, u64>,
    /// How many files the walk visits.
    pub(super) files: u64,
    /// Whether the walk came to its end.
    pub(super) is_complete: bool,
}

/// Walks as `args` require, visits no file, and gathers what is left out, until `until`.
pub(super) fn gather(args: &ResolvedArgs, filter: &Filter, until: Instant) -> Gathered {
    let walk = second_walk(args);
    let part = walk.shard.map(|shard| Part { shard, roots: walk.roots.clone() });
    let gatherer = Arc::new(Gatherer { part, ..Gatherer::default() });
    let walk = WalkConfig { on_skip: Some(gatherer.clone()), ..walk };
    let counter = || FileCounter { until, files: 0 };
    let report = or_panic(visit_files(&walk, filter, counter));
    let mut gathered = match Arc::try_unwrap(gatherer) {
        Ok(gatherer) => gatherer.gathered.into_inner().unwrap_or_else(PoisonError::into_inner),
        // The configuration has the other reference.
        Err(gatherer) => std::mem::take(&mut *gatherer.lock()),
    };
    gathered.files = report.visitors.iter().map(|counter| counter.files).sum();
    gathered.is_complete = report.stop == Stop::Done;
    gathered
}

/// The walk of the run once more.
pub(super) fn second_walk(args: &ResolvedArgs) -> WalkConfig {
    let mut walk = plain_walk(&args.walk);
    if let Some(listed) = &args.listed {
        walk.roots.extend(listed.taken().0);
    }
    walk.roots.retain(|root| *root != Root::Stdin);
    walk
}

/// The walk with the limits of `walk`, in no order, and without what a search needs.
pub(super) fn plain_walk(walk: &WalkConfig) -> WalkConfig {
    WalkConfig {
        more_roots: None,
        order: None,
        known_dirs: None,
        on_skip: None,
        max_deferred_files: 0,
        extra_workers: 0,
        workers: (walk.workers - walk.extra_workers).max(1),
        ..walk.clone()
    }
}

/// Gathers the entries that a walk skips.
#[derive(Debug, Default)]
struct Gatherer {
    gathered: Mutex<Gathered>,
    part: Option<Part>,
}

/// One of several parts of the tree, each of which gathers what it would have visited.
///
/// All runs with `--shard` meet the same ignored file, for example, and one of them is to count it
/// and to look into it.
#[derive(Debug)]
struct Part {
    shard: Shard,
    roots: Vec<Root>,
}

impl Part {
    /// Returns whether the entry at `path` is gathered by this run.
    fn has(&self, path: &Path) -> bool {
        let below = self.roots.iter().find_map(|root| match root {
            Root::Path(root) => path.strip_prefix(root).ok(),
            Root::Here | Root::Stdin => None,
        });
        self.shard.has_file(&rule_path(&bytes_of(below.unwrap_or(path))))
    }
}

impl Gatherer {
    fn lock(&self) -> std::sync::MutexGuard<'_, Gathered> {
        // No code panics while the lock is held.
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SkipObserver for Gatherer {
    fn skipped(&self, path: &Path, why: &SkipReason<'_>) {
        let Some(cause) = Cause::of(path, why) else { return };
        if self.part.as_ref().is_some_and(|part| !part.has(path)) {
            return;
        }
        let why = why.to_string();
        let why = why.strip_prefix("ignored: ").unwrap_or(&why).to_owned();
        let mut gathered = self.lock();
        *gathered.counts.entry(cause).or_default() += 1;
        if gathered.entries.len() < MAX_ENTRIES {
            gathered.entries.push(LeftOut { path: path.to_path_buf(), cause, why });
        }
    }
}

/// Counts the files that a walk visits.
struct FileCounter {
    until: Instant,
    files: u64,
}

/// How many files are counted between two looks at the clock.
const FILES_PER_LOOK: u64 = 32;

impl Visitor for FileCounter {
    fn entry(&mut self, _: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        self.files += 1;
        match self.files.is_multiple_of(FILES_PER_LOOK) && Instant::now() > self.until {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn error(&mut self, _: Error) {}
}
