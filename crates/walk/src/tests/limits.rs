//! Sizes, times, identities and links to files, against what the standard library reports.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use heist_filter::{Filter, FilterConfig};

use super::{Notes, expect, has_links, merge, root, symlink, variants, visit};
use crate::{FileId, Root, WalkConfig};

/// Writes `count` files of random sizes and times.
fn grow(dir: &Path, rng: &mut fastrand::Rng, count: usize) -> Vec<PathBuf> {
    fs::create_dir_all(dir.join("sub")).unwrap();
    let file = |number| {
        let path = dir.join(if number % 2 == 0 { "" } else { "sub" }).join(format!("{number}"));
        fs::write(&path, vec![b'x'; rng.usize(..20)]).unwrap();
        let opened = fs::File::options().write(true).open(&path).unwrap();
        opened.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(rng.u64(..20))).unwrap();
        path
    };
    (0..count).map(file).collect()
}

#[test]
fn files_within_the_limits_are_visited() {
    let temp = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(3);
    let paths = grow(temp.path(), &mut rng, 40);
    for _ in 0..20 {
        let time = |rng: &mut fastrand::Rng| {
            let second = Duration::from_millis(rng.u64(..20_000));
            rng.bool().then(|| SystemTime::UNIX_EPOCH + second)
        };
        let (newer, older) = (time(&mut rng), time(&mut rng));
        let max_filesize = rng.bool().then(|| rng.u64(..20));
        let min_filesize = rng.u64(..20) * u64::from(rng.bool());
        let is_within = |path: &&PathBuf| {
            let metadata = fs::metadata(path).unwrap();
            let modified = metadata.modified().unwrap();
            metadata.len() >= min_filesize
                && max_filesize.is_none_or(|max| metadata.len() <= max)
                && newer.is_none_or(|newer| modified >= newer)
                && older.is_none_or(|older| modified < older)
        };
        let expected: Vec<PathBuf> = paths.iter().filter(is_within).cloned().collect();
        for config in variants(&root(temp.path()), 2) {
            let limits = WalkConfig { max_filesize, min_filesize, newer, older, ..config };
            expect(&limits, &expected, &[]);
        }
    }
    let named = WalkConfig { roots: root(&paths[0]), min_filesize: 1000, ..WalkConfig::default() };
    expect(&named, &paths[..1], &[]);
}

#[test]
fn each_file_is_visited_once() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let mut rng = fastrand::Rng::with_seed(4);
    let paths = grow(&temp.path().join("real"), &mut rng, 10);
    for (number, path) in paths.iter().enumerate() {
        fs::hard_link(path, temp.path().join(format!("hard{number}"))).unwrap();
        symlink(path, temp.path().join(format!("soft{number}"))).unwrap();
    }
    symlink(Path::new("real"), temp.path().join("dir")).unwrap();
    let roots: Vec<Root> =
        [temp.path(), &paths[0], &paths[0]].map(|path| Root::Path(path.into())).into();
    for config in variants(&roots, 3) {
        let config = WalkConfig { unique: true, follow: true, ..config };
        let (seen, errors) = visit(&config);
        assert_eq!(errors, [""; 0]);
        let real = |path: &PathBuf| fs::read_link(path).unwrap_or_else(|_| path.clone());
        let found: BTreeSet<_> = seen
            .keys()
            .map(|path| FileId::of_file(&fs::File::open(real(path)).unwrap()).unwrap().inode)
            .collect();
        assert_eq!((seen.len(), found.len()), (10, 10), "{seen:?}");
        assert!(seen.values().all(|&times| times == 1), "{seen:?}");
    }
}

#[test]
fn a_root_that_is_a_file_is_visited_as_such() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::write(at("file"), "").unwrap();
    fs::hard_link(at("file"), at("hard")).unwrap();
    fs::write(at("other"), "").unwrap();
    let roots = [temp.path().into(), at("hard"), at("file"), at("none"), at("hard")];
    let roots: Vec<Root> = roots.map(Root::Path).into();
    for config in variants(&roots, 3) {
        let (seen, errors) = visit(&WalkConfig { unique: true, ..config });
        assert_eq!(seen, [(at("hard"), 1), (at("other"), 1)].into(), "{errors:?}");
        assert_eq!(errors.len(), 1, "{errors:?}");
    }
}

