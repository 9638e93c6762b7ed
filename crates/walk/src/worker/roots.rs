//! What a worker does with the roots of a walk: paths that the user named, and those that a source
//! yields while the walk runs.

use std::{io, ops::ControlFlow, path::Path};

use heist_filter::path_bytes::{bytes_of, rule_path};

use super::{Expander, OtherWorkers, Spawns, WalkWorker};
use crate::{
    config::{Root, WalkConfig},
    dir_visitor::HookedVisitor,
    entry::Entry,
    error::Error,
    item::{Dir, Item},
    opened::Opening,
    skipped::SkipReason,
    sort_order::{KeyParts, root_key},
    sys::System,
};

impl<'run, S: System, V: HookedVisitor> WalkWorker<'run, S, V> {
    /// Visits the root with this index.
    pub(super) fn root(&mut self, index: usize, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        let WalkConfig { roots, .. } = self.expander.context.config;
        let key = root_key(index);
        match &roots[index] {
            Root::Stdin if !self.is_in_shard(Path::new("-")) => ControlFlow::Continue(()),
            Root::Stdin => {
                // A pipe may keep this worker waiting for ever: other roots are for others.
                sink.flush();
                let entry = Entry::stdin(KeyParts::whole(&key));
                self.visitor.entry(&entry, &mut OtherWorkers(sink))
            }
            Root::Here => self.root_at(Path::new("."), None, Some(index), &key, sink),
            Root::Path(path) => self.root_at(path, Some(path), Some(index), &key, sink),
        }
    }

    /// Takes roots from their source and visits them. The rest becomes an item of its own, which
    /// another worker can take meanwhile.
    #[cold]
    pub(super) fn more_roots(&mut self, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        let Some(source) = &self.expander.context.config.more_roots else {
            return ControlFlow::Continue(());
        };
        let mut roots = Vec::new();
        // The source may keep this worker waiting.
        sink.flush();
        let visitor = &mut self.visitor;
        let taken = source.take(&mut roots, &mut || visitor.before_park());
        match taken {
            Ok(ControlFlow::Continue(())) => {
                sink.spawn(Box::new(Item::MoreRoots));
                sink.flush();
            }
            Ok(ControlFlow::Break(())) => {}
            Err((path, error)) => self.visitor.error(Error::io(path, 0, error)),
        }
        for root in &roots {
            if sink.stopped() {
                return ControlFlow::Break(());
            }
            if let Some(bounds) = &self.expander.context.bounds {
                bounds.add(root);
            }
            self.root_at(root, Some(root), None, &[], sink)?;
        }
        ControlFlow::Continue(())
    }

    /// Visits the root at `path`, which the user has named `named`. `index` is its index if it was
    /// known at the start.
    fn root_at(
        &mut self,
        path: &Path,
        named: Option<&Path>,
        index: Option<usize>,
        key: &[u8],
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        // An empty path is an error: it must not be taken for the unnamed root.
        if path.as_os_str().is_empty()
            && let Err(error) = self.expander.system.status(path)
        {
            self.visitor.error(Error::io(path.to_path_buf(), 0, error));
            return ControlFlow::Continue(());
        }
        // Opening the root as a directory shows whether it is one: a file costs one more call, a
        // directory none.
        match self.expander.open(Dir::root(named)) {
            Opening::Open(mut opened, handle) => {
                if self.expander.context.config.order.is_some() {
                    opened.dir.key = Box::from(key);
                }
                if V::WANTED_ENTRIES.directories {
                    self.visit_directory(&opened.dir, sink)?;
                }
                if !self.expander.context.unfiltered {
                    let filter = self.expander.context.filter;
                    opened.set_scope(filter.root(path, &mut self.expander.cache));
                    self.report();
                }
                self.expander.recognize(&mut opened, path, &handle);
                self.expand(opened, &handle, sink)
            }
            Opening::OtherDevice(_) => ControlFlow::Continue(()),
            Opening::Failed(_, error) if error.kind() == io::ErrorKind::NotADirectory => {
                if !self.is_in_shard(path) || self.is_visited(path, index) {
                    return ControlFlow::Continue(());
                }
                // As for standard input: the root may be a named pipe.
                sink.flush();
                let bytes = bytes_of(path);
                let entry = Entry::root(path, &bytes, KeyParts::whole(key));
                self.visitor.entry(&entry, &mut OtherWorkers(sink))
            }
            Opening::Failed(_, error) => {
                self.visitor.error(Error::io(path.to_path_buf(), 0, error));
                ControlFlow::Continue(())
            }
        }
    }

    /// Whether the root at `path`, a file, belongs to the part of the tree that is visited.
    fn is_in_shard(&self, path: &Path) -> bool {
        let WalkConfig { shard, on_skip, .. } = self.expander.context.config;
        let is_in_shard = shard.is_none_or(|shard| shard.has_root(&rule_path(&bytes_of(path))));
        if let (Some(observer), false) = (on_skip, is_in_shard) {
            observer.skipped(path, &SkipReason::OtherShard);
        }
        is_in_shard
    }

    /// Whether the root at `path`, a file, is visited under another path, and is to be visited
    /// once. A file that cannot be examined is not.
    fn is_visited(&self, path: &Path, index: Option<usize>) -> bool {
        let Expander { context, system, .. } = &self.expander;
        let Some(limits) = &context.limits else { return false };
        match index {
            Some(index) => limits.is_repeated_root(index),
            None if limits.has_identities() => {
                system.file_id(path).is_some_and(|id| !limits.is_new(id))
            }
            None => false,
        }
    }
}
