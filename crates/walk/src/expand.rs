//! Turns a directory into its wanted sub-directories and files. This is the only place that decides
//! what a walk visits, for every queue, every number of workers and every system; `entry_checks.rs`
//! has the part that is not about rules.

use std::{
    cell::Cell,
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use heist_filter::{Fingerprint, Problem, RuleFilesPresent, WorkerCache, path_bytes::path_of};

use crate::{
    checkouts::may_have_git,
    context::WalkContext,
    descriptors::Handle,
    entry_checks::EntryChecks,
    error::Error,
    item::{Ancestor, Dir, Item},
    known_dirs::{EntrySource, Listed},
    listing::{DirEntry, FileType, Listing, Shortcut},
    metadata::FileMetadata,
    opened::{DirKnowledge, Opened, Opening},
    own_path::own_path,
    rule_files::{FilesIn, Limit, rule_files_present},
    rules_in_force::RulesInForce,
    skipped::SkipReason,
    slow_dirs::ColdDirDetector,
    sys::{Links, Lister, OpenFile, Progress, System},
};

/// Expands directories for one worker, a chunk at a time.
pub(crate) struct Expander<'run, S: System> {
    pub(crate) context: &'run WalkContext<'run>,
    pub(crate) system: S,
    pub(crate) cache: WorkerCache,
    pub(crate) listing: Listing,
    /// The wanted files in the chunk.
    pub(crate) files: Vec<DirEntry>,
    /// The wanted links in the chunk that are not followed, if visitors receive them.
    pub(crate) links: Vec<DirEntry>,
    /// The wanted sub-directories in the chunk.
    pub(crate) children: Vec<Item<'run, S>>,
    /// For each of `children`, how many `files` sort before it, if entries are sorted.
    pub(crate) split_points: Vec<usize>,
    /// The rules' verdict about each entry in the chunk, if visitors receive listings.
    verdicts: Vec<Option<bool>>,
    /// Whether these are those that are known.
    is_judged: bool,
    /// The errors that have not been reported yet.
    pub(crate) errors: Vec<Error>,
    pub(crate) cold_dirs: ColdDirDetector,
}

impl<'run, S: System> Expander<'run, S> {
    pub(crate) fn new(context: &'run WalkContext<'run>, system: S) -> Expander<'run, S> {
        Expander {
            context,
            system,
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
        let mut known = DirKnowledge::Nothing;
        if let Some((number, stored)) =
            dir.number().and_then(|number| self.context.known_dir(number))
        {
            let path = own_path(&dir.path);
            let (mut looked, device) = (None, Cell::new(None));
            let mut look = || {
                let now = self.context.wants.listings.then(SystemTime::now);
                let metadata = FileMetadata::of(&fs::symlink_metadata(path_of(path))?)?;
                looked = now.map(|now| Box::new((metadata, now)));
                device.set(Some(metadata.id.device));
                Ok(metadata)
            };
            let mut is_unchanged = stored.is_unchanged(&mut look);
            if is_unchanged && self.context.config.same_file_system {
                let device = device.get().or_else(|| Some(look().ok()?.id.device));
                // It may be another one than the root's, which is found out below.
                is_unchanged = device.is_some() && (dir.device.is_none() || device == dir.device);
            }
            if is_unchanged {
                let handle = Handle::unopened(self.system, dir.parent.take(), &dir.path);
                let opened =
                    Opened { looked, ..Opened::new(dir, DirKnowledge::Entries(number, stored)) };
                return Opening::Open(opened, handle);
            }
            known = DirKnowledge::of_changed(&*stored);
        }
        self.cold_dirs.start();
        let config = self.context.config;
        let links = self.links_of(dir.depth);
        let opened = match dir.parent.take() {
            Some(parent) => parent.open_below(&dir.path, links),
            None => self.system.open(&dir.own_path(), links),
        };
        let handle = match opened {
            Ok(handle) => Handle::new(self.system, handle, dir.path.len()),
            Err(error) => return Opening::Failed(dir, error),
        };
        let mut ancestors = None;
        if config.follow || config.same_file_system {
            let id = match handle.dir().and_then(S::status_of) {
                Ok(status) => status.id,
                Err(error) => return Opening::Failed(dir, error),
            };
            if config.same_file_system && *dir.device.get_or_insert(id.device) != id.device {
                return Opening::OtherDevice(dir);
            }
            if config.follow {
                ancestors = Some(Ancestor::new(id, dir.path.len(), dir.ancestors.take()));
            }
        }
        let mut opened = Opened { ancestors, ..Opened::new(dir, known) };
        if self.context.wants.listings {
            let now = SystemTime::now();
            let metadata = metadata_of(&opened.dir, &handle).ok();
            opened.looked = metadata.map(|metadata| Box::new((metadata, now)));
        }
        Opening::Open(opened, handle)
    }

