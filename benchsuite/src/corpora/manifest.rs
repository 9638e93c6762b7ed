//! The note beside a corpus that says what was made, so that a tree that was changed since is
//! noticed.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    corpora::{place::beside, shape::Shape},
    files::{explain, write_whole},
};

/// `NAME.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The name of the corpus.
    pub(crate) name: String,
    /// The version of the recipe it was made by; 0: made by something else and adopted.
    pub(crate) version: u32,
    /// Where it comes from: a package with its version, a directory, or nothing but the recipe.
    pub(crate) origin: String,
    /// What its random parts were made from, if it has any.
    pub(crate) seed: Option<u64>,
    /// When it was made or adopted, in UTC: `2026-03-02 14:05`.
    pub(crate) date: String,
    /// What it held then.
    pub(crate) shape: Shape,
}

impl Manifest {
    /// The version of what no recipe of ours has made.
    pub(crate) const ADOPTED: u32 = 0;

    /// Where that of the corpus `name` lies.
    pub(crate) fn path(dir: &Path, name: &str) -> PathBuf {
        beside(dir, name, "json")
    }

    /// Reads that of the corpus `name`, if there is one.
    ///
    /// # Errors
    ///
    /// It cannot be read or understood; with the path.
    pub(crate) fn read(dir: &Path, name: &str) -> io::Result<Option<Manifest>> {
        let path = Manifest::path(dir, name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(explain(&path, &error)),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| explain(&path, &error.into()))
    }

    /// Writes it beside its corpus, whole or not at all.
    ///
    /// # Errors
    ///
    /// As the system says, with the path.
    pub(crate) fn write(&self, dir: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        write_whole(&Manifest::path(dir, &self.name), text.as_bytes())
    }
}
