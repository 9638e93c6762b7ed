//! Replacing matches in files, and putting a change back.

use std::{
    env,
    path::{Path, PathBuf},
};

use heist::{
    Edits,
    replace::{ChangeLog, FileEdits},
};
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    types::{PyBytes, PyString, PyTuple},
};

use crate::{
    errors::exception,
    options::{Changed, Reading, Selection, Texts, Time},
    search::pattern_of,
};

/// Bytes of a file, and what takes their place.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct Edit {
    start: u64,
    end: u64,
    old: Py<PyBytes>,
    new: Py<PyBytes>,
}

/// The edits of a file.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct FileEdit {
    path: Py<PyString>,
    edits: Vec<Py<Edit>>,
}

/// What would be written, and has not been.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Replacement {
    edits: Edits,
}

/// What was written.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct Applied {
    written: Vec<Py<PyString>>,
    errors: Vec<Py<PyAny>>,
}

/// A change that can be put back.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct Change {
    number: u64,
    files: usize,
    edits: usize,
    first: Py<PyString>,
}

/// What replacing the matches of `pattern` would change in files below `roots`.
#[pyfunction]
#[pyo3(signature = (
    pattern, replacement, *roots, only=None, exclude=None, types=None, exclude_types=None,
    hidden=false, ignored=false, max_depth=None, newer=None, older=None, changed=None, shard=None,
    shard_by=None, ignore_case=false, any_case=false, word=false, literal=false, multiline=false,
    dotall=false, binary=false, threads=None,
))]
#[allow(clippy::too_many_arguments, reason = "Python has named arguments")]
pub(crate) fn replace_preview(
    py: Python<'_>,
    pattern: &Bound<'_, PyAny>,
    replacement: &str,
    roots: &Bound<'_, PyTuple>,
    only: Option<Texts>,
    exclude: Option<Texts>,
    types: Option<Texts>,
    exclude_types: Option<Texts>,
    hidden: bool,
    ignored: bool,
    max_depth: Option<usize>,
    newer: Option<Time>,
    older: Option<Time>,
    changed: Option<Changed>,
    shard: Option<String>,
    shard_by: Option<String>,
    ignore_case: bool,
    any_case: bool,
    word: bool,
    literal: bool,
    multiline: bool,
    dotall: bool,
    binary: bool,
    threads: Option<usize>,
) -> PyResult<Replacement> {
    let reading = Reading { ignore_case, any_case, word, literal, multiline, dotall };
    let pattern = pattern_of(py, pattern, reading, !binary)?;
    let roots: Vec<PathBuf> = roots.iter().map(|root| root.extract()).collect::<Result<_, _>>()?;
    let selection = Selection {
        roots,
        only,
        exclude,
        types,
        exclude_types,
        hidden,
        ignored,
        max_depth,
        newer,
        older,
        changed,
        shard,
        shard_by,
        threads,
        ..Selection::default()
    };
    let search = heist::Search::with_matcher(pattern.matcher().clone())
        .walk(selection.walk()?)
        .replacement(replacement);
    let search = if binary { search.binary_as_text() } else { search };
    let edits = py.detach(|| search.edits()).map_err(|error| exception(py, &error))?;
    Ok(Replacement { edits })
}

/// Puts a change back, the last one unless its number is given; `None` if there is none.
#[pyfunction]
#[pyo3(signature = (number=None, *, journal=None))]
pub(crate) fn undo(
    py: Python<'_>,
    number: Option<u64>,
    journal: Option<PathBuf>,
) -> PyResult<Option<Applied>> {
    let log = log_of(journal)?;
    let undoing = py.detach(|| Edits::undoing(&log, number));
    let Some(edits) = undoing.map_err(|error| exception(py, &error))? else { return Ok(None) };
    let mut applied = write(py, &edits, Some(&log))?;
    applied.errors.splice(0..0, values(py, edits.errors()));
    Ok(Some(applied))
}