    /// Finds out what is known about a root, which is open.
    pub(crate) fn recognize(
        &self,
        opened: &mut Opened<'run, S>,
        path: &Path,
        handle: &Handle<'run, S>,
    ) {
        let number = self.context.known_dirs.and_then(|dirs| dirs.root(path));
        let Some((number, stored)) = number.and_then(|number| self.context.known_dir(number))
        else {
            return;
        };
        opened.known = match stored.is_unchanged(&mut || metadata_of(&opened.dir, handle)) {
            true => DirKnowledge::Entries(number, stored),
            false => DirKnowledge::of_changed(&*stored),
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
    ) -> io::Result<EntrySource<'a, 'run, S>>
    where
        'run: 'a,
    {
        match &opened.known {
            DirKnowledge::Entries(_, stored) => Ok(EntrySource::Known(stored.entries())),
            _ => Ok(EntrySource::System(S::list(handle.dir()?, buffer)?)),
        }
    }

    /// Opens a directory at this depth again that has been listed before.
    pub(crate) fn reopen(&self, path: &[u8], depth: usize) -> io::Result<Arc<Handle<'run, S>>> {
        let dir = self.system.open(&path_of(own_path(path)), self.links_of(depth))?;
        Ok(Handle::new(self.system, dir, path.len()))
    }

    /// Whether a link in place of a directory is followed. Roots always are.
    fn links_of(&self, depth: usize) -> Links {
        if self.context.config.follow || depth == 0 { Links::Follow } else { Links::Keep }
    }

