//! The terminal, and the programs that this one has started, after a signal.
//!
//! A terminal that is slow or stopped accepts a line in pieces, so a signal can end the program
//! after the beginning of a style. If results are coloured on a terminal, a thread waits for
//! signals: it waits for the current write, resets the style, and ends the program as the signal
//! would have, so that the parent sees that a signal ended it. Likewise a line that shows how far
//! the run is has to be erased, and a pager, which the signal does not end, to be waited for: it
//! would share the terminal with the shell. Programs of `--pre` are in groups of their own, which
//! the signal does not reach, and have to be ended.

use std::{
    io::{self, Write},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    },
    thread,
    time::Duration,
};

use crate::error::park;

#[cfg(unix)]
pub(crate) use unix::clean_up_when_ended;
#[cfg(windows)]
pub(crate) use windows::clean_up_when_ended;

/// What is done when a signal ends the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CleanUp {
    /// Whether the style of standard output is reset.
    pub(crate) resets_style: bool,
    /// Is called first, and may take any time.
    pub(crate) first: fn(),
    /// Is called then.
    pub(crate) finally: fn(),
}

/// The time that the current write may take. A stopped terminal accepts nothing.
const MAX_END_TIME: Duration = Duration::from_millis(500);

/// What is to be done.
static CLEAN_UPS: Mutex<Vec<CleanUp>> = Mutex::new(Vec::new());

/// Whether a signal has arrived. Signals belong to the process.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Whether a signal has arrived.
pub(crate) fn is_ending() -> bool {
    // Ordering: Relaxed; the flag guards no data.
    ENDING.load(Ordering::Relaxed)
}

/// Blocks forever once a signal has arrived. To be called before each write to standard output.
pub(crate) fn stop_if_ending() {
    if is_ending() {
        park();
    }
}

/// Adds what is to be done when a signal ends the program. Returns whether it is the first.
fn add(clean_up: CleanUp) -> bool {
    let mut all = CLEAN_UPS.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(clean_up);
    all.len() == 1
}

/// Ends all output, and cleans up if the terminal accepts that in time.
fn end_output() {
    // Ordering: Relaxed, as in `is_ending`.
    ENDING.store(true, Ordering::Relaxed);
    let all = CLEAN_UPS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    all.iter().for_each(|clean_up| (clean_up.first)());
    let (sender, receiver) = channel();
    let clean_up = move || {
        all.iter().for_each(|clean_up| (clean_up.finally)());
        let mut stdout = io::stdout().lock();
        if all.iter().any(|clean_up| clean_up.resets_style) {
            // A failure cannot be reported any more.
            let _ = stdout.write_all(b"\x1b[0m").and_then(|()| stdout.flush());
        }
        let _ = sender.send(());
        // Hold the lock.
        park();
    };
    if thread::Builder::new().spawn(clean_up).is_ok() {
        let _ = receiver.recv_timeout(MAX_END_TIME);
    }
}

#[cfg(unix)]
mod unix {
    use std::{fs, sync::mpsc::channel, thread};

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    use super::{CleanUp, add, end_output};

    /// Cleans up when a signal ends the program, also if this is called several times.
    pub(crate) fn clean_up_when_ended(clean_up: CleanUp) {
        if !add(clean_up) {
            return;
        }
        let (sender, receiver) = channel::<()>();
        let wait = move || {
            let wanted = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
            let wanted = wanted.into_iter().filter(|signal| !is_ignored(*signal));
            let Ok(mut signals) = Signals::new(wanted) else { return };
            drop(sender);
            if let Some(signal) = signals.forever().next() {
                end_output();
                // This does not return from a signal that ends programs.
                let _ = emulate_default_handler(signal);
            }
        };
        // Without the thread, signals keep their default action. Nothing is printed before it runs.
        if thread::Builder::new().spawn(wait).is_ok() {
            let _ = receiver.recv();
        }
    }

    /// Whether the parent had the program ignore `signal`, as shells do for background jobs. Known
    /// on Linux only.
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }
}

#[cfg(windows)]
mod windows {
    use std::process::exit;

    use super::{CleanUp, add, end_output};

    /// Cleans up when Ctrl-C or Ctrl-Break, or the closing of the console, ends the program.
    pub(crate) fn clean_up_when_ended(clean_up: CleanUp) {
        /// `STATUS_CONTROL_C_EXIT`, the status of a program without a handler.
        const ENDED_BY_CTRL_C: u32 = 0xC000_013A;
        if !add(clean_up) {
            return;
        }
        // Without the handler, the program ends as it is.
        let _ = ctrlc::set_handler(move || {
            end_output();
            exit(ENDED_BY_CTRL_C.cast_signed());
        });
    }
}
