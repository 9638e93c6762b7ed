//! A writer's lock, which the system releases if the process ends in whatever way.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read, Seek, Write},
    path::Path,
};

use crate::error::{AtPath, Error};

/// The lock file's name.
pub(crate) const NAME: &str = "lock";

/// Keeps an index's other writers away, as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the index in `dir`.
    ///
    /// # Errors
    /// [`Error::Busy`] at once if another process has locked it.
    pub(crate) fn acquire(dir: &Path) -> Result<Lock, Error> {
        let path = dir.join(NAME);
        loop {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            // What it would lead to is overwritten.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::custom_flags(
                &mut options,
                rustix::fs::OFlags::NOFOLLOW.bits() as i32,
            );
            let opened = options.open(&path);
            let mut file = opened.at(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Error::Busy(owner(file)).at(dir)),
                Err(TryLockError::Error(error)) => return Err(error).at(&path),
            }
            // The file may have been removed with its index since it was opened.
            if !is_same(&file, &path).at(&path)? {
                continue;
            }
            let id = std::process::id().to_string();
            let written = file.set_len(0).and_then(|()| file.write_all(id.as_bytes()));
            // Who holds it is only for messages: a full disk is reported by what needs room.
            drop(written);
            return Ok(Lock { file });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would not do: a process that another thread is about to start has a copy
        // of the descriptor until it runs its program, and keeps the lock so long.
        let _ = self.file.unlock();
    }
}

/// The process that has written its number to the file.
fn owner(mut file: File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
    text.parse().ok()
}

/// Whether `file` is the one at `path`.
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let there = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            there => there?,
        };
        let here = file.metadata()?;
        Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    {
        // An open file cannot be removed.
        let _ = (file, fs::metadata(path)?);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_learns_who_the_first_one_is() {
        let temp = tempfile::tempdir().unwrap();
        let lock = Lock::acquire(temp.path()).unwrap();
        let Err(Error::At(path, error)) = Lock::acquire(temp.path()) else {
            panic!("locked twice")
        };
        assert_eq!(path, temp.path());
        assert!(matches!(*error, Error::Busy(Some(id)) if id == std::process::id()));
        // As a process has it that is being started.
        let copy = lock.file.try_clone().unwrap();
        drop(lock);
        Lock::acquire(temp.path()).unwrap();
        drop(copy);
    }
}
