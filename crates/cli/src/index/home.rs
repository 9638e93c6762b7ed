//! Where indexes lie.

use std::path::{Path, PathBuf};

use heist_index::{Error, Home};

use crate::{here::Here, sys};

/// The directory of this user's indexes; `None` if there is no place for it.
pub(crate) fn home(here: &Here) -> Option<Home> {
    let set =
        |name: &str| (here.variable)(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The XDG base directory specification: a relative path is to be ignored.
    let xdg = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let cache = xdg.or_else(|| sys::cache_home(set))?;
    Some(Home::new(cache.join("heist")))
}

/// The reason why there is no index of `dir` itself to use.
pub(crate) fn own_reason(home: &Home, dir: &Path, error: &Error) -> String {
    match (error, home.find(dir)) {
        (Error::Absent, Ok(index)) => format!(
            "{}: there is no index of this directory; it is covered by that of {}",
            dir.display(),
            index.root().display(),
        ),
        _ => reason(dir, error),
    }
}

/// The reason why there is no index to use for `dir`.
pub(super) fn reason(dir: &Path, error: &Error) -> String {
    match error {
        // It names the file of the index.
        Error::At(..) => error.to_string(),
        _ => format!("{}: {error}", dir.display()),
    }
}
