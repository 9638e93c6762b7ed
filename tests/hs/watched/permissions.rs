//! Directories that a search may no longer look into.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use skipped_tests::skip;

use super::Watched;
use crate::harness::{succeeds, sys};

fn by_nobody(name: &str) -> Option<Watched> {
    use std::process::Command;
    let mut watched = Watched::filled(name);
    if sys::is_root() {
        watched.by_nobody = true;
        let Some(program) = watched.tree.program_for_nobody(&watched.program) else {
            skip("the user nobody cannot enter the directory of the tree");
            return None;
        };
        watched.program = program;
        for top in [watched.tree.path(), watched.tree.home()] {
            assert!(succeeds(Command::new("chown").args(["-R", "65534:65534"]).arg(top)));
        }
    }
    watched.update();
    watched.watch();
    Some(watched)
}

#[test]
fn what_lies_in_a_directory_without_search_permission_is_reported() {
    let Some(watched) = by_nobody("watched_modes") else { return };
    let set = |path, mode| {
        fs::set_permissions(watched.tree.join(path), Permissions::from_mode(mode)).unwrap();
    };
    assert!(watched.check().contains("d/e/emerald.c"));
    set("d", 0o644);
    assert_eq!(watched.check(), "");
    set("d", 0o755);
    assert!(watched.check().contains("d/e/emerald.c"));
    watched.update();
    watched.check();
    set("a/b/c", 0o644);
    set("a", 0o644);
    watched.check();
    set("a", 0o311);
    watched.check();
    set("a", 0o755);
    watched.check();
    set("a/b/c", 0o755);
    watched.knows();
}
