//! What all workers in a walk share.

use heist_filter::Filter;

use crate::{
    bounds::Bounds, config::WalkConfig, descriptors::Descriptors, explained::ExplainedEntry,
    file_limits::FileLimits, known_dirs::KnownDirs, sort_order::SortOrder,
};

/// What all workers of a walk share.
pub(crate) struct WalkContext<'run> {
    pub(crate) config: &'run WalkConfig,
    pub(crate) filter: &'run Filter,
    pub(crate) known_dirs: Option<&'run dyn KnownDirs>,
    /// Which files are visited by their size and the like, if there are limits.
    pub(crate) limits: Option<FileLimits>,
    /// What links must not lead out of, if that is limited.
    pub(crate) bounds: Option<Bounds>,
    pub(crate) descriptors: Descriptors,
    /// Whether the filter accepts everything, so that it need not be called.
    pub(crate) unfiltered: bool,
    /// Whether visitors receive links that are not followed.
    pub(crate) links: bool,
    /// Whether visitors receive directories.
    pub(crate) directories: bool,
    /// Whether visitors receive listings.
    pub(crate) listings: bool,
    /// Whether visitors receive whole directories.
    pub(crate) whole: bool,
    /// The entry that `--why` explains, if there is one.
    pub(crate) explained: Option<ExplainedEntry>,
}

impl WalkContext<'_> {
    /// Whether each directory's entries are sorted.
    pub(crate) fn sorts(&self) -> bool {
        self.config.order.is_some_and(SortOrder::sorts)
    }

    /// Whether only rules decide which regular files are visited, and no visitor learns about
    /// others.
    pub(crate) fn files_need_only_rules(&self) -> bool {
        let WalkConfig { explain, skip, .. } = self.config;
        self.limits.is_none() && skip.is_none() && !explain && !self.listings
    }
}
