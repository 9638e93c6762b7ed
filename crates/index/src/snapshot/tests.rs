//! Snapshots of random trees, read again.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::error::Error;

/// Directories by path, and what is in them.
type Tree = BTreeMap<String, Vec<(String, EntryKind, u64, u8)>>;

fn stamp(inode: u64) -> Stamp {
    Stamp { inode, size: 7, modified: -5, changed: 1 << 60, mode: 0o40755 }
}

fn random_tree(rng: &mut fastrand::Rng) -> Tree {
    let mut tree = Tree::from([(String::new(), Vec::new())]);
    for inode in 1..rng.u64(1..200) {
        let parents: Vec<_> = tree.keys().cloned().collect();
        let parent = rng.choice(&parents).unwrap().clone();
        let name = ["a", "a.b", "a-", "b", "B", "c\u{e9}", "!", " ", "zz"];
        let name = format!("{}{}", rng.choice(name).unwrap(), rng.u8(..6));
        let entries = tree.get_mut(&parent).unwrap();
        if entries.iter().any(|(other, ..)| *other == name) {
            continue;
        }
        let kind = *rng
            .choice(&[
                EntryKind::File,
                EntryKind::Dir,
                EntryKind::Symlink,
                EntryKind::Other,
                EntryKind::Unknown,
            ])
            .unwrap();
        // Not sorted: as a system lists them.
        entries.insert(rng.usize(..=entries.len()), (name.clone(), kind, inode, rng.u8(..)));
        if kind == EntryKind::Dir && rng.u8(..5) > 0 {
            let path = if parent.is_empty() { name } else { format!("{parent}/{name}") };
            tree.insert(path, Vec::new());
        }
    }
    tree
}

/// Writes a snapshot that several workers have collected.
fn write(tree: &Tree, rng: &mut fastrand::Rng, path: &Path) -> FileInfo {
    let mut builders = vec![SnapshotBuilder::default(); 3];
    let mut dirs: Vec<_> = tree.iter().zip(0..).collect();
    rng.shuffle(&mut dirs);
    for ((path, entries), number) in dirs {
        let builder = &mut builders[rng.usize(..3)];
        builder.dir(path.as_bytes(), stamp(number), number as u32);
        for (name, kind, inode, marks) in entries {
            builder.entry(name.as_bytes(), *kind, *inode, *marks);
        }
    }
    let mut builder = builders.pop().unwrap();
    builders.into_iter().for_each(|other| builder.append(other));
    for (path, stamp) in sources(tree) {
        builder.source(path.as_bytes(), stamp);
    }
    builder.set_context(b"context");
    builder.set_visits(is_visited);
    builder.lay_out("/tree".as_ref(), file_of).unwrap().write(1, path, None).unwrap()
}

/// Some files of the tree, and others, as what decides what is ignored.
fn sources(tree: &Tree) -> BTreeMap<String, Option<Stamp>> {
    let files = tree.iter().flat_map(|(dir, entries)| {
        let files = entries.iter().filter(|entry| entry.2.is_multiple_of(3));
        let slash = if dir.is_empty() { "" } else { "/" };
        files.map(move |entry| (format!("/tree/{dir}{slash}{}", entry.0), Some(stamp(entry.2))))
    });
    let others = ["/etc/gitignore", "/trees/a0", "/tree/none/a0", ""].map(str::to_owned);
    files.chain(others.map(|path| (path, None))).collect()
}

/// Each fact decides of some entries.
fn is_visited(entry: &EntryFacts) -> bool {
    let EntryFacts { kind, marks, is_known, has_stamp, dir_marks } = *entry;
    match marks % 32 {
        0 => is_known,
        1 => has_stamp,
        2 => kind == EntryKind::Symlink,
        3 => dir_marks.is_multiple_of(2),
        _ => false,
    }
}

/// Some inodes are those of a file, and some share one.
fn file_of(inode: u64) -> Option<u32> {
    (!inode.is_multiple_of(5)).then_some(inode as u32 / 2)
}

