//! What a worker does with an item: open a directory, list it, publish its sub-directories, visit
//! its files.

use std::{
    ops::{ControlFlow, Range},
    sync::Arc,
    time::{Duration, Instant},
};

use heist_filter::path_bytes::path_of;
use heist_queue::Spawner;

use crate::{
    batch::Batch,
    config::WalkConfig,
    context::WalkContext,
    descriptors::Handle,
    dir_visitor::{HookedVisitor, Whole},
    entry::Entry,
    error::Error,
    expand::Expander,
    item::{Dir, Item, Slice},
    listing::{DirEntry, FileType, Shortcut},
    opened::{Opened, Opening},
    own_path::own_path,
    skipped::SkipReason,
    sort_order::SortOrder,
    sys::{Links, OpenFile, Progress, System},
    visitor::Helpers,
};

mod children;
mod roots;

/// Where a worker puts the items that it finds. Not generic, so that the walk is compiled once and
/// not once per queue: an indirect call per directory is cheap beside a system call.
type Spawns<'a, 'run, S> = &'a mut dyn Spawner<Box<Item<'run, S>>>;

/// If a visit of a file takes this long, another worker is woken, however few files are left:
/// waking takes about a quarter of this time.
const COSTLY_VISIT: Duration = Duration::from_micros(200);

/// The other workers, behind the queue.
struct OtherWorkers<'a, 'run, S: System>(Spawns<'a, 'run, S>);

impl<S: System> Helpers for OtherWorkers<'_, '_, S> {
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
pub(crate) struct WalkWorker<'run, S: System, V> {
    expander: Expander<'run, S>,
    /// Created when the first directory is listed.
    buffer: Option<S::Buffer>,
    /// Scratch space for the key of the current item.
    key: Vec<u8>,
    pub(crate) visitor: V,
}

impl<'run, S: System, V: HookedVisitor> WalkWorker<'run, S, V> {
    pub(crate) fn new(context: &'run WalkContext<'run>, system: S, visitor: V) -> Self {
        WalkWorker {
            expander: Expander::new(context, system),
            buffer: None,
            key: Vec::new(),
            visitor,
        }
    }

