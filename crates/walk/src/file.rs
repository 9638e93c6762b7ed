//! What a visitor is shown of a file: enough to print its path and to open it, with nothing allocated before it does.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    listing::Name,
    sys::{OpenFile, OpenedFile, path_of},
};

/// A file that is wanted, seen from the directory that lists it.
#[derive(Clone, Copy)]
pub struct File<'a> {
    place: Place<'a>,
    dir: &'a [u8],
    name: &'a [u8],
    depth: usize,
}

#[derive(Clone, Copy)]
enum Place<'a> {
    /// Listed in an open directory.
    In(&'a dyn OpenFile, Name<'a>),
    /// Named by the user.
    Root(&'a Path),
    /// Standard input.
    Stdin,
}

impl<'a> File<'a> {
    pub(crate) fn listed(
        dir: &'a dyn OpenFile,
        path: &'a [u8],
        name: Name<'a>,
        depth: usize,
    ) -> File<'a> {
        File { place: Place::In(dir, name), dir: path, name: name.bytes(), depth }
    }

    pub(crate) fn root(path: &'a Path, bytes: &'a [u8]) -> File<'a> {
        File { place: Place::Root(path), dir: b"", name: bytes, depth: 0 }
    }

    pub(crate) fn stdin() -> File<'static> {
        File { place: Place::Stdin, dir: b"", name: b"-", depth: 0 }
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
        !matches!(self.place, Place::In(..))
    }

    /// Whether it stands for standard input, which [`open`](File::open) does not open.
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
            Place::Root(path) => {
                Ok(OpenedFile { file: fs::File::open(path)?, short_read_is_end: false })
            }
            Place::Stdin => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl std::fmt::Debug for File<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("File").field(&self.path()).finish()
    }
}
