//! Turns a directory into its wanted sub-directories and files. This is the only place that decides
//! what a walk visits, for every queue, every number of workers and every system.

use std::{
    cell::Cell,
    collections::HashMap,
    ffi::CStr,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use heist_filter::{
    Filter, Problem, Scope, WorkerCache,
    path_bytes::{SEPARATOR, path_of},
};

use crate::{
    bounds::Bounds,
    config::WalkConfig,
    descriptors::{Descriptors, Handle},
    error::Error,
    explained::ExplainedEntry,
    file_id::FileId,
    file_limits::FileLimits,
    file_metadata::FileMetadata,
    file_time::FileTime,
    item::{Ancestor, Dir, Item},
    known_dirs::{EntrySource, KnownDirs, Listed},
    listing::{DirEntry, FileType, Listing, Name},
    own_path::own_path,
    rule_files::{FilesIn, rule_files_present},
    slow_dirs::ColdDirDetector,
    sort_order::SortOrder,
    sys::{self, Links, Lister, OpenFile, Progress, Status, System},
};

/// What all workers of a walk share.
pub(crate) struct WalkContext<'run> {
    pub(crate) config: &'run WalkConfig,
    pub(crate) filter: &'run Filter,
    pub(crate) known_dirs: Option<&'run dyn KnownDirs>,
    /// Which files are visited by their size and the like, if there are limits.
    pub(crate) limits: Option<FileLimits>,
    /// What links must not lead out of, if that is limited.
    pub(crate) bounds: Option<Bounds>,
    pub(crate) descriptors: Descriptors,
    /// Whether the filter accepts everything, so that it need not be called.
    pub(crate) unfiltered: bool,
    /// Whether visitors receive links that are not followed.
    pub(crate) links: bool,
    /// Whether visitors receive directories.
    pub(crate) directories: bool,
    /// Whether visitors receive listings.
    pub(crate) listings: bool,
    /// The entry whose fate is to be explained, if there is one.
    pub(crate) explained: Option<ExplainedEntry>,
}

impl WalkContext<'_> {
    /// Whether the entries of each directory are sorted.
    pub(crate) fn sorts(&self) -> bool {
        self.config.order.is_some_and(SortOrder::sorts)
    }
}

/// Expands directories for one worker, a chunk of a listing at a time.
pub(crate) struct Expander<'run, S: System> {
    pub(crate) context: &'run WalkContext<'run>,
    pub(crate) cache: WorkerCache,
    pub(crate) listing: Listing,
    /// The wanted files of the chunk.
    pub(crate) files: Vec<DirEntry>,
    /// The wanted links of the chunk that are not followed, if visitors receive them.
    pub(crate) links: Vec<DirEntry>,
    /// The wanted sub-directories of the chunk.
    pub(crate) children: Vec<Item<'run, S>>,
    /// How many of `files` sort before each of `children`, if entries are sorted.
    pub(crate) split_points: Vec<usize>,
    /// The verdict of rules about each entry of the chunk, if visitors receive listings.
    verdicts: Vec<Option<bool>>,
    /// Whether these are those that are known.
    is_judged: bool,
    /// The errors that have not been reported yet.
    pub(crate) errors: Vec<Error>,
    pub(crate) cold_dirs: ColdDirDetector,
}

/// A directory that has been opened, and what its entries have in common. Its handle is passed
/// beside it, because its listing borrows that while this changes.
pub(crate) struct Opened<'run, S: System> {
    pub(crate) dir: Dir<'run, S>,
    /// The rules in force here. Until the first chunk has shown its rule files, those of the
    /// parent.
    scope: Option<Arc<Scope>>,
    ancestors: Option<Arc<Ancestor>>,
    first_chunk: bool,
    /// The position of the first entry of the chunk.
    pub(crate) base: u64,
    known: Known,
    /// What the system reported before the directory was listed, and the time before that, if
    /// visitors receive listings.
    looked: Option<(FileMetadata, SystemTime)>,
    /// Whether listing it failed.
    is_partial: bool,
}

/// What is known of a directory.
enum Known {
    Nothing,
    /// All of it, under this number.
    Entries(u32),
    /// It has changed. Directories in it may not have: their numbers by their names.
    Dirs(HashMap<Box<[u8]>, u32>),
}

