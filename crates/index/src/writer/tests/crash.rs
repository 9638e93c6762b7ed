//! Writers that are killed, full disks, and directories that cannot be used.

use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    io::Write,
    os::unix::fs::{FileExt, PermissionsExt},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use skipped_tests::skip;

use super::{text, update::Changing};
use crate::{Error, writer::Builder};

/// The variables of the process that builds until it is killed.
const HOME: &str = "HEIST_INDEX_TEST_HOME";
const ROOT: &str = "HEIST_INDEX_TEST_ROOT";

/// Does nothing, unless another test started it.
#[test]
fn a_writer_to_be_killed() {
    let (Some(dir), Some(root)) = (env::var_os(HOME), env::var_os(ROOT)) else { return };
    let (dir, root) = (Path::new(&dir), Path::new(&root));
    let mut rng = fastrand::Rng::new();
    loop {
        let builder = match rng.bool() {
            true => Builder::new(dir, root),
            false => Builder::update(dir, root),
        };
        let builder = builder.unwrap();
        let mut collector = builder.collector();
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            // Sometimes files are forgotten, so that there is something to write.
            let stamp = crate::Stamp::of(&fs::metadata(&path).unwrap()).unwrap();
            if rng.u8(..8) > 0 && !collector.keep(&stamp) {
                collector.add(&mut File::open(path).unwrap()).unwrap();
            }
        }
        drop(collector);
        builder.finish(2).unwrap();
    }
}

