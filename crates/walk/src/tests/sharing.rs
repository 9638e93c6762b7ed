//! The files of one directory are shared by all workers if they are many, or if each takes long.

use std::{
    fs,
    ops::ControlFlow,
    sync::{Condvar, Mutex},
    time::Duration,
};

use heist_queue::{QueueKind, Sharing};

use super::{everything, random, root};
use crate::{Entry, Helpers, Visitor, WalkConfig};

/// Waits at each of its first files until every worker has received one. At least one wait must
/// succeed.
struct Meeting<'a> {
    place: &'a (Mutex<usize>, Condvar),
    workers: usize,
    files: usize,
    /// The number of files at which it waits.
    waits: usize,
    /// The longest wait for each.
    patience: Duration,
}

impl Visitor for Meeting<'_> {
    fn entry(&mut self, _: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        self.files += 1;
        if self.files <= self.waits {
            let (count, changed) = self.place;
            let mut count = count.lock().unwrap();
            if self.files == 1 {
                *count += 1;
                changed.notify_all();
            }
            let some_missing = |count: &mut usize| *count < self.workers;
            let (_count, waited) =
                changed.wait_timeout_while(count, self.patience, some_missing).unwrap();
            let may_come = self.files < self.waits;
            assert!(may_come || !waited.timed_out(), "a worker was left without files");
        }
        ControlFlow::Continue(())
    }

    expect_no_errors!();
}

#[test]
fn one_large_directory_is_shared_by_all_workers() {
    let temp = tempfile::tempdir().unwrap();
    for i in 0..2000 {
        fs::write(temp.path().join(i.to_string()), "").unwrap();
    }
    let ways = |&queue| Sharing::ALL.iter().map(move |&sharing| (queue, sharing));
    for (queue, sharing) in QueueKind::ALL.iter().flat_map(ways) {
        let workers = 4;
        let place = (Mutex::new(0), Condvar::new());
        let config = WalkConfig { workers, queue, sharing, ..WalkConfig::default() };
        let config = WalkConfig { roots: root(temp.path()), ..config };
        let patience = Duration::from_secs(20);
        let visitor = |_| Meeting { place: &place, workers, files: 0, waits: 1, patience };
        let report = crate::walk(&config, &everything(), visitor).expect("no panic");
        assert_eq!(report.visitors.iter().map(|v| v.files).sum::<usize>(), 2000);
    }
}

#[test]
fn a_few_costly_files_are_shared() {
    let temp = tempfile::tempdir().unwrap();
    let files = 200;
    for i in 0..files {
        fs::write(temp.path().join(i.to_string()), "").unwrap();
    }
    let workers = 2;
    let place = (Mutex::new(0), Condvar::new());
    let config =
        WalkConfig { roots: root(temp.path()), workers, slice: 1000, ..WalkConfig::default() };
    let patience = Duration::from_millis(20);
    let visitor = |_| Meeting { place: &place, workers, files: 0, waits: files, patience };
    let report = crate::walk(&config, &everything(), visitor).expect("no panic");
    assert_eq!(report.visitors.iter().map(|v| v.files).sum::<usize>(), files);
    assert_eq!(place.0.into_inner().unwrap(), workers);
}

#[test]
fn a_single_file_is_not_split_off() {
    let temp = tempfile::tempdir().unwrap();
    // A chain of directories, so that there is never work for all.
    random::chain(temp.path(), 30);
    for slice in [0, 1] {
        let config =
            WalkConfig { roots: root(temp.path()), workers: 4, slice, ..WalkConfig::default() };
        let report = crate::walk(&config, &everything(), |_| Slow(0)).expect("no panic");
        assert_eq!(report.visitors.iter().map(|slow| slow.0).sum::<usize>(), 30);
    }
}

/// Counts files, and takes so long for each that other workers become idle.
struct Slow(usize);

impl Visitor for Slow {
    fn entry(&mut self, _: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        std::thread::sleep(Duration::from_millis(1));
        self.0 += 1;
        ControlFlow::Continue(())
    }

    expect_no_errors!();
}
