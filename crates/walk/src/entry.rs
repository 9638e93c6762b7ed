//! Entries as visitors receive them: enough to print a path and to open a file, without any
//! allocation until a visitor wants one.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use heist_filter::path_bytes::{is_separator, path_of};

use crate::{
    listing::{FileType, Name},
    metadata::{FileMetadata, FileTime},
    sort_order::KeyParts,
    sys::{self, Links, OpenFile, OpenedFile, open_by_path},
};

/// A file, directory or symbolic link that a walk found, or that the user named as a root.
///
/// An entry borrows from the directory that is being listed.
/// [`to_owned_entry`](Self::to_owned_entry) returns a copy that outlives the visit.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    place: EntryPlace<'a>,
    dir: &'a [u8],
    name: &'a [u8],
    depth: usize,
    /// `None` for a root that is no directory: it has not been examined.
    file_type: Option<FileType>,
    number: Option<u32>,
    key: KeyParts<'a>,
}

/// Where an entry is, and so how it is opened.
#[derive(Clone, Copy)]
enum EntryPlace<'a> {
    /// By name, in an open directory.
    In(&'a dyn OpenFile, Name<'a>),
    /// By the path that the user named.
    Root(&'a Path),
    /// Not at all: standard input is open already.
    Stdin,
    /// Not at all: it is a directory, which the walk opens itself.
    Dir,
    /// By path: the directory that lists it may have been closed.
    Path,
}

impl<'a> Entry<'a> {
    pub(crate) fn listed(
        dir: &'a dyn OpenFile,
        path: &'a [u8],
        name: Name<'a>,
        depth: usize,
        file_type: FileType,
        number: Option<u32>,
        key: KeyParts<'a>,
    ) -> Entry<'a> {
        let (place, file_type) = (EntryPlace::In(dir, name), Some(file_type));
        Entry { place, dir: path, name: name.bytes(), depth, file_type, number, key }
    }

    /// The directory at `path`, which has no slash at the end.
    pub(crate) fn directory(path: &'a [u8], depth: usize, key: &'a [u8]) -> Entry<'a> {
        let name_at = match path.iter().rposition(|&byte| is_separator(byte)) {
            Some(slash) if depth > 0 => slash + 1,
            _ => 0,
        };
        let (dir, name) = path.split_at(name_at);
        let (file_type, key) = (Some(FileType::Dir), KeyParts::whole(key));
        Entry { place: EntryPlace::Dir, dir, name, depth, file_type, number: None, key }
    }

    pub(crate) fn root(path: &'a Path, bytes: &'a [u8], key: KeyParts<'a>) -> Entry<'a> {
        let (place, file_type) = (EntryPlace::Root(path), None);
        Entry { place, dir: b"", name: bytes, depth: 0, file_type, number: None, key }
    }

    pub(crate) fn stdin(key: KeyParts<'a>) -> Entry<'a> {
        let file_type = Some(FileType::Other);
        let place = EntryPlace::Stdin;
        Entry { place, dir: b"", name: b"-", depth: 0, file_type, number: None, key }
    }

    /// An entry that was kept.
    pub(crate) fn kept(
        origin: &'a Origin,
        dir: &'a [u8],
        name: &'a [u8],
        depth: usize,
        file_type: Option<FileType>,
        key: KeyParts<'a>,
    ) -> Entry<'a> {
        let place = match origin {
            Origin::Path => EntryPlace::Path,
            Origin::Dir => EntryPlace::Dir,
            Origin::Root(path) => EntryPlace::Root(path),
            Origin::Stdin => EntryPlace::Stdin,
        };
        Entry { place, dir, name, depth, file_type, number: None, key }
    }

    /// How the entry is opened once its directory is closed.
    pub(crate) fn origin(&self) -> Origin {
        match self.place {
            EntryPlace::In(..) | EntryPlace::Path => Origin::Path,
            EntryPlace::Dir => Origin::Dir,
            EntryPlace::Root(path) => Origin::Root(path.to_path_buf()),
            EntryPlace::Stdin => Origin::Stdin,
        }
    }

    pub(crate) fn key_parts(&self) -> KeyParts<'a> {
        self.key
    }

    /// The type, if it is known without a system call.
    pub(crate) fn known_type(&self) -> Option<FileType> {
        self.file_type
    }

    /// Returns the path's directory part as it is to be printed. It ends in a slash unless it is
    /// empty.
    #[must_use]
    pub fn dir(&self) -> &'a [u8] {
        self.dir
    }

    /// Returns the rest of the path: the file name, or a root's whole path.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// Replaces what `into` contains by the whole path.
    pub fn path_into(&self, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.dir);
        into.extend_from_slice(self.name);
    }

    /// Returns the whole path. Allocates; [`path_into`](Self::path_into) reuses a buffer.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let mut bytes = Vec::new();
        self.path_into(&mut bytes);
        path_of(&bytes).into_owned()
    }

    /// Returns the distance from the root, which has depth 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns what kind of file this is. A link that the walk follows has its target's type.
    ///
    /// No system call is needed except for a root that is no directory; it counts as
    /// [`FileType::Other`] if it cannot be examined. Standard input is [`FileType::Other`].
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.file_type.unwrap_or_else(|| {
            self.metadata().map_or(FileType::Other, |metadata| metadata.file_type().into())
        })
    }

    /// Returns the number that [`KnownDirs`](crate::KnownDirs) have for this file, if its directory
    /// is one of them and has not changed. The file itself may have.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        self.number
    }

    /// Returns whether the user named this path, as opposed to a walk finding it.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        self.depth == 0
    }

    /// Returns whether this is standard input, which [`open`](Self::open) cannot open.
    #[must_use]
    pub fn is_stdin(&self) -> bool {
        matches!(self.place, EntryPlace::Stdin)
    }

    /// Opens the file for reading, through a symbolic link if it is one.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::IsADirectory`] for a directory and
    /// [`io::ErrorKind::Unsupported`] for standard input, which is open already.
    pub fn open(&self) -> io::Result<OpenedFile> {
        match self.place {
            EntryPlace::In(dir, name) => dir.open_whole(name.c_str()),
            EntryPlace::Root(path) => Ok(OpenedFile::plain(fs::File::open(path)?)),
            EntryPlace::Path => Ok(OpenedFile::plain(open_by_path(self.dir, self.name)?)),
            EntryPlace::Dir => Err(io::ErrorKind::IsADirectory.into()),
            EntryPlace::Stdin => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Returns the file's metadata. They describe a link itself if [`file_type`](Self::file_type)
    /// is [`FileType::Symlink`], otherwise the link's target.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::Unsupported`] for standard input.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        match (self.place, self.file_type) {
            (EntryPlace::Stdin, _) => Err(io::ErrorKind::Unsupported.into()),
            (_, Some(FileType::Symlink)) => fs::symlink_metadata(self.path()),
            _ => fs::metadata(self.path()),
        }
    }

    /// Returns what changes with the contents of the file, as [`metadata`](Self::metadata) has it.
    /// On Linux this takes less: the file is looked up in its directory, not by its path.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::Unsupported`] on Windows and for standard input.
    pub fn file_metadata(&self) -> io::Result<FileMetadata> {
        if let EntryPlace::In(dir, name) = self.place
            && let Ok(metadata) = dir.metadata_of(name.c_str(), self.links())
        {
            return Ok(metadata);
        }
        FileMetadata::of(&self.metadata()?)
    }

    fn links(&self) -> Links {
        match self.file_type {
            Some(FileType::Symlink) => Links::Keep,
            _ => Links::Follow,
        }
    }

    /// Returns a time of the file, as [`metadata`](Self::metadata) has it. On Linux this takes
    /// less: the file is looked up in its directory, not by its path.
    ///
    /// # Errors
    /// The system's error; [`io::ErrorKind::Unsupported`] if it does not keep this time, and for
    /// standard input.
    pub fn time(&self, time: FileTime) -> io::Result<SystemTime> {
        let links = self.links();
        match self.place {
            EntryPlace::Stdin => Err(io::ErrorKind::Unsupported.into()),
            EntryPlace::In(dir, name) => dir
                .time_of(name.c_str(), links, time)
                .or_else(|_| sys::time_of(&self.path(), links, time)),
            _ => sys::time_of(&self.path(), links, time),
        }
    }

    /// Replaces what `into` contains by the key of this entry (see
    /// [`SortOrder`](crate::SortOrder)). In a walk without an order the key is empty.
    pub fn key_into(&self, into: &mut Vec<u8>) {
        self.key.write(self.name, into);
    }

    /// Returns a copy that can be visited after the directory has been closed.
    ///
    /// The copy shares the path of its directory with `previous` if both lie in the same one, so
    /// a caller that keeps many entries passes the one that it kept last.
    #[must_use]
    pub fn to_owned_entry(&self, previous: Option<&OwnedEntry>) -> OwnedEntry {
        let shared = previous.filter(|previous| *previous.dir == *self.dir);
        OwnedEntry {
            origin: self.origin(),
            dir: shared.map_or_else(|| self.dir.into(), |previous| Arc::clone(&previous.dir)),
            name: self.name.into(),
            depth: self.depth,
            file_type: self.file_type,
        }
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.path()).finish()
    }
}

