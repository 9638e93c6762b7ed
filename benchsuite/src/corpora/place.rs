//! Where corpora are: the directory, the type of its file system, and how much still fits.

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::files::explain;

/// Room on a file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Space {
    /// In whole blocks of 4 KiB.
    pub(super) bytes: u64,
    /// Files and directories.
    pub(super) inodes: u64,
}

/// The default directory: `$BENCHSUITE_CORPORA`, else `heist/corpora` in the user's cache, which is
/// `$XDG_CACHE_HOME` or `~/.cache`.
pub(crate) fn home() -> io::Result<PathBuf> {
    home_from(|name| env::var_os(name).filter(|value| !value.is_empty())).ok_or_else(|| {
        io::Error::other("no home directory: name one with --dir or BENCHSUITE_CORPORA")
    })
}

pub(super) fn home_from(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(dir) = variable("BENCHSUITE_CORPORA") {
        return Some(dir.into());
    }
    // The specification of the XDG base directories has relative paths ignored.
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|cache| cache.is_absolute());
    let cache = cache.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
    Some(cache.join("heist/corpora"))
}

/// The command line for `what` (`make linux`) about corpora in `dir`.
pub(super) fn command(dir: &Path, what: &str) -> String {
    let text = dir.to_string_lossy();
    let quoted = shlex::try_quote(&text).map_or_else(|_| text.to_string(), Into::into);
    let is_home = home().is_ok_and(|home| home == dir);
    let place = if is_home { String::new() } else { format!(" --dir {quoted}") };
    format!("benchsuite corpora {what}{place}")
}

/// The type of the file system of `path`, as Linux names it: `ext4`. `None` where `df` does not
/// report it.
pub(super) fn file_system(path: &Path) -> Option<String> {
    let mut df = Command::new("df");
    let output =
        df.args(["--output=fstype", "--"]).arg(path).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // The first line is a heading.
    text.lines().nth(1).map(|kind| kind.trim().to_owned())
}

/// Fails if there is no room for `space` in `dir`, with both figures.
pub(super) fn check_room(dir: &Path, space: Space) -> io::Result<()> {
    let free = rustix::fs::statvfs(dir).map_err(|error| explain(dir, &error.into()))?;
    let bytes = free.f_bavail.saturating_mul(free.f_frsize);
    let lack = |what| explain(dir, &io::Error::new(io::ErrorKind::StorageFull, what));
    if bytes < space.bytes {
        return Err(lack(format!("{} are needed, {} are free", size(space.bytes), size(bytes))));
    }
    // A file system that makes inodes as it goes reports none at all.
    if free.f_files > 0 && free.f_favail < space.inodes {
        return Err(lack(format!(
            "{} files and directories are to be made, and there is room for {} (inodes)",
            space.inodes, free.f_favail
        )));
    }
    Ok(())
}

/// A number of bytes for people.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
