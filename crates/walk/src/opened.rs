//! A directory while it is listed.

use std::{collections::HashMap, io, sync::Arc, time::SystemTime};

use heist_filter::Scope;

use crate::{
    context::WalkContext,
    descriptors::Handle,
    item::{Ancestor, Dir},
    known_dirs::KnownDir,
    listing::{DirEntry, FileType, Listing},
    metadata::FileMetadata,
    rules_in_force::RulesInForce,
    sys::System,
};

/// A directory that has been opened, and what its entries have in common. Its handle is passed
/// beside it, because its listing borrows that while this changes.
pub(crate) struct Opened<'run, S: System> {
    pub(crate) dir: Dir<'run, S>,
    /// The rules in force here: the parent's until the first chunk has shown which rule files there
    /// are.
    pub(crate) rules: Option<Arc<RulesInForce>>,
    pub(crate) ancestors: Option<Arc<Ancestor>>,
    pub(crate) first_chunk: bool,
    /// The first entry's position in the chunk.
    pub(crate) base: u64,
    pub(crate) known: DirKnowledge<'run>,
    /// What the system reported before the directory was listed, and the time before that, if
    /// visitors receive listings.
    pub(crate) looked: Option<Box<(FileMetadata, SystemTime)>>,
    /// Whether listing it failed.
    pub(crate) is_partial: bool,
}

/// What is known about a directory.
pub(crate) enum DirKnowledge<'run> {
    Nothing,
    /// All is known, under this number.
    Entries(u32, Box<dyn KnownDir<'run> + 'run>),
    /// The directory has changed, but those below it may not have. Holds their numbers by their
    /// names.
    Dirs(HashMap<Box<[u8]>, u32>),
}

impl DirKnowledge<'_> {
    /// What is known about a directory that has changed.
    pub(crate) fn of_changed(dir: &dyn KnownDir<'_>) -> Self {
        let dirs = dir.entries().filter(|entry| entry.file_type == Some(FileType::Dir));
        DirKnowledge::Dirs(dirs.filter_map(|dir| Some((dir.name.into(), dir.number?))).collect())
    }
}

/// What has come from opening a directory.
pub(crate) enum Opening<'run, S: System> {
    /// The directory can be listed.
    Open(Opened<'run, S>, Arc<Handle<'run, S>>),
    /// The directory lies on another device and is not wanted.
    OtherDevice(Dir<'run, S>),
    /// The directory cannot be opened.
    Failed(Dir<'run, S>, io::Error),
}

impl<'run, S: System> Opened<'run, S> {
    pub(crate) fn new(mut dir: Dir<'run, S>, known: DirKnowledge<'run>) -> Opened<'run, S> {
        let rules = dir.rules.take();
        dir.parent = None;
        Opened {
            dir,
            rules,
            ancestors: None,
            first_chunk: true,
            base: 0,
            known,
            looked: None,
            is_partial: false,
        }
    }

    /// Sets the rules from the directories above a root.
    pub(crate) fn set_scope(&mut self, scope: Arc<Scope>) {
        self.rules = Some(RulesInForce::read(scope));
    }

    /// Whether the rules' verdicts are known for all entries that are to be judged.
    pub(crate) fn is_judged(&self, context: &WalkContext<'_>, listing: &Listing) -> bool {
        let DirKnowledge::Entries(_, known) = &self.known else { return false };
        let rules = self.rules.as_ref().and_then(|rules| rules.fingerprint());
        let passes_links = !context.wants.links && !context.config.follow_files;
        let is_decided = |entry: &DirEntry| {
            entry.is_wanted.is_some() || passes_links && entry.file_type == Some(FileType::Symlink)
        };
        rules.is_some_and(|rules| known.is_judged_by(rules))
            && context.config.on_skip.is_none()
            && listing.entries().iter().all(is_decided)
    }
}
