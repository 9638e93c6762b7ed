//! A tree that is watched: what the system reports, and what follows for the numbers of an index.
//!
//! What is not marked as changed has the stamp that it has in the index, and is where it was. This
//! holds because
//!
//! 1. a directory is watched before it and its files are compared with the index (see
//!    [`compare`](super::compare)), and after those above it,
//! 2. the system reports every later change of its entries, and of the contents and the metadata of
//!    its files, before the call returns that makes it,
//! 3. whatever moves a directory is a change of one above it, after which no directory below it is
//!    watched any longer as far as searches are concerned, and
//! 4. a mark remains until the index is brought up to date.
//!
//! The second does not hold for files with several names, which may be changed under a name that is
//! not watched. They are marked from the beginning, or when such a name appears in the tree.

use std::{collections::BTreeMap, mem::MaybeUninit, path::Path, time::Duration};

use heist_index::{Index, RuleSource, Snapshot, Stamp, nanoseconds};
use rustix::{
    fd::OwnedFd,
    fs::{
        AtFlags, FileType, Mode, OFlags, Stat,
        inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
        open, statat,
    },
    io::Errno,
};

use super::{listing::Listing, pass::Pass};
use crate::{bits::Bits, changes::Changes, error::Error, status::Unknown};

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
const REPORTS: usize = 64 << 10;

/// No directory.
const NONE: u32 = u32::MAX;

/// A tree that is watched.
pub(super) struct Tree {
    /// That of the index.
    pub(super) identity: u64,
    pub(super) index: Index,
    pub(super) snapshot: Snapshot,
    /// The directory itself, wherever it is.
    pub(super) root: OwnedFd,
    /// Its device and inode.
    pub(super) id: (u64, u64),
    pub(super) reports: OwnedFd,
    /// The directory that each number of a watch stands for.
    watched: Vec<u32>,
    pub(super) changes: Changes,
    /// Directories that are not, or no longer, watched where the snapshot has them.
    pub(super) gone: Bits,
    listing: Listing,
    /// The files of each inode, sorted.
    inodes: Vec<(u64, u32)>,
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
pub(super) enum End {
    /// The directory is gone or has moved.
    RootGone,
}

impl Tree {
    /// Prepares to watch the directory that `index` covers. Nothing is known of it before the first
    /// pass.
    pub(super) fn new(index: Index) -> Result<Tree, Error> {
        let snapshot = index.snapshot()?.ok_or(Error::NoSnapshot)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(index.root(), flags, Mode::empty()).map_err(std::io::Error::from)?;
        let id = rustix::fs::fstat(&root).map_err(std::io::Error::from)?;
        let stamps = index.stamps()?;
        let stamp = |file| Some((stamps.get(file)?.inode, file));
        let mut inodes: Vec<_> = (0..stamps.end()).filter_map(stamp).collect();
        inodes.sort_unstable();
        let sources = Sources::new(&index, &snapshot)?;
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
            gone: Bits::none(snapshot.dirs()),
            listing: Listing::default(),
            inodes,
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
        let number = match inotify::add_watch(&self.reports, path, CHANGES) {
            Ok(number) => number as usize,
            Err(Errno::NOSPC) => {
                return Err(Error::WatchLimit(watch_limit()));
            }
            Err(Errno::NOMEM) => return Err(std::io::Error::from(Errno::NOMEM).into()),
            Err(_) => return Ok(false),
        };
        if self.watched.len() <= number {
            self.watched.resize(number + 1, NONE);
        }
        self.watched[number] = dir;
        Ok(true)
    }

    /// How many directories are watched.
    pub(super) fn dirs(&self) -> u64 {
        u64::from(self.gone.len() - self.gone.count())
    }

