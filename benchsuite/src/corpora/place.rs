//! Where corpora are: the directory, the type of its file system, and how much still fits.

use std::{
    env,
    ffi::OsString,
    fs, io,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
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

/// The beginning of the names of directories in which the corpus `name` is being made.
pub(super) fn partial_prefix(name: &str) -> String {
    format!("{name}.partial")
}

/// Those directories: of a process that is making it, or of one that was killed.
pub(super) fn partials(dir: &Path, name: &str) -> Vec<PathBuf> {
    let prefix = partial_prefix(name);
    let is_it = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.starts_with(&prefix))
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_it).collect()
}

/// The type of the file system of `path`, as Linux names it: `ext4`. Other systems do not report
/// it.
pub(super) fn file_system(path: &Path) -> Option<String> {
    let mounts = fs::read("/proc/self/mountinfo").ok()?;
    type_of_mount(&mounts, &path.canonicalize().ok()?)
}

/// The type of the last of the deepest mounts at or above an absolute path. The fields of a line
/// are those of proc(5): the fifth is the mount point, and the type follows a lone dash.
pub(super) fn type_of_mount(mounts: &[u8], path: &Path) -> Option<String> {
    let lines = mounts.split(|byte| *byte == b'\n');
    let places = lines.filter_map(|line| {
        let mut fields = line.split(|byte| *byte == b' ');
        let place = PathBuf::from(unescape(fields.nth(4)?));
        let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
        path.starts_with(&place).then(|| (place.components().count(), kind))
    });
    let (_, kind) = places.max_by_key(|(depth, _)| *depth)?;
    Some(String::from_utf8_lossy(kind).into_owned())
}

/// Resolves the octal escapes that stand for blanks in a table of mounts.
fn unescape(field: &[u8]) -> OsString {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if first == b'\\' => {
                bytes.push(byte);
                rest = &after[3..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes)
}

/// Fails if there is no room for `space` in `dir`, with both figures.
pub(super) fn check_room(dir: &Path, space: Space) -> io::Result<()> {
    let free = rustix::fs::statvfs(dir).map_err(|error| explain(dir, &error.into()))?;
    let bytes = free.f_bavail.saturating_mul(free.f_frsize);
    let lack = |what: &str| {
        let what = format!("{}: {what}", dir.display());
        Err(io::Error::new(io::ErrorKind::StorageFull, what))
    };
    if bytes < space.bytes {
        return lack(&format!("{} are needed, {} are free", size(space.bytes), size(bytes)));
    }
    // A file system that makes inodes as it goes reports none at all.
    if free.f_files > 0 && free.f_favail < space.inodes {
        return lack(&format!(
            "{} files and directories are to be made, and there is room for {} (inodes)",
            space.inodes, free.f_favail
        ));
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
