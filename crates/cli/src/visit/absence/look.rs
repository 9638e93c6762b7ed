//! The pass over what was left out: which of it would match.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Instant,
};

use heist_filter::{Filter, FilterConfig, Tracking};
use heist_matcher::Matcher;
use heist_queue::Stop;
use heist_walk::{Entry, Error, Helpers, Root, Visitor, WalkConfig};

use super::{
    left_out::{Cause, LeftOut, plain_walk},
    probe::{Hurdle, Probe},
};
use crate::{
    resolved::ResolvedArgs,
    visit::{file_pass::visit_files, tree::or_panic, unsearched::lift_rules},
};

/// The most matching files that one worker keeps.
const MAX_KEPT: usize = 1 << 14;

/// A file that was left out and would match.
#[derive(Debug)]
pub(super) struct Overlooked {
    pub(super) path: PathBuf,
    /// The index of the entry that was left out: the file, or a directory above it.
    pub(super) entry: usize,
    pub(super) hurdle: Hurdle,
}

/// What came of the pass.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// The files that would match.
    pub(super) overlooked: Vec<Overlooked>,
    /// How many files would match.
    pub(super) matching: u64,
    /// How many files could not be read.
    pub(super) unreadable: u64,
    /// How many entries of each cause were not looked into, or not to their end.
    pub(super) unlooked: BTreeMap<(Cause, EntryKind), u64>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryKind {
    File,
    Dir,
}

impl EntryKind {
    /// How many entries are looked into together at first. The number doubles: all of a batch
    /// counts as not looked into if the time ends within.
    fn first_batch(self) -> usize {
        match self {
            EntryKind::File => 64,
            EntryKind::Dir => 2,
        }
    }
}

/// Searches `entries`, which the walk has left out, until `until`: files first, as there is no end
/// to what a directory may contain.
pub(super) fn look(
    args: &ResolvedArgs,
    matcher: &Matcher,
    entries: &[LeftOut],
    until: Instant,
) -> Looked {
    let mut looked = Looked::default();
    let (mut files, mut dirs) = (Vec::new(), Vec::new());
    for (index, entry) in entries.iter().enumerate() {
        let kind = if Instant::now() < until { kind_of(args, entry) } else { None };
        match kind {
            Some(EntryKind::File) => files.push(index),
            Some(EntryKind::Dir) => dirs.push(index),
            None => looked.pass_over(entry, EntryKind::File),
        }
    }
    dirs.sort_by_key(|&index| (entries[index].cause.rank(), &entries[index].path));
    let pass = Pass::new(args, matcher, entries, until);
    for (kind, all) in [(EntryKind::File, &files), (EntryKind::Dir, &dirs)] {
        let (mut rest, mut batch) = (&all[..], kind.first_batch());
        while let Some(pass) = pass.as_ref().filter(|_| !rest.is_empty()) {
            let (now, later) = rest.split_at(batch.min(rest.len()));
            if Instant::now() > until || pass.over(now, &mut looked) == Stop::Quit {
                break;
            }
            (rest, batch) = (later, batch * 2);
        }
        rest.iter().for_each(|&index| looked.pass_over(&entries[index], kind));
    }
    looked
}

/// What an entry is that is looked into; `None` if it is not.
fn kind_of(args: &ResolvedArgs, entry: &LeftOut) -> Option<EntryKind> {
    let file_type = match entry.cause {
        cause if !cause.is_looked_into() => return None,
        // A link may lead out of what may be searched.
        Cause::Link if args.walk.confined => return None,
        Cause::Link => fs::metadata(&entry.path),
        Cause::Size | Cause::Time => return Some(EntryKind::File),
        Cause::Depth => return Some(EntryKind::Dir),
        _ => fs::symlink_metadata(&entry.path),
    };
    match file_type.ok()? {
        metadata if metadata.is_file() => Some(EntryKind::File),
        // A link to a directory may lead back, or to another file system.
        metadata if metadata.is_dir() && entry.cause != Cause::Link => Some(EntryKind::Dir),
        _ => None,
    }
}

