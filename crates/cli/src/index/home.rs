//! Where indexes lie.

use std::path::Path;

use heist_index::{Error, Home};
use heist_printer::visible_line;

use crate::{run::here::Here, texts::name};

/// The directory with this user's indexes; `None` if there is no place for it.
pub(crate) fn home(here: &Here) -> Option<Home> {
    Home::of_user(here.variable)
}

/// Returns a path as the reports of all modes have it. On a terminal, `escapes` shows what the
/// terminal would interpret, line feeds included, as text.
pub(super) fn shown(path: &Path, escapes: bool) -> String {
    let path = path.display().to_string();
    match escapes {
        true => String::from_utf8_lossy(&visible_line(&path)).into_owned(),
        false => path,
    }
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

/// How to build an index where there is none.
pub(super) fn advice() -> String {
    format!("{} --index-update builds one", name::program())
}

/// The reason why there is no index to use for `dir`.
pub(super) fn reason(dir: &Path, error: &Error) -> String {
    match error {
        // It names the index's file.
        Error::At(..) => error.to_string(),
        Error::Absent => format!("{}: {error}; {}", dir.display(), advice()),
        _ => format!("{}: {error}", dir.display()),
    }
}
