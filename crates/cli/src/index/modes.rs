//! What the modes that keep an index do and print.

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use heist_index::{Built, Error, Home, Verified};
use heist_walk::Root;

use super::{home::reason, opened::trusted_device};

/// The directory that the roots name: the one, or the current one, as a canonical path.
///
/// # Errors
/// There are several, or the one is no directory.
pub(crate) fn root(roots: &[Root]) -> Result<PathBuf, String> {
    let path = match roots {
        [Root::Here] => Path::new("."),
        [Root::Path(path)] => path,
        _ => return Err("an index covers one directory, and several paths are given".to_owned()),
    };
    let why = |error: io::Error| format!("{}: {error}", path.display());
    let root = fs::canonicalize(path).map_err(why)?;
    match fs::metadata(&root).map_err(why)?.is_dir() {
        true => Ok(root),
        false => Err(why(io::ErrorKind::NotADirectory.into())),
    }
}

/// The device of `root`, on which the times of change are to be trusted.
///
/// # Errors
/// They are not, or the system's error.
pub(crate) fn device_of(root: &Path) -> Result<u64, String> {
    trusted_device(root).map_err(|error| format!("{}: {error}", root.display()))
}

/// Describes an index that was built in this time.
pub(crate) fn update_report(root: &Path, built: &Built, took: Duration) -> String {
    format!(
        "{}: {} files of {} are covered, {} of them since now, by {}, in {:.1} s\n",
        root.display(),
        built.files,
        size(built.text),
        built.files - built.kept,
        size(built.size),
        took.as_secs_f64(),
    )
}

/// Describes the result of a comparison with the files.
pub(crate) fn verify_report(root: &Path, verified: &Verified) -> String {
    let Verified { files, changed, ref differing, .. } = *verified;
    let differing = differing.len();
    format!(
        "{}: {files} files are as indexed, {changed} have changed since; about {differing} the \
         index is wrong\n",
        root.display(),
    )
}

/// Describes the index that covers `dir`.
///
/// # Errors
/// There is none, or it cannot be used.
pub(crate) fn status(home: &Home, dir: &Path) -> Result<String, String> {
    describe(home, dir).map_err(|error| reason(dir, &error))
}

fn describe(home: &Home, dir: &Path) -> Result<String, Error> {
    let index = home.find(dir)?;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "directory: {}", index.root().display());
    let _ = writeln!(text, "index: {}", home.dir_of(index.root()).display());
    let _ = writeln!(text, "files: {}", index.files_covered()?);
    let _ = writeln!(text, "text: {}", size(index.text()));
    let _ = writeln!(text, "size: {}", size(index.size()));
    Ok(text)
}

/// Removes the index of `root`.
///
/// # Errors
/// There is none, or it cannot be removed.
pub(crate) fn drop_index(home: &Home, root: &Path) -> Result<String, String> {
    match home.drop_index(root) {
        Ok(()) => Ok(format!("{}: removed the index\n", root.display())),
        Err(error) => Err(reason(root, &error)),
    }
}

/// A number of bytes in the largest unit of which there are several.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        10_000_000.. => format!("{} MB", bytes / 1_000_000),
        10_000.. => format!("{} kB", bytes / 1000),
        _ => format!("{bytes} bytes"),
    }
}
