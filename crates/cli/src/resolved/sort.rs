//! In which order results come, and when they are sorted.

use std::{
    env,
    path::{Path, PathBuf},
};

use heist_walk::{FileTime, Root, SortOrder, time_of};

use crate::{
    error::Error,
    typed::{SortBy, SortKey, TypedArgs},
};

/// When results are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sorting {
    /// Never.
    AsFound,
    /// While files are found, in an order that the walk has.
    WhileWalking,
    /// When all files are known.
    AfterWalking(SortBy),
}

impl Sorting {
    /// Whether a search surveys all files before it prints results.
    pub(crate) fn is_by_relevance(self) -> bool {
        self.key() == SortKey::Relevance
    }

    /// What files are sorted by; the path, if they are not.
    pub(crate) fn key(self) -> SortKey {
        match self {
            Sorting::AsFound | Sorting::WhileWalking => SortKey::Path,
            Sorting::AfterWalking(by) => by.key,
        }
    }
}

/// When results are sorted, and the order of the walk that this requires. May reorder `roots`.
///
/// # Errors
/// The system does not provide the time to sort by.
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
        // A single result needs no order.
        SortBy { key: SortKey::Relevance, .. } if typed.quiet || typed.printer.total => {
            (Sorting::AsFound, None)
        }
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

/// Sorts `roots` backwards, if that sorts everything below them: no root may lie in another. Paths
/// are compared by component, so everything below a root precedes or follows everything below
/// another.
fn sort_backwards(roots: &mut [Root]) -> bool {
    let mut sorted = roots.to_vec();
    sorted.sort_by_cached_key(|root| std::cmp::Reverse(path(root)));
    // All paths between a path and one below it are below it, too.
    let is_apart = sorted.windows(2).all(|pair| !path(&pair[0]).starts_with(path(&pair[1])));
    if is_apart {
        roots.clone_from_slice(&sorted);
    }
    is_apart
}

/// The path that is compared.
fn path(root: &Root) -> PathBuf {
    match root {
        Root::Path(path) => path.clone(),
        Root::Here => PathBuf::new(),
        Root::Stdin => Path::new("<stdin>").to_path_buf(),
    }
}

/// Checks that the system provides the time, on the program itself as ripgrep does.
fn check(key: SortKey) -> Result<(), Error> {
    let SortKey::Time(time) = key else {
        return Ok(());
    };
    let what = match time {
        FileTime::Modified => "last modified",
        FileTime::Accessed => "last accessed",
        FileTime::Created => "creation time",
    };
    env::current_exe()
        .and_then(|program| time_of(&program, time))
        .map(drop)
        .map_err(|err| Error::new(format!("sorting by {what} isn't supported: {err}")))
}
