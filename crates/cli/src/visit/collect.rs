//! A walk that only collects: the files, and their times.

use std::{
    cmp::{Ordering, Reverse},
    ops::ControlFlow,
    path::PathBuf,
    sync::Arc,
    time::SystemTime,
};

use heist_filter::{Filter, Problem};
use heist_walk::{Assist, Entry, Error, Helpers, OrderedVisitor, OwnedEntry, Report, Visitor};

use super::tree::visit_tree;
use crate::{
    haystack::STDIN_NAME,
    messages::Messages,
    output::{Files, Key},
    progress::Counts,
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
) -> (Files, usize) {
    let Report { visitors, workers, .. } = visit_tree(args, filter, || Collect {
        by,
        noted: Vec::new(),
        messages,
        counts: args.progress.as_ref().map(|progress| progress.worker()),
    });
    let mut noted: Vec<_> = visitors.into_iter().flat_map(|worker| worker.noted).collect();
    match by.key {
        SortKey::Path => {
            noted.sort_unstable_by(|a, b| a.key.cmp(&b.key));
            // Only backwards: forwards, the order of the walk is that of paths.
            noted.sort_by_cached_key(|noted| Reverse(noted.path()));
        }
        SortKey::Time(_) => {
            noted
                .sort_unstable_by(|a, b| by_time(a, b, by.reverse).then_with(|| a.key.cmp(&b.key)));
        }
    }
    let key = |index: usize| (index as u64).to_be_bytes().to_vec();
    let files = noted.into_iter().enumerate().map(|(index, noted)| (key(index), noted.file));
    (files.collect(), workers)
}

/// Files without a time come last, or first in reverse.
fn by_time(a: &Noted, b: &Noted, reverse: bool) -> Ordering {
    let key = |noted: &Noted| (noted.time.is_none(), noted.time);
    let ordering = key(a).cmp(&key(b));
    if reverse { ordering.reverse() } else { ordering }
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
    /// What has been found, if that is shown.
    counts: Option<Arc<Counts>>,
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

impl OrderedVisitor for Collect<'_> {}
impl Assist for Collect<'_> {}
