//! The corpora there are. A further one is a record in [`CATALOG`] and the function it names.

use std::{io, path::Path};

use crate::corpora::{big, generated, linux, packages, sample, zipped};

/// A corpus that can be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// What it and its directory are called.
    pub(crate) name: &'static str,
    /// What it is good for, in a line.
    pub(crate) about: &'static str,
    /// Rises whenever the recipe makes something else, so that results from before are not compared
    /// with.
    pub(crate) version: u32,
    /// What making it takes at its worst moment.
    pub(crate) space: Space,
    /// What the user may say about how to make it.
    pub(crate) choice: Choice,
    /// Makes the tree or file [`Order::target`], and says where it comes from.
    pub(crate) make: fn(&Order<'_>) -> io::Result<String>,
}

/// Room on a file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    /// In whole blocks of 4 KiB.
    pub(crate) bytes: u64,
    /// Files and directories.
    pub(crate) inodes: u64,
}

/// What the user may say about how a corpus is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Nothing.
    None,
    /// The number its random parts are made from.
    Seed,
    /// A directory to take it from, instead of downloading it.
    From,
}

/// A corpus to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order<'a> {
    /// Where the finished corpora are.
    pub(crate) dir: &'a Path,
    /// What to make: nothing is there yet.
    pub(crate) target: &'a Path,
    /// An empty directory for what is not part of the corpus, which is removed afterwards.
    pub(crate) workshop: &'a Path,
    /// What random parts are made from.
    pub(crate) seed: u64,
    /// How large to make what is generated, in thousandths. Tests make less than 1000.
    pub(crate) scale: u64,
    /// A directory of the user's to take it from.
    pub(crate) from: Option<&'a Path>,
}

impl Order<'_> {
    /// How many there are to be of what a whole corpus has `count` of, at least 1.
    pub(crate) fn scaled(&self, count: u64) -> u64 {
        (count * self.scale / WHOLE).max(1)
    }
}

/// The scale of a corpus that is whole.
pub(crate) const WHOLE: u64 = 1000;

/// The one that is made without being asked for.
pub(crate) const SAMPLE: &str = "sample";

/// Every corpus. Later ones may be made from earlier ones.
pub(crate) const CATALOG: [Entry; 7] = [
    Entry {
        name: SAMPLE,
        about: "projects, notes and data from a seed: nested ignore rules, hidden files, links",
        version: 2,
        space: Space { bytes: 250_000_000, inodes: 35_000 },
        choice: Choice::Seed,
        make: sample::make,
    },
    Entry {
        name: "zipped",
        about: "the files of sample, each compressed by gzip, for `search --task compressed`",
        version: 2,
        space: Space { bytes: 150_000_000, inodes: 35_000 },
        choice: Choice::None,
        make: zipped::make,
    },
    Entry {
        name: "linux",
        about: "the sources of the Linux kernel, from Debian's package or --from a checkout",
        version: 1,
        space: Space { bytes: 2_000_000_000, inodes: 90_000 },
        choice: Choice::From,
        make: linux::make,
    },
    Entry {
        name: "chromium",
        about: "the sources of Chromium, from Debian's package or --from a checkout",
        version: 1,
        space: Space { bytes: 9_000_000_000, inodes: 550_000 },
        choice: Choice::From,
        make: packages::make_chromium,
    },
    Entry {
        name: "wide",
        about: "150,000 sibling directories, like a dump of every published crate",
        version: 1,
        space: Space { bytes: 3_100_000_000, inodes: 751_000 },
        choice: Choice::None,
        make: generated::make_wide,
    },
    Entry {
        name: "flat",
        about: "one directory with 1,000,000 small files",
        version: 1,
        space: Space { bytes: 4_200_000_000, inodes: 1_001_000 },
        choice: Choice::None,
        make: generated::make_flat,
    },
    Entry {
        name: "big",
        about: "one text file of over 1 GB: the C sources of linux, one after another",
        version: 1,
        space: Space { bytes: 1_300_000_000, inodes: 1 },
        choice: Choice::None,
        make: big::make,
    },
];

/// The corpus called `name`.
///
/// # Errors
///
/// There is none; the message names those there are.
pub(crate) fn find(name: &str) -> io::Result<&'static Entry> {
    CATALOG.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = CATALOG.iter().map(|entry| entry.name).collect();
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("no corpus is called {name}: there are {}", names.join(", ")),
        )
    })
}