fn start_writer(tree: &Changing) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "writer::tests::crash::a_writer_to_be_killed"])
        .env(HOME, tree.dir())
        .env(ROOT, &tree.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn times() -> u64 {
    env::var("HEIST_ORACLE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

#[test]
fn an_index_survives_the_death_of_its_writer() {
    let mut rng = fastrand::Rng::with_seed(16);
    let mut tree = Changing::new();
    for name in 0..30 {
        tree.write(&name.to_string(), &text(&mut rng));
    }
    tree.update();
    for _ in 0..30 * times() {
        let mut writer = start_writer(&tree);
        thread::sleep(Duration::from_micros(rng.u64(2_000..30_000)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        // What it has left is a whole index, which may cover less.
        tree.check();
        if rng.u8(..4) == 0 {
            tree.write(&rng.u8(..30).to_string(), &text(&mut rng));
        }
        if rng.u8(..4) == 0 {
            let built = tree.update();
            assert_eq!((built.files, tree.check().1), (30, 0));
        }
    }
    tree.update();
    let files = fs::read_dir(tree.dir()).unwrap().count();
    assert_eq!(files, tree.home.find(&tree.root).unwrap().segments() + 3);
}

/// Every damage to every file is noticed, or does not change an answer.
#[test]
fn damage_is_an_error_or_changes_nothing() {
    let mut rng = fastrand::Rng::with_seed(17);
    let mut tree = Changing::new();
    for name in 0..20 {
        tree.write(&name.to_string(), &text(&mut rng));
    }
    tree.update();
    tree.write("3", &text(&mut rng));
    tree.update();
    let expected = tree.check();
    let mut noticed = 0;
    for entry in fs::read_dir(tree.dir()).unwrap() {
        let path = entry.unwrap().path();
        let whole = fs::read(&path).unwrap();
        for case in 0..150 * times() {
            let mut damaged = whole.clone();
            match case % 4 {
                0 => damaged.truncate(rng.usize(..=whole.len())),
                1 if !whole.is_empty() => damaged[rng.usize(..whole.len())] = rng.u8(..),
                2 => damaged.extend((0..rng.usize(..40)).map(|_| rng.u8(..))),
                _ if !whole.is_empty() => damaged[rng.usize(..whole.len())] ^= 1 << rng.u8(..8),
                _ => {}
            }
            fs::write(&path, &damaged).unwrap();
            match tree.try_check() {
                // Files whose records cannot be read are not covered.
                Ok((excluded, unknown)) if (excluded, unknown) != expected => {
                    noticed += 1;
                    assert!(excluded < expected.0 && unknown > expected.1);
                }
                Ok(_) => {}
                Err(Error::Absent) => panic!("a damaged index is not an absent one"),
                Err(error) => {
                    noticed += 1;
                    let text = error.to_string();
                    assert!(text.starts_with(tree.dir().to_str().unwrap()), "{text}");
                }
            }
        }
        fs::write(&path, &whole).unwrap();
        assert_eq!(tree.check(), expected);
    }
    assert!(noticed > 200, "{noticed}");
    // An update writes a damaged index anew.
    let manifest = tree.dir().join("manifest");
    fs::write(&manifest, "damaged").unwrap();
    assert!(tree.try_check().is_err());
    assert_eq!(tree.update().kept, 0);
    assert_eq!(tree.check(), expected);
}

#[test]
fn an_index_of_another_version_is_no_damaged_one_and_is_written_anew() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha bravo\n");
    for version in [1, u32::MAX] {
        tree.update();
        let expected = tree.check();
        for entry in fs::read_dir(tree.dir()).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = fs::read(&path).unwrap();
            if path.ends_with("manifest") {
                bytes[8..12].copy_from_slice(&version.to_le_bytes());
            }
            // Nothing else is as this version would have it.
            bytes.extend([7; 16]);
            fs::write(path, bytes).unwrap();
        }
        let errors = [tree.try_check().unwrap_err(), tree.verify().unwrap_err()];
        for error in errors {
            let text = error.to_string();
            assert!(text.contains(&format!("has version {version} of the format")), "{text}");
            assert!(!error.is_damage());
        }
        assert_eq!(tree.update().kept, 0);
        assert_eq!(tree.check(), expected);
    }
}

/// Changes a byte of the first list of a segment, or changes it back.
fn damage(segment: &Path) {
    let mut bytes = fs::read(segment).unwrap();
    bytes[1] ^= 1;
    // The clock of the file system may stand still for so long.
    thread::sleep(Duration::from_millis(20));
    fs::write(segment, bytes).unwrap();
}

#[test]
fn an_update_writes_anew_what_was_damaged_since_the_last_one() {
    let mut tree = Changing::new();
    for name in 0..10 {
        tree.write(&name.to_string(), b"alpha bravo\n");
    }
    tree.update();
    let expected = tree.check();
    // In the first list, which an update that merges nothing does not read.
    damage(&tree.dir().join("segment-0"));
    assert_eq!(tree.update().kept, 0);
    assert_eq!(tree.check(), expected);
    // What was written to, but is as it was, is kept.
    let segment = tree.dir().join("segment-1");
    damage(&segment);
    damage(&segment);
    assert_eq!(tree.update().kept, 10);
    fs::remove_file(segment).unwrap();
    assert_eq!(tree.update().kept, 0);
}

#[test]
fn a_damaged_segment_that_cannot_be_merged_is_given_up() {
    let mut tree = Changing::new();
    for name in 0..10 {
        tree.write(&name.to_string(), b"alpha bravo\n");
    }
    tree.update();
    damage(&tree.dir().join("segment-0"));
    for name in 0..5 {
        tree.write(&name.to_string(), b"charlie\n");
    }
    // As if the disk had lost what it held, which changes no time.
    let manifest = tree.dir().join("manifest");
    fs::write(&manifest, fs::read(&manifest).unwrap()).unwrap();
    thread::sleep(Duration::from_millis(120));
    assert!(tree.try_update().unwrap_err().is_damage());
    assert!(matches!(tree.home.find(&tree.root), Err(Error::Absent)));
    assert_eq!(tree.update().files, 10);
    tree.check();
}

/// Runs are files of the update alone: what is wrong with one is no damage of the old index.
#[test]
fn a_run_that_cannot_be_read_leaves_the_index_as_it_was() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha bravo\n");
    tree.update();
    let excluded = tree.check().0;
    for name in ["b", "c", "d"] {
        tree.write(name, b"charlie\n");
        thread::sleep(Duration::from_millis(120));
        let builder = Builder::update(&tree.dir(), &tree.root).unwrap();
        tree.collect(&builder).unwrap();
        let run = builder.workspace.collected.lock().unwrap()[0].file.clone().unwrap();
        let len = run.metadata().unwrap().len();
        match name {
            // The place of the last bucket but one.
            "b" => run.write_all_at(&[0xff; 4], len - 8).unwrap(),
            // The first list.
            "c" => run.write_all_at(&[0xff; 30], 0).unwrap(),
            _ => run.set_len(len - 1).unwrap(),
        }
        let error = builder.finish(2).unwrap_err();
        assert!(
            matches!(&error, Error::At(_, error) if matches!(**error, Error::Io(_))),
            "{error}"
        );
        assert_eq!(tree.check().0, excluded);
    }
    assert_eq!(tree.update().kept, 1);
}

#[test]
fn a_panic_while_files_are_added_leaves_the_index_as_it_was() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha bravo\n");
    tree.update();
    let excluded = tree.check().0;
    tree.write("b", b"charlie\n");
    thread::sleep(Duration::from_millis(120));
    let builder = Builder::update(&tree.dir(), &tree.root).unwrap();
    thread::scope(|scope| {
        // With another collector the writer remains, which has the files of one that has ended.
        let collector = builder.collector();
        tree.collect(&builder).unwrap();
        let panicking = || builder.workspace.with_writer(|_| panic!("as a test expects"));
        assert!(scope.spawn(panicking).join().is_err());
        drop(collector);
    });
    let error = builder.finish(2).unwrap_err();
    assert_eq!(error.to_string(), "a thread panicked while it added files");
    assert_eq!(tree.check().0, excluded);
    assert_eq!(tree.update().kept, 1);
}

#[test]
fn a_directory_that_others_may_write_to_is_not_used() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha\n");
    tree.update();
    for dir in [tree.dir(), tree.home.path().to_owned()] {
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o770)).unwrap();
        let error = tree.home.find(&tree.root).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: another user", dir.display())), "{error}");
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
    }
    fs::set_permissions(tree.dir(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(tree.try_update().is_err());
    fs::set_permissions(tree.dir(), fs::Permissions::from_mode(0o700)).unwrap();
    tree.check();
    if std::os::unix::fs::chown(tree.dir(), Some(12345), None).is_err() {
        return skip("only root can give a directory to another user");
    }
    assert!(
        matches!(tree.home.find(&tree.root), Err(Error::At(_, error)) if matches!(*error, Error::Untrusted))
    );
}

#[test]
fn errors_name_the_path() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha\n");
    fs::write(tree.home.path(), "a file").unwrap();
    let error = tree.try_update().unwrap_err().to_string();
    assert!(error.starts_with(tree.home.path().to_str().unwrap()), "{error}");
    let error = tree.home.find(&tree.root).unwrap_err().to_string();
    assert!(error.starts_with(tree.home.path().to_str().unwrap()), "{error}");
    fs::remove_file(tree.home.path()).unwrap();
    tree.update();
    let parent = tree.home.path().parent().unwrap().join("locked");
    fs::create_dir(&parent).unwrap();
    fs::set_permissions(&parent, fs::Permissions::from_mode(0o500)).unwrap();
    match Builder::update(&parent.join("home"), &tree.root) {
        // Root may write to any directory.
        Ok(_) => assert!(rustix::process::geteuid().is_root()),
        Err(error) => assert!(error.to_string().starts_with(parent.to_str().unwrap()), "{error}"),
    }
}

