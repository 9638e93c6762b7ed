//! Names of any bytes, pipes, sockets, paths longer than system calls accept; the walk of macOS.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, net::UnixListener},
    path::Path,
};

use heist_queue::QueueKind;
use nix::{sys::stat, unistd::mkfifo};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat, symlinkat};
use skipped_tests::skip;

use super::{
    Notes, everything, expect, from_environment, merge, once, random, root, symlink, variants,
    visit,
};
use crate::{WalkConfig, descriptors::Descriptors, item::Ancestor, job, sys};

#[test]
fn names_may_be_any_bytes() {
    let temp = tempfile::tempdir().unwrap();
    let odd = temp.path().join(OsStr::from_bytes(b"caf\xe9\n"));
    if let Err(error) = fs::create_dir(&odd) {
        // APFS requires Unicode.
        return skip(format_args!("names must be Unicode: {error}"));
    }
    let file = odd.join(OsStr::from_bytes(b"\xff\xfe"));
    fs::write(&file, "").unwrap();
    for config in variants(&root(temp.path()), 2) {
        expect(&config, std::slice::from_ref(&file), &[]);
    }
}

#[test]
fn pipes_and_sockets_are_skipped() {
    let temp = tempfile::tempdir().unwrap();
    let fifo = temp.path().join("pipe");
    mkfifo(&fifo, stat::Mode::S_IRWXU).unwrap();
    let _socket = UnixListener::bind(temp.path().join("socket")).unwrap();
    for config in variants(&root(temp.path()), 2) {
        expect(&config, &[], &[]);
    }
}

#[test]
fn trees_deeper_than_path_max_are_walked() {
    let temp = tempfile::tempdir().unwrap();
    let depth = deep(temp.path(), 40, 200);
    for &queue in QueueKind::ALL {
        for workers in [1, 4] {
            let config =
                WalkConfig { roots: root(temp.path()), workers, queue, ..WalkConfig::default() };
            let (seen, errors) = visit(&config);
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(seen.len(), depth, "one file per level");
        }
    }
    // Without descriptors to keep, every directory is opened by its path, a piece at a time.
    let (seen, errors) = merge(without_spare_descriptors(temp.path(), 4));
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(seen.len(), depth);
}

/// The path of a link may be longer than the system accepts, or pass more links: then nothing is
/// known of where it leads, while the walk could open it.
#[test]
fn links_whose_paths_the_system_refuses_are_taken_to_lead_out() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::create_dir_all(at("out")).unwrap();
    fs::write(at("out/secret"), "").unwrap();
    for name in ["deep", "chain"] {
        fs::create_dir(at(name)).unwrap();
    }
    let depth = deep(&at("deep"), 40, 200);
    let dir_flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut dir = openat(CWD, at("deep"), dir_flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        dir = openat(&dir, "d".repeat(200), dir_flags, Mode::empty()).unwrap();
    }
    for (target, name) in [(at("out"), "dir"), (at("out/secret"), "link"), (at("no"), "void")] {
        symlinkat(target, &dir, name).unwrap();
    }
    for (follow, follow_files) in [(true, false), (false, true)] {
        let roots = root(at("deep"));
        let config =
            WalkConfig { confined: true, follow, follow_files, roots, ..Default::default() };
        let (seen, errors) = visit(&config);
        assert_eq!(seen.len(), depth, "one file per level");
        // What leads nowhere is reported all the same.
        assert!(errors.len() == 1 && errors[0].contains("void"), "{errors:?}");
    }

    // As many links as a walk follows, each in a directory of its own; and one more.
    let links = Ancestor::MAX_LINKS;
    for number in 0..=links {
        fs::create_dir(at(&format!("chain/{number}"))).unwrap();
        let next = format!("../{}", number + 1);
        let target = if number == links { "../../out/secret" } else { &next };
        symlink(target, at(&format!("chain/{number}/n"))).unwrap();
    }
    let config = WalkConfig { confined: true, follow: true, ..Default::default() };
    let (seen, _) = visit(&WalkConfig { roots: root(at("chain/0")), ..config.clone() });
    assert_eq!(seen.len(), 0, "{seen:?}");
    let (seen, _) = visit(&WalkConfig { roots: root(at("chain")), ..config.clone() });
    assert_eq!(seen.len(), 0, "{seen:?}");
    let (seen, _) = visit(&WalkConfig { roots: root(at("chain")), confined: false, ..config });
    assert_eq!(seen.len(), links + 1, "once from each directory");
}

fn without_spare_descriptors(path: &Path, workers: usize) -> Vec<Notes> {
    let config = WalkConfig { roots: root(path), workers, ..WalkConfig::default() };
    let budget = Descriptors::with_cap(0);
    let notes = |_| Notes::default();
    let native = (sys::Native, job::run_items::<sys::Native> as _);
    job::walk_on(&config, &everything(), workers, budget, notes, native).expect("no panic").visitors
}

/// Creates a chain of `levels` directories with names of `len` bytes and one file in each. Returns
/// the number of files.
fn deep(root: &Path, levels: usize, len: usize) -> usize {
    let dir_flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut dir = openat(CWD, root, dir_flags, Mode::empty()).unwrap();
    let name = "d".repeat(len);
    for _ in 0..levels {
        mkdirat(&dir, name.as_str(), Mode::RWXU).unwrap();
        dir = openat(&dir, name.as_str(), dir_flags, Mode::empty()).unwrap();
        openat(&dir, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
    }
    levels
}

#[test]
fn readdir_finds_what_the_plain_walk_finds() {
    for seed in 0..from_environment("HEIST_WALK_TREES", 100) {
        let temp = tempfile::tempdir().unwrap();
        random::grow(temp.path(), seed);
        for follow in [false, true] {
            let expected = once(random::plain_walk(temp.path(), follow));
            for (workers, kept) in [(1, 0), (1, 100), (4, 3)] {
                let config = WalkConfig { roots: root(temp.path()), follow, ..Default::default() };
                let descriptors = Descriptors::with_cap(kept);
                let filter = everything();
                let (notes, run) = (|_| Notes::default(), job::run_items::<sys::Readdir> as _);
                let report = job::walk_on(
                    &config,
                    &filter,
                    workers,
                    descriptors,
                    notes,
                    (sys::Readdir, run),
                );
                let (files, _) = merge(report.expect("no panic").visitors);
                assert_eq!(files, expected, "seed {seed}, {workers} workers, {kept} directories");
            }
        }
    }
}
