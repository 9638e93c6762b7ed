//! An edit, and the edits of a file.

use std::{
    collections::HashSet,
    fs::{self, File, Metadata},
    io::{self, BufRead, Read, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{Error, stamp::Stamp, sys};

/// From which length on the system copies what is between two edits, without buffers.
const SHORT_STRETCH_BYTES: u64 = 1 << 20;

/// Bytes of a file that are replaced: at the offset `at`, `new` takes the place of `old`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where the old bytes begin in the old file.
    pub at: u64,
    /// The old bytes. A file that has others there is refused.
    pub old: Vec<u8>,
    /// The new bytes.
    pub new: Vec<u8>,
}

impl Edit {
    /// Where the old bytes end in the old file.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.at + self.old.len() as u64
    }
}

/// The files and directories below which files may be written, without links.
#[derive(Clone, Debug)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Follows the links in `roots`. A root that does not exist contains nothing.
    ///
    /// # Errors
    /// A path cannot be followed.
    pub fn new(roots: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Roots, Error> {
        let mut real = Vec::new();
        for root in roots {
            let root = root.as_ref();
            match fs::canonicalize(root) {
                Ok(root) => real.push(root),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::failed(root, "cannot be followed", error)),
            }
        }
        Ok(Roots(real))
    }

    fn contains(&self, path: &Path) -> bool {
        self.0.iter().any(|root| path.starts_with(root))
    }
}

/// The edits of a file as it was when it was read.
#[derive(Clone, Debug)]
pub struct FileEdits {
    /// The path as messages and patches name it.
    pub(crate) shown: PathBuf,
    /// The file itself, if `shown` is a link.
    pub(crate) real: PathBuf,
    pub(crate) stamp: Stamp,
    /// The edits in the order of their places, without overlaps.
    pub(crate) edits: Vec<Edit>,
    /// When the new file is to seem to be written; `None` for the time at which it is.
    pub(crate) written: Option<SystemTime>,
}

impl FileEdits {
    /// The edits of the file at `path`, which had this metadata before its text was read. A file
    /// may be written if links lead to no place outside of `roots`, if it has no other name, and if
    /// it is not write-protected.
    ///
    /// # Errors
    /// The file may not be written, or the edits are in no order.
    pub fn new(
        path: &Path,
        metadata: &Metadata,
        roots: &Roots,
        edits: Vec<Edit>,
    ) -> Result<FileEdits, Error> {
        let real = fs::canonicalize(path)
            .map_err(|error| Error::failed(path, "cannot be examined", error))?;
        check(path, &real, metadata)?;
        if !roots.contains(&real) {
            let place = format!("it leads out of what is searched, to {}", real.display());
            return Err(Error::refused(path, place));
        }
        if edits.windows(2).any(|pair| pair[0].end() > pair[1].at) {
            return Err(Error::refused(path, "its edits overlap"));
        }
        let stamp = Stamp::of(metadata);
        Ok(FileEdits { shown: path.to_owned(), real, stamp, edits, written: None })
    }

    /// The path as messages and patches name it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shown
    }

    /// The path of the file itself, behind all links.
    #[must_use]
    pub fn real_path(&self) -> &Path {
        &self.real
    }

    /// The edits, in the order of their places.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Keeps the edits for whose index in [`edits`](FileEdits::edits) `is_kept` returns `true`.
    pub fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        let mut index = 0..;
        self.edits.retain(|_| index.next().is_some_and(&mut is_kept));
    }

    /// Opens the file, if it is still the one that was read.
    pub(crate) fn open(&self) -> Result<(File, Metadata), Error> {
        let failed = |error| Error::failed(&self.shown, "cannot be read", error);
        let file = sys::open_no_link(&self.real).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if Stamp::of(&metadata) != self.stamp {
            return Err(self.changed());
        }
        Ok((file, metadata))
    }

    /// The file is not the one that was read.
    pub(crate) fn changed(&self) -> Error {
        Error::refused(&self.shown, "it has changed since it was read")
    }
}

/// Sorts files by path, and keeps one of those that several paths lead to.
pub fn sort_files(files: &mut Vec<FileEdits>) {
    files.sort_by(|a, b| a.shown.cmp(&b.shown));
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.real.clone()));
}

/// Fails if the file at `real` may not be written, whatever is written.
pub(crate) fn check(path: &Path, real: &Path, metadata: &Metadata) -> Result<(), Error> {
    let refuse = |reason: &str| Err(Error::refused(path, reason));
    if !metadata.is_file() {
        return refuse("it is no regular file");
    }
    if sys::links(metadata) > 1 {
        return refuse("it has another name (a hard link), which would keep the old text");
    }
    if !sys::is_writable(real, metadata) {
        return refuse("it is write-protected");
    }
    Ok(())
}

/// Copies `old` to `new` with `edits`: `one beer` becomes `one tea`. The memory that this takes
/// does not depend on the length of the file.
///
/// # Errors
/// Reading or writing fails; with [`io::ErrorKind::InvalidData`], `old` has other bytes than an
/// edit states.
pub(crate) fn splice(
    old: &mut impl BufRead,
    edits: &[Edit],
    new: &mut impl Write,
) -> io::Result<()> {
    let mut at = 0;
    let mut replaced = Vec::new();
    for edit in edits {
        let len = edit.at - at;
        let is_other = || io::Error::from(io::ErrorKind::InvalidData);
        let copied = match len {
            0..SHORT_STRETCH_BYTES => copy_short(old, len, new)?,
            _ => io::copy(&mut old.take(len), new)?,
        };
        if copied != len {
            return Err(is_other());
        }
        replaced.clear();
        old.take(edit.old.len() as u64).read_to_end(&mut replaced)?;
        if replaced != edit.old {
            return Err(is_other());
        }
        new.write_all(&edit.new)?;
        at = edit.end();
    }
    io::copy(old, new).map(drop)
}

/// Copies `len` bytes through the buffers of both, where `io::copy` would have the system copy them
/// at once, in a few calls for each edit: a million edits of 27 MB take 0.55 s in place of 2.2 s.
/// Returns how many bytes there were.
fn copy_short(old: &mut impl BufRead, len: u64, new: &mut impl Write) -> io::Result<u64> {
    let mut left = len;
    while left > 0 {
        let bytes = match old.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let part = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if part == 0 {
            break;
        }
        new.write_all(&bytes[..part])?;
        old.consume(part);
        left -= part as u64;
    }
    Ok(len - left)
}
