//! An oracle that is created when it pays: a search in few files ends before an index is open, and
//! most searches have none.

use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use heist_matcher::Matcher;

use super::{
    oracle::{Oracle, reports_unmatched},
    spared::Spared,
};
use crate::{
    resolved::ResolvedArgs,
    texts::messages::Messages,
    typed::{IndexUse, SearchMode},
};

/// The walk begins after the index was consulted if the tree has at least this many times as many
/// entries as files are searched before an index pays.
const ENTRIES_PER_FILE: usize = 4;

/// An oracle that the worker creates which visits a certain file. The others read files meanwhile.
pub(crate) struct LazyOracle<'a> {
    args: &'a ResolvedArgs,
    mode: SearchMode,
    matcher: &'a Matcher,
    messages: &'a Messages,
    visited: AtomicUsize,
    oracle: OnceLock<Option<Oracle>>,
}

/// What is known of an oracle before the walk: the oracle, that there is none, or nothing yet.
pub(crate) struct EarlyOracle(OnceLock<Option<Oracle>>);

impl EarlyOracle {
    /// Consults the index of a search before its walk, where that pays: the walk then skips what
    /// cannot match.
    ///
    /// # Errors
    /// With `--index=require`, the reason why no index is used.
    pub(crate) fn consult(
        args: &mut ResolvedArgs,
        mode: SearchMode,
        matcher: &Matcher,
        messages: &Messages,
    ) -> Result<EarlyOracle, String> {
        let skipped = match args.index {
            IndexUse::Never => return Ok(EarlyOracle(OnceLock::from(None))),
            _ => Skipped::by(args, mode),
        };
        let oracle = match args.index {
            IndexUse::Require => Some(Oracle::required(args, mode, matcher)?),
            _ if skipped == Skipped::Nothing => return Ok(EarlyOracle(OnceLock::new())),
            _ => Oracle::new(args, mode, matcher, messages),
        };
        if let (Some(oracle), Some(coverage)) = (&oracle, &args.coverage)
            && skipped != Skipped::Nothing
            && let Some(skip) = oracle.skip(coverage.tree(), skipped == Skipped::Directories)
        {
            args.cover(Some(coverage.skipping(skip)));
        }
        Ok(EarlyOracle(OnceLock::from(oracle)))
    }
}

impl<'a> LazyOracle<'a> {
    /// Prepares for a search.
    pub(crate) fn new(
        args: &'a ResolvedArgs,
        mode: SearchMode,
        matcher: &'a Matcher,
        messages: &'a Messages,
        early: EarlyOracle,
    ) -> LazyOracle<'a> {
        let EarlyOracle(oracle) = early;
        LazyOracle { args, mode, matcher, messages, visited: AtomicUsize::new(0), oracle }
    }

    /// What was spared, if an index was used and that is reported.
    pub(crate) fn spared(&self) -> Option<Spared> {
        self.oracle.get()?.as_ref()?.spared()
    }

    /// Returns the oracle for the next file, if there is one by now.
    pub(crate) fn for_next_file(&self) -> Option<&Oracle> {
        if let Some(oracle) = self.oracle.get() {
            return oracle.as_ref();
        }
        // Ordering: Relaxed; the number publishes nothing, and each is drawn once.
        if self.visited.fetch_add(1, Ordering::Relaxed) != self.args.index_after {
            return None;
        }
        let create = || Oracle::new(self.args, self.mode, self.matcher, self.messages);
        self.oracle.get_or_init(create).as_ref()
    }
}

/// What a walk skips, if an index proves that nothing matches there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipped {
    /// Nothing: files are visited.
    Nothing,
    /// The visits of files, but not their stamps.
    Visits,
    /// Files and directories, since a process knows of all changes.
    Directories,
}

impl Skipped {
    /// Determines what the walk can skip: nothing if something is reported about files
    /// without a match, or if there may be too few files for an index to pay.
    fn by(args: &ResolvedArgs, mode: SearchMode) -> Skipped {
        let roots = &args.walk.roots;
        let is_possible = !reports_unmatched(args, mode) && visits_by_rules(args);
        let tree = args.coverage.as_ref().filter(|_| is_possible).map(|coverage| coverage.tree());
        let Some(tree) = tree.filter(|tree| tree.knows(roots)) else { return Skipped::Nothing };
        if tree.knows_changes() {
            return Skipped::Directories;
        }
        // Who watches how many files have been searched is to see all of them.
        let is_shown = args.progress.is_some();
        let entries = if is_shown { None } else { tree.entries_below(roots) };
        match entries {
            Some(entries) if entries as usize / ENTRIES_PER_FILE >= args.index_after => {
                Skipped::Visits
            }
            _ => Skipped::Nothing,
        }
    }
}

/// Whether nothing but rules, and no limit of results, decides which files are visited.
pub(super) fn visits_by_rules(args: &ResolvedArgs) -> bool {
    let walk = &args.walk;
    let is_limited = walk.max_filesize.is_some()
        || walk.min_filesize > 0
        || walk.newer.is_some()
        || walk.older.is_some()
        || walk.changes.is_some()
        || walk.shard.is_some()
        || walk.unique
        || walk.max_depth.is_some();
    !is_limited && !walk.follow && !walk.follow_files && args.limits.is_none()
}
