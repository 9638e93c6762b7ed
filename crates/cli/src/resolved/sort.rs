//! In which order results come, and when that order is made.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use heist_walk::{Root, SortOrder};

use crate::error::Error;
use crate::typed::{SortBy, SortKey, TypedArgs};

/// When results are brought into order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sorting {
    /// Never.
    AsFound,
    /// While files are found: the order is one of the walk's own.
    WhileWalking,
    /// When all files are known.
    AfterWalking(SortBy),
}

/// How results are sorted, and in which order the walk has to see files for that. May change the order of `roots`.
///
/// # Errors
/// The system cannot tell the time that is asked for.
pub(super) fn resolve(
    typed: &TypedArgs,
    roots: &mut [Root],
    one_file: bool,
) -> Result<(Sorting, Option<SortOrder>), Error> {
    let Some(by) = typed.sort else {
        return Ok((Sorting::AsFound, None));
    };
    check(by.key)?;
    Ok(match by {
        // There is nothing that could be in disorder.
        _ if one_file || typed.quiet && roots.len() == 1 => (Sorting::AsFound, None),
        SortBy { key: SortKey::Path, reverse: false } => {
            (Sorting::WhileWalking, Some(SortOrder::Names))
        }
        SortBy { key: SortKey::Path, reverse: true } if sort_backwards(roots) => {
            (Sorting::WhileWalking, Some(SortOrder::NamesReversed))
        }
        _ => (Sorting::AfterWalking(by), Some(SortOrder::Listing)),
    })
}

/// Sort `roots` backwards, if that is enough to make everything below them come backwards: none may lie in another.
/// Paths are compared component by component, so that whatever is below one comes before or after all of another.
fn sort_backwards(roots: &mut [Root]) -> bool {
    let mut sorted = roots.to_vec();
    sorted.sort_by_cached_key(|root| std::cmp::Reverse(path(root)));
    // Between a path and another below it lie only such as are below it, too.
    let is_apart = sorted.windows(2).all(|pair| !path(&pair[0]).starts_with(path(&pair[1])));
    if is_apart {
        roots.clone_from_slice(&sorted);
    }
    is_apart
}

/// The path by which a root is compared.
fn path(root: &Root) -> PathBuf {
    match root {
        Root::Path(path) => path.clone(),
        Root::Here => PathBuf::new(),
        Root::Stdin => Path::new("<stdin>").to_path_buf(),
    }
}

/// Whether the system tells this time at all, tried on the program itself as ripgrep does.
fn check(key: SortKey) -> Result<(), Error> {
    let what = match key {
        SortKey::Path => return Ok(()),
        SortKey::Modified => "last modified",
        SortKey::Accessed => "last accessed",
        SortKey::Created => "creation time",
    };
    env::current_exe()
        .and_then(fs::metadata)
        .and_then(|metadata| time_of(&metadata, key))
        .map(drop)
        .map_err(|err| Error::new(format!("sorting by {what} isn't supported: {err}")))
}

/// The time that is asked for.
///
/// # Errors
/// As the system says.
pub(crate) fn time_of(metadata: &fs::Metadata, key: SortKey) -> io::Result<SystemTime> {
    match key {
        SortKey::Path => Err(io::ErrorKind::Unsupported.into()),
        SortKey::Modified => metadata.modified(),
        SortKey::Accessed => metadata.accessed(),
        SortKey::Created => metadata.created(),
    }
}
