//! Signals, and readers that are slow or do not read: a signal ends `hs`, with the status of that
//! signal, and the style of the terminal is reset.

use std::{
    fs,
    io::{Read, Write, pipe},
    os::{fd::AsFd, unix::process::ExitStatusExt},
    process::{Child, Command, ExitStatus, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    process::{Pid, Signal, kill_process},
};
use skipped_tests::skip;
use wait_timeout::ChildExt;

use crate::harness::{
    TempTree, process,
    terminal::{drain, terminal},
};

/// After a signal, `hs` waits this long for a write in progress. Later it cannot reset the style.
const SLOW: Duration = Duration::from_millis(450);

/// Starts `hs` in `tree`.
fn start(tree: &TempTree, args: &[&str], stdout: Stdio) -> Child {
    Command::new(process::program())
        .args(args)
        .current_dir(tree.path())
        .env_clear()
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::null())
        .spawn()
        .expect("hs runs")
}

/// Waits for `child`, which must end in time.
pub(super) fn wait(mut child: Child) -> ExitStatus {
    child.wait_timeout(process::TIMEOUT).expect("a child").unwrap_or_else(|| {
        let _ = child.kill();
        panic!("hs does not end");
    })
}

/// The `signals` that are not ignored here: a shell ignores SIGINT in background jobs, and nohup(1)
/// ignores SIGHUP. `hs` inherits that.
pub(super) fn not_ignored<const N: usize>(signals: [Signal; N]) -> Vec<Signal> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let is_ignored = |signal: &Signal| ignored >> (signal.as_raw() - 1) & 1 != 0;
    let (ignored, rest): (Vec<_>, Vec<_>) = signals.into_iter().partition(is_ignored);
    if !ignored.is_empty() {
        skip(format_args!("the parent process ignores signals: {ignored:?}"));
    }
    rest
}

/// Creates files with lines that are mostly colour.
fn create(tree: &TempTree) {
    let line = "gem ".repeat(500) + "\n";
    for dir in 0..8 {
        tree.file(format!("dir{dir}/hoard"), line.repeat(300));
    }
}

/// Whether the last escape sequence resets the style.
fn ends_without_style(shown: &[u8]) -> bool {
    let last = shown.windows(2).rposition(|pair| pair == b"\x1b[");
    last.is_none_or(|at| shown[at..].starts_with(b"\x1b[0m"))
}

hs_test!(a_signal_ends_hs_and_resets_colours, |tree, _| {
    create(tree);
    let signals = not_ignored([Signal::INT, Signal::TERM]);
    for (round, signal) in signals.into_iter().cycle().take(12).enumerate() {
        let (mut ours, theirs) = terminal();
        let threads = ["-j1", "-j4"][round % 2];
        let child = start(tree, &[threads, "--color=always", "gem", "."], theirs.into());
        // hs prints until the terminal is full, each time to another point of a line.
        let mut shown = vec![0; 1 + round * 997];
        ours.read_exact(&mut shown).expect("hs prints");
        thread::sleep(Duration::from_millis(5 * (round as u64 % 3)));
        let begun = Instant::now();
        kill_process(Pid::from_child(&child), signal).expect("hs is alive");
        let reader = thread::spawn(move || drain(ours));
        let status = wait(child);
        let took = begun.elapsed();
        assert_eq!(status.signal(), Some(signal.as_raw()), "{status}");
        shown.extend(reader.join().expect("reading does not panic"));
        if took >= SLOW {
            eprintln!("not checked: the machine was too slow to reset the style");
            continue;
        }
        let tail = &shown[shown.len().saturating_sub(60)..];
        assert!(ends_without_style(&shown), "{signal:?} left a style on: {}", tail.escape_ascii());
        let whole = shown.strip_suffix(b"\x1b[0m").is_some_and(|lines| lines.ends_with(b"\n"));
        assert!(whole, "{signal:?} cut a line short: {}", tail.escape_ascii());
    }
});

hs_test!(a_blocked_terminal_does_not_keep_a_signal_from_ending_hs, |tree, _| {
    create(tree);
    for signal in not_ignored([Signal::INT, Signal::TERM]) {
        let (ours, theirs) = terminal();
        let child = start(tree, &["--color=always", "gem", "."], theirs.into());
        thread::sleep(Duration::from_millis(100));
        kill_process(Pid::from_child(&child), signal).expect("hs waits for its reader");
        let begun = Instant::now();
        let status = wait(child);
        assert_eq!(status.signal(), Some(signal.as_raw()), "{status}");
        assert!(begun.elapsed() < Duration::from_secs(5));
        drop(ours);
    }
});

hs_test!(a_signal_ends_hs_while_it_writes_to_a_pipe, |tree, _| {
    create(tree);
    let signals = not_ignored([Signal::INT, Signal::TERM, Signal::HUP]);
    for (round, signal) in signals.into_iter().cycle().take(12).enumerate() {
        for threads in ["-j1", "-j4", "--sort=path"] {
            // No one reads the pipe, so that hs fills it and blocks.
            let child = start(tree, &[threads, "--color=always", "gem", "."], Stdio::piped());
            thread::sleep(Duration::from_millis(round as u64 * 3));
            kill_process(Pid::from_child(&child), signal).expect("hs waits for its reader");
            assert_eq!(wait(child).signal(), Some(signal.as_raw()));
        }
    }
});

