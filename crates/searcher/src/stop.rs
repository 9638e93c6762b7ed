//! Ending the search of a haystack early.

use std::{fmt, sync::Arc};

/// A condition that ends the search of a haystack early, as if its end had come. It is looked at
/// before each read.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use heist_matcher::Matcher;
/// use heist_searcher::{Flow, Searcher, Stop, sinks::Lossy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let is_over = Arc::new(AtomicBool::new(true));
/// let stop = Stop::new(move || is_over.load(Ordering::Relaxed));
/// let mut searcher = Searcher::default();
/// searcher.set_stop(Some(stop));
/// let matcher = Matcher::new(["y"], &Default::default())?;
/// let endless = std::io::repeat(b'x');
/// let mut sink = Lossy::new(|_, _| Flow::Continue(()));
/// searcher.search_reader(&mut matcher.finder(), endless, &mut sink)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// Ends a search once `is_over` returns true.
    pub fn new(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(is_over))
    }

    /// Whether the search is to end.
    pub(crate) fn is_over(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").finish_non_exhaustive()
    }
}
