//! The indexes for `benchsuite index`: every state of `hs` has its own cache, one without an index,
//! one with it, one with an index and a process that watches the tree. The user's indexes take no
//! part.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::files::explain;
use crate::process::{self, Failure};
use crate::record::{HEIST, INDEXED, WATCHED};
use crate::suite::tools::{Installed, indexed};

/// What `hs` takes its directory of indexes from.
const CACHE: &str = "XDG_CACHE_HOME";

/// An index does not cover a file that changed just before it was read; this is long enough before.
const SETTLED: Duration = Duration::from_millis(150);

/// How long an update of an index may take. Only a hang takes longer.
const INDEX_TIMEOUT: Duration = Duration::from_secs(600);

/// What happens before each run of a row that updates an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// The index is removed.
    Remove,
    /// This many files, at most all, get a new time of change; 0 changes none.
    Change(usize),
}

/// The caches, which are removed at the end.
#[derive(Debug)]
pub(crate) struct Indexes {
    heist: Installed,
    caches: TempDir,
    /// The trees that are watched, or why one is not.
    watched: RefCell<BTreeMap<PathBuf, Result<(), String>>>,
    /// The files of each tree that an index covers.
    files: RefCell<BTreeMap<PathBuf, Vec<PathBuf>>>,
}

impl Indexes {
    /// Empty caches for these states of `hs`.
    pub(crate) fn of(heist: &Installed) -> io::Result<Indexes> {
        let caches = tempfile::Builder::new().prefix("benchsuite-index").tempdir()?;
        let (watched, files) = Default::default();
        Ok(Indexes { heist: heist.clone(), caches, watched, files })
    }

    /// `hs` without an index, and then with one, and watched.
    pub(crate) fn tools(&self) -> [Installed; 3] {
        let [with, watched] = indexed();
        [self.heist.rival, with, watched].map(|rival| {
            let environment = vec![(CACHE, self.cache(&rival.name))];
            Installed { rival, environment, ..self.heist.clone() }
        })
    }

    fn cache(&self, tool: &str) -> PathBuf {
        self.caches.path().join(tool.replace(' ', "-"))
    }

    /// `hs` with the cache of `tool`.
    fn command(&self, tool: &str, arguments: &str, tree: &Path) -> Command {
        let mut command = Command::new(&self.heist.program);
        command.args(arguments.split(' ')).arg("./").current_dir(tree);
        command.envs(process::NO_CHOICES).env(CACHE, self.cache(tool));
        command
    }

    /// Runs `hs` with the cache of `tool`, and returns what it prints.
    fn run(&self, tool: &str, arguments: &str, tree: &Path) -> Result<Vec<u8>, Failure> {
        let mut command = self.command(tool, arguments, tree);
        let ended =
            process::run(&mut command, b"", INDEX_TIMEOUT).map_err(|failure| match failure {
                Failure::Interrupted => failure,
                _ => Failure::Fault(format!("hs {arguments}: {failure}")),
            })?;
        if ended.status.success() {
            return Ok(ended.output);
        }
        let last = ended.last_words();
        Err(Failure::Fault(format!("hs {arguments}: {}: {last}", ended.status)))
    }

    /// Brings the indexes of `tree` up to date, and starts a process that watches the tree. Returns
    /// the error if that process did not start.
    ///
    /// # Errors
    /// There is no index, or the user stopped the session.
    pub(crate) fn prepare(&self, tree: &Path) -> Result<Option<String>, Failure> {
        self.run(INDEXED, "--index-update", tree)?;
        self.run(WATCHED, "--index-update", tree)?;
        let mut watched = self.watched.borrow_mut();
        if !watched.contains_key(tree) {
            let state = match self.run(WATCHED, "--index-watch", tree) {
                Ok(_) => Ok(()),
                Err(Failure::Interrupted) => return Err(Failure::Interrupted),
                Err(failure) => Err(failure.to_string()),
            };
            watched.insert(tree.to_owned(), state);
        }
        Ok(watched[tree].as_ref().err().cloned())
    }

    /// Does what comes before a run.
    pub(crate) fn before(&self, before: Before, tree: &Path) -> Result<(), Failure> {
        let count = match before {
            Before::Remove => {
                return match fs::remove_dir_all(self.cache(INDEXED)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        Err(Failure::of(error))
                    }
                    _ => Ok(()),
                };
            }
            Before::Change(0) => return Ok(()),
            Before::Change(count) => count,
        };
        let mut files = self.files.borrow_mut();
        if !files.contains_key(tree) {
            files.insert(tree.to_owned(), self.files(tree)?);
        }
        let files = &files[tree];
        let step = (files.len() / count).max(1);
        for file in files.iter().step_by(step).take(count) {
            touch(&tree.join(file)).map_err(|error| Failure::of(explain(file, &error)))?;
        }
        thread::sleep(SETTLED);
        Ok(())
    }

    fn files(&self, tree: &Path) -> Result<Vec<PathBuf>, Failure> {
        let listed = self.run(HEIST, "--files -0", tree)?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let mut files: Vec<PathBuf> =
            names.map(|name| OsString::from_vec(name.to_vec()).into()).collect();
        files.sort();
        Ok(files)
    }

    /// The bytes of the index that rows update.
    pub(crate) fn size(&self) -> io::Result<u64> {
        size(&self.cache(INDEXED))
    }
}

impl Drop for Indexes {
    fn drop(&mut self) {
        for (tree, state) in self.watched.get_mut().clone() {
            if state.is_ok() {
                // After an interrupt, `process::run` starts nothing. A process ends by itself when
                // its index is gone.
                let _ = self.command(WATCHED, "--index-unwatch", &tree).output();
            }
        }
    }
}

/// Gives a file a new time of change, and changes nothing else.
fn touch(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, fs::symlink_metadata(file)?.permissions())
}

/// The bytes of all files below `directory`.
fn size(directory: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let found = entry.metadata()?;
        sum += if found.is_dir() { size(&entry.path())? } else { found.len() };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_touched_file_has_another_time_of_change_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs::write(&file, "text").unwrap();
        let stamp = || {
            let found = fs::metadata(&file).unwrap();
            let changed = (found.ctime(), found.ctime_nsec());
            (changed, (found.mtime(), found.mtime_nsec(), found.mode(), found.len()))
        };
        let (changed, others) = stamp();
        thread::sleep(Duration::from_millis(20));
        touch(&file).unwrap();
        let later = stamp();
        assert!(later.0 > changed);
        assert_eq!(later.1, others);
        assert_eq!(size(temp.path()).unwrap(), 4);
    }
}
