//! Turns a directory into its wanted sub-directories and files. The only place where it is decided what a walk visits,
//! whichever queue, however many workers and whichever system it runs on.

use std::{io, path::PathBuf, sync::Arc};

use heist_filter::{Filter, Problem, Scope, WorkerCache};

use crate::{
    config::{FileId, WalkConfig},
    descriptors::{Descriptors, Handle},
    error::Error,
    item::{Ancestor, Dir, Item, own_path},
    listing::{DirEntry, Kind, Listing, Name},
    order::SortOrder,
    rule_files::{FilesIn, rule_files_present},
    slow_dirs::ColdDirDetector,
    sys::{Links, Lister, Progress, System},
};

/// What all workers of a walk share.
pub(crate) struct Shared<'run> {
    pub(crate) config: &'run WalkConfig,
    pub(crate) filter: &'run Filter,
    pub(crate) descriptors: Descriptors,
    /// Nothing is ever unwanted, so nobody asks the filter.
    pub(crate) unfiltered: bool,
    /// Somebody wants to know of links that are not followed.
    pub(crate) links: bool,
}

impl Shared<'_> {
    /// Whether the entries of each directory are sorted.
    pub(crate) fn sorts(&self) -> bool {
        self.config.order.is_some_and(SortOrder::sorts)
    }
}

/// One worker's expansion of directories, a chunk of a listing at a time.
pub(crate) struct Expander<'run, S: System> {
    pub(crate) shared: &'run Shared<'run>,
    pub(crate) cache: WorkerCache,
    pub(crate) listing: Listing,
    /// The wanted files of the chunk.
    pub(crate) files: Vec<DirEntry>,
    /// The wanted links of the chunk that are not followed, if anybody wants to know.
    pub(crate) links: Vec<DirEntry>,
    /// The wanted sub-directories of the chunk.
    pub(crate) children: Vec<Item<'run, S>>,
    /// How many of `files` come before each of `children`, if entries are sorted.
    pub(crate) split_points: Vec<usize>,
    /// What went wrong since it was last asked.
    pub(crate) errors: Vec<Error>,
    /// Whether directories come from a disk.
    pub(crate) cold_dirs: ColdDirDetector,
}

/// An open directory and what its entries have in common.
pub(crate) struct Opened<'run, S: System> {
    pub(crate) dir: Dir<'run, S>,
    pub(crate) handle: Arc<Handle<'run, S>>,
    /// The rules in it; those of its parent until its first chunk has shown its ignore files.
    scope: Option<Arc<Scope>>,
    ancestors: Option<Arc<Ancestor>>,
    first_chunk: bool,
    /// What positions in the chunk at hand count from.
    pub(crate) base: u64,
}

/// What came of opening a directory.
pub(crate) enum Opening<'run, S: System> {
    /// It can be listed.
    Open(Opened<'run, S>),
    /// It lies on another device and is not wanted.
    OtherDevice,
    /// It cannot be opened.
    Failed(Dir<'run, S>, io::Error),
}

impl<S: System> Opened<'_, S> {
    /// Start from these rules, those of the directories above a root.
    pub(crate) fn set_scope(&mut self, scope: Arc<Scope>) {
        self.scope = Some(scope);
    }
}

