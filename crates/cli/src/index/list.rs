//! `--index-list`: every index that the user has, a line each.

use std::{fmt::Write, time::SystemTime};

use heist_index::{Error, Home, Index};
use heist_walk::Root;

use super::{
    home::{advice, shown},
    modes::{gone_dir, size},
    opened::canonical_dir,
    watch::{self, duration},
};
use crate::{
    messages::{Messages, grouped},
    name,
};

/// Describes the indexes of directories that contain one of `roots` or lie in one; all indexes if
/// no root was named. Those that cannot be used are reported.
///
/// # Errors
/// There is no index, or where indexes lie cannot be read.
pub(crate) fn list(
    home: &Home,
    roots: &[Root],
    escapes: bool,
    messages: &Messages,
) -> Result<String, String> {
    let is_all = !roots.iter().any(|root| matches!(root, Root::Path(_)));
    let named: Vec<_> = roots
        .iter()
        .filter_map(|root| match root {
            Root::Path(path) => canonical_dir(path).or_else(|| gone_dir(path)),
            Root::Here | Root::Stdin => None,
        })
        .collect();
    let indexes = home.indexes().map_err(|error| match error {
        Error::Absent => format!("{error}; {}", advice()),
        error => error.to_string(),
    })?;
    let mut text = String::new();
    for index in indexes {
        let index = match index {
            Ok(index) => index,
            Err(error) => {
                messages.error_in_lines(error);
                continue;
            }
        };
        let root = index.root();
        if is_all || named.iter().any(|path| path.starts_with(root) || root.starts_with(path)) {
            text += &line(home, &index, escapes);
        }
    }
    Ok(text)
}

/// Describes an index: `/home/ann/linux: 134 MB for 78,255 files, updated 2 h ago, not watched`.
fn line(home: &Home, index: &Index, escapes: bool) -> String {
    let root = shown(index.root(), escapes);
    let files = match index.files_covered() {
        1 => "1 file".to_owned(),
        files => format!("{} files", grouped(files)),
    };
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
