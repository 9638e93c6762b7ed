//! Signals, and readers that are slow or read nothing: hs ends when it is told to, as it is told
//! to, and leaves a terminal without its colours.

use std::{
    fs::{self, File},
    io::{Read, Write, pipe},
    os::{fd::AsFd, unix::process::ExitStatusExt},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags, fcntl_setfl, open},
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

use crate::harness::{TempTree, process};

/// How long anybody waits for hs to end.
const TIMEOUT: Duration = process::TIMEOUT;

/// hs waits so long, or a little longer, for a write that is going on when a signal ends it; then
/// nothing is promised.
const SLOW: Duration = Duration::from_millis(450);

/// Start hs in `tree`, with colours, writing to `stdout`.
fn start(tree: &TempTree, args: &[&str], stdout: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hs"))
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

/// Wait for `child`, which must end in time.
fn wait(mut child: Child) -> ExitStatus {
    let pid = Pid::from_child(&child);
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait()));
    match receiver.recv_timeout(TIMEOUT) {
        Ok(status) => status.expect("a child can be waited for"),
        Err(_) => {
            let _ = kill_process(pid, Signal::KILL);
            panic!("hs does not end");
        }
    }
}

/// Those of `signals` that end a program here. A script ignores SIGINT for what it starts in the
/// background, nohup(1) SIGHUP, and hs leaves it at that.
fn heeded<const N: usize>(signals: [Signal; N]) -> Vec<Signal> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let is_heeded = |signal: &Signal| {
        let is_heeded = ignored >> (signal.as_raw() - 1) & 1 == 0;
        if !is_heeded {
            eprintln!("skipped: {signal:?} is ignored by whoever started this");
        }
        is_heeded
    };
    signals.into_iter().filter(is_heeded).collect()
}

/// Everything that is still in a terminal; its end is an error.
fn drain(mut terminal: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = terminal.read_to_end(&mut bytes);
    bytes
}

/// Lines that are mostly colour.
fn plant(tree: &TempTree) {
    let line = "gem ".repeat(500) + "\n";
    for dir in 0..8 {
        tree.file(format!("dir{dir}/hoard"), line.repeat(300));
    }
}

/// A new terminal: the side of whoever looks at it, and that of programs.
fn terminal() -> (File, File) {
    let ours =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&ours).expect("permission");
    unlockpt(&ours).expect("permission");
    let name = ptsname(&ours, Vec::new()).expect("a name");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = open(name, flags, Mode::empty()).expect("the other side");
    (ours.into(), theirs.into())
}

/// What follows the last escape sequence that sets a style: nothing is left on if that is a reset.
fn ends_without_style(shown: &[u8]) -> bool {
    let last = shown.windows(2).rposition(|pair| pair == b"\x1b[");
    last.is_none_or(|at| shown[at..].starts_with(b"\x1b[0m"))
}

hs_test!(a_signal_ends_it_and_resets_colours, |tree, _| {
    plant(tree);
    let signals = heeded([Signal::INT, Signal::TERM]);
    for (round, signal) in signals.into_iter().cycle().take(12).enumerate() {
        let (mut ours, theirs) = terminal();
        let threads = ["-j1", "-j4"][round % 2];
        let child = start(tree, &[threads, "--color=always", "gem", "."], theirs.into());
        // It prints until the terminal is full, in the middle of a line; another moment each time.
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
            eprintln!("skipped: nobody had a core to reset the style on");
            continue;
        }
        let tail = &shown[shown.len().saturating_sub(60)..];
        assert!(ends_without_style(&shown), "{signal:?} left a style on: {}", tail.escape_ascii());
        let whole = shown.strip_suffix(b"\x1b[0m").is_some_and(|lines| lines.ends_with(b"\n"));
        assert!(whole, "{signal:?} cut a line short: {}", tail.escape_ascii());
    }
});

