//! `benchsuite compare`: two records, and what got faster or slower between them.
//!
//! | module | holds |
//! |---|---|
//! | `changes` | which rows correspond, and the verdict on each |
//! | `estimate` | the ratio of two times with its interval |
//! | `obstacles` | what makes two rows incomparable |
//! | `page` | all of it as Markdown |

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::record::Record;

mod changes;
mod estimate;
mod obstacles;
mod page;

/// Prints the changes from `old` to `new`. The exit code is 0 if nothing got slower, 1 if something
/// did, 2 if nothing can be compared.
pub(crate) fn run(old: &Path, new: &Path) -> io::Result<ExitCode> {
    let (old, new) = (Record::read(old)?, Record::read(new)?);
    let (text, code) = print(&old, &new);
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::from(code))
}

/// The changes from `old` to `new` as Markdown, and the exit code.
pub(crate) fn print(old: &Record, new: &Record) -> (String, u8) {
    let changes = changes::compare(old, new);
    (page::markdown(&changes), changes.exit_code())
}
