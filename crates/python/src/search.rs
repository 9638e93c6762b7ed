//! The search of files.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use heist::{BatchOptions, Batches, HitInContext};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyString, PyTuple},
};

use crate::{
    errors::exception,
    hit::Hit,
    options::{Changed, Reading, Seconds, Selection, Texts, Time},
    pattern::Pattern,
    shown::Shown,
};

/// How often a thread that waits for hits looks whether a signal has arrived.
const SIGNAL_TIME: Duration = Duration::from_millis(50);

/// A search for the lines of files that match a pattern.
#[pyclass(frozen, module = "heist_search")]
pub(crate) struct Search {
    batches: Batches,
    pattern: Arc<heist::Pattern>,
    roots: Vec<PathBuf>,
    ready: Mutex<Ready>,
    shown: Mutex<Option<Py<Shown>>>,
}

/// Hits that were received and not yet passed on.
#[derive(Default)]
struct Ready {
    hits: VecDeque<HitInContext>,
    /// The path of the last hit.
    path: Option<(Arc<Path>, Py<PyString>)>,
}

/// Lines before and behind each hit: a number, or two.
#[derive(FromPyObject)]
enum ContextLines {
    Both(usize),
    Each(usize, usize),
}

/// Whether indexes are used, or where they are.
#[derive(FromPyObject)]
enum IndexChoice {
    Usual(bool),
    In(PathBuf),
}

#[pymethods]
impl Search {
    #[new]
    #[pyo3(signature = (
        pattern, *roots, only=None, exclude=None, types=None, exclude_types=None, hidden=false,
        ignored=false, max_depth=None, newer=None, older=None, changed=None, shard=None,
        shard_by=None, context=None, ignore_case=false, any_case=false, word=false, literal=false,
        multiline=false, dotall=false, binary=false, sort=None, reverse=false, limit=None,
        offset=0, timeout=None, index=None, threads=None, skipped=None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "Python has named arguments")]
    fn new(
        py: Python<'_>,
        pattern: &Bound<'_, PyAny>,
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
        context: Option<ContextLines>,
        ignore_case: bool,
        any_case: bool,
        word: bool,
        literal: bool,
        multiline: bool,
        dotall: bool,
        binary: bool,
        sort: Option<String>,
        reverse: bool,
        limit: Option<u64>,
        offset: u64,
        timeout: Option<Seconds>,
        index: Option<IndexChoice>,
        threads: Option<usize>,
        skipped: Option<usize>,
    ) -> PyResult<Search> {
        let reading = Reading { ignore_case, any_case, word, literal, multiline, dotall };
        let pattern = pattern_of(py, pattern, reading, !binary)?;
        let roots: Vec<PathBuf> =
            roots.iter().map(|root| root.extract()).collect::<Result<_, _>>()?;
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
        let mut walk = selection.walk()?;
        if let Some(max) = skipped {
            walk = walk.name_skipped(max);
        }
        let mut search = heist::Search::with_matcher(pattern.matcher().clone()).walk(walk);
        search = match context {
            None => search,
            Some(ContextLines::Both(lines)) => search.context(lines, lines),
            Some(ContextLines::Each(before, after)) => search.context(before, after),
        };
        search = if binary { search.binary_as_text() } else { search };
        search = match limit {
            Some(limit) => search.limit(limit),
            None => search,
        };
        search = match index {
            None | Some(IndexChoice::Usual(false)) => search,
            Some(IndexChoice::In(home)) => search.indexes_in(home),
            Some(IndexChoice::Usual(true)) => search.indexes_of_user(),
        };
        let timeout = timeout.map(|Seconds(timeout)| timeout);
        let batches = Batches::new(search, BatchOptions { offset, timeout });
        Ok(Search { batches, pattern, roots, ready: Mutex::default(), shown: Mutex::default() })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Hit>> {
        loop {
            if let Some(hit) = self.take_ready(py)? {
                return Ok(Some(hit));
            }
            if !self.receive(py)? {
                self.end(py)?;
                return Ok(None);
            }
        }
    }

    fn __aiter__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let py = slf.py();
        py.import("heist_search._async")?.call_method1("hits", (slf,))
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    /// Ends the search; the hits that were found can still be read.
    fn cancel(&self) {
        self.batches.cancel();
    }

    /// Ends the search and drops the hits that were not read.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.batches.close());
        let unread = std::mem::take(&mut self.ready().hits);
        drop(unread);
        // A search that is closed reports no errors.
        let _ = self.end(py);
    }

    /// What was shown and what was left out, once the search is over.
    #[getter]
    fn shown(&self, py: Python<'_>) -> Option<Py<Shown>> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.as_ref().map(|shown| shown.clone_ref(py))
    }

    /// Waits for hits and returns them; `None` once the search is over.
    fn _next_batch(&self, py: Python<'_>) -> PyResult<Option<Vec<Hit>>> {
        if self.ready().hits.is_empty() && !self.receive(py)? {
            self.end(py)?;
            return Ok(None);
        }
        let mut hits = Vec::new();
        while let Some(hit) = self.take_ready(py)? {
            hits.push(hit);
        }
        Ok(Some(hits))
    }
}

