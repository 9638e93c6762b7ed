//! The directories in one that was listed: passed on to all workers, or visited whole.

use std::{mem, ops::ControlFlow};

use super::{Spawns, WalkWorker};
use crate::{
    dir_visitor::{HookedVisitor, Whole},
    expand::Expander,
    item::{Dir, Item},
    sys::System,
};

impl<'run, S: System, V: HookedVisitor> WalkWorker<'run, S, V> {
    /// Spawns what was found in a directory.
    pub(super) fn spawn_children(&mut self, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        self.announce_children();
        // A single worker visits everything in the order in which it was listed.
        let is_alone = self.expander.context.config.workers == 1;
        let mut children = mem::take(&mut self.expander.children);
        for child in children.drain(..) {
            match child {
                Item::Whole(dir) if !is_alone => match self.whole(&dir, Whole::Found) {
                    Some(flow) => flow?,
                    None => sink.spawn(Box::new(Item::Whole(dir))),
                },
                child => sink.spawn(Box::new(child)),
            }
        }
        self.expander.children = children;
        ControlFlow::Continue(())
    }

    /// Visits all that is below a directory, unless the visitor leaves it to the walk.
    pub(super) fn whole(&mut self, dir: &Dir<'run, S>, when: Whole) -> Option<ControlFlow<()>> {
        self.visitor.whole(&dir.path, dir.number()?, when)
    }

    /// Passes the keys of the items that are about to be spawned to a visitor that sorts.
    fn announce_children(&mut self) {
        let Expander { children, .. } = &self.expander;
        if !self.follows_items() || children.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(children.len());
        for child in children {
            child.key_into(&mut self.key);
            bytes.extend_from_slice(&self.key);
            ends.push(bytes.len());
        }
        let mut from = 0;
        let mut keys = ends.iter().map(|&end| &bytes[mem::replace(&mut from, end)..end]);
        self.visitor.spawn(&mut keys);
    }
}
