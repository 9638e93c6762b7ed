//! Names that appear in the tree, and may belong to files that have other names too.
//!
//! The system does not report in the directory of a file that the file gets another name. So each
//! name that appears in the tree is looked up, also in directories newer than the snapshot, which
//! are watched for that.

use std::{collections::BTreeSet, os::fd::AsRawFd};

use heist_index::{Dir, EntryKind};
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, FileType, Mode, OFlags, fstat, inotify::WatchFlags, openat, statat},
    io::Errno,
};

use super::tree::Tree;
use crate::error::Error;

/// What brings names into a directory. Other changes there are of no interest.
const NAME_CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ONLYDIR)
    // It may be watched for more.
    .union(WatchFlags::MASK_ADD);

impl Tree {
    /// Takes in that a name has appeared in the directory of a watch, which the snapshot may not
    /// have.
    pub(super) fn note_name(
        &mut self,
        watch: i32,
        dir: Option<u32>,
        name: &[u8],
        is_dir: bool,
    ) -> Result<(), Error> {
        let above = match (self.links.place(watch), dir) {
            (Some(path), _) => path.clone(),
            (None, Some(dir)) => self.snapshot.dir_path(dir)?,
            (None, None) => return Ok(()),
        };
        let path = join(&above, name);
        if is_dir {
            return self.enter(path);
        }
        let stat = statat(&self.root, &path[..], AtFlags::SYMLINK_NOFOLLOW);
        if let Ok(stat) = &stat {
            self.links.mark(stat, &mut self.changes);
        }
        let Some(dir) = dir else { return Ok(()) };
        self.links.add_name(dir, name);
        if stat.is_err() {
            // It has gone again. Mostly, what has several names has them in one directory.
            self.mark_files_in(dir..dir + 1)?;
        }
        Ok(())
    }

    /// Takes in a write through a name that the snapshot does not have. Unless it has appeared
    /// since, it may be a removed name of any file.
    pub(super) fn note_write(&mut self, dir: u32, name: &[u8]) -> Result<(), Error> {
        if self.links.add_name(dir, name) {
            self.mark_files_in(dir..dir + 1)?;
            self.sources.mark_in(dir..dir + 1, &mut self.changes);
        }
        Ok(())
    }

    /// Watches the directories in one of the snapshot that the snapshot does not have.
    pub(super) fn enter_new(&mut self, path: &[u8], dir: Dir<'_>) -> Result<(), Error> {
        let dirs = dir.entries().filter(|entry| entry.kind() == EntryKind::Dir);
        let known: BTreeSet<&[u8]> = dirs.map(|entry| entry.name()).collect();
        let Some(entries) = self.list(path) else { return Ok(()) };
        for entry in entries {
            let name = entry.file_name().to_bytes();
            if !known.contains(name) && self.is_dir(path, &entry) {
                self.enter(join(path, name))?;
            }
        }
        Ok(())
    }

    /// Watches a directory that has appeared or moved, and all below it, for names of known files.
    fn enter(&mut self, path: Vec<u8>) -> Result<(), Error> {
        let mut paths = vec![path];
        while let Some(path) = paths.pop() {
            let Ok(opened) = self.open_dir(&path) else { continue };
            let is_inside = fstat(&opened).is_ok_and(|stat| stat.st_dev == self.id.0);
            if !is_inside {
                continue;
            }
            let own = format!("/proc/self/fd/{}", opened.as_raw_fd());
            let Some(watch) = self.add_watch(&own, NAME_CHANGES)? else { continue };
            self.links.set_place(watch, path.clone());
            for entry in self.list(&path).into_iter().flatten() {
                let below = join(&path, entry.file_name().to_bytes());
                if self.is_dir(&path, &entry) {
                    paths.push(below);
                } else if let Ok(stat) = statat(&self.root, &below[..], AtFlags::SYMLINK_NOFOLLOW) {
                    self.links.mark(&stat, &mut self.changes);
                }
            }
        }
        Ok(())
    }

    /// Opens a directory to list it.
    pub(super) fn open_dir(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = if path.is_empty() { b"." } else { path };
        openat(&self.root, path, flags, Mode::empty())
    }

    /// The entries of a directory, as far as they can be read.
    fn list(&self, path: &[u8]) -> Option<impl Iterator<Item = fs::DirEntry> + use<>> {
        let dir = fs::Dir::new(self.open_dir(path).ok()?).ok()?;
        let is_other = |entry: &fs::DirEntry| !matches!(entry.file_name().to_bytes(), b"." | b"..");
        Some(dir.map_while(Result::ok).filter(is_other))
    }

    fn is_dir(&self, above: &[u8], entry: &fs::DirEntry) -> bool {
        match entry.file_type() {
            FileType::Unknown => {
                let path = join(above, entry.file_name().to_bytes());
                statat(&self.root, &path[..], AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
            }
            file_type => file_type == FileType::Directory,
        }
    }
}

/// The path of an entry.
pub(super) fn join(above: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = above.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