#[test]
fn links_to_files_are_followed_alone() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::create_dir(at("dir")).unwrap();
    fs::write(at("dir/file"), "").unwrap();
    symlink(Path::new("dir/file"), at("file")).unwrap();
    symlink(Path::new("dir"), at("link")).unwrap();
    for config in variants(&root(temp.path()), 2) {
        let config = WalkConfig { follow_files: true, ..config };
        expect(&config, &[at("dir/file"), at("file")], &[]);
    }
}

#[test]
fn links_out_of_the_roots_are_skipped() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::create_dir_all(at("in/sub")).unwrap();
    fs::create_dir(at("out")).unwrap();
    for name in ["in/a", "out/b"] {
        fs::write(at(name), "").unwrap();
    }
    symlink(Path::new("../out"), at("in/dir")).unwrap();
    symlink(Path::new("../out/b"), at("in/b")).unwrap();
    symlink(Path::new("../a"), at("in/sub/a")).unwrap();
    // It leads out, and back in.
    symlink(Path::new("../../out/back"), at("in/sub/back")).unwrap();
    symlink(Path::new("../in/a"), at("out/back")).unwrap();
    let inside = ["in/a", "in/sub/a", "in/sub/back"].map(at);
    for config in variants(&root(at("in")), 2) {
        for (follow, follow_files) in [(true, false), (false, true)] {
            let config = WalkConfig { confined: true, follow, follow_files, ..config.clone() };
            expect(&config, &inside, &[]);
        }
    }
}

#[test]
fn links_out_of_the_roots_lead_to_no_rules() {
    if !has_links() {
        return;
    }
    let excluded = |links: &[(&str, &str)], confined: bool| {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        fs::create_dir(at("in")).unwrap();
        if !links.iter().any(|(link, _)| *link == ".git") {
            fs::create_dir_all(at("in/.git")).unwrap();
        }
        for top in ["in/own", "out"] {
            fs::create_dir_all(at(top).join("info")).unwrap();
            fs::write(at(top).join("info/exclude"), "a\n").unwrap();
            fs::write(at(top).join("config"), "[core]\nignoreCase\n").unwrap();
        }
        for name in ["in/a", "in/b", "in/c"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at("in/.gitignore"), "B\n").unwrap();
        for (link, target) in links {
            fs::create_dir_all(at("in").join(link).parent().unwrap()).unwrap();
            symlink(Path::new(target), at("in").join(link)).unwrap();
        }
        let filter = FilterConfig { vcs: true, exclude: true, ..FilterConfig::default() };
        let filter = Filter::new(FilterConfig { require_git: true, ..filter }).unwrap();
        let (roots, max_depth) = (root(at("in")), Some(1));
        let config = WalkConfig { roots, max_depth, confined, ..WalkConfig::default() };
        let report = crate::walk(&config, &filter, |_| Notes::default()).expect("no panic");
        let (seen, errors) = merge(report.visitors);
        assert_eq!(errors, [""; 0]);
        let is_excluded = |name: &&str| !seen.contains_key(&at("in").join(name));
        ["a", "b", "c"].into_iter().filter(is_excluded).collect::<String>()
    };
    for (links, expected) in [
        (&[(".git/info/exclude", "../../../out/info/exclude")][..], "a"),
        (&[(".git/info", "../../out/info")], "a"),
        (&[(".git/config", "../../out/config")], "b"),
        (&[(".git", "../out")], "ab"),
    ] {
        assert_eq!(excluded(links, false), expected, "{links:?}");
        assert_eq!(excluded(links, true), "", "{links:?}");
    }
    // Links that do not lead out are followed.
    let inside = [(".git/info", "../own/info"), (".git/config", "../own/config")];
    for confined in [false, true] {
        assert_eq!(excluded(&inside, confined), "ab");
        assert_eq!(excluded(&[(".git", "own")], confined), "ab");
    }
}
