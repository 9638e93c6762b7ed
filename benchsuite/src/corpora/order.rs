//! What a recipe gets, and what the catalogue notes about it.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::corpora::place::command;

/// The corpus that is made by default.
pub(crate) const SAMPLE: &str = "sample";

/// The scale of a whole corpus.
pub(super) const WHOLE: u64 = 1000;

/// What the user may choose about a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Nothing,
    /// The seed of its random parts.
    Seed,
    /// A directory to take it from, instead of downloading it.
    From,
}

/// What is chosen about a corpus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    /// The seed of random parts.
    pub(super) seed: u64,
    /// The size of what is generated, in thousandths. Tests make less than 1000.
    pub(super) scale: u64,
    /// A directory of the user's to take it from.
    pub(super) from: Option<&'a Path>,
}

impl Default for Wish<'_> {
    fn default() -> Self {
        Wish { seed: 1, scale: WHOLE, from: None }
    }
}

/// A corpus to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    /// Where the finished corpora are.
    pub(super) dir: &'a Path,
    /// What to make; it does not exist yet.
    pub(super) target: &'a Path,
    /// An empty directory for other files, which is removed afterwards.
    pub(super) workshop: &'a Path,
    pub(super) wish: Wish<'a>,
}

impl Order<'_> {
    /// The number of what a whole corpus has `count` of, at least 1.
    pub(super) fn scaled(&self, count: u64) -> u64 {
        (count * self.wish.scale / WHOLE).max(1)
    }

    /// The directory of the corpus `from`, which `name` is made from. If it is missing, the error
    /// contains the command that makes it.
    pub(super) fn source(&self, from: &str, name: &str) -> io::Result<PathBuf> {
        let path = self.dir.join(from);
        if path.is_dir() {
            return Ok(path);
        }
        let remedy = command(self.dir, &format!("make {from} {name}"));
        Err(io::Error::other(format!("{name} is made from {from}, which is missing: {remedy}")))
    }
}
