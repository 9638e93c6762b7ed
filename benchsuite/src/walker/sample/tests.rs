//! Samples of made trees, taken in this process: what each configuration sees of them.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::*;
use crate::walker::plan::Plan;

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

fn outcome(configuration: &Configuration, mode: Mode, path: &Path) -> Outcome {
    Task::new(configuration, mode, path.to_path_buf()).run().unwrap()
}

/// Directories, files, links, errors.
fn numbers(counts: &Counts) -> [u64; 4] {
    [counts.directories, counts.files, counts.symlinks, counts.errors]
}

fn every_configuration(mode: Mode) -> Vec<Configuration> {
    let plan = Plan {
        threads: vec![1, 2, 5],
        queues: QueueKind::ALL.to_vec(),
        idles: IdleKind::ALL.to_vec(),
    };
    plan.configurations(mode)
}

#[test]
fn every_configuration_sees_the_same() {
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    let all = [4, 5, 2, 0];
    for (mode, expected, bytes) in
        [(Mode::All, all, 0), (Mode::Ignore, [2, 2, 1, 0], 0), (Mode::Read, all, 25)]
    {
        let reference = outcome(&Configuration::REFERENCE, mode, temp.path()).counts;
        assert_eq!((numbers(&reference), reference.bytes), (expected, bytes), "{mode:?}");
        for configuration in every_configuration(mode) {
            let outcome = outcome(&configuration, mode, temp.path());
            if configuration.system == System::Floor {
                assert_eq!(outcome.counts.files, 7, "{configuration}, {mode:?}");
            } else {
                let difference = outcome.counts.difference(&reference);
                assert_eq!(difference, None, "{configuration}, {mode:?}");
            }
        }
    }
}

#[test]
fn a_renamed_file_is_another_tree() {
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    let before = outcome(&Configuration::REFERENCE, Mode::All, temp.path()).counts;
    fs::rename(temp.path().join("one"), temp.path().join("eno")).unwrap();
    let after = outcome(&Configuration::REFERENCE, Mode::All, temp.path()).counts;
    assert_eq!(numbers(&before), numbers(&after));
    assert_eq!(after.difference(&before).unwrap(), "other paths, though as many");
}

#[test]
fn what_a_path_has_against_it_is_counted() {
    let temp = tempfile::tempdir().unwrap();
    let gone = temp.path().join("gone");
    let outcome = outcome(&Configuration::REFERENCE, Mode::All, &gone);
    assert_eq!(numbers(&outcome.counts), [0, 0, 0, 1]);
    let error = outcome.first_error.unwrap();
    assert_eq!(error, format!("{}: No such file or directory (os error 2)", gone.display()));
}

#[test]
fn files_of_any_length_are_read_to_their_end() {
    let temp = tempfile::tempdir().unwrap();
    let lengths = [0, 1, 4096, 128 << 10, (128 << 10) + 1, 300_000];
    for length in lengths {
        fs::write(temp.path().join(length.to_string()), vec![b'x'; length]).unwrap();
    }
    let outcome = outcome(&Configuration::REFERENCE, Mode::Read, temp.path());
    assert_eq!(outcome.counts.bytes, lengths.iter().sum::<usize>() as u64);
}

#[test]
fn a_sample_tells_what_it_cost() {
    let temp = tempfile::tempdir().unwrap();
    plant(temp.path());
    let sample = outcome(&Configuration::REFERENCE, Mode::All, temp.path()).sample;
    assert!(sample.wall_ns > 0);
    assert_eq!(sample.columns["items"], 4.0, "one per directory");
    assert_eq!(sample.columns["threads_started"], 0.0);
    assert_eq!(sample.columns["steals"], 0.0);
    #[cfg(target_os = "linux")]
    assert!(sample.peak_bytes.unwrap() > 0);
}
