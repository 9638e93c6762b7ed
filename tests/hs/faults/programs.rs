//! Programs of `--pre`: they end with `hs`, however that ends, and so does what they have started.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::interrupt::{not_ignored, wait};
use crate::harness::{TempTree, process, sys::chmod};

/// Notes the number of its process and of one that it starts, which holds no pipe of `hs`.
const NOTES: &str = "#!/bin/sh\n\
                     sleep 100 </dev/null >/dev/null 2>&1 &\n\
                     echo $$ $! >> pids\n";

/// Creates a program of these further lines, and files that it is run for.
fn prepare(tree: &TempTree, script: &str) {
    tree.file("pre", format!("{NOTES}{script}\n"));
    chmod(&tree.path().join("pre"), 0o755).expect("an own file");
    for dir in 0..3 {
        tree.file(format!("t/{dir}/f"), "gem\n");
    }
}

fn start(tree: &TempTree, args: &[&str]) -> Child {
    let mut command = Command::new(process::program());
    command.args(args).current_dir(tree.path()).env("HOME", tree.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("hs runs")
}

/// The processes that programs have noted.
fn noted(tree: &TempTree) -> Vec<i32> {
    let text = fs::read_to_string(tree.path().join("pids")).unwrap_or_default();
    text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

/// Waits until at least `count` processes are noted.
fn await_noted(tree: &TempTree, count: usize) {
    let begun = Instant::now();
    while noted(tree).len() < count {
        assert!(begun.elapsed() < process::TIMEOUT, "no program is run");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs. One that has ended may wait for a parent that does not look.
fn runs(number: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    let is_zombie = stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim().starts_with('Z'));
    let process = Pid::from_raw(number).expect("not 0");
    !is_zombie && test_kill_process(process).is_ok()
}

/// Fails unless all noted processes end soon.
fn expect_none(tree: &TempTree, what: &str) {
    let begun = Instant::now();
    loop {
        let left: Vec<_> = noted(tree).into_iter().filter(|number| runs(*number)).collect();
        if left.is_empty() {
            return;
        }
        if begun.elapsed() > Duration::from_secs(10) {
            for number in &left {
                let _ = kill_process(Pid::from_raw(*number).expect("not 0"), Signal::KILL);
            }
            panic!("{what}: {left:?} remain of {:?}", noted(tree));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Programs that do not end by themselves.
const ENDLESS: [&str; 5] = [
    "echo gem; exec sleep 100",
    "echo gem; sleep 100",
    "trap '' TERM INT HUP; while :; do sleep 0.01; done",
    // Its output has ended, so that its end is waited for.
    "exec >&- 2>&-; sleep 100",
    "while :; do echo rock; done",
];

hs_test!(a_signal_ends_the_programs_of_pre, |tree, _| {
    for script in ENDLESS {
        prepare(tree, script);
        let signals = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::KILL];
        for signal in not_ignored(signals) {
            let _ = fs::remove_file(tree.path().join("pids"));
            let child = start(tree, &["--no-config", "--pre=./pre", "-j2", "gem", "t"]);
            await_noted(tree, 2);
            if signal == Signal::KILL {
                // The guardian learns of a program just after it has been started.
                thread::sleep(Duration::from_millis(500));
            }
            kill_process(Pid::from_child(&child), signal).expect("a running process");
            assert_eq!(wait(child).signal(), Some(signal.as_raw()), "{script}");
            expect_none(tree, &format!("{script} {signal:?}"));
        }
    }
});

hs_test!(output_that_is_not_wanted_ends_programs_and_what_they_have_started, |tree, _| {
    // The last one ends by itself, and leaves another behind.
    for script in ["echo gem; sleep 100", "echo gem; trap '' TERM; sleep 100", "echo gem"] {
        for flag in ["-l", "-q", "-m1"] {
            let _ = fs::remove_file(tree.path().join("pids"));
            prepare(tree, script);
            let child = start(tree, &["--no-config", "--pre=./pre", "-j1", flag, "gem", "t/1"]);
            assert_eq!(wait(child).code(), Some(0), "{script} {flag}");
            expect_none(tree, &format!("{script} {flag}"));
        }
    }
});

hs_test!(programs_end_when_the_time_is_up, |tree, _| {
    for script in ENDLESS {
        let _ = fs::remove_file(tree.path().join("pids"));
        prepare(tree, script);
        let child = start(tree, &["--no-config", "--pre=./pre", "--timeout=1s", "gem", "t"]);
        wait(child);
        expect_none(tree, script);
    }
    for script in ["sleep 100", "exec sleep 100"] {
        let _ = fs::remove_file(tree.path().join("pids"));
        prepare(tree, script);
        let links = ["--hyperlink-format=default", "--color=always", "--hostname-bin=./pre"];
        let child = start(tree, &[&["--timeout=500ms", "gem", "t"], &links[..]].concat());
        assert_eq!(wait(child).code(), Some(2), "{script}");
        expect_none(tree, script);
        let _ = fs::remove_file(tree.path().join("pids"));
        let child = start(tree, &[&["gem", "t"], &links[..]].concat());
        await_noted(tree, 2);
        kill_process(Pid::from_child(&child), Signal::TERM).expect("a running process");
        assert_eq!(wait(child).signal(), Some(Signal::TERM.as_raw()));
        expect_none(tree, script);
    }
});
