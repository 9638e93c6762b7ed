//! What is decided about an entry apart from the rules: its type, whether a link is followed and
//! closes a loop, limits of depth, size and time, parts of the tree.

use std::{io, sync::Arc, time::SystemTime};

use heist_filter::{
    Directory,
    path_bytes::{SEPARATOR, path_of},
};

use crate::{
    config::WalkConfig,
    context::WalkContext,
    descriptors::Handle,
    error::Error,
    file_limits::FileLimits,
    item::{Ancestor, Dir},
    listing::{DirEntry, FileType, Name},
    metadata::{FileId, FileTime},
    opened::{DirKnowledge, Opened},
    own_path::own_path,
    rules_in_force::RulesInForce,
    skipped::SkipReason,
    sys::{self, Links, OpenFile, Status, System},
};

/// Decides about the entries in one chunk, apart from the filter's rules.
pub(crate) struct EntryChecks<'a, 'run, S: System> {
    context: &'run WalkContext<'run>,
    opened: &'a Opened<'run, S>,
    handle: &'a Arc<Handle<'run, S>>,
    /// The directory as its sub-directories share it; unset until the first one needs it.
    kept: Option<Shared<'run, S>>,
    /// Where the last entry is that is a link to a directory and is followed.
    last_link: Option<u64>,
    errors: &'a mut Vec<Error>,
}

/// An open directory that items share, unless too many are kept open.
type Shared<'run, S> = Option<Arc<Handle<'run, S>>>;

impl<'a, 'run, S: System> EntryChecks<'a, 'run, S> {
    /// Prepares to decide about the entries in a chunk. Errors are added to `errors`.
    pub(crate) fn new(
        context: &'run WalkContext<'run>,
        opened: &'a Opened<'run, S>,
        handle: &'a Arc<Handle<'run, S>>,
        errors: &'a mut Vec<Error>,
    ) -> EntryChecks<'a, 'run, S> {
        EntryChecks { context, opened, handle, kept: None, last_link: None, errors }
    }

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

    /// Reports an entry that is skipped, if the caller wants to know.
    pub(crate) fn skip(&self, name: Name<'_>, why: &SkipReason<'_>) {
        if let Some(observer) = &self.context.config.on_skip {
            observer.skipped(&self.opened.dir.entry_path(name.bytes()), why);
        }
    }

