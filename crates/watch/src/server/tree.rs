//! A tree that is watched: what the system reports, and what follows for the numbers of an index.
//!
//! What is not marked as changed has the stamp that it has in the index, and is where it was. This
//! holds because
//!
//! 1. a directory is watched before it and its files are compared with the index (see
//!    [`compare`](super::compare)), and after those above it,
//! 2. the system reports every later change to its entries, and to its files' contents and
//!    metadata, before the call returns that makes it,
//! 3. whatever moves a directory is a change of one above it, after which no directory below it is
//!    watched any longer as far as searches are concerned, and
//! 4. a mark remains until the index is brought up to date.
//!
//! The second does not hold for files with several names, which may be changed under a name that is
//! not watched. They are marked from the beginning, or when such a name appears in the tree, see
//! [`names`](super::names). Who may search a directory also decides what a walk finds below it. So
//! a change in a directory's metadata marks it and all below it, unless only its times have
//! changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem::MaybeUninit,
    ops::Range,
    path::Path,
    time::Duration,
};

use heist_index::{BitSet, Index, RuleSource, Snapshot, Stamp};
use rustix::{
    fd::OwnedFd,
    fs::{
        Mode, OFlags, Stat,
        inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
        open,
    },
    io::Errno,
};

use super::{links::Links, listing::LastListing, pass::Pass};
use crate::{changes::Changes, error::Error, status::Unknown};

/// Everything that changes a directory, its entries, or the contents and metadata of a file in it.
/// What merely reads is not among it: searches would wake the process that spares them work.
const CHANGES: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    // The only report of a store through a mapping, once it ends.
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Bytes of reports that are read at once: some thousand.
const REPORT_BYTES: usize = 64 << 10;

/// No directory.
const NO_DIR: u32 = u32::MAX;

/// A tree that is watched.
pub(super) struct Tree {
    /// The index's identity.
    pub(super) identity: u64,
    pub(super) index: Index,
    pub(super) snapshot: Snapshot,
    /// The directory itself, wherever it is.
    pub(super) root: OwnedFd,
    /// The device and inode of `root`.
    pub(super) id: (u64, u64),
    pub(super) reports: OwnedFd,
    /// The directory that each number of a watch stands for; none for those that are newer than the
    /// snapshot.
    watched: Vec<u32>,
    pub(super) changes: Changes,
    /// Directories that are not, or no longer, watched where the snapshot has them.
    gone: BitSet,
    listing: LastListing,
    pub(super) links: Links,
    pub(super) sources: Sources,
    /// The comparison of all files with the index, as far as it has come.
    pub(super) pass: Option<Pass>,
    /// Whether there are changes that are not known.
    pub(super) lost: Option<Unknown>,
    /// How long the last comparison has taken.
    pub(super) pass_took: Duration,
}

/// The files that decide what is ignored, as far as they lie in directories that are watched.
#[derive(Default)]
pub(super) struct Sources {
    /// The number of each, by its directory and name.
    numbers: BTreeMap<(u32, Vec<u8>), u32>,
    pub(super) all: Vec<RuleSource>,
}

/// What the system has reported.
struct Report {
    watch: i32,
    what: ReadFlags,
    name: Vec<u8>,
}

/// Why a tree is no longer watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchEnd {
    /// The directory is gone or has moved.
    RootGone,
}

