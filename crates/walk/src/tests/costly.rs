//! Files that take long are shared, however few they are.

use std::{
    collections::HashSet,
    fs,
    ops::ControlFlow,
    sync::{Condvar, Mutex},
    thread::{self, ThreadId},
    time::Duration,
};

use heist_filter::Problem;

use super::{everything, root};
use crate::{Config, Crew, Error, File, Visitor};

/// Takes long over each file, until somebody else has come.
struct Slow<'a> {
    workers: &'a Mutex<HashSet<ThreadId>>,
    came: &'a Condvar,
}

impl Visitor for Slow<'_> {
    fn file(&mut self, _: &File<'_>, _: &mut dyn Crew) -> ControlFlow<()> {
        let mut workers = self.workers.lock().unwrap();
        if workers.insert(thread::current().id()) {
            self.came.notify_all();
        }
        let long = Duration::from_millis(20);
        drop(self.came.wait_timeout_while(workers, long, |workers| workers.len() < 2).unwrap());
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }

    fn problem(&mut self, problem: Problem) {
        panic!("{problem:?}");
    }
}

#[test]
fn costly_files_are_shared_however_few() {
    let temp = tempfile::tempdir().unwrap();
    for number in 0..200 {
        fs::write(temp.path().join(number.to_string()), "").unwrap();
    }
    let (workers, came) = (Mutex::default(), Condvar::new());
    let config = Config { roots: root(temp.path()), workers: 2, slice: 1000, ..Config::default() };
    let visitor = |_| Slow { workers: &workers, came: &came };
    crate::walk(&config, &everything(), visitor).expect("no panic");
    assert_eq!(workers.into_inner().unwrap().len(), 2);
}
