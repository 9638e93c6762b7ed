//! Ending a search or a walk before it is complete.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// A handle that ends a [`Search`](crate::Search) or a [`Walk`](crate::Walk) early, from any
/// thread.
///
/// Clones share one state. Workers check the token in each directory, before each file, at each
/// matching line and before each read of a file, so a cancelled run returns soon, also out of a
/// large file without a match. It waits for a read that waits itself, as from a pipe, and for the
/// engine where matches may span lines and a whole file is in memory. The run returns normally; its
/// summary has [`is_complete`](crate::Summary::is_complete) `false`.
///
/// ```
/// use heist::{CancelToken, Search};
///
/// let token = CancelToken::new();
/// token.cancel();
/// let summary = Search::new("fn")?.root("src").cancel(&token).run(|_| ())?;
/// assert!(!summary.is_complete);
/// # Ok::<(), heist::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    is_cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// Other tokens that cancel the run, too.
    others: Vec<CancelToken>,
}

impl CancelToken {
    /// A token that is not cancelled.
    #[must_use]
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// A token that cancels itself after `timeout`.
    #[must_use]
    pub fn with_timeout(timeout: Duration) -> CancelToken {
        // A time beyond what the clock can represent never comes.
        let deadline = Instant::now().checked_add(timeout);
        CancelToken { deadline, ..CancelToken::default() }
    }

    /// Ends every run that was given this token or a clone of it.
    pub fn cancel(&self) {
        // Ordering: Relaxed, the flag publishes no other memory; a worker that reads it late does
        // one more file.
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](CancelToken::cancel) was called or the timeout has passed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        // Ordering: Relaxed, as in `cancel`.
        self.is_cancelled.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.others.iter().any(CancelToken::is_cancelled)
    }

    /// A token that is cancelled if this one is, or `other`.
    pub(crate) fn or(mut self, other: CancelToken) -> CancelToken {
        self.others.push(other);
        self
    }
}
