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
pub(crate) struct Assistance {
    workers: usize,
    files: Mutex<Vec<Arc<Chunks>>>,
    /// Somebody was called who has not come yet.
    is_called: AtomicBool,
}

impl Assistance {
    pub(crate) fn new(workers: usize) -> Assistance {
        Assistance { workers, files: Mutex::new(Vec::new()), is_called: AtomicBool::new(false) }
    }

    /// Help wherever help is wanted.
    pub(crate) fn give(&self, finder: &mut Finder) {
        // Ordering: Relaxed, nothing hangs on it: who comes too early or too late finds nothing, and may be called again.
        self.is_called.store(false, Ordering::Relaxed);
        let files = self.files().clone();
        for chunks in files {
            chunks.help(finder);
        }
    }

    /// Those who may help the worker that `crew` belongs to.
    pub(crate) fn of<'a>(&'a self, crew: &'a mut dyn WalkHelpers) -> Others<'a> {
        Others { assistance: self, crew, own: None }
    }

    fn files(&self) -> MutexGuard<'_, Vec<Arc<Chunks>>> {
        // Nothing panics while it is locked.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other workers, for one who searches a file.
pub(crate) struct Others<'a> {
    assistance: &'a Assistance,
    crew: &'a mut dyn WalkHelpers,
    /// What is posted.
    own: Option<Arc<Chunks>>,
}

impl ChunkHelpers for Others<'_> {
    fn count(&self) -> usize {
        self.assistance.workers - 1
    }

    fn begin(&mut self, chunks: &Arc<Chunks>) {
        self.own = Some(Arc::clone(chunks));
        self.assistance.files().push(Arc::clone(chunks));
    }

    fn call(&mut self) {
        // Ordering: Relaxed, as in `give`.
        if self.crew.has_idle_workers() && !self.assistance.is_called.swap(true, Ordering::Relaxed)
        {
            self.crew.call_for_help();
        }
    }

    fn is_stopped(&self) -> bool {
        self.crew.is_stopped()
    }

    fn end(&mut self) {
        let Some(own) = self.own.take() else { return };
        self.assistance.files().retain(|chunks| !Arc::ptr_eq(chunks, &own));
    }
}

/// No other workers.
pub(crate) struct Alone;

impl WalkHelpers for Alone {
    fn has_idle_workers(&self) -> bool {
        false
    }

    fn call_for_help(&mut self) {}

    fn is_stopped(&self) -> bool {
        false
    }
}