/// The changes that can be put back, the oldest first.
#[pyfunction]
#[pyo3(signature = (*, journal=None))]
pub(crate) fn changes(py: Python<'_>, journal: Option<PathBuf>) -> PyResult<Vec<Change>> {
    let log = log_of(journal)?;
    let changes = py.detach(|| log.changes()).map_err(|error| exception(py, &error.into()))?;
    let change = |change: heist::replace::Change| {
        let first = path_text(py, &change.first)?;
        Ok(Change { number: change.number, files: change.files, edits: change.edits, first })
    };
    changes.into_iter().map(change).collect()
}

#[pymethods]
impl Replacement {
    /// The files that would change, sorted by path, with the edits of each.
    #[getter]
    fn files(&self, py: Python<'_>) -> PyResult<Vec<FileEdit>> {
        self.edits.files().iter().map(|file| FileEdit::new(py, file)).collect()
    }

    /// The change as a patch, which `git apply` takes.
    #[getter]
    fn patch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let patch = py.detach(|| self.edits.patch()).map_err(|error| exception(py, &error))?;
        Ok(PyBytes::new(py, &patch))
    }

    /// Paths that could not be walked or read, and files that may not be written.
    #[getter]
    fn errors(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        values(py, self.edits.errors()).collect()
    }

    /// Writes the change into the files.
    #[pyo3(signature = (*, journal=None))]
    fn apply(&self, py: Python<'_>, journal: Option<Journal>) -> PyResult<Applied> {
        let log = match journal {
            Some(Journal::Usual(false)) => None,
            Some(Journal::In(path)) => Some(log_of(Some(path))?),
            None | Some(Journal::Usual(true)) => Some(log_of(None)?),
        };
        write(py, &self.edits, log.as_ref())
    }

    fn __len__(&self) -> usize {
        self.edits.files().len()
    }

    fn __repr__(&self) -> String {
        let edits: usize = self.edits.files().iter().map(|file| file.edits().len()).sum();
        format!("<Replacement: {edits} edits in {} files>", self.edits.files().len())
    }
}

/// Whether there is a journal, or where.
#[derive(FromPyObject)]
enum Journal {
    Usual(bool),
    In(PathBuf),
}

impl FileEdit {
    fn new(py: Python<'_>, file: &FileEdits) -> PyResult<FileEdit> {
        let edit = |edit: &heist::replace::Edit| {
            let (old, new) = (PyBytes::new(py, &edit.old), PyBytes::new(py, &edit.new));
            let (old, new) = (old.unbind(), new.unbind());
            Py::new(py, Edit { start: edit.at, end: edit.end(), old, new })
        };
        let edits = file.edits().iter().map(edit).collect::<PyResult<_>>()?;
        Ok(FileEdit { path: path_text(py, file.path())?, edits })
    }
}

/// Writes `edits` into the files.
fn write(py: Python<'_>, edits: &Edits, log: Option<&ChangeLog>) -> PyResult<Applied> {
    let applied = py.detach(|| edits.apply(log)).map_err(|error| exception(py, &error))?;
    let written = applied.written.iter().map(|&at| path_text(py, edits.files()[at].path()));
    let written = written.collect::<PyResult<_>>()?;
    let failures: Vec<_> = applied.failures.into_iter().map(heist::Error::Edit).collect();
    Ok(Applied { written, errors: values(py, &failures).collect() })
}

/// Errors as exceptions that are not raised.
fn values(py: Python<'_>, errors: &[heist::Error]) -> impl Iterator<Item = Py<PyAny>> {
    errors.iter().map(move |error| exception(py, error).into_value(py).into())
}

/// The journals in the directory at `place`, or where `hs` has them.
fn log_of(place: Option<PathBuf>) -> PyResult<ChangeLog> {
    match place {
        Some(place) => Ok(ChangeLog::new(place)),
        None => ChangeLog::of_user(|name| env::var_os(name)).ok_or_else(|| {
            let message = "there is no directory for the journal: neither HOME nor XDG_STATE_HOME \
                           is an absolute path";
            PyRuntimeError::new_err(message)
        }),
    }
}

fn path_text(py: Python<'_>, path: &Path) -> PyResult<Py<PyString>> {
    Ok(path.as_os_str().into_pyobject(py)?.unbind())
}
