//! A walk that only collects: the files, and their times.

use std::{
    cmp::{Ordering, Reverse},
    ops::ControlFlow,
    panic::resume_unwind,
    path::PathBuf,
    thread,
    time::SystemTime,
};

use heist_filter::{Filter, Problem};
use heist_walk::{Assist, Entry, Error, Helpers, OrderedVisitor, OwnedEntry, Report, Visitor};

use super::tree::visit_tree;
use crate::{
    haystack::STDIN_NAME,
    messages::Messages,
    output::Key,
    resolved::ResolvedArgs,
    typed::{SortBy, SortKey},
};

/// A file that is still to be sorted.
struct Noted {
    /// `None` if it is unknown or not needed.
    time: Option<SystemTime>,
    /// Its position in a walk by one worker.
    key: Key,
    file: OwnedEntry,
}

/// All wanted files, sorted, and the number of workers that have descriptors, including extra
/// workers.
pub(super) fn files(
    args: &ResolvedArgs,
    by: SortBy,
    filter: &Filter,
    messages: &Messages,
) -> (Vec<OwnedEntry>, usize) {
    let Report { visitors, workers, .. } =
        visit_tree(args, filter, || Collect { by, noted: Vec::new(), messages });
    let lists = visitors.into_iter().map(|worker| worker.noted).collect();
    let files = match by.key {
        SortKey::Path => by_path_reversed(lists),
        SortKey::Time(_) => by_time(lists, by.reverse),
    };
    (files, workers)
}

/// Sorts files by path, backwards: forwards, the order of the walk is that of paths.
fn by_path_reversed(lists: Vec<Vec<Noted>>) -> Vec<OwnedEntry> {
    let mut noted: Vec<Noted> = lists.into_iter().flatten().collect();
    noted.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    noted.sort_by_cached_key(|noted| Reverse(noted.path()));
    noted.into_iter().map(|noted| noted.file).collect()
}

/// Sorts files by time, and files of the same time by their keys. Each worker's list is sorted on a
/// thread of its own.
fn by_time(lists: Vec<Vec<Noted>>, reverse: bool) -> Vec<OwnedEntry> {
    let sort = |list: &[Noted], from: usize| {
        let ranks = (from..).zip(list).map(|(index, noted)| Rank::of(index, noted));
        let mut ranks: Vec<Rank> = ranks.collect();
        ranks.sort_unstable_by(|a, b| a.compare(b, reverse, |index| &list[index - from].key));
        ranks
    };
    let sort = &sort;
    let mut ranks: Vec<Rank> = thread::scope(|scope| {
        let mut start = 0;
        let mut sorted = Vec::new();
        let mut threads = Vec::new();
        for (at, list) in lists.iter().enumerate() {
            let from = start;
            start += list.len();
            let is_last = at + 1 == lists.len();
            let thread = (!is_last)
                .then(|| thread::Builder::new().spawn_scoped(scope, move || sort(list, from)));
            match thread {
                Some(Ok(thread)) => threads.push(thread),
                // This thread has nothing else to do, or the system has no further ones.
                Some(Err(_)) | None => sorted.extend(sort(list, from)),
            }
        }
        for thread in threads {
            sorted.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        sorted
    });
    let noted: Vec<Noted> = lists.into_iter().flatten().collect();
    // A stable sort recognises runs that are sorted already, and merges them.
    ranks.sort_by(|a, b| a.compare(b, reverse, |index| &noted[index].key));
    let mut files: Vec<_> = noted.into_iter().map(|noted| Some(noted.file)).collect();
    ranks.iter().filter_map(|rank| files[rank.index].take()).collect()
}

/// What decides the order of nearly all files, without a pointer.
struct Rank {
    time: Option<SystemTime>,
    /// The positions of the directories above, and of the file, from the root on, as far as they
    /// fit.
    positions: u128,
    /// The index of the root.
    root: u32,
    /// The index of the file.
    index: usize,
}

impl Rank {
    /// The bytes of a root in a key, and of each position.
    const ROOT: usize = size_of::<u32>();
    const POSITION: usize = size_of::<u64>();

    fn of(index: usize, noted: &Noted) -> Rank {
        let (root, rest) =
            noted.key.split_first_chunk::<{ Rank::ROOT }>().unwrap_or((&[0; 4], &[]));
        let (mut positions, mut bits) = (0, u128::BITS);
        for position in rest.as_chunks::<{ Rank::POSITION }>().0 {
            // A position that does not fit, and those below it, are left to the key.
            let Ok(position) = u32::try_from(u64::from_be_bytes(*position)) else {
                positions |= u128::MAX >> (u128::BITS - bits);
                break;
            };
            bits -= u32::BITS;
            positions |= u128::from(position) << bits;
            if bits == 0 {
                break;
            }
        }
        Rank { time: noted.time, positions, root: u32::from_be_bytes(*root), index }
    }

    /// Compares times, then the places in a walk by one worker; `key` returns the key of a file.
    /// Files without a time come last, or first in reverse.
    fn compare<'k>(&self, other: &Rank, reverse: bool, key: impl Fn(usize) -> &'k Key) -> Ordering {
        let time = |rank: &Rank| (rank.time.is_none(), rank.time);
        let place = |rank: &Rank| (rank.root, rank.positions);
        let ordering = time(self).cmp(&time(other));
        let ordering = if reverse { ordering.reverse() } else { ordering };
        ordering
            .then_with(|| place(self).cmp(&place(other)))
            .then_with(|| key(self.index).cmp(key(other.index)))
    }
}

