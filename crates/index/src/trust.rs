//! Checks that no other user can have written to an index, or can put another directory in its
//! place.
//!
//! A directory that only its owner may write to is not enough: a user who may write to one above it
//! can exchange it, or the link that leads to it, between this check and the use of the index. So
//! all directories above it are checked too, as OpenSSH checks those above `authorized_keys`.

use std::{fs, io, path::Path};

use crate::error::{AtPath, Error};

/// Checks that only this user can have written to the index in `dir`, a directory in `home`, or can
/// put another in its place.
///
/// # Errors
/// [`Error::Absent`]; [`Error::Untrusted`]; the system's error.
pub(crate) fn check(home: &Path, dir: &Path) -> Result<(), Error> {
    check_home(home)?;
    check_index(dir)?;
    check_above(home)
}

/// Checks that `dir`, which may be reached through links, is a directory that only this user may
/// write to.
///
/// # Errors
/// [`Error::Absent`]; [`Error::Untrusted`]; the system's error.
pub(crate) fn check_home(dir: &Path) -> Result<(), Error> {
    check_private(dir, fs::metadata(dir))
}

/// Checks that `dir` is a directory that only this user may write to, and no link to one.
///
/// # Errors
/// [`Error::Absent`]; [`Error::Untrusted`]; the system's error.
pub(crate) fn check_index(dir: &Path) -> Result<(), Error> {
    check_private(dir, fs::symlink_metadata(dir))
}

fn check_private(dir: &Path, metadata: io::Result<fs::Metadata>) -> Result<(), Error> {
    let metadata = match metadata {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::Absent),
        metadata => metadata.at(dir)?,
    };
    if !metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory)).at(dir);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != unix::user() || metadata.mode() & 0o022 != 0 {
            return Err(Error::Untrusted.at(dir));
        }
    }
    Ok(())
}

/// Creates the directory `dir` in the directory `home`, and those above, and checks all. Only their
/// owner may enter `dir` and `home`.
///
/// # Errors
/// [`Error::Untrusted`]; the system's error.
pub(crate) fn create_private(home: &Path, dir: &Path) -> Result<(), Error> {
    check_above(home)?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(home).at(home)?;
    check_home(home)?;
    check_above(home)?;
    match check_index(dir) {
        Err(Error::Absent) => {
            builder.create(dir).at(dir)?;
            check_index(dir)
        }
        checked => checked,
    }
}

/// Checks the directories above `path` as far as they exist, and the links in it: only this user
/// and root can put another directory in the place of one on the way.
///
/// # Errors
/// [`Error::Untrusted`]; the system's error.
pub(crate) fn check_above(path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    unix::check_above(&std::path::absolute(path).at(path)?)?;
    // Elsewhere the directories above are the user's or the system's.
    let _ = path;
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::{
        ffi::OsString,
        fs::Metadata,
        os::unix::fs::MetadataExt,
        path::{Component, Path, PathBuf},
    };

    use super::{AtPath, Error, fs, io};

    /// The most links that the system follows in a path (Linux).
    const MAX_LINKS: usize = 40;
    /// What others may do in a directory with this bit: create, but neither rename nor remove what
    /// is not theirs.
    const STICKY: u32 = 0o1000;
    /// The number of the user and of the group that may do anything on most systems.
    const ROOT: u32 = 0;
    /// The user that Linux reports for those who have no number in this user namespace.
    const OVERFLOW: u32 = 65534;

    pub(super) fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    pub(super) fn check_above(path: &Path) -> Result<(), Error> {
        let mut links = 0;
        let mut reached = PathBuf::from("/");
        let mut ahead = names(path);
        while let Some(name) = ahead.pop() {
            if name == ".." {
                reached.pop();
                continue;
            }
            check_dir(&reached)?;
            let next = reached.join(name);
            let metadata = match fs::symlink_metadata(&next) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                metadata => metadata.at(&next)?,
            };
            if !metadata.is_symlink() {
                reached = next;
                continue;
            }
            links += 1;
            if !is_owner_trusted(&metadata) || links > MAX_LINKS {
                return Err(Error::Untrusted.at(&next));
            }
            let target = fs::read_link(&next).at(&next)?;
            if target.is_absolute() {
                reached = PathBuf::from("/");
            }
            ahead.extend(names(&target));
        }
        Ok(())
    }

    /// The names in a path, the first one last.
    fn names(path: &Path) -> Vec<OsString> {
        let name = |component: Component<'_>| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        };
        path.components().rev().filter_map(name).collect()
    }

    fn check_dir(dir: &Path) -> Result<(), Error> {
        let metadata = fs::symlink_metadata(dir).at(dir)?;
        match is_owner_trusted(&metadata) && !may_others_exchange(&metadata) {
            true => Ok(()),
            false => Err(Error::Untrusted.at(dir)),
        }
    }

    fn is_owner_trusted(metadata: &Metadata) -> bool {
        let owner = metadata.uid();
        owner == ROOT || owner == user() || (owner == OVERFLOW && !knows_all_users())
    }

    /// Whether users other than the owner and root may rename what is in a directory. A group with
    /// the number of its only user, which many systems create, has no others.
    fn may_others_exchange(dir: &Metadata) -> bool {
        let is_private = dir.gid() == ROOT || dir.gid() == user();
        let writers = if is_private { 0o002 } else { 0o022 };
        dir.mode() & writers != 0 && dir.mode() & STICKY == 0
    }

    /// Whether every user has a number in this process' user namespace. In a container, root of the
    /// host may have none, who owns the directories that it has lent.
    fn knows_all_users() -> bool {
        let Ok(map) = fs::read_to_string("/proc/self/uid_map") else { return true };
        map.split_ascii_whitespace().eq(["0", "0", "4294967295"])
    }
}
