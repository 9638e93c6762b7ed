//! The units of work that pass through the queue, and what a directory carries from its parent.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use heist_filter::Scope;

use crate::{
    config::FileId,
    descriptors::Handle,
    listing::Listing,
    order::{SortOrder, root_key},
    sys::{System, bytes_of, path_of},
};

/// One unit of work. Queues hold it in a box: they move items when they grow and when they are stolen, and a directory of
/// directories fills them.
#[derive(Debug)]
pub(crate) enum Item<'run, S: System> {
    /// The root with this index: nobody has looked yet what it is.
    Root(usize),
    /// A directory to expand.
    Dir(Dir<'run, S>),
    /// Wanted files of one directory that a hungry worker is to visit.
    Slice(Box<Slice<'run, S>>),
    /// A visitor has called for help.
    Help,
}

/// A directory to expand. A hundred thousand may wait, so that its size counts.
#[derive(Debug)]
pub(crate) struct Dir<'run, S: System> {
    /// Its path as printed in front of its entries: ends in a slash, or is empty for the unnamed root.
    pub(crate) path: Box<[u8]>,
    /// Bytes of `path` that belong to the root.
    pub(crate) root_len: usize,
    /// Distance from the root.
    pub(crate) depth: usize,
    /// The open directory it lies in, unless descriptors are scarce or it is a root.
    pub(crate) parent: Option<Arc<Handle<'run, S>>>,
    /// The rules in force in its parent; None where nothing is filtered.
    pub(crate) scope: Option<Arc<Scope>>,
    /// The directories it lies in, known only when links are followed.
    pub(crate) ancestors: Option<Arc<Ancestor>>,
    /// The device to stay on.
    pub(crate) device: Option<u64>,
    /// Its key; empty if nobody asks for keys.
    pub(crate) key: Box<[u8]>,
}

impl<'run, S: System> Dir<'run, S> {
    /// The root at `path`, where `typed` is None for the unnamed one.
    pub(crate) fn root(typed: Option<&Path>, scope: Option<Arc<Scope>>) -> Dir<'run, S> {
        let mut path = typed.map_or_else(Vec::new, |typed| bytes_of(typed).into_owned());
        if !path.is_empty() && !path.ends_with(b"/") {
            path.push(b'/');
        }
        Dir {
            root_len: path.len(),
            path: path.into_boxed_slice(),
            depth: 0,
            parent: None,
            scope,
            ancestors: None,
            device: None,
            key: Box::default(),
        }
    }

    /// Its own name, unless it is a root.
    pub(crate) fn name(&self) -> &[u8] {
        self.path.rsplit(|&byte| byte == b'/').nth(1).unwrap_or_default()
    }

    /// Its path below its root, without a slash at the end; what rules are matched against.
    pub(crate) fn below_root(&self) -> &[u8] {
        let below = &self.path[self.root_len..];
        below.strip_suffix(b"/").unwrap_or(below)
    }

    /// The path to open or to name it by.
    pub(crate) fn own_path(&self) -> PathBuf {
        own_path(&self.path)
    }

    /// The path of one of its entries.
    pub(crate) fn entry_path(&self, name: &[u8]) -> PathBuf {
        path_of(&[&self.path, name].concat()).into_owned()
    }
}

impl<S: System> Item<'_, S> {
    /// Replace the contents of `into` by the key of this item, if it has one.
    pub(crate) fn key_into(&self, order: SortOrder, into: &mut Vec<u8>) {
        into.clear();
        match self {
            Item::Help => {}
            Item::Root(index) => into.extend_from_slice(&root_key(*index)),
            Item::Dir(dir) => into.extend_from_slice(&dir.key),
            Item::Slice(slice) => {
                into.extend_from_slice(&slice.key);
                if let Some(&first) = slice.files.entries().first() {
                    order.append(into, slice.files.name(first).bytes(), first.position());
                }
            }
        }
    }
}

/// The path to open a directory by, or to name it by, whose entries have `path` in front of them.
pub(crate) fn own_path(path: &[u8]) -> PathBuf {
    let path = match path {
        b"" => b".",
        b"/" => b"/",
        path => path.strip_suffix(b"/").unwrap_or(path),
    };
    path_of(path).into_owned()
}

/// Wanted files of one directory.
#[derive(Debug)]
pub(crate) struct Slice<'run, S: System> {
    /// The open directory, unless descriptors are scarce.
    pub(crate) handle: Option<Arc<Handle<'run, S>>>,
    /// The directory's path, as in [`Dir::path`].
    pub(crate) path: Box<[u8]>,
    /// The depth of the files.
    pub(crate) depth: usize,
    pub(crate) files: Listing,
    /// The directory's key; empty if nobody asks for keys.
    pub(crate) key: Box<[u8]>,
}

/// A directory on the way from the root, to recognise links that lead back.
#[derive(Debug)]
pub(crate) struct Ancestor {
    pub(crate) id: FileId,
    /// How much of the path of every directory in it is its own, as in [`Dir::path`].
    pub(crate) path_len: usize,
    pub(crate) parent: Option<Arc<Ancestor>>,
}

impl Ancestor {
    /// The nearest of `self` and its ancestors that is the file `id`.
    pub(crate) fn find(&self, id: FileId) -> Option<&Ancestor> {
        std::iter::successors(Some(self), |a| a.parent.as_deref()).find(|a| a.id == id)
    }
}

/// A long chain of ancestors must not be dropped by recursion.
impl Drop for Ancestor {
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
    use crate::sys::Native;

    /// A wide directory has a hundred thousand of them wait.
    #[test]
    fn a_directory_takes_96_bytes_of_the_heap() {
        assert!(size_of::<Item<'_, Native>>() <= 88, "{}", size_of::<Item<'_, Native>>());
    }
}