    pub(crate) fn run<K: Spawner<Box<Item<'run, S>>>>(
        &mut self,
        item: Item<'run, S>,
        sink: &mut K,
    ) -> ControlFlow<()> {
        let has_key = self.follows_items() && !matches!(item, Item::Help);
        if !has_key {
            return self.work_on(item, sink);
        }
        item.key_into(&mut self.key);
        self.visitor.begin(&self.key);
        self.work_on(item, sink)?;
        self.visitor.end();
        ControlFlow::Continue(())
    }

    /// Whether the visitor is to learn the keys of items.
    fn follows_items(&self) -> bool {
        V::FOLLOWS_ITEMS && self.expander.context.config.order.is_some()
    }

    fn work_on(&mut self, item: Item<'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        match item {
            Item::Root(index) => self.root(index, sink),
            Item::MoreRoots => self.more_roots(sink),
            Item::Dir(dir) => self.directory(dir, sink),
            Item::Whole(dir) => {
                self.whole(&dir, Whole::Taken).unwrap_or_else(|| self.directory(*dir, sink))
            }
            Item::Slice(slice) => self.slice(*slice, sink),
            Item::Help => {
                self.visitor.help();
                ControlFlow::Continue(())
            }
        }
    }

    fn directory(&mut self, dir: Dir<'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        if V::WANTED_ENTRIES.directories {
            // Visitors receive a directory before it is listed.
            let context = self.expander.context;
            if context.skips_checkouts() && context.skips_checkout(&dir) {
                return ControlFlow::Continue(());
            }
            self.visit_directory(&dir, sink)?;
            if self.is_deepest(&dir) {
                return ControlFlow::Continue(());
            }
        }
        match self.expander.open(dir) {
            Opening::Open(opened, handle) => self.expand(opened, &handle, sink),
            Opening::OtherDevice(dir) => {
                if let Some(observer) = &self.expander.context.config.on_skip {
                    observer.skipped(&dir.own_path(), &SkipReason::OtherFileSystem);
                }
                ControlFlow::Continue(())
            }
            Opening::Failed(dir, error) => {
                self.visitor.error(Error::io(dir.own_path(), dir.depth, error));
                ControlFlow::Continue(())
            }
        }
    }

    /// Whether the entries of a directory are too deep.
    fn is_deepest(&self, dir: &Dir<'run, S>) -> bool {
        self.expander.context.config.max_depth == Some(dir.depth)
    }

    fn visit_directory(
        &mut self,
        dir: &Dir<'run, S>,
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        let shard = self.expander.context.config.shard;
        if shard.is_some_and(|shard| !shard.has_dir(&dir.below_root())) {
            return ControlFlow::Continue(());
        }
        let entry = Entry::directory(own_path(&dir.path), dir.depth, &dir.key);
        self.visitor.entry(&entry, &mut OtherWorkers(sink))
    }

    /// Lists the directory chunk by chunk: publishes its sub-directories, then visits its files.
    fn expand(
        &mut self,
        opened: Opened<'run, S>,
        handle: &Arc<Handle<'run, S>>,
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        if self.is_deepest(&opened.dir) {
            return ControlFlow::Continue(());
        }
        let mut buffer = self.buffer.take().unwrap_or_default();
        let flow = self.expand_in(&mut buffer, opened, handle, sink);
        self.buffer = Some(buffer);
        flow
    }

    fn expand_in(
        &mut self,
        buffer: &mut S::Buffer,
        mut opened: Opened<'run, S>,
        handle: &Arc<Handle<'run, S>>,
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        let mut lister = match self.expander.list(&opened, handle, buffer) {
            Ok(lister) => lister,
            Err(error) => {
                self.visitor.error(Error::io(opened.dir.own_path(), opened.dir.depth, error));
                return ControlFlow::Continue(());
            }
        };
        loop {
            let progress = self.expander.next_chunk(&mut opened, handle, &mut lister);
            if self.expander.cold_dirs.calls_for_help() {
                sink.allow_extra_workers();
            }
            self.report();
            let Some(progress) = progress else { break };
            if V::WANTED_ENTRIES.listings {
                let path = opened.dir.below_root();
                self.visitor.listed(&self.expander.listed(&opened, &path));
            }
            if V::WANTED_ENTRIES.links {
                self.visit_links(&Batch::of(&opened, handle), sink)?;
            }
            self.interleave_slices(&opened, handle);
            self.spawn_children(sink)?;
            // A directory of directories may have many chunks without a file to visit. In a sorted
            // walk, other workers are to find what follows these files, not what is further away.
            let is_sorted = self.expander.context.sorts();
            if is_sorted || progress == Progress::More && sink.has_idle_workers() {
                sink.flush();
            }
            self.visit(&Batch::of(&opened, handle), sink)?;
            if sink.stopped() {
                return ControlFlow::Break(());
            }
            if progress == Progress::End {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_links(
        &mut self,
        batch: &Batch<'_, 'run, S>,
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        let Expander { context, listing, links, .. } = &self.expander;
        links.iter().try_for_each(|&link| {
            let entry =
                batch.entry(link, listing.name(link), FileType::Symlink, context.config.order);
            self.visitor.entry(&entry, &mut OtherWorkers(&mut *sink))
        })
    }

    fn report(&mut self) {
        for error in self.expander.errors.drain(..) {
            self.visitor.error(error);
        }
        for problem in self.expander.cache.problems.drain(..) {
            self.visitor.problem(problem);
        }
    }

    /// Where entries are sorted, files that sort after a sub-directory are visited after it: this
    /// moves them into items of their own among `children`, so that one worker meets everything in
    /// order. Several workers that take items in order get slices of many files, so that they stay
    /// together.
    ///
    /// ```text
    /// files a d e g, directories b f   ->   files a, items b (d e) f (g)
    /// ```
    fn interleave_slices(&mut self, opened: &Opened<'run, S>, handle: &Arc<Handle<'run, S>>) {
        let Expander { context, listing, files, children, split_points, .. } = &mut self.expander;
        let config = context.config;
        let most = match config.takes_items_in_order() && config.workers > 1 {
            true => config.slice.max(1),
            false => usize::MAX,
        };
        let first = split_points.first().copied().unwrap_or(files.len());
        let kept = first.min(most);
        if kept == files.len() || !context.sorts() {
            return;
        }
        let dir = &opened.dir;
        let slices = |from: usize, to: usize| {
            files[from..to].chunks(most).map(|files| {
                let handle = Handle::share(handle, &context.descriptors);
                let files = listing.cut(files);
                Slice::item(handle, &dir.path, dir.depth + 1, files, &dir.key, config.order)
            })
        };
        let ends = split_points.iter().skip(1).copied().chain([files.len()]);
        let runs: Vec<_> = split_points.iter().copied().zip(ends).collect();
        let dirs = std::mem::take(children);
        children.extend(slices(kept, first));
        for (child, (from, to)) in dirs.into_iter().zip(runs) {
            children.push(child);
            children.extend(slices(from, to));
        }
        files.truncate(kept);
    }

    fn slice(&mut self, slice: Slice<'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        let Slice { handle, path, depth, files, dir_key, .. } = slice;
        let handle = match handle {
            Some(handle) => handle,
            None => match self.expander.reopen(&path, depth - 1) {
                Ok(handle) => handle,
                Err(error) => {
                    let path = path_of(own_path(&path)).into_owned();
                    self.visitor.error(Error::io(path, depth - 1, error));
                    return ControlFlow::Continue(());
                }
            },
        };
        self.expander.files.clear();
        self.expander.files.extend_from_slice(files.entries());
        // The worker's own listing is put back afterwards, because it has grown to a useful size.
        let listing = std::mem::replace(&mut self.expander.listing, files);
        let opener = handle.opener();
        let batch = Batch { handle: &handle, opener, path: &path, depth, key: &dir_key, base: 0 };
        let flow = self.visit(&batch, sink);
        self.expander.listing = listing;
        flow
    }

    /// Visits the wanted files of a chunk or slice. Whenever a worker is idle, publishes the
    /// sub-directories found so far, and the second half of the files if they are many or costly.
    fn visit(&mut self, batch: &Batch<'_, 'run, S>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        /// How many files are visited between two checks for idle workers and for the end of the
        /// run.
        const FILES_PER_CHECK: usize = 8;
        let WalkConfig { order, unique, .. } = *self.expander.context.config;
        let mut end = self.expander.files.len();
        let mut at = 0;
        let mut checked = Instant::now();
        while at < end {
            let is_hungry = sink.has_idle_workers();
            let is_costly = at > 0 && is_hungry && checked.elapsed() >= COSTLY_VISIT;
            if at % FILES_PER_CHECK == 0 || is_costly {
                if sink.stopped() {
                    return ControlFlow::Break(());
                }
                if is_hungry {
                    end = self.share(batch, at..end, is_costly, sink);
                }
                checked = Instant::now();
            }
            let entry: DirEntry = self.expander.files[at];
            let name = self.expander.listing.name(entry);
            let file = batch.entry(entry, name, FileType::File, order);
            at += 1;
            if entry.shortcut == Shortcut::SkipUnchanged && self.skips(&file) {
                continue;
            }
            if unique && self.is_repeated(batch, entry) {
                continue;
            }
            self.visitor.entry(&file, &mut OtherWorkers(&mut *sink))?;
        }
        ControlFlow::Continue(())
    }

    /// Returns whether a file is skipped, because it is as it is known.
    fn skips(&self, file: &Entry<'_>) -> bool {
        match (self.expander.context.known_dirs, file.number()) {
            (Some(dirs), Some(number)) => dirs.skips_file(number, &mut || file.file_metadata()),
            _ => false,
        }
    }

    /// Notes that a file is visited. Returns whether another path has led to it before. A file that
    /// cannot be examined is new.
    #[cold]
    fn is_repeated(&self, batch: &Batch<'_, 'run, S>, entry: DirEntry) -> bool {
        let Expander { context, listing, .. } = &self.expander;
        let name = listing.name(entry);
        let status =
            batch.handle.dir().and_then(|dir| S::status_in(dir, name.c_str(), Links::Follow));
        let (Some(limits), Ok(status)) = (&context.limits, status) else { return false };
        if limits.is_new(status.id) {
            return false;
        }
        if let Some(observer) = &context.config.on_skip {
            let path = [batch.path, name.bytes()].concat();
            observer.skipped(&path_of(&path), &SkipReason::Repeated);
        }
        true
    }

    /// Publishes what other workers can take, including the second half of these files if they are
    /// many or if such files were costly. Returns where the files end that are left.
    fn share(
        &mut self,
        batch: &Batch<'_, 'run, S>,
        files: Range<usize>,
        is_costly: bool,
        sink: Spawns<'_, 'run, S>,
    ) -> usize {
        let WalkContext { config, descriptors, .. } = self.expander.context;
        // The files of a slice have lost their positions in the listing.
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
        let cut = self.expander.listing.cut(&self.expander.files[middle..files.end]);
        let Batch { path, depth, key, .. } = *batch;
        let slice = Box::new(Slice::item(Some(handle), path, depth, cut, key, config.order));
        if self.follows_items() {
            slice.key_into(&mut self.key);
            self.visitor.spawn(&mut std::iter::once(self.key.as_slice()));
            // The slice sorts before the sub-directories, so they are published first.
            sink.flush();
        }
        sink.spawn(slice);
        sink.flush();
        middle
    }
}
