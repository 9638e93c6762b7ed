//! The corpora, as data: adding one is adding an element to [`CATALOG`] and the recipe it names.

use std::io;

use crate::corpora::order::{Choice, Order, SAMPLE};
use crate::corpora::place::Space;
use crate::corpora::{debian, recipes, sample};

/// A corpus that can be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The name of the corpus and its directory.
    pub(super) name: &'static str,
    /// What it is good for, in a line.
    pub(super) about: &'static str,
    /// Rises whenever the recipe makes something else, so that older results are not compared with.
    pub(super) version: u32,
    /// The most room that making it takes.
    pub(super) space: Space,
    pub(super) choice: Choice,
    /// Makes the tree or file [`Order::target`], and returns its origin.
    pub(super) make: fn(&Order<'_>) -> io::Result<String>,
}

/// Every corpus. Later ones may be made from earlier ones.
pub(super) const CATALOG: [Entry; 7] = [
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
        choice: Choice::Nothing,
        make: recipes::make_zipped,
    },
    Entry {
        name: "linux",
        about: "the sources of the Linux kernel, from Debian's package or --from a checkout",
        version: 1,
        space: Space { bytes: 2_000_000_000, inodes: 90_000 },
        choice: Choice::From,
        make: debian::make_linux,
    },
    Entry {
        name: "chromium",
        about: "the sources of Chromium, from Debian's package or --from a checkout",
        version: 1,
        space: Space { bytes: 9_000_000_000, inodes: 550_000 },
        choice: Choice::From,
        make: debian::make_chromium,
    },
    Entry {
        name: "wide",
        about: "150,000 sibling directories, like a dump of every published crate",
        version: 1,
        space: Space { bytes: 3_100_000_000, inodes: 751_000 },
        choice: Choice::Nothing,
        make: recipes::make_wide,
    },
    Entry {
        name: "flat",
        about: "one directory with 1,000,000 small files",
        version: 1,
        space: Space { bytes: 4_200_000_000, inodes: 1_001_000 },
        choice: Choice::Nothing,
        make: recipes::make_flat,
    },
    Entry {
        name: "big",
        about: "one text file of over 1 GB: the C sources of linux, one after another",
        version: 1,
        space: Space { bytes: 1_300_000_000, inodes: 1 },
        choice: Choice::Nothing,
        make: recipes::make_big,
    },
];

/// The corpus called `name`; the error of an unknown name lists the known ones.
pub(super) fn find(name: &str) -> io::Result<&'static Entry> {
    CATALOG.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = CATALOG.iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        let why = format!("no corpus is called {name}: there are {names}");
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })
}
