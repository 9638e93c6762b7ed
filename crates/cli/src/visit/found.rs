//! What each worker found, and all of them together.

use heist_printer::Stats;
use heist_walk::{Assist, OrderedVisitor};

/// What a run found, as far as the exit code depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// A match, or whatever else the mode asks for.
    pub(crate) any_match: bool,
    /// A file to look at.
    pub(crate) any_file: bool,
    /// What was counted, if that was asked for.
    pub(crate) stats: Option<Stats>,
}

impl Found {
    /// Add what another worker found.
    pub(super) fn add(&mut self, other: Found) {
        self.any_match |= other.any_match;
        self.any_file |= other.any_file;
        if let Some(stats) = other.stats {
            self.stats.get_or_insert_default().add(&stats);
        }
    }
}

/// A visitor that knows what it found.
pub(crate) trait Worker: OrderedVisitor + Assist {
    fn found(&self) -> Found;
}
