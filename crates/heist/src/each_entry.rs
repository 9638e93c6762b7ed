//! The visitor that calls a closure for each entry of a walk, with the state of its worker.

use std::ops::ControlFlow;

use heist_filter::Problem;
use heist_walk::{Entry, FileType, Helpers, Visitor, Wants};

use crate::{CancelToken, Error};

/// Calls a closure for each entry; with `ALL` for directories and links too.
pub(crate) struct EachEntry<'a, const ALL: bool, S, F> {
    pub(crate) cancel: &'a CancelToken,
    pub(crate) directories: bool,
    pub(crate) symlinks: bool,
    pub(crate) state: S,
    pub(crate) on_entry: F,
    pub(crate) entries: u64,
    pub(crate) errors: Vec<Error>,
}

impl<const ALL: bool, S, F> Visitor for EachEntry<'_, ALL, S, F>
where
    S: Send,
    F: Fn(&mut S, &Entry<'_>) -> ControlFlow<()> + Send,
{
    // The walk of a tree without files is to see a cancellation, too.
    const WANTED_ENTRIES: Wants = Wants { directories: true, links: ALL, ..Wants::ONLY_FILES };

    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if self.cancel.is_cancelled() {
            return ControlFlow::Break(());
        }
        let is_visited = match entry.file_type() {
            FileType::Dir => self.directories,
            FileType::Symlink => self.symlinks,
            // The walk knows of such a root only that it is no directory, which holds for
            // `file/name` too.
            FileType::Other if entry.is_explicit() => self.exists(entry),
            _ => true,
        };
        if !is_visited {
            return ControlFlow::Continue(());
        }
        self.entries += 1;
        (self.on_entry)(&mut self.state, entry)
    }

    fn error(&mut self, error: heist_walk::Error) {
        self.errors.push(Error::Walk(error));
    }

    fn problem(&mut self, problem: Problem) {
        self.errors.push(Error::RuleFile(problem));
    }
}

impl<const ALL: bool, S, F> EachEntry<'_, ALL, S, F> {
    /// Whether there is such a file. If not, that is an error of the walk.
    fn exists(&mut self, entry: &Entry<'_>) -> bool {
        if let Err(source) = entry.metadata() {
            self.errors.push(Error::Read { path: entry.path(), source });
            return false;
        }
        true
    }
}