impl Tree {
    /// Prepares to watch the directory that `index` covers. Nothing is known of it before the first
    /// pass.
    pub(super) fn new(index: Index) -> Result<Tree, Error> {
        let snapshot = index.snapshot()?.ok_or(Error::NoSnapshot)?;
        if let Some(limit) = watch_limit().filter(|&limit| limit < snapshot.dirs().into()) {
            return Err(Error::WatchLimit(Some(limit)));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(index.root(), flags, Mode::empty()).map_err(std::io::Error::from)?;
        let id = rustix::fs::fstat(&root).map_err(std::io::Error::from)?;
        let stamps = index.stamps()?;
        let sources = Sources::new(&snapshot)?;
        let links = Links::new(&stamps, &sources.all);
        let mut changes = Changes::none(snapshot.dirs(), stamps.end(), sources.all.len() as u32);
        sources.mark_outside(&mut changes);
        let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
        Ok(Tree {
            identity: index.identity(),
            root,
            id: (id.st_dev, id.st_ino),
            reports: inotify::init(flags).map_err(std::io::Error::from)?,
            watched: Vec::new(),
            changes,
            gone: BitSet::none(snapshot.dirs()),
            listing: LastListing::default(),
            links,
            sources,
            pass: Some(Pass::new(stamps)),
            lost: Some(Unknown::Comparing),
            pass_took: Duration::ZERO,
            snapshot,
            index,
        })
    }

    /// Begins to compare all files with the index once more.
    pub(super) fn begin_pass(&mut self) -> Result<(), Error> {
        self.pass = Some(Pass::new(self.index.stamps()?));
        Ok(())
    }

    /// Watches a directory. Returns whether that is possible.
    pub(super) fn watch(&mut self, dir: u32, path: &str) -> Result<bool, Error> {
        let Some(number) = self.add_watch(path, CHANGES)? else { return Ok(false) };
        let number = number as usize;
        if self.watched.len() <= number {
            self.watched.resize(number + 1, NO_DIR);
        }
        let other = std::mem::replace(&mut self.watched[number], dir);
        if other == NO_DIR || other == dir {
            return Ok(true);
        }
        // One directory at two places, where a file system is mounted twice. A report would name
        // only one of them.
        self.mark_gone(other)?;
        Ok(false)
    }

    /// Requests reports about a directory. Returns the number that they will have; `None` if there
    /// will be none.
    pub(super) fn add_watch(&self, path: &str, what: WatchFlags) -> Result<Option<i32>, Error> {
        match inotify::add_watch(&self.reports, path, what) {
            Ok(number) => Ok(Some(number)),
            Err(Errno::NOSPC) => Err(Error::WatchLimit(watch_limit())),
            Err(Errno::NOMEM) => Err(std::io::Error::from(Errno::NOMEM).into()),
            Err(_) => Ok(None),
        }
    }

    /// How many directories are watched.
    pub(super) fn dirs(&self) -> u64 {
        u64::from(self.gone.limit() - self.gone.count())
    }

    /// Takes in what the system has reported up to now.
    pub(super) fn drain(&mut self) -> Result<Option<WatchEnd>, Error> {
        // Others may go on changing files. Each report has 16 bytes or more.
        let queued = rustix::io::ioctl_fionread(&self.reports).map_err(std::io::Error::from)?;
        let mut left = queued / 16 + 1;
        let mut buffer = [const { MaybeUninit::uninit() }; REPORT_BYTES];
        let mut batch = Vec::new();
        while left > 0 {
            let mut reader = Reader::new(&self.reports, &mut buffer);
            loop {
                match reader.next() {
                    Ok(event) => batch.push(Report {
                        watch: event.wd(),
                        what: event.events(),
                        name: event
                            .file_name()
                            .map_or_else(Vec::new, |name| name.to_bytes().into()),
                    }),
                    Err(Errno::AGAIN) => {
                        left = 0;
                        break;
                    }
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(std::io::Error::from(error).into()),
                }
                left = left.saturating_sub(1);
                if reader.is_buffer_empty() {
                    break;
                }
            }
            for report in batch.drain(..) {
                if let Some(end) = self.take(&report)? {
                    return Ok(Some(end));
                }
            }
        }
        Ok(None)
    }

    fn take(&mut self, report: &Report) -> Result<Option<WatchEnd>, Error> {
        let has = |what| report.what.contains(what);
        if has(ReadFlags::QUEUE_OVERFLOW) {
            self.lost = Some(Unknown::Lost);
            self.pass = None;
            return Ok(None);
        }
        let watched = self.watched.get(report.watch as usize);
        let dir = watched.copied().filter(|dir| *dir != NO_DIR);
        let appears = ReadFlags::CREATE | ReadFlags::MOVED_TO;
        if report.what.intersects(appears) {
            self.note_name(report.watch, dir, &report.name, has(ReadFlags::ISDIR))?;
        }
        if has(ReadFlags::IGNORED) {
            self.links.forget_place(report.watch);
        }
        let Some(dir) = dir else { return Ok(None) };
        let is_away = report.what.intersects(
            ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED | ReadFlags::UNMOUNT,
        );
        if is_away {
            if has(ReadFlags::IGNORED) {
                self.watched[report.watch as usize] = NO_DIR;
            }
            if dir == 0 {
                return Ok(Some(WatchEnd::RootGone));
            }
            return self.mark_gone(dir).map(|()| None);
        }
        if report.name.is_empty() {
            return self.note_metadata(dir).map(|()| None);
        }
        let moves = appears | ReadFlags::DELETE | ReadFlags::MOVED_FROM;
        if report.what.intersects(moves) {
            self.changes.add_dirs(dir..dir + 1);
        }
        if let Some(source) = self.sources.find(dir, &report.name) {
            self.changes.add_source(source);
        }
        let named = self.listing.find(&self.snapshot, dir, &report.name)?;
        self.changes.add_files(named.file);
        if let Some(below) = named.dir {
            match report.what.intersects(moves) {
                true => self.mark_gone(below)?,
                false => self.note_metadata(below)?,
            }
        }
        if !named.is_known && !has(ReadFlags::ISDIR) && !report.what.intersects(moves) {
            self.note_write(dir, &report.name)?;
        }
        Ok(None)
    }

    /// Whether a directory is not, or no longer, watched where the snapshot has it.
    pub(super) fn is_gone(&self, dir: u32) -> bool {
        dir >= self.gone.limit() || self.gone.contains(dir)
    }

    /// Marks a directory that is no longer where it was, and all that was in it.
    pub(super) fn mark_gone(&mut self, dir: u32) -> Result<(), Error> {
        if self.is_gone(dir) {
            return Ok(());
        }
        self.mark_all_in(dir)?;
        self.gone.insert_all(self.range(dir)?);
        Ok(())
    }

    /// Marks a directory and all that is in it and below it.
    pub(super) fn mark_all_in(&mut self, dir: u32) -> Result<(), Error> {
        let range = self.range(dir)?;
        self.mark_files_in(range.clone())?;
        self.changes.add_dirs(range.clone());
        self.sources.mark_in(range, &mut self.changes);
        Ok(())
    }

    /// Marks the files in some directories.
    pub(super) fn mark_files_in(&mut self, range: Range<u32>) -> Result<(), Error> {
        let dirs = self.snapshot.read(range.clone())?;
        for dir in range.filter_map(|dir| dirs.get(dir)) {
            self.changes.add_files(dir.entries().filter_map(|entry| entry.file()));
        }
        Ok(())
    }

    /// A directory and those below it.
    fn range(&self, dir: u32) -> Result<Range<u32>, Error> {
        let end = self.snapshot.read(dir..dir + 1)?.get(dir).map_or(dir + 1, |dir| dir.end());
        Ok(dir..end.clamp(dir + 1, self.snapshot.dirs()))
    }
}

impl Sources {
    fn new(snapshot: &Snapshot) -> Result<Sources, Error> {
        use std::os::unix::ffi::OsStrExt;
        let (all, dirs) = (snapshot.sources()?, snapshot.source_dirs()?);
        let mut numbers = BTreeMap::new();
        for ((source, dir), number) in all.iter().zip(dirs).zip(0..) {
            let name = Path::new(std::ffi::OsStr::from_bytes(&source.path)).file_name();
            if let (Some(dir), Some(name)) = (dir, name) {
                numbers.insert((dir, name.as_bytes().to_vec()), number);
            }
        }
        Ok(Sources { numbers, all })
    }

