//! Sorted walks: all entries are found first, by all workers, and then visited in their order.

use std::mem;

use heist_walk::{Entry, FoundEntries, OwnedEntry, SortOrder, SortedEntries, WalkConfig};

use super::{Order, Walk, WalkSummary};
use crate::{Error, IntoFlow, Skipped};

/// The entries of a walk in their order.
pub(crate) struct Sorted {
    entries: SortedEntries,
    pub(crate) errors: Vec<Error>,
    pub(crate) skipped: Skipped,
    pub(crate) is_complete: bool,
}

impl Walk {
    pub(super) fn run_sorted<R: IntoFlow>(
        self,
        mut on_entry: impl FnMut(&Entry<'_>) -> R,
    ) -> Result<WalkSummary, Error> {
        let mut sorted = self.collect_sorted()?;
        let mut summary = WalkSummary {
            entries: 0,
            errors: mem::take(&mut sorted.errors),
            skipped: mem::take(&mut sorted.skipped),
            is_complete: sorted.is_complete,
        };
        for index in 0..sorted.len() {
            if self.cancel.is_cancelled() {
                summary.is_complete = false;
                break;
            }
            summary.entries += 1;
            if on_entry(&sorted.entry(index)).into_flow().is_break() {
                summary.is_complete = false;
                break;
            }
        }
        Ok(summary)
    }

    pub(crate) fn is_sorted(&self) -> bool {
        self.order.is_some() || self.is_reversed.unwrap_or_default()
    }

    /// Finds all entries, and returns them in their order.
    pub(crate) fn collect_sorted(&self) -> Result<Sorted, Error> {
        let order = self.order.unwrap_or(Order::Path);
        let config = WalkConfig { order: Some(SortOrder::Names), ..self.config() };
        let time = match order {
            Order::Path => None,
            Order::Time(time) => Some(time),
        };
        let collect = |found: &mut FoundEntries, entry: &Entry<'_>| found.push(entry, time);
        let (found, summary) = self.run_unsorted(&FoundEntries::default, &collect, &config)?;
        let WalkSummary { errors, skipped, is_complete, .. } = summary;
        let mut entries = SortedEntries::new(found, false);
        if self.is_reversed.unwrap_or_default() {
            entries.reverse();
        }
        Ok(Sorted { entries, errors, skipped, is_complete })
    }
}

impl Sorted {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entry with this index in the order.
    pub(crate) fn entry(&self, index: usize) -> Entry<'_> {
        self.entries.entry(index, &[])
    }

    /// All entries, in their order, as ones that do not borrow from this.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = OwnedEntry> {
        let mut previous: Option<OwnedEntry> = None;
        (0..self.len()).map(move |index| {
            let entry = self.entry(index).to_owned_entry(previous.as_ref());
            previous = Some(entry.clone());
            entry
        })
    }
}