impl Known {
    /// What is known of the directory with this number, which has changed.
    fn of_changed(number: u32, dirs: &dyn KnownDirs) -> Known {
        let mut numbers = HashMap::new();
        let read = dirs.entries(number, 0, &mut |entry| {
            if let (Some(FileType::Dir), Some(number)) = (entry.file_type, entry.number) {
                numbers.insert(entry.name.into(), number);
            }
            true
        });
        if read.is_ok() { Known::Dirs(numbers) } else { Known::Nothing }
    }
}

/// The outcome of opening a directory.
pub(crate) enum Opening<'run, S: System> {
    /// It can be listed.
    Open(Opened<'run, S>, Arc<Handle<'run, S>>),
    /// It lies on another device and is not wanted.
    OtherDevice,
    /// It cannot be opened.
    Failed(Dir<'run, S>, io::Error),
}

impl<'run, S: System> Opened<'run, S> {
    fn new(mut dir: Dir<'run, S>, known: Known) -> Opened<'run, S> {
        let scope = dir.scope.take();
        dir.parent = None;
        Opened {
            dir,
            scope,
            ancestors: None,
            first_chunk: true,
            base: 0,
            known,
            looked: None,
            is_partial: false,
        }
    }

    /// Sets the rules of the directories above a root.
    pub(crate) fn set_scope(&mut self, scope: Arc<Scope>) {
        self.scope = Some(scope);
    }
}

impl<'run, S: System> Expander<'run, S> {
    pub(crate) fn new(context: &'run WalkContext<'run>) -> Expander<'run, S> {
        Expander {
            context,
            cache: WorkerCache::default(),
            listing: if context.sorts() { Listing::whole() } else { Listing::default() },
            files: Vec::new(),
            links: Vec::new(),
            children: Vec::new(),
            split_points: Vec::new(),
            verdicts: Vec::new(),
            is_judged: false,
            errors: Vec::new(),
            cold_dirs: ColdDirDetector::new(context.config.extra_workers > 0),
        }
    }

    /// Opens a directory, relative to its parent if that is open, unless its entries are known.
    pub(crate) fn open(&mut self, mut dir: Dir<'run, S>) -> Opening<'run, S> {
        let mut known = Known::Nothing;
        if let (Some(number), Some(dirs)) = (dir.number(), self.context.known_dirs) {
            let path = own_path(&dir.path);
            let (mut looked, device) = (None, Cell::new(None));
            let mut look = || {
                let now = self.context.listings.then(SystemTime::now);
                let metadata = FileMetadata::of(&fs::symlink_metadata(path_of(path))?)?;
                looked = now.map(|now| (metadata, now));
                device.set(Some(metadata.id.device));
                Ok(metadata)
            };
            let mut is_unchanged = dirs.is_unchanged(number, &mut look);
            if is_unchanged && self.context.config.same_file_system {
                let device = device.get().or_else(|| Some(look().ok()?.id.device));
                // It may be another one than that of the root, which is found out below.
                is_unchanged = device.is_some() && (dir.device.is_none() || device == dir.device);
            }
            if is_unchanged {
                let handle = Handle::unopened(dir.parent.take(), &dir.path);
                let opened = Opened { looked, ..Opened::new(dir, Known::Entries(number)) };
                return Opening::Open(opened, handle);
            }
            known = Known::of_changed(number, dirs);
        }
        self.cold_dirs.start();
        let config = self.context.config;
        let links = self.links_of(dir.depth);
        let opened = match dir.parent.take() {
            Some(parent) => parent.open_below(&dir.path, links),
            None => S::open(&dir.own_path(), links),
        };
        let handle = match opened {
            Ok(handle) => Handle::new(handle, dir.path.len()),
            Err(error) => return Opening::Failed(dir, error),
        };
        let mut ancestors = None;
        if config.follow || config.same_file_system {
            let id = match handle.dir().and_then(S::status_of) {
                Ok(status) => status.id,
                Err(error) => return Opening::Failed(dir, error),
            };
            if config.same_file_system && *dir.device.get_or_insert(id.device) != id.device {
                return Opening::OtherDevice;
            }
            if config.follow {
                ancestors = Some(Ancestor::new(id, dir.path.len(), dir.ancestors.take()));
            }
        }
        let mut opened = Opened { ancestors, ..Opened::new(dir, known) };
        if self.context.listings {
            let now = SystemTime::now();
            opened.looked = metadata_of(&opened.dir, &handle).ok().map(|metadata| (metadata, now));
        }
        Opening::Open(opened, handle)
    }

    /// Finds out what is known of a root, which is open.
    pub(crate) fn recognize(
        &self,
        opened: &mut Opened<'run, S>,
        path: &Path,
        handle: &Handle<'run, S>,
    ) {
        let Some(dirs) = self.context.known_dirs else { return };
        let Some(number) = dirs.root(path) else { return };
        let mut look = || metadata_of(&opened.dir, handle);
        opened.known = match dirs.is_unchanged(number, &mut look) {
            true => Known::Entries(number),
            false => Known::of_changed(number, dirs),
        };
    }

    /// Begins to list a directory.
    ///
    /// # Errors
    /// That failed.
    pub(crate) fn list<'a>(
        &self,
        opened: &Opened<'run, S>,
        handle: &'a Handle<'run, S>,
        buffer: &'a mut S::Buffer,
    ) -> io::Result<EntrySource<'a, S>>
    where
        'run: 'a,
    {
        match (&opened.known, self.context.known_dirs) {
            (Known::Entries(number), Some(dirs)) => Ok(EntrySource::Known(dirs, *number, 0)),
            _ => Ok(EntrySource::System(S::list(handle.dir()?, buffer)?)),
        }
    }