#[test]
fn a_full_disk_leaves_the_index_as_it_was() {
    let temp = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m,mode=700", "heist-test"])
        .arg(temp.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        return skip("only root can mount a small file system");
    }
    let mut tree = Changing::with_home(temp.path().join("home"));
    tree.write("a", b"alpha bravo\n");
    tree.update();
    let expected = tree.check();
    let filler = temp.path().join("filler");
    for left in [0, 4096, 60_000, 140_000, 300_000] {
        tree.write(&format!("b{left}"), &b"alpha bravo\n".repeat(3000));
        thread::sleep(Duration::from_millis(120));
        let fill = || {
            // Until nothing more fits, and then so much less.
            let mut bytes = 0;
            while bytes < 1 << 20 && fs::write(&filler, vec![1; bytes + 4096]).is_ok() {
                bytes += 4096;
            }
            fs::write(&filler, vec![1; bytes.saturating_sub(left)])
        };
        let _ = fill();
        match tree.try_update() {
            Ok(_) => {}
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("No space left on device"), "{text}");
                assert!(text.starts_with(temp.path().to_str().unwrap()), "{text}");
            }
        }
        assert!(tree.check().0 >= expected.0);
        fs::remove_file(&filler).unwrap();
    }
    tree.update();
    assert_eq!(tree.check().1, 0);
    assert!(Command::new("umount").arg(temp.path()).status().unwrap().success());
}

/// A writer rewrites files, all of the same size, while updates run: no update believes a content
/// that was changed while it was read.
#[test]
fn files_that_are_rewritten_meanwhile_are_not_believed() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let mut tree = Changing::new();
    let words = ["alpha ", "bravo ", "echo x", "foo(b "];
    let content = |word: &str| format!("{}\n", word.repeat(2000));
    for name in 0..6 {
        tree.write(&name.to_string(), content("alpha ").as_bytes());
    }
    let stop = AtomicBool::new(false);
    let mut checks = 0;
    for round in 0..8 * times() {
        let last = thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut rng = fastrand::Rng::with_seed(round);
                let mut last = BTreeMap::new();
                // Ordering: only the flag matters.
                while !stop.load(Ordering::Relaxed) {
                    let name = rng.u8(..6).to_string();
                    let bytes = content(rng.choice(words).unwrap());
                    // In place, so that inode and size remain.
                    let mut file = File::options().write(true).open(tree.root.join(&name)).unwrap();
                    for piece in bytes.as_bytes().chunks(1 << rng.u8(9..14)) {
                        file.write_all(piece).unwrap();
                    }
                    last.insert(name, bytes);
                    if rng.u8(..30) == 0 {
                        thread::sleep(Duration::from_millis(rng.u64(..130)));
                    }
                }
                last
            });
            for _ in 0..30 {
                tree.try_update().unwrap();
            }
            stop.store(true, Ordering::Relaxed);
            writer.join().unwrap()
        });
        stop.store(false, Ordering::Relaxed);
        last.into_iter().for_each(|(name, bytes)| tree.note(&name, bytes.into_bytes()));
        tree.check();
        checks += 1;
    }
    assert!(checks > 0);
    tree.update();
    assert_eq!(tree.check().1, 0);
}
