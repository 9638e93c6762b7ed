//! Directories and links, which visitors receive on request.

use std::{fs, ops::ControlFlow, path::Path};

use heist_filter::Filter;

use super::{everything, has_links, root, symlink, variants};
use crate::{Entry, FileType, Helpers, Visitor, WalkConfig, Wants};

/// Records every path with a letter for its type.
#[derive(Debug, Default)]
struct Census<const LINKS: bool>(Vec<String>);

impl<const LINKS: bool> Census<LINKS> {
    fn note(&mut self, letter: char, path: &[u8]) {
        self.0.push(format!("{letter} {}", String::from_utf8_lossy(path)));
    }
}

impl<const LINKS: bool> Visitor for Census<LINKS> {
    const WANTED_ENTRIES: Wants = Wants { directories: true, links: LINKS, ..Wants::ONLY_FILES };

    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        let path = entry.path();
        match entry.file_type() {
            FileType::Dir => self.note('d', path.join("").as_os_str().as_encoded_bytes()),
            FileType::Symlink => self.note('l', path.as_os_str().as_encoded_bytes()),
            FileType::File | FileType::Other => self.note('f', path.as_os_str().as_encoded_bytes()),
        }
        ControlFlow::Continue(())
    }

    expect_no_errors!();
}

/// A tree with three directories and links in two of them, one hidden, one to a directory.
fn plant(at: &Path) {
    fs::create_dir_all(at.join("a/b")).unwrap();
    fs::write(at.join("a/file"), "").unwrap();
    symlink("nowhere", at.join("a/dangling")).unwrap();
    symlink("file", at.join("a/.hidden")).unwrap();
    symlink("a/b", at.join("to_b")).unwrap();
}

fn census<const LINKS: bool>(config: &WalkConfig, filter: &Filter) -> Vec<String> {
    let report = crate::walk(config, filter, |_| Census::<LINKS>::default()).expect("no panic");
    let mut visited: Vec<String> =
        report.visitors.into_iter().flat_map(|census| census.0).collect();
    visited.sort();
    visited
}

#[track_caller]
fn expect(at: &Path, visited: &[String], expected: &[&str]) {
    let at = at.display();
    let expected: Vec<String> = expected
        .iter()
        .map(|line| {
            let (letter, path) = line.split_at(2);
            // As `Path::join` separates.
            let path = path.replace('/', std::path::MAIN_SEPARATOR_STR);
            format!("{letter}{at}{}{path}", std::path::MAIN_SEPARATOR)
        })
        .collect();
    assert_eq!(visited, expected);
}

#[test]
fn directories_and_links_are_visited_once() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    for config in variants(&root(temp.path()), 3) {
        let visited = census::<true>(&config, &everything());
        let links = ["l a/.hidden", "l a/dangling", "l to_b"];
        let rest = ["d ", "d a/", "d a/b/", "f a/file"];
        expect(temp.path(), &visited, &[&rest[..], &links[..]].concat());
        expect(temp.path(), &census::<false>(&config, &everything()), &rest);
    }
}

#[test]
fn rules_apply_to_links_too() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    fs::write(temp.path().join(".ignore"), "dangling\n").unwrap();
    let rules = heist_filter::FilterConfig { dot: true, ..Default::default() };
    for config in variants(&root(temp.path()), 3) {
        let filter = Filter::new(rules.clone()).expect("no glob, no type");
        let visited = census::<true>(&config, &filter);
        expect(temp.path(), &visited, &["d ", "d a/", "d a/b/", "f a/file", "l to_b"]);
    }
}

#[test]
fn followed_links_are_what_they_point_to() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    fs::remove_file(temp.path().join("a/dangling")).unwrap();
    for mut config in variants(&root(temp.path()), 3) {
        config.follow = true;
        let visited = census::<true>(&config, &everything());
        let all = ["d ", "d a/", "d a/b/", "d to_b/", "f a/.hidden", "f a/file"];
        expect(temp.path(), &visited, &all);
    }
}

#[test]
fn directories_at_the_greatest_depth_are_visited_but_not_listed() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    let cases: [&[&str]; 4] = [
        &["d "],
        &["d ", "d a/"],
        &["d ", "d a/", "d a/b/", "f a/file"],
        &["d ", "d a/", "d a/b/", "f a/file"],
    ];
    for mut config in variants(&root(temp.path()), 3) {
        for (depth, expected) in cases.iter().enumerate() {
            config.max_depth = Some(depth);
            expect(temp.path(), &census::<false>(&config, &everything()), expected);
        }
    }
}
