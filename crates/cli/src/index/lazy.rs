//! An oracle that is created when it is of use: a search of few files ends before an index is open,
//! and most searches have none.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use heist_matcher::Matcher;

use super::{
    oracle::{Oracle, reports_unmatched},
    snapshot::KnownTree,
};
use crate::{
    messages::Messages,
    resolved::ResolvedArgs,
    typed::{IndexUse, SearchMode},
};

/// An oracle that the worker creates which visits a certain file. The others read files meanwhile.
pub(crate) struct LazyOracle<'a> {
    args: &'a ResolvedArgs,
    mode: SearchMode,
    matcher: &'a Matcher,
    messages: &'a Messages,
    visited: AtomicUsize,
    oracle: OnceLock<Option<Oracle>>,
}

impl<'a> LazyOracle<'a> {
    /// Prepares for a search.
    ///
    /// # Errors
    /// With `--index=require`, the reason why no index is used.
    pub(crate) fn new(
        args: &'a ResolvedArgs,
        mode: SearchMode,
        matcher: &'a Matcher,
        messages: &'a Messages,
    ) -> Result<LazyOracle<'a>, String> {
        let oracle = match args.index {
            IndexUse::Never => OnceLock::from(None),
            IndexUse::Require => OnceLock::from(Some(Oracle::required(args, mode, matcher)?)),
            IndexUse::Auto if can_leave_out(args, mode) => {
                OnceLock::from(Oracle::new(args, mode, matcher, messages))
            }
            IndexUse::Auto | IndexUse::Strict => OnceLock::new(),
        };
        if let (Some(Some(oracle)), Some(tree)) = (oracle.get(), &args.known_tree)
            && can_leave_out(args, mode)
        {
            oracle.leave_out(tree);
        }
        Ok(LazyOracle { args, mode, matcher, messages, visited: AtomicUsize::new(0), oracle })
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

/// Whether the search can do without files and directories that an index rules out: a process knows
/// of all changes, and nothing is reported of a file without a match.
fn can_leave_out(args: &ResolvedArgs, mode: SearchMode) -> bool {
    let knows_changes = |tree: &Arc<KnownTree>| tree.knows_changes(&args.walk.roots);
    !reports_unmatched(args, mode)
        && visits_by_rules(args)
        && args.known_tree.as_ref().is_some_and(knows_changes)
}

/// Whether nothing but rules, and no limit of results, decides which files are visited.
pub(super) fn visits_by_rules(args: &ResolvedArgs) -> bool {
    let walk = &args.walk;
    let is_limited = walk.max_filesize.is_some()
        || walk.min_filesize > 0
        || walk.newer.is_some()
        || walk.older.is_some()
        || walk.unique
        || walk.max_depth.is_some();
    !is_limited && !walk.follow && !walk.follow_files && args.limits.is_none()
}
