//! The hits of a search.

use std::sync::Arc;

use bstr::ByteSlice as _;
use heist::{HitInContext, OwnedHit};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict, PyString, PyTuple},
};

use crate::text::{char_offset, char_span};

/// A line that matches.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Hit {
    found: HitInContext,
    path: Py<PyString>,
    pattern: Arc<heist::Pattern>,
}

/// A line before or behind a hit.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct ContextLine {
    line: u64,
    text: String,
    is_match: bool,
}

impl Hit {
    pub(crate) fn new(
        found: HitInContext,
        path: Py<PyString>,
        pattern: Arc<heist::Pattern>,
    ) -> Hit {
        Hit { found, path, pattern }
    }

    fn line_bytes(&self) -> &[u8] {
        &self.found.hit.bytes
    }

    /// The groups of the first match, from the first on.
    fn group_texts(&self) -> Vec<Option<String>> {
        let Some(first) = self.found.hit.matches.first() else { return Vec::new() };
        let line = self.line_bytes();
        let groups = self.pattern.groups(line, first.start);
        let text = |group| line.get::<std::ops::Range<usize>>(group);
        let text = |group: Option<_>| group.and_then(text).map(|text| text.to_str_lossy().into());
        groups.into_iter().skip(1).map(text).collect()
    }
}

#[pymethods]
impl Hit {
    #[getter]
    fn path(&self, py: Python<'_>) -> Py<PyString> {
        self.path.clone_ref(py)
    }

    #[getter]
    fn line(&self) -> u64 {
        self.found.hit.line_number
    }

    #[getter]
    fn column(&self) -> usize {
        let start = self.found.hit.matches.first().map_or(0, |first| first.start);
        char_offset(self.line_bytes(), start) + 1
    }

    #[getter]
    fn end(&self) -> usize {
        let end = self.found.hit.matches.first().map_or(0, |first| first.end);
        char_offset(self.line_bytes(), end) + 1
    }

    #[getter]
    fn offset(&self) -> u64 {
        self.found.hit.offset
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.line_bytes().to_str_lossy())
    }

    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.line_bytes())
    }

    #[getter]
    fn spans(&self) -> Vec<(usize, usize)> {
        self.found.hit.matches.iter().map(|span| char_span(self.line_bytes(), span)).collect()
    }

    #[getter]
    fn byte_spans(&self) -> Vec<(usize, usize)> {
        self.found.hit.matches.iter().map(|span| (span.start, span.end)).collect()
    }

    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.group_texts())
    }

    #[getter]
    fn named<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        let names = self.pattern.matcher().group_names();
        for (name, text) in names.into_iter().skip(1).zip(self.group_texts()) {
            if let Some(name) = name {
                named.set_item(name, text)?;
            }
        }
        Ok(named)
    }

    #[getter]
    fn before(&self) -> Vec<ContextLine> {
        self.found.before.iter().map(ContextLine::from).collect()
    }

    #[getter]
    fn after(&self) -> Vec<ContextLine> {
        self.found.after.iter().map(ContextLine::from).collect()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path.bind(py).repr()?;
        let text = self.text(py);
        Ok(format!("Hit({path}, line={}, text={})", self.line(), text.repr()?))
    }

    fn __str__(&self, py: Python<'_>) -> String {
        let path = self.path.bind(py).to_string_lossy();
        format!("{path}:{}:{}", self.line(), self.line_bytes().to_str_lossy())
    }
}

impl From<&OwnedHit> for ContextLine {
    fn from(line: &OwnedHit) -> ContextLine {
        ContextLine {
            line: line.line_number,
            text: line.text().into_owned(),
            is_match: line.kind == heist::HitKind::Match,
        }
    }
}

#[pymethods]
impl ContextLine {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.text).repr()?;
        Ok(format!("ContextLine(line={}, text={text})", self.line))
    }
}
