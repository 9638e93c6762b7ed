//! What a walk calls: one visitor per worker. [`Assist`] and [`OrderedVisitor`] are for visitors
//! that work together.

use std::ops::ControlFlow;

use heist_filter::Problem;

use crate::{entry::Entry, error::Error};

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
    /// What the walk passes to the visitor besides regular files.
    const WANTED_ENTRIES: Wants = Wants::ONLY_FILES;

    /// Visits a wanted entry: a regular file, a root that is no directory, or what
    /// [`WANTED_ENTRIES`](Visitor::WANTED_ENTRIES) requests. `Break` ends the whole walk, for every
    /// worker.
    ///
    /// `helpers` are the other workers, for a visitor with a long piece of work.
    fn entry(&mut self, entry: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()>;

    /// Reports a path that could not be walked. The walk continues with the next one.
    fn error(&mut self, error: Error);

    /// Reports a rule file that could not be read, or a mistake in one; the file's other rules
    /// apply. Ignored by default.
    fn problem(&mut self, _problem: Problem) {}
}

/// What a visitor receives besides regular files and roots.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wants {
    /// [`Visitor::entry`] receives directories. A directory comes before its entries, even if it
    /// turns out to be unreadable or if its entries are too deep.
    pub directories: bool,
    /// [`Visitor::entry`] receives symbolic links that the walk does not follow. Links that no
    /// visitor wants are skipped before the filter judges them.
    pub links: bool,
    /// [`DirVisitor::listed`](crate::DirVisitor::listed) receives the entries of directories.
    pub listings: bool,
    /// [`DirVisitor::whole`](crate::DirVisitor::whole) is called, in a walk without an order.
    pub whole_dirs: bool,
}

impl Wants {
    /// Nothing but files.
    pub const ONLY_FILES: Wants =
        Wants { directories: false, links: false, listings: false, whole_dirs: false };
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

/// A visitor that takes part in other visitors' work. Every method does nothing by default.
///
/// [`walk_with_hooks`](crate::walk_with_hooks) calls these methods; [`walk`](crate::walk()) does
/// not.
pub trait Assist: Visitor {
    /// Sets how many files the visitor may keep open beyond their visit: at most
    /// [`WalkConfig::max_deferred_files`](crate::WalkConfig::max_deferred_files), fewer where
    /// descriptors are scarce. Called once, before any other method.
    fn set_deferred_limit(&mut self, _files: usize) {}

    /// Answers a visitor that [called for help](crate::Helpers::call_for_help). That visitor may
    /// have finished in the meantime.
    fn help(&mut self) {}

    /// Called before an idle worker parks: the visitor releases what other workers may wait for,
    /// and does the work that it has deferred. `Break` ends the whole walk.
    ///
    /// In a walk with several workers every one is called before the walk ends, unless the walk was
    /// ended early.
    fn before_park(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A visitor that learns the keys of the items it works on, so that what several workers find can
/// be put in order. Every method does nothing by default.
///
/// [`walk_with_hooks`](crate::walk_with_hooks) calls these methods if
/// [`WalkConfig::order`](crate::WalkConfig::order) is set. Keys compare as bytes, see
/// [`SortOrder`](crate::SortOrder). A result is final once no unfinished item has a smaller key:
///
/// ```text
/// begin(root)  spawn(root/a, root/b)  entry(root/c)  end()     worker 0
///                begin(root/a)  entry(root/a/x)  end()         worker 1
///                  begin(root/b)  entry(root/b/y)  end()       worker 0
/// ```
pub trait OrderedVisitor: Visitor {
    /// Whether these methods are called. A visitor without them saves the items' keys.
    const FOLLOWS_ITEMS: bool = true;

    /// The worker takes up the item with this key: a root, a directory or some files of one. No
    /// entry in the item, and none in the items it spawns, has a smaller key.
    fn begin(&mut self, _key: &[u8]) {}

    /// The current item is about to spawn items with these keys. No other worker has seen them yet.
    fn spawn(&mut self, _keys: &mut dyn Iterator<Item = &[u8]>) {}

    /// The current item is done: all its entries have been visited and all its items spawned. Not
    /// called if the walk was ended early.
    fn end(&mut self) {}
}
