//! What a worker does with an item: open it, list it, publish its sub-directories, visit its files.

use std::{
    io,
    ops::{ControlFlow, Range},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use heist_queue::Spawner;

use crate::{
    config::{Root, WalkConfig},
    descriptors::Handle,
    entry::Entry,
    error::Error,
    expand::{Expander, Opened, Opening, Shared},
    item::{Dir, Item, Slice, own_path},
    listing::DirEntry,
    order::{self, SortOrder, root_key},
    sys::{Progress, System, bytes_of},
    visitor::{Helpers, Visitor},
};

/// Where a worker puts what it finds. Not generic: the walk is compiled once, not once per queue, and
/// an indirect call per directory or hungry look is not to be seen beside a system call.
type Spawns<'a, 'run, S> = &'a mut dyn Spawner<Box<Item<'run, S>>>;

/// Files that took so long are worth a wake-up, however few are left of their kind: it takes about a quarter of this.
const COSTLY: Duration = Duration::from_micros(200);

/// The workers behind a sink.
struct Others<'a, 'run, S: System>(Spawns<'a, 'run, S>);

impl<S: System> Helpers for Others<'_, '_, S> {
    fn has_idle_workers(&self) -> bool {
        self.0.has_idle_workers()
    }

    fn call_for_help(&mut self) {
        self.0.spawn(Box::new(Item::Help));
        self.0.flush();
    }

    fn is_stopped(&self) -> bool {
        self.0.stopped()
    }
}

/// One worker of a walk.
pub(crate) struct Worker<'run, S: System, V> {
    expander: Expander<'run, S>,
    /// Made when the first directory is listed: a worker that never starts needs none.
    buffer: Option<S::Buffer>,
    /// Scratch space for the key of the item at hand.
    key: Vec<u8>,
    pub(crate) visitor: V,
}

impl<'run, S: System, V: Visitor> Worker<'run, S, V> {
    pub(crate) fn new(shared: &'run Shared<'run>, visitor: V) -> Self {
        Worker { expander: Expander::new(shared), buffer: None, key: Vec::new(), visitor }
    }

