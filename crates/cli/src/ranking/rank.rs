//! The place of a file among others, by what its matching lines show.

use std::{cmp::Reverse, path::PathBuf};

use heist_walk::Entry;

use super::{FileClass, class_of};

/// What the search of a file shows of its relevance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Whether the file was not searched, because it can be read only once.
    pub(crate) is_unread: bool,
    /// Whether a matching line defines what it matches.
    pub(crate) defines: bool,
    /// How many lines match, or in a search with matches that span lines, how many blocks.
    pub(crate) lines: u64,
    /// Where the first and the last matching line begin.
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// The place of a file among others. The smallest one comes first. `docs/ranking.md` has the same
/// as a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    group: u8,
    /// How many times the number of matching lines can be halved.
    density: Reverse<u32>,
    /// How many bytes lie between the first and the last matching line.
    distance: u64,
    path: PathBuf,
}

impl Rank {
    /// The place of `file`, whose search has shown `evidence`.
    pub(crate) fn new(file: &Entry<'_>, evidence: &Evidence) -> Rank {
        let path = file.path();
        let class = class_of(path.as_os_str().as_encoded_bytes(), file.depth());
        let Evidence { is_unread, defines, lines, first, last } = *evidence;
        let group = match class {
            // No result waits for a pipe into which nothing may ever be written.
            _ if is_unread => 7,
            FileClass::Code if defines => 1,
            FileClass::Tests if defines => 2,
            FileClass::Code => 3,
            FileClass::Tests => 4,
            FileClass::Documentation => 5,
            FileClass::Generated => 6,
        };
        // Pipes keep their order, whatever they are called.
        let path = if is_unread { PathBuf::new() } else { path };
        let density = Reverse(lines.checked_ilog2().unwrap_or(0));
        Rank { group, density, distance: last - first, path }
    }
}
