//! More changes than the system keeps, without a process that takes them.

use std::{
    fs,
    os::unix::fs::{FileExt, MetadataExt},
    thread,
    time::Duration,
};

use heist_index::{Builder, EntryKind, Home, SnapshotBuilder, Stamp};

use super::tree::Tree;
use crate::{changes::Changes, status::Unknown};

#[test]
fn lost_reports_are_noticed() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap().join("tree");
    fs::create_dir(&root).unwrap();
    let paths = ["one", "two"].map(|name| root.join(name));
    paths.iter().for_each(|path| fs::write(path, "text").unwrap());
    thread::sleep(Duration::from_millis(150));
    let home = Home::new(temp.path().join("cache"));
    let builder = Builder::new(&home.dir_of(&root), &root).unwrap();
    let mut snapshot = SnapshotBuilder::default();
    snapshot.dir(b"", Stamp::of(&root.metadata().unwrap()).unwrap(), 0);
    for path in &paths {
        builder.collector().add(&mut fs::File::open(path).unwrap()).unwrap();
        let name = path.file_name().unwrap().as_encoded_bytes();
        snapshot.entry(name, EntryKind::File, path.metadata().unwrap().ino(), 0);
    }
    builder.finish_with_snapshot(1, snapshot).unwrap();

    let mut tree = Tree::new(home.find(&root).unwrap()).unwrap();
    assert!(tree.pass_for(Duration::from_secs(60)).unwrap());
    assert!(tree.lost.is_none());
    assert_eq!(tree.changes.counts(), [0, 0, 0]);
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let open = |path| fs::File::options().write(true).open(path).unwrap();
    let files = paths.each_ref().map(open);
    // Each is another report than the one before: equal ones would be one.
    for _ in 0..limit.trim().parse::<u32>().unwrap() {
        files.iter().for_each(|file| file.write_all_at(b"more", 0).unwrap());
    }
    fs::write(root.join("three"), "").unwrap();
    assert_eq!(tree.drain().unwrap(), None);
    assert!(matches!(tree.lost, Some(Unknown::Lost)));
    tree.begin_pass().unwrap();
    assert!(tree.pass_for(Duration::from_secs(60)).unwrap());
    assert!(tree.lost.is_none());
    let mut all = Changes::none(1, 2, 0);
    all.add_dirs(0..1);
    all.add_files(0..2);
    assert_eq!(tree.changes, all);
}