#[test]
fn a_snapshot_is_read_as_collected() {
    let mut rng = fastrand::Rng::with_seed(3);
    let temp = tempfile::tempdir().unwrap();
    for case in 0..60 {
        let tree = random_tree(&mut rng);
        let path = temp.path().join(case.to_string());
        let snapshot =
            Snapshot::open(&path, write(&tree, &mut rng, &path), "/tree".as_ref()).unwrap();
        assert_eq!(snapshot.dirs() as usize, tree.len());
        let all = snapshot.read(0..snapshot.dirs()).unwrap();
        let mut again = snapshot.room();
        let rule_files = snapshot.rule_files().unwrap();
        let mut all_sources = snapshot.sources().unwrap();
        let mut links = BTreeMap::<u32, Vec<Vec<u8>>>::new();
        for ((path, entries), place) in tree.iter().zip(0..) {
            let number = snapshot.find(Path::new(path)).unwrap().unwrap();
            let alone = snapshot.read(number..number + 1).unwrap();
            assert!(alone.get(number + 1).is_none());
            let end = alone.get(number).unwrap().end();
            again = snapshot.read_again(number..end, again).unwrap();
            assert!(again.get(end).is_none());
            for dirs in [&all, &alone, &again] {
                let dir = dirs.get(number).unwrap();
                assert_eq!((dir.stamp(), dir.marks()), (stamp(place), place as u32));
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                let parent = snapshot.find(Path::new(parent)).unwrap().filter(|_| !path.is_empty());
                assert_eq!(dir.parent(), parent);
                let below = format!("{path}/");
                let is_below = |other: &&String| path.is_empty() || other.starts_with(&below);
                let below = tree.keys().filter(|other| *other != path).filter(is_below).count();
                assert_eq!(dir.end(), number + 1 + below as u32);
                assert_eq!(dir.entries().count(), entries.len());
                for (found, (name, kind, inode, marks)) in dir.entries().zip(entries) {
                    assert_eq!(found.name(), name.as_bytes());
                    assert_eq!((found.kind(), found.marks()), (*kind, *marks));
                    assert_eq!(found.inode(), *inode);
                    let full =
                        if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    let is_known = tree.contains_key(&full);
                    assert_eq!(found.dir().is_some(), is_known);
                    assert_eq!(
                        found.dir().map_or(Ok(None), |_| snapshot.find(Path::new(&full))).unwrap(),
                        found.dir()
                    );
                    let rule_file = rule_files.find(&found);
                    assert_eq!(rule_file.is_some(), inode.is_multiple_of(3));
                    if let Some((source, then)) = rule_file {
                        let source = &all_sources[source as usize];
                        assert_eq!((source.stamp, then), (Some(then), stamp(*inode)));
                        assert_eq!(source.path, format!("/tree/{full}").into_bytes());
                    }
                    let file = file_of(*inode).filter(|_| *kind == EntryKind::File);
                    assert_eq!(found.file(), file);
                    if let Some(file) = file
                        && std::ptr::eq(dirs, &all)
                    {
                        links.entry(file).or_default().push(full.into_bytes());
                    }
                }
            }
        }
        for (file, mut expected) in links {
            let mut paths = snapshot.paths(file).unwrap();
            paths.sort_unstable();
            expected.sort_unstable();
            assert_eq!(paths, expected);
        }
        assert!(snapshot.paths(100_000).unwrap().is_empty());
        assert_eq!(snapshot.find(Path::new("a0/none")).unwrap(), None);
        let dir_of = |source: &RuleSource| {
            let path = str::from_utf8(&source.path).unwrap().strip_prefix("/tree/")?;
            let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
            tree.get(dir)?.iter().find(|entry| entry.0 == name)?;
            snapshot.find(Path::new(dir)).unwrap()
        };
        assert!(all_sources.iter().map(dir_of).eq(snapshot.source_dirs().unwrap()));
        all_sources.sort_by(|a, b| a.path.cmp(&b.path));
        let source = |(path, stamp)| RuleSource { path: String::into_bytes(path), stamp };
        assert!(all_sources.into_iter().eq(sources(&tree).into_iter().map(source)));
        assert_eq!(snapshot.context().unwrap(), b"context");
    }
}

/// The set of `dirs`, some paths, and of all directories above them.
fn with_those_above<'a>(snapshot: &Snapshot, dirs: impl Iterator<Item = &'a str>) -> BTreeSet<u32> {
    let above = |dir: &'a str| {
        let parent = |dir: &&'a str| {
            (!dir.is_empty()).then(|| dir.rsplit_once('/').map_or("", |(parent, _)| parent))
        };
        std::iter::successors(Some(dir), parent)
    };
    dirs.flat_map(above).map(|dir| snapshot.find(Path::new(dir)).unwrap().unwrap()).collect()
}

