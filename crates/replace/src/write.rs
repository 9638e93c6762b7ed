//! One file's new text: written beside the file, and put in its place at once.

use std::{
    fs::{self, FileTimes},
    io::{self, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{
    Error, FileEdits,
    edit::{check, splice},
    runs::temporary_name,
    stamp::Stamp,
    sys,
};

/// How much of a file is read or written by one system call.
const COPY_BYTES: usize = 128 << 10;

/// How many names are tried for a temporary file.
const MAX_NAME_ATTEMPTS: usize = 64;

/// What makes the names of temporary files different in one process.
static NEXT_NAME: AtomicU64 = AtomicU64::new(0);

/// A temporary file, which is removed unless it is renamed.
#[derive(Debug)]
struct TemporaryFile {
    path: PathBuf,
    is_renamed: bool,
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.is_renamed {
            // What cannot be removed is no worse than what could not be written.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The new text of a file, on the disk, in a temporary file beside it.
#[derive(Debug)]
pub(crate) struct Staged<'e> {
    edits: &'e FileEdits,
    temporary: TemporaryFile,
    /// The stamp that the new file will have.
    pub(crate) stamp: Stamp,
}

/// Writes the new text of a file beside it, with the owner, the mode and the attributes of the
/// file, and waits until it is on the disk. The name of the temporary file has the `tag` of the
/// change.
///
/// # Errors
/// The file has changed since it was read, may no longer be written, or the system fails. The
/// temporary file is removed then.
pub(crate) fn stage(edits: &FileEdits, tag: u64) -> Result<Staged<'_>, Error> {
    let shown = &edits.shown;
    let failed = |what| move |error| Error::failed(shown, what, error);
    let (old, metadata) = edits.open()?;
    check(shown, &edits.real, &metadata)?;
    let (path, new) =
        create_beside(&edits.real, tag).map_err(failed("cannot be written beside"))?;
    let temporary = TemporaryFile { path, is_renamed: false };
    let mut reader = BufReader::with_capacity(COPY_BYTES, &old);
    let mut writer = BufWriter::with_capacity(COPY_BYTES, &new);
    splice(&mut reader, &edits.edits, &mut writer).and_then(|()| writer.flush()).map_err(
        |error| match error.kind() {
            io::ErrorKind::InvalidData => edits.changed(),
            _ => Error::failed(shown, "cannot be copied", error),
        },
    )?;
    drop(writer);
    sys::keep_attributes(&old, &metadata, &new)
        .map_err(failed("its owner, mode or attributes cannot be kept"))?;
    if let Some(written) = edits.written {
        let times = FileTimes::new().set_modified(written);
        new.set_times(times).map_err(failed("its time cannot be set"))?;
    }
    new.sync_all().map_err(failed("cannot be written to the disk"))?;
    let metadata = new.metadata().map_err(failed("cannot be examined"))?;
    Ok(Staged { edits, temporary, stamp: Stamp::of(&metadata).without_change() })
}

impl Staged<'_> {
    /// Puts the new text in the place of the file, and returns the directory, whose names are then
    /// to be written to the disk.
    ///
    /// # Errors
    /// The file has changed since it was read, or the system fails. The file is the old one then.
    pub(crate) fn commit(mut self) -> Result<PathBuf, Error> {
        let (shown, real) = (&self.edits.shown, &self.edits.real);
        let now = fs::symlink_metadata(real)
            .map_err(|error| Error::failed(shown, "cannot be examined", error))?;
        if Stamp::of(&now) != self.edits.stamp {
            return Err(self.edits.changed());
        }
        fs::rename(&self.temporary.path, real)
            .map_err(|error| Error::failed(shown, "cannot be replaced", error))?;
        self.temporary.is_renamed = true;
        Ok(real.parent().unwrap_or(Path::new("/")).to_owned())
    }
}

/// Creates a file in the directory of `path`, with a name that `tag` begins.
fn create_beside(path: &Path, tag: u64) -> io::Result<(PathBuf, fs::File)> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..MAX_NAME_ATTEMPTS {
        // Ordering: Relaxed, because the number publishes nothing; each is handed out once.
        let number = NEXT_NAME.fetch_add(1, Ordering::Relaxed);
        let name = path.with_file_name(temporary_name(tag, number));
        match sys::create_private(&name) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}
