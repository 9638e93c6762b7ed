//! The trees and files that are searched: listed, made, checked and opened.
//!
//! | module | what it does |
//! |---|---|
//! | [`catalog`] | the table of corpora |
//! | [`sample`], [`zipped`], [`generated`], [`linux`], [`packages`], [`big`] | their recipes |
//! | [`copy`] | takes a tree the user has |
//! | [`making`] | what all recipes share: room, a place to work, git, a note of what was made |
//! | [`manifest`], [`shape`] | that note; what a tree holds |
//! | [`state`] | compares both |
//! | [`commands`] | `benchsuite corpora` |
//! | [`place`] | directories and file systems |

mod big;
mod catalog;
mod commands;
mod copy;
mod generated;
mod linux;
mod making;
mod manifest;
mod packages;
mod place;
mod sample;
mod shape;
mod state;
#[cfg(test)]
mod tests;
mod zipped;

use std::{
    io,
    path::{self, Path, PathBuf},
};

use crate::files::explain;

use catalog::SAMPLE;
use making::Wish;
use state::State;

pub(crate) use commands::{Options, run};
pub(crate) use place::home;
pub(crate) use shape::Shape;

/// A tree or file to be searched.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    /// Its name in tables.
    pub(crate) name: String,
    /// Where it is, from the root.
    pub(crate) path: PathBuf,
    /// What it holds, counted when it was opened.
    pub(crate) shape: Shape,
    /// The type of its file system, where the system says: `ext4`.
    pub(crate) file_system: Option<String>,
}

impl Corpus {
    /// Whether it is a single file.
    pub(crate) fn is_file(&self) -> bool {
        self.shape.directories == 0
    }

    fn new(name: String, path: PathBuf, shape: Shape) -> Corpus {
        let file_system = place::file_system(&path);
        Corpus { name, path, shape, file_system }
    }
}

/// Opens the corpus `name` in `dir`, after counting that all of it is there. The sample is made if
/// it is missing.
///
/// # Errors
///
/// There is no such corpus, or it is missing, half made, or not what its manifest says; the message
/// says what to type.
pub(crate) fn open(dir: &Path, name: &str) -> io::Result<Corpus> {
    open_scaled(dir, name, catalog::WHOLE)
}

/// The same, but if it has to be made it is made of that size, in thousandths.
fn open_scaled(dir: &Path, name: &str, scale: u64) -> io::Result<Corpus> {
    let entry = catalog::find(name)?;
    let dir = &path::absolute(dir)?;
    let mut state = State::of(dir, entry)?;
    if matches!(state, State::Missing | State::HalfMade) && name == SAMPLE {
        packages::say(&format!("making the corpus sample in {}", dir.display()))?;
        making::make(dir, entry, Wish { scale, ..Wish::default() })?;
        state = State::of(dir, entry)?;
    }
    let advice = state.advice(dir, entry);
    let shape = state.into_shape(dir, entry)?;
    if let Some(advice) = advice {
        packages::say(&format!("warning: {name}: {advice}"))?;
    }
    let path = dir.join(name);
    let path = path.canonicalize().map_err(|error| explain(&path, &error))?;
    Ok(Corpus::new(name.to_owned(), path, shape))
}

/// Opens a tree or file of the user's own.
///
/// # Errors
///
/// As the system says, with the path.
pub(crate) fn at(path: &Path) -> io::Result<Corpus> {
    let whole = path.canonicalize().map_err(|error| explain(path, &error))?;
    let name = whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned();
    let shape = Shape::of(&whole)?;
    Ok(Corpus::new(name, whole, shape))
}

/// What is to be typed to do something about corpora in `dir`: `make linux`.
fn command(dir: &Path, what: &str) -> String {
    let is_home = home().is_ok_and(|home| home == dir);
    let place = if is_home { String::new() } else { format!(" --dir {}", quoted(dir)) };
    format!("benchsuite corpora {what}{place}")
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    shlex::try_quote(&path).map_or_else(|_| path.to_string(), Into::into)
}
