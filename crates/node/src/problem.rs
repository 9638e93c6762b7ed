//! Errors as values. `lib/errors.js` makes exceptions of them.

use std::{io, path::Path};

use napi_derive::napi;

use crate::text::{PathValue, path_value};

/// What could not be done.
#[napi(object, object_from_js = false)]
pub struct Problem {
    /// What kind of error it is: `pattern`, `filter`, `rule file`, `path`, `argument` or `other`.
    pub kind: &'static str,
    /// The error in words.
    pub message: String,
    /// The path that the error is about, if it is about one.
    pub path: Option<PathValue>,
    /// The number of the system's error.
    pub errno: Option<i32>,
    /// The name of the system's error where its number is not that of POSIX.
    pub code: Option<&'static str>,
}

/// A problem in place of a value.
#[napi(object, object_from_js = false)]
pub struct Failure {
    /// The problem.
    pub problem: Problem,
}

impl Problem {
    /// An argument with a value that means nothing.
    pub(crate) fn of_argument(message: impl Into<String>) -> Box<Problem> {
        Box::new(Problem::new("argument", message.into()))
    }

    /// A text that does not compile as a pattern.
    pub(crate) fn of_pattern(message: String) -> Box<Problem> {
        Box::new(Problem::new("pattern", message))
    }

    fn new(kind: &'static str, message: String) -> Problem {
        Problem { kind, message, path: None, errno: None, code: None }
    }

    /// The system refuses something with the file at `path`.
    fn of_path(message: String, path: &Path, source: Option<&io::Error>) -> Problem {
        Problem {
            path: Some(path_value(path)),
            errno: source.and_then(io::Error::raw_os_error),
            code: source.and_then(|source| name_of(source.kind())),
            ..Problem::new("path", message)
        }
    }
}

impl From<&heist::Error> for Problem {
    fn from(error: &heist::Error) -> Problem {
        let message = error.to_string();
        match error {
            heist::Error::Pattern(_) => Problem::new("pattern", message),
            heist::Error::Filter(_) => Problem::new("filter", message),
            heist::Error::RuleFile(problem) => Problem {
                path: Some(path_value(&problem.path)),
                ..Problem::new("rule file", message)
            },
            heist::Error::Read { path, source } => Problem::of_path(message, path, Some(source)),
            heist::Error::Walk(walk) => {
                let source = std::error::Error::source(walk);
                let source = source.and_then(|source| source.downcast_ref::<io::Error>());
                Problem::of_path(message, walk.path(), source)
            }
            _ => Problem::new("other", message),
        }
    }
}

impl From<heist::Error> for Problem {
    fn from(error: heist::Error) -> Problem {
        Problem::from(&error)
    }
}

impl From<Box<Problem>> for Failure {
    fn from(problem: Box<Problem>) -> Failure {
        Failure { problem: *problem }
    }
}

impl From<heist::Error> for Failure {
    fn from(error: heist::Error) -> Failure {
        Failure { problem: error.into() }
    }
}

/// The name by which POSIX knows an error of this kind.
fn name_of(kind: io::ErrorKind) -> Option<&'static str> {
    Some(match kind {
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        io::ErrorKind::IsADirectory => "EISDIR",
        io::ErrorKind::InvalidInput => "EINVAL",
        io::ErrorKind::TimedOut => "ETIMEDOUT",
        io::ErrorKind::ResourceBusy => "EBUSY",
        _ => return None,
    })
}