#[test]
fn what_is_always_visited_and_where_everything_is() {
    let mut rng = fastrand::Rng::with_seed(5);
    let temp = tempfile::tempdir().unwrap();
    let (mut some, mut all) = (0, 0);
    for case in 0..60 {
        let tree = random_tree(&mut rng);
        let path = temp.path().join(case.to_string());
        let snapshot =
            Snapshot::open(&path, write(&tree, &mut rng, &path), "/tree".as_ref()).unwrap();
        let full = |dir: &str, name: &str| match dir {
            "" => name.to_owned(),
            dir => format!("{dir}/{name}"),
        };
        let visited = tree.iter().zip(0..).filter(|((dir, entries), dir_marks)| {
            entries.iter().any(|(name, kind, inode, marks)| {
                let is_file = *kind == EntryKind::File && file_of(*inode).is_some();
                is_visited(&EntryFacts {
                    kind: *kind,
                    marks: *marks,
                    is_known: is_file || tree.contains_key(&full(dir, name)),
                    has_stamp: inode.is_multiple_of(3),
                    dir_marks: *dir_marks,
                })
            })
        });
        let expected = with_those_above(&snapshot, visited.map(|((dir, _), _)| &**dir));
        assert!(snapshot.visits().unwrap().iter().eq(expected));
        (some, all) = (some + snapshot.visits().unwrap().count(), all + snapshot.dirs());

        let places = snapshot.places().unwrap();
        let none = || BitSet::none(snapshot.dirs());
        for dir in tree.keys() {
            let number = snapshot.find(Path::new(dir)).unwrap().unwrap();
            let mut set = none();
            places.add_dir(number, &mut set).unwrap();
            assert!(set.iter().eq(with_those_above(&snapshot, [&**dir].into_iter())));
            let below =
                tree.keys().filter(|it| dir.is_empty() || it.starts_with(&format!("{dir}/")));
            let entries: usize = below.chain([dir]).map(|dir| tree[dir].len()).sum();
            let entries = if dir.is_empty() { entries - tree[""].len() } else { entries };
            let end = snapshot.read(number..number + 1).unwrap().get(number).unwrap().end();
            assert_eq!(places.entries(number..end), Some(entries as u32));
            assert_eq!(places.end_below(number), Some(end));
        }
        let files: BTreeSet<u32> = (0..rng.u32(..40)).map(|_| rng.u32(..100)).collect();
        let has_one = |(_, entries): &(&String, &Vec<(String, EntryKind, u64, u8)>)| {
            entries.iter().any(|(_, kind, inode, _)| {
                *kind == EntryKind::File
                    && file_of(*inode).is_some_and(|file| files.contains(&file))
            })
        };
        let mut set = none();
        places.add_files(files.iter().copied(), &mut set).unwrap();
        let expected = tree.iter().filter(has_one).map(|(dir, _)| &**dir);
        assert!(set.iter().eq(with_those_above(&snapshot, expected)));
        for (source, number) in snapshot.sources().unwrap().iter().zip(0..) {
            let path = String::from_utf8(source.path.clone()).unwrap();
            let below = path.strip_prefix("/tree/").filter(|_| source.stamp.is_some());
            let dir = below.map(|below| below.rsplit_once('/').map_or("", |(dir, _)| dir));
            let mut set = none();
            places.add_source(number, &mut set).unwrap();
            assert!(set.iter().eq(with_those_above(&snapshot, dir.into_iter())));
        }
        assert!(places.add_dir(snapshot.dirs(), &mut none()).is_none());
    }
    assert!(some > all / 10 && some < all - all / 10, "{some} of {all}");
}

