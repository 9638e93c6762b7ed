//! The library's errors as exceptions. Their classes are in `heist_search/_errors.py`.

use std::{io, path::Path};

use heist::matcher::NameError;
use pyo3::{exceptions::PyOSError, prelude::*, types::PyTuple};

/// The exception for `error`.
pub(crate) fn exception(py: Python<'_>, error: &heist::Error) -> PyErr {
    let message = error.to_string();
    match error {
        heist::Error::Pattern(_) => build(py, "PatternError", (message,)),
        heist::Error::Filter(_) => build(py, "FilterError", (message,)),
        heist::Error::RuleFile(problem) => {
            build(py, "RuleFileError", (message, problem.path.as_os_str()))
        }
        heist::Error::Read { path, source } => of_path(py, path, source),
        heist::Error::Walk(walk) => {
            let source = std::error::Error::source(walk);
            match source.and_then(|source| source.downcast_ref::<io::Error>()) {
                Some(source) => of_path(py, walk.path(), source),
                None => build(py, "Error", (message, walk.path().as_os_str())),
            }
        }
        heist::Error::Edit(edit) => build(py, "EditError", (message, edit.path().as_os_str())),
        _ => build(py, "Error", (message,)),
    }
}

/// The exception that a pattern is to be a name and is none.
pub(crate) fn no_name(py: Python<'_>, error: &NameError) -> PyErr {
    build(py, "PatternError", (format!("any_case takes a name such as get_user_id, and {error}"),))
}

/// The exception that the system refuses something with the file at `path`. Its cause is the
/// system's own, such as `FileNotFoundError`.
fn of_path(py: Python<'_>, path: &Path, source: &io::Error) -> PyErr {
    let Some(number) = source.raw_os_error() else {
        return build(py, "PathError", (format!("{}: {source}", path.display()), path.as_os_str()));
    };
    let text = source.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let error = build(py, "PathError", (number, text, path.as_os_str()));
    error.set_cause(
        py,
        Some(PyOSError::new_err((number, text.to_owned(), path.as_os_str().to_owned()))),
    );
    error
}

/// An exception of the class with this name.
fn build<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyErr {
    let made = (|| {
        let class = py.import("heist_search._errors")?.getattr(class)?;
        class.call1(arguments.into_pyobject(py)?)
    })();
    made.map_or_else(|error| error, PyErr::from_value)
}
