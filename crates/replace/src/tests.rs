//! Random texts and edits against the slow way: the whole text in memory, and `git apply`.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, SystemTime},
};

use super::*;

/// How many random texts are edited.
const RANDOM_TEXTS: u64 = 300;

/// A text of lines, and edits of it.
fn random_case(rng: &mut fastrand::Rng) -> (Vec<u8>, Vec<Edit>) {
    let parts = ["a", "bc", "\n", "\n", "\r\n", "\u{e9}", "x y", "\n\n", "0123456789\n"];
    let text: String = (0..rng.usize(..60)).map(|_| parts[rng.usize(..parts.len())]).collect();
    let text = text.into_bytes();
    let (mut edits, mut at): (Vec<Edit>, usize) = (Vec::new(), 0);
    while at < text.len() && edits.len() < 8 {
        let start = at + rng.usize(..=(text.len() - at).min(20));
        let end = start + rng.usize(..=(text.len() - start).min(4));
        let new = ["", "new", "\n", "one\ntwo", "three\n"][rng.usize(..5)].as_bytes().to_vec();
        let old = text[start..end].to_vec();
        // A second edit at one place, or an insertion at the end, is in no order.
        let is_after = edits.last().is_none_or(|last| last.at < start as u64);
        if old != new && is_after && start < text.len() {
            edits.push(Edit { at: start as u64, old, new });
        }
        at = end.max(start + 1);
    }
    (text, edits)
}

fn expected(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut text = text.to_vec();
    for edit in edits.iter().rev() {
        let range = usize::try_from(edit.at).unwrap()..usize::try_from(edit.end()).unwrap();
        text.splice(range, edit.new.iter().copied());
    }
    text
}

fn edits_of(dir: &Path, path: &Path, edits: Vec<Edit>) -> Result<FileEdits, Error> {
    FileEdits::new(path, &fs::metadata(path).unwrap(), &Roots::new([dir])?, edits)
}

#[test]
fn random_texts_are_written_and_put_back() {
    let dir = tempfile::tempdir().unwrap();
    let log = ChangeLog::new(dir.path().join("changes"));
    let path = dir.path().join("text");
    for seed in 0..RANDOM_TEXTS {
        let (text, edits) = random_case(&mut fastrand::Rng::with_seed(seed));
        fs::write(&path, &text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000 + seed, 123_456_700);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let files = [edits_of(dir.path(), &path, edits.clone()).unwrap()];
        let applied = apply(&files, Some(&mut log.begin().unwrap())).unwrap();
        assert_eq!(applied.written, [0], "seed {seed}: {:?}", applied.failures);
        let new = fs::read(&path).unwrap();
        assert_eq!(new, expected(&text, &edits), "seed {seed}: {edits:?}");
        let undoing = undo(&log, None).unwrap().unwrap();
        assert!(undoing.refused.is_empty(), "seed {seed}");
        apply(&undoing.files, Some(&mut log.begin().unwrap())).unwrap();
        assert_eq!(fs::read(&path).unwrap(), text, "seed {seed}");
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time, "seed {seed}");
        let undoing = undo(&log, None).unwrap().unwrap();
        apply(&undoing.files, None).unwrap();
        assert_eq!(fs::read(&path).unwrap(), new, "undone twice, seed {seed}");
    }
    let entries: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(entries.len(), 2, "temporary files remain: {entries:?}");
    assert!(log.numbers().unwrap().len() <= 100);
}

