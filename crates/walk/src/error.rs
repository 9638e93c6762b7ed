//! An error that concerns a single path. The walk continues after it.

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

#[derive(Debug)]
enum Kind {
    /// Opening, listing or examining the path failed.
    Io(io::Error),
    /// The path is a symbolic link to a directory that contains it.
    Loop { ancestor: PathBuf },
}

impl Error {
    pub(crate) fn io(path: PathBuf, depth: usize, source: io::Error) -> Error {
        Error { path, depth, kind: Kind::Io(source) }
    }

    pub(crate) fn symlink_loop(path: PathBuf, depth: usize, ancestor: PathBuf) -> Error {
        Error { path, depth, kind: Kind::Loop { ancestor } }
    }

    /// Returns the path as it would be printed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how far the path is from its root.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the system's error, or `None` if a link closes a loop.
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
            // An empty path would not be seen.
            Kind::Io(source) if self.path.as_os_str().is_empty() => write!(f, "'': {source}"),
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
