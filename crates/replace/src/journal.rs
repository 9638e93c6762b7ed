//! What is needed to put the old text back: a directory for each change.
//!
//! The directory of a change has the name of its number. In it, `edits` has the files and their
//! edits, and is on the disk before a file changes; `marks` has the stamp of each new file, before
//! that takes the place of the old one. So each file is recognized, even if the run was killed: the
//! one with the stamp in `marks` is the new one, and any other is not. A file beside the directory
//! is locked while the change is made ([`runs`]).

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Read as _, Write},
    path::{self, Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use crate::{
    Edit, Error, FileEdits,
    runs::{self, Run},
    stamp::Stamp,
    sys,
};

/// How a file of edits begins.
const JOURNAL_MAGIC: &[u8; 16] = b"heist-change-1\n\0";

/// How many changes are kept.
const MAX_KEPT_CHANGES: usize = 100;

/// The most bytes of all changes before the last one.
const MAX_KEPT_BYTES: u64 = 256 << 20;

/// How many numbers are tried for a change, while other processes take some.
const MAX_NUMBER_ATTEMPTS: u64 = 64;

/// The bytes of a mark: a file's number, and a stamp without the change.
const MARK_BYTES: usize = 48;

/// The directory with the journals of all changes.
#[derive(Clone, Debug)]
pub struct ChangeLog {
    dir: PathBuf,
}

/// A change that can be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the change. Later changes have larger ones.
    pub number: u64,
    /// How many files it was to change.
    pub files: usize,
    /// How many edits these have.
    pub edits: usize,
    /// The first of the files.
    pub first: PathBuf,
}

/// The journal of a change that is being made.
#[derive(Debug)]
pub struct Journal {
    log: ChangeLog,
    dir: PathBuf,
    marks: Option<File>,
    run: Run,
}

/// A file as a journal has it.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) path: PathBuf,
    pub(crate) old: Stamp,
    pub(crate) edits: Vec<Edit>,
    /// The stamp of the new file, if one was written.
    pub(crate) new: Option<Stamp>,
}

impl ChangeLog {
    /// The journals in the directory at `dir`, which need not exist. A relative path is one of the
    /// directory that is the current one now.
    #[must_use]
    pub fn new(dir: PathBuf) -> ChangeLog {
        ChangeLog { dir: path::absolute(&dir).unwrap_or(dir) }
    }

    /// The journals of the user in this environment, in which `variable` returns the value of a
    /// variable; `None` if there is no place for them.
    ///
    /// ```
    /// use heist_replace::ChangeLog;
    ///
    /// let log = ChangeLog::of_user(|name| (name == "XDG_STATE_HOME").then(|| "state".into()));
    /// assert!(log.is_none(), "a relative path is no place");
    /// ```
    #[must_use]
    pub fn of_user(variable: impl Fn(&str) -> Option<OsString>) -> Option<ChangeLog> {
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let usual = || match cfg!(windows) {
            true => absolute("LOCALAPPDATA"),
            false => absolute("HOME").map(|home| home.join(".local").join("state")),
        };
        let state = absolute("XDG_STATE_HOME").or_else(usual)?;
        Some(ChangeLog::new(state.join("heist").join("changes")))
    }

