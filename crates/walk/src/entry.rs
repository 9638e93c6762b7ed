//! What a visitor is shown of a file: enough to print its path and to open it, with nothing allocated before it does.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    listing::Name,
    order,
    owned_entry::{Origin, OwnedEntry},
    sys::{OpenFile, OpenedFile, open_by_path, path_of},
};

/// A file that is wanted, seen from the directory that lists it.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    place: Place<'a>,
    dir: &'a [u8],
    name: &'a [u8],
    depth: usize,
    key: order::KeyParts<'a>,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    /// Listed in an open directory.
    In(&'a dyn OpenFile, Name<'a>),
    /// Named by the user.
    Root(&'a Path),
    /// Standard input.
    Stdin,
    /// Listed in a directory that need not be open any more.
    Owned,
}

impl<'a> Entry<'a> {
    pub(crate) fn listed(
        dir: &'a dyn OpenFile,
        path: &'a [u8],
        name: Name<'a>,
        depth: usize,
        key: order::KeyParts<'a>,
    ) -> Entry<'a> {
        Entry { place: Place::In(dir, name), dir: path, name: name.bytes(), depth, key }
    }

    pub(crate) fn root(path: &'a Path, bytes: &'a [u8], key: order::KeyParts<'a>) -> Entry<'a> {
        Entry { place: Place::Root(path), dir: b"", name: bytes, depth: 0, key }
    }

    pub(crate) fn stdin(key: order::KeyParts<'a>) -> Entry<'a> {
        Entry { place: Place::Stdin, dir: b"", name: b"-", depth: 0, key }
    }

    pub(crate) fn from_owned(
        origin: &'a Origin,
        dir: &'a [u8],
        name: &'a [u8],
        depth: usize,
        key: &'a [u8],
    ) -> Entry<'a> {
        let place = match origin {
            Origin::Listed => Place::Owned,
            Origin::Root(path) => Place::Root(path),
            Origin::Stdin => Place::Stdin,
        };
        Entry { place, dir, name, depth, key: order::KeyParts::whole(key) }
    }

    /// The directory part of its path as it is to be printed, with a slash at the end unless it is empty.
    #[must_use]
    pub fn dir(&self) -> &'a [u8] {
        self.dir
    }

    /// The rest of its path.
    #[must_use]
    pub fn name(&self) -> &'a [u8] {
        self.name
    }

    /// Replace the contents of `into` by the whole path.
    pub fn path_into(&self, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.dir);
        into.extend_from_slice(self.name);
    }

    /// The whole path, for messages.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let mut bytes = Vec::new();
        self.path_into(&mut bytes);
        path_of(&bytes).into_owned()
    }

    /// Its distance from its root, which has depth 0.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the user named it, rather than a walk finding it.
    #[must_use]
    pub fn is_explicit(&self) -> bool {
        matches!(self.place, Place::Root(_) | Place::Stdin)
    }

    /// Whether it stands for standard input, which [`open`](Entry::open) does not open.
    #[must_use]
    pub fn is_stdin(&self) -> bool {
        matches!(self.place, Place::Stdin)
    }

    /// Open it for reading.
    ///
    /// # Errors
    /// As the system says; [`io::ErrorKind::Unsupported`] for standard input, which is open already.
    pub fn open(&self) -> io::Result<OpenedFile> {
        match self.place {
            Place::In(dir, name) => dir.open_whole(name.c_str()),
            Place::Root(path) => Ok(OpenedFile::plain(fs::File::open(path)?)),
            Place::Owned => Ok(OpenedFile::plain(open_by_path(self.dir, self.name)?)),
            Place::Stdin => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// What the system knows of it, links followed.
    ///
    /// # Errors
    /// As the system says; [`io::ErrorKind::Unsupported`] for standard input.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        match self.place {
            Place::Stdin => Err(io::ErrorKind::Unsupported.into()),
            _ => fs::metadata(self.path()),
        }
    }

    /// Replace the contents of `into` by its key (see [`Order`](crate::SortOrder)); by nothing, in a walk without an order.
    pub fn key_into(&self, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.key.dir);
        if let Some(order) = self.key.order {
            order.append(into, self.name, self.key.position);
        }
    }

    /// What it takes to visit it later. Files of one directory share its path, if each is stored with the one `before`
    /// it.
    #[must_use]
    pub fn to_owned_entry(&self, before: Option<&OwnedEntry>) -> OwnedEntry {
        let origin = match self.place {
            Place::In(..) | Place::Owned => Origin::Listed,
            Place::Root(path) => Origin::Root(path.to_path_buf()),
            Place::Stdin => Origin::Stdin,
        };
        OwnedEntry::new(origin, self.dir, self.name, self.depth, before)
    }
}

impl std::fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.path()).finish()
    }
}
