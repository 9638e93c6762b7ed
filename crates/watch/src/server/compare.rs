//! A pass over the tree: every directory is watched, and it and its files are compared with the
//! index. If a directory's metadata changes later, it is compared once more.

use std::{
    os::fd::AsRawFd,
    time::{Duration, Instant},
};

use heist_index::{Dirs, Stamp};
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, Mode, OFlags, fstat, openat, statat},
    io::Errno,
};

use super::{
    links::has_other_names,
    names::join,
    pass::Pass,
    tree::{Tree, stamp_of},
};
use crate::error::Error;

/// Directories that are read from the snapshot at once.
const DIRS_PER_CHUNK: u32 = 64;

impl Tree {
    /// Goes on with a pass for about so long. Returns whether it has ended.
    pub(super) fn pass_for(&mut self, time: Duration) -> Result<bool, Error> {
        let started = Instant::now();
        let Some(mut pass) = self.pass.take() else { return Ok(true) };
        while pass.next < self.snapshot.dirs() {
            let chunk = pass.next..self.snapshot.dirs().min(pass.next + DIRS_PER_CHUNK);
            let dirs = self.snapshot.read(chunk.clone())?;
            for dir in chunk {
                self.compare(&mut pass, &dirs, dir)?;
            }
            if started.elapsed() >= time {
                break;
            }
        }
        pass.took += started.elapsed();
        if pass.next < self.snapshot.dirs() {
            self.pass = Some(pass);
            return Ok(false);
        }
        self.pass_took = pass.took;
        self.lost = None;
        Ok(true)
    }

    /// Watches a directory, and compares it and its files.
    fn compare(&mut self, pass: &mut Pass, dirs: &Dirs, number: u32) -> Result<(), Error> {
        pass.next = number + 1;
        let Some(dir) = dirs.get(number) else { return Ok(()) };
        let is_named = pass.path.enter(number);
        pass.path.push(number, dir);
        if self.is_gone(number) {
            return Ok(());
        }
        let Some(opened) = is_named.then(|| self.open(pass.path.of_current())).flatten() else {
            return self.mark_gone(number);
        };
        // The directory that is open, not what has this name by now.
        if !self.watch(number, &format!("/proc/self/fd/{}", opened.as_raw_fd()))? {
            return self.mark_gone(number);
        }
        let Ok(stat) = fstat(&opened) else { return self.mark_gone(number) };
        if stat.st_dev != self.id.0 {
            return self.mark_gone(number);
        }
        if stamp_of(&stat) != dir.stamp() {
            self.changes.add_dirs(number..number + 1);
        }
        if self.changes.has_dir(number) {
            self.enter_new(pass.path.of_current(), dir)?;
        }
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        for entry in dir.entries() {
            let Some(file) = entry.file() else { continue };
            let is_same = statat(&opened, entry.name(), flags).is_ok_and(|stat| {
                pass.stamps.get(file) == Some(stamp_of(&stat)) && !has_other_names(&stat)
            });
            if !is_same {
                self.changes.add_file(file);
            }
        }
        for (name, source) in self.sources.in_dir(number) {
            let then = self.sources.all[source as usize].stamp;
            let is_same = match (statat(&opened, name, flags), then) {
                (Ok(stat), Some(then)) => stamp_of(&stat) == then && !has_other_names(&stat),
                (Err(Errno::NOENT), None) => true,
                _ => false,
            };
            if !is_same {
                self.changes.add_source(source);
            }
        }
        Ok(())
    }

    /// Takes in that the metadata of a directory has changed. Others may enter it now, which what
    /// lies in it depends on, unless its mode is the one that it had and this process can enter it.
    pub(super) fn note_metadata(&mut self, number: u32) -> Result<(), Error> {
        let then = self.snapshot.read(number..number + 1)?.get(number).map(|dir| dir.stamp());
        // Without permission to search the directory, this fails.
        let path = join(&self.snapshot.dir_path(number)?, b".");
        let now = self.open_dir(&path).and_then(fstat).map(|stat| stamp_of(&stat));
        let is_same = |now: Stamp, then: Stamp| (now.inode, now.mode) == (then.inode, then.mode);
        match (now, then) {
            (Ok(now), Some(then)) if is_same(now, then) => {
                self.changes.add_dirs(number..number + 1);
                Ok(())
            }
            _ => self.mark_all_in(number),
        }
    }

    /// Opens a directory by its path from the root.
    fn open(&self, path: &[u8]) -> Option<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = if path.is_empty() { b"." } else { path };
        openat(&self.root, path, flags, Mode::empty()).ok()
    }
}
