//! Parts of a tree: together, they are the tree.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Notes, everything, expect, root, variants, visit};
use crate::{Root, Shard, ShardBy, WalkConfig};

const WAYS_OF_DIVIDING: [&str; 4] = ["file", "directory", "directory:1", "directory:3"];

/// The shards of a tree that is divided into `count` in this way.
fn shards(count: u32, by: &str) -> Vec<Shard> {
    let by = by.parse().unwrap();
    (1..=count).map(|number| Shard::new(number, count).unwrap().by(by)).collect()
}

/// Writes `count` files at random depths.
fn grow(top: &Path, rng: &mut fastrand::Rng, count: usize) -> Vec<PathBuf> {
    let file = |number| {
        let mut dir = top.to_path_buf();
        for _ in 0..rng.usize(..6) {
            dir.push(["a", "b", "a b", "ä"][rng.usize(..4)]);
        }
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join(format!("{number}.txt"));
        fs::write(&path, "").unwrap();
        path
    };
    (0..count).map(file).collect()
}

#[test]
fn each_file_is_in_the_part_that_its_path_states() {
    let temp = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(11);
    let mut paths = grow(temp.path(), &mut rng, 60);
    for (by, count) in [1, 2, 5].into_iter().flat_map(|n| WAYS_OF_DIVIDING.map(|by| (by, n))) {
        let mut found = Vec::new();
        for shard in shards(count, by) {
            let is_in_shard = |path: &&PathBuf| {
                let below = path.strip_prefix(temp.path()).unwrap().to_str().unwrap();
                shard.has_file(below.replace('\\', "/").as_bytes())
            };
            let expected: Vec<PathBuf> = paths.iter().filter(is_in_shard).cloned().collect();
            for config in variants(&root(temp.path()), 2) {
                expect(&WalkConfig { shard: Some(shard), ..config }, &expected, &[]);
            }
            found.extend(expected);
        }
        found.sort();
        paths.sort();
        assert_eq!(found, paths, "{by}, {count}");
    }
}

#[test]
fn a_file_that_is_named_is_in_one_part() {
    let temp = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(12);
    let paths = grow(temp.path(), &mut rng, 20);
    let roots: Vec<Root> = paths.iter().cloned().map(Root::Path).collect();
    for by in WAYS_OF_DIVIDING {
        let visits = shards(3, by).into_iter().map(|shard| {
            let (seen, errors) = visit(&WalkConfig {
                roots: roots.clone(),
                shard: Some(shard),
                ..Default::default()
            });
            assert_eq!(errors, [""; 0]);
            seen.values().sum::<usize>()
        });
        assert_eq!(visits.sum::<usize>(), paths.len(), "{by}");
    }
}

#[test]
fn directories_of_other_parts_are_not_listed() {
    let temp = tempfile::tempdir().unwrap();
    for dir in ["one/x", "two/x", "three/x", "four/x"] {
        fs::create_dir_all(temp.path().join(dir)).unwrap();
    }
    let mut listed = 0;
    for shard in shards(2, "directory:1") {
        let config =
            WalkConfig { roots: root(temp.path()), shard: Some(shard), ..WalkConfig::default() };
        listed += crate::walk(&config, &everything(), |_| Notes::default()).unwrap().items;
    }
    // The root twice, and each directory below it once.
    assert_eq!(listed, 2 + 8);
}

#[test]
fn the_parts_of_a_tree_stay_what_they_were() {
    // By Python: reduce(lambda h, b: (h ^ b) * 0x100000001b3 % 2**64, path, 0xcbf29ce484222325)
    for (path, of_64, of_1000) in [
        ("Makefile", 1, 73),
        ("src/main.rs", 28, 244),
        ("drivers/gpu/drm/amd/amdgpu/amdgpu_device.c", 8, 312),
        ("ä/b", 47, 679),
    ] {
        for (count, number) in [(64, of_64), (1000, of_1000)] {
            let holder = shards(count, "file").iter().position(|s| s.has_file(path.as_bytes()));
            assert_eq!(holder, Some(number), "{path}, {count}");
        }
    }
    assert_eq!("directory".parse(), "directory:2".parse::<ShardBy>());
}