impl Noted {
    /// The path that is compared.
    fn path(&self) -> PathBuf {
        let file = self.file.as_entry(&self.key);
        if file.is_stdin() {
            String::from_utf8_lossy(STDIN_NAME).as_ref().into()
        } else {
            file.path()
        }
    }
}

/// The files that one worker has found.
struct Collect<'a> {
    by: SortBy,
    noted: Vec<Noted>,
    messages: &'a Messages,
}

impl Visitor for Collect<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        let time = match self.by.key {
            SortKey::Path => None,
            SortKey::Time(time) => file.time(time).ok(),
        };
        let mut key = Key::new();
        file.key_into(&mut key);
        let file = file.to_owned_entry(self.noted.last().map(|last| &last.file));
        self.noted.push(Noted { time, key, file });
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

impl OrderedVisitor for Collect<'_> {}
impl Assist for Collect<'_> {}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use heist_walk::{Root, WalkConfig};

    use super::*;

    /// A visitor that keeps the first file of a walk.
    struct First(Option<OwnedEntry>);

    impl Visitor for First {
        fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
            self.0 = Some(file.to_owned_entry(None));
            ControlFlow::Break(())
        }

        fn error(&mut self, error: Error) {
            panic!("{error}");
        }
    }

    /// An entry, whichever.
    fn any_file() -> OwnedEntry {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let roots = vec![Root::Path(file.path().to_path_buf())];
        let config = WalkConfig { roots, ..WalkConfig::default() };
        let filter = Filter::new(heist_walk::FilterConfig::default()).expect("no glob");
        let report = heist_walk::walk(&config, &filter, |_| First(None)).expect("no panic");
        report.visitors.into_iter().find_map(|first| first.0).expect("one file")
    }

    /// A random key of a few levels, with few different positions.
    fn key(random: &mut fastrand::Rng) -> Key {
        const MAX: u64 = u32::MAX as u64;
        let mut key = random.u32(..2).to_be_bytes().to_vec();
        for _ in 0..random.usize(..7) {
            let position = [0, 1, 2, 3, MAX, MAX + 1, MAX + 2][random.usize(..7)];
            key.extend(position.to_be_bytes());
        }
        key
    }

    #[test]
    fn ranks_sort_as_times_and_keys_do() {
        let file = any_file();
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let reverse = seed % 2 == 0;
            let mut lists: Vec<Vec<Noted>> = (0..random.usize(1..4)).map(|_| Vec::new()).collect();
            for _ in 0..random.usize(..100) {
                let seconds = Duration::from_secs(random.u64(..3));
                let time = (random.u8(..4) > 0).then(|| SystemTime::UNIX_EPOCH + seconds);
                let at = random.usize(..lists.len());
                lists[at].push(Noted { time, key: key(&mut random), file: file.clone() });
            }
            let noted: Vec<&Noted> = lists.iter().flatten().collect();
            let mut expected: Vec<_> = noted.iter().map(|noted| (noted.time, &noted.key)).collect();
            expected.sort_by(|(a_time, a), (b_time, b)| {
                let times = (a_time.is_none(), a_time).cmp(&(b_time.is_none(), b_time));
                (if reverse { times.reverse() } else { times }).then(a.cmp(b))
            });
            let mut ranks: Vec<_> =
                (0..).zip(&noted).map(|(at, noted)| Rank::of(at, noted)).collect();
            ranks.sort_by(|a, b| a.compare(b, reverse, |index| &noted[index].key));
            let found: Vec<_> =
                ranks.iter().map(|rank| (rank.time, &noted[rank.index].key)).collect();
            assert_eq!(found, expected, "seed {seed}");
            let count = noted.len();
            assert_eq!(by_time(lists, reverse).len(), count, "seed {seed}: each file once");
        }
    }
}
