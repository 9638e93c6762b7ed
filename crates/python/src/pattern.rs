//! Patterns, matched against bytes in memory.

use std::sync::Arc;

use pyo3::{prelude::*, types::PyString};

use crate::{
    found::{Finds, Haystack, Lines, bytes_of},
    options::Reading,
};

/// Bytes from which a search detaches from the interpreter, which takes longer than to search less.
const DETACH_BYTES: usize = 4096;

/// A compiled pattern, which threads may share.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Pattern {
    pub(crate) compiled: Arc<heist::Pattern>,
    text: String,
}

#[pymethods]
impl Pattern {
    #[new]
    #[pyo3(signature = (
        pattern, *, ignore_case=false, any_case=false, word=false, literal=false, multiline=false,
        dotall=false,
    ))]
    #[allow(clippy::too_many_arguments, reason = "Python has named arguments")]
    fn new(
        py: Python<'_>,
        pattern: String,
        ignore_case: bool,
        any_case: bool,
        word: bool,
        literal: bool,
        multiline: bool,
        dotall: bool,
    ) -> PyResult<Pattern> {
        let reading = Reading { ignore_case, any_case, word, literal, multiline, dotall };
        let matcher = reading.compile(py, &pattern, false)?;
        Ok(Pattern { compiled: Arc::new(heist::Pattern::with_matcher(matcher)), text: pattern })
    }

    /// Whether any line matches.
    fn is_match(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        let bytes = bytes_of(data)?;
        if bytes.len() < DETACH_BYTES {
            return Ok(self.compiled.is_match(&bytes));
        }
        Ok(py.detach(|| self.compiled.is_match(&bytes)))
    }

    /// The matches, from the first to the last.
    fn find_iter(&self, data: &Bound<'_, PyAny>) -> PyResult<Finds> {
        Ok(Finds::new(self.haystack(data)?))
    }

    /// The lines that match, from the first to the last.
    fn lines(&self, data: &Bound<'_, PyAny>) -> PyResult<Lines> {
        Ok(Lines::new(self.haystack(data)?))
    }

    /// The pattern as it was given.
    #[getter]
    fn pattern(&self) -> &str {
        &self.text
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Pattern({})", PyString::new(py, &self.text).repr()?))
    }
}

impl Pattern {
    fn haystack(&self, data: &Bound<'_, PyAny>) -> PyResult<Haystack> {
        Ok(Haystack { pattern: Arc::clone(&self.compiled), bytes: bytes_of(data)? })
    }
}
