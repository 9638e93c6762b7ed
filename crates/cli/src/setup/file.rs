//! The file that is changed: it is read once, and replaced as a whole.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::change::Change;
use crate::sys;

/// The largest file that is changed, in bytes. No agent reads instructions that are longer.
const MAX_BYTES: u64 = 4 << 20;

/// A file, and what it contains.
pub(super) struct Target {
    /// The path as it is reported.
    name: String,
    /// The directory that the file may not lie outside of.
    dir: PathBuf,
    /// The file itself, if the path is a link.
    path: PathBuf,
    /// The contents and what else is kept; `None` if there is no such file.
    found: Option<(Vec<u8>, fs::Metadata)>,
}

impl Target {
    /// Reads the file at `path` below `dir`, which is canonical. There need not be one.
    ///
    /// # Errors
    /// The path leads out of `dir`, is no regular file, or cannot be read.
    pub(super) fn open(dir: &Path, path: &str) -> Result<Target, String> {
        let below = dir.join(path);
        let (mut name, dir) = (path.to_owned(), dir.to_owned());
        match below.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = below.ancestors().skip(1).find(|parent| parent.exists());
                within(&dir, parent.unwrap_or(&dir))?;
                return Ok(Target { name, dir, path: below, found: None });
            }
            Err(error) => return Err(error.to_string()),
            Ok(_) => {}
        }
        let real = within(&dir, &below)?;
        if real != below {
            let shown = real.strip_prefix(&dir).unwrap_or(&real).display();
            name = format!("{path} (which is {shown})");
        }
        let metadata = real.metadata().map_err(|error| error.to_string())?;
        if !metadata.is_file() {
            return Err("not changed: it is no regular file".to_owned());
        }
        if metadata.len() > MAX_BYTES {
            return Err(format!("not changed: it has more than {MAX_BYTES} bytes"));
        }
        let text = fs::read(&real).map_err(|error| error.to_string())?;
        Ok(Target { name, dir, path: real, found: Some((text, metadata)) })
    }

    /// The path, and where it leads.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What the file contains; `None` if there is none.
    pub(super) fn text(&self) -> Option<&[u8]> {
        self.found.as_ref().map(|(text, _)| text.as_slice())
    }

    /// Changes the file at once: other programs see it before or after the change.
    ///
    /// # Errors
    /// The file is write-protected or has changed since it was read, or the system refuses.
    pub(super) fn apply(&self, change: Change) -> Result<(), String> {
        if self.found.as_ref().is_some_and(|(_, metadata)| metadata.permissions().readonly()) {
            return Err("not changed: it is write-protected".to_owned());
        }
        match change {
            Change::None => Ok(()),
            Change::Write(text) => self.replace(&text),
            Change::Remove => {
                self.check()?;
                fs::remove_file(&self.path).map_err(|error| error.to_string())?;
                self.remove_empty_dirs();
                Ok(())
            }
        }
    }

    fn replace(&self, text: &[u8]) -> Result<(), String> {
        let failed = |error: io::Error| format!("cannot be written: {error}");
        let parent = self.path.parent().unwrap_or(&self.dir);
        fs::create_dir_all(parent).map_err(failed)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".hs-setup-");
        let permissions = self.found.as_ref().map(|(_, metadata)| metadata.permissions());
        let mut new = sys::temporary_file(&mut builder, parent).map_err(failed)?;
        new.write_all(text).map_err(failed)?;
        if let Some((_, metadata)) = &self.found {
            sys::keep_owner(new.as_file(), metadata);
        }
        if let Some(permissions) = permissions {
            new.as_file().set_permissions(permissions).map_err(failed)?;
        }
        new.as_file().sync_all().map_err(failed)?;
        self.check()?;
        match self.found {
            Some(_) => new.persist(&self.path),
            None => new.persist_noclobber(&self.path),
        }
        .map(drop)
        .map_err(|error| failed(error.error))
    }

    /// Fails if the file is not what was read.
    fn check(&self) -> Result<(), String> {
        let is_same = match (fs::read(&self.path), self.text()) {
            (Ok(now), Some(text)) => now == text,
            (Err(error), None) => error.kind() == io::ErrorKind::NotFound,
            _ => false,
        };
        match is_same {
            true => Ok(()),
            false => Err("not changed: another program has changed it meanwhile".to_owned()),
        }
    }

    /// Removes the directories that led to the file alone.
    fn remove_empty_dirs(&self) {
        let parents = self.path.ancestors().skip(1).take_while(|parent| **parent != *self.dir);
        for parent in parents {
            // One that is not empty is not removed.
            if fs::remove_dir(parent).is_err() {
                break;
            }
        }
    }
}

/// The path without links.
///
/// # Errors
/// The path does not lie in `dir`, or leads nowhere.
fn within(dir: &Path, path: &Path) -> Result<PathBuf, String> {
    let real = fs::canonicalize(path).map_err(|error| error.to_string())?;
    match real.starts_with(dir) {
        true => Ok(real),
        false => Err(format!("not changed: it leads out of this directory, to {}", real.display())),
    }
}
