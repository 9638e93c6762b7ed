//! Where indexes lie: a directory per tree, in the user's cache, never in the tree itself.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::xxh3_128;

use crate::{
    error::{AtPath, Error},
    index::Index,
    lock::{self, Lock},
    manifest::Manifest,
    trust::{self, check_above, check_home, check_index},
};

/// Marks a directory that backup programs need not keep: <https://bford.info/cachedir>.
pub(crate) const TAG_NAME: &str = "CACHEDIR.TAG";

/// Files in an index's directory besides those that [`Manifest::clean`] removes. The lock is the
/// last that goes.
const OTHER_NAMES: [&str; 4] = [TAG_NAME, "watcher", "watcher-lock", lock::NAME];

/// The directory with all indexes of a user.
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

    /// The directory of the user in this environment, in which `variable` returns the value of a
    /// variable; `None` if there is no place for it.
    ///
    /// ```
    /// use heist_index::Home;
    ///
    /// let home = Home::of_user(|name| (name == "XDG_CACHE_HOME").then(|| "cache".into()));
    /// assert!(home.is_none(), "a relative path is no place");
    /// ```
    #[must_use]
    pub fn of_user(variable: impl Fn(&str) -> Option<OsString>) -> Option<Home> {
        // The XDG base directory specification: a relative path is to be ignored. With a relative
        // `HOME`, indexes would be in a searched tree.
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let usual = || match cfg!(windows) {
            true => absolute("LOCALAPPDATA"),
            false => absolute("HOME").map(|home| home.join(".cache")),
        };
        let cache = absolute("XDG_CACHE_HOME").or_else(usual)?;
        Some(Home::new(cache.join("heist")))
    }

    /// The directory with all indexes, which need not exist.
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
        check_home(&self.path)
    }

    /// Opens the index that covers `dir`, a canonical path: its own, or the nearest one above it.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; another error if the nearest one cannot be used.
    pub fn find(&self, dir: &Path) -> Result<Index, Error> {
        self.check()?;
        for root in dir.ancestors() {
            let dir = self.dir_of(root);
            // Those above it are looked at only if there is an index.
            let checked = check_index(&dir).and_then(|()| check_above(&self.path));
            match checked.and_then(|()| Index::open(&dir)) {
                Err(Error::Absent) => {}
                Ok(index) if index.root() != root => {
                    return Err(Error::Damaged("it is that of another directory").at(&dir));
                }
                found => return found,
            }
        }
        Err(Error::Absent)
    }

    /// Opens every index, in the order of the directories that they cover; at the end is why others
    /// cannot be used.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none at all; the directory cannot be trusted or read.
    pub fn indexes(&self) -> Result<Vec<Result<Index, Error>>, Error> {
        self.check()?;
        check_above(&self.path)?;
        let mut indexes = Vec::new();
        for entry in fs::read_dir(&self.path).at(&self.path)? {
            let dir = entry.at(&self.path)?.path();
            match check_index(&dir).and_then(|()| Index::open(&dir)) {
                // Something else, or an index that is being built for the first time.
                Err(Error::Absent) => {}
                index => indexes.push(index),
            }
        }
        indexes.sort_by(|a, b| match (a, b) {
            (Ok(a), Ok(b)) => a.root().cmp(b.root()),
            (a, b) => a.is_err().cmp(&b.is_err()),
        });
        if indexes.is_empty() { Err(Error::Absent) } else { Ok(indexes) }
    }

    /// Removes the index of `root`, a canonical path: the files that this crate makes, and their
    /// directory.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; [`Error::Busy`] if it is being written;
    /// [`Error::Untrusted`]; the system's error, for instance because there are other files.
    pub fn drop_index(&self, root: &Path) -> Result<(), Error> {
        let dir = self.dir_of(root);
        trust::check(&self.path, &dir)?;
        let _lock = Lock::acquire(&dir)?;
        Manifest::clean(&dir, None).at(&dir)?;
        for name in OTHER_NAMES {
            match fs::remove_file(dir.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).at(&dir);
                }
                _ => {}
            }
        }
        fs::remove_dir(&dir).at(&dir)
    }
}
