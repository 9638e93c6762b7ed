//! Where corpora are: the directory, the type of its file system, and how much still fits.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::files::explain;

/// The default directory: `$BENCHSUITE_CORPORA`, else `heist/corpora` in the user's cache, which is
/// `$XDG_CACHE_HOME` or `~/.cache`.
pub(crate) fn home() -> io::Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The specification of the XDG base directories has relative paths ignored.
    let cache = variable("XDG_CACHE_HOME").filter(|cache| cache.is_absolute());
    let cache = cache.or_else(|| Some(variable("HOME")?.join(".cache")));
    variable("BENCHSUITE_CORPORA").or_else(|| Some(cache?.join("heist/corpora"))).ok_or_else(|| {
        io::Error::other("no home directory: name one with --dir or BENCHSUITE_CORPORA")
    })
}

/// The command line for `what` (`make linux`) about corpora in `dir`.
pub(super) fn command(dir: &Path, what: &str) -> String {
    let text = dir.to_string_lossy();
    let quoted = shlex::try_quote(&text).map_or_else(|_| text.to_string(), Into::into);
    let is_home = home().is_ok_and(|home| home == dir);
    let place = if is_home { String::new() } else { format!(" --dir {quoted}") };
    format!("benchsuite corpora {what}{place}")
}

/// The type of the file system that `path` is on, as Linux names it: `ext4`. `None` where `df` does
/// not report it.
pub(super) fn file_system(path: &Path) -> Option<String> {
    let mut df = Command::new("df");
    let output =
        df.args(["--output=fstype", "--"]).arg(path).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    // The first line is a heading.
    text.lines().nth(1).map(|kind| kind.trim().to_owned())
}

/// Fails if `dir` has no room for `bytes` bytes, or for `inodes` files and directories. The error
/// states both figures.
pub(super) fn check_room(dir: &Path, bytes: u64, inodes: u64) -> io::Result<()> {
    let free = rustix::fs::statvfs(dir).map_err(|error| explain(dir, &error.into()))?;
    let free_bytes = free.f_bavail.saturating_mul(free.f_frsize);
    let what = if free_bytes < bytes {
        format!("{} are needed, {} are free", size(bytes), size(free_bytes))
    } else if free.f_files > 0 && free.f_favail < inodes {
        // A file system that makes inodes as it goes reports none at all.
        let room = free.f_favail;
        format!(
            "{inodes} files and directories are to be made, and there is room for {room} (inodes)"
        )
    } else {
        return Ok(());
    };
    Err(explain(dir, &io::Error::new(io::ErrorKind::StorageFull, what)))
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