    fn find(&self, dir: u32, name: &[u8]) -> Option<u32> {
        if self.numbers.is_empty() {
            return None;
        }
        self.numbers.get(&(dir, name.to_vec())).copied()
    }

    /// The sources in one directory: their names and numbers.
    pub(super) fn in_dir(&self, dir: u32) -> impl Iterator<Item = (&[u8], u32)> {
        let range = (dir, Vec::new())..(dir + 1, Vec::new());
        self.numbers.range(range).map(|((_, name), number)| (&name[..], *number))
    }

    /// Marks the sources in these directories.
    pub(super) fn mark_in(&self, dirs: Range<u32>, changes: &mut Changes) {
        let range = (dirs.start, Vec::new())..(dirs.end, Vec::new());
        changes.add_sources(self.numbers.range(range).map(|(_, number)| *number));
    }

    /// Marks the sources that are in none of the directories.
    fn mark_outside(&self, changes: &mut Changes) {
        let inside: BTreeSet<u32> = self.numbers.values().copied().collect();
        changes.add_sources((0..self.all.len() as u32).filter(|number| !inside.contains(number)));
    }
}

/// How many directories this user may watch, in all processes: the smaller one of two parameters.
fn watch_limit() -> Option<u64> {
    let parameters = ["fs/inotify/max_user_watches", "user/max_inotify_watches"];
    let values = parameters.iter().filter_map(|parameter| {
        let text = std::fs::read_to_string(format!("/proc/sys/{parameter}")).ok()?;
        text.trim().parse().ok()
    });
    values.min()
}

/// The stamp in what the system reports.
pub(super) fn stamp_of(stat: &Stat) -> Stamp {
    // Types of fields depend on the architecture.
    #[allow(clippy::unnecessary_cast)]
    Stamp::new(
        stat.st_ino as u64,
        stat.st_size as u64,
        stat.st_mode,
        (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    )
}