hs_test!(a_sigpipe_from_another_process_is_ignored, |tree, _| {
    create(tree);
    let mut child = start(tree, &["-o", "-I", "--color=never", "gem", "."], Stdio::piped());
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0; 1]).expect("hs prints");
    for _ in 0..5 {
        kill_process(Pid::from_child(&child), Signal::PIPE).expect("hs waits for its reader");
    }
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).expect("a pipe can be read");
    assert_eq!(rest.len() + 1, 8 * 300 * 500 * 4);
    assert_eq!(wait(child).code(), Some(0));
});

hs_test!(a_reader_that_leaves_at_any_moment, |tree, _| {
    create(tree);
    for round in 0..12 {
        for args in [
            &["-j1", "gem", "."][..],
            &["-j4", "gem", "."],
            &["--files"],
            &["-l", "--sort=path", "gem", "."],
        ] {
            let mut child = start(tree, args, Stdio::piped());
            let mut stdout = child.stdout.take().expect("a pipe");
            let mut some = vec![0; 1 + round * 4001];
            let _ = stdout.read(&mut some);
            drop(stdout);
            let status = wait(child);
            assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}");
        }
    }
});

/// Reads a pipe to its end with pauses, and returns the number of bytes.
fn read_slowly(pipe: &mut impl Read) -> usize {
    let (mut piece, mut bytes) = (vec![0; 50_000], 0);
    loop {
        thread::sleep(Duration::from_millis(2));
        match pipe.read(&mut piece).expect("a pipe can be read") {
            0 => return bytes,
            read => bytes += read,
        }
    }
}

hs_test!(a_slow_reader_gets_everything, |tree, _| {
    create(tree);
    for threads in ["-j1", "-j4"] {
        let mut child = start(tree, &[threads, "-o", "-I", "gem", "dir0", "dir1"], Stdio::piped());
        let mut stdout = child.stdout.take().expect("a pipe");
        assert_eq!(read_slowly(&mut stdout), 2 * 300 * 500 * 4);
        assert_eq!(wait(child).code(), Some(0));
    }
});

hs_test!(a_reader_that_does_not_read_cannot_exceed_the_time, |tree, _| {
    create(tree);
    for args in [&["-j1", "gem", "dir0/hoard"][..], &["-j2", "--json", "gem"]] {
        let args = [&["--timeout=200ms"], args].concat();
        let mut child = start(tree, &args, Stdio::piped());
        let status = child.wait_timeout(process::TIMEOUT).expect("a child");
        let status = status.unwrap_or_else(|| {
            let _ = child.kill();
            panic!("{args:?} waits for its reader");
        });
        // With several workers, no file is shown to its end.
        assert!(matches!(status.code(), Some(0 | 2)), "{args:?}: {status}");
        let output = child.wait_with_output().expect("a pipe can be read").stdout;
        assert!(!output.is_empty(), "{args:?}: the pipe had room");
    }
});

/// Makes an end of a pipe non-blocking, as a process that shares it with `hs` can do.
fn make_non_blocking(end: impl AsFd) {
    fcntl_setfl(end, OFlags::NONBLOCK).expect("a flag of pipes");
}

hs_test!(non_blocking_standard_output_gets_everything, |tree, _| {
    create(tree);
    for threads in ["-j1", "-j4"] {
        let (mut ours, theirs) = pipe().expect("a pipe");
        make_non_blocking(&theirs);
        let child = start(tree, &[threads, "-o", "-I", "gem", "dir0"], theirs.into());
        assert_eq!(read_slowly(&mut ours), 300 * 500 * 4);
        assert_eq!(wait(child).code(), Some(0));
    }
});

hs_test!(non_blocking_standard_error_gets_everything, |tree, _| {
    let (mut ours, theirs) = pipe().expect("a pipe");
    make_non_blocking(&theirs);
    // Twice the capacity of a pipe.
    let missing: Vec<_> = (0..1000).map(|n| format!("{n}{}", "-missing".repeat(12))).collect();
    let mut command = Command::new(process::program());
    command.arg("gem").args(&missing).current_dir(tree.path()).env_clear().stderr(theirs);
    let child = command.spawn().expect("hs runs");
    // The command holds the other end of the pipe.
    drop(command);
    thread::sleep(Duration::from_millis(20));
    let mut messages = String::new();
    ours.read_to_string(&mut messages).expect("text");
    assert_eq!(messages.lines().count(), missing.len());
    assert_eq!(wait(child).code(), Some(2));
});

/// Runs `hs` with a non-blocking standard input that gives `text` again and again, with pauses.
fn with_slow_input(tree: &TempTree, args: &[&str], text: &[u8]) -> Output {
    let (theirs, mut ours) = pipe().expect("a pipe");
    make_non_blocking(&theirs);
    let mut command = Command::new(process::program());
    command.args(args).current_dir(tree.path()).env_clear();
    let child = command.stdin(theirs).stdout(Stdio::piped()).spawn().expect("hs runs");
    // The command holds the other end of the pipe.
    drop(command);
    for _ in 0..5 {
        thread::sleep(Duration::from_millis(10));
        ours.write_all(text).expect("hs reads");
    }
    drop(ours);
    child.wait_with_output().expect("hs ends")
}

hs_test!(non_blocking_standard_input_is_read_to_the_end, |tree, _| {
    tree.file("one", "gem\n");
    for (args, text, expected) in [
        (&["-c", "gem", "-"][..], "gem\n", "5\n"),
        (&["-I", "--files-from=-", "gem"], "one\n", "gem\ngem\ngem\ngem\ngem\n"),
    ] {
        let output = with_slow_input(tree, args, text.as_bytes());
        assert_eq!((output.stdout, output.status.code()), (expected.into(), Some(0)), "{args:?}");
    }
});
