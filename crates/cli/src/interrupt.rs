//! What Ctrl-C leaves behind: a terminal without our colours.
//!
//! A terminal that is slow or was stopped takes a line piece by piece, so that a signal can end the program behind a style
//! that was begun. Only there, where results are coloured on a terminal, a thread waits for signals: it has the write that
//! is going on finish, resets the style, and lets the signal do what it does by default. Whoever waits for the program
//! sees that it was ended by that signal.

use std::{
    fs,
    io::{self, Write},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    },
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};

/// How long a write that is going on may take. A terminal that was stopped takes nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A signal has come. One per process, as signals are.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Reset the style of the terminal that is standard output when a signal ends the program.
pub(crate) fn reset_style_when_ended() {
    let (sender, receiver) = channel::<()>();
    let wait = move || {
        let wanted = [SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
        let Ok(mut signals) = Signals::new(wanted) else { return };
        drop(sender);
        if let Some(signal) = signals.forever().next() {
            end(signal);
        }
    };
    // Without a thread signals stay what they are, since only the thread asks for them. Nothing is printed before it does.
    if thread::Builder::new().spawn(wait).is_ok() {
        let _ = receiver.recv();
    }
}

/// To be called before each write to standard output: once a signal has come there is none.
pub(crate) fn stop_if_ending() {
    // Ordering: Relaxed, nothing but the flag is passed on.
    while ENDING.load(Ordering::Relaxed) {
        thread::park();
    }
}

fn end(signal: i32) {
    // Ordering: Relaxed, as in `stop_if_ending`.
    ENDING.store(true, Ordering::Relaxed);
    let (sender, receiver) = channel();
    let reset = move || {
        let mut stdout = io::stdout().lock();
        // Nobody is left to be told of a failure.
        let _ = stdout.write_all(b"\x1b[0m").and_then(|()| stdout.flush());
        let _ = sender.send(());
        // Keep the lock.
        loop {
            thread::park();
        }
    };
    if thread::Builder::new().spawn(reset).is_ok() {
        let _ = receiver.recv_timeout(PATIENCE);
    }
    // Does not come back from a signal that ends programs.
    let _ = emulate_default_handler(signal);
}

/// Whether whoever started the program had it ignore `signal`, as a shell does for what runs in the background. Known
/// on Linux only.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
