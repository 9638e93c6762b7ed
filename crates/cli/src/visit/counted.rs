//! Files with results that are counted before any is printed.

use std::{
    cmp::{Ordering, Reverse},
    path::PathBuf,
    time::SystemTime,
};

use heist_walk::{Entry, OwnedEntry};

use crate::{
    haystack::STDIN_NAME,
    output::Key,
    resolved::Sorting,
    typed::{SortBy, SortKey},
};

/// A file with results.
pub(crate) struct Counted {
    /// `None` if it is unknown or not needed.
    time: Option<SystemTime>,
    /// Where the file comes in a walk by one worker.
    key: Key,
    file: OwnedEntry,
    pub(super) results: u64,
}

impl Counted {
    /// Notes `file`, which is to be sorted by `by` and may be in the same directory as `previous`.
    pub(super) fn new(
        file: &Entry<'_>,
        by: SortKey,
        previous: Option<&Counted>,
        results: u64,
    ) -> Counted {
        let time = match by {
            SortKey::Path => None,
            SortKey::Time(time) => file.time(time).ok(),
        };
        let mut key = Key::new();
        file.key_into(&mut key);
        let file = file.to_owned_entry(previous.map(|last| &last.file));
        Counted { time, key, file, results }
    }

    /// The file as it was noted.
    pub(super) fn as_entry(&self) -> Entry<'_> {
        self.file.as_entry(&self.key)
    }

    /// The path that is compared.
    fn path(&self) -> PathBuf {
        let file = self.as_entry();
        if file.is_stdin() {
            String::from_utf8_lossy(STDIN_NAME).as_ref().into()
        } else {
            file.path()
        }
    }
}

/// Sorts files in the order of results. A walk sorted by path has keys in that order.
pub(super) fn sort(files: &mut [Counted], sorting: Sorting) {
    files.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    match sorting {
        Sorting::AsFound | Sorting::WhileWalking => {}
        Sorting::AfterWalking(SortBy { key: SortKey::Path, .. }) => {
            files.sort_by_cached_key(|file| Reverse(file.path()));
        }
        Sorting::AfterWalking(SortBy { key: SortKey::Time(_), reverse }) => {
            files.sort_by(|a, b| by_time(a, b, reverse));
        }
    }
}

/// Files without a time come last, or first in reverse.
fn by_time(a: &Counted, b: &Counted, reverse: bool) -> Ordering {
    let key = |file: &Counted| (file.time.is_none(), file.time);
    let ordering = key(a).cmp(&key(b));
    if reverse { ordering.reverse() } else { ordering }
}
