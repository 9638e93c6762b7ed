//! What limits results.

use super::search::shows_lines;
use crate::typed::{Limits, Mode, SortBy, SortKey, TypedArgs};

/// What limits the run; `None` if nothing does. Makes `typed` sort results if a limit requires
/// that.
pub(super) fn resolve(typed: &mut TypedArgs, mode: Mode, one_file: bool) -> Option<Limits> {
    let mut limits = typed.limits;
    if limits == Limits::default() || !matches!(mode, Mode::Search(_) | Mode::Files) {
        return None;
    }
    if typed.quiet {
        // There are no results to limit.
        let limits = Limits { time: limits.time, ..Limits::default() };
        return limits.time.map(|_| limits);
    }
    // In other modes each file has one result.
    limits.spread &= shows_lines(typed, mode) && !one_file;
    if limits.spread && typed.sort.is_none() {
        typed.sort = Some(SortBy { key: SortKey::Path, reverse: false });
    }
    Some(limits)
}
