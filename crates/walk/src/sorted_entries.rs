//! The entries that the workers of a walk have found, in one order.

use std::{cmp::Ordering, time::SystemTime};

use crate::{EntryList, FileTime, entry::Entry};

/// The entries that one worker has found, with their times if those decide.
#[derive(Debug, Default)]
pub struct FoundEntries {
    entries: EntryList,
    /// The time of each entry, or of none.
    times: Vec<Option<SystemTime>>,
}

impl FoundEntries {
    /// Adds an entry, which is to be sorted by `time`, or only by its key. All entries of a walk
    /// are sorted by the same.
    pub fn push(&mut self, entry: &Entry<'_>, time: Option<FileTime>) {
        self.entries.push(entry);
        if let Some(time) = time {
            self.times.push(entry.time(time).ok());
        }
    }
}

/// All entries in one order.
///
/// # Examples
///
/// ```
/// use std::{fs, ops::ControlFlow};
/// use heist_walk::{
///     Entry, Error, Filter, FilterConfig, FoundEntries, Helpers, SortOrder, SortedEntries,
///     Visitor, WalkConfig,
/// };
///
/// #[derive(Default)]
/// struct Collect(FoundEntries);
///
/// impl Visitor for Collect {
///     fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
///         self.0.push(entry, None);
///         ControlFlow::Continue(())
///     }
///
///     fn error(&mut self, _: Error) {}
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let root = dir.path();
/// fs::write(root.join("b"), "")?;
/// fs::write(root.join("a"), "")?;
/// let filter = Filter::new(FilterConfig::like_git(root))?;
/// let config = WalkConfig { order: Some(SortOrder::Names), ..WalkConfig::new(root) };
/// let report = heist_walk::walk(&config, &filter, |_| Collect::default())?;
/// let sorted = SortedEntries::new(report.visitors.into_iter().map(|visitor| visitor.0), false);
/// let names = (0..sorted.len()).map(|index| sorted.entry(index, &[]).name().to_vec());
/// assert_eq!(names.collect::<Vec<_>>(), [b"a", b"b"]);
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct SortedEntries {
    /// The entries that each worker has found.
    found: Vec<EntryList>,
    order: Vec<SortEntry>,
}

/// An entry to sort.
#[derive(Clone, Copy, Debug)]
struct SortEntry {
    time: Option<SystemTime>,
    /// The worker that found it.
    worker: u32,
    /// The entry's index in that worker's list. 2^32 entries would not fit into memory.
    index: u32,
}

impl SortedEntries {
    /// Sorts what the workers have `found` by time, entries without one last, or if `is_reversed`
    /// by time reversed, entries without one first. Where times do not decide, keys do.
    #[must_use]
    pub fn new(found: impl IntoIterator<Item = FoundEntries>, is_reversed: bool) -> SortedEntries {
        let found: Vec<_> = found.into_iter().collect();
        let (mut lists, mut order) = (Vec::new(), Vec::new());
        order.reserve_exact(found.iter().map(|found| found.entries.len()).sum());
        for (worker, FoundEntries { entries, times }) in (0..).zip(found) {
            let note = |index: u32| {
                let time = times.get(index as usize).copied().flatten();
                SortEntry { time, worker, index }
            };
            order.extend((0..entries.len() as u32).map(note));
            lists.push(entries);
        }
        let list = |noted: &SortEntry| (&lists[noted.worker as usize], noted.index as usize);
        order.sort_unstable_by(|a, b| {
            let times = cmp_times(a.time, b.time);
            let times = if is_reversed { times.reverse() } else { times };
            times.then_with(|| {
                let ((list, index), (other, other_index)) = (list(a), list(b));
                list.cmp_keys(index, other, other_index)
            })
        });
        SortedEntries { found: lists, order }
    }

    /// Sorts the entries by what `key` returns for each. Equal ones stay in their order.
    pub fn sort_by_cached_key<K: Ord>(&mut self, mut key: impl FnMut(&Entry<'_>) -> K) {
        let SortedEntries { found, order } = self;
        order.sort_by_cached_key(|noted| {
            key(&found[noted.worker as usize].entry(noted.index as usize, &[]))
        });
    }

    /// Sorts the entries by what `key` returns for each and its [place](Self::place). Equal ones
    /// stay in their order.
    pub fn sort_by_cached_place<K: Ord>(
        &mut self,
        mut key: impl FnMut(&Entry<'_>, (usize, usize)) -> K,
    ) {
        let SortedEntries { found, order } = self;
        order.sort_by_cached_key(|noted| {
            let (worker, index) = (noted.worker as usize, noted.index as usize);
            key(&found[worker].entry(index, &[]), (worker, index))
        });
    }

    /// Reverses the order.
    pub fn reverse(&mut self) {
        self.order.reverse();
    }

    /// Returns how many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the entry with this index in the order. `key` becomes its key; see
    /// [`EntryList::entry`].
    ///
    /// # Panics
    /// There is no such entry.
    #[must_use]
    pub fn entry<'a>(&'a self, index: usize, key: &'a [u8]) -> Entry<'a> {
        let (worker, index) = self.place(index);
        self.found[worker].entry(index, key)
    }

    /// Returns which worker has found the entry with this index, and how many it had found before.
    ///
    /// # Panics
    /// There is no such entry.
    #[must_use]
    pub fn place(&self, index: usize) -> (usize, usize) {
        let SortEntry { worker, index, .. } = self.order[index];
        (worker as usize, index as usize)
    }
}

/// Compares times. None comes last.
fn cmp_times(a: Option<SystemTime>, b: Option<SystemTime>) -> Ordering {
    (a.is_none(), a).cmp(&(b.is_none(), b))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn entries_without_a_time_come_last() {
        let epoch = SystemTime::UNIX_EPOCH;
        let after = |seconds, nanos| epoch + Duration::new(seconds, nanos);
        let before = |seconds, nanos| epoch - Duration::new(seconds, nanos);
        let times =
            [before(5, 0), before(0, 1), epoch, after(0, 1), after(1, 0), after(1 << 33, 5)];
        let times: Vec<_> = times.into_iter().map(Some).chain([None]).collect();
        for (i, a) in times.iter().enumerate() {
            for (j, b) in times.iter().enumerate() {
                assert_eq!(cmp_times(*a, *b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
    }
}
