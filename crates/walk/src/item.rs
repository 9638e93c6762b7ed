//! The units of work that pass through the queue, and what a directory inherits from its parent.

use std::{
    borrow::Cow,
    cmp::Ordering,
    path::{Path, PathBuf},
    sync::Arc,
};

use heist_filter::path_bytes::{SEPARATOR, bytes_of, is_separator, path_of, rule_path};

use crate::{
    descriptors::Handle,
    listing::Listing,
    metadata::FileId,
    own_path::{is_drive, own_path, without_separator},
    rules_in_force::RulesInForce,
    sort_order::{SortOrder, root_key},
    sys::System,
};

/// A unit of work. Queues hold it in a box, because they move items when they grow and when workers
/// steal, and because a directory full of directories creates many.
#[derive(Debug)]
pub(crate) enum Item<'run, S: System> {
    /// The root with this index. It has not been examined yet.
    Root(usize),
    /// The roots that are not known yet.
    MoreRoots,
    /// A directory to expand.
    Dir(Dir<'run, S>),
    /// A directory that a visitor may visit whole. In a walk without an order.
    Whole(Box<Dir<'run, S>>),
    /// Wanted files in one directory, split off for an idle worker.
    Slice(Box<Slice<'run, S>>),
    /// A visitor has called for help.
    Help,
}

/// A directory to expand. A hundred thousand may be queued, so the size matters.
#[derive(Debug)]
pub(crate) struct Dir<'run, S: System> {
    /// The path as printed in front of its entries: ends in a slash, or is empty for the unnamed
    /// root.
    pub(crate) path: Box<[u8]>,
    /// How many bytes in `path` belong to the root.
    pub(crate) root_len: u32,
    /// The directory's number among known directories, or [`Dir::UNKNOWN`].
    pub(crate) number: u32,
    /// The distance from the root.
    pub(crate) depth: usize,
    /// The open parent directory, unless descriptors are scarce or this is a root.
    pub(crate) parent: Option<Arc<Handle<'run, S>>>,
    /// The rules in force in the parent; `None` if nothing is filtered.
    pub(crate) rules: Option<Arc<RulesInForce>>,
    /// The directories above, known only if links are followed.
    pub(crate) ancestors: Option<Arc<Ancestor>>,
    /// The device to stay on.
    pub(crate) device: Option<u64>,
    /// The key; empty in a walk without an order.
    pub(crate) key: Box<[u8]>,
}

impl<'run, S: System> Dir<'run, S> {
    /// Stands in place of a number for a directory that is not known.
    pub(crate) const UNKNOWN: u32 = u32::MAX;

    /// The root that the user named `path`, or the unnamed one.
    pub(crate) fn root(path: Option<&Path>) -> Dir<'run, S> {
        let mut path = path.map_or_else(Vec::new, |path| bytes_of(path).into_owned());
        if path.last().is_some_and(|&last| !is_separator(last) && !is_drive(&path)) {
            path.push(SEPARATOR);
        }
        Dir {
            root_len: path.len() as u32,
            number: Dir::<S>::UNKNOWN,
            path: path.into_boxed_slice(),
            depth: 0,
            parent: None,
            rules: None,
            ancestors: None,
            device: None,
            key: Box::default(),
        }
    }

    /// Returns the directory's number among known directories, if it is one.
    pub(crate) fn number(&self) -> Option<u32> {
        (self.number != Dir::<S>::UNKNOWN).then_some(self.number)
    }

    /// The directory's name, unless it is a root.
    pub(crate) fn name(&self) -> &[u8] {
        self.path.rsplit(|&byte| is_separator(byte)).nth(1).unwrap_or_default()
    }

    /// The path relative to the root, with slashes but without one at the end, as rules are
    /// matched with it.
    pub(crate) fn below_root(&self) -> Cow<'_, [u8]> {
        rule_path(without_separator(&self.path[self.root_len as usize..]))
    }

    /// The path to open or to report the directory by.
    pub(crate) fn own_path(&self) -> PathBuf {
        path_of(own_path(&self.path)).into_owned()
    }

    /// The path to one of its entries.
    pub(crate) fn entry_path(&self, name: &[u8]) -> PathBuf {
        path_of(&[&self.path, name].concat()).into_owned()
    }
}

impl<S: System> Item<'_, S> {
    /// Replaces what `into` contains by the key of this item, if it has one.
    pub(crate) fn key_into(&self, into: &mut Vec<u8>) {
        into.clear();
        match self {
            Item::Help | Item::MoreRoots | Item::Whole(_) => {}
            Item::Root(index) => into.extend_from_slice(&root_key(*index)),
            Item::Dir(dir) => into.extend_from_slice(&dir.key),
            Item::Slice(slice) => into.extend_from_slice(&slice.key),
        }
    }
}

