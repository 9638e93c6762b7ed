//! Walks with an order: keys, the hooks about items, and the order in which one worker visits.

use std::{
    collections::BTreeSet,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::{everything, random, root, variants};
use crate::{
    Assist, DirVisitor, Entry, EntryList, Helpers, OrderedVisitor, OwnedEntry, Reader, Root,
    SortOrder, Visitor, WalkConfig, descriptors::Descriptors, job,
};

/// What all visitors of a walk received. `open` are the keys of unfinished items.
#[derive(Debug, Default)]
struct Ledger {
    open: BTreeSet<Vec<u8>>,
    files: Vec<(Vec<u8>, PathBuf)>,
}

/// Checks every key against the unfinished items.
struct Clerk<'a> {
    ledger: &'a Mutex<Ledger>,
    item: Vec<u8>,
    stored: Option<OwnedEntry>,
}

impl Visitor for Clerk<'_> {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        let mut key = Vec::new();
        file.key_into(&mut key);
        assert!(key >= self.item, "{file:?} sorts before its item");
        let stored = file.to_owned_entry(self.stored.as_ref());
        let mut same_key = Vec::new();
        stored.as_entry(&key).key_into(&mut same_key);
        assert_eq!(same_key, key);
        assert_eq!(stored.as_entry(&key).path(), file.path());
        assert_eq!(stored.as_entry(&key).is_explicit(), file.is_explicit());
        drop(stored.as_entry(&key).open().expect("it can be opened later"));
        self.stored = Some(stored);
        self.ledger.lock().unwrap().files.push((key, file.path()));
        ControlFlow::Continue(())
    }

    expect_no_errors!();
}

impl OrderedVisitor for Clerk<'_> {
    fn begin(&mut self, key: &[u8]) {
        assert!(self.ledger.lock().unwrap().open.contains(key), "this item has not been announced");
        self.item = key.to_vec();
    }

    fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        for key in keys {
            assert!(key > self.item.as_slice(), "an item sorts before the one that spawned it");
            assert!(self.ledger.lock().unwrap().open.insert(key.to_vec()), "two items, one key");
        }
    }

    fn end(&mut self) {
        assert!(self.ledger.lock().unwrap().open.remove(&self.item));
    }
}

impl Assist for Clerk<'_> {}
impl DirVisitor for Clerk<'_> {}

/// Returns the files with their keys, in the order of their visits.
fn visit(config: &WalkConfig) -> Vec<(Vec<u8>, PathBuf)> {
    let roots = (0..config.roots.len()).map(|index| crate::root_key(index).to_vec());
    let ledger = Mutex::new(Ledger { open: roots.collect(), files: Vec::new() });
    let clerk = |_| Clerk { ledger: &ledger, item: Vec::new(), stored: None };
    let filter = everything();
    let (workers, descriptors) = (config.workers, Descriptors::with_cap(3));
    let system = (config.reader, job::run_items::<Reader> as _);
    let report = job::walk_on(config, &filter, workers, descriptors, clerk, system);
    assert_eq!(report.expect("no panic").stop, heist_queue::Stop::Done);
    let ledger = ledger.into_inner().unwrap();
    assert_eq!(ledger.open, BTreeSet::new(), "every item was begun and ended");
    ledger.files
}

/// Sorts the entries of one directory.
type Sort = dyn Fn(&mut Vec<PathBuf>);

/// Collects every file below `path` in the order of `sort`, directories in place.
fn plain_walk(path: &Path, sort: &Sort, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    sort(&mut entries);
    for entry in entries {
        let kind = fs::symlink_metadata(&entry).unwrap().file_type();
        if kind.is_dir() {
            plain_walk(&entry, sort, files);
        } else if kind.is_file() {
            files.push(entry);
        }
    }
}

