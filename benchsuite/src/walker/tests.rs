//! Walks of small trees, in this process: what each configuration visits of them.

use std::{fs, os::unix::fs::symlink, path::Path};

use heist_queue::{IdleKind, QueueKind};

use super::{MeasuredWalk, Run, WalkMode};

/// 4 directories, 5 files with 25 bytes and 2 links, of which the rules leave 2, 2 and 1.
fn plant(at: &Path) {
    fs::create_dir_all(at.join("kept/build")).unwrap();
    fs::create_dir(at.join(".hidden")).unwrap();
    for file in ["one", "kept/two", "kept/build/three", ".hidden/four"] {
        fs::write(at.join(file), "abc").unwrap();
    }
    fs::write(at.join("kept/.ignore"), "build/\n*.lnk\n").unwrap();
    symlink("one", at.join("link")).unwrap();
    symlink("nowhere", at.join("kept/broken.lnk")).unwrap();
}

fn walk(mode: WalkMode, queue: &str, idle: &str, threads: usize, path: &Path) -> Run {
    let (queue, idle) = (queue.to_owned(), idle.to_owned());
    MeasuredWalk { mode, queue, idle, threads, path: path.to_path_buf() }.run().unwrap()
}

/// The walk that all others have to agree with.
fn alone(mode: WalkMode, path: &Path) -> Run {
    walk(mode, "stack", "biased-event", 1, path)
}

/// Directories, files, links, errors, bytes.
fn numbers(run: &Run) -> [f64; 5] {
    ["directories", "files", "symlinks", "errors", "bytes"].map(|name| run.figures.0[name])
}

#[test]
fn every_configuration_visits_the_same() {
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    for (mode, expected) in [
        (WalkMode::All, [4.0, 5.0, 2.0, 0.0, 0.0]),
        (WalkMode::Ignore, [2.0, 2.0, 1.0, 0.0, 0.0]),
        (WalkMode::Read, [4.0, 5.0, 2.0, 0.0, 25.0]),
    ] {
        let reference = alone(mode, temp.path());
        assert_eq!(numbers(&reference), expected, "{mode:?}");
        for queue in QueueKind::NAMES {
            for idle in IdleKind::NAMES {
                for threads in [1, 2, 5] {
                    let run = walk(mode, queue, idle, threads, temp.path());
                    let which = format!("{queue} {idle} -j{threads}, {mode:?}");
                    assert_eq!((run.result, run.invalid), (reference.result, None), "{which}");
                }
            }
        }
    }
}

#[test]
fn a_renamed_file_is_another_tree() {
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    let before = alone(WalkMode::All, temp.path());
    fs::rename(temp.path().join("one"), temp.path().join("eno")).unwrap();
    let after = alone(WalkMode::All, temp.path());
    assert_eq!(numbers(&before), numbers(&after));
    assert!(!before.result.unwrap().agrees(&after.result.unwrap()));
}

#[test]
fn an_error_of_a_path_is_counted() {
    let temp = tempfile::tempdir().unwrap();
    let gone = temp.path().join("gone");
    let run = alone(WalkMode::All, &gone);
    assert_eq!(numbers(&run), [0.0, 0.0, 0.0, 1.0, 0.0]);
    let error = run.note.unwrap();
    assert_eq!(error, format!("{}: No such file or directory (os error 2)", gone.display()));
}

#[test]
fn files_of_any_length_are_read_to_their_end() {
    let temp = tempfile::tempdir().unwrap();
    let lengths = [0, 1, 4096, 128 << 10, (128 << 10) + 1, 300_000];
    for length in lengths {
        fs::write(temp.path().join(length.to_string()), vec![b'x'; length]).unwrap();
    }
    let run = alone(WalkMode::Read, temp.path());
    assert_eq!(run.figures.0["bytes"], lengths.iter().sum::<usize>() as f64);
}

#[test]
fn a_sample_has_its_cost() {
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    let run = alone(WalkMode::All, temp.path());
    let [wall, items, started, steals] =
        ["wall", "items", "threads_started", "steals"].map(|name| run.figures.0[name]);
    assert!(wall > 0.0);
    assert_eq!((items, started, steals), (4.0, 0.0, 0.0), "an item per directory");
}
