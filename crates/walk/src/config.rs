//! What is walked and how.

use std::{fs::Metadata, num::NonZeroUsize, path::PathBuf};

use heist_queue::{IdleKind, QueueKind};

use crate::order::SortOrder;

/// Where a walk starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// A path the user named. A directory is walked, anything else is visited as it is, unfiltered.
    Path(PathBuf),
    /// The current directory because no path was named: the paths of its entries show no `./`.
    Here,
    /// Standard input, visited like a file.
    Stdin,
}

/// How directories are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// The fastest way this system has.
    #[default]
    Native,
    /// The standard library's, by path: works everywhere.
    Portable,
}

/// What tells one file from every other on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    /// The device it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

impl FileId {
    /// That of the file which `metadata` describes, where the system tells.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Option<FileId> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(FileId { device: metadata.dev(), inode: metadata.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            None
        }
    }
}

/// What is walked and how.
#[derive(Clone, Debug)]
pub struct WalkConfig {
    /// Where to start, in this order.
    pub roots: Vec<Root>,
    /// How many workers share the walk, at least 1; 1 starts no thread.
    pub workers: usize,
    /// How many of these workers are held back until directories turn out to be fetched from a disk.
    pub extra_workers: usize,
    /// How many descriptors a visit takes at a time, at least 1.
    pub fds_per_visit: usize,
    /// How many files a visitor may keep open beyond their visit, if there are descriptors for it.
    pub max_deferred_files: usize,
    /// How many processor cores they run on, if that is known already; it is asked of the system otherwise.
    pub cores: Option<NonZeroUsize>,
    /// The work queue they share it by.
    pub queue: QueueKind,
    /// Who of them sleeps, and who is woken.
    pub idle: IdleKind,
    /// How directories are listed.
    pub reader: Reader,
    /// Follow symbolic links met on the way. Roots are always followed.
    pub follow: bool,
    /// Visit nothing deeper than this; a root has depth 0.
    pub max_depth: Option<usize>,
    /// Stay on the file system of each root.
    pub same_file_system: bool,
    /// Pass over files larger than this many bytes, roots excepted.
    pub max_filesize: Option<u64>,
    /// Pass over this file (the one that output is written to), roots excepted.
    pub skip: Option<FileId>,
    /// Say through `log::debug!` why each unwanted entry is unwanted.
    pub explain: bool,
    /// From how many unvisited files on a listing is cut for a hungry worker: small where a visit reads the file,
    /// large where it only prints a name.
    pub slice: usize,
    /// The order in which files belong, if anybody wants to know: visitors are then told the keys of items and files.
    pub order: Option<SortOrder>,
}

impl Default for WalkConfig {
    fn default() -> WalkConfig {
        WalkConfig {
            roots: vec![Root::Here],
            workers: 1,
            extra_workers: 0,
            fds_per_visit: 1,
            max_deferred_files: 0,
            cores: None,
            queue: QueueKind::default(),
            idle: IdleKind::default(),
            reader: Reader::default(),
            follow: false,
            max_depth: None,
            same_file_system: false,
            max_filesize: None,
            skip: None,
            explain: false,
            slice: 16,
            order: None,
        }
    }
}
