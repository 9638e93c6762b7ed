//! `--index-list`: every index that the user has, a line each.

use std::{fmt::Write, fs, path::PathBuf, time::SystemTime};

use heist_index::{Error, Home, Index};
use heist_walk::Root;

use super::{
    home::{advice, reason, shown},
    modes::{gone_dir, size},
    opened::canonical_dir,
    watch::{self, duration},
};
use crate::texts::{
    messages::{Messages, counted},
    name,
};

/// Describes the indexes of directories that contain one of `roots` or lie in one; all indexes if
/// no root was named. Indexes that cannot be used are reported, and roots without one.
///
/// # Errors
/// There is no index, or where indexes lie cannot be read.
pub(crate) fn list(
    home: &Home,
    roots: &[Root],
    escapes: bool,
    messages: &Messages,
) -> Result<String, String> {
    let indexes = home.indexes().map_err(|error| match error {
        Error::Absent => format!("{error}; {}", advice()),
        error => error.to_string(),
    })?;
    let (indexes, unusable): (Vec<_>, Vec<_>) = indexes.into_iter().partition(Result::is_ok);
    for error in unusable.into_iter().filter_map(Result::err) {
        messages.error_in_lines(error);
    }
    let indexes: Vec<Index> = indexes.into_iter().flatten().collect();
    let paths = roots.iter().filter_map(|root| match root {
        Root::Path(path) => Some(path),
        Root::Here | Root::Stdin => None,
    });
    let whole = |path| fs::canonicalize(path).ok().or_else(|| gone_dir(path));
    let paths: Vec<(&PathBuf, Option<PathBuf>)> = paths.map(|path| (path, whole(path))).collect();
    let is_near = |index: &Index, path: &Option<PathBuf>| {
        path.as_ref()
            .is_some_and(|path| path.starts_with(index.root()) || index.root().starts_with(path))
    };
    for (path, whole) in &paths {
        if !indexes.iter().any(|index| is_near(index, whole)) {
            messages.error_in_lines(reason(path, &Error::Absent));
        }
    }
    let is_listed =
        |index: &&Index| paths.is_empty() || paths.iter().any(|(_, whole)| is_near(index, whole));
    Ok(indexes.iter().filter(is_listed).map(|index| line(home, index, escapes)).collect())
}

/// Describes an index: `/home/ann/linux: 134 MB for 78,255 files, updated 2 h ago, not watched`.
fn line(home: &Home, index: &Index, escapes: bool) -> String {
    let root = shown(index.root(), escapes);
    let files = counted(index.files_covered(), "file", "files");
    let mut line = format!("{root}: {} for {files}", size(index.size()));
    let age = index.updated().and_then(|then| SystemTime::now().duration_since(then).ok());
    // Writing to a string does not fail.
    if let Some(age) = age {
        let _ = write!(line, ", updated {} ago", duration(age.as_secs()));
    }
    let _ = match watch::status(home, index.root()) {
        Ok(watcher) => write!(line, ", watched by process {}", watcher.process),
        Err(_) => write!(line, ", not watched"),
    };
    if canonical_dir(index.root()).is_none() {
        let _ = write!(
            line,
            "; the directory is gone: {} --index-drop removes the index",
            name::program()
        );
    }
    line.push('\n');
    line
}
