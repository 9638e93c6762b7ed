//! A change is put back: the journal's edits, turned around, are the edits of another change.

use std::{fs, path::Path};

use crate::{ChangeLog, Error, FileEdits, edit::check, stamp::Stamp};

/// What putting a change back means.
#[derive(Debug)]
pub struct Undoing {
    /// The number of the change.
    pub number: u64,
    /// The edits that put the old text back, for [`apply`](crate::apply).
    pub files: Vec<FileEdits>,
    /// Why files are left as they are: they have changed since.
    pub refused: Vec<Error>,
}

/// What puts the change with this number back, or the last one that has changed anything; `None` if
/// there is none. A file that the change has not reached, because it was refused or the run was
/// killed, is left out.
///
/// # Errors
/// The journal cannot be read, or has no such change.
pub fn undo(log: &ChangeLog, number: Option<u64>) -> Result<Option<Undoing>, Error> {
    let numbers = match number {
        Some(number) => vec![number],
        None => log.numbers()?,
    };
    for number in numbers.into_iter().rev() {
        let recorded = log.read(number)?;
        let mut undoing = Undoing { number, files: Vec::new(), refused: Vec::new() };
        for file in &recorded {
            let Some(new) = file.new else { continue };
            match stamp_of(&file.path) {
                Ok(stamp) if stamp.without_change() == new => {
                    undoing.files.push(file.inverse(stamp));
                }
                Ok(stamp) if is_old(stamp, file.old) => {}
                Ok(_) => undoing.refused.push(Error::refused(
                    &file.path,
                    "it has changed since, so that the old text is not put back",
                )),
                Err(error) => undoing.refused.push(error),
            }
        }
        if !undoing.files.is_empty() || !undoing.refused.is_empty() {
            return Ok(Some(undoing));
        }
    }
    Ok(None)
}

/// Whether a file with this stamp is the one that was to be replaced.
fn is_old(stamp: Stamp, old: Stamp) -> bool {
    stamp.without_change() == old
}

fn stamp_of(path: &Path) -> Result<Stamp, Error> {
    let failed = |error| Error::failed(path, "cannot be examined", error);
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    check(path, path, &metadata)?;
    Ok(Stamp::of(&metadata))
}
