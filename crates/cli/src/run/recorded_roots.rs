//! The paths that a list names, kept for a second walk: a list can be read only once.

use std::{
    io,
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use heist_walk::{Root, RootSource};

/// The most paths that are kept.
const MAX_PATHS: usize = 1 << 16;

/// A source of roots that keeps those that were taken.
#[derive(Debug)]
pub(crate) struct RecordedRoots {
    source: Arc<dyn RootSource>,
    taken: Mutex<Taken>,
}

/// The roots that were taken.
#[derive(Debug, Default)]
struct Taken {
    roots: Vec<Root>,
    /// How many roots were not kept.
    others: u64,
}

impl RecordedRoots {
    /// Records what is taken from `source`.
    pub(crate) fn new(source: Arc<dyn RootSource>) -> RecordedRoots {
        RecordedRoots { source, taken: Mutex::default() }
    }

    /// Returns the roots that were taken and kept, and how many others were taken.
    pub(crate) fn taken(&self) -> (Vec<Root>, u64) {
        // No code panics while the lock is held.
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        (taken.roots.clone(), taken.others)
    }
}

impl RootSource for RecordedRoots {
    fn take(
        &self,
        into: &mut Vec<PathBuf>,
        before_wait: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, (PathBuf, io::Error)> {
        let first = into.len();
        let flow = self.source.take(into, before_wait);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_PATHS - taken.roots.len();
        let new = &into[first..];
        taken.others += new.len().saturating_sub(room) as u64;
        taken.roots.extend(new.iter().take(room).cloned().map(Root::Path));
        flow
    }
}