impl Search {
    fn ready(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next hit of those that were received.
    fn take_ready(&self, py: Python<'_>) -> PyResult<Option<Hit>> {
        let (found, known) = {
            let mut ready = self.ready();
            let Some(found) = ready.hits.pop_front() else { return Ok(None) };
            let known = ready.path.as_ref().filter(|(path, _)| Arc::ptr_eq(path, &found.hit.path));
            let known = known.map(|(_, text)| text.clone_ref(py));
            (found, known)
        };
        let path = match known {
            Some(path) => path,
            None => {
                let path = found.hit.path.as_os_str().into_pyobject(py)?.unbind();
                let known = Some((Arc::clone(&found.hit.path), path.clone_ref(py)));
                let old = std::mem::replace(&mut self.ready().path, known);
                drop(old);
                path
            }
        };
        Ok(Some(Hit::new(found, path, Arc::clone(&self.pattern))))
    }

    /// Waits for hits. Returns false if the search is over.
    fn receive(&self, py: Python<'_>) -> PyResult<bool> {
        loop {
            match py.detach(|| self.batches.next_batch_within(SIGNAL_TIME)) {
                None => return Ok(false),
                Some(batch) if batch.is_empty() => py.check_signals()?,
                Some(batch) => {
                    self.ready().hits.extend(batch);
                    return Ok(true);
                }
            }
        }
    }

    /// Takes the account of the search, which is over. An error about a root is raised.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        if self.shown(py).is_some() {
            return Ok(());
        }
        let shown = py.detach(|| self.batches.finish()).map_err(|error| exception(py, &error))?;
        let account = Py::new(py, Shown::new(py, &shown)?)?;
        let is_of_root = |path: &Path| self.roots.iter().any(|root| root == path);
        let of_root = shown.errors.iter().find(|error| {
            !matches!(error, heist::Error::RuleFile(_)) && error.path().is_some_and(is_of_root)
        });
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(account);
        of_root.map_or(Ok(()), |error| Err(exception(py, error)))
    }
}

/// The compiled form of `pattern`, a text or a `Pattern`.
pub(crate) fn pattern_of(
    py: Python<'_>,
    pattern: &Bound<'_, PyAny>,
    reading: Reading,
    ban_nul: bool,
) -> PyResult<Arc<heist::Pattern>> {
    if let Ok(pattern) = pattern.cast::<Pattern>() {
        if reading.is_set() {
            let message = "a Pattern is compiled: give it what says how it is read";
            return Err(PyValueError::new_err(message));
        }
        return Ok(Arc::clone(&pattern.get().compiled));
    }
    let Ok(text) = pattern.cast::<PyString>() else {
        return Err(PyTypeError::new_err("the pattern is a str or a Pattern"));
    };
    let matcher = reading.compile(py, text.to_cow()?.as_ref(), ban_nul)?;
    Ok(Arc::new(heist::Pattern::with_matcher(matcher)))
}
