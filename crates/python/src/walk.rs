//! Lists of files and directories.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use heist::{Entries, FileType, OwnedEntry};
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    types::{PyList, PyString, PyTuple},
};

use crate::{
    errors::exception,
    options::{Changed, Selection, Texts, Time},
};

/// Entries that are received at a time.
const BATCH_ENTRIES: usize = 256;

/// A file or directory.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct Entry {
    path: Py<PyString>,
    kind: &'static str,
    depth: usize,
}

/// The entries of a walk, as an iterator.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Walk {
    roots: Vec<PathBuf>,
    state: Mutex<State>,
    errors: Py<PyList>,
}

struct State {
    /// `None` while a thread waits for entries.
    entries: Option<Entries>,
    ready: VecDeque<Result<OwnedEntry, heist::Error>>,
    is_over: bool,
}

/// Files and directories below `roots`.
#[pyfunction]
#[pyo3(signature = (
    *roots, only=None, exclude=None, types=None, exclude_types=None, hidden=false, ignored=false,
    directories=false, symlinks=false, follow=false, max_depth=None, newer=None, older=None,
    changed=None, shard=None, shard_by=None, sort=None, reverse=false, threads=None,
))]
#[allow(clippy::too_many_arguments, reason = "Python has named arguments")]
pub(crate) fn walk(
    py: Python<'_>,
    roots: &Bound<'_, PyTuple>,
    only: Option<Texts>,
    exclude: Option<Texts>,
    types: Option<Texts>,
    exclude_types: Option<Texts>,
    hidden: bool,
    ignored: bool,
    directories: bool,
    symlinks: bool,
    follow: bool,
    max_depth: Option<usize>,
    newer: Option<Time>,
    older: Option<Time>,
    changed: Option<Changed>,
    shard: Option<String>,
    shard_by: Option<String>,
    sort: Option<String>,
    reverse: bool,
    threads: Option<usize>,
) -> PyResult<Walk> {
    let roots: Vec<PathBuf> = roots.iter().map(|root| root.extract()).collect::<Result<_, _>>()?;
    let selection = Selection {
        roots: roots.clone(),
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
        sort,
        reverse,
        threads,
    };
    let walk = selection.walk()?.directories(directories).symlinks(symlinks).follow_links(follow);
    let entries = Some(py.detach(|| walk.into_iter()));
    let state = Mutex::new(State { entries, ready: VecDeque::new(), is_over: false });
    Ok(Walk { roots, state, errors: PyList::empty(py).unbind() })
}

#[pymethods]
impl Walk {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Entry>> {
        loop {
            let next = self.state().ready.pop_front();
            match next {
                Some(Ok(entry)) => return Entry::new(py, &entry).map(Some),
                Some(Err(error)) => self.note(py, &error)?,
                None if self.state().is_over => return Ok(None),
                None => self.receive(py)?,
            }
        }
    }

    /// Paths below the roots that could not be walked, and rule files with mistakes.
    #[getter]
    fn errors(&self, py: Python<'_>) -> Py<PyList> {
        self.errors.clone_ref(py)
    }
}

impl Walk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for entries.
    fn receive(&self, py: Python<'_>) -> PyResult<()> {
        let Some(mut entries) = self.state().entries.take() else {
            return Err(PyRuntimeError::new_err("another thread is waiting with this iterator"));
        };
        let (entries, received) = py.detach(move || {
            let received: Vec<_> = entries.by_ref().take(BATCH_ENTRIES).collect();
            (entries, received)
        });
        let mut state = self.state();
        state.is_over = received.len() < BATCH_ENTRIES;
        state.ready.extend(received);
        state.entries = Some(entries);
        drop(state);
        py.check_signals()
    }

    /// Keeps an error. One about a root, or that kept the walk from starting, is raised.
    fn note(&self, py: Python<'_>, error: &heist::Error) -> PyResult<()> {
        let raised = exception(py, error);
        let is_of_root = |path| self.roots.iter().any(|root| root == path);
        match error.path() {
            Some(path) if matches!(error, heist::Error::RuleFile(_)) || !is_of_root(path) => {
                self.errors.bind(py).append(raised.into_value(py))
            }
            _ => Err(raised),
        }
    }
}

impl Entry {
    fn new(py: Python<'_>, entry: &OwnedEntry) -> PyResult<Entry> {
        let path = entry.path().into_os_string().into_pyobject(py)?.unbind();
        let kind = match entry.file_type() {
            FileType::File => "file",
            FileType::Dir => "directory",
            FileType::Symlink => "symlink",
            FileType::Other => "other",
        };
        Ok(Entry { path, kind, depth: entry.depth() })
    }
}

#[pymethods]
impl Entry {
    fn __fspath__(&self, py: Python<'_>) -> Py<PyString> {
        self.path.clone_ref(py)
    }

    fn __str__(&self, py: Python<'_>) -> Py<PyString> {
        self.path.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Entry({}, '{}')", self.path.bind(py).repr()?, self.kind))
    }
}