fn sorted_by_key(mut files: Vec<(Vec<u8>, PathBuf)>) -> Vec<PathBuf> {
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

#[test]
fn keys_sort_files_as_the_plain_walk_does() {
    let by_name =
        |entries: &mut Vec<PathBuf>| entries.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    let by_name_reversed =
        |entries: &mut Vec<PathBuf>| entries.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    let as_listed = |_: &mut Vec<PathBuf>| ();
    let orders: [(SortOrder, &Sort); 3] = [
        (SortOrder::Names, &by_name),
        (SortOrder::NamesReversed, &by_name_reversed),
        (SortOrder::Listing, &as_listed),
    ];
    for seed in 0..10 {
        let temp = tempfile::tempdir().unwrap();
        random::grow(temp.path(), seed);
        for (order, sort) in orders {
            let mut expected = Vec::new();
            plain_walk(temp.path(), sort, &mut expected);
            for mut config in variants(&root(temp.path()), 3) {
                config.order = Some(order);
                let visited = visit(&config);
                if config.workers == 1 && order.sorts() {
                    let paths: Vec<_> = visited.iter().map(|(_, path)| path.clone()).collect();
                    assert_eq!(paths, expected, "one worker visits in order, {config:?}");
                }
                assert_eq!(sorted_by_key(visited), expected, "{config:?}");
            }
        }
    }
}

#[test]
fn roots_come_in_the_order_in_which_they_were_named() {
    let temp = tempfile::tempdir().unwrap();
    let path = |name: &str| temp.path().join(name);
    for name in ["a", "b"] {
        fs::create_dir(path(name)).unwrap();
        fs::write(path(name).join("file"), "").unwrap();
    }
    fs::write(path("c"), "").unwrap();
    let named = ["b", "c", "a", "c"];
    let roots: Vec<_> = named.iter().map(|name| Root::Path(path(name))).collect();
    for mut config in variants(&roots, 2) {
        config.order = Some(SortOrder::NamesReversed);
        let expected = ["b/file", "c", "a/file", "c"].map(path);
        assert_eq!(sorted_by_key(visit(&config)), expected, "{config:?}");
    }
}

/// Keeps entries in a list, and apart from it what they were.
#[derive(Default)]
struct Keeper {
    list: EntryList,
    files: Vec<(Vec<u8>, PathBuf)>,
}

impl Visitor for Keeper {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        self.list.push(file);
        let mut key = Vec::new();
        file.key_into(&mut key);
        self.files.push((key, file.path()));
        let kept = self.list.entry(self.list.len() - 1, b"key");
        assert_eq!((kept.dir(), kept.name()), (file.dir(), file.name()));
        assert_eq!((kept.depth(), kept.file_type()), (file.depth(), file.file_type()));
        assert_eq!(kept.is_stdin(), file.is_stdin());
        ControlFlow::Continue(())
    }

    expect_no_errors!();
}

#[test]
fn a_list_keeps_entries_and_the_order_of_their_keys() {
    for seed in 0..5 {
        let temp = tempfile::tempdir().unwrap();
        random::grow(temp.path(), seed);
        fs::write(temp.path().join("named root"), "").unwrap();
        let file = Root::Path(temp.path().join("named root"));
        let dir = Root::Path(temp.path().to_path_buf());
        let roots = [file.clone(), dir.clone(), Root::Stdin, dir, file];
        for order in [SortOrder::Names, SortOrder::NamesReversed, SortOrder::Listing] {
            for mut config in variants(&roots, 3) {
                config.order = Some(order);
                let keepers = crate::walk(&config, &everything(), |_| Keeper::default());
                let keepers = keepers.expect("no panic").visitors;
                let indices = |keeper: &Keeper| 0..keeper.list.len();
                let all =
                    keepers.iter().flat_map(|keeper| indices(keeper).map(move |i| (keeper, i)));
                let mut all: Vec<_> = all.collect();
                let original = |(keeper, i): &(&Keeper, usize)| keeper.files[*i].clone();
                let mut expected: Vec<_> = all.iter().map(original).collect();
                expected.sort();
                all.sort_by(|(a, i), (b, j)| a.list.cmp_keys(*i, &b.list, *j));
                let sorted: Vec<_> = all.iter().map(original).collect();
                assert_eq!(sorted, expected, "{config:?}");
                for (keeper, i) in all {
                    let kept = keeper.list.entry(i, b"key");
                    let mut key = Vec::new();
                    kept.key_into(&mut key);
                    assert_eq!(
                        (key.as_slice(), kept.path()),
                        (&b"key"[..], original(&(keeper, i)).1)
                    );
                    if !kept.is_stdin() {
                        drop(kept.open().expect("it can be opened later"));
                    }
                }
            }
        }
    }
}
