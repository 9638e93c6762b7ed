//! Why a tree is not watched.

use std::{error, fmt, io};

/// Why a tree is not, or no longer, watched.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Trees are watched on Linux only.
    Unsupported,
    /// This process, if its number is known, watches the tree already.
    Running(Option<u32>),
    /// No process watches the tree.
    NotRunning,
    /// The process that watches the tree does not answer.
    Silent,
    /// The process is silent, and in another process namespace, so that force cannot end it.
    OutOfReach,
    /// The index has no list of directories.
    NoSnapshot,
    /// The system lets this user watch only this many directories, if the limit is known.
    WatchLimit(Option<u64>),
    /// The index cannot be used.
    Index(heist_index::Error),
    /// The system's error.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported => f.write_str("watching is not supported on this system"),
            Error::Running(Some(process)) => write!(f, "process {process} watches it already"),
            Error::Running(None) => f.write_str("another process watches it already"),
            Error::NotRunning => f.write_str("no process watches it"),
            Error::Silent => f.write_str("the process that watches it does not answer"),
            Error::OutOfReach => f.write_str(
                "the process that watches it does not answer, and is in another process \
                 namespace, from which it has to be ended",
            ),
            Error::NoSnapshot => f.write_str(
                "its index has no list of directories; --index-update without --follow writes one",
            ),
            Error::WatchLimit(limit) => {
                f.write_str("it has more directories than this user may watch")?;
                limit.map_or(Ok(()), |limit| write!(f, ", {limit} in all"))?;
                f.write_str("; fs.inotify.max_user_watches is the parameter of the system")
            }
            Error::Index(error) => error.fmt(f),
            Error::Io(error) => error.fmt(f),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Index(error) => Some(error),
            Error::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<heist_index::Error> for Error {
    fn from(error: heist_index::Error) -> Error {
        Error::Index(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}
