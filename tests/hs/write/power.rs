//! Power is lost at any moment of a run that writes, in a model of the disk: each file is old or
//! new, and `--undo` puts back what is new.
//!
//! strace records the system calls of a run. After each of them the model chooses what the disk has
//! if power is lost now (`HS_TEST_LOSSES` times), that state is made of real files, and `--undo`
//! runs in it. [`disk`] states what the model assumes. The files of a state have other inodes than
//! those of the run, so that their numbers are replaced in the journal, wherever they are in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    os::unix::fs::MetadataExt as _,
    process::Command,
    time::{Duration, SystemTime},
};

use disk::{Disk, State};
use recorded::{Call, calls};

use super::{WRITE_ARGS, changes, finished};
use crate::faults::is_for_same_processor;
use crate::harness::{
    Hs, TempTree,
    process::oracle,
    random::{Rng, env_number},
};

#[path = "power/disk.rs"]
mod disk;
#[path = "power/recorded.rs"]
mod recorded;

const NAMES: [&str; 4] = ["a", "d/b", "d/c", "e/f/g"];

/// The calls that change what is on the disk, and those that show which file they are about.
const RECORDED_CALLS: &str = "openat,close,read,write,copy_file_range,sendfile,lseek,ftruncate,mkdir,\
    mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,fsync,fdatasync,syncfs,statx,fstat,\
    newfstatat,pwrite64,splice";

/// The texts of the files of the tree.
type Texts = BTreeMap<&'static str, Vec<u8>>;

fn texts(tree: &TempTree) -> Texts {
    NAMES.map(|name| (name, fs::read(tree.join(name)).expect("a file"))).into()
}

