//! Files that are changed under other names than those that the index has.

use std::{fs, io::Write, path::Path, process::Command};

use skipped_tests::skip;

use super::Watched;
use crate::harness::succeeds;

/// Writes over a file, whatever its name.
fn write(path: impl AsRef<Path>, text: &str) {
    fs::File::options().write(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Gives a file another name, writes through that, and checks that a search finds the file.
#[track_caller]
fn finds_write_through(watched: &Watched, file: &str, name: &str) {
    let name = watched.tree.join(name);
    fs::hard_link(watched.tree.join(file), &name).unwrap();
    write(name, "gem");
    assert!(watched.check().contains(&format!("./{file}")), "{file}");
}

#[test]
fn rule_files_are_known_by_all_their_names() {
    let mut watched = Watched::filled("watched_rule_links");
    watched.tree.file("a/b/.ignore", "secret.txt\n").file("a/b/secret.txt", "a hidden gem\n");
    watched.update();
    watched.watch();
    assert!(!watched.check().contains("hidden"));
    fs::hard_link(watched.tree.join("a/b/.ignore"), watched.tree.join("x")).unwrap();
    fs::File::create(watched.tree.join("x")).unwrap();
    assert!(watched.check().contains("a/b/secret.txt:a hidden gem"));
    watched.knows();
}

#[test]
fn names_in_new_directories_are_noticed() {
    let watched = Watched::new("watched_new_names");
    let tree = &watched.tree;
    // A directory that has been there for a while.
    fs::create_dir_all(tree.join("new/deep")).unwrap();
    assert!(!watched.check().contains("one.c"));
    finds_write_through(&watched, "a/one.c", "new/deep/x");
    // One that is as new as the name.
    fs::create_dir(tree.join("newer")).unwrap();
    finds_write_through(&watched, "a/two.c", "newer/x");
    // One in a directory that moves once more.
    fs::rename(tree.join("new"), tree.join("d/moved")).unwrap();
    watched.check();
    fs::create_dir(tree.join("d/moved/deep/est")).unwrap();
    watched.check();
    finds_write_through(&watched, "a/b/two.c", "d/moved/deep/est/x");
    watched.knows();
}

#[test]
fn names_in_moved_directories_are_noticed() {
    let watched = Watched::new("watched_moved_names");
    let tree = &watched.tree;
    fs::rename(tree.join("d"), tree.join("z")).unwrap();
    watched.check();
    finds_write_through(&watched, "a/one.c", "z/e/x");
    // A copy of the tree, which consists of names of its files.
    let copy = tree.path().with_file_name("copy");
    assert!(succeeds(Command::new("cp").arg("-al").arg(tree.path()).arg(&copy)));
    fs::rename(&copy, tree.join("copy")).unwrap();
    write(tree.join("copy/a/b/c/one.c"), "gem");
    assert!(watched.check().contains("./a/b/c/one.c"));
    watched.knows();
}

#[test]
fn directories_that_are_newer_than_the_index_are_watched_from_the_beginning() {
    let mut watched = Watched::filled("watched_newer");
    watched.update();
    watched.tree.file("a/new/deep/file.c", "int\n");
    watched.watch();
    watched.check();
    finds_write_through(&watched, "d/one.c", "a/new/deep/x");
    watched.knows();
}

#[test]
fn writes_through_removed_names_are_noticed() {
    let mut watched = Watched::filled("watched_removed_names");
    let open = |watched: &Watched, file: &str| {
        let name = watched.tree.join("a/name");
        fs::hard_link(watched.tree.join(file), &name).unwrap();
        let opened = fs::File::options().write(true).open(&name).unwrap();
        fs::remove_file(name).unwrap();
        opened
    };
    let mut file = open(&watched, "a/one.c");
    watched.update();
    watched.watch();
    watched.check();
    file.write_all(b"gem").unwrap();
    assert!(watched.check().contains("./a/one.c"));
    // One that was made and removed at once.
    let mut file = open(&watched, "a/two.c");
    watched.check();
    file.write_all(b"gem").unwrap();
    assert!(watched.check().contains("./a/two.c"));
    watched.knows();
}

/// The output of a script that can mount file systems; `None` if there are no namespaces.
fn output_in_namespace(watched: &Watched, script: &str) -> Option<String> {
    let Ok(output) = watched.in_namespace(script, &[]).output() else {
        skip("unshare is not installed");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("unshare") || errors.contains("mount:") {
        skip(super::NO_NAMESPACES);
        return None;
    }
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_directory_at_two_places_is_looked_at_in_both() {
    let watched = Watched::filled("watched_places");
    fs::create_dir(watched.tree.join("z")).unwrap();
    let script = r#"
        mount --bind a/b z
        sleep 0.2
        "$1" --no-config --index-update -q ./
        "$1" --no-config --index-watch ./ >&2
        "$1" --no-config --index-after=0 --sort=path gem ./
        echo gem > z/new.c
        "$1" --no-config --index-after=0 --sort=path gem ./
        "$1" --no-config --index-unwatch ./ >&2
    "#;
    let Some(found) = output_in_namespace(&watched, script) else { return };
    let once = "./d/e/emerald.c:a gem\n";
    assert_eq!(found, format!("{once}./a/b/new.c:gem\n{once}./z/new.c:gem\n"));
}

#[test]
fn one_file_system_is_that_of_the_root() {
    let watched = Watched::filled("watched_devices");
    fs::create_dir(watched.tree.join("../save")).unwrap();
    let script = r#"
        sleep 0.2
        "$1" --no-config --index-update -q ./
        mount --bind d/e ../save
        mount -t tmpfs none d
        mkdir d/e
        mount --bind ../save d/e
        "$1" --no-config --index-after=0 --sort=path gem d
        "$1" --no-config --index-after=0 --sort=path --files --one-file-system d || true
    "#;
    let Some(found) = output_in_namespace(&watched, script) else { return };
    assert_eq!(found, "d/e/emerald.c:a gem\n");
}
