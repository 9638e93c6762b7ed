//! What a walk calls: one visitor per worker.

use std::ops::ControlFlow;

use heist_filter::Problem;

use crate::{entry::Entry, error::Error, known_dirs::Listed};

/// Receives the entries that one worker finds.
///
/// A walk makes one visitor per worker, so that a visitor needs no lock; the visitors are returned
/// in the [`Report`](crate::Report). This one counts the bytes of all files:
///
/// ```
/// use std::ops::ControlFlow;
/// use heist_walk::{Entry, Error, Helpers, Visitor};
///
/// #[derive(Default)]
/// struct Bytes(u64);
///
/// impl Visitor for Bytes {
///     fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
///         self.0 += entry.metadata().map_or(0, |metadata| metadata.len());
///         ControlFlow::Continue(())
///     }
///
///     fn error(&mut self, error: Error) {
///         eprintln!("{error}");
///     }
/// }
/// ```
pub trait Visitor: Send {
    /// Whether [`entry`](Visitor::entry) receives directories too. A directory comes before its
    /// entries, even if it turns out to be unreadable or if its entries are too deep.
    const DIRECTORIES: bool = false;

    /// Whether [`entry`](Visitor::entry) receives symbolic links that the walk does not follow.
    /// If not, they are skipped before the filter judges them.
    const LINKS: bool = false;

    /// Whether [`listed`](Visitor::listed) receives the entries of directories.
    const LISTINGS: bool = false;

    /// Whether [`whole`](Visitor::whole) is called, in a walk without an order.
    const WHOLE: bool = false;

    /// Visits a wanted entry: a regular file, a root that is no directory, or what the constants
    /// above request. `Break` ends the whole walk, for every worker.
    ///
    /// `helpers` are the other workers, for a visitor with a long piece of work.
    fn entry(&mut self, entry: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()>;

    /// Visits all wanted files below the directory to which [`KnownDirs`](crate::KnownDirs) give
    /// this number, [whole](crate::Shortcut::Whole), instead of the walk. `path` is what
    /// [`Entry::dir`] returns for the files in it. `None` leaves them to the walk, as does the
    /// default.
    fn whole(&mut self, _path: &[u8], _number: u32) -> Option<ControlFlow<()>> {
        None
    }

    /// Returns whether it takes less time to visit a directory [whole](Self::whole) than to pass it
    /// to another worker. If so, the worker that finds it visits it.
    fn takes_whole_at_once(&self) -> bool {
        false
    }

    /// Reports a path that could not be walked. The walk continues with the next one.
    fn error(&mut self, error: Error);

    /// Reports a rule file that could not be read, or a mistake in one; the file's other rules
    /// apply. Ignored by default.
    fn problem(&mut self, _problem: Problem) {}

    /// Receives all entries of a directory, the unwanted ones too, before it visits any of them. A
    /// very large directory comes in several parts, one after the other. Ignored by default.
    fn listed(&mut self, _listed: &Listed<'_>) {}
}

/// The other workers of a walk, as a visitor sees them.
pub trait Helpers {
    /// Returns whether a worker is idle. Cheap enough to be called often.
    fn has_idle_workers(&self) -> bool;

    /// Makes one worker call [`Assist::help`](crate::Assist::help). It may be the calling worker
    /// itself, later, if no other is free.
    fn call_for_help(&mut self);

    /// Returns whether the walk was ended early, so that a long visit is pointless.
    fn is_stopped(&self) -> bool;
}
