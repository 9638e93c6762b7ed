//! What all workers in a walk share.

use heist_filter::Filter;

use crate::{
    bounds::Bounds,
    config::WalkConfig,
    descriptors::Descriptors,
    file_limits::FileLimits,
    known_dirs::{KnownDir, KnownDirs},
    sort_order::SortOrder,
    visitor::Wants,
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
    /// What visitors receive besides files.
    pub(crate) wants: Wants,
}

impl<'run> WalkContext<'run> {
    /// The known directory with this number, with that.
    pub(crate) fn known_dir(&self, number: u32) -> Option<(u32, Box<dyn KnownDir<'run> + 'run>)> {
        Some((number, self.known_dirs?.dir(number)?))
    }

    /// Whether each directory's entries are sorted.
    pub(crate) fn sorts(&self) -> bool {
        self.config.order.is_some_and(SortOrder::sorts)
    }

    /// Whether only rules decide which regular files are visited, and no visitor learns about
    /// others.
    pub(crate) fn files_need_only_rules(&self) -> bool {
        let WalkConfig { on_skip, skip, shard, .. } = self.config;
        let is_limited = self.limits.is_some() || shard.is_some();
        !is_limited && skip.is_none() && on_skip.is_none() && !self.wants.listings
    }
}
