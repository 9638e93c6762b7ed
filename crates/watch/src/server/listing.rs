//! The names in a directory, as its snapshot has them.

use heist_index::{Error, Snapshot};

/// What a snapshot has under a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Whether it has anything.
    pub(super) is_known: bool,
    /// The file, if the index covers it.
    pub(super) file: Option<u32>,
    /// The directory, if it was listed.
    pub(super) dir: Option<u32>,
}

/// The names in the directory that was looked at last: what changes is mostly in one directory.
#[derive(Default)]
pub(super) struct LastListing {
    dir: Option<u32>,
    /// Sorted.
    names: Vec<(Box<[u8]>, Named)>,
}

impl LastListing {
    /// Returns what the snapshot has of this name; nothing if the name is new.
    pub(super) fn find(
        &mut self,
        snapshot: &Snapshot,
        dir: u32,
        name: &[u8],
    ) -> Result<Named, Error> {
        if self.dir != Some(dir) {
            self.dir = None;
            let dirs = snapshot.read(dir..dir + 1)?;
            self.names.clear();
            for entry in dirs.get(dir).iter().flat_map(|dir| dir.entries()) {
                let named = Named { is_known: true, file: entry.file(), dir: entry.dir() };
                self.names.push((entry.name().into(), named));
            }
            self.names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            self.dir = Some(dir);
        }
        let found = self.names.binary_search_by(|(other, _)| (**other).cmp(name));
        Ok(found.map_or_else(|_| Named::default(), |index| self.names[index].1))
    }
}