    /// Returns the entry's type, or its target's if links are followed. `None` if that failed, or
    /// if the entry is a link that visitors do not receive.
    pub(crate) fn file_type(&mut self, entry: DirEntry, name: Name<'_>) -> Option<FileType> {
        let file_type = match entry.file_type {
            Some(known) => known,
            None => self.status(name, Links::Keep)?.file_type,
        };
        match file_type {
            FileType::Symlink if !self.context.config.follow => {
                if self.context.config.follow_files {
                    return self.file_behind(name);
                }
                self.unfollowed(name, &SkipReason::Link)
            }
            FileType::Symlink if self.leads_out(name) => {
                self.unfollowed(name, &SkipReason::LinkOut)
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

    /// Returns the type of an entry that is a link. A link that cannot be followed, and that the
    /// rules leave out as a file, or as a directory if it closes a loop, is no error.
    #[cold]
    pub(crate) fn type_behind_link(
        &mut self,
        entry: DirEntry,
        name: Name<'_>,
        rules: &mut Directory<'_>,
    ) -> Option<FileType> {
        let errors = self.errors.len();
        let file_type = self.file_type(entry, name);
        if self.errors.len() > errors {
            let is_dir = self.last_link == Some(entry.position());
            if !rules.is_wanted(name.bytes(), is_dir) {
                self.errors.truncate(errors);
                self.skip(name, &SkipReason::Rules(rules.verdict(name.bytes(), is_dir)));
            }
        }
        file_type
    }

    /// Returns which type of file a link leads to, unless that is a directory.
    #[cold]
    fn file_behind(&mut self, name: Name<'_>) -> Option<FileType> {
        if self.leads_out(name) {
            return self.unfollowed(name, &SkipReason::LinkOut);
        }
        match self.status(name, Links::Follow)?.file_type {
            FileType::Dir => self.unfollowed(name, &SkipReason::LinkToDir),
            file_type => Some(file_type),
        }
    }

    /// The type that a link has which is not followed: `None` unless visitors receive it.
    fn unfollowed(&self, name: Name<'_>, why: &SkipReason<'_>) -> Option<FileType> {
        if self.context.wants.links {
            return Some(FileType::Symlink);
        }
        self.skip(name, why);
        None
    }

    /// Returns whether a link leads out of the roots, and must not. One that cannot be followed
    /// does not: examining it reports why.
    fn leads_out(&self, name: Name<'_>) -> bool {
        let Some(bounds) = &self.context.bounds else { return false };
        let follow = |dir: &S::Dir| S::status_in(dir, name.c_str(), Links::Follow);
        bounds.excludes(&self.opened.dir.entry_path(name.bytes()))
            && self.handle.dir().and_then(follow).is_ok()
    }

    /// Returns whether the link `name` to the directory `id` leads back up, and records an error if
    /// it does. A loop through files that change their identities ends as it does for the system.
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
        let deepest = self.depth() + usize::from(!self.context.wants.directories);
        self.context.config.max_depth.is_none_or(|max| deepest <= max)
    }

    /// Returns whether an entry that is no directory is a file to visit, considering its size and
    /// time. Whether another path has led to it is seen when it is visited, in order.
    pub(crate) fn is_visitable(
        &mut self,
        entry: DirEntry,
        file_type: FileType,
        name: Name<'_>,
    ) -> bool {
        let WalkConfig { skip, .. } = *self.context.config;
        if file_type != FileType::File {
            // The visitor receives a link that gets here.
            if file_type != FileType::Symlink {
                self.skip(name, &SkipReason::NoRegularFile);
            }
            return false;
        }
        // A link's inode number is not its target's.
        let may_be_skipped = skip.is_some_and(|skip| {
            let is_listed_as_file = entry.file_type == Some(FileType::File);
            entry.inode == skip.inode || entry.inode == 0 || !is_listed_as_file
        });
        match &self.context.limits {
            None if !may_be_skipped => return true,
            Some(limits) if !self.has_changed(limits, name) => return false,
            _ => {}
        }
        match self.status(name, Links::Follow) {
            Some(status) if skip == Some(status.id) => {
                self.skip(name, &SkipReason::Output);
                false
            }
            Some(status) => self.is_within_limits(name, status),
            None => false,
        }
    }

    /// Returns whether a file or link belongs to the part of the tree that is visited.
    pub(crate) fn is_in_shard(&self, name: Name<'_>) -> bool {
        let Some(shard) = self.context.config.shard else { return true };
        let is_in_shard = shard.has_entry(&self.opened.dir.below_root(), name.bytes());
        if !is_in_shard {
            self.skip(name, &SkipReason::OtherShard);
        }
        is_in_shard
    }

    /// Returns whether anything in a sub-directory may belong to the part of the tree that is
    /// visited.
    fn enters_shard(&self, name: Name<'_>) -> bool {
        self.context.config.shard.is_none_or(|shard| {
            shard.enters(&self.opened.dir.below_root(), name.bytes(), self.depth())
        })
    }

    /// Returns whether a file has changed, as far as that matters.
    #[cold]
    fn has_changed(&mut self, limits: &FileLimits, name: Name<'_>) -> bool {
        match limits.refuse_unchanged(&self.opened.dir.path, name.bytes()) {
            Ok(None) => return true,
            Ok(Some(why)) => self.skip(name, &why),
            // The error is about the repository that the directory is in.
            Err(error) => {
                let path = self.opened.dir.own_path();
                self.errors.push(Error::io(path, self.opened.dir.depth, error));
            }
        }
        false
    }

    /// Returns whether the walk's limits admit a file.
    #[cold]
    fn is_within_limits(&mut self, name: Name<'_>, status: Status) -> bool {
        let Some(limits) = &self.context.limits else { return true };
        if let Some(why) = limits.refuse_size(status.size) {
            self.skip(name, &why);
            return false;
        }
        if limits.has_times() {
            match self.modified(name) {
                Ok(modified) => {
                    if let Some(why) = limits.refuse_time(modified) {
                        self.skip(name, &why);
                        return false;
                    }
                }
                Err(error) => {
                    self.fail(name, error);
                    return false;
                }
            }
        }
        true
    }

    /// When a file was last modified, or a link's target.
    fn modified(&self, name: Name<'_>) -> io::Result<SystemTime> {
        let (links, time) = (Links::Follow, FileTime::Modified);
        self.handle
            .time_of(name.c_str(), links, time)
            .or_else(|_| sys::time_of(&self.opened.dir.entry_path(name.bytes()), links, time))
    }

    /// The rules in force in a directory that is entered only for tracked files.
    #[cold]
    fn ignored_rules(&self, name: Name<'_>) -> Option<Arc<RulesInForce>> {
        let Opened { dir, rules, .. } = self.opened;
        let scope = rules.as_ref()?.known_scope()?;
        let ignored = self.context.filter.ignored(scope, &dir.below_root(), name.bytes());
        Some(RulesInForce::read(ignored))
    }

    /// A wanted sub-directory; `None` if its entries are too deep, or in another part of the tree.
    pub(crate) fn wanted_child(
        &mut self,
        entry: DirEntry,
        name: Name<'_>,
        rules: Option<&mut Directory<'_>>,
    ) -> Option<Dir<'run, S>> {
        if !self.descends() {
            self.skip(name, &SkipReason::TooDeep);
            return None;
        }
        if !self.enters_shard(name) {
            self.skip(name, &SkipReason::OtherShard);
            return None;
        }
        let is_for_tracked = rules.is_some_and(|rules| rules.is_entered_for_tracked(name.bytes()));
        let rules = match is_for_tracked {
            true => self.ignored_rules(name),
            false => self.opened.rules.clone(),
        };
        Some(self.child(entry, name, rules))
    }

    fn child(
        &mut self,
        entry: DirEntry,
        name: Name<'_>,
        rules: Option<Arc<RulesInForce>>,
    ) -> Dir<'run, S> {
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
            DirKnowledge::Nothing => None,
            DirKnowledge::Entries(..) => entry.number(),
            DirKnowledge::Dirs(numbers) => numbers.get(name).copied(),
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
        Dir {
            path: path.into_boxed_slice(),
            root_len: dir.root_len,
            number: number.unwrap_or(Dir::<S>::UNKNOWN),
            depth: dir.depth + 1,
            parent,
            rules,
            ancestors,
            device: dir.device,
            key: key.into_boxed_slice(),
        }
    }
}
