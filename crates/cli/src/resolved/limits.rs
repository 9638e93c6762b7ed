//! What limits results, and the files of the walk: their sizes and times.

use super::search::shows_lines;
use crate::{
    error::Error,
    quantities::When,
    run::here::Here,
    typed::{Limits, Mode, SortBy, SortKey, TypedArgs},
};

/// What limits the run; `None` if nothing does. Makes `typed` sort results if a limit requires
/// that.
pub(super) fn resolve_limits(typed: &mut TypedArgs, mode: Mode, one_file: bool) -> Option<Limits> {
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

/// Whether a flag limits the results or the time of the run.
pub(super) fn limits_results(typed: &TypedArgs) -> bool {
    typed.limits != Limits::default()
}

/// Resolves the times of `typed.walk`.
///
/// # Errors
/// No file can be within the limits, or a time is out of range.
pub(super) fn resolve_file_limits(typed: &mut TypedArgs, here: &Here) -> Result<(), Error> {
    let walk = &mut typed.walk;
    if let Some(max) = walk.max_filesize.filter(|max| *max < walk.min_filesize) {
        return Err(Error::new(format!(
            "--min-filesize and --max-filesize exclude each other: no file has at least {} bytes \
             and at most {max}",
            walk.min_filesize
        )));
    }
    if typed.newer.is_none() && typed.older.is_none() {
        return Ok(());
    }
    let now = (here.now)();
    for (flag, when, time) in
        [("--newer", &typed.newer, &mut walk.newer), ("--older", &typed.older, &mut walk.older)]
    {
        let resolved = when.as_ref().map(|when| when.resolve(now, typed.safe)).transpose();
        *time =
            resolved.map_err(|error| Error::new(format!("error parsing flag {flag}: {error}")))?;
    }
    // As with `find -newer`, a file is not newer than itself.
    if typed.newer.as_ref().is_some_and(When::is_of_file) {
        walk.newer = walk.newer.map(When::just_after);
    }
    let (Some(newer), Some(older)) = (&typed.newer, &typed.older) else { return Ok(()) };
    if walk.newer >= walk.older {
        return Err(Error::new(format!(
            "--newer {newer} and --older {older} exclude each other: no time is after the first \
             and before the second"
        )));
    }
    Ok(())
}