impl<'run, S: System> Expander<'run, S> {
    pub(crate) fn new(shared: &'run Shared<'run>) -> Expander<'run, S> {
        Expander {
            shared,
            cache: WorkerCache::default(),
            listing: if shared.sorts() { Listing::whole() } else { Listing::default() },
            files: Vec::new(),
            links: Vec::new(),
            children: Vec::new(),
            split_points: Vec::new(),
            errors: Vec::new(),
            cold_dirs: ColdDirDetector::new(shared.config.extra_workers > 0),
        }
    }

    /// Open a directory, relative to its parent if that is open.
    pub(crate) fn open(&mut self, mut dir: Dir<'run, S>) -> Opening<'run, S> {
        self.cold_dirs.start();
        let config = self.shared.config;
        let links = self.links_of(dir.depth);
        let opened = match dir.parent.take() {
            Some(parent) => S::open_in(&parent.dir, dir.name(), links),
            None => S::open(&dir.own_path(), links),
        };
        let handle = match opened {
            Ok(handle) => Handle::new(handle),
            Err(error) => return Opening::Failed(dir, error),
        };
        let mut ancestors = None;
        if config.follow || config.same_file_system {
            let id = match S::status_of(&handle.dir) {
                Ok(status) => status.id,
                Err(error) => return Opening::Failed(dir, error),
            };
            if config.same_file_system && *dir.device.get_or_insert(id.device) != id.device {
                return Opening::OtherDevice;
            }
            if config.follow {
                let parent = dir.ancestors.take();
                ancestors = Some(Arc::new(Ancestor { id, path_len: dir.path.len(), parent }));
            }
        }
        let scope = dir.scope.take();
        Opening::Open(Opened { dir, handle, scope, ancestors, first_chunk: true, base: 0 })
    }

    /// Open a directory again that was listed before, at this depth.
    pub(crate) fn reopen(&self, path: &[u8], depth: usize) -> io::Result<Arc<Handle<'run, S>>> {
        S::open(&own_path(path), self.links_of(depth)).map(Handle::new)
    }

    /// What becomes of a link in a directory's place: those that are named are followed.
    fn links_of(&self, depth: usize) -> Links {
        if self.shared.config.follow || depth == 0 { Links::Follow } else { Links::Keep }
    }

    /// Read the next chunk of the listing and judge its entries: afterwards `files`, `links` and `children` hold the
    /// wanted ones.
    pub(crate) fn next_chunk(
        &mut self,
        opened: &mut Opened<'run, S>,
        lister: &mut S::Lister<'_>,
    ) -> Progress {
        if !opened.first_chunk {
            opened.base += self.listing.names_len();
        }
        self.listing.clear();
        self.files.clear();
        self.links.clear();
        self.split_points.clear();
        let progress = lister.fill(&mut self.listing).unwrap_or_else(|error| {
            self.fail(opened.dir.own_path(), opened.dir.depth, error);
            Progress::End
        });
        if std::mem::take(&mut opened.first_chunk) {
            self.cold_dirs.stop(self.listing.entries().len());
            if !self.shared.unfiltered {
                self.enter(opened, progress);
            }
        }
        if let Some(order) = self.shared.config.order {
            self.listing.sort(order);
        }
        self.judge(opened);
        progress
    }

    fn fail(&mut self, path: PathBuf, depth: usize, error: io::Error) {
        self.errors.push(Error::io(path, depth, error));
    }

    /// Let the directory's own ignore files count.
    fn enter(&mut self, opened: &mut Opened<'run, S>, progress: Progress) {
        let Some(parent) = &opened.scope else { return };
        let dir = &opened.handle.dir;
        let found = rule_files_present::<S>(&self.listing, progress, dir, |name, error| {
            let path = opened.dir.entry_path(name.to_bytes());
            self.cache.problems.push(Problem::unreadable(path, &error));
        });
        if !found.is_empty() {
            let mut files = FilesIn(dir);
            let path = opened.dir.below_root();
            opened.scope =
                Some(self.shared.filter.enter(parent, path, found, &mut files, &mut self.cache));
        }
    }

    /// Sort the wanted from the unwanted.
    fn judge(&mut self, opened: &Opened<'run, S>) {
        let Shared { config, filter, unfiltered, .. } = *self.shared;
        let sorts = self.shared.sorts();
        let Expander {
            shared, cache, listing, files, links, children, split_points, errors, ..
        } = self;
        let mut rules = match &opened.scope {
            Some(scope) if !unfiltered => {
                Some(filter.directory(scope, opened.dir.below_root(), cache))
            }
            _ => None,
        };
        let mut context = EntryChecks { shared, opened, kept: None, errors };
        for &entry in listing.entries() {
            let name = listing.name(entry);
            let Some(kind) = context.kind(entry, name) else {
                continue;
            };
            let is_dir = kind == Kind::Dir;
            if let Some(rules) = &mut rules
                && !rules.is_wanted(name.bytes(), is_dir)
            {
                if config.explain {
                    context.ignore(name, &rules.explain(name.bytes(), is_dir));
                }
                continue;
            }
            if is_dir {
                if context.descends() {
                    children.push(context.child(entry, name));
                    if sorts {
                        split_points.push(files.len());
                    }
                } else {
                    context.ignore(name, "it is too deep");
                }
            } else if context.is_visitable(entry, kind, name) {
                files.push(entry);
            } else if kind == Kind::Symlink {
                links.push(entry);
            }
        }
    }
}

/// Decides about the entries of one chunk, apart from the filter's rules.
struct EntryChecks<'a, 'run, S: System> {
    shared: &'run Shared<'run>,
    opened: &'a Opened<'run, S>,
    /// The directory kept open for its sub-directories: unset until the first, then None if there are too many.
    kept: Option<Option<Arc<Handle<'run, S>>>>,
    errors: &'a mut Vec<Error>,
}