/// Returns a time of the file at `path`, through a symbolic link if it is one.
///
/// ```
/// use heist_walk::{FileTime, time_of};
///
/// let file = tempfile::NamedTempFile::new()?;
/// let modified = time_of(file.path(), FileTime::Modified)?;
/// assert_eq!(modified, file.as_file().metadata()?.modified()?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The system's error; [`io::ErrorKind::Unsupported`] if it does not keep this time.
pub fn time_of(path: &Path, time: FileTime) -> io::Result<SystemTime> {
    sys::time_of(path, Links::Follow, time)
}

/// An [`Entry`] that does not borrow from the walk, to be visited later.
#[derive(Clone, Debug)]
pub struct OwnedEntry {
    origin: Origin,
    dir: Arc<[u8]>,
    name: Box<[u8]>,
    depth: usize,
    file_type: Option<FileType>,
}

/// How an entry is opened that does not borrow from the walk, see [`EntryPlace`].
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Path,
    Dir,
    Root(PathBuf),
    Stdin,
}

impl OwnedEntry {
    /// Returns the entry as a visitor receives it. `key` becomes its key; a caller that does not
    /// sort passes an empty one.
    #[must_use]
    pub fn as_entry<'a>(&'a self, key: &'a [u8]) -> Entry<'a> {
        let OwnedEntry { origin, dir, name, depth, file_type } = self;
        Entry::kept(origin, dir, name, *depth, *file_type, KeyParts::whole(key))
    }

    /// Returns the whole path; see [`Entry::path`].
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.as_entry(&[]).path()
    }

    /// Returns the file name, or a root's whole path; see [`Entry::name`].
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the distance from the root, which has depth 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns what kind of file this is; see [`Entry::file_type`].
    #[must_use]
    pub fn file_type(&self) -> FileType {
        self.as_entry(&[]).file_type()
    }

    /// Returns the file's metadata; see [`Entry::metadata`].
    ///
    /// # Errors
    /// The system's error.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        self.as_entry(&[]).metadata()
    }
}
