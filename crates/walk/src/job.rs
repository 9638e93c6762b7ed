//! The walk as a job of the crew: what a worker does with an item, and the function that starts it all.

use std::{io, ops::ControlFlow, path::Path, sync::Arc};

use heist_filter::{Filter, Problem};
use heist_queue::{
    IdleConfig, IdleStats, Job, Panicked, QueueStats, RunConfig, Sink, Stop, run_on,
};

use crate::{
    config::{Config, Reader, Root},
    descriptors::{Descriptors, Handle},
    error::Error,
    expand::{Expander, Opened, Opening, Shared},
    file::File,
    item::{Dir, Item, Slice},
    listing::Entry,
    sys::{Native, Portable, Progress, System, bytes_of},
};

/// What one worker does with what the walk finds.
pub trait Visitor: Send {
    /// Whether [`link`](Visitor::link) is to be called. Where not, links that are not followed are passed over before
    /// the filter is asked about them.
    const LINKS: bool = false;

    /// A wanted file. `Break` ends the whole walk, for every worker.
    fn file(&mut self, file: &File<'_>) -> ControlFlow<()>;

    /// A directory that is being listed, by its path as it is printed in front of its entries: with a slash at the
    /// end, or empty for the root that nobody named. Said by the worker that lists it, before it visits its files.
    fn directory(&mut self, _path: &[u8]) {}

    /// A wanted symbolic link that is not followed.
    fn link(&mut self, _link: &File<'_>) {}

    /// A path that could not be walked. The walk goes on.
    fn error(&mut self, error: Error);

    /// Something wrong with an ignore file. Its other rules hold.
    fn problem(&mut self, problem: Problem);

    /// The worker has nothing to do and may sleep: let go of what others could be waiting for.
    fn before_park(&mut self) {}
}

/// How a walk ended.
#[derive(Debug)]
pub struct Report<V> {
    /// The visitors, one per worker.
    pub visitors: Vec<V>,
    /// Whether everything was visited.
    pub stop: Stop,
    /// Directories, slices and roots that were worked on.
    pub items: u64,
    /// Threads that were started, besides the caller's.
    pub threads_started: usize,
    /// What happened to the queue.
    pub queue: QueueStats,
    /// What workers did when they had nothing to do.
    pub idle: IdleStats,
}

/// Visit every wanted file of `config.roots` once. `visitor` makes one visitor per worker, before any of them starts;
/// there may be fewer than `config.workers` where descriptors are scarce.
///
/// # Errors
/// A visitor's panic, after all workers have stopped.
pub fn walk<V: Visitor>(
    config: &Config,
    filter: &Filter,
    visitor: impl FnMut(usize) -> V,
) -> Result<Report<V>, Panicked> {
    let (workers, descriptors) = Descriptors::plan(config.workers);
    match config.reader {
        Reader::Native => walk_on::<Native, V>(config, filter, workers, descriptors, visitor),
        Reader::Portable => walk_on::<Portable, V>(config, filter, workers, descriptors, visitor),
    }
}

/// [`walk`] on one system, with the workers and descriptors that were found to be available.
pub(crate) fn walk_on<S: System, V: Visitor>(
    config: &Config,
    filter: &Filter,
    workers: usize,
    descriptors: Descriptors,
    visitor: impl FnMut(usize) -> V,
) -> Result<Report<V>, Panicked> {
    let unfiltered = filter.wants_everything();
    let shared = Shared { config, filter, descriptors, unfiltered, links: V::LINKS };
    let roots = (0..config.roots.len()).map(Item::<S>::Root).collect();
    let jobs: Vec<_> = (0..workers).map(visitor).map(|v| Worker::new(&shared, v)).collect();
    let idle = IdleConfig { policy: config.idle, cores: config.cores, ..IdleConfig::default() };
    let run = RunConfig { idle, ..RunConfig::default() };
    let report = run_on(config.queue, &run, roots, jobs)?;
    Ok(Report {
        visitors: report.outputs,
        stop: report.stop,
        items: report.executed,
        threads_started: report.threads_started,
        queue: report.queue,
        idle: report.idle,
    })
}

/// Where a worker puts what it finds. Not generic: the walk is compiled once, not once per queue, and
/// an indirect call per directory or hungry look is not to be seen beside a system call.
type Spawns<'a, 'run, S> = &'a mut dyn Sink<Item<'run, S>>;

/// One worker of a walk.
struct Worker<'run, S: System, V> {
    expander: Expander<'run, S>,
    /// Made when the first directory is listed: a worker that never starts needs none.
    buffer: Option<S::Buffer>,
    visitor: V,
}

impl<'run, S: System, V: Visitor> Job<Item<'run, S>> for Worker<'run, S, V> {
    type Output = V;

