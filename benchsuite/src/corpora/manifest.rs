//! The note beside a corpus about what was made, and whether the corpus still equals it.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::corpora::catalog::Entry;
use crate::corpora::place::{command, partials};
use crate::corpora::shape::Shape;
use crate::files::{explain, write_whole};

/// `NAME.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) name: String,
    /// The version of the recipe, or [`ADOPTED`](Manifest::ADOPTED).
    pub(super) version: u32,
    /// A package with its version, a directory, or the recipe alone.
    pub(super) origin: String,
    /// The seed of its random parts, if it has any.
    pub(super) seed: Option<u64>,
    /// When it was made or adopted, in UTC: `2026-03-02 14:05`.
    pub(super) date: String,
    /// What it held then.
    pub(super) shape: Shape,
}

impl Manifest {
    /// The version of a corpus that no recipe has made.
    pub(super) const ADOPTED: u32 = 0;

    pub(super) fn path(dir: &Path, name: &str) -> PathBuf {
        dir.join(format!("{name}.json"))
    }

    /// Reads the manifest of the corpus `name`; `None` if there is none.
    fn read(dir: &Path, name: &str) -> io::Result<Option<Manifest>> {
        let path = Manifest::path(dir, name);
        match fs::read_to_string(&path) {
            Ok(text) => {
                serde_json::from_str(&text).map(Some).map_err(|error| explain(&path, &error.into()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(explain(&path, &error)),
        }
    }

    pub(super) fn write(&self, dir: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_whole(&Manifest::path(dir, &self.name), text.as_bytes())
    }
}

/// The state of a corpus.
#[derive(Clone, Debug)]
pub(super) enum State {
    Missing,
    /// It was begun, and is still being made or never will be.
    HalfMade,
    /// It exists without a manifest.
    Unknown(Shape),
    /// It holds what its manifest describes.
    Ready(Manifest),
    /// It holds something else.
    Changed(Shape, Manifest),
}

impl State {
    /// Counts the corpus and compares it with its manifest.
    pub(super) fn of(dir: &Path, entry: &Entry) -> io::Result<State> {
        let path = dir.join(entry.name);
        match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let is_begun = !partials(dir, entry.name).is_empty();
                return Ok(if is_begun { State::HalfMade } else { State::Missing });
            }
            Err(error) => return Err(explain(&path, &error)),
            Ok(_) => {}
        }
        let manifest = Manifest::read(dir, entry.name)?;
        let shape = Shape::of(&path)?;
        Ok(match manifest {
            None => State::Unknown(shape),
            Some(manifest) if manifest.shape == shape => State::Ready(manifest),
            Some(manifest) => State::Changed(shape, manifest),
        })
    }

    /// One or two words.
    pub(super) fn name(&self) -> &'static str {
        match self {
            State::Missing => "missing",
            State::HalfMade => "half-made",
            State::Unknown(_) => "no manifest",
            State::Ready(_) => "ready",
            State::Changed(..) => "changed",
        }
    }

    /// What the corpus holds.
    pub(super) fn shape(&self) -> Option<&Shape> {
        match self {
            State::Missing | State::HalfMade => None,
            State::Ready(manifest) => Some(&manifest.shape),
            State::Unknown(shape) | State::Changed(shape, _) => Some(shape),
        }
    }

    /// What the corpus holds, if it may be searched; otherwise the error is the
    /// [`advice`](State::advice).
    pub(super) fn into_shape(self, dir: &Path, entry: &Entry) -> io::Result<Shape> {
        match self {
            State::Ready(manifest) => Ok(manifest.shape),
            State::Unknown(shape) => Ok(shape),
            State::Missing | State::HalfMade | State::Changed(..) => {
                let advice = self.advice(dir, entry).unwrap_or_default();
                Err(io::Error::other(format!("{}: {advice}", entry.name)))
            }
        }
    }

    /// What is wrong with it and the command that repairs it; `None` if nothing is.
    pub(super) fn advice(&self, dir: &Path, entry: &Entry) -> Option<String> {
        let name = entry.name;
        let remedy = |what: &str| command(dir, &format!("{what} {name}"));
        let dir_name = dir.display();
        Some(match self {
            State::Missing => format!("not in {dir_name}; to make it: {}", remedy("make")),
            State::HalfMade => {
                format!("half made in {dir_name}; to begin anew: {}", remedy("make"))
            }
            State::Unknown(_) => {
                let why = "no manifest describes what it should hold";
                format!("{why}; to take it as it is: {}", remedy("check --adopt"))
            }
            State::Ready(made) if [entry.version, Manifest::ADOPTED].contains(&made.version) => {
                return None;
            }
            State::Ready(manifest) => format!(
                "made by version {} of its recipe, which is at {}: what is measured on it compares \
                 with nothing newer; to make it anew: {}",
                manifest.version,
                entry.version,
                remedy("make --again")
            ),
            State::Changed(shape, manifest) => {
                let difference = shape.difference(&manifest.shape);
                format!(
                    "changed since {}: {}; to make it anew: {}; to take it as it is, remove {} and \
                     adopt it",
                    manifest.date,
                    difference.unwrap_or_else(|| "not what its manifest describes".to_owned()),
                    remedy("make --again"),
                    Manifest::path(dir, name).display()
                )
            }
        })
    }
}
