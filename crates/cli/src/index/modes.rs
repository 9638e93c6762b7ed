//! What the modes that keep an index do and print.

use std::{
    fmt::Write,
    fs, io,
    path::{self, Path, PathBuf},
    time::Duration,
};

use heist_index::{Built, Error, Home, Verified};
use heist_walk::{Root, WalkConfig};

use super::{
    home::{own_reason, reason, shown},
    opened::{TrustedDevice, trusted_device},
    watch,
};
use crate::texts::messages::{Messages, grouped};

/// The directory that is to be walked: the one, or the current one, as a canonical path.
///
/// # Errors
/// There are several, or the one is no directory.
pub(crate) fn root(walk: &WalkConfig) -> Result<PathBuf, String> {
    let path = one_root(walk)?;
    let why = |error: io::Error| format!("{}: {error}", path.display());
    let root = fs::canonicalize(path).map_err(why)?;
    match fs::metadata(&root).map_err(why)?.is_dir() {
        true => Ok(root),
        false => Err(why(io::ErrorKind::NotADirectory.into())),
    }
}

/// The directory that is to lose its index, which may be gone itself, as a canonical path.
///
/// # Errors
/// As with [`root`], but a directory may be gone.
pub(crate) fn root_or_gone(walk: &WalkConfig) -> Result<PathBuf, String> {
    gone_dir(one_root(walk)?).map_or_else(|| root(walk), Ok)
}

/// The canonical path of a directory that is gone; `None` if it is not.
pub(super) fn gone_dir(path: &Path) -> Option<PathBuf> {
    let is_gone = fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
    let whole = path::absolute(path).ok().filter(|_| is_gone)?;
    let mut all = whole.ancestors();
    let (above, real) = all.find_map(|above| Some((above, fs::canonicalize(above).ok()?)))?;
    Some(real.join(whole.strip_prefix(above).ok()?))
}

/// The only path of the command line, or the current directory.
fn one_root(walk: &WalkConfig) -> Result<&Path, String> {
    let why = |given: &str| Err(format!("an index covers one directory, and {given} given"));
    match &walk.roots[..] {
        _ if walk.more_roots.is_some() => why("a list of paths is"),
        [Root::Here] => Ok(Path::new(".")),
        [Root::Path(path)] => Ok(path),
        [Root::Stdin] => why("standard input is"),
        _ => why("several paths are"),
    }
}

/// The device of `root`, if stamps prove something there.
///
/// # Errors
/// The reason why they do not, or the system's error.
pub(crate) fn device_of(root: &Path) -> Result<TrustedDevice, String> {
    trusted_device(root).map_err(|error| format!("{}: {error}", root.display()))
}

/// Describes an index that was built in this time, and does not cover `unsettled` files.
pub(crate) fn update_report(
    root: &Path,
    built: &Built,
    unsettled: u64,
    took: Duration,
    escapes: bool,
) -> String {
    let left_out = match unsettled {
        0 => String::new(),
        _ => format!(
            "; {} are not, because they have just changed or their times are in the future",
            grouped(unsettled),
        ),
    };
    format!(
        "{}: {} files ({}) are covered, {} of them newly{left_out}; the index has {} and took \
         {:.1} s\n",
        shown(root, escapes),
        grouped(built.files),
        size(built.text),
        grouped(built.files - built.kept),
        size(built.size),
        took.as_secs_f64(),
    )
}

/// Describes the result of a comparison with the files.
pub(crate) fn verify_report(root: &Path, verified: &Verified, escapes: bool) -> String {
    let Verified { files, changed, ref differing, .. } = *verified;
    format!(
        "{}: {} files are as indexed, {} have changed since; the index is wrong about {}\n",
        shown(root, escapes),
        grouped(files),
        grouped(changed),
        grouped(differing.len()),
    )
}

/// What of the files and directories is as an index has it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unchanged {
    /// The wanted files that are covered, and all of them.
    pub(crate) files: [u64; 2],
    /// The directories that need not be listed, and all that were known.
    pub(crate) dirs: [u32; 2],
}

/// Describes the index that covers `dir`. `unchanged` returns how much is as it has it.
///
/// # Errors
/// There is none, or it cannot be used.
pub(crate) fn status(
    home: &Home,
    dir: &Path,
    unchanged: impl FnOnce() -> Result<Unchanged, Error>,
    escapes: bool,
) -> Result<String, String> {
    describe(home, dir, unchanged, escapes).map_err(|error| reason(dir, &error))
}

fn describe(
    home: &Home,
    dir: &Path,
    unchanged: impl FnOnce() -> Result<Unchanged, Error>,
    escapes: bool,
) -> Result<String, Error> {
    let index = home.find(dir)?;
    let mut text = String::new();
    let Unchanged { files, dirs } = unchanged()?;
    let watcher = watch::status(home, index.root());
    let level = match index.snapshot()? {
        Some(_) if watcher.as_ref().is_ok_and(|watcher| !watcher.is_comparing) => {
            "3, a process knows what has changed, and only directories with candidates are visited"
        }
        Some(_) => "2, files that cannot match are not read, known directories are not listed",
        None => "1, files that cannot match are not read",
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "directory: {}", shown(index.root(), escapes));
    let _ = writeln!(text, "index: {}", shown(&home.dir_of(index.root()), escapes));
    let _ = writeln!(text, "files: {}", grouped(index.files_covered()));
    let _ = writeln!(text, "text: {}", size(index.text()));
    let _ = writeln!(text, "size: {}", size(index.size()));
    let _ = writeln!(text, "level: {level}");
    let (files, dirs) = (files.map(grouped).join(" of "), dirs.map(grouped).join(" of "));
    let _ = writeln!(text, "as indexed: {files} files, {dirs} directories");
    if let Some(watcher) = watch::description(watcher) {
        let _ = writeln!(text, "watcher: {watcher}");
    }
    Ok(text)
}

/// Removes the index of `root`.
///
/// # Errors
/// There is none, or it cannot be removed.
pub(crate) fn drop_index(home: &Home, root: &Path, escapes: bool) -> Result<String, String> {
    match home.drop_index(root) {
        Ok(()) => Ok(format!("{}: removed the index\n", shown(root, escapes))),
        Err(error) => Err(own_reason(home, root, &error)),
    }
}

/// Removes the indexes of directories that are gone. Reports what cannot be removed.
///
/// # Errors
/// Where indexes lie cannot be read.
pub(crate) fn drop_gone(home: &Home, escapes: bool, messages: &Messages) -> Result<String, String> {
    let indexes = match home.indexes() {
        Ok(indexes) => indexes,
        Err(Error::Absent) => Vec::new(),
        Err(error) => return Err(error.to_string()),
    };
    let is_gone = |root: &Path| gone_dir(root).is_some();
    let mut text = String::new();
    // An index that cannot be read is of no known directory.
    for index in indexes.into_iter().flatten().filter(|index| is_gone(index.root())) {
        match drop_index(home, index.root(), escapes) {
            Ok(report) => text.push_str(&report),
            Err(why) => messages.error_in_lines(why),
        }
    }
    Ok(text)
}

/// A number of bytes as text, in the largest unit that leaves two digits or more: `25 kB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        10_000_000.. => format!("{} MB", grouped(bytes / 1_000_000)),
        10_000.. => format!("{} kB", grouped(bytes / 1000)),
        _ => format!("{} bytes", grouped(bytes)),
    }
}
