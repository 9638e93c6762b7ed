//! A walk that only collects: the files, and their times.

use std::{cmp::Reverse, ops::ControlFlow, path::PathBuf, sync::Arc};

use heist_filter::{Filter, Problem};
use heist_walk::{Entry, Error, FoundEntries, Helpers, Report, SortedEntries, Visitor};

use super::tree::visit_tree_plainly;
use crate::{
    output::{Files, Key},
    ranking::{Evidence, Rank},
    resolved::ResolvedArgs,
    run::{haystack::STDIN_NAME, progress::Counts},
    texts::messages::Messages,
    typed::{SortBy, SortKey},
};

/// All wanted files, sorted. The key of each is its index.
pub(super) struct SortedFiles(pub(super) SortedEntries);

/// All wanted files, sorted, and the number of workers that have descriptors, including extra
/// workers.
pub(super) fn files(
    args: &ResolvedArgs,
    by: SortBy,
    filter: &Filter,
    messages: &Messages,
) -> (SortedFiles, usize) {
    let Report { visitors, workers, .. } = visit_tree_plainly(args, filter, || Collect {
        by,
        files: FoundEntries::default(),
        messages,
        counts: args.progress.as_ref().map(|progress| progress.worker()),
    });
    (SortedFiles(sort(visitors.into_iter().map(|visitor| visitor.files), by)), workers)
}

/// Sorts what the workers have `found`.
pub(super) fn sort(found: impl IntoIterator<Item = FoundEntries>, by: SortBy) -> SortedEntries {
    let mut sorted = SortedEntries::new(found, by.reverse);
    match by.key {
        // Only backwards: forwards, the walk visits paths in order.
        SortKey::Path => sorted.sort_by_cached_key(|file| Reverse(compared_path(file))),
        // Of a list, the paths are all that is known.
        SortKey::Relevance => {
            sorted.sort_by_cached_key(|file| Rank::new(file, &Evidence::default()));
            if by.reverse {
                sorted.reverse();
            }
        }
        SortKey::Time(_) => {}
    }
    sorted
}

impl Files for SortedFiles {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key_into(&self, index: usize, into: &mut Key) {
        into.clear();
        into.extend_from_slice(&(index as u64).to_be_bytes());
    }

    fn file<'a>(&'a self, index: usize, key: &'a Key) -> Entry<'a> {
        self.0.entry(index, key)
    }
}

/// The path by which a file is sorted.
fn compared_path(file: &Entry<'_>) -> PathBuf {
    if file.is_stdin() { String::from_utf8_lossy(STDIN_NAME).as_ref().into() } else { file.path() }
}

/// The files that one worker has found.
struct Collect<'a> {
    by: SortBy,
    files: FoundEntries,
    messages: &'a Messages,
    /// What has been found, if that is shown.
    counts: Option<Arc<Counts>>,
}

impl Visitor for Collect<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        self.files.push(file, self.by.key.time());
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
