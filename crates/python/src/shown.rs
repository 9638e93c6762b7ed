//! What a search has shown, what it left out, and why.

use heist::Cut;
use pyo3::{
    prelude::*,
    types::{PyList, PyString},
};

use crate::errors::exception;

/// How much a search has shown, what it left out, and where the next page begins.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct Shown {
    results: u64,
    files: u64,
    files_searched: u64,
    offset: u64,
    cut: Option<&'static str>,
    next: Option<u64>,
    errors: Py<PyList>,
    skipped: Py<PyList>,
    skipped_more: u64,
}

/// A file or directory that was left out.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct Skipped {
    path: Py<PyAny>,
    kind: &'static str,
    why: String,
}

impl Shown {
    pub(crate) fn new(py: Python<'_>, shown: &heist::Shown) -> PyResult<Shown> {
        let errors = shown.errors.iter().map(|error| exception(py, error).into_value(py));
        let skipped = shown.skipped.entries.iter().map(|entry| {
            let path = entry.path.as_os_str().into_pyobject(py)?.into_any().unbind();
            Py::new(py, Skipped { path, kind: entry.kind.name(), why: entry.why.clone() })
        });
        let skipped: PyResult<Vec<_>> = skipped.collect();
        Ok(Shown {
            results: shown.results,
            files: shown.files,
            files_searched: shown.files_searched,
            offset: shown.offset,
            cut: shown.cut.map(Cut::name),
            next: shown.next,
            errors: PyList::new(py, errors.collect::<Vec<_>>())?.unbind(),
            skipped: PyList::new(py, skipped?)?.unbind(),
            skipped_more: shown.skipped.more,
        })
    }
}

#[pymethods]
impl Shown {
    /// Whether everything there is was shown.
    #[getter]
    fn complete(&self, py: Python<'_>) -> bool {
        self.cut.is_none() && self.offset == 0 && self.errors.bind(py).is_empty()
    }

    fn __repr__(&self) -> String {
        let Shown { results, files, .. } = self;
        let cut = self.cut.map_or("None".to_owned(), |cut| format!("'{cut}'"));
        let next = self.next.map_or("None".to_owned(), |next| next.to_string());
        format!("Shown(results={results}, files={files}, cut={cut}, next={next})")
    }
}

#[pymethods]
impl Skipped {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let why = PyString::new(py, &self.why).repr()?;
        Ok(format!("Skipped({}, '{}', {why})", self.path.bind(py).repr()?, self.kind))
    }
}