    /// Begins the journal of a change. Old ones are removed if there are more than 100, or if they
    /// have more than 256 MiB, and so are the temporary files of runs that were killed.
    ///
    /// # Errors
    /// The directory cannot be read or written.
    pub fn begin(&self) -> Result<Journal, Error> {
        let failed = |error| Error::failed(&self.dir, "cannot be made for the journal", error);
        create_dirs(&self.dir).map_err(failed)?;
        // One process at a time chooses a number, and removes what is old.
        let _lock = self.lock();
        self.sweep()?;
        self.remove_old()?;
        let next = self.numbers()?.last().map_or(1, |last| last + 1);
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in next..next + MAX_NUMBER_ATTEMPTS {
            let dir = self.dir.join(number.to_string());
            match sys::create_private_dir(&dir) {
                Ok(()) => {
                    let run = Run::begin(&self.dir, number).map_err(failed)?;
                    return Ok(Journal { log: self.clone(), dir, marks: None, run });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(last))
    }

    /// Removes the temporary files that runs have left which were killed.
    ///
    /// # Errors
    /// The directory of the journals cannot be read.
    pub fn sweep(&self) -> Result<(), Error> {
        let failed = |error| Error::failed(&self.dir, "cannot be read", error);
        for left in runs::left(&self.dir).map_err(failed)? {
            // A journal that was not written to its end has staged nothing.
            let files = self.recorded(left.number()).unwrap_or_default();
            left.remove(files.iter().map(|file| file.path.as_path()));
        }
        Ok(())
    }

    /// Waits until no other process renames files or begins a change, as long as the result lives.
    /// `None` if the file system has no locks.
    fn lock(&self) -> Option<File> {
        let lock = File::options().create(true).append(true).open(self.dir.join("lock")).ok()?;
        lock.lock().ok().map(|()| lock)
    }

    /// All changes, the oldest first.
    ///
    /// # Errors
    /// The directory or a journal cannot be read.
    pub fn changes(&self) -> Result<Vec<Change>, Error> {
        let mut changes = Vec::new();
        for number in self.numbers()? {
            let files = self.read(number)?;
            let Some(first) = files.first() else { continue };
            changes.push(Change {
                number,
                files: files.len(),
                edits: files.iter().map(|file| file.edits.len()).sum(),
                first: first.path.clone(),
            });
        }
        Ok(changes)
    }

    /// The files of a change without the stamps of the new ones; none if it was killed before its
    /// journal was begun.
    fn recorded(&self, number: u64) -> Result<Vec<Recorded>, Error> {
        let dir = self.dir.join(number.to_string());
        let edits = dir.join("edits");
        match fs::read(&edits) {
            Ok(bytes) => {
                decode(&bytes).ok_or_else(|| Error::refused(&edits, "it is no journal, or damaged"))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && dir.is_dir() => Ok(Vec::new()),
            Err(error) => Err(Error::failed(&edits, "cannot be read", error)),
        }
    }

    /// The files of a change; none if it was killed before one could have changed.
    pub(crate) fn read(&self, number: u64) -> Result<Vec<Recorded>, Error> {
        let dir = self.dir.join(number.to_string());
        let marks = dir.join("marks");
        let mut marks = match fs::read(&marks) {
            Ok(marks) => marks,
            Err(error) if error.kind() == io::ErrorKind::NotFound && dir.is_dir() => Vec::new(),
            Err(error) => return Err(Error::failed(&marks, "cannot be read", error)),
        };
        if marks.is_empty() {
            return Ok(Vec::new());
        }
        let mut files = self.recorded(number)?;
        // A mark that was not written to its end has not been used.
        marks.truncate(marks.len() / MARK_BYTES * MARK_BYTES);
        for mark in marks.chunks_exact(MARK_BYTES) {
            let mut mark = Bytes(mark);
            let Some(index) = mark.number() else { continue };
            let stamp = mark.stamp();
            if let Some(file) = usize::try_from(index).ok().and_then(|at| files.get_mut(at)) {
                file.new = stamp;
            }
        }
        Ok(files)
    }

    /// The numbers of all journals, in order.
    pub(crate) fn numbers(&self) -> Result<Vec<u64>, Error> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::failed(&self.dir, "cannot be read", error)),
        };
        let mut numbers: Vec<u64> = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| Error::failed(&self.dir, "cannot be read", error))?;
            numbers.extend(entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Removes the oldest changes that exceed the limits.
    fn remove_old(&self) -> Result<(), Error> {
        let numbers = self.numbers()?;
        let mut bytes = 0;
        for (newer, number) in numbers.iter().rev().enumerate() {
            let dir = self.dir.join(number.to_string());
            let len = |name| dir.join(name).metadata().map_or(0, |metadata| metadata.len());
            bytes += len("edits") + len("marks");
            if newer > 0 && (newer + 1 >= MAX_KEPT_CHANGES || bytes > MAX_KEPT_BYTES) {
                // One that another process has just removed is gone.
                let _ = fs::remove_dir_all(dir);
            }
        }
        Ok(())
    }
}

impl Journal {
    /// Writes the edits of `files` to the disk.
    pub(crate) fn begin(&mut self, files: &[FileEdits]) -> Result<(), Error> {
        let path = self.dir.join("edits");
        let written = sys::create_private(&path).and_then(|file| {
            let mut out = BufWriter::new(&file);
            encode(files, &mut out)?;
            out.flush()?;
            drop(out);
            file.sync_all()
        });
        written.map_err(|error| Error::failed(&path, "cannot be written", error))?;
        let path = self.dir.join("marks");
        let created = sys::create_private(&path);
        self.marks =
            Some(created.map_err(|error| Error::failed(&path, "cannot be written", error))?);
        let parent = self.dir.parent().unwrap_or(&self.dir);
        for dir in [&*self.dir, parent] {
            let failed = |error| Error::failed(dir, "cannot be written to the disk", error);
            sys::sync_dir(dir).map_err(failed)?;
        }
        Ok(())
    }

    /// Writes to the disk which stamps new files will have, with their indexes.
    pub(crate) fn mark(
        &mut self,
        stamps: impl Iterator<Item = (usize, Stamp)>,
    ) -> Result<(), Error> {
        let mut bytes = Vec::new();
        for (index, stamp) in stamps {
            put(index as u64, &mut bytes);
            put_stamp(stamp, &mut bytes);
        }
        let Some(marks) = &mut self.marks else { return Ok(()) };
        let written = marks.write_all(&bytes).and_then(|()| marks.sync_data());
        written.map_err(|error| Error::failed(&self.dir.join("marks"), "cannot be written", error))
    }

