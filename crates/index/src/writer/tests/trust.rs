//! Cache directories that another user has made, or could exchange.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, lchown, symlink},
};

use super::update::Changing;
use crate::{
    Error, Home,
    writer::{Builder, Verifier},
};

/// What a user whom this one cannot trust can have made of a cache directory.
#[test]
fn writers_refuse_what_another_user_has_made() {
    /// Any user but root and this one.
    const OTHER: Option<u32> = Some(12345);

    let mut tree = Changing::new();
    tree.write("a", b"alpha\n");
    tree.update();
    let (dir, temp) = (tree.dir(), tree.home.path().parent().unwrap().to_owned());
    let work = temp.join("work");
    fs::create_dir(&work).unwrap();
    for name in ["run-tests", "segment-7", "lock", "manifest"] {
        fs::write(work.join(name), "mine").unwrap();
    }
    let refuse = |home: &Home, what: &str| {
        let dir = home.dir_of(&tree.root);
        let errors = [
            Builder::update(&dir, &tree.root).map(drop).unwrap_err(),
            Builder::new(&dir, &tree.root).map(drop).unwrap_err(),
            Verifier::new(&dir, &tree.root).map(drop).unwrap_err(),
            home.drop_index(&tree.root).unwrap_err(),
            home.find(&tree.root).map(drop).unwrap_err(),
        ];
        for error in errors {
            assert!(!matches!(error, Error::Absent), "{what}: {error}");
        }
        for name in ["run-tests", "segment-7", "lock", "manifest"] {
            assert_eq!(fs::read(work.join(name)).unwrap(), b"mine", "{what}");
        }
        assert_eq!(fs::read_dir(&work).unwrap().count(), 4, "{what}");
    };
    // A link in place of the index, even of this user.
    let away = temp.join("away");
    fs::rename(&dir, &away).unwrap();
    symlink(&work, &dir).unwrap();
    refuse(&tree.home, "link");
    fs::remove_file(&dir).unwrap();
    fs::rename(&away, &dir).unwrap();
    // A directory above the cache that others may write to.
    let open = temp.join("open");
    fs::create_dir(&open).unwrap();
    fs::rename(tree.home.path(), open.join("heist")).unwrap();
    let home = Home::new(open.join("heist"));
    home.find(&tree.root).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    refuse(&home, "writable");
    let link = temp.join("link");
    symlink(&open, &link).unwrap();
    refuse(&Home::new(link.join("heist")), "link to writable");
    // Such as /tmp.
    fs::set_permissions(&open, fs::Permissions::from_mode(0o1777)).unwrap();
    home.find(&tree.root).unwrap();
    Builder::update(&home.dir_of(&tree.root), &tree.root).unwrap();
    Home::new(link.join("heist")).find(&tree.root).unwrap();
    if lchown(&link, OTHER, None).is_err() {
        return skipped_tests::skip("only root can give a directory to another user");
    }
    refuse(&Home::new(link.join("heist")), "link of another user");
    refuse(&Home::new(link.join("../open/heist")), "link on the way");
    chown(&open, OTHER, None).unwrap();
    refuse(&home, "directory of another user above");
    chown(&open, Some(0), None).unwrap();
    chown(home.path(), OTHER, None).unwrap();
    refuse(&home, "cache of another user");
    fs::remove_dir_all(home.dir_of(&tree.root)).unwrap();
    symlink(&work, home.dir_of(&tree.root)).unwrap();
    refuse(&home, "link in a cache of another user");
}

#[test]
fn an_index_is_removed_without_what_is_not_of_it() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha\n");
    tree.update();
    let note = tree.dir().join("note.txt");
    fs::write(&note, "mine").unwrap();
    let error = tree.home.drop_index(&tree.root).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: ", tree.dir().display())), "{error}");
    let left = fs::read_dir(tree.dir()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(left.collect::<Vec<_>>(), [note]);
    assert!(matches!(tree.home.drop_index(&tree.root.join("x")), Err(Error::Absent)));
}
