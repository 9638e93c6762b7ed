//! What is wrong with a configuration, and what is wrong with a rule file.

use std::{fmt, io, path::PathBuf};

/// Something in the configuration that cannot be used: a malformed glob, an unknown type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl Error {
    /// The error about a glob that cannot be read.
    pub(crate) fn glob(glob: &str, reason: &str) -> Error {
        Error(format!("error parsing glob '{glob}': {reason}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// A mistake in a rule file, or a rule file that could not be read. All other rules apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The rule file.
    pub path: PathBuf,
    /// The line's number, counted from 1, if the problem is in one line.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
    /// Whether the caller's own request could not be met: a rule file that it names, or git's
    /// index, cannot be read.
    pub is_failure: bool,
}

impl Problem {
    /// Returns the problem that the file at `path` cannot be read, or that `error` leaves open
    /// whether there is such a file.
    #[must_use]
    pub fn unreadable(path: PathBuf, error: &io::Error) -> Problem {
        Problem { path, line: None, message: error.to_string(), is_failure: false }
    }

    /// Returns the problem that the rules of the file at `path` and those above it, which are in
    /// memory together, have more than `most` bytes.
    pub(crate) fn too_much(path: PathBuf, most: usize) -> Problem {
        let message = format!("with those above, more than {} MiB of rules; not used", most >> 20);
        Problem { path, line: None, message, is_failure: false }
    }

    /// Returns the problem that lines in the file at `path`, a link to another directory, are no
    /// globs.
    pub(crate) fn not_shown(path: PathBuf) -> Problem {
        let message = "lines with errors, which are not shown: this is a link to another directory";
        Problem { path, line: None, message: message.to_owned(), is_failure: false }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}