    /// Opens a directory at this depth again that has been listed before.
    pub(crate) fn reopen(&self, path: &[u8], depth: usize) -> io::Result<Arc<Handle<'run, S>>> {
        let dir = S::open(&path_of(own_path(path)), self.links_of(depth))?;
        Ok(Handle::new(dir, path.len()))
    }

    /// Whether a link in place of a directory is followed. Roots always are.
    fn links_of(&self, depth: usize) -> Links {
        if self.context.config.follow || depth == 0 { Links::Follow } else { Links::Keep }
    }

    /// Reads the next chunk of the listing and selects its wanted entries: afterwards `files`,
    /// `links` and `children` hold them.
    pub(crate) fn next_chunk(
        &mut self,
        opened: &mut Opened<'run, S>,
        handle: &Arc<Handle<'run, S>>,
        lister: &mut EntrySource<'_, S>,
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
            opened.is_partial = true;
            Progress::End
        });
        if std::mem::take(&mut opened.first_chunk) {
            self.cold_dirs.stop(self.listing.entries().len());
            if !self.context.unfiltered {
                self.enter(opened, handle, progress);
            }
        }
        if let Some(order) = self.context.config.order {
            self.listing.sort(order);
        }
        self.select(opened, handle);
        progress
    }

    /// The entries of the chunk.
    pub(crate) fn listed<'a>(&'a self, opened: &'a Opened<'run, S>, path: &'a [u8]) -> Listed<'a> {
        Listed {
            path,
            looked: opened.looked,
            rules: opened.scope.as_ref().and_then(|scope| scope.fingerprint()),
            known: match opened.known {
                Known::Entries(number) => Some(number),
                _ => None,
            },
            is_known_judged: self.is_judged,
            is_first: opened.base == 0,
            is_partial: opened.is_partial,
            listing: &self.listing,
            verdicts: &self.verdicts,
        }
    }

    fn fail(&mut self, path: PathBuf, depth: usize, error: io::Error) {
        self.errors.push(Error::io(path, depth, error));
    }

    /// Adds the rules of the directory's own rule files.
    fn enter(&mut self, opened: &mut Opened<'run, S>, dir: &Handle<'run, S>, progress: Progress) {
        let Some(parent) = &opened.scope else { return };
        let bounds = self.context.bounds.as_ref();
        let path = |name: &CStr| opened.dir.entry_path(name.to_bytes());
        let is_outside = |name: &CStr| bounds.is_some_and(|bounds| bounds.excludes(&path(name)));
        let fails = |name: &CStr, error| {
            self.cache.problems.push(Problem::unreadable(path(name), &error));
        };
        let found = rule_files_present(&self.listing, progress, dir, is_outside, fails);
        if !found.is_empty() {
            let mut files = FilesIn(dir);
            let path = &opened.dir.below_root();
            let filter = self.context.filter;
            opened.scope = Some(filter.enter(parent, path, found, &mut files, &mut self.cache));
        }
    }

    /// Distributes the wanted entries of the chunk.
    fn select(&mut self, opened: &Opened<'run, S>, handle: &Arc<Handle<'run, S>>) {
        let WalkContext { config, filter, unfiltered, .. } = *self.context;
        let sorts = self.context.sorts();
        let Expander {
            context,
            cache,
            listing,
            files,
            links,
            children,
            split_points,
            verdicts,
            is_judged: known_judged,
            errors,
            ..
        } = self;
        *known_judged = is_judged(opened, context, listing);
        let is_judged = *known_judged;
        let mut rules = match &opened.scope {
            Some(scope) if !unfiltered && !is_judged => {
                Some(filter.directory(scope, &opened.dir.below_root(), cache))
            }
            _ => None,
        };
        verdicts.clear();
        let mut checks =
            EntryChecks { context, opened, handle, kept: None, last_link: None, errors };
        for &entry in listing.entries() {
            let name = listing.name(entry);
            if context.listings {
                verdicts.push(entry.is_wanted.filter(|_| is_judged));
            }
            let Some(file_type) = checks.file_type(entry, name) else {
                continue;
            };
            let is_dir = file_type == FileType::Dir;
            if is_judged && entry.is_wanted == Some(false) {
                continue;
            }
            if context.listings
                && let Some(rules) = &mut rules
            {
                let is_wanted = rules.is_wanted(name.bytes(), is_dir);
                verdicts.pop();
                verdicts.push(Some(is_wanted));
            }
            if let Some(rules) = &mut rules
                && !rules.is_wanted(name.bytes(), is_dir)
            {
                if config.explain {
                    checks.explain(name, &rules.verdict(name.bytes(), is_dir));
                }
                continue;
            }
            if entry.attributes.is_hidden()
                && let Some(rules) = &mut rules
                && rules.hides_marked(name.bytes(), is_dir)
            {
                checks.explain(name, &"ignored: hidden");
                continue;
            }
            if is_dir {
                if checks.descends() {
                    let is_entered_for_tracked = rules
                        .as_mut()
                        .is_some_and(|rules| rules.is_entered_for_tracked(name.bytes()));
                    let scope = match is_entered_for_tracked {
                        true => checks.ignored_scope(name),
                        false => opened.scope.clone(),
                    };
                    children.push(checks.child(entry, name, scope));
                    if sorts {
                        split_points.push(files.len());
                    }
                } else {
                    checks.explain(name, &"ignored: too deep");
                }
            } else if checks.is_visitable(entry, file_type, name) {
                files.push(entry);
            } else if file_type == FileType::Symlink {
                links.push(entry);
            }
        }
    }
}