    /// Reads the listing's next chunk and selects its wanted entries: afterwards `files`, `links`
    /// and `children` hold them. `None` if the first chunk shows that the directory is skipped as a
    /// whole, which has been reported.
    pub(crate) fn next_chunk(
        &mut self,
        opened: &mut Opened<'run, S>,
        handle: &Arc<Handle<'run, S>>,
        lister: &mut EntrySource<'_, 'run, S>,
    ) -> Option<Progress> {
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
            if self.context.skips_checkouts()
                && may_have_git(&self.listing, progress)
                && self.context.skips_checkout(&opened.dir)
            {
                return None;
            }
            if !self.context.unfiltered {
                self.enter(opened, handle, progress);
            }
        }
        if let Some(order) = self.context.config.order {
            self.listing.sort(order);
        }
        self.select(opened, handle);
        Some(progress)
    }

    /// The entries in the chunk.
    pub(crate) fn listed<'a>(&'a self, opened: &'a Opened<'run, S>, path: &'a [u8]) -> Listed<'a> {
        Listed {
            path,
            looked: opened.looked.as_deref().copied(),
            rules: opened.rules.as_ref().and_then(|rules| rules.fingerprint()),
            known: match opened.known {
                DirKnowledge::Entries(number, _) => Some(number),
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

    /// Adds the rules in the directory's own rule files.
    fn enter(&mut self, opened: &mut Opened<'run, S>, dir: &Handle<'run, S>, progress: Progress) {
        let Some(above) = &opened.rules else { return };
        let path = |name: &CStr| opened.dir.entry_path(name.to_bytes());
        let limit = Limit { bounds: self.context.bounds.as_ref(), path: &path };
        let fails = |name: &CStr, error| {
            self.cache.problems.push(Problem::unreadable(path(name), &error));
        };
        let found = rule_files_present(&self.listing, progress, dir, &limit, fails);
        if found.is_empty() {
            return;
        }
        if let Some(fingerprint) = self.known_rules(opened, found) {
            let (path, below_root) = (&opened.dir.path, opened.dir.below_root());
            let rules = RulesInForce::unread(above, path, &below_root, found, fingerprint);
            opened.rules = Some(rules);
            return;
        }
        let filter = self.context.filter;
        let Some(above) = above.scope(self.system, filter, &mut self.cache) else { return };
        let below_root = &opened.dir.below_root();
        let files = &mut FilesIn { dir, limit: Some(limit) };
        let scope = filter.enter(above, below_root, found, files, &mut self.cache);
        if !Arc::ptr_eq(&scope, above) {
            opened.rules = Some(RulesInForce::read(scope));
        }
    }

    /// The fingerprint of the rules in force in a directory with the rule files `found`, if these
    /// and the rules above are those that are known, so that reading them can wait.
    fn known_rules(
        &self,
        opened: &Opened<'run, S>,
        found: RuleFilesPresent,
    ) -> Option<Fingerprint> {
        let DirKnowledge::Entries(_, stored) = &opened.known else { return None };
        let are_needed = self.context.wants.listings || self.context.config.on_skip.is_some();
        // A repository's configuration is elsewhere. A root may be a link.
        if are_needed || found.is_repository() || opened.dir.depth == 0 {
            return None;
        }
        let above = opened.rules.as_ref()?.fingerprint()?;
        stored.rules(above, &mut |name| {
            FileMetadata::of(&fs::symlink_metadata(opened.dir.entry_path(name))?)
        })
    }

    /// Distributes the wanted entries in the chunk.
    fn select(&mut self, opened: &Opened<'run, S>, handle: &Arc<Handle<'run, S>>) {
        let WalkContext { config, filter, unfiltered, .. } = *self.context;
        let is_judged = opened.is_judged(self.context, &self.listing);
        self.is_judged = is_judged;
        let Expander {
            context,
            system,
            cache,
            listing,
            files,
            links,
            children,
            split_points,
            verdicts,
            errors,
            ..
        } = self;
        let in_force = opened.rules.as_ref().filter(|_| !unfiltered && !is_judged);
        let scope = in_force.and_then(|rules| rules.scope(*system, filter, cache));
        let mut rules = scope.map(|scope| filter.directory(scope, &opened.dir.below_root(), cache));
        verdicts.clear();
        let mut checks = EntryChecks::new(context, opened, handle, errors);
        let is_simple = context.files_need_only_rules() && !is_judged;
        for &entry in listing.entries() {
            let name = listing.name(entry);
            if is_simple && entry.is_plain_file() {
                if rules.as_mut().is_none_or(|rules| rules.is_wanted(name.bytes(), false)) {
                    files.push(entry);
                }
                continue;
            }
            let file_type = match &mut rules {
                Some(rules) if matches!(entry.file_type, None | Some(FileType::Symlink)) => {
                    checks.type_behind_link(entry, name, rules)
                }
                _ => checks.file_type(entry, name),
            };
            let is_dir = file_type == Some(FileType::Dir);
            let is_wanted = match &mut rules {
                Some(rules) if file_type.is_some() => Some(rules.is_wanted(name.bytes(), is_dir)),
                _ => entry.is_wanted.filter(|_| is_judged),
            };
            if context.wants.listings {
                verdicts.push(is_wanted);
            }
            let Some(file_type) = file_type else { continue };
            if is_wanted == Some(false) {
                if config.on_skip.is_some()
                    && let Some(rules) = &mut rules
                {
                    checks.skip(name, &SkipReason::Rules(rules.verdict(name.bytes(), is_dir)));
                }
                continue;
            }
            if entry.attributes.is_hidden()
                && let Some(rules) = &mut rules
                && rules.hides_marked(name.bytes(), is_dir)
            {
                checks.skip(name, &SkipReason::Hidden);
                continue;
            }
            if !is_dir && !checks.is_in_shard(name) {
                continue;
            }
            if is_dir {
                if let Some(child) = checks.wanted_child(entry, name, rules.as_mut()) {
                    children.push(
                        match entry.shortcut == Shortcut::Whole
                            && is_judged
                            && context.wants.whole_dirs
                        {
                            true => Item::Whole(Box::new(child)),
                            false => Item::Dir(child),
                        },
                    );
                    if context.sorts() {
                        split_points.push(files.len());
                    }
                }
            } else if checks.is_visitable(entry, file_type, name) {
                files.push(entry);
            } else if file_type == FileType::Symlink {
                links.push(entry);
            }
        }
    }
}

/// What the system reports about an open directory.
fn metadata_of<S: System>(dir: &Dir<'_, S>, handle: &Handle<'_, S>) -> io::Result<FileMetadata> {
    handle
        .metadata_of(c".", Links::Keep)
        .or_else(|_| FileMetadata::of(&fs::metadata(path_of(own_path(&dir.path)))?))
}
