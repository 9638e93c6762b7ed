//! The settings of a search, as its builder collects them.

use heist_matcher::Matcher;
use heist_searcher::SearchConfig;

use crate::Walk;

/// The settings of a [`Search`](crate::Search).
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    pub(crate) matcher: Matcher,
    /// Which files are searched.
    pub(crate) walk: Walk,
    /// Which lines are reported.
    pub(crate) config: SearchConfig,
    /// What replaces matches.
    pub(crate) replacement: Option<Vec<u8>>,
    /// Matching lines to report in all.
    pub(crate) limit: Option<u64>,
}