    /// Waits until no other process replaces files, as long as the result lives, so that no change
    /// of another run is lost between the last look at a file and its rename.
    pub(crate) fn lock(&self) -> Option<File> {
        self.log.lock()
    }

    /// What the names of the temporary files of this change have in common.
    pub(crate) fn tag(&self) -> u64 {
        self.run.tag()
    }

    /// The number of the change, by which [`undo`](crate::undo) puts it back.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.dir.file_name()?.to_str()?.parse().ok()
    }

    /// Removes the journal of a change that has changed nothing.
    pub fn discard(self) {
        self.remove();
    }

    /// Removes the files of the journal.
    pub(crate) fn remove(&self) {
        // What remains is removed later with other old ones.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Recorded {
    /// The edits that put the old text back.
    pub(crate) fn inverse(&self, stamp: Stamp) -> FileEdits {
        let mut shift = 0i64;
        let inverse = |edit: &Edit| {
            let at = edit.at.wrapping_add_signed(shift);
            shift += edit.new.len().cast_signed() as i64 - edit.old.len().cast_signed() as i64;
            Edit { at, old: edit.new.clone(), new: edit.old.clone() }
        };
        let (seconds, nanoseconds) = self.old.written;
        let beyond = Duration::from_nanos(nanoseconds.unsigned_abs());
        let written = match seconds {
            0.. => UNIX_EPOCH.checked_add(Duration::from_secs(seconds.unsigned_abs())),
            _ => UNIX_EPOCH.checked_sub(Duration::from_secs(seconds.unsigned_abs())),
        };
        FileEdits {
            shown: self.path.clone(),
            real: self.path.clone(),
            stamp,
            edits: self.edits.iter().map(inverse).collect(),
            written: written.and_then(|it| it.checked_add(beyond)),
        }
    }
}

/// Creates a directory and those above it, and writes to the disk that they are there.
fn create_dirs(dir: &Path) -> io::Result<()> {
    match sys::create_private_dir(dir) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {
            return Ok(());
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let Some(parent) = dir.parent() else { return Err(error) };
            create_dirs(parent)?;
            return create_dirs(dir);
        }
        Err(error) => return Err(error),
    }
    sys::sync_dir(dir.parent().unwrap_or(dir))
}

fn put(number: u64, out: &mut Vec<u8>) {
    out.extend(number.to_le_bytes());
}

fn put_stamp(stamp: Stamp, out: &mut Vec<u8>) {
    for number in [stamp.device, stamp.inode, stamp.len] {
        put(number, out);
    }
    put(stamp.written.0.cast_unsigned(), out);
    put(stamp.written.1.cast_unsigned(), out);
}

fn encode(files: &[FileEdits], out: &mut impl Write) -> io::Result<()> {
    out.write_all(JOURNAL_MAGIC)?;
    let mut head = Vec::new();
    for file in files {
        let path = path_bytes(&file.real);
        head.clear();
        put(path.len() as u64, &mut head);
        head.extend_from_slice(path);
        put_stamp(file.stamp, &mut head);
        put(file.edits.len() as u64, &mut head);
        out.write_all(&head)?;
        for edit in &file.edits {
            head.clear();
            put(edit.at, &mut head);
            put(edit.old.len() as u64, &mut head);
            put(edit.new.len() as u64, &mut head);
            out.write_all(&head)?;
            out.write_all(&edit.old)?;
            out.write_all(&edit.new)?;
        }
    }
    Ok(())
}

fn decode(bytes: &[u8]) -> Option<Vec<Recorded>> {
    let mut bytes = Bytes(bytes.strip_prefix(JOURNAL_MAGIC)?);
    let mut files = Vec::new();
    while !bytes.0.is_empty() {
        let path = path_of(bytes.text()?)?;
        let old = bytes.stamp()?;
        let mut edits = Vec::new();
        for _ in 0..bytes.number()? {
            let (at, old, new) = (bytes.number()?, bytes.number()?, bytes.number()?);
            let (old, new) = (bytes.take(old)?.to_vec(), bytes.take(new)?.to_vec());
            edits.push(Edit { at, old, new });
        }
        files.push(Recorded { path, old, edits, new: None });
    }
    Some(files)
}

/// What remains of encoded bytes.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, len: u64) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(len).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = [0; 8];
        self.take(8)?.read_exact(&mut number).ok()?;
        Some(u64::from_le_bytes(number))
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let len = self.number()?;
        self.take(len)
    }

    fn stamp(&mut self) -> Option<Stamp> {
        let (device, inode, len) = (self.number()?, self.number()?, self.number()?);
        let written = (self.number()?.cast_signed(), self.number()?.cast_signed());
        Some(Stamp { device, inode, len, written, changed: (0, 0) })
    }
}

fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere, not all bytes are a path")]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(std::str::from_utf8(bytes).ok()?))
}