    /// Takes in what the system has reported up to now.
    pub(super) fn drain(&mut self) -> Result<Option<End>, Error> {
        // Others may go on changing files. Each report has 16 bytes or more.
        let queued = rustix::io::ioctl_fionread(&self.reports).map_err(std::io::Error::from)?;
        let mut left = queued / 16 + 1;
        let mut buffer = [const { MaybeUninit::uninit() }; REPORTS];
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

    fn take(&mut self, report: &Report) -> Result<Option<End>, Error> {
        let has = |what| report.what.contains(what);
        if has(ReadFlags::QUEUE_OVERFLOW) {
            self.lost = Some(Unknown::Lost);
            self.pass = None;
            return Ok(None);
        }
        let watched = self.watched.get(report.watch as usize);
        let Some(&dir) = watched.filter(|dir| **dir != NONE) else { return Ok(None) };
        let is_away = report.what.intersects(
            ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED | ReadFlags::UNMOUNT,
        );
        if is_away {
            if has(ReadFlags::IGNORED) {
                self.watched[report.watch as usize] = NONE;
            }
            if dir == 0 {
                return Ok(Some(End::RootGone));
            }
            return self.mark_gone(dir).map(|()| None);
        }
        let appears = ReadFlags::CREATE | ReadFlags::MOVED_TO;
        let moves = appears | ReadFlags::DELETE | ReadFlags::MOVED_FROM;
        if report.what.intersects(moves) || report.name.is_empty() {
            self.changes.add_dirs(dir..dir + 1);
        }
        if report.name.is_empty() {
            return Ok(None);
        }
        if let Some(source) = self.sources.find(dir, &report.name) {
            self.changes.sources.insert(source);
        }
        let named = self.listing.find(&self.snapshot, dir, &report.name)?;
        if let Some(file) = named.file {
            self.changes.files.insert(file);
        }
        if let Some(below) = named.dir {
            self.changes.add_dirs(below..below + 1);
            if report.what.intersects(moves) {
                self.mark_gone(below)?;
            }
        }
        if report.what.intersects(appears) && !has(ReadFlags::ISDIR) {
            self.note_links(dir, &report.name)?;
        }
        Ok(None)
    }

    /// Marks a directory that is no longer where it was, and all that was in it.
    pub(super) fn mark_gone(&mut self, dir: u32) -> Result<(), Error> {
        if self.gone.contains(dir) {
            return Ok(());
        }
        let end = self.snapshot.read(dir..dir + 1)?.get(dir).map_or(dir + 1, |dir| dir.end());
        let end = end.clamp(dir + 1, self.snapshot.dirs());
        let dirs = self.snapshot.read(dir..end)?;
        for below in (dir..end).filter_map(|dir| dirs.get(dir)) {
            for file in below.entries().filter_map(|entry| entry.file()) {
                self.changes.files.insert(file);
            }
        }
        self.changes.add_dirs(dir..end);
        self.gone.insert_all(dir..end);
        self.sources.mark_in(dir..end, &mut self.changes);
        Ok(())
    }

    /// Marks the files that a new name is another one for.
    fn note_links(&mut self, dir: u32, name: &[u8]) -> Result<(), Error> {
        let mut path = self.snapshot.dir_path(dir)?;
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        let Ok(stat) = statat(&self.root, &path[..], AtFlags::SYMLINK_NOFOLLOW) else {
            return Ok(());
        };
        if has_other_names(&stat) {
            let start = self.inodes.partition_point(|(inode, _)| *inode < stat.st_ino);
            for (_, file) in self.inodes[start..].iter().take_while(|(i, _)| *i == stat.st_ino) {
                self.changes.files.insert(*file);
            }
        }
        Ok(())
    }
}

impl Sources {
    fn new(index: &Index, snapshot: &Snapshot) -> Result<Sources, Error> {
        use std::os::unix::ffi::OsStrExt;
        let all = snapshot.sources()?;
        let mut numbers = BTreeMap::new();
        for (source, number) in all.iter().zip(0..) {
            let path = Path::new(std::ffi::OsStr::from_bytes(&source.path));
            let Ok(path) = path.strip_prefix(index.root()) else { continue };
            let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { continue };
            if let Some(dir) = snapshot.find(dir)? {
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
    fn mark_in(&self, dirs: std::ops::Range<u32>, changes: &mut Changes) {
        let range = (dirs.start, Vec::new())..(dirs.end, Vec::new());
        self.numbers.range(range).for_each(|(_, number)| changes.sources.insert(*number));
    }

    /// Marks the sources that are in none of the directories.
    fn mark_outside(&self, changes: &mut Changes) {
        changes.sources.insert_all(0..self.all.len() as u32);
        let mut inside = Bits::none(self.all.len() as u32);
        self.numbers.values().for_each(|number| inside.insert(*number));
        changes.sources = changes.sources.without(&inside);
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

/// Whether a file can be changed under another name.
pub(super) fn has_other_names(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_nlink > 1
}

/// The stamp in what the system reports.
pub(super) fn stamp_of(stat: &Stat) -> Stamp {
    // Types of fields depend on the architecture.
    #[allow(clippy::unnecessary_cast)]
    Stamp {
        inode: stat.st_ino as u64,
        size: stat.st_size as u64,
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        mode: stat.st_mode,
    }
}
