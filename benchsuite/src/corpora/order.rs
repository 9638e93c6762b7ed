//! What the user wants of a corpus, and what a recipe gets.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::corpora::place::command;

/// The corpus that is made by default.
pub(crate) const SAMPLE_NAME: &str = "sample";

/// The scale of a whole corpus.
const WHOLE_SCALE: u64 = 1000;

/// What is chosen about a corpus.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Wish {
    /// What the random parts of sample are made from
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// Take linux or chromium from this directory, by hard links where that is possible
    #[arg(long, value_name = "DIR")]
    pub(super) from: Option<PathBuf>,

    /// The size of what is generated, in thousandths; tests make less than 1000
    #[arg(long, value_name = "N", hide = true)]
    pub(super) scale: Option<u64>,
}

/// A corpus to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    /// Where the finished corpora are.
    pub(super) dir: &'a Path,
    /// What to make; it does not exist yet. The directory around it is removed afterwards.
    pub(super) target: &'a Path,
    pub(super) wish: &'a Wish,
}

impl Wish {
    /// How many this corpus has if a whole one has `count`.
    pub(super) fn scaled(&self, count: u64) -> u64 {
        count.saturating_mul(self.scale.unwrap_or(WHOLE_SCALE)) / WHOLE_SCALE
    }
}

impl Order<'_> {
    /// The seed of random parts.
    pub(super) fn seed(&self) -> u64 {
        self.wish.seed.unwrap_or(1)
    }

    /// How many this corpus has if a whole one has `count`, at least 1.
    pub(super) fn scaled(&self, count: u64) -> u64 {
        self.wish.scaled(count).max(1)
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