    pub(crate) fn run<K: Spawner<Box<Item<'run, S>>>>(
        &mut self,
        item: Item<'run, S>,
        sink: &mut K,
    ) -> ControlFlow<()> {
        let order = match (self.expander.shared.config.order, &item) {
            (None, _) | (_, Item::Help) => return self.work_on(item, sink),
            (Some(order), _) => order,
        };
        item.key_into(order, &mut self.key);
        self.visitor.begin(&self.key);
        self.work_on(item, sink)?;
        self.visitor.end();
        ControlFlow::Continue(())
    }

    fn work_on(&mut self, item: Item<'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        match item {
            Item::Root(index) => self.root(index, sink),
            Item::Dir(dir) => self.directory(dir, sink),
            Item::Slice(slice) => self.slice(*slice, sink),
            Item::Help => {
                self.visitor.help();
                ControlFlow::Continue(())
            }
        }
    }

    fn root(&mut self, index: usize, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        let WalkConfig { roots, order, .. } = self.expander.shared.config;
        let key = root_key(index);
        let place = order::KeyParts::whole(&key);
        let (path, typed) = match &roots[index] {
            Root::Stdin => return self.visitor.file(&Entry::stdin(place), &mut Others(sink)),
            Root::Here => (Path::new("."), None),
            Root::Path(path) => (path.as_path(), Some(path.as_path())),
        };
        // An empty path names nothing: it is not the root that nobody named.
        if path.as_os_str().is_empty()
            && let Err(error) = S::status(path)
        {
            self.visitor.error(Error::io(path.to_path_buf(), 0, error));
            return ControlFlow::Continue(());
        }
        // Whether it is a directory shows when it is opened as one: a file named by the user costs one call more, a
        // directory none.
        match self.expander.open(Dir::root(typed, None)) {
            Opening::Open(mut opened) => {
                if order.is_some() {
                    opened.dir.key = Box::from(key);
                }
                if !self.expander.shared.unfiltered {
                    let scope = self.expander.shared.filter.root(path, &mut self.expander.cache);
                    opened.set_scope(scope);
                    self.report();
                }
                self.expand(opened, sink)
            }
            Opening::OtherDevice => ControlFlow::Continue(()),
            Opening::Failed(_, error) if error.kind() == io::ErrorKind::NotADirectory => {
                let bytes = bytes_of(path);
                self.visitor.file(&Entry::root(path, &bytes, place), &mut Others(sink))
            }
            Opening::Failed(_, error) => {
                self.visitor.error(Error::io(path.to_path_buf(), 0, error));
                ControlFlow::Continue(())
            }
        }
    }

    fn directory(&mut self, dir: Dir<'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        match self.expander.open(dir) {
            Opening::Open(opened) => self.expand(opened, sink),
            Opening::OtherDevice => ControlFlow::Continue(()),
            Opening::Failed(dir, error) => {
                self.visitor.error(Error::io(dir.own_path(), dir.depth, error));
                ControlFlow::Continue(())
            }
        }
    }

    /// List the directory chunk by chunk: publish its sub-directories, then visit its files.
    fn expand(
        &mut self,
        mut opened: Opened<'run, S>,
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        if self.expander.shared.config.max_depth == Some(opened.dir.depth) {
            return ControlFlow::Continue(());
        }
        let handle = Arc::clone(&opened.handle);
        let mut buffer = self.buffer.take().unwrap_or_default();
        let mut lister = match S::list(&handle.dir, &mut buffer) {
            Ok(lister) => lister,
            Err(error) => {
                self.visitor.error(Error::io(opened.dir.own_path(), opened.dir.depth, error));
                return ControlFlow::Continue(());
            }
        };
        self.visitor.directory(&opened.dir.path);
        loop {
            let progress = self.expander.next_chunk(&mut opened, &mut lister);
            if self.expander.cold_dirs.calls_for_help() {
                sink.allow_extra_workers();
            }
            self.report();
            if V::LINKS {
                self.links(&opened);
            }
            self.interleave_slices(&opened);
            self.announce_children();
            for child in self.expander.children.drain(..) {
                sink.spawn(Box::new(child));
            }
            // A directory of directories may go on for many chunks with no file to visit in between.
            if progress == Progress::More && sink.has_idle_workers() {
                sink.flush();
            }
            self.visit(&Batch::of(&opened), sink)?;
            if sink.stopped() {
                return ControlFlow::Break(());
            }
            if progress == Progress::End {
                break;
            }
        }
        drop(lister);
        self.buffer = Some(buffer);
        ControlFlow::Continue(())
    }

    /// Tell of the links of a chunk.
    fn links(&mut self, opened: &Opened<'run, S>) {
        let Expander { listing, links, .. } = &self.expander;
        for &entry in links {
            let name = listing.name(entry);
            let Opened { dir, handle, .. } = opened;
            let place = order::KeyParts::NOWHERE;
            self.visitor.link(&Entry::listed(&handle.dir, &dir.path, name, dir.depth + 1, place));
        }
    }

    fn report(&mut self) {
        for error in self.expander.errors.drain(..) {
            self.visitor.error(error);
        }
        for problem in self.expander.cache.problems.drain(..) {
            self.visitor.problem(problem);
        }
    }

    /// Where entries are sorted, the files that belong behind a sub-directory are visited after it: they become items
    /// of their own among `children`, so that one worker meets everything in order.
    fn interleave_slices(&mut self, opened: &Opened<'run, S>) {
        let Expander { shared, listing, files, children, split_points, .. } = &mut self.expander;
        let Some(&first) = split_points.first() else { return };
        if first == files.len() {
            return;
        }
        let Opened { dir, handle, .. } = opened;
        let ends = split_points[1..].iter().copied().chain([files.len()]);
        let runs: Vec<_> = split_points.iter().copied().zip(ends).collect();
        for (child, (from, to)) in std::mem::take(children).into_iter().zip(runs) {
            children.push(child);
            if from < to {
                let slice = Slice {
                    handle: Handle::share(handle, &shared.descriptors),
                    path: dir.path.clone(),
                    depth: dir.depth + 1,
                    files: listing.cut(&files[from..to]),
                    key: dir.key.clone(),
                };
                children.push(Item::Slice(Box::new(slice)));
            }
        }
        files.truncate(first);
    }

    /// Tell the visitor what is about to be spawned, if it cares.
    fn announce_children(&mut self) {
        let Expander { shared, children, .. } = &self.expander;
        let Some(order) = shared.config.order else { return };
        if children.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(children.len());
        for child in children {
            child.key_into(order, &mut self.key);
            bytes.extend_from_slice(&self.key);
            ends.push(bytes.len());
        }
        let mut from = 0;
        let mut keys = ends.iter().map(|&end| &bytes[std::mem::replace(&mut from, end)..end]);
        self.visitor.spawn(&mut keys);
    }

    fn slice(&mut self, slice: Slice<'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        let Slice { handle, path, depth, files, key } = slice;
        let handle = match handle {
            Some(handle) => handle,
            None => match self.expander.reopen(&path, depth - 1) {
                Ok(handle) => handle,
                Err(error) => {
                    self.visitor.error(Error::io(own_path(&path), depth - 1, error));
                    return ControlFlow::Continue(());
                }
            },
        };
        self.expander.files.clear();
        self.expander.files.extend_from_slice(files.entries());
        // Listings that are filled keep what they have room for.
        let listing = std::mem::replace(&mut self.expander.listing, files);
        let flow =
            self.visit(&Batch { handle: &handle, path: &path, depth, key: &key, base: 0 }, sink);
        self.expander.listing = listing;
        flow
    }

    /// Visit the wanted files of a chunk or slice. Whenever somebody is hungry, publish what is there for others: the
    /// sub-directories found so far, and the further half of the files if they are many or costly.
    fn visit(&mut self, batch: &Batch<'_, 'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        /// Files between two looks at who is hungry and whether the run was stopped.
        const STRIDE: usize = 8;
        let WalkConfig { order, .. } = *self.expander.shared.config;
        let mut end = self.expander.files.len();
        let mut at = 0;
        let mut looked = Instant::now();
        while at < end {
            let is_hungry = sink.has_idle_workers();
            let is_costly = at > 0 && is_hungry && looked.elapsed() >= COSTLY;
            if at % STRIDE == 0 || is_costly {
                if sink.stopped() {
                    return ControlFlow::Break(());
                }
                if is_hungry {
                    end = self.share(batch, at..end, is_costly, sink);
                }
                looked = Instant::now();
            }
            let entry: DirEntry = self.expander.files[at];
            let name = self.expander.listing.name(entry);
            let Batch { handle, path, depth, key, base } = *batch;
            let place = order::KeyParts { order, dir: key, position: base + entry.position() };
            let file = Entry::listed(&handle.dir, path, name, depth, place);
            self.visitor.file(&file, &mut Others(&mut *sink))?;
            at += 1;
        }
        ControlFlow::Continue(())
    }

    /// Publish all there is for others, the further half of these files included if they are many, or if such files were
    /// costly. Returns where those end that are left.
    fn share(
        &mut self,
        batch: &Batch<'_, 'run, S>,
        files: Range<usize>,
        is_costly: bool,
        sink: Spawns<'_, 'run, S>,
    ) -> usize {
        let Shared { config, descriptors, .. } = self.expander.shared;
        // A slice does not know where its files stood in the listing.
        let can_cut = config.order != Some(SortOrder::Listing) && files.len() > 1;
        if !can_cut || !is_costly && files.len() < config.slice {
            sink.flush();
            return files.end;
        }
        let Some(handle) = Handle::share(batch.handle, descriptors) else {
            sink.flush();
            return files.end;
        };
        let middle = files.start + files.len() / 2;
        let slice = Slice {
            handle: Some(handle),
            path: Box::from(batch.path),
            depth: batch.depth,
            files: self.expander.listing.cut(&self.expander.files[middle..files.end]),
            key: Box::from(batch.key),
        };
        let slice = Box::new(Item::Slice(Box::new(slice)));
        if let Some(order) = config.order {
            slice.key_into(order, &mut self.key);
            self.visitor.spawn(&mut std::iter::once(self.key.as_slice()));
            // It comes before what was spawned already.
            sink.flush();
        }
        sink.spawn(slice);
        sink.flush();
        middle
    }
}

/// What the files of a chunk or slice have in common.
struct Batch<'a, 'run, S: System> {
    handle: &'a Arc<Handle<'run, S>>,
    path: &'a [u8],
    /// The depth of the files.
    depth: usize,
    key: &'a [u8],
    /// What positions count from.
    base: u64,
}

impl<'a, 'run, S: System> Batch<'a, 'run, S> {
    fn of(opened: &'a Opened<'run, S>) -> Batch<'a, 'run, S> {
        let Opened { dir, handle, base, .. } = opened;
        Batch { handle, path: &dir.path, depth: dir.depth + 1, key: &dir.key, base: *base }
    }
}