/// What the system reports of an open directory.
fn metadata_of<S: System>(dir: &Dir<'_, S>, handle: &Handle<'_, S>) -> io::Result<FileMetadata> {
    handle
        .metadata_of(c".", Links::Keep)
        .or_else(|_| FileMetadata::of(&fs::metadata(path_of(own_path(&dir.path)))?))
}

/// Whether verdicts of the rules in force are known for all entries that are to be judged.
fn is_judged<S: System>(
    opened: &Opened<'_, S>,
    context: &WalkContext<'_>,
    listing: &Listing,
) -> bool {
    let (Known::Entries(number), Some(dirs)) = (&opened.known, context.known_dirs) else {
        return false;
    };
    let rules = opened.scope.as_ref().and_then(|scope| scope.fingerprint());
    let passes_links = !context.links && !context.config.follow_files;
    let is_decided = |entry: &DirEntry| {
        entry.is_wanted.is_some() || passes_links && entry.file_type == Some(FileType::Symlink)
    };
    rules.is_some_and(|rules| dirs.is_judged_by(*number, rules))
        && !context.config.explain
        && listing.entries().iter().all(is_decided)
}

/// Decides about the entries of one chunk, apart from the filter's rules.
struct EntryChecks<'a, 'run, S: System> {
    context: &'run WalkContext<'run>,
    opened: &'a Opened<'run, S>,
    handle: &'a Arc<Handle<'run, S>>,
    /// The directory as its sub-directories share it; unset until the first one needs it.
    kept: Option<Shared<'run, S>>,
    /// The position of the last entry that is a link to a directory and is followed.
    last_link: Option<u64>,
    errors: &'a mut Vec<Error>,
}

/// An open directory that items share, unless too many are kept open.
type Shared<'run, S> = Option<Arc<Handle<'run, S>>>;

