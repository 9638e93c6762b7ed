//! Each system call of a run that writes fails once: every file is old or new, the exit code is 2
//! if one is old that was to be new, a message names it, no temporary file is left, and `--undo`
//! puts the old files back.
//!
//! `HS_TEST_CALLS` is the distance between the calls that fail, 1 for each of them.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::{
    fs::{XattrFlags, getxattr, setxattr},
    io::Errno,
};

use super::{changes, finished};
use crate::{
    faults::Plan,
    harness::{Hs, TempTree, process::Outcome, random::env_number, run::Run},
};

/// The system calls of a run that writes, but for those that remove what is left.
const WRITING_CALLS: &str = "openat,openat2,getdents64,read,preadv2,pread64,fstat,newfstatat,statx,\
    lseek,access,faccessat,readlink,readlinkat,mkdir,mkdirat,write,copy_file_range,sendfile,splice,\
    ftruncate,fallocate,fchown,flistxattr,fgetxattr,fsetxattr,fchmod,utimensat,fsync,fdatasync,\
    sync_file_range,syncfs,flock,rename,renameat,renameat2";

/// The calls with which files and directories are removed.
const REMOVING_CALLS: &str = "unlink,unlinkat,rmdir";

/// The name of an attribute of the first file.
const ATTRIBUTE_NAME: &str = "user.heist";

/// Text, mode, time and attribute of a file.
type State = (Vec<u8>, u32, SystemTime, Option<Vec<u8>>);

const NAMES: [&str; 3] = ["one", "dir/two", "dir/three"];

fn state(path: &Path) -> State {
    let metadata = fs::metadata(path).expect("a file");
    let mut value = [0; 64];
    let attribute = getxattr(path, ATTRIBUTE_NAME, &mut value[..]).ok();
    (
        fs::read(path).expect("a file"),
        metadata.permissions().mode(),
        metadata.modified().expect("a time"),
        attribute.map(|length| value[..length].to_vec()),
    )
}

fn states(tree: &TempTree) -> BTreeMap<&'static str, State> {
    NAMES.map(|name| (name, state(&tree.join(name)))).into()
}

/// All names in `dir` and below it.
fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            names.extend(self::names(&path));
        }
        names.push(path);
    }
    names
}

/// Fills the tree with files that have matches.
fn fill(tree: &TempTree) {
    for (at, name) in NAMES.into_iter().enumerate() {
        tree.file(name, format!("a line\nbefore {name}\n"));
        tree.chmod(name, [0o640, 0o755, 0o600][at]);
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
        let file = fs::File::open(tree.join(name)).expect("a file");
        file.set_modified(time).expect("a time");
    }
    // Some file systems have no attributes.
    let _ = setxattr(tree.join("one"), ATTRIBUTE_NAME, b"kept", XattrFlags::empty());
}

/// Whether a message names the file, a directory above it, or what the whole run needs.
fn is_named(messages: &str, name: &str) -> bool {
    let short = Path::new(name).file_name().and_then(|it| it.to_str()).expect("text");
    let dir = name.rsplit_once('/').map_or(".", |(dir, _)| dir);
    [short, &format!("{dir}:"), ".:", "changes", "journal", "heist"]
        .iter()
        .any(|it| messages.contains(it))
}

/// Whether what a run reports is what is there.
fn check(outcome: &Outcome, old: &BTreeMap<&str, State>, tree: &TempTree, about: &str) -> usize {
    let messages = String::from_utf8_lossy(&outcome.stderr);
    let about = format!("{about}: {:?}, {messages}", outcome.status.code());
    let mut written = 0;
    for (name, (text, mode, time, attribute)) in states(tree) {
        let (old_text, old_mode, old_time, old_attribute) = &old[name];
        let new_text = String::from_utf8_lossy(old_text).replace("before", "after").into_bytes();
        let is_new = text == new_text;
        assert!(is_new || text == *old_text, "{about}{name}: {text:?}");
        assert_eq!((mode, &attribute), (*old_mode, old_attribute), "{about}{name}");
        assert!(is_new || time == *old_time, "{about}{name}: its time has changed");
        assert!(is_new || outcome.status.code() == Some(2), "{about}{name} is old");
        assert!(is_new || is_named(&messages, name), "{about}{name} is not named");
        written += usize::from(is_new);
    }
    written
}

