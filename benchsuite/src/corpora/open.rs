//! A corpus for a session, counted when it is opened.

use std::{
    io,
    path::{self, Path, PathBuf},
};

use crate::corpora::catalog;
use crate::corpora::making;
use crate::corpora::manifest::State;
use crate::corpora::order::{SAMPLE, WHOLE, Wish};
use crate::corpora::place::file_system;
use crate::corpora::shape::Shape;
use crate::files::{explain, notice};

/// A tree or file to be searched.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    /// An absolute path.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) shape: Shape,
    /// The type of its file system, where the system reports it: `ext4`.
    pub(crate) file_system: Option<String>,
}

impl Corpus {
    /// Whether it is a single file.
    pub(crate) fn is_file(&self) -> bool {
        self.shape.directories == 0
    }

    fn new(name: String, path: PathBuf, shape: Shape) -> Corpus {
        let file_system = file_system(&path);
        Corpus { name, path, shape, file_system }
    }
}

/// Opens the corpus `name` in `dir`; the sample is made if it is missing. A corpus that is missing,
/// half made or not what its manifest describes is an error that contains the remedy.
pub(crate) fn open(dir: &Path, name: &str) -> io::Result<Corpus> {
    open_scaled(dir, name, WHOLE)
}

/// Opens a corpus; if it has to be made, it is made of that size, in thousandths.
pub(super) fn open_scaled(dir: &Path, name: &str, scale: u64) -> io::Result<Corpus> {
    let entry = catalog::find(name)?;
    let dir = &path::absolute(dir)?;
    let mut state = State::of(dir, entry)?;
    if matches!(state, State::Missing | State::HalfMade) && name == SAMPLE {
        notice(&format!("making the corpus sample in {}", dir.display()))?;
        making::make(dir, entry, Wish { scale, ..Wish::default() })?;
        state = State::of(dir, entry)?;
    }
    let advice = state.advice(dir, entry);
    let shape = state.into_shape(dir, entry)?;
    if let Some(advice) = advice {
        notice(&format!("warning: {name}: {advice}"))?;
    }
    let path = dir.join(name);
    let path = path.canonicalize().map_err(|error| explain(&path, &error))?;
    Ok(Corpus::new(name.to_owned(), path, shape))
}

/// Opens a tree or file of the user's own.
pub(crate) fn at(path: &Path) -> io::Result<Corpus> {
    let whole = path.canonicalize().map_err(|error| explain(path, &error))?;
    let name = whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned();
    let shape = Shape::of(&whole)?;
    Ok(Corpus::new(name, whole, shape))
}
