//! Directories that are skipped for the `.git` in them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::{everything, expect, root, variants};
use crate::{Fate, SkipObserver, SkipReason, WalkConfig, why};

/// Collects reports.
#[derive(Debug, Default)]
struct Reports(Mutex<BTreeSet<(PathBuf, String)>>);

impl SkipObserver for Reports {
    fn skipped(&self, path: &Path, why: &SkipReason<'_>) {
        self.0.lock().unwrap().insert((path.to_owned(), why.to_string()));
    }
}

fn write(at: &Path, name: &str, text: &str) {
    fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
    fs::write(at.join(name), text).unwrap();
}

/// A repository with a worktree `w`, a submodule `s` and a large directory `many`, which is a
/// worktree too.
fn plant(at: &Path) {
    write(at, ".git/HEAD", "ref: refs/heads/main\n");
    for name in ["w", "many"] {
        write(at, &format!(".git/worktrees/{name}/commondir"), "../..\n");
        write(at, &format!("{name}/.git"), &format!("gitdir: ../.git/worktrees/{name}\n"));
        write(at, &format!("{name}/sub/copy"), "");
    }
    // Their names fill more than one chunk of a listing.
    for number in 0..800 {
        fs::write(at.join(format!("many/{number:0200}")), "").unwrap();
    }
    write(at, ".git/modules/s/HEAD", "ref: refs/heads/main\n");
    write(at, "s/.git", "gitdir: ../.git/modules/s\n");
    write(at, "s/file", "");
    write(at, "own", "");
}

#[test]
fn worktrees_and_submodules_are_skipped_with_all_that_is_in_them() {
    let temp = tempfile::tempdir().unwrap();
    let at = temp.path();
    plant(at);
    let git = ["HEAD", "worktrees/w/commondir", "worktrees/many/commondir", "modules/s/HEAD"];
    let git = git.map(|name| at.join(".git").join(name));
    let own = [&git[..], &[at.join("own")]].concat();
    for config in variants(&root(at), 3) {
        let reports = Arc::new(Reports::default());
        let on_skip: Option<Arc<dyn SkipObserver>> = Some(reports.clone());
        let config = WalkConfig { skip_worktrees: true, on_skip, ..config };
        let submodule = [at.join("s/.git"), at.join("s/file")];
        expect(&config, &[&own[..], &submodule].concat(), &[]);
        let reports = std::mem::take(&mut *reports.0.lock().unwrap());
        let reason = "ignored: another worktree of this repository".to_owned();
        let expected = ["many", "w"].map(|name| (at.join(name), reason.clone()));
        assert_eq!(reports, expected.into());
        expect(&WalkConfig { skip_submodules: true, ..config }, &own, &[]);
    }
}

#[test]
fn why_names_the_directory_that_is_skipped() {
    let temp = tempfile::tempdir().unwrap();
    let at = temp.path();
    plant(at);
    let config = WalkConfig { skip_worktrees: true, skip_submodules: true, ..Default::default() };
    let fate = |root: &Path, below: &str| {
        let root = crate::Root::Path(root.to_owned());
        why(&config, &everything(), &root, below.as_ref()).0.unwrap()
    };
    for (path, dir, reason) in [
        ("w", "w", "ignored: another worktree of this repository"),
        ("w/sub/copy", "w", "ignored: another worktree of this repository"),
        ("many/sub", "many", "ignored: another worktree of this repository"),
        ("s/file", "s", "ignored: a submodule"),
    ] {
        let left_out = Fate::LeftOut { path: at.join(dir), why: reason.to_owned() };
        assert_eq!(fate(at, path), left_out);
    }
    assert!(matches!(fate(&at.join("w"), "sub/copy"), Fate::Visited(_)));
    assert!(matches!(fate(&at.join("s"), "file"), Fate::Visited(_)));
}
