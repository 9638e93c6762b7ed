//! Why an index cannot be used or written.

use std::{
    error, fmt, io,
    path::{Path, PathBuf},
};

/// Why an index cannot be used or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no index.
    Absent,
    /// The system's error.
    Io(io::Error),
    /// The index is not what was written; this is the part that is not.
    Damaged(&'static str),
    /// Another version of heist wrote the file, in this version of the format.
    Version(u32),
    /// This process, if its number is known, is writing the index.
    Busy(Option<u32>),
    /// The directory, or a part of it, belongs to another user, or others may write to it.
    Untrusted,
    /// The error concerns this file or directory.
    At(PathBuf, Box<Error>),
}

impl Error {
    /// Whether the index is not what was written.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Error::Damaged(_) => true,
            Error::At(_, error) => error.is_damage(),
            _ => false,
        }
    }

    /// Returns the error with the path that it concerns, unless it has one.
    pub(crate) fn at(self, path: &Path) -> Error {
        match self {
            Error::Absent | Error::At(..) => self,
            error => Error::At(path.to_owned(), Box::new(error)),
        }
    }
}

/// Adds the path that an error concerns.
pub(crate) trait AtPath<T> {
    fn at(self, path: &Path) -> Result<T, Error>;
}

impl<T> AtPath<T> for Result<T, Error> {
    fn at(self, path: &Path) -> Result<T, Error> {
        self.map_err(|error| error.at(path))
    }
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, Error> {
        self.map_err(|error| Error::Io(error).at(path))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Absent => f.write_str("there is no index"),
            Error::Io(error) => error.fmt(f),
            Error::Damaged(part) => write!(f, "the index is damaged ({part})"),
            Error::Version(version) => {
                write!(
                    f,
                    "the index has version {version} of the format, which this program does not read"
                )
            }
            Error::Busy(Some(process)) => write!(f, "process {process} is writing the index"),
            Error::Busy(None) => f.write_str("another process is writing the index"),
            Error::Untrusted => {
                f.write_str("another user owns this, or may write to it, so that it is not trusted")
            }
            Error::At(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            Error::At(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::NotFound => Error::Absent,
            _ => Error::Io(error),
        }
    }
}
