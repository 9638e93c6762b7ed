//! How a walk is configured, and where it starts.

use std::{
    fmt, io, num::NonZeroUsize, ops::ControlFlow, path::PathBuf, sync::Arc, thread,
    time::SystemTime,
};

use heist_filter::Changes;
use heist_queue::{IdleKind, QueueKind, Sharing};

use crate::{
    known_dirs::KnownDirs, metadata::FileId, shard::Shard, skipped::SkipObserver,
    sort_order::SortOrder, sys::Reader,
};

/// Where a walk starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// A path that the user named. A directory is walked; anything else is visited whatever the
    /// filter decides.
    Path(PathBuf),
    /// The current directory, because no path was named: its entries' paths have no `./`.
    Here,
    /// Standard input, visited like a file.
    Stdin,
}

/// What is walked and how.
///
/// ```
/// use heist_walk::{SortOrder, WalkConfig};
///
/// let config = WalkConfig { order: Some(SortOrder::Names), ..WalkConfig::new("src") };
/// assert!(config.workers >= 1 && !config.follow);
/// ```
#[derive(Clone, Debug)]
pub struct WalkConfig {
    /// Where to start, in this order.
    pub roots: Vec<Root>,
    /// Further roots, which become known during the walk. They have no order, so that there are
    /// none in a walk with an [`order`](Self::order).
    pub more_roots: Option<Arc<dyn RootSource>>,
    /// How many workers there are, at least 1. A single worker starts no thread.
    pub workers: usize,
    /// How many workers start only if directories turn out to come from a disk.
    pub extra_workers: usize,
    /// How many descriptors one visit has open at a time, at least 1.
    pub fds_per_visit: usize,
    /// How many files a visitor may keep open beyond their visit, if there are descriptors for
    /// them.
    pub max_deferred_files: usize,
    /// How many processor cores there are, if the caller knows it; otherwise the system is queried.
    pub cores: Option<NonZeroUsize>,
    /// The work queue that the workers share. In a walk that sorts names, a heap replaces the
    /// default: each worker takes the item that comes first.
    pub queue: QueueKind,
    /// Directories that were listed earlier, which the walk need not open while they are unchanged.
    /// Not used where links are [followed](Self::follow).
    pub known_dirs: Option<Arc<dyn KnownDirs>>,
    /// Which idle workers park, and which one is woken.
    pub idle: IdleKind,
    /// How much of its work a worker puts in its queue. In a walk with
    /// [items in order](Self::takes_items_in_order), always everything.
    pub sharing: Sharing,
    /// How directories are listed.
    pub reader: Reader,
    /// Whether symbolic links below the roots are followed. Roots always are.
    pub follow: bool,
    /// Whether symbolic links below the roots are followed if they lead to files, but not those to
    /// directories. [`follow`](Self::follow) includes this.
    pub follow_files: bool,
    /// Whether links that lead out of the roots are skipped, also links to rule files.
    /// [`FilterConfig::confined`](heist_filter::FilterConfig::confined) is the same for those above
    /// the roots.
    pub confined: bool,
    /// How deep a visited entry may be. A root has depth 0.
    pub max_depth: Option<usize>,
    /// Whether directories on another file system than their root are skipped.
    pub same_file_system: bool,
    /// Skips directories below the roots that are [another
    /// worktree](heist_filter::Checkout::OtherWorktree) of a git repository that the walk meets
    /// anyway. Costs a look at `.git`, and at git's files behind it, where there is one.
    pub skip_worktrees: bool,
    /// Skips directories below the roots that are [submodules](heist_filter::Checkout::Submodule)
    /// of a git repository.
    pub skip_submodules: bool,
    /// Skips files with more bytes than this, except roots.
    pub max_filesize: Option<u64>,
    /// Skips files with fewer bytes than this, except roots.
    pub min_filesize: u64,
    /// Skips files that were last modified before this time, except roots.
    pub newer: Option<SystemTime>,
    /// Skips files that were not last modified before this time, except roots.
    pub older: Option<SystemTime>,
    /// Skips files that do not differ from git's index or from a commit, except roots.
    pub changes: Option<Arc<Changes>>,
    /// Skips files and links that belong to other parts of the tree, roots included: other walks
    /// visit them.
    pub shard: Option<Shard>,
    /// Visits each file once: hard links, links that are followed and roots that lie in one another
    /// may lead to it several times. A file that is a root is visited as the first such root, any
    /// other under the first path that leads to it.
    pub unique: bool,
    /// Skips this file, unless it is a root: the one that the caller writes its output to.
    pub skip: Option<FileId>,
    /// Learns which entries are skipped, and why.
    pub on_skip: Option<Arc<dyn SkipObserver>>,
    /// How many unvisited files a directory must have to be split for an idle worker. Small where a
    /// visit reads the file, large where it only prints a name.
    pub slice: usize,
    /// In which order entries come, if the caller needs one. Keys are computed only then, see
    /// [`Entry::key_into`](crate::Entry::key_into) and [`OrderedVisitor`](crate::OrderedVisitor).
    pub order: Option<SortOrder>,
}

impl WalkConfig {
    /// The most workers that are of use unless they wait for a disk: more do not make a walk
    /// faster, but cost memory and wake-ups.
    pub const MAX_USEFUL_WORKERS: usize = 12;

    /// Returns the configuration to walk `root` with one worker per processor core, up to
    /// [`MAX_USEFUL_WORKERS`](Self::MAX_USEFUL_WORKERS).
    pub fn new(root: impl Into<PathBuf>) -> WalkConfig {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let workers = cores.min(WalkConfig::MAX_USEFUL_WORKERS);
        WalkConfig { roots: vec![Root::Path(root.into())], workers, ..WalkConfig::default() }
    }

    /// Returns whether several workers take items in their order: whichever takes an item, no
    /// smaller one is in the queue. So a worker may wait until all smaller items are done, except
    /// within [`Assist::help`](crate::Assist::help).
    #[must_use]
    pub fn takes_items_in_order(&self) -> bool {
        self.queue == QueueKind::default() && self.order.is_some_and(SortOrder::sorts)
    }
}

impl Default for WalkConfig {
    /// One worker walks the current directory.
    fn default() -> WalkConfig {
        WalkConfig {
            roots: vec![Root::Here],
            more_roots: None,
            workers: 1,
            extra_workers: 0,
            fds_per_visit: 1,
            max_deferred_files: 0,
            cores: None,
            queue: QueueKind::default(),
            known_dirs: None,
            idle: IdleKind::default(),
            sharing: Sharing::default(),
            reader: Reader::default(),
            follow: false,
            follow_files: false,
            confined: false,
            max_depth: None,
            same_file_system: false,
            skip_worktrees: false,
            skip_submodules: false,
            max_filesize: None,
            min_filesize: 0,
            newer: None,
            older: None,
            changes: None,
            shard: None,
            unique: false,
            skip: None,
            on_skip: None,
            slice: 16,
            order: None,
        }
    }
}

/// A source of roots that a walk reads while it visits those before.
///
/// One worker at a time takes roots, and visits them itself; another one takes the next ones
/// meanwhile.
pub trait RootSource: Send + Sync + fmt::Debug {
    /// Appends the next roots to `into`: a few, so that several workers get some. Calls
    /// `before_wait` before it may have to wait for them, and returns what that returns if it is
    /// `Break`. `Break` without roots means that there are no more.
    ///
    /// # Errors
    /// The source's path, and why the rest cannot be read.
    fn take(
        &self,
        into: &mut Vec<PathBuf>,
        before_wait: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, (PathBuf, io::Error)>;
}
