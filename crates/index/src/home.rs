//! Where indexes lie: a directory per tree, in the user's cache, never in the tree itself.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_128;

use crate::{
    error::{AtPath, Error},
    index::Index,
    lock::Lock,
};

/// The directory of all indexes of a user.
///
/// ```no_run
/// use heist_index::Home;
///
/// let home = Home::new("/home/ann/.cache/heist".into());
/// let index = home.find("/home/ann/src/linux/mm".as_ref())?;
/// assert_eq!(index.root(), "/home/ann/src/linux");
/// # Ok::<(), heist_index::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Home {
    path: PathBuf,
}

impl Home {
    /// The directory at `path`, which need not exist.
    #[must_use]
    pub fn new(path: PathBuf) -> Home {
        Home { path }
    }

    /// The directory of all indexes, which need not exist.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory for the index of `root`, a canonical path.
    #[must_use]
    pub fn dir_of(&self, root: &Path) -> PathBuf {
        let hash = xxh3_128(root.as_os_str().as_encoded_bytes());
        self.path.join(format!("{hash:032x}"))
    }

    /// Checks that there may be indexes: that the directory exists, and that others may not write
    /// to it. Without any index a search needs nothing else.
    ///
    /// # Errors
    /// [`Error::Absent`] if it does not exist.
    pub fn check(&self) -> Result<(), Error> {
        check_private(&self.path)
    }

    /// Opens the index that covers `dir`, a canonical path: that of the directory itself or of the
    /// nearest one above it.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; another error if the nearest one cannot be used.
    pub fn find(&self, dir: &Path) -> Result<Index, Error> {
        self.check()?;
        for root in dir.ancestors() {
            let dir = self.dir_of(root);
            match check_private(&dir).and_then(|()| Index::open(&dir)) {
                Err(Error::Absent) => {}
                Ok(index) if index.root() != root => {
                    return Err(Error::Damaged("it is that of another directory").at(&dir));
                }
                found => return found,
            }
        }
        Err(Error::Absent)
    }

    /// Removes the index of `root`, a canonical path.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; [`Error::Busy`] if it is being written; the system's
    /// error.
    pub fn drop_index(&self, root: &Path) -> Result<(), Error> {
        let dir = self.dir_of(root);
        check_private(&dir)?;
        let _lock = Lock::acquire(&dir)?;
        fs::remove_dir_all(&dir).at(&dir)
    }
}

/// Creates a directory that only its owner may enter, and those above it, and checks that it is
/// one.
pub(crate) fn create_private(dir: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir).at(dir)?;
    check_private(dir)
}

/// Checks that only this user can have written to a directory.
fn check_private(dir: &Path) -> Result<(), Error> {
    let metadata = match fs::metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::Absent),
        metadata => metadata.at(dir)?,
    };
    if !metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory)).at(dir);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
        if !is_own || metadata.mode() & 0o022 != 0 {
            return Err(Error::Untrusted.at(dir));
        }
    }
    Ok(())
}
