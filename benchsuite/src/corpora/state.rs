//! How a corpus is: there, whole, and as it was made?

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use crate::{
    corpora::{catalog::Entry, command, manifest::Manifest, place::beside, shape::Shape},
    files::explain,
};

/// How a corpus is.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// It is not there.
    Missing,
    /// It was begun, and is still being made or never will be.
    HalfMade,
    /// It is there, and nothing says what should be.
    Unknown {
        /// What it holds.
        shape: Shape,
    },
    /// It holds what its manifest says.
    Ready {
        /// What was made.
        manifest: Manifest,
    },
    /// It does not.
    Changed {
        /// What it holds.
        shape: Shape,
        /// What was made.
        manifest: Manifest,
    },
}

impl State {
    /// Counts the corpus, and compares.
    ///
    /// # Errors
    ///
    /// It cannot be read, nor its manifest; with the path.
    pub(super) fn of(dir: &Path, entry: &Entry) -> io::Result<State> {
        let path = dir.join(entry.name);
        if !exists(&path)? {
            let half = exists(&beside(dir, entry.name, "partial"))?;
            return Ok(if half { State::HalfMade } else { State::Missing });
        }
        let manifest = Manifest::read(dir, entry.name)?;
        let shape = Shape::of(&path)?;
        Ok(match manifest {
            None => State::Unknown { shape },
            Some(manifest) if manifest.shape == shape => State::Ready { manifest },
            Some(manifest) => State::Changed { shape, manifest },
        })
    }

    /// It in one or two words.
    pub(super) fn name(&self) -> &'static str {
        match self {
            State::Missing => "missing",
            State::HalfMade => "half-made",
            State::Unknown { .. } => "no manifest",
            State::Ready { .. } => "ready",
            State::Changed { .. } => "changed",
        }
    }

    /// What is there.
    pub(super) fn shape(&self) -> Option<&Shape> {
        match self {
            State::Missing | State::HalfMade => None,
            State::Ready { manifest } => Some(&manifest.shape),
            State::Unknown { shape } | State::Changed { shape, .. } => Some(shape),
        }
    }

    /// What is there, if it may be searched.
    ///
    /// # Errors
    ///
    /// It may not; the message is that of [`advice`](State::advice).
    pub(super) fn into_shape(self, dir: &Path, entry: &Entry) -> io::Result<Shape> {
        match self {
            State::Ready { manifest } => Ok(manifest.shape),
            State::Unknown { shape } => Ok(shape),
            State::Missing | State::HalfMade | State::Changed { .. } => {
                let advice = self.advice(dir, entry).unwrap_or_default();
                Err(io::Error::other(format!("{}: {advice}", entry.name)))
            }
        }
    }

    /// What is the matter with it and what is to be typed about that, unless it is as it should be.
    pub(super) fn advice(&self, dir: &Path, entry: &Entry) -> Option<String> {
        let name = entry.name;
        match self {
            State::Missing => {
                let remedy = command(dir, &format!("make {name}"));
                Some(format!("not in {}; to make it: {remedy}", dir.display()))
            }
            State::HalfMade => {
                let remedy = command(dir, &format!("make {name}"));
                Some(format!("half made in {}; to begin anew: {remedy}", dir.display()))
            }
            State::Unknown { .. } => {
                let remedy = command(dir, &format!("check --adopt {name}"));
                Some(format!("no manifest says what it should hold; to take it as it is: {remedy}"))
            }
            State::Ready { manifest } if is_of_now(manifest, entry) => None,
            State::Ready { manifest } => {
                let remedy = command(dir, &format!("make --again {name}"));
                Some(format!(
                    "made by version {} of its recipe, which is at {}: what is measured on it \
                     compares with nothing newer; to make it anew: {remedy}",
                    manifest.version, entry.version
                ))
            }
            State::Changed { shape, manifest } => {
                let difference = shape
                    .difference(&manifest.shape)
                    .unwrap_or_else(|| "not what its manifest says".to_owned());
                let again = command(dir, &format!("make --again {name}"));
                let path = Manifest::path(dir, name);
                Some(format!(
                    "changed since {}: {difference}; to make it anew: {again}; to take it as it \
                     is, remove {} and adopt it",
                    manifest.date,
                    path.display()
                ))
            }
        }
    }
}

/// Whether today's recipe would make the same. What was adopted was made by none.
fn is_of_now(manifest: &Manifest, entry: &Entry) -> bool {
    manifest.version == entry.version || manifest.version == Manifest::ADOPTED
}

/// Whether there is something of that name; a link that leads nowhere is nothing.
fn exists(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(explain(path, &error)),
    }
}
