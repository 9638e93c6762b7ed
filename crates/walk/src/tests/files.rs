//! Entries, borrowed and owned; errors; help.

use std::{fs, io::Read, ops::ControlFlow};

use heist_filter::Problem;

use super::{everything, has_links, root, symlink, variants};
use crate::{
    Assist, DirVisitor, Entry, Error, Helpers, OrderedVisitor, OwnedEntry, Root, Visitor,
    WalkConfig,
};

/// Keeps files to visit them later, and errors.
#[derive(Default)]
struct Keeper {
    files: Vec<OwnedEntry>,
    errors: Vec<Error>,
}

impl Visitor for Keeper {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        self.files.push(file.to_owned_entry(self.files.last()));
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        self.errors.push(error);
    }

    fn problem(&mut self, problem: Problem) {
        panic!("{problem:?}");
    }
}

fn keep(config: &WalkConfig) -> Keeper {
    let report = crate::walk(config, &everything(), |_| Keeper::default()).expect("no panic");
    let mut all = Keeper::default();
    for mut keeper in report.visitors {
        all.files.append(&mut keeper.files);
        all.errors.append(&mut keeper.errors);
    }
    all
}

#[test]
fn an_owned_entry_is_like_the_borrowed_one() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, named) = (temp.path().join("dir"), temp.path().join("named"));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("listed"), "found").unwrap();
    fs::write(&named, "chosen").unwrap();
    let roots = vec![Root::Path(dir.clone()), Root::Path(named.clone()), Root::Stdin];
    for config in variants(&roots, 3) {
        let mut stored = keep(&config).files;
        stored.sort_by_key(|file| file.as_entry(b"").path());
        let [listed, chosen, stdin] = &stored[..] else { panic!("{stored:?}") };
        let read = |stored: &OwnedEntry| {
            let file = stored.as_entry(b"key");
            let mut text = String::new();
            file.open().unwrap().file.read_to_string(&mut text).unwrap();
            assert_eq!(file.metadata().unwrap().len(), text.len() as u64);
            let mut key = Vec::new();
            file.key_into(&mut key);
            assert_eq!(key, b"key");
            (file.path(), file.depth(), file.is_explicit(), text)
        };
        assert_eq!(read(listed), (dir.join("listed"), 1, false, "found".to_string()));
        assert_eq!(read(chosen), (named.clone(), 0, true, "chosen".to_string()));
        let listed = listed.as_entry(b"");
        let separator = std::path::MAIN_SEPARATOR;
        assert!(listed.dir().ends_with(format!("{separator}dir{separator}").as_bytes()));
        assert_eq!(listed.name(), b"listed");
        assert_eq!(format!("{listed:?}"), format!("Entry({:?})", dir.join("listed")));
        let stdin = stdin.as_entry(b"");
        assert!(stdin.is_stdin() && stdin.is_explicit() && stdin.name() == b"-");
        let refused = [stdin.open().err(), stdin.metadata().err()];
        let is_refused = |error: &Option<std::io::Error>| {
            error.as_ref().is_some_and(|error| error.kind() == std::io::ErrorKind::Unsupported)
        };
        assert!(refused.iter().all(is_refused), "{refused:?}");
    }
}

#[test]
fn an_error_has_path_depth_and_cause() {
    let temp = tempfile::tempdir().unwrap();
    let missing = temp.path().join("missing");
    for config in variants(&root(&missing), 2) {
        let errors = keep(&config).errors;
        let [error] = &errors[..] else { panic!("{errors:?}") };
        let source = std::error::Error::source(error).expect("the system's error");
        assert_eq!(error.to_string(), format!("{}: {source}", missing.display()));
        assert_eq!((error.path(), error.depth()), (missing.as_path(), 0));
        let io_error = error.io_error().expect("a system error");
        assert_eq!(io_error.kind(), std::io::ErrorKind::NotFound);
    }
    if !has_links() {
        return;
    }
    fs::create_dir(temp.path().join("dir")).unwrap();
    let link = temp.path().join("dir/up");
    symlink("..", &link).unwrap();
    for mut config in variants(&root(temp.path()), 2) {
        config.follow = true;
        let errors = keep(&config).errors;
        let [error] = &errors[..] else { panic!("{errors:?}") };
        assert_eq!((error.path(), error.depth()), (link.as_path(), 2));
        assert!(error.io_error().is_none() && std::error::Error::source(error).is_none());
    }
}

/// Calls for help at its first file, and waits for it.
struct Caller<'a> {
    helped: &'a std::sync::atomic::AtomicBool,
    has_called: bool,
}

impl Visitor for Caller<'_> {
    fn entry(&mut self, _: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        use std::{sync::atomic::Ordering::Relaxed, thread, time::Duration};
        if !std::mem::replace(&mut self.has_called, true) {
            helpers.call_for_help();
            let came = (0..20_000).any(|_| {
                thread::sleep(Duration::from_millis(1));
                // Ordering: Relaxed, because the flag publishes nothing but its own value.
                self.helped.load(Relaxed)
            });
            assert!(came && !helpers.is_stopped(), "no worker helped");
        }
        ControlFlow::Continue(())
    }

    expect_no_errors!();
}

impl OrderedVisitor for Caller<'_> {}
impl DirVisitor for Caller<'_> {}

impl Assist for Caller<'_> {
    fn help(&mut self) {
        self.helped.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn another_worker_answers_a_call_for_help() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("file"), "").unwrap();
    for config in variants(&root(temp.path()), 2).into_iter().filter(|config| config.workers > 1) {
        let helped = std::sync::atomic::AtomicBool::new(false);
        let visitor = |_| Caller { helped: &helped, has_called: false };
        crate::walk_with_hooks(&config, &everything(), visitor).expect("no panic");
        assert!(helped.into_inner(), "{config:?}");
    }
}
