//! A disk that keeps only what was synced, and any part of the rest.
//!
//! What the model assumes:
//!
//! - What `fsync` and `fdatasync` of a file have reported as written, its bytes and its length,
//!   stays. Of what was written later, any beginning is there, or its length with zeros in place of
//!   bytes.
//! - `fsync` of a directory writes the names in it. `fsync` of a file writes no name, not even its
//!   own, although many file systems do.
//! - Each name that was created, renamed or removed since the last `fsync` of its directory may be
//!   there or not, whatever happened to other names, before or later. A rename happens as a whole.
//! - Modes, owners, attributes and times of files are as they are.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::recorded::Call;
use crate::harness::random::{Choose, Rng};

/// The bytes of a file, those in memory and those on the disk.
#[derive(Clone, Debug, Default)]
struct Inode {
    text: Vec<u8>,
    synced: Vec<u8>,
    /// The number of the inode, once a call has shown it.
    number: u64,
    modified: (u64, u32),
}

/// A change of names that may be on the disk.
#[derive(Clone, Debug)]
enum Naming {
    File(PathBuf, usize),
    Dir(PathBuf),
    Rename(PathBuf, PathBuf, usize),
    Removal(PathBuf),
}

impl Naming {
    /// Whether `dir` contains a name that changes.
    fn is_in(&self, dir: &Path) -> bool {
        let (Naming::File(path, _)
        | Naming::Dir(path)
        | Naming::Removal(path)
        | Naming::Rename(path, ..)) = self;
        path.parent() == Some(dir)
    }
}

/// The names of files and directories.
#[derive(Clone, Debug, Default)]
struct Names {
    files: BTreeMap<PathBuf, usize>,
    dirs: BTreeSet<PathBuf>,
}

impl Names {
    fn apply(&mut self, naming: &Naming) {
        match naming {
            Naming::File(path, inode) => {
                self.files.insert(path.clone(), *inode);
            }
            Naming::Dir(path) => {
                self.dirs.insert(path.clone());
            }
            Naming::Rename(from, to, inode) => {
                self.files.remove(from);
                self.files.insert(to.clone(), *inode);
            }
            Naming::Removal(path) => {
                self.files.remove(path);
                self.dirs.remove(path);
            }
        }
    }
}

/// A file of a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kept {
    pub(super) text: Vec<u8>,
    /// The number of its inode in the run.
    pub(super) inode: u64,
    pub(super) modified: (u64, u32),
}

/// What is on the disk when it starts again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) files: BTreeMap<PathBuf, Kept>,
    pub(super) dirs: BTreeSet<PathBuf>,
    /// The numbers of all inodes that there have been.
    pub(super) inodes: BTreeSet<u64>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (path, file) in &self.files {
            let beginning = &file.text[..file.text.len().min(60)];
            let shown = String::from_utf8_lossy(beginning);
            writeln!(f, "{}: {} bytes, {shown:?}", path.display(), file.text.len())?;
        }
        Ok(())
    }
}

/// What a descriptor stands for.
#[derive(Clone, Debug)]
enum Open {
    Dir(PathBuf),
    File { inode: usize, at: usize },
}

/// Files and directories, in memory and on the disk.
#[derive(Debug)]
pub(super) struct Disk {
    top: Vec<PathBuf>,
    inodes: Vec<Inode>,
    names: Names,
    synced: Names,
    pending: Vec<Naming>,
    open: BTreeMap<u64, Open>,
}

