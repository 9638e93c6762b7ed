//! Large files are searched by several workers: who has one posts it here and calls for others, who look here for it.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use heist_matcher::Finder;
use heist_searcher::{ChunkHelpers, Chunks};
use heist_walk::Helpers as WalkHelpers;

/// The large files that are being searched.
#[derive(Debug)]
pub(crate) struct SharedSearches {
    workers: usize,
    files: Mutex<Vec<Arc<Chunks>>>,
    /// Somebody was called who has not come yet.
    is_called: AtomicBool,
}

impl SharedSearches {
    pub(crate) fn new(workers: usize) -> SharedSearches {
        SharedSearches { workers, files: Mutex::new(Vec::new()), is_called: AtomicBool::new(false) }
    }

    /// Help wherever help is wanted.
    pub(crate) fn help(&self, finder: &mut Finder) {
        // Ordering: Relaxed, nothing hangs on it: who comes too early or too late finds nothing, and may be called again.
        self.is_called.store(false, Ordering::Relaxed);
        let files = self.files().clone();
        for chunks in files {
            chunks.help(finder);
        }
    }

    /// Those who may help the worker that `crew` belongs to.
    pub(crate) fn helpers<'a>(&'a self, helpers: &'a mut dyn WalkHelpers) -> WorkerHelpers<'a> {
        WorkerHelpers { shared_searches: self, helpers, own: None }
    }

    fn files(&self) -> MutexGuard<'_, Vec<Arc<Chunks>>> {
        // Nothing panics while it is locked.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other workers, for one who searches a file.
pub(crate) struct WorkerHelpers<'a> {
    shared_searches: &'a SharedSearches,
    helpers: &'a mut dyn WalkHelpers,
    /// What is posted.
    own: Option<Arc<Chunks>>,
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
        // Ordering: Relaxed, as in `give`.
        if self.helpers.has_idle_workers()
            && !self.shared_searches.is_called.swap(true, Ordering::Relaxed)
        {
            self.helpers.call_for_help();
        }
    }

    fn is_stopped(&self) -> bool {
        self.helpers.is_stopped()
    }

    fn end(&mut self) {
        let Some(own) = self.own.take() else { return };
        self.shared_searches.files().retain(|chunks| !Arc::ptr_eq(chunks, &own));
    }
}

/// No other workers.
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