    fn run<K: Sink<Item<'run, S>>>(
        &mut self,
        item: Item<'run, S>,
        sink: &mut K,
    ) -> ControlFlow<()> {
        match item {
            Item::Root(index) => self.root(&self.expander.shared.config.roots[index], sink),
            Item::Dir(dir) => self.directory(dir, sink),
            Item::Slice(slice) => {
                let Slice { handle, path, depth, files } = *slice;
                self.expander.files.clear();
                self.expander.files.extend_from_slice(files.entries());
                self.expander.listing = files;
                self.visit(&handle, &path, depth, sink)
            }
        }
    }

    fn before_park(&mut self) {
        self.visitor.before_park();
    }

    fn finish(self) -> V {
        self.visitor
    }
}

impl<'run, S: System, V: Visitor> Worker<'run, S, V> {
    fn new(shared: &'run Shared<'run>, visitor: V) -> Self {
        Worker { expander: Expander::new(shared), buffer: None, visitor }
    }

    fn root(&mut self, root: &'run Root, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        let (path, typed) = match root {
            Root::Stdin => return self.visitor.file(&File::stdin()),
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
        match self.expander.open(Box::new(Dir::root(typed, None))) {
            Opening::Open(mut opened) => {
                if !self.expander.shared.unfiltered {
                    let scope = self.expander.shared.filter.root(path, &mut self.expander.local);
                    opened.set_scope(scope);
                    self.report();
                }
                self.expand(opened, sink)
            }
            Opening::Elsewhere => ControlFlow::Continue(()),
            Opening::Failed(_, error) if error.kind() == io::ErrorKind::NotADirectory => {
                self.visitor.file(&File::root(path, &bytes_of(path)))
            }
            Opening::Failed(_, error) => {
                self.visitor.error(Error::io(path.to_path_buf(), 0, error));
                ControlFlow::Continue(())
            }
        }
    }

    fn directory(&mut self, dir: Box<Dir<'run, S>>, sink: Spawns<'_, 'run, S>) -> ControlFlow<()> {
        match self.expander.open(dir) {
            Opening::Open(opened) => self.expand(opened, sink),
            Opening::Elsewhere => ControlFlow::Continue(()),
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
            self.report();
            if V::LINKS {
                self.links(&opened);
            }
            for child in self.expander.children.drain(..) {
                sink.spawn(child);
            }
            // A directory of directories may go on for many chunks with no file to visit in between.
            if progress == Progress::More && sink.hungry() {
                sink.flush();
            }
            self.visit(&handle, &opened.dir.path, opened.dir.depth + 1, sink)?;
            if progress == Progress::End || sink.stopped() {
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
            self.visitor.link(&File::listed(&handle.dir, &dir.path, name, dir.depth + 1));
        }
    }

    fn report(&mut self) {
        for error in self.expander.errors.drain(..) {
            self.visitor.error(error);
        }
        for problem in self.expander.local.problems.drain(..) {
            self.visitor.problem(problem);
        }
    }

    /// Visit the wanted files of a chunk or slice. Whenever somebody is hungry, publish what is there for others: the
    /// sub-directories found so far, and the further half of the files if they are many.
    fn visit(
        &mut self,
        handle: &Arc<Handle<'run, S>>,
        path: &[u8],
        depth: usize,
        sink: Spawns<'_, 'run, S>,
    ) -> ControlFlow<()> {
        /// Files between two looks at who is hungry and whether the run was stopped.
        const STRIDE: usize = 8;
        let Shared { config, descriptors, .. } = self.expander.shared;
        let mut end = self.expander.files.len();
        let mut at = 0;
        while at < end {
            if at % STRIDE == 0 {
                if sink.stopped() {
                    return ControlFlow::Break(());
                }
                if sink.hungry() {
                    if end - at >= config.slice
                        && let Some(handle) = Handle::share(handle, descriptors)
                    {
                        let middle = at + (end - at) / 2;
                        let files = self.expander.listing.cut(&self.expander.files[middle..end]);
                        let path = path.to_vec();
                        sink.spawn(Item::Slice(Box::new(Slice { handle, path, depth, files })));
                        end = middle;
                    }
                    sink.flush();
                }
            }
            let entry: Entry = self.expander.files[at];
            let name = self.expander.listing.name(entry);
            self.visitor.file(&File::listed(&handle.dir, path, name, depth))?;
            at += 1;
        }
        ControlFlow::Continue(())
    }
}
