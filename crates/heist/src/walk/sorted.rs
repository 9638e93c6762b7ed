//! Sorted walks: all entries are found first, by all workers, and then visited in their order.

use std::time::SystemTime;

use heist_walk::{Entry, EntryList, OwnedEntry, SortOrder, WalkConfig};

use super::{Order, Walk, WalkSummary};
use crate::{Error, IntoFlow};

/// The entries of a walk in their order.
pub(crate) struct Sorted {
    /// The entries that each worker has found.
    found: Vec<EntryList>,
    order: Vec<SortEntry>,
    pub(crate) errors: Vec<Error>,
    pub(crate) is_complete: bool,
}

/// An entry to sort.
#[derive(Clone, Copy, Debug)]
struct SortEntry {
    /// `None` if entries are sorted by path, and for an entry without this time.
    time: Option<SystemTime>,
    /// The worker that found it.
    worker: usize,
    /// The entry's index in that worker's list.
    index: usize,
}

/// The entries that one worker has found, with their times if those decide.
#[derive(Default)]
struct FoundEntries {
    entries: EntryList,
    times: Vec<Option<SystemTime>>,
}

impl Walk {
    pub(super) fn run_sorted<R: IntoFlow>(
        self,
        mut on_entry: impl FnMut(&Entry<'_>) -> R,
    ) -> Result<WalkSummary, Error> {
        let mut sorted = self.collect_sorted()?;
        let errors = std::mem::take(&mut sorted.errors);
        let mut summary = WalkSummary { entries: 0, errors, is_complete: sorted.is_complete };
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
        let collect = |found: &mut FoundEntries, entry: &Entry<'_>| {
            found.entries.push(entry);
            if let Order::Time(time) = order {
                found.times.push(entry.time(time).ok());
            }
        };
        let (found, summary) = self.run_unsorted(&FoundEntries::default, &collect, &config)?;
        let mut sorted = Sorted {
            found: Vec::new(),
            order: Vec::new(),
            errors: summary.errors,
            is_complete: summary.is_complete,
        };
        for (worker, FoundEntries { entries, times }) in found.into_iter().enumerate() {
            let note = |index| {
                let time = times.get(index).copied().flatten();
                SortEntry { time, worker, index }
            };
            sorted.order.extend((0..entries.len()).map(note));
            sorted.found.push(entries);
        }
        sorted.sort();
        if self.is_reversed.unwrap_or_default() {
            sorted.order.reverse();
        }
        Ok(sorted)
    }
}

impl Sorted {
    /// Sorts by time, entries without one last, and then by path.
    fn sort(&mut self) {
        let Sorted { found, order, .. } = self;
        order.sort_unstable_by(|a, b| {
            let times = match (a.time, b.time) {
                (Some(a), Some(b)) => a.cmp(&b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            };
            let paths = || found[a.worker].cmp_keys(a.index, &found[b.worker], b.index);
            times.then_with(paths)
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The entry with this index in the order.
    pub(crate) fn entry(&self, index: usize) -> Entry<'_> {
        let SortEntry { worker, index, .. } = self.order[index];
        self.found[worker].entry(index, &[])
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
