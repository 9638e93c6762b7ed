//! Large files that several workers search: the worker that has one publishes it here and calls for
//! help, and idle workers look for files here.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use heist_matcher::Finder;
use heist_searcher::{ChunkHelpers, Chunks};
use heist_walk::Helpers as WalkHelpers;

use crate::output::Budget;

/// The large files that are being searched.
#[derive(Debug)]
pub(crate) struct SharedSearches {
    workers: usize,
    /// The limits of results, if there are any.
    budget: Option<Arc<Budget>>,
    files: Mutex<Vec<Arc<Chunks>>>,
    /// Whether a worker was called that has not arrived.
    is_called: AtomicBool,
}

impl SharedSearches {
    pub(crate) fn new(workers: usize, budget: Option<Arc<Budget>>) -> SharedSearches {
        let (files, is_called) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        SharedSearches { workers, budget, files, is_called }
    }

    /// Helps to search every published file.
    pub(crate) fn help(&self, finder: &mut Finder) {
        // Ordering: Relaxed; the flag guards no data. A worker that arrives too early or too late
        // finds nothing and can be called again.
        self.is_called.store(false, Ordering::Relaxed);
        let files = self.files().clone();
        for chunks in files {
            chunks.help(finder);
        }
    }

    /// The workers that can help the worker of `helpers`.
    pub(crate) fn helpers<'a>(&'a self, helpers: &'a mut dyn WalkHelpers) -> WorkerHelpers<'a> {
        WorkerHelpers { shared_searches: self, helpers, own: None, claimed_bytes: 0 }
    }

    /// How many bytes of all published files workers have claimed.
    pub(crate) fn claimed_bytes(&self) -> u64 {
        // Without the lock of the list, which workers need.
        let files = self.files().clone();
        files.iter().map(|chunks| chunks.claimed_bytes()).sum()
    }

    fn files(&self) -> MutexGuard<'_, Vec<Arc<Chunks>>> {
        // No code panics while the lock is held.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other workers, as a worker that searches a file sees them.
pub(crate) struct WorkerHelpers<'a> {
    shared_searches: &'a SharedSearches,
    helpers: &'a mut dyn WalkHelpers,
    /// The published file.
    own: Option<Arc<Chunks>>,
    /// How many bytes of it were claimed in chunks.
    claimed_bytes: u64,
}

impl WorkerHelpers<'_> {
    /// How many bytes of the file were claimed in chunks, until it needed no more help.
    pub(crate) fn claimed_bytes(&self) -> u64 {
        self.claimed_bytes
    }
}

impl ChunkHelpers for WorkerHelpers<'_> {
    fn count(&self) -> usize {
        self.shared_searches.workers - 1
    }

    fn begin(&mut self, chunks: &Arc<Chunks>) {
        self.own = Some(Arc::clone(chunks));
        self.shared_searches.files().push(Arc::clone(chunks));
    }

    fn call(&mut self) {
        // Ordering: Relaxed, as in `help`.
        if self.helpers.has_idle_workers()
            && !self.shared_searches.is_called.swap(true, Ordering::Relaxed)
        {
            self.helpers.call_for_help();
        }
    }

    fn is_stopped(&self) -> bool {
        let finishes = || {
            let budget = self.shared_searches.budget.as_ref();
            budget.is_some_and(|budget| budget.finishes_files())
        };
        self.helpers.is_stopped() && !finishes()
    }

    fn end(&mut self) {
        let Some(own) = self.own.take() else { return };
        self.claimed_bytes = self.claimed_bytes.max(own.claimed_bytes());
        self.shared_searches.files().retain(|chunks| !Arc::ptr_eq(chunks, &own));
    }
}

/// The absence of other workers.
pub(crate) struct NoHelpers;

impl WalkHelpers for NoHelpers {
    fn has_idle_workers(&self) -> bool {
        false
    }

    fn call_for_help(&mut self) {}

    fn is_stopped(&self) -> bool {
        false
    }
}
