//! Where symbolic links lead, for trees that are not trusted.

use std::{fs, io, path::Path};

/// Returns whether `path` leads to a file outside of what `is_inside` accepts, or may do so. A path
/// that leads nowhere does not. `is_inside` receives a path without links.
///
/// ```
/// use heist_filter::leads_out;
///
/// let home = std::env::temp_dir().canonicalize()?;
/// assert!(!leads_out(&home.join("."), |path| path.starts_with(&home)));
/// assert!(leads_out(&home.join(".."), |path| path.starts_with(&home)));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// What a link reads as is not always what opening it opens. On Linux, a link below `/proc` leads
/// to a file that was opened: that may have lost its name, or have another in the file systems that
/// its process has mounted. So the file that such a name belongs to must be the one that the link
/// leads to.
#[must_use]
pub fn leads_out(path: &Path, is_inside: impl FnOnce(&Path) -> bool) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    match fs::canonicalize(path) {
        Ok(target) => !is_inside(&target) || !is_same_file(path, &target),
        // The link's text leads nowhere; the link may.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
            fs::metadata(path).is_ok()
        }
        // The system follows no such path, but the walk opens names in open directories.
        Err(_) => true,
    }
}

#[cfg(unix)]
fn is_same_file(path: &Path, target: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (there, here) = (fs::symlink_metadata(target).map(id), fs::metadata(path).map(id));
    matches!((there, here), (Ok(there), Ok(here)) if there == here)
}

#[cfg(not(unix))]
fn is_same_file(_path: &Path, _target: &Path) -> bool {
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs::File, os::fd::AsRawFd, path::PathBuf};

    use super::*;

    #[test]
    fn open_files_are_where_they_are() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let at = |name: &str| top.join(name);
        let leads_out = |path: &Path| leads_out(path, |target| target.starts_with(&top));
        let link_to = |file: &File| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        fs::write(at("inside"), "").unwrap();
        let inside = File::open(at("inside")).unwrap();
        assert!(!leads_out(&link_to(&inside)) && !leads_out(&at("inside")));
        assert!(!leads_out(&at("missing")) && !leads_out(&at("inside/missing")));
        // A file without a name, and one that has lost its name to another file.
        let nameless = tempfile::tempfile_in(&top).unwrap();
        assert!(leads_out(&link_to(&nameless)));
        let gone = File::create(at("gone")).unwrap();
        fs::remove_file(at("gone")).unwrap();
        assert!(leads_out(&link_to(&gone)));
        fs::write(at("gone (deleted)"), "").unwrap();
        assert!(leads_out(&link_to(&gone)));
        let pipe = pipe();
        assert!(leads_out(&link_to(&pipe)));
    }

    /// A file that no file system has.
    fn pipe() -> File {
        let (reader, _) = io::pipe().unwrap();
        File::from(std::os::fd::OwnedFd::from(reader))
    }
}