#[test]
fn git_applies_random_patches() {
    if Command::new("git").arg("--version").output().is_err() {
        return skipped_tests::skip("git is not installed");
    }
    let dir = tempfile::tempdir().unwrap();
    for seed in 0..RANDOM_TEXTS {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (text, edits) = random_case(&mut rng);
        if edits.is_empty() {
            continue;
        }
        let names = ["a", "a b", "\u{e9}", "a\"b", "a\tb", "a\\b"];
        let name = if cfg!(unix) { names[rng.usize(..names.len())] } else { "a" };
        let path = dir.path().join(name);
        fs::write(&path, &text).unwrap();
        let mut file = edits_of(dir.path(), &path, edits.clone()).unwrap();
        file.shown = name.into();
        let mut patch = Vec::new();
        write_patch(&file, &mut patch).unwrap();
        fs::write(dir.path().join("patch"), &patch).unwrap();
        let mut git = Command::new("git");
        git.args(["-c", "core.autocrlf=false", "apply", "patch"]).current_dir(dir.path());
        let output = git.env("GIT_CEILING_DIRECTORIES", dir.path()).output().unwrap();
        let shown = String::from_utf8_lossy(&patch);
        assert!(output.status.success(), "seed {seed}: {output:?}\n{shown}");
        let patched = fs::read(&path).unwrap();
        assert_eq!(patched, expected(&text, &edits), "seed {seed}:\n{shown}");
    }
}

#[test]
fn a_file_that_has_changed_is_refused_and_the_others_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let edit = || vec![Edit { at: 0, old: b"a".to_vec(), new: b"b".to_vec() }];
    let mut files = Vec::new();
    for name in ["0", "1", "2"] {
        let path = dir.path().join(name);
        fs::write(&path, "a").unwrap();
        files.push(edits_of(dir.path(), &path, edit()).unwrap());
    }
    fs::write(dir.path().join("1"), "ax").unwrap();
    let log = ChangeLog::new(dir.path().join("changes"));
    let applied = apply(&files, Some(&mut log.begin().unwrap())).unwrap();
    assert_eq!(applied.written, [0, 2]);
    let reason = applied.failures[0].reason();
    assert_eq!(reason, "not written: it has changed since it was read");
    assert_eq!(fs::read(dir.path().join("1")).unwrap(), b"ax");
    fs::write(dir.path().join("2"), "edited").unwrap();
    let undoing = undo(&log, None).unwrap().unwrap();
    assert_eq!((undoing.files.len(), undoing.refused.len()), (1, 1));
    assert_eq!(undoing.refused[0].path(), dir.path().join("2").canonicalize().unwrap());
    assert!(undo(&log, Some(7)).is_err(), "there is no such change");
}

#[test]
fn old_bytes_that_are_not_there_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    fs::write(&path, "abc").unwrap();
    for edit in [(0, "x"), (2, "cd"), (9, "")] {
        let edit = Edit { at: edit.0, old: edit.1.into(), new: b"new".to_vec() };
        let files = [edits_of(dir.path(), &path, vec![edit]).unwrap()];
        let applied = apply(&files, None).unwrap();
        assert_eq!((applied.written.len(), applied.failures.len()), (0, 1));
        assert_eq!(fs::read(&path).unwrap(), b"abc");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_killed_runs_have_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    let edit = || vec![Edit { at: 0, old: b"a".to_vec(), new: b"b".to_vec() }];
    fs::write(&path, "a").unwrap();
    let log = ChangeLog::new(dir.path().join("changes"));
    let names = |dir: &Path| {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    };
    let mut journal = log.begin().unwrap();
    journal.begin(&[edits_of(dir.path(), &path, edit()).unwrap()]).unwrap();
    let beside = |tag: u64| dir.path().join(runs::temporary_name(tag, 0));
    let (alive, killed) = (beside(journal.tag()), beside(7));
    fs::write(&alive, "").unwrap();
    fs::write(&killed, "").unwrap();
    fs::write(dir.path().join("changes/1-0000000000000007.running"), "").unwrap();
    log.sweep().unwrap();
    assert!(alive.exists(), "the run still has its lock");
    assert!(!killed.exists());
    assert_eq!(names(&dir.path().join("changes")).len(), 3, "the change, its run and the lock");
    drop(journal);
    assert_eq!(names(&dir.path().join("changes")), ["1", "lock"]);
}

