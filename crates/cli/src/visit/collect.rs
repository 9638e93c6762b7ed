//! A walk that only collects: the files, and their times.

use std::{cmp::Reverse, ops::ControlFlow, path::PathBuf, sync::Arc, time::SystemTime};

use heist_filter::{Filter, Problem};
use heist_walk::{Assist, Entry, EntryList, Error, Helpers, OrderedVisitor, Report, Visitor};

use super::tree::visit_tree;
use crate::{
    haystack::STDIN_NAME,
    messages::Messages,
    output::{Files, Key},
    progress::Counts,
    resolved::ResolvedArgs,
    typed::{SortBy, SortKey},
};

/// All wanted files, sorted. The key of each is its index.
pub(super) struct SortedFiles {
    /// The files that each worker has found.
    found: Vec<EntryList>,
    order: Vec<Noted>,
}

/// A file to sort.
#[derive(Clone, Copy)]
struct Noted {
    time: Rank,
    /// The worker that found it.
    worker: u32,
    /// The file's index in that worker's list. 2^32 files would not fit into memory.
    index: u32,
}

/// The place of a time among all times: seconds, counted from long ago, and nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u64, u32);

impl Rank {
    /// The rank of a file without a time, which comes last.
    const UNKNOWN_TIME: Rank = Rank(u64::MAX, u32::MAX);

    fn of(time: SystemTime) -> Rank {
        const EPOCH_SECONDS: u64 = 1 << 63;
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => Rank(EPOCH_SECONDS + after.as_secs(), after.subsec_nanos()),
            Err(error) => {
                let before = error.duration();
                let (seconds, nanos) = (before.as_secs(), before.subsec_nanos());
                match nanos {
                    0 => Rank(EPOCH_SECONDS - seconds, 0),
                    _ => Rank(EPOCH_SECONDS - seconds - 1, 1_000_000_000 - nanos),
                }
            }
        }
    }

    fn reversed(self) -> Rank {
        Rank(!self.0, !self.1)
    }
}

/// All wanted files, sorted, and the number of workers that have descriptors, including extra
/// workers.
pub(super) fn files(
    args: &ResolvedArgs,
    by: SortBy,
    filter: &Filter,
    messages: &Messages,
) -> (SortedFiles, usize) {
    let Report { visitors, workers, .. } = visit_tree(args, filter, || Collect {
        by,
        files: EntryList::default(),
        times: Vec::new(),
        messages,
        counts: args.progress.as_ref().map(|progress| progress.worker()),
    });
    let mut files = SortedFiles { found: Vec::new(), order: Vec::new() };
    files.order.reserve_exact(visitors.iter().map(|visitor| visitor.files.len()).sum());
    for (worker, visitor) in (0..).zip(visitors) {
        let noted = (0..).zip(visitor.times);
        files.order.extend(noted.map(|(index, time)| Noted { time, worker, index }));
        files.found.push(visitor.files);
    }
    files.sort(by);
    (files, workers)
}

impl SortedFiles {
    fn sort(&mut self, by: SortBy) {
        let SortedFiles { found, order } = self;
        let file = |noted: &Noted| (&found[noted.worker as usize], noted.index as usize);
        let by_key = |a: &Noted, b: &Noted| {
            let ((list, index), (other, other_index)) = (file(a), file(b));
            list.cmp_keys(index, other, other_index)
        };
        match by.key {
            SortKey::Path => {
                order.sort_unstable_by(by_key);
                // Only backwards: forwards, the walk visits paths in order.
                order.sort_by_cached_key(|noted| {
                    let (list, index) = file(noted);
                    Reverse(compared_path(&list.entry(index, &[])))
                });
            }
            SortKey::Time(_) => {
                order.sort_unstable_by(|a, b| a.time.cmp(&b.time).then_with(|| by_key(a, b)));
            }
        }
    }
}

impl Files for SortedFiles {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn key_into(&self, index: usize, into: &mut Key) {
        into.clear();
        into.extend_from_slice(&(index as u64).to_be_bytes());
    }

    fn file<'a>(&'a self, index: usize, key: &'a Key) -> Entry<'a> {
        let Noted { worker, index, .. } = self.order[index];
        self.found[worker as usize].entry(index as usize, key)
    }
}

/// The path by which a file is sorted.
fn compared_path(file: &Entry<'_>) -> PathBuf {
    if file.is_stdin() { String::from_utf8_lossy(STDIN_NAME).as_ref().into() } else { file.path() }
}

/// The files that one worker has found.
struct Collect<'a> {
    by: SortBy,
    files: EntryList,
    /// The time of each.
    times: Vec<Rank>,
    messages: &'a Messages,
    /// What has been found, if that is shown.
    counts: Option<Arc<Counts>>,
}

impl Visitor for Collect<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        let SortBy { key, reverse } = self.by;
        let time = match key {
            SortKey::Path => Rank::UNKNOWN_TIME,
            SortKey::Time(time) => file.time(time).map_or(Rank::UNKNOWN_TIME, Rank::of),
        };
        // Without a time, files come first in reverse.
        self.times.push(if reverse { time.reversed() } else { time });
        self.files.push(file);
        if let Some(counts) = &self.counts {
            counts.add_file();
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

impl OrderedVisitor for Collect<'_> {
    const FOLLOWS_ITEMS: bool = false;
}
impl Assist for Collect<'_> {}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ranks_have_the_order_of_times() {
        let epoch = SystemTime::UNIX_EPOCH;
        let distances = [(0, 0), (0, 1), (0, 999_999_999), (1, 0), (1, 1), (1 << 33, 5)];
        let distances = distances.map(|(seconds, nanos)| Duration::new(seconds, nanos));
        let before = distances.iter().map(|distance| epoch - *distance);
        let times: Vec<_> = before.chain(distances.iter().map(|after| epoch + *after)).collect();
        for &a in &times {
            assert!(Rank::of(a) < Rank::UNKNOWN_TIME);
            for &b in &times {
                assert_eq!(Rank::of(a).cmp(&Rank::of(b)), a.cmp(&b), "{a:?} {b:?}");
                let reversed = Rank::of(a).reversed().cmp(&Rank::of(b).reversed());
                assert_eq!(reversed, b.cmp(&a), "{a:?} {b:?}");
            }
        }
    }
}
