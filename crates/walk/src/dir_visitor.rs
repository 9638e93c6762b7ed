//! What a visitor may learn about directories: all entries of one, or that one can be visited
//! without the walk.

use std::ops::ControlFlow;

use crate::{
    known_dirs::Listed,
    visitor::{Assist, OrderedVisitor, Visitor},
};

/// A visitor that receives directories in other ways than as entries. Every method does nothing by
/// default.
///
/// [`walk_with_hooks`](crate::walk_with_hooks) calls these methods if [`Visitor::WANTED_ENTRIES`]
/// requests it.
pub trait DirVisitor: Visitor {
    /// Receives all entries of a directory, the unwanted ones too, before it visits any of them. A
    /// very large directory comes in several parts, one after the other.
    fn listed(&mut self, _listed: &Listed<'_>) {}

    /// Visits all wanted files below the directory to which [`KnownDirs`](crate::KnownDirs) give
    /// this number, [whole](crate::Shortcut::Whole), instead of the walk. `path` is what
    /// [`Entry::dir`](crate::Entry::dir) returns for the files in it.
    ///
    /// Called first with [`Found`](Whole::Found), unless there is only one worker, and then with
    /// [`Taken`](Whole::Taken). `None` leaves the files to the next call, or to the walk.
    fn whole(&mut self, _path: &[u8], _number: u32, _when: Whole) -> Option<ControlFlow<()>> {
        None
    }
}

/// When a visitor may visit a directory whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The worker has just found the directory and is about to pass it to any worker.
    Found,
    /// A worker has taken up the directory.
    Taken,
}

/// What [`walk_with_hooks`](crate::walk_with_hooks) calls: a visitor with all hooks.
pub trait HookedVisitor: OrderedVisitor + Assist + DirVisitor {}

impl<V: OrderedVisitor + Assist + DirVisitor> HookedVisitor for V {}
