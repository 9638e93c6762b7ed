//! The lines and matches that a pattern finds in bytes.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use bstr::ByteSlice as _;
use heist::{FoundLine, LineCursor};
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    pybacked::PyBackedBytes,
    types::{PyBytes, PyDict, PyString, PyTuple},
};

/// Lines that are looked for at a time, so that a signal is not waited for.
const LINES_AT_A_TIME: usize = 4096;

/// Bytes in memory, and the pattern that is matched against them.
pub(crate) struct Haystack {
    pub(crate) pattern: Arc<heist::Pattern>,
    pub(crate) bytes: PyBackedBytes,
}

/// A line of bytes that matches.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Line {
    haystack: Arc<Haystack>,
    found: FoundLine,
}

/// A match in bytes.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Match {
    haystack: Arc<Haystack>,
    number: u64,
    line: Range<usize>,
    span: Range<usize>,
}

/// Lines that are still to come.
struct Search {
    haystack: Arc<Haystack>,
    /// `None` while a thread searches.
    cursor: Mutex<Option<LineCursor>>,
    found: Mutex<VecDeque<FoundLine>>,
}

/// The lines that match, as an iterator.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Lines {
    search: Search,
}

/// The matches, as an iterator.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Finds {
    search: Search,
    found: Mutex<VecDeque<Match>>,
}

impl Search {
    fn new(haystack: Haystack) -> Search {
        Search {
            haystack: Arc::new(haystack),
            cursor: Mutex::new(Some(LineCursor::default())),
            found: Mutex::default(),
        }
    }

    /// The next line, searched for without the interpreter.
    fn next(&self, py: Python<'_>) -> PyResult<Option<FoundLine>> {
        let pop = || self.found.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some(line) = pop() {
            return Ok(Some(line));
        }
        let cursor = || self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut at) = cursor().take() else {
            return Err(PyRuntimeError::new_err("another thread is searching with this iterator"));
        };
        let Haystack { pattern, bytes } = &*self.haystack;
        let found = py.detach(|| pattern.next_lines(bytes, &mut at, LINES_AT_A_TIME));
        *cursor() = Some(at);
        self.found.lock().unwrap_or_else(PoisonError::into_inner).extend(found?);
        py.check_signals()?;
        Ok(pop())
    }
}

impl Lines {
    pub(crate) fn new(haystack: Haystack) -> Lines {
        Lines { search: Search::new(haystack) }
    }
}

impl Finds {
    pub(crate) fn new(haystack: Haystack) -> Finds {
        Finds { search: Search::new(haystack), found: Mutex::default() }
    }
}

#[pymethods]
impl Lines {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Line>> {
        let found = self.search.next(py)?;
        Ok(found.map(|found| Line { haystack: Arc::clone(&self.search.haystack), found }))
    }
}

#[pymethods]
impl Finds {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Match>> {
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(next) = found().pop_front() {
                return Ok(Some(next));
            }
            let Some(line) = self.search.next(py)? else { return Ok(None) };
            found().extend(matches_of(&self.search.haystack, &line));
        }
    }
}

fn matches_of<'a>(
    haystack: &'a Arc<Haystack>,
    line: &'a FoundLine,
) -> impl Iterator<Item = Match> + 'a {
    line.matches.iter().map(|span| Match {
        haystack: Arc::clone(haystack),
        number: line.number,
        line: line.range.clone(),
        span: span.clone(),
    })
}

#[pymethods]
impl Line {
    #[getter]
    fn number(&self) -> u64 {
        self.found.number
    }

    #[getter]
    fn start(&self) -> usize {
        self.found.range.start
    }

    #[getter]
    fn end(&self) -> usize {
        self.found.range.end
    }

    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.haystack.bytes[self.found.range.clone()])
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.haystack.bytes[self.found.range.clone()].to_str_lossy())
    }

    #[getter]
    fn matches(&self) -> Vec<Match> {
        matches_of(&self.haystack, &self.found).collect()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Line(number={}, bytes={})", self.number(), self.bytes(py).repr()?))
    }
}

impl Match {
    /// The groups of the match, from the first on.
    fn group_bytes<'py>(&self, py: Python<'py>) -> Vec<Option<Bound<'py, PyBytes>>> {
        let Haystack { pattern, bytes } = &*self.haystack;
        let line = &bytes[self.line.clone()];
        let groups = pattern.groups(line, self.span.start - self.line.start);
        let bytes = |group: Range<usize>| line.get(group).map(|group| PyBytes::new(py, group));
        groups.into_iter().skip(1).map(|group| group.and_then(bytes)).collect()
    }
}

#[pymethods]
impl Match {
    #[getter]
    fn start(&self) -> usize {
        self.span.start
    }

    #[getter]
    fn end(&self) -> usize {
        self.span.end
    }

    #[getter]
    fn line(&self) -> u64 {
        // Where a match spans lines, it may begin in a further one of those that are shown.
        let before = &self.haystack.bytes[self.line.start..self.span.start];
        self.number + before.iter().filter(|byte| **byte == b'\n').count() as u64
    }

    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.haystack.bytes[self.span.clone()])
    }

    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.haystack.bytes[self.span.clone()].to_str_lossy())
    }

    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.group_bytes(py))
    }

    #[getter]
    fn named<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        let names = self.haystack.pattern.matcher().group_names();
        for (name, bytes) in names.into_iter().skip(1).zip(self.group_bytes(py)) {
            if let Some(name) = name {
                named.set_item(name, bytes)?;
            }
        }
        Ok(named)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Range { start, end } = self.span;
        Ok(format!("Match(start={start}, end={end}, bytes={})", self.bytes(py).repr()?))
    }
}

/// The bytes of `data`, an object with the buffer protocol. What is not `bytes` is copied.
pub(crate) fn bytes_of(data: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Ok(bytes.clone().into());
    }
    if data.is_instance_of::<PyString>() {
        let message = "a pattern is matched against bytes: encode the text first";
        return Err(pyo3::exceptions::PyTypeError::new_err(message));
    }
    let view = data.py().import("builtins")?.getattr("memoryview")?.call1((data,))?;
    let copied = view.call_method0("tobytes")?;
    let bytes: Bound<'_, PyBytes> = copied.cast_into().map_err(PyErr::from)?;
    Ok(bytes.into())
}