impl Looked {
    /// Notes an entry that is not looked into.
    fn pass_over(&mut self, entry: &LeftOut, kind: EntryKind) {
        let kind = match entry.cause {
            Cause::FileSystem | Cause::VersionControl => EntryKind::Dir,
            _ => kind,
        };
        *self.unlooked.entry((entry.cause, kind)).or_default() += 1;
    }
}

/// The walk of what was left out.
struct Pass<'a> {
    args: &'a ResolvedArgs,
    matcher: &'a Matcher,
    filter: Filter,
    entries: &'a [LeftOut],
    until: Instant,
}

impl Pass<'_> {
    /// Prepares to walk without the rules, globs and types that left something out. Directories of
    /// version control are not walked.
    fn new<'a>(
        args: &'a ResolvedArgs,
        matcher: &'a Matcher,
        entries: &'a [LeftOut],
        until: Instant,
    ) -> Option<Pass<'a>> {
        let mut config = FilterConfig { parents: false, ..args.filter.clone() };
        lift_rules(&mut config);
        config.globs.clear();
        config.only.clear();
        config.except.clear();
        config.types = Default::default();
        config.tracking = Tracking::Disregarded;
        let filter = Filter::new(config).ok()?;
        Some(Pass { args, matcher, filter, entries, until })
    }

    /// Searches the entries with these indices. Returns whether that came to its end.
    fn over(&self, indices: &[usize], looked: &mut Looked) -> Stop {
        let paths = indices.iter().map(|&index| self.entries[index].path.as_path());
        let roots: HashMap<&Path, usize> = paths.zip(indices.iter().copied()).collect();
        let walk = WalkConfig {
            roots: indices
                .iter()
                .map(|&index| Root::Path(self.entries[index].path.clone()))
                .collect(),
            max_depth: None,
            max_filesize: None,
            min_filesize: 0,
            newer: None,
            older: None,
            changes: None,
            shard: None,
            unique: false,
            same_file_system: true,
            follow: false,
            follow_files: false,
            skip_worktrees: false,
            skip_submodules: false,
            ..plain_walk(&self.args.walk)
        };
        let walked = or_panic(visit_files(&walk, &self.filter, || Look {
            probe: Probe::new(self.args, self.matcher, self.until),
            roots: &roots,
            until: self.until,
            path: Vec::new(),
            overlooked: Vec::new(),
            matching: 0,
            unreadable: 0,
        }));
        for look in walked.visitors {
            looked.overlooked.extend(look.overlooked);
            looked.matching += look.matching;
            looked.unreadable += look.unreadable;
        }
        walked.stop
    }
}

/// One worker's search of what was left out.
struct Look<'a> {
    probe: Probe<'static>,
    /// The paths that are walked, and the indices of the entries.
    roots: &'a HashMap<&'a Path, usize>,
    until: Instant,
    path: Vec<u8>,
    overlooked: Vec<Overlooked>,
    matching: u64,
    unreadable: u64,
}

impl Visitor for Look<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if Instant::now() > self.until {
            return ControlFlow::Break(());
        }
        // What was named may have become a pipe, which would block.
        if file.is_explicit() && !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return ControlFlow::Continue(());
        }
        self.path.clear();
        file.path_into(&mut self.path);
        let searched = file.open().and_then(|opened| self.probe.hurdle(&self.path, opened.file));
        match searched {
            Ok(Some(hurdle)) => {
                self.matching += 1;
                let path = file.path();
                let root = path.ancestors().nth(file.depth()).and_then(|root| self.roots.get(root));
                if let Some(&entry) = root
                    && self.overlooked.len() < MAX_KEPT
                {
                    self.overlooked.push(Overlooked { path, entry, hurdle });
                }
            }
            Ok(None) => {}
            Err(_) => self.unreadable += 1,
        }
        match Instant::now() > self.until {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn error(&mut self, _: Error) {
        self.unreadable += 1;
    }
}
