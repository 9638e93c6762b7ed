//! The process that watches: it is stopped, killed, overwhelmed, limited, and ends.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use skipped_tests::skip;

use super::Watched;
use crate::harness::sys;

#[test]
fn a_process_that_is_stopped_or_killed_is_done_without() {
    let mut watched = Watched::new("watched_stopped");
    watched.signal("-STOP");
    watched.tree.file("a/two.c", "gem\n");
    assert!(watched.check().contains("a/two.c"));
    watched.does_not_know("has not answered in time");
    watched.signal("-CONT");
    watched.tree.file("a/one.c", "gem\n");
    assert!(watched.check().contains("a/one.c"));
    watched.knows();
    watched.signal("-KILL");
    watched.does_not_know("no process watches");
    watched.tree.file("d/one.c", "gem\n");
    assert!(watched.check().contains("d/one.c"));
    watched.watch();
    assert!(watched.check().contains("d/one.c"));
    watched.knows();
    // Ended by force.
    watched.signal("-STOP");
    assert_eq!(watched.run(&["--index-unwatch"]).status.code(), Some(0));
    assert_eq!(watched.run(&["--index-unwatch"]).status.code(), Some(2));
    watched.does_not_know("no process watches");
}

#[test]
fn more_changes_than_the_system_keeps_are_found() {
    let watched = Watched::new("watched_overflow");
    let open = |path| File::options().write(true).open(watched.tree.join(path)).unwrap();
    let files = [open("a/one.c"), open("d/one.c")];
    watched.signal("-STOP");
    for _ in 0..10_000 {
        files.iter().for_each(|file| file.write_all_at(b"int", 0).unwrap());
    }
    // This one is lost.
    watched.tree.file("a/b/two.c", "gem\n");
    watched.check();
    watched.signal("-CONT");
    assert!(watched.check().contains("a/b/two.c"));
    watched.knows();
    assert!(watched.check().contains("a/b/two.c"));
}

#[test]
fn thousands_of_edits_are_kept_up_with() {
    let watched = Watched::new("watched_storm");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let open = |path| File::options().write(true).open(watched.tree.join(path)).unwrap();
    let files = ["a/one.c", "a/b/one.c", "d/one.c", "one.c"].map(open);
    // Ordering: nothing else is shared.
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let edits = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (started, mut edits) = (Instant::now(), 0_u32);
            while !stop.load(relaxed) {
                // What a search finds stays the same.
                files[edits as usize % 4].write_all_at(b"int", 0).unwrap();
                edits += 1;
                let due = started + Duration::from_micros(100) * edits;
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            edits
        });
        for number in 0..8 {
            watched.tree.file(format!("d/e/{number}.c"), "gem\n");
            assert_eq!(watched.check().lines().count(), number + 2);
        }
        stop.store(true, relaxed);
        writer.join().unwrap()
    });
    assert!(edits > 1000, "{edits}");
    watched.check();
}

