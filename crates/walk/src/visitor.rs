//! What a walk calls: one visitor per worker.

use std::ops::ControlFlow;

use heist_filter::Problem;

use crate::{entry::Entry, error::Error};

/// What one worker does with what the walk finds.
pub trait Visitor: Send {
    /// Whether [`link`](Visitor::link) is to be called. Where not, links that are not followed are passed over before
    /// the filter is asked about them.
    const LINKS: bool = false;

    /// Said before anything else: how many files may be kept open beyond their visit. No more than
    /// [`WalkConfig::max_deferred_files`](crate::WalkConfig::waiting), and less where descriptors are scarce.
    fn set_deferred_limit(&mut self, _files: usize) {}

    /// A wanted file. `Break` ends the whole walk, for every worker.
    fn file(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()>;

    /// A visitor has [called](Helpers::call_for_help) for help. It may have what it wanted by now.
    fn help(&mut self) {}

    /// A directory that is being listed, by its path as it is printed in front of its entries: with a slash at the
    /// end, or empty for the root that nobody named. Said by the worker that lists it, before it visits its files.
    fn directory(&mut self, _path: &[u8]) {}

    /// A wanted symbolic link that is not followed.
    fn link(&mut self, _link: &Entry<'_>) {}

    /// A path that could not be walked. The walk goes on.
    fn error(&mut self, error: Error);

    /// Something wrong with an ignore file. Its other rules hold.
    fn problem(&mut self, problem: Problem);

    /// The worker takes up an item: a root, a directory or some files of one. Said only in a walk with an
    /// [`order`](crate::WalkConfig::order), like [`spawn`](Visitor::spawn) and [`end`](Visitor::end). No file of the item, nor of
    /// those it spawns, has a key below `key`.
    fn begin(&mut self, _key: &[u8]) {}

    /// The item at hand is about to spawn items with these keys. No other worker knows of them yet.
    fn spawn(&mut self, _keys: &mut dyn Iterator<Item = &[u8]>) {}

    /// The item that was begun last is done: all its files have been visited, all it spawns has been told. Not said when
    /// the walk was ended early.
    fn end(&mut self) {}

    /// The worker has nothing to do and may sleep: let go of what others could be waiting for, and do what was put off. A
    /// worker of several has always been told so before a walk ends that was not ended early. `Break` ends the whole
    /// walk.
    fn before_park(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The other workers, as a visitor sees them that has a long piece of work before it.
pub trait Helpers {
    /// Whether somebody has nothing to do. May be asked often.
    fn has_idle_workers(&self) -> bool;

    /// Have [`Visitor::help`] said to somebody, or to oneself when nobody else comes.
    fn call_for_help(&mut self);

    /// Whether the walk was ended early.
    fn is_stopped(&self) -> bool;
}