/// Records a run of `hs` with these arguments.
fn record(tree: &TempTree, hs: &Hs<'_>, args: &[&str]) -> Vec<Call> {
    let log = tree.home().parent().expect("the top").join("calls");
    let run = hs.args(args).args(["-j1"]).env("LOG", &log).env("CALLS", RECORDED_CALLS);
    let run = run.through_sh(r#"strace -f -v -xx -s 9999999 -e "trace=$CALLS" -o "$LOG" "$@""#);
    let outcome = finished(run).expect("it is no ripgrep");
    assert_eq!(outcome.status.code(), Some(0), "{outcome:?}");
    let text = fs::read_to_string(&log).expect("a record");
    fs::remove_file(log).expect("a record");
    calls(&text)
}

/// Removes everything in the tree and in the home directory.
fn clear(tree: &TempTree) {
    for dir in [tree.path(), tree.home()] {
        fs::remove_dir_all(&dir).expect("a directory");
        fs::create_dir(&dir).expect("a directory");
    }
}

/// Makes real files of a state. The numbers of inodes in journals become those of the files.
fn make(tree: &TempTree, state: &State) {
    clear(tree);
    for dir in &state.dirs {
        fs::create_dir_all(dir).expect("a directory");
    }
    let mut numbers = BTreeMap::new();
    for (path, file) in &state.files {
        fs::write(path, &file.text).expect("a file");
        numbers.insert(file.inode, fs::metadata(path).expect("a file").ino());
    }
    let device = fs::metadata(tree.path()).expect("the tree").dev();
    for (path, file) in &state.files {
        if path.starts_with(tree.home()) {
            let text = renumbered(&file.text, device, &numbers, &state.inodes);
            fs::write(path, text).expect("a file");
        }
        let (seconds, nanoseconds) = file.modified;
        let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        fs::File::open(path).expect("a file").set_modified(time).expect("a time");
    }
}

/// The text of a journal in which inodes have their new numbers. Those that are in no directory get
/// a number that no file has.
fn renumbered(
    text: &[u8],
    device: u64,
    numbers: &BTreeMap<u64, u64>,
    all: &BTreeSet<u64>,
) -> Vec<u8> {
    let mut new = text.to_vec();
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let mut at = 0;
    while at + 16 <= new.len() {
        let inode = number(&new[at + 8..at + 16]);
        if number(&new[at..at + 8]) == device && all.contains(&inode) {
            let now = numbers.get(&inode).copied().unwrap_or(u64::MAX - inode);
            new[at + 8..at + 16].copy_from_slice(&now.to_le_bytes());
            at += 16;
        } else {
            at += 1;
        }
    }
    new
}

/// Loses power after each call of a recorded run. Then `undo` makes the old files of all, if power
/// was not lost before there was something to put back. Returns the number of states of the disk.
fn lose_power(
    tree: &TempTree,
    hs: &Hs<'_>,
    (disk, calls): (&mut Disk, &[Call]),
    undo: &str,
    [old, new]: [&Texts; 2],
) -> usize {
    let mut rng = Rng::with_seed(env_number("HS_TEST_SEED", 54));
    let mut tried = BTreeSet::new();
    for (at, call) in calls.iter().enumerate() {
        if !disk.apply(call) {
            continue;
        }
        for loss in 0..env_number("HS_TEST_LOSSES", 3) {
            // The disk has done nothing that it need not have done, or everything, or some of it.
            let percent = [0, 100].get(usize::try_from(loss).expect("a number")).copied();
            let state = disk.lose(&mut rng, percent.unwrap_or(50));
            if !tried.insert(state.clone()) {
                continue;
            }
            make(tree, &state);
            let about = || format!("power is lost after call {at}, {call:?}: {state:?}");
            let now = texts(tree);
            for (name, text) in &now {
                assert!(*text == old[name] || *text == new[name], "{name}: {}", about());
            }
            let outcome = finished(hs.args([undo])).expect("it is no ripgrep");
            assert!(texts(tree) == *old, "{outcome:?}: {}", about());
            // One that is finished refuses the files that were put back before.
            let is_done = outcome.status.code() == Some(0);
            assert!(is_done <= (now != *old), "{outcome:?}: {}", about());
        }
    }
    tried.len()
}

hs_test!(power_that_is_lost_leaves_old_or_new_files, |tree, hs| {
    // An emulator makes system calls of its own, and so does the making of an index.
    let is_emulated = !is_for_same_processor(&env::current_exe().expect("a path"));
    if oracle().is_some() || is_emulated || env::var_os("HS_TEST_INDEX").is_some() {
        return;
    }
    let strace = |args: &[&str]| Command::new("strace").args(args).output();
    if strace(&["-V"]).is_err() {
        return skipped_tests::skip("strace is not installed");
    }
    if !strace(&["-o", "/dev/null", "true"]).is_ok_and(|output| output.status.success()) {
        return skipped_tests::skip("system calls cannot be traced (ptrace)");
    }
    for (at, name) in NAMES.into_iter().enumerate() {
        tree.file(name, format!("{at} before\n").repeat(1 + 40 * (at % 2)));
    }
    let old = texts(tree);
    for is_first_change in [true, false] {
        if !is_first_change {
            record(tree, hs, &WRITE_ARGS);
            record(tree, hs, &["--undo"]);
        }
        let tops = [tree.path(), tree.home()];
        let mut before_write = Disk::of(&tops);
        let write = record(tree, hs, &WRITE_ARGS);
        let (new, number) = (texts(tree), changes(tree).pop().expect("a change"));
        let mut before_undo = Disk::of(&tops);
        let undo = record(tree, hs, &["--undo"]);
        assert!(texts(tree) == old);
        let both = [&old, &new];
        // An `--undo` that has not come to its end is finished with the number of the change.
        let by_number = format!("--undo={number}");
        let args = if is_first_change { "--undo" } else { &by_number };
        let states = lose_power(tree, hs, (&mut before_write, &write), args, both);
        let more = lose_power(tree, hs, (&mut before_undo, &undo), &by_number, both);
        eprintln!("{states} and {more} states of the disk after a loss of power are put back");
        assert!(states.min(more) > 20, "{states} {more}");
        clear(tree);
        for (name, text) in &old {
            tree.file(name, text);
        }
    }
});
