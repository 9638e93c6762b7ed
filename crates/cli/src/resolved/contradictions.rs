//! Flags that contradict each other, whatever the environment is.

use super::{args::mode, limits, printer, search::shows_lines, surroundings};
use crate::{error::Error, typed::TypedArgs};

/// Fails if flags contradict each other.
pub(crate) fn check_flags(typed: &TypedArgs) -> Result<(), Error> {
    let mode = mode(typed);
    printer::check(typed, mode)?;
    if typed.context.passthru && shows_lines(typed, mode) {
        surroundings::check_passthru(&typed.around)?;
    }
    limits::check_passthru(&typed.limits, typed.context.passthru)
}
