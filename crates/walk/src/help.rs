//! How workers in a walk help each other with large files, and defer files that are not in memory.

use std::ops::ControlFlow;

use crate::visitor::Visitor;

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
