//! How far a pass over all directories has come.

use std::{cmp::Reverse, time::Duration};

use heist_index::{Dir, DirEntry, Stamps};

/// A pass as far as it has come.
pub(super) struct Pass {
    pub(super) stamps: Stamps,
    /// The next directory.
    pub(super) next: u32,
    pub(super) path: PathOfNext,
    pub(super) took: Duration,
}

impl Pass {
    pub(super) fn new(stamps: Stamps) -> Pass {
        Pass { stamps, next: 0, path: PathOfNext::default(), took: Duration::ZERO }
    }
}

/// The path of the next directory, from those that contain it.
#[derive(Default)]
pub(super) struct PathOfNext {
    path: Vec<u8>,
    /// The directories that contain it.
    above: Vec<Above>,
}

struct Above {
    /// The first directory that is not below this one.
    end: u32,
    /// The length of its path.
    len: usize,
    /// The directories in it that come next: the one that comes first is the last.
    children: Vec<(u32, Vec<u8>)>,
}

impl PathOfNext {
    /// Makes this the current directory. Returns whether it has a path.
    pub(super) fn enter(&mut self, number: u32) -> bool {
        while self.above.pop_if(|above| above.end <= number).is_some() {}
        let Some(above) = self.above.last_mut() else {
            self.path.clear();
            return number == 0;
        };
        self.path.truncate(above.len);
        while above.children.pop_if(|child| child.0 < number).is_some() {}
        match above.children.pop_if(|child| child.0 == number) {
            Some((_, name)) => {
                if !self.path.is_empty() {
                    self.path.push(b'/');
                }
                self.path.extend(name);
                true
            }
            None => false,
        }
    }

    /// Notes the directories in the current one.
    pub(super) fn push(&mut self, number: u32, dir: Dir<'_>) {
        let child = |entry: DirEntry<'_>| Some((entry.dir()?, entry.name().to_vec()));
        let mut children: Vec<_> = dir.entries().filter_map(child).collect();
        children.sort_unstable_by_key(|child| Reverse(child.0));
        self.above.push(Above { end: dir.end().max(number + 1), len: self.path.len(), children });
    }

    pub(super) fn of_current(&self) -> &[u8] {
        &self.path
    }
}