#[test]
fn the_limit_of_watches_is_reported() {
    let watched = Watched::new("watched_limit");
    assert_eq!(watched.run(&["--index-unwatch"]).status.code(), Some(0));
    let script = "echo 3 > /proc/sys/user/max_inotify_watches && exec \"$@\"";
    let Ok(output) = watched.in_namespace(script, &["--index-watch"]).output() else {
        return skip("unshare is not installed");
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("unshare") || errors.contains("max_inotify_watches:") {
        return skip(super::NO_NAMESPACES);
    }
    assert!(errors.contains("more directories than this user may watch, 3 in all"), "{output:?}");
    watched.tree.file("a/two.c", "gem\n");
    assert!(watched.check().contains("a/two.c"));
    watched.does_not_know("no process watches");
}

#[test]
fn a_process_in_another_process_namespace_answers_and_ends() {
    let watched = Watched::filled("watched_process_namespace");
    watched.update();
    assert_eq!(watched.run(&["--index-watch"]).status.code(), Some(0));
    watched.tree.file("a/new.c", "gem\n");
    let run = |args: &[&str]| {
        let inner = watched.command(args);
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork"]).arg(inner.get_program());
        command.args(inner.get_args()).current_dir(watched.tree.path()).env_clear();
        sys::set_environment(&mut command, &watched.tree.home());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path))).output()
    };
    let Ok(output) = run(&["--debug", "-l", "gem", "./"]) else {
        return skip("unshare is not installed");
    };
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    if log.contains("unshare") {
        return skip(super::NO_NAMESPACES);
    }
    // The system has no number for the other process here.
    assert!(!log.contains("os error 0"), "{log}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("a/new.c"), "{output:?}");
    let output = run(&["--index-status"]).expect("unshare");
    assert!(String::from_utf8_lossy(&output.stdout).contains("watches"), "{output:?}");
    let output = run(&["--index-unwatch"]).expect("unshare");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("in another process namespace, has ended\n"), "{output:?}");
    assert_eq!(watched.run(&["--index-unwatch"]).status.code(), Some(2));
}

#[test]
fn what_the_shell_has_open_is_not_kept_open() {
    let mut watched = Watched::filled("watched_descriptors");
    watched.update();
    let inner = watched.command(&["--index-watch"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$@\" 5>&1 9>&1 >/dev/null", "sh"]).arg(inner.get_program());
    shell.args(inner.get_args()).current_dir(watched.tree.path()).env_clear();
    sys::set_environment(&mut shell, &watched.tree.home());
    let mut shell = shell.stdout(Stdio::piped()).spawn().expect("a shell");
    let pipe = shell.stdout.take().expect("a pipe");
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(io::read_to_string(pipe).expect("a pipe")));
    assert!(shell.wait().is_ok_and(|status| status.success()));
    let read = receiver.recv_timeout(Duration::from_secs(20)).expect("the pipe has not ended");
    assert_eq!(read, "");
    watched.watch();
    watched.knows();
}

#[test]
fn watching_ends_with_what_is_watched() {
    let mut watched = Watched::new("watched_ends");
    let has_ended = |watched: &Watched| {
        let status = Path::new("/proc").join(watched.process.to_string()).join("status");
        let started = Instant::now();
        while fs::read_to_string(&status).is_ok_and(|text| !text.contains("State:\tZ")) {
            assert!(started.elapsed() < Duration::from_secs(10), "it watches");
            thread::sleep(Duration::from_millis(5));
        }
    };
    assert_eq!(watched.run(&["--index-drop"]).status.code(), Some(0));
    has_ended(&watched);
    watched.update();
    watched.watch();
    fs::rename(watched.tree.path(), watched.tree.path().with_file_name("elsewhere")).unwrap();
    has_ended(&watched);
    fs::rename(watched.tree.path().with_file_name("elsewhere"), watched.tree.path()).unwrap();
    watched.watch();
    watched.check();
    assert_eq!(watched.run(&["--index-unwatch"]).status.code(), Some(0));
    has_ended(&watched);
    // After a time without a search.
    assert_eq!(watched.run(&["--index-watcher=0", "./"]).status.code(), Some(0));
    watched.does_not_know("no process watches");
}

#[test]
fn a_process_that_has_not_quite_ended_is_waited_for() {
    let mut watched = Watched::new("watched_ending");
    let cache = watched.tree.home().join(".cache/heist");
    let index = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
    watched.signal("-STOP");
    let output = watched.run(&["--index-watch"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("does not answer"), "{output:?}");
    assert_eq!(watched.run(&["--index-unwatch"]).status.code(), Some(0));
    // As if it had removed its socket, but not ended.
    let lock = File::options().write(true).open(index.join("watcher-lock")).unwrap();
    lock.lock().unwrap();
    let unlocked = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(lock);
    });
    watched.watch();
    unlocked.join().unwrap();
    watched.knows();
}