impl<'run, S: System> EntryChecks<'_, 'run, S> {
    fn depth(&self) -> usize {
        self.opened.dir.depth + 1
    }

    fn fail(&mut self, name: Name<'_>, error: io::Error) {
        let path = self.opened.dir.entry_path(name.bytes());
        self.errors.push(Error::io(path, self.depth(), error));
    }

    /// Examines an entry. `None` if that failed.
    fn status(&mut self, name: Name<'_>, links: Links) -> Option<Status> {
        let status = self.handle.dir().and_then(|dir| S::status_in(dir, name.c_str(), links));
        status.map_err(|error| self.fail(name, error)).ok()
    }

    /// Logs why an entry is skipped, if the caller wants it: `build/a.o: ignored by .gitignore:3:
    /// *.o`.
    fn explain(&self, name: Name<'_>, why: &dyn fmt::Display) {
        if self.context.config.explain {
            if let Some(explained) = &self.context.explained {
                explained.note(name.bytes(), why);
            }
            log::debug!("{}: {why}", self.opened.dir.entry_path(name.bytes()).display());
        }
    }

    /// Returns the type of the entry, or of its target if links are followed. `None` if that
    /// failed, or if the entry is a link that visitors do not receive.
    fn file_type(&mut self, entry: DirEntry, name: Name<'_>) -> Option<FileType> {
        let file_type = match entry.file_type {
            Some(known) => known,
            None => self.status(name, Links::Keep)?.file_type,
        };
        match file_type {
            FileType::Symlink if !self.context.config.follow => {
                if self.context.config.follow_files {
                    return self.file_behind(name);
                }
                self.unfollowed(name, "ignored: symbolic link")
            }
            FileType::Symlink if self.leads_out(name) => {
                self.unfollowed(name, "ignored: symbolic link out of the searched directories")
            }
            FileType::Symlink => match self.status(name, Links::Follow)? {
                Status { file_type: FileType::Dir, id, .. } => {
                    self.last_link = Some(entry.position());
                    (!self.is_loop(name, id)).then_some(FileType::Dir)
                }
                status => Some(status.file_type),
            },
            file_type => Some(file_type),
        }
    }

    /// Returns the type of what a link leads to, unless that is a directory.
    #[cold]
    fn file_behind(&mut self, name: Name<'_>) -> Option<FileType> {
        if self.leads_out(name) {
            let why = "ignored: symbolic link out of the searched directories";
            return self.unfollowed(name, why);
        }
        match self.status(name, Links::Follow)?.file_type {
            FileType::Dir => self.unfollowed(name, "ignored: symbolic link to a directory"),
            file_type => Some(file_type),
        }
    }

    /// The type of a link that is not followed: `None` unless visitors receive it.
    fn unfollowed(&self, name: Name<'_>, why: &str) -> Option<FileType> {
        if self.context.links {
            return Some(FileType::Symlink);
        }
        self.explain(name, &why);
        None
    }

    /// Returns whether a link leads out of the roots, and must not.
    fn leads_out(&self, name: Name<'_>) -> bool {
        let path = || self.opened.dir.entry_path(name.bytes());
        self.context.bounds.as_ref().is_some_and(|bounds| bounds.excludes(&path()))
    }

    /// Returns whether the link `name` to the directory `id` leads back up, and records an error if
    /// it does. A loop of files whose identities change ends as it does for the system.
    fn is_loop(&mut self, name: Name<'_>, id: FileId) -> bool {
        let ancestors = self.opened.ancestors.as_ref();
        if ancestors.is_some_and(|ancestor| ancestor.links >= Ancestor::MAX_LINKS) {
            self.fail(name, sys::too_many_links());
            return true;
        }
        let Some(ancestor) = ancestors.and_then(|ancestor| ancestor.find(id)) else {
            return false;
        };
        let dir = &self.opened.dir;
        let ancestor = path_of(own_path(&dir.path[..ancestor.path_len])).into_owned();
        self.errors.push(Error::symlink_loop(dir.entry_path(name.bytes()), self.depth(), ancestor));
        true
    }

    /// Returns whether sub-directories become items: their entries may still be shallow enough, or
    /// they are visited themselves.
    fn descends(&self) -> bool {
        let deepest = self.depth() + usize::from(!self.context.directories);
        self.context.config.max_depth.is_none_or(|max| deepest <= max)
    }

    /// Returns whether an entry that is no directory is a file to visit, considering its size and
    /// identity.
    fn is_visitable(&mut self, entry: DirEntry, file_type: FileType, name: Name<'_>) -> bool {
        let WalkConfig { skip, .. } = *self.context.config;
        if file_type != FileType::File {
            // The visitor receives a link that gets here.
            if file_type != FileType::Symlink {
                self.explain(name, &"ignored: no regular file");
            }
            return false;
        }
        // The inode number of a link is not that of its target.
        let may_be_skipped = skip.is_some_and(|skip| {
            let is_listed_as_file = entry.file_type == Some(FileType::File);
            entry.inode == skip.inode || entry.inode == 0 || !is_listed_as_file
        });
        if self.context.limits.is_none() && !may_be_skipped {
            return true;
        }
        match self.status(name, Links::Follow) {
            Some(status) if skip == Some(status.id) => {
                self.explain(name, &"ignored: output is written to it");
                false
            }
            Some(status) => self.is_within_limits(name, status),
            None => false,
        }
    }

    /// Returns whether the limits of the walk admit a file.
    #[cold]
    fn is_within_limits(&mut self, name: Name<'_>, status: Status) -> bool {
        let Some(limits) = &self.context.limits else { return true };
        if let Some(why) = limits.refuse_size(status.size) {
            self.explain(name, &why);
            return false;
        }
        if limits.has_times() {
            match self.modified(name) {
                Ok(modified) => {
                    if let Some(why) = limits.refuse_time(modified) {
                        self.explain(name, &why);
                        return false;
                    }
                }
                Err(error) => {
                    self.fail(name, error);
                    return false;
                }
            }
        }
        let again = limits.refuse_again(status.id);
        if let Some(why) = again {
            self.explain(name, &why);
        }
        again.is_none()
    }

    /// The time at which a file was last modified, or the target of a link.
    fn modified(&self, name: Name<'_>) -> io::Result<SystemTime> {
        let (links, time) = (Links::Follow, FileTime::Modified);
        self.handle
            .time_of(name.c_str(), links, time)
            .or_else(|_| sys::time_of(&self.opened.dir.entry_path(name.bytes()), links, time))
    }

    /// The rules in force in a directory that is entered only for tracked files.
    #[cold]
    fn ignored_scope(&self, name: Name<'_>) -> Option<Arc<Scope>> {
        let Opened { dir, scope, .. } = self.opened;
        let scope = scope.as_ref()?;
        Some(self.context.filter.ignored(scope, &dir.below_root(), name.bytes()))
    }

    fn child(
        &mut self,
        entry: DirEntry,
        name: Name<'_>,
        scope: Option<Arc<Scope>>,
    ) -> Item<'run, S> {
        let Opened { dir, ancestors, base, .. } = self.opened;
        let name = name.bytes();
        let mut path = Vec::with_capacity(dir.path.len() + name.len() + 1);
        path.extend_from_slice(&dir.path);
        path.extend_from_slice(name);
        path.push(SEPARATOR);
        let mut key = Vec::new();
        if let Some(order) = self.context.config.order {
            key.reserve_exact(dir.key.len() + name.len() + size_of::<u64>());
            key.extend_from_slice(&dir.key);
            order.append(&mut key, name, base + entry.position());
        }
        let number = match &self.opened.known {
            Known::Nothing => None,
            Known::Entries(_) => entry.number(),
            Known::Dirs(numbers) => numbers.get(name).copied(),
        };
        let (handle, descriptors) = (self.handle, &self.context.descriptors);
        let parent = match handle.base() {
            // It is not open, and need not be.
            Some(base) => base.clone(),
            None => self.kept.get_or_insert_with(|| Handle::share(handle, descriptors)).clone(),
        };
        let ancestors = ancestors.as_ref().map(|ancestor| match self.last_link {
            Some(link) if link == entry.position() => Arc::new(ancestor.behind_link()),
            _ => Arc::clone(ancestor),
        });
        Item::Dir(Dir {
            path: path.into_boxed_slice(),
            root_len: dir.root_len,
            number: number.unwrap_or(Dir::<S>::UNKNOWN),
            depth: dir.depth + 1,
            parent,
            scope,
            ancestors,
            device: dir.device,
            key: key.into_boxed_slice(),
        })
    }
}
