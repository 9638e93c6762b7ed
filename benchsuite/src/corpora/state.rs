//! A corpus in its directory: made, counted, opened.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{self, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::corpora::catalog::{self, CatalogEntry};
use crate::corpora::order::{Order, SAMPLE_NAME, Wish};
use crate::corpora::place::{check_room, command, file_system, size};
use crate::corpora::shape::Shape;
use crate::corpora::tree::{make_directory, make_repository};
use crate::files::{explain, notice};

/// Where a corpus of the catalogue lies: its entry, and the directory with all corpora.
#[derive(Clone, Copy, Debug)]
pub(super) struct CorpusPlace<'a> {
    pub(super) dir: &'a Path,
    pub(super) entry: &'static CatalogEntry,
}

impl CorpusPlace<'_> {
    fn corpus(self) -> PathBuf {
        self.dir.join(&self.entry.name)
    }

    /// How directories are named in which the corpus is being made: they begin with this.
    fn partial_prefix(self) -> String {
        format!("{}.partial", self.entry.name)
    }

    /// The directories in which the corpus is being made, by a process that still runs or was
    /// killed.
    pub(super) fn partials(self) -> Vec<PathBuf> {
        let prefix = self.partial_prefix();
        let entries = fs::read_dir(self.dir).into_iter().flatten().flatten();
        let ours = entries.filter(|one| one.file_name().to_string_lossy().starts_with(&prefix));
        ours.map(|entry| entry.path()).collect()
    }

    /// What the corpus holds, if it is there.
    pub(super) fn shape(self) -> io::Result<Option<Shape>> {
        let path = self.corpus();
        let is_there = fs::exists(&path).map_err(|error| explain(&path, &error))?;
        is_there.then(|| Shape::of(&path)).transpose()
    }

    /// Makes the corpus in a temporary directory beside its place, and replaces the one that is
    /// there once it is whole. If that fails, the old one stays.
    pub(super) fn make(self, wish: &Wish) -> io::Result<Shape> {
        let CorpusPlace { dir, entry } = self;
        let CatalogEntry { name, bytes, inodes, .. } = entry;
        make_directory(dir)?;
        // An attempt that was killed has left its files behind.
        for rest in self.partials() {
            fs::remove_dir_all(&rest).map_err(|error| explain(&rest, &error))?;
        }
        // A copy by hard links needs next to no room.
        if wish.from.is_none() {
            check_room(dir, wish.scaled(*bytes), wish.scaled(*inodes))
                .map_err(|error| explain(name.as_ref(), &error))?;
        }
        let temp = tempfile::Builder::new().prefix(&self.partial_prefix()).tempdir_in(dir)?;
        let order = Order { dir, target: &temp.path().join("corpus"), wish };
        let made = self.finish(&order).map_err(|error| match error.kind() {
            ErrorKind::StorageFull => {
                let why = format!("{error}; {name} takes about {}", size(*bytes));
                io::Error::new(ErrorKind::StorageFull, why)
            }
            _ => error,
        })?;
        temp.close().map(|()| made)
    }

    /// Makes it, and moves it to its place.
    fn finish(self, order: &Order<'_>) -> io::Result<Shape> {
        self.entry.make(order)?;
        if order.target.is_dir() {
            make_repository(order.target)?;
        }
        let shape = Shape::of(order.target)?;
        // The old one is removed together with the temporary directory.
        let (place, old) = (self.corpus(), order.target.with_file_name("old"));
        if place.symlink_metadata().is_ok() {
            fs::rename(&place, &old).map_err(|error| explain(&place, &error))?;
        }
        fs::rename(order.target, &place).map_err(|error| {
            let _ = fs::rename(&old, &place);
            explain(&place, &error)
        })?;
        Ok(shape)
    }
}

/// A tree or file to be searched, counted when it is opened; or a synthetic load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    /// An absolute path, which a record does not contain.
    #[serde(skip)]
    pub(crate) path: PathBuf,
    /// What a tree or file holds.
    pub(crate) shape: Shape,
    /// The type of its file system, where the system reports it: `ext4`.
    pub(crate) file_system: Option<String>,
    /// What a synthetic load shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) about: String,
    /// How the harness of the published document differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_published: Option<String>,
}

impl Corpus {
    /// Whether it is a single file.
    pub(crate) fn is_file(&self) -> bool {
        self.shape.directories == 0
    }
}

/// Opens the corpus `name` in `dir`; the sample is made if it is missing. Any other that is missing
/// is an error that contains the remedy.
pub(crate) fn open(dir: &Path, name: &str) -> io::Result<Corpus> {
    let dir = &path::absolute(dir)?;
    let place = CorpusPlace { dir, entry: catalog::find(name)? };
    let corpus = place.corpus();
    if !fs::exists(&corpus).map_err(|error| explain(&corpus, &error))? {
        if name != SAMPLE_NAME {
            let state = if place.partials().is_empty() { "not" } else { "half made" };
            let remedy = command(dir, &format!("make {name}"));
            let why = format!("{name}: {state} in {}; to make it: {remedy}", dir.display());
            return Err(io::Error::other(why));
        }
        notice(&format!("making the corpus sample in {}", dir.display()))?;
        place.make(&Wish::default())?;
    }
    Ok(Corpus { name: name.to_owned(), ..at(&corpus)? })
}

/// Opens a tree or file.
pub(crate) fn at(path: &Path) -> io::Result<Corpus> {
    let path = path.canonicalize().map_err(|error| explain(path, &error))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let (shape, file_system) = (Shape::of(&path)?, file_system(&path));
    Ok(Corpus { name, path, shape, file_system, ..Corpus::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_system_has_a_type() {
        assert_eq!(file_system(Path::new("/proc")).as_deref(), Some("proc"));
        assert_eq!(file_system(Path::new("/no/such/place")), None);
    }
}