#[test]
fn the_same_tree_is_the_same_file() {
    let mut rng = fastrand::Rng::with_seed(3);
    let temp = tempfile::tempdir().unwrap();
    let tree = random_tree(&mut rng);
    let (a, b) = (temp.path().join("a"), temp.path().join("b"));
    let info = write(&tree, &mut rng, &a);
    assert_eq!(write(&tree, &mut rng, &b), info);
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

#[test]
fn directories_without_a_parent_and_twice_are_left_out() {
    let temp = tempfile::tempdir().unwrap();
    let mut builder = SnapshotBuilder::default();
    for path in ["b/c", "a", "", "b/c/d", "a", "", "c"] {
        builder.dir(path.as_bytes(), stamp(1), 0);
        for name in ["a", "b", "c", "d"] {
            builder.entry(name.as_bytes(), EntryKind::Dir, 1, 0);
        }
    }
    let path = temp.path().join("snapshot");
    let info = builder.lay_out("/".as_ref(), |_| None).unwrap().write(1, &path, None).unwrap();
    let snapshot = Snapshot::open(&path, info, "/tree".as_ref()).unwrap();
    assert_eq!(snapshot.dirs(), 3);
    assert_eq!(snapshot.find(Path::new("c")).unwrap(), Some(2));
    assert_eq!(snapshot.find(Path::new("b")).unwrap(), None);
    let nothing = SnapshotBuilder::default().lay_out("/".as_ref(), |_| None).unwrap();
    let path = temp.path().join("nothing");
    let snapshot =
        Snapshot::open(&path, nothing.write(2, &path, None).unwrap(), "/tree".as_ref()).unwrap();
    assert_eq!((snapshot.dirs(), snapshot.find(Path::new("")).unwrap()), (0, None));
}

#[test]
fn damage_is_noticed() {
    let mut rng = fastrand::Rng::with_seed(4);
    let temp = tempfile::tempdir().unwrap();
    let tree = random_tree(&mut rng);
    let path = temp.path().join("snapshot");
    let info = write(&tree, &mut rng, &path);
    let whole = std::fs::read(&path).unwrap();
    for _ in 0..500 {
        let mut damaged = whole.clone();
        match rng.u8(..3) {
            0 => damaged.truncate(rng.usize(..whole.len())),
            1 => damaged.push(0),
            _ => damaged[rng.usize(..whole.len())] ^= 1 << rng.u8(..8),
        }
        std::fs::write(&path, damaged).unwrap();
        let read = Snapshot::open(&path, info, "/tree".as_ref()).and_then(|snapshot| {
            snapshot.check()?;
            snapshot.read(0..snapshot.dirs()).map(drop)
        });
        assert!(matches!(read, Err(Error::At(..))));
    }
}

#[test]
fn directories_of_a_file_whose_links_cannot_be_read_are_not_known() {
    let temp = tempfile::tempdir().unwrap();
    let mut builder = SnapshotBuilder::default();
    builder.dir(b"", stamp(1), 0);
    builder.entry(b"z", EntryKind::Dir, 2, 0);
    // More names of one file than have room in a page, the last ones in another directory.
    for (dir, names) in [("", 0..3000), ("z", 3000..4000)] {
        if !dir.is_empty() {
            builder.dir(dir.as_bytes(), stamp(2), 0);
        }
        for name in names {
            builder.entry(format!("{name}").as_bytes(), EntryKind::File, 3, 0);
        }
    }
    let path = temp.path().join("snapshot");
    let info = builder.lay_out("/".as_ref(), file_of).unwrap().write(1, &path, None).unwrap();
    let file = file_of(3).unwrap();
    let dirs_of_file = || {
        let snapshot = Snapshot::open(&path, info, "/tree".as_ref()).unwrap();
        let mut dirs = BitSet::none(snapshot.dirs());
        let is_known = snapshot.places().unwrap().add_files([file], &mut dirs).is_some();
        (is_known.then(|| dirs.count()), snapshot.parts.links.end)
    };
    let (dirs, links_end) = dirs_of_file();
    assert_eq!(dirs, Some(2));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[links_end as usize - 1] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(dirs_of_file().0, None);
}

#[test]
fn a_deep_tree_has_a_small_snapshot() {
    const DEPTH: usize = 2_000;
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("deep");
    for root in ["/tree", "/"] {
        let mut builder = SnapshotBuilder::default();
        let (mut dir, mut expected) = (String::new(), Vec::new());
        for depth in 0..DEPTH as u64 {
            builder.dir(dir.as_bytes(), stamp(depth), 0);
            builder.entry(b".ignore", EntryKind::File, 2 * depth, 0);
            builder.entry(b"d", EntryKind::Dir, 2 * depth + 1, 0);
            let above = Path::new(root).join(&dir).join(".ignore");
            let source = above.to_str().unwrap().as_bytes().to_vec();
            builder.source(&source, Some(stamp(2 * depth)));
            expected.push(RuleSource { path: source, stamp: Some(stamp(2 * depth)) });
            dir += if dir.is_empty() { "d" } else { "/d" };
        }
        let info = builder.lay_out(root.as_ref(), |_| None).unwrap();
        let info = info.write(1, &path, None).unwrap();
        assert!(info.len < 400 * DEPTH as u64, "{}", info.len);
        let snapshot = Snapshot::open(&path, info, root.as_ref()).unwrap();
        assert_eq!(snapshot.sources().unwrap(), expected);
        std::fs::remove_file(&path).unwrap();
    }
}
