//! Directories that a walk skips as a whole because of the `.git` in them: further worktrees of a
//! repository, and submodules.

use heist_filter::Checkout;

use crate::{
    config::WalkConfig,
    context::WalkContext,
    item::Dir,
    listing::Listing,
    skipped::SkipReason,
    sys::{Progress, System},
};

impl WalkContext<'_> {
    /// Whether the walk skips a directory for the `.git` in it.
    pub(crate) fn skips_checkouts(&self) -> bool {
        self.config.skip_worktrees || self.config.skip_submodules
    }

    /// Returns the reason why the walk skips a directory for the `.git` in it. Roots are never
    /// skipped.
    pub(crate) fn checkout_reason<S: System>(
        &self,
        dir: &Dir<'_, S>,
    ) -> Option<SkipReason<'static>> {
        let WalkConfig { skip_worktrees, skip_submodules, confined, .. } = *self.config;
        if dir.depth == 0 || !self.skips_checkouts() {
            return None;
        }
        match Checkout::at(&dir.own_path(), dir.depth, confined)? {
            Checkout::OtherWorktree => skip_worktrees.then_some(SkipReason::OtherWorktree),
            Checkout::Submodule => skip_submodules.then_some(SkipReason::Submodule),
        }
    }

    /// Returns whether the walk skips a directory for the `.git` in it, which this reports.
    #[cold]
    pub(crate) fn skips_checkout<S: System>(&self, dir: &Dir<'_, S>) -> bool {
        let why = self.checkout_reason(dir);
        if let (Some(why), Some(observer)) = (&why, &self.config.on_skip) {
            observer.skipped(&dir.own_path(), why);
        }
        why.is_some()
    }
}

/// Whether a directory may have a `.git`, as far as the first chunk of its listing shows.
pub(crate) fn may_have_git(listing: &Listing, progress: Progress) -> bool {
    let is_git = |name: &[u8]| match cfg!(windows) {
        true => name.eq_ignore_ascii_case(b".git"),
        false => name == b".git",
    };
    progress == Progress::More
        || listing.entries().iter().any(|&entry| is_git(listing.name(entry).bytes()))
}