impl Disk {
    /// The directories at `top` as they are, all on the disk.
    pub(super) fn of(top: &[PathBuf]) -> Disk {
        let mut disk = Disk {
            top: top.to_vec(),
            inodes: Vec::new(),
            names: Names::default(),
            synced: Names::default(),
            pending: Vec::new(),
            open: BTreeMap::new(),
        };
        let mut dirs = top.to_vec();
        while let Some(dir) = dirs.pop() {
            disk.names.dirs.insert(dir.clone());
            for entry in fs::read_dir(&dir).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    dirs.push(path);
                    continue;
                }
                let text = fs::read(&path).expect("a file");
                let metadata = fs::metadata(&path).expect("a file");
                let modified =
                    (metadata.mtime().cast_unsigned(), nanoseconds(metadata.mtime_nsec()));
                disk.names.files.insert(path, disk.inodes.len());
                let (synced, number) = (text.clone(), metadata.ino());
                disk.inodes.push(Inode { text, synced, number, modified });
            }
        }
        disk.synced = disk.names.clone();
        disk
    }

    /// Does what a call has done. Returns whether that has changed what can be on the disk.
    pub(super) fn apply(&mut self, call: &Call) -> bool {
        match call.name.as_str() {
            "openat" => self.open(call),
            "close" => {
                self.open.remove(&call.fd(0).unwrap_or(u64::MAX));
                false
            }
            "read" => {
                self.advance(call.fd(0), call.result);
                false
            }
            "write" => call.bytes(1).is_some_and(|bytes| self.write(call.fd(0), &bytes)),
            "copy_file_range" => self.copy(call.fd(0), call.fd(2), call),
            "sendfile" => self.copy(call.fd(1), call.fd(0), call),
            "lseek" => {
                if let Some(Open::File { at, .. }) = self.opened(call.fd(0)) {
                    *at = usize::try_from(call.result).expect("an offset");
                }
                false
            }
            "mkdir" => self.name(call.path(0).map(Naming::Dir)),
            "unlink" | "rmdir" => self.name(call.path(0).map(Naming::Removal)),
            "unlinkat" => self.name(call.path(1).map(Naming::Removal)),
            "rename" => {
                let (from, to) = (call.path(0).expect("a path"), call.path(1).expect("a path"));
                assert_eq!(from.parent(), to.parent(), "a rename within a directory");
                let inode = self.names.files[&from];
                self.name(Some(Naming::Rename(from, to, inode)))
            }
            "fsync" | "fdatasync" => self.sync(call.fd(0)),
            "statx" | "fstat" | "newfstatat" => {
                self.examine(call);
                false
            }
            other => panic!("the model does not know {other}: {call:?}"),
        }
    }

    fn opened(&mut self, fd: Option<u64>) -> Option<&mut Open> {
        self.open.get_mut(&fd?)
    }

    fn open(&mut self, call: &Call) -> bool {
        let Some(path) = call.path(1) else { return false };
        self.open.remove(&call.result);
        if !self.top.iter().any(|top| path.starts_with(top)) {
            return false;
        }
        let flags = &call.args[2];
        if self.names.dirs.contains(&path) {
            self.open.insert(call.result, Open::Dir(path));
            return false;
        }
        let known = self.names.files.get(&path).copied();
        let is_new = known.is_none();
        if is_new {
            assert!(flags.contains("O_CREAT"), "{} is not known", path.display());
            self.inodes.push(Inode::default());
            self.name(Some(Naming::File(path, self.inodes.len() - 1)));
        }
        let inode = known.unwrap_or(self.inodes.len() - 1);
        let is_truncated = flags.contains("O_TRUNC");
        if is_truncated {
            self.inodes[inode].text.clear();
        }
        let at = if flags.contains("O_APPEND") { self.inodes[inode].text.len() } else { 0 };
        self.open.insert(call.result, Open::File { inode, at });
        is_new || is_truncated
    }

    fn name(&mut self, naming: Option<Naming>) -> bool {
        let naming = naming.expect("a path");
        self.names.apply(&naming);
        self.pending.push(naming);
        true
    }

    fn advance(&mut self, fd: Option<u64>, bytes: u64) {
        if let Some(Open::File { at, .. }) = self.opened(fd) {
            *at += usize::try_from(bytes).expect("a length");
        }
    }

    fn write(&mut self, fd: Option<u64>, bytes: &[u8]) -> bool {
        let Some(&mut Open::File { inode, ref mut at }) = self.opened(fd) else { return false };
        let start = *at;
        *at += bytes.len();
        let text = &mut self.inodes[inode].text;
        text.resize(text.len().max(start + bytes.len()), 0);
        text[start..start + bytes.len()].copy_from_slice(bytes);
        true
    }

    fn copy(&mut self, from: Option<u64>, to: Option<u64>, call: &Call) -> bool {
        let Some(&mut Open::File { inode, at }) = self.opened(from) else { return false };
        let end = at + usize::try_from(call.result).expect("a length");
        let bytes = self.inodes[inode].text[at..end].to_vec();
        self.advance(from, call.result);
        !bytes.is_empty() && self.write(to, &bytes)
    }

    fn sync(&mut self, fd: Option<u64>) -> bool {
        match self.opened(fd).cloned() {
            Some(Open::File { inode, .. }) => {
                let inode = &mut self.inodes[inode];
                inode.synced.clone_from(&inode.text);
            }
            Some(Open::Dir(dir)) => {
                let pending = std::mem::take(&mut self.pending);
                for naming in pending {
                    match naming.is_in(&dir) {
                        true => self.synced.apply(&naming),
                        false => self.pending.push(naming),
                    }
                }
            }
            None => return false,
        }
        true
    }

    /// Notes the number and the time that a call has shown.
    fn examine(&mut self, call: &Call) {
        let of_path = call.path(1).and_then(|path| self.names.files.get(&path).copied());
        let inode = match (of_path, self.opened(call.fd(0))) {
            (Some(inode), _) | (None, Some(&mut Open::File { inode, .. })) => inode,
            _ => return,
        };
        let Some(number) = call.field("stx_ino=") else { return };
        let seconds = call.field("stx_mtime={tv_sec=").expect("a time");
        let all = call.args.join(",");
        let (_, behind) = all.split_once("stx_mtime={").expect("a time");
        let (_, behind) = behind.split_once("tv_nsec=").expect("a time");
        let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
        let inode = &mut self.inodes[inode];
        inode.number = number;
        inode.modified = (seconds, digits.parse().expect("a number"));
    }

    /// What the disk has if power is lost now. Each thing that it need not have done, it has done
    /// in `percent` of a hundred cases.
    pub(super) fn lose(&self, rng: &mut Rng, percent: u32) -> State {
        let mut names = self.synced.clone();
        for naming in &self.pending {
            if rng.chance(percent) {
                names.apply(naming);
            }
        }
        // What is in a directory that is not there is not there either.
        let is_reached = |path: &Path| {
            path.ancestors()
                .skip(1)
                .take_while(|dir| self.top.iter().any(|top| dir.starts_with(top)))
                .all(|dir| names.dirs.contains(dir))
        };
        let mut files = BTreeMap::new();
        for (path, &inode) in names.files.iter().filter(|(path, _)| is_reached(path)) {
            let Inode { text, synced, number, modified } = &self.inodes[inode];
            let mut text = if rng.chance(percent) { text } else { synced }.clone();
            if text != *synced && percent < 100 && rng.bool() {
                // Files are written from their beginning to their end.
                let end = rng.usize(synced.len().min(text.len())..=text.len());
                match rng.bool() {
                    true => text.truncate(end),
                    false => text[end..].fill(0),
                }
            }
            files.insert(path.clone(), Kept { text, inode: *number, modified: *modified });
        }
        let dirs = names.dirs.iter().filter(|dir| is_reached(dir)).cloned().collect();
        let inodes = self.inodes.iter().map(|inode| inode.number).collect();
        State { files, dirs, inodes }
    }
}

fn nanoseconds(number: i64) -> u32 {
    u32::try_from(number).expect("less than a second")
}