hs_test!(a_terminal_that_takes_nothing_keeps_nobody_from_ending_it, |tree, _| {
    plant(tree);
    for signal in heeded([Signal::INT, Signal::TERM]) {
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

hs_test!(a_signal_ends_what_writes_to_a_pipe, |tree, _| {
    plant(tree);
    let signals = heeded([Signal::INT, Signal::TERM, Signal::HUP]);
    for (round, signal) in signals.into_iter().cycle().take(12).enumerate() {
        for threads in ["-j1", "-j4", "--sort=path"] {
            // Nobody reads: it fills the pipe and waits.
            let child = start(tree, &[threads, "--color=always", "gem", "."], Stdio::piped());
            thread::sleep(Duration::from_millis(round as u64 * 3));
            kill_process(Pid::from_child(&child), signal).expect("hs waits for its reader");
            assert_eq!(wait(child).signal(), Some(signal.as_raw()));
        }
    }
});

hs_test!(a_sigpipe_that_somebody_sends_is_nothing, |tree, _| {
    plant(tree);
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
    plant(tree);
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

hs_test!(a_slow_reader_gets_everything, |tree, _| {
    plant(tree);
    for threads in ["-j1", "-j4"] {
        let mut child = start(tree, &[threads, "-o", "-I", "gem", "dir0", "dir1"], Stdio::piped());
        let mut stdout = child.stdout.take().expect("a pipe");
        let (mut piece, mut bytes) = (vec![0; 50_000], 0);
        loop {
            match stdout.read(&mut piece).expect("a pipe can be read") {
                0 => break,
                got => bytes += got,
            }
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(bytes, 2 * 300 * 500 * 4);
        assert_eq!(wait(child).code(), Some(0));
    }
});

/// Tell one end of a pipe not to wait, as whoever shares a terminal or a pipe with hs may have
/// done.
fn tell_not_to_wait(end: impl AsFd) {
    fcntl_setfl(end, OFlags::NONBLOCK).expect("a flag of pipes");
}

hs_test!(a_standard_output_that_does_not_wait_is_waited_for, |tree, _| {
    plant(tree);
    for threads in ["-j1", "-j4"] {
        let (mut ours, theirs) = pipe().expect("a pipe");
        tell_not_to_wait(&theirs);
        let child = start(tree, &[threads, "-o", "-I", "gem", "dir0"], theirs.into());
        let (mut piece, mut bytes) = (vec![0; 50_000], 0);
        loop {
            thread::sleep(Duration::from_millis(2));
            match ours.read(&mut piece).expect("a pipe can be read") {
                0 => break,
                got => bytes += got,
            }
        }
        assert_eq!(bytes, 300 * 500 * 4);
        assert_eq!(wait(child).code(), Some(0));
    }
});

hs_test!(a_standard_error_that_does_not_wait_is_waited_for, |tree, _| {
    let (mut ours, theirs) = pipe().expect("a pipe");
    tell_not_to_wait(&theirs);
    // Twice what a pipe holds.
    let missing: Vec<_> = (0..1000).map(|n| format!("{n}{}", "-missing".repeat(12))).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hs"));
    command.arg("gem").args(&missing).current_dir(tree.path()).env_clear().stderr(theirs);
    let child = command.spawn().expect("hs runs");
    // The command keeps the pipe's other end.
    drop(command);
    thread::sleep(Duration::from_millis(20));
    let mut messages = String::new();
    ours.read_to_string(&mut messages).expect("text");
    assert_eq!(messages.lines().count(), missing.len());
    assert_eq!(wait(child).code(), Some(2));
});

hs_test!(a_standard_input_that_does_not_wait_is_waited_for, |tree, _| {
    let (theirs, mut ours) = pipe().expect("a pipe");
    tell_not_to_wait(&theirs);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hs"));
    command.args(["-c", "gem", "-"]).current_dir(tree.path()).env_clear();
    let child = command.stdin(theirs).stdout(Stdio::piped()).spawn().expect("hs runs");
    // The command keeps the pipe's other end.
    drop(command);
    for _ in 0..5 {
        thread::sleep(Duration::from_millis(10));
        ours.write_all(b"gem\n").expect("hs reads");
    }
    drop(ours);
    let output = child.wait_with_output().expect("hs ends");
    assert_eq!((output.stdout, output.status.code()), (b"5\n".to_vec(), Some(0)));
});
