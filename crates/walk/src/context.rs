//! What all workers in a walk share.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

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
    /// The entry that `--why` explains, if there is one.
    pub(crate) explained: Option<ExplainedEntry>,
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
        let WalkConfig { explain, skip, .. } = self.config;
        self.limits.is_none() && skip.is_none() && !explain && !self.wants.listings
    }
}

/// The entry that `--why` explains: its name, and the reason why it is left out, once that is
/// known.
#[derive(Debug, Default)]
pub(crate) struct ExplainedEntry(Mutex<(Vec<u8>, Option<String>)>);

impl ExplainedEntry {
    /// Sets the entry's name.
    pub(crate) fn set(&self, name: &[u8]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_vec(), None);
    }

    /// Notes the reason for which `name` is left out, if that is the entry.
    pub(crate) fn note(&self, name: &[u8], why: &dyn fmt::Display) {
        let mut explained = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if explained.0 == name {
            explained.1 = Some(why.to_string());
        }
    }

    /// Takes the reason.
    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.take()
    }
}