/// Makes each of `calls` fail in turn while `hs` writes.
fn fail_each(tree: &TempTree, hs: &Hs<'_>, flags: &[&str], calls: &str, error: Errno) {
    let count = tree.home().join("count");
    let step = usize::try_from(env_number("HS_TEST_CALLS", 5)).expect("a distance");
    for first in (1..).step_by(step) {
        fill(tree);
        let (old, before) = (states(tree), names(&tree.path()));
        let plan = Plan { calls, error, first, every: 0 };
        let run = hs.args(["before", "-r", "after", "--write", "--yes", "-j1"]).args(flags);
        let run: Run<'_> = plan.apply(run.env("NTH_COUNT", &count));
        let Some(outcome) = run.outcome() else { return };
        let about = format!("{flags:?}, call {first} of {calls} fails with {error:?}");
        let written = check(&outcome, &old, tree, &about);
        let messages = String::from_utf8_lossy(&outcome.stderr);
        if calls != REMOVING_CALLS {
            assert_eq!(names(&tree.path()), before, "{about}: {messages}");
        }
        if written > 0 && flags.is_empty() {
            let undo = finished(hs.args(["--undo"])).expect("it is no ripgrep");
            let report = String::from_utf8_lossy(&undo.stderr);
            assert_eq!(undo.status.code(), Some(0), "{about}: {messages}{report}");
            assert_eq!(states(tree), old, "{about}: {messages}{report}");
        }
        let counted = fs::read_to_string(&count).expect("a count");
        if counted.trim().parse::<usize>().is_ok_and(|counted| counted < first) {
            return;
        }
    }
}

hs_test!(a_call_that_fails_while_files_are_written_leaves_each_old_or_new, |tree, hs| {
    fail_each(tree, hs, &[], WRITING_CALLS, Errno::IO);
    fail_each(tree, hs, &[], REMOVING_CALLS, Errno::IO);
});

hs_test!(a_call_that_fails_without_a_journal_leaves_each_file_old_or_new, |tree, hs| {
    let calls = "write,copy_file_range,sendfile,splice,openat,fsync,fdatasync,syncfs,rename,\
        fchmod,fchown,fsetxattr";
    fail_each(tree, hs, &["--no-journal"], calls, Errno::NOSPC);
    fail_each(tree, hs, &["--no-journal"], calls, Errno::ACCESS);
});

hs_test!(a_call_that_fails_while_files_are_put_back_leaves_each_old_or_new, |tree, hs| {
    let count = tree.home().join("count");
    let step = usize::try_from(env_number("HS_TEST_CALLS", 5)).expect("a distance");
    for first in (1..).step_by(step) {
        fill(tree);
        let old = states(tree);
        let write = hs.args(["before", "-r", "after", "--write", "--yes"]);
        let Some(_) = finished(write) else { return };
        let (new, before) = (states(tree), names(&tree.path()));
        let plan = Plan { calls: WRITING_CALLS, error: Errno::IO, first, every: 0 };
        let run = plan.apply(hs.args(["--undo", "-j1"]).env("NTH_COUNT", &count));
        let Some(outcome) = run.outcome() else { return };
        let messages = String::from_utf8_lossy(&outcome.stderr);
        let about = format!("call {first}: {:?} {messages}", outcome.status.code());
        assert_eq!(names(&tree.path()), before, "{about}");
        for (name, now) in states(tree) {
            assert!(now == old[name] || now == new[name], "{about}{name}: {now:?}");
            let is_old = now == old[name];
            assert!(is_old || outcome.status.code() == Some(2), "{about}{name} is new");
            assert!(is_old || is_named(&messages, name), "{about}{name} is not named");
        }
        if states(tree) != old {
            // What was put back already has changed since, and the rest is put back now.
            let skipped = usize::from(states(tree) != new);
            for number in changes(tree).into_iter().rev().skip(skipped) {
                finished(hs.args([format!("--undo={number}")]));
                if states(tree) == old {
                    break;
                }
            }
        }
        assert_eq!(states(tree), old, "{about}");
        let counted = fs::read_to_string(&count).expect("a count");
        if counted.trim().parse::<usize>().is_ok_and(|counted| counted < first) {
            return;
        }
    }
});

/// More files than are replaced at a time.
const MANY_FILES: usize = 600;

/// How many files are replaced at a time.
const REPLACED_FILES: usize = 512;

hs_test!(a_journal_that_fails_between_batches_is_reported_with_what_was_written, |tree, hs| {
    for at in 0..MANY_FILES {
        tree.file(format!("f{at:03}"), "before\n");
    }
    let texts =
        || (0..MANY_FILES).map(|at| fs::read(tree.join(format!("f{at:03}"))).expect("a file"));
    // The journal notes the new files of a batch, and syncs its notes.
    let plan = Plan { calls: "fdatasync", error: Errno::NOSPC, first: 2, every: 0 };
    let Some(outcome) = finished(plan.apply(hs.args(super::WRITE_ARGS))) else { return };
    let messages = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status.code(), Some(2), "{messages}");
    assert!(messages.contains("marks: cannot be written: No space left"), "{messages}");
    assert!(messages.contains("replaced 512 matches in 512 files"), "{messages}");
    assert_eq!(texts().filter(|text| text == b"after\n").count(), REPLACED_FILES);
    assert_eq!(names(&tree.path()).len(), MANY_FILES, "no temporary file is left");
    finished(hs.args(["--undo"]));
    assert!(texts().all(|text| text == b"before\n"));
});
