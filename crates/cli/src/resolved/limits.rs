//! The limits of results, and the flags that they contradict.

use heist_walk::Root;

use super::search::shows_lines;
use crate::{
    error::Error,
    typed::{Limits, Mode, SortBy, SortKey, TypedArgs},
};

/// The limits of the run; `None` if there are none. Makes `typed` sort results if a limit requires
/// that.
///
/// # Errors
/// A limit and another flag contradict each other.
pub(super) fn resolve(
    typed: &mut TypedArgs,
    mode: Mode,
    roots: &[Root],
    one_file: bool,
) -> Result<Option<Limits>, Error> {
    let mut limits = typed.limits;
    if limits == Limits::default() || !matches!(mode, Mode::Search(_) | Mode::Files) {
        return Ok(None);
    }
    if typed.quiet {
        // There are no results to limit.
        let limits = Limits { time: limits.time, ..Limits::default() };
        return Ok(limits.time.map(|_| limits));
    }
    check(typed, &limits, roots, one_file)?;
    // In other modes each file has one result.
    limits.spread &= shows_lines(typed, mode) && !one_file;
    if limits.spread && typed.sort.is_none() {
        typed.sort = Some(SortBy { key: SortKey::Path, reverse: false });
    }
    Ok(Some(limits))
}

/// Fails if every line is printed although results are limited.
pub(super) fn check_passthru(limits: &Limits, passthru: bool) -> Result<(), Error> {
    let of_results = limits.results.map(|_| "--max-results");
    let of_files = limits.files.map(|_| "--max-files");
    let of_output = limits.output.map(|_| "--max-output");
    let offset = (limits.offset > 0).then_some("--offset");
    match of_results.or(of_files).or(of_output).or(offset) {
        Some(flag) if passthru => Err(Error::new(format!(
            "{flag} cannot be combined with --passthru, which prints every line"
        ))),
        _ => Ok(()),
    }
}

fn check(typed: &TypedArgs, limits: &Limits, roots: &[Root], one_file: bool) -> Result<(), Error> {
    check_passthru(limits, typed.context.passthru)?;
    let offset = (limits.offset > 0).then_some("--offset");
    let contradiction = match offset {
        Some(offset) if limits.spread => {
            format!("{offset} cannot be combined with --spread, which has no next page")
        }
        Some(offset) if typed.sort.is_none() && !one_file => {
            format!("{offset} requires --sort: otherwise results are in no fixed order")
        }
        _ if limits.spread && limits.results.is_none() => {
            "--spread requires --max-results, which it shares among files".to_owned()
        }
        _ if limits.spread && !one_file && roots.contains(&Root::Stdin) => {
            "--spread cannot be combined with the path -: it reads files twice".to_owned()
        }
        _ => return Ok(()),
    };
    Err(Error::new(contradiction))
}
