//! Why a file was not read or written.

use std::{
    error, fmt, io,
    path::{Path, PathBuf},
};

/// What was tried, with which file, and why it failed.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    Refused(String),
    Failed(&'static str, io::Error),
}

impl Error {
    /// The file at `path` is left as it is, because `reason`.
    pub(crate) fn refused(path: &Path, reason: impl Into<String>) -> Error {
        Error { path: path.to_owned(), reason: Reason::Refused(reason.into()) }
    }

    /// The system has failed to do `what`, such as `cannot be renamed`, with the file at `path`.
    pub(crate) fn failed(path: &Path, what: &'static str, source: io::Error) -> Error {
        Error { path: path.to_owned(), reason: Reason::Failed(what, source) }
    }

    /// The file that the error is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error without the path.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.reason {
            Reason::Refused(reason) => format!("not written: {reason}"),
            Reason::Failed(what, source) => format!("{what}: {source}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason())
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::Refused(_) => None,
            Reason::Failed(_, source) => Some(source),
        }
    }
}
