//! Ignore rules, for paths that the caller has.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyList, PyString},
};

use crate::errors::exception;

/// The ignore rules of a tree.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Ignore {
    rules: Mutex<heist::Ignore>,
}

/// The rule that makes a path ignored.
#[pyclass(frozen, get_all, module = "heist_search")]
pub(crate) struct IgnoredBy {
    path: Py<PyAny>,
    source: Py<PyAny>,
    line: u32,
    rule: String,
}

#[pymethods]
impl Ignore {
    #[new]
    #[pyo3(signature = (root = None, *, rules = "git"))]
    fn new(py: Python<'_>, root: Option<PathBuf>, rules: &str) -> PyResult<Ignore> {
        let root = root.unwrap_or_else(|| ".".into());
        let rules = match rules {
            "git" => py.detach(|| heist::Ignore::new(&root)),
            "search" => py.detach(|| heist::Ignore::of_search(&root)),
            other => {
                let message = format!("rules are those of 'git' or of a 'search', not '{other}'");
                return Err(PyValueError::new_err(message));
            }
        };
        let rules = rules.map_err(|error| exception(py, &error))?;
        Ok(Ignore { rules: Mutex::new(rules) })
    }

    /// Whether a rule ignores `path` or a directory above it.
    fn is_ignored(&self, py: Python<'_>, path: PathBuf) -> PyResult<bool> {
        let ignored = py.detach(|| self.rules().is_ignored(&path));
        ignored.map_err(|error| exception(py, &error))
    }

    /// The rule that ignores `path`, if one does.
    fn why(&self, py: Python<'_>, path: PathBuf) -> PyResult<Option<IgnoredBy>> {
        let by = py.detach(|| self.rules().why(&path)).map_err(|error| exception(py, &error))?;
        let text = |path: PathBuf| {
            PyResult::Ok(path.into_os_string().into_pyobject(py)?.into_any().unbind())
        };
        by.map(|by| {
            let (path, source) = (text(by.path)?, text(by.source)?);
            Ok(IgnoredBy { path, source, line: by.line, rule: by.rule })
        })
        .transpose()
    }

    /// The paths that no rule ignores, in their order.
    fn filter<'py>(
        &self,
        py: Python<'py>,
        paths: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let given: Vec<Bound<'_, PyAny>> = paths.try_iter()?.collect::<PyResult<_>>()?;
        let paths: Vec<PathBuf> =
            given.iter().map(|path| path.extract()).collect::<Result<_, _>>()?;
        let ignored = py.detach(|| self.rules().are_ignored(&paths));
        let ignored = ignored.map_err(|error| exception(py, &error))?;
        let left = given.into_iter().zip(ignored).filter(|(_, ignored)| !ignored);
        PyList::new(py, left.map(|(path, _)| path).collect::<Vec<_>>())
    }
}

impl Ignore {
    /// The rules, for a thread that is detached.
    fn rules(&self) -> MutexGuard<'_, heist::Ignore> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl IgnoredBy {
    fn __str__(&self, py: Python<'_>) -> String {
        format!("{}:{}: {}", self.source.bind(py), self.line, self.rule)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (path, source) = (self.path.bind(py).repr()?, self.source.bind(py).repr()?);
        let rule = PyString::new(py, &self.rule).repr()?;
        Ok(format!("IgnoredBy(path={path}, source={source}, line={}, rule={rule})", self.line))
    }
}