impl<'run, S: System> EntryChecks<'_, 'run, S> {
    fn depth(&self) -> usize {
        self.opened.dir.depth + 1
    }

    fn fail(&mut self, name: Name<'_>, error: io::Error) {
        let path = self.opened.dir.entry_path(name.bytes());
        self.errors.push(Error::io(path, self.depth(), error));
    }

    /// Tell why an entry is passed over, if anybody wants to know.
    fn ignore(&self, name: Name<'_>, why: &str) {
        if self.shared.config.explain {
            log::debug!("ignoring {}: {why}", self.opened.dir.entry_path(name.bytes()).display());
        }
    }

    /// What the entry is, or what it points to if links are followed. None: an error was noted, or it is a link that
    /// nobody wants to know of.
    fn kind(&mut self, entry: DirEntry, name: Name<'_>) -> Option<Kind> {
        let dir = &self.opened.handle.dir;
        let kind = match entry.kind {
            Kind::Unknown => match S::status_in(dir, name.c_str(), Links::Keep) {
                Ok(status) => status.kind,
                Err(error) => {
                    self.fail(name, error);
                    return None;
                }
            },
            known => known,
        };
        match kind {
            Kind::Symlink if !self.shared.config.follow => {
                if self.shared.links {
                    return Some(Kind::Symlink);
                }
                self.ignore(name, "it is a symbolic link");
                None
            }
            Kind::Symlink => match S::status_in(dir, name.c_str(), Links::Follow) {
                Ok(status) if status.kind == Kind::Dir && self.is_loop(name, status.id) => None,
                Ok(status) => Some(status.kind),
                Err(error) => {
                    self.fail(name, error);
                    None
                }
            },
            kind => Some(kind),
        }
    }

    /// Whether the link `name`, which points to `id`, leads back up. Notes an error if it does.
    fn is_loop(&mut self, name: Name<'_>, id: FileId) -> bool {
        let Some(ancestor) = self.opened.ancestors.as_ref().and_then(|a| a.find(id)) else {
            return false;
        };
        let dir = &self.opened.dir;
        let ancestor = own_path(&dir.path[..ancestor.path_len]);
        self.errors.push(Error::symlink_loop(dir.entry_path(name.bytes()), self.depth(), ancestor));
        true
    }

    /// Whether sub-directories are entered: some of their entries could still be shallow enough.
    fn descends(&self) -> bool {
        self.shared.config.max_depth.is_none_or(|max| self.depth() < max)
    }

    /// Whether an entry that is no directory can be visited and may be, its size and identity considered.
    fn is_visitable(&mut self, entry: DirEntry, kind: Kind, name: Name<'_>) -> bool {
        let WalkConfig { max_filesize, skip, .. } = *self.shared.config;
        if kind != Kind::File {
            // A link that gets here is told of.
            if kind != Kind::Symlink {
                self.ignore(name, "it is no regular file");
            }
            return false;
        }
        // A link's own number says nothing about the file it points to.
        let may_be_skipped = skip.is_some_and(|skip| {
            entry.inode == skip.inode || entry.inode == 0 || entry.kind != Kind::File
        });
        if max_filesize.is_none() && !may_be_skipped {
            return true;
        }
        match S::status_in(&self.opened.handle.dir, name.c_str(), Links::Follow) {
            Ok(status) if max_filesize.is_some_and(|max| status.size > max) => {
                self.ignore(name, "it is too large");
                false
            }
            Ok(status) if skip == Some(status.id) => {
                self.ignore(name, "output is written to it");
                false
            }
            Ok(_) => true,
            Err(error) => {
                self.fail(name, error);
                false
            }
        }
    }

    fn child(&mut self, entry: DirEntry, name: Name<'_>) -> Item<'run, S> {
        let Opened { dir, handle, scope, ancestors, base, .. } = self.opened;
        let name = name.bytes();
        let mut path = Vec::with_capacity(dir.path.len() + name.len() + 1);
        path.extend_from_slice(&dir.path);
        path.extend_from_slice(name);
        path.push(b'/');
        let mut key = Vec::new();
        if let Some(order) = self.shared.config.order {
            key.reserve_exact(dir.key.len() + name.len() + size_of::<u64>());
            key.extend_from_slice(&dir.key);
            order.append(&mut key, name, base + entry.position());
        }
        let descriptors = &self.shared.descriptors;
        let parent = self.kept.get_or_insert_with(|| Handle::share(handle, descriptors)).clone();
        Item::Dir(Dir {
            path: path.into_boxed_slice(),
            root_len: dir.root_len,
            depth: dir.depth + 1,
            parent,
            scope: scope.clone(),
            ancestors: ancestors.clone(),
            device: dir.device,
            key: key.into_boxed_slice(),
        })
    }
}
