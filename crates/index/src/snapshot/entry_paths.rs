//! Entries' paths, one after another.

use std::path::Path;

use super::dirs::Dirs;

/// The paths of a snapshot's entries. All directories are in memory, but only the last path is: all
/// paths in a deep tree together can be much larger than the tree.
pub(super) struct EntryPaths<'d> {
    dirs: &'d Dirs,
    /// The number of the directory that contains the last entry.
    dir: u32,
    /// The directory's path, which ends with a slash.
    path: Vec<u8>,
    /// How long the path of each directory up to this one is.
    lens: Vec<usize>,
}

impl<'d> EntryPaths<'d> {
    /// `root` is the path of directory 0.
    pub(super) fn new(dirs: &'d Dirs, root: &Path) -> EntryPaths<'d> {
        let mut path = root.as_os_str().as_encoded_bytes().to_vec();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        let lens = vec![path.len()];
        EntryPaths { dirs, dir: 0, path, lens }
    }

    /// The absolute path to an entry, which comes after the last one. `None` if the snapshot is not
    /// what was written.
    pub(super) fn path_of(&mut self, entry: u32) -> Option<Vec<u8>> {
        // Every directory comes before those below it, and these before the next one beside it.
        while let Some(next) = self.dirs.get(self.dir + 1)
            && next.first_entry() <= entry
        {
            let len = *self.lens.get(next.parent()? as usize)?;
            self.path.truncate(len);
            self.path.extend_from_slice(self.dirs.name_of(next.entry())?);
            self.path.push(b'/');
            self.lens.push(self.path.len());
            self.dir += 1;
        }
        Some([&self.path, self.dirs.name_of(entry)?].concat())
    }
}