#[test]
fn a_change_that_was_killed_before_a_file_changed_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    fs::write(&path, "a").unwrap();
    let log = ChangeLog::new(dir.path().join("changes"));
    let edit = |old: &[u8], new: &[u8]| vec![Edit { at: 0, old: old.to_vec(), new: new.to_vec() }];
    let files = [edits_of(dir.path(), &path, edit(b"a", b"b")).unwrap()];
    apply(&files, Some(&mut log.begin().unwrap())).unwrap();
    let files = [edits_of(dir.path(), &path, edit(b"b", b"c")).unwrap()];
    let mut journal = log.begin().unwrap();
    journal.begin(&files).unwrap();
    let staged = write::stage(&files[0], journal.tag()).unwrap();
    journal.mark([(0, staged.stamp)].into_iter()).unwrap();
    drop((staged, journal));
    let undoing = undo(&log, None).unwrap().unwrap();
    assert_eq!((undoing.number, undoing.files.len()), (1, 1));
}

#[test]
fn damaged_journals_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    fs::write(&path, "abc").unwrap();
    let edit = Edit { at: 1, old: b"b".to_vec(), new: b"BB".to_vec() };
    let files = [edits_of(dir.path(), &path, vec![edit]).unwrap()];
    let log = ChangeLog::new(dir.path().join("changes"));
    apply(&files, Some(&mut log.begin().unwrap())).unwrap();
    let edits = dir.path().join("changes").join("1").join("edits");
    let good = fs::read(&edits).unwrap();
    for len in 0..good.len() {
        fs::write(&edits, &good[..len]).unwrap();
        // A journal that ends behind its beginning has no file.
        match undo(&log, None) {
            Ok(undoing) => assert!(undoing.is_none_or(|it| it.files.is_empty()), "{len} bytes"),
            Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
        }
    }
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn mode_owner_and_attributes_stay_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "abc").unwrap();
        symlink("real", &link).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o4751)).unwrap();
        let flags = rustix::fs::XattrFlags::empty();
        let has_attributes = rustix::fs::setxattr(&real, c"user.heist", b"kept", flags).is_ok();
        let before = fs::metadata(&real).unwrap();
        let edit = Edit { at: 1, old: b"b".to_vec(), new: b"BB".to_vec() };
        let files = [edits_of(dir.path(), &link, vec![edit]).unwrap()];
        assert_eq!(apply(&files, None).unwrap().written, [0]);
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"aBBc");
        let after = fs::metadata(&real).unwrap();
        assert_eq!(
            (after.mode(), after.uid(), after.gid()),
            (before.mode(), before.uid(), before.gid())
        );
        if has_attributes {
            let mut value = [0; 9];
            let len = rustix::fs::getxattr(&real, c"user.heist", &mut value[..]).unwrap();
            assert_eq!(&value[..len], b"kept");
        }
    }

    #[test]
    fn only_the_user_may_read_journals() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let log = ChangeLog::new(state.join("changes"));
        let _journal = log.begin().unwrap();
        for path in [state.clone(), state.join("changes"), state.join("changes/1")] {
            let mode = fs::metadata(&path).unwrap().mode() & 0o777;
            assert_eq!(mode, 0o700, "{}", path.display());
        }
    }

    #[test]
    fn what_must_not_be_written_is_refused() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = |name: &str| dir.path().join(name);
        fs::write(other.path().join("file"), "a").unwrap();
        symlink(other.path().join("file"), path("out")).unwrap();
        fs::write(path("hard"), "a").unwrap();
        fs::hard_link(path("hard"), path("harder")).unwrap();
        fs::write(path("locked"), "a").unwrap();
        fs::set_permissions(path("locked"), fs::Permissions::from_mode(0o444)).unwrap();
        for (name, reason) in [
            ("out", "leads out of what is searched"),
            ("hard", "another name"),
            ("locked", "write-protected"),
            ("", "no regular file"),
        ] {
            let error = edits_of(dir.path(), &path(name), Vec::new()).unwrap_err();
            assert!(error.reason().contains(reason), "{name}: {error}");
        }
    }
}