impl<S: System> Item<'_, S> {
    /// Compares two items' keys.
    fn cmp_key(&self, other: &Item<'_, S>) -> Ordering {
        match (self, other) {
            (Item::Help, Item::Help) => Ordering::Equal,
            // A visitor waits.
            (Item::Help, _) => Ordering::Less,
            (_, Item::Help) => Ordering::Greater,
            (Item::Root(index), Item::Root(other)) => index.cmp(other),
            (Item::Root(index), other) => root_key(*index).as_slice().cmp(other.known_key()),
            (item, Item::Root(index)) => item.known_key().cmp(root_key(*index).as_slice()),
            (item, other) => item.known_key().cmp(other.known_key()),
        }
    }

    /// The key, if the item contains it.
    fn known_key(&self) -> &[u8] {
        match self {
            Item::Root(_) | Item::Help | Item::MoreRoots | Item::Whole(_) => &[],
            Item::Dir(dir) => &dir.key,
            Item::Slice(slice) => &slice.key,
        }
    }
}

/// By their keys, in a walk with an order: the item that comes first is the smallest.
impl<S: System> Ord for Item<'_, S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_key(other)
    }
}

impl<S: System> PartialOrd for Item<'_, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: System> PartialEq for Item<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<S: System> Eq for Item<'_, S> {}

/// Wanted files in one directory.
#[derive(Debug)]
pub(crate) struct Slice<'run, S: System> {
    /// The open directory, unless descriptors are scarce.
    pub(crate) handle: Option<Arc<Handle<'run, S>>>,
    /// The directory's path, as in [`Dir::path`].
    pub(crate) path: Box<[u8]>,
    /// The files' depth.
    pub(crate) depth: usize,
    pub(crate) files: Listing,
    /// The directory's key; empty in a walk without an order.
    pub(crate) dir_key: Box<[u8]>,
    /// The first file's key, and so the slice's; empty in a walk without an order.
    pub(crate) key: Box<[u8]>,
}

impl<'run, S: System> Slice<'run, S> {
    /// Returns these files in a directory as an item.
    pub(crate) fn item(
        handle: Option<Arc<Handle<'run, S>>>,
        path: &[u8],
        depth: usize,
        files: Listing,
        dir_key: &[u8],
        order: Option<SortOrder>,
    ) -> Item<'run, S> {
        let mut key = Vec::new();
        if let (Some(order), Some(&first)) = (order, files.entries().first()) {
            key.extend_from_slice(dir_key);
            order.append(&mut key, files.name(first).bytes(), first.position());
        }
        let (path, dir_key, key) = (path.into(), dir_key.into(), key.into_boxed_slice());
        Item::Slice(Box::new(Slice { handle, path, depth, files, dir_key, key }))
    }
}

/// A directory between the root and an entry. Recognises links that lead back up.
#[derive(Debug)]
pub(crate) struct Ancestor {
    pub(crate) id: FileId,
    /// How long its [`Dir::path`] is, with which the path of every directory below begins.
    pub(crate) path_len: usize,
    /// How many links lead to it, and to what is examined below it.
    pub(crate) links: usize,
    pub(crate) parent: Option<Arc<Ancestor>>,
}

impl Ancestor {
    /// The most links that lead to one directory: as many as Linux follows in one path. A walk that
    /// opens directories relative to each other passes only one at a time to the system.
    pub(crate) const MAX_LINKS: usize = 40;

    /// Returns a directory with this identity, below `parent`.
    pub(crate) fn new(id: FileId, path_len: usize, parent: Option<Arc<Ancestor>>) -> Arc<Ancestor> {
        let links = parent.as_ref().map_or(0, |parent| parent.links);
        Arc::new(Ancestor { id, path_len, links, parent })
    }

    /// Returns this directory, or the nearest one above, if it is the file `id`.
    pub(crate) fn find(&self, id: FileId) -> Option<&Ancestor> {
        std::iter::successors(Some(self), |a| a.parent.as_deref()).find(|a| a.id == id)
    }

    /// Returns this directory as the parent of a directory that is reached by one more link.
    pub(crate) fn behind_link(&self) -> Ancestor {
        let Ancestor { id, path_len, links, ref parent } = *self;
        Ancestor { id, path_len, links: links + 1, parent: parent.clone() }
    }
}

impl Drop for Ancestor {
    /// Drops a long chain without recursion.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut ancestor) = next.and_then(Arc::into_inner) {
            next = ancestor.parent.take();
        }
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::sys::Reader;

    /// A wide directory queues a hundred thousand items.
    #[test]
    fn a_directory_takes_96_bytes_of_the_heap() {
        assert!(size_of::<Item<'_, Reader>>() <= 88, "{}", size_of::<Item<'_, Reader>>());
    }
}
