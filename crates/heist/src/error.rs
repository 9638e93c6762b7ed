//! What can go wrong before a run starts, and with single paths of it.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A search or a walk that could not start, or a path that could not be walked or read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The pattern does not compile.
    Pattern(heist_matcher::Error),
    /// A glob or the name of a file type is not valid.
    Filter(heist_filter::Error),
    /// The current directory could not be determined.
    CurrentDir(io::Error),
    /// A directory or an entry could not be walked.
    Walk(heist_walk::Error),
    /// A rule file has a line that is not valid, or could not be read. Its other rules hold.
    RuleFile(heist_filter::Problem),
    /// A file could not be opened or read, or a root such as `file/name` does not exist.
    Read {
        /// The file, as it would be printed.
        path: PathBuf,
        /// Why it could not be read.
        source: io::Error,
    },
    /// The results could not be written.
    Write(io::Error),
    /// A file may not be changed, or could not be, or the journal of a change.
    #[cfg(any(test, feature = "replace"))]
    Edit(heist_replace::Error),
}

impl Error {
    /// The path that the error is about, if it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Error::Walk(error) => Some(error.path()),
            Error::RuleFile(problem) => Some(&problem.path),
            Error::Read { path, .. } => Some(path),
            #[cfg(any(test, feature = "replace"))]
            Error::Edit(error) => Some(error.path()),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Pattern(error) => error.fmt(f),
            Error::Filter(error) => error.fmt(f),
            Error::CurrentDir(error) => write!(f, "current directory: {error}"),
            Error::Walk(error) => error.fmt(f),
            Error::RuleFile(problem) => problem.fmt(f),
            Error::Read { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Write(error) => write!(f, "results cannot be written: {error}"),
            #[cfg(any(test, feature = "replace"))]
            Error::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Pattern(error) => Some(error),
            Error::Filter(error) => Some(error),
            Error::Walk(error) => Some(error),
            Error::RuleFile(_) => None,
            #[cfg(any(test, feature = "replace"))]
            Error::Edit(error) => Some(error),
            Error::CurrentDir(source) | Error::Read { source, .. } | Error::Write(source) => {
                Some(source)
            }
        }
    }
}

impl From<heist_matcher::Error> for Error {
    fn from(error: heist_matcher::Error) -> Error {
        Error::Pattern(error)
    }
}

impl From<heist_filter::Error> for Error {
    fn from(error: heist_filter::Error) -> Error {
        Error::Filter(error)
    }
}

#[cfg(any(test, feature = "replace"))]
impl From<heist_replace::Error> for Error {
    fn from(error: heist_replace::Error) -> Error {
        Error::Edit(error)
    }
}
