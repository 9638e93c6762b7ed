//! What can go wrong with one path of a walk. The rest of the walk goes on.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A path that could not be walked or visited.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    depth: usize,
    kind: Kind,
}

/// Why.
#[derive(Debug)]
enum Kind {
    /// Opening, listing or examining it failed.
    Io(io::Error),
    /// A symbolic link leads back to a directory that it lies in.
    Loop { ancestor: PathBuf },
}

impl Error {
    pub(crate) fn io(path: PathBuf, depth: usize, source: io::Error) -> Error {
        Error { path, depth, kind: Kind::Io(source) }
    }

    pub(crate) fn symlink_loop(path: PathBuf, depth: usize, ancestor: PathBuf) -> Error {
        Error { path, depth, kind: Kind::Loop { ancestor } }
    }

    /// The path at fault, as it would be printed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its distance from its root.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The system's error, unless the path is at fault by being a loop.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.kind {
            Kind::Io(source) => Some(source),
            Kind::Loop { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Io(source) => write!(f, "{}: {source}", self.path.display()),
            Kind::Loop { ancestor } => write!(
                f,
                "File system loop found: {} points to an ancestor {}",
                self.path.display(),
                ancestor.display()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.io_error().map(|e| e as _)
    }
}
