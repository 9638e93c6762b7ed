//! A line at the bottom of the terminal that shows how far the run is, and that everything else on
//! standard error erases.
//!
//! There is one terminal, so its state belongs to the process. A thread that writes to it holds the
//! lock on standard output, then the lock on standard error.

use std::{
    io::{self, StderrLock, Write},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use crate::sys;

/// How wide the line is that is shown; 0 if none is.
static SHOWN: AtomicUsize = AtomicUsize::new(0);
/// Whether results erase the line too, because they go to a terminal.
static RESULTS_ERASE: AtomicBool = AtomicBool::new(false);
/// Whether no line is drawn any more.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// How many columns a terminal is taken to have that reports none.
const USUAL_COLUMNS: usize = 80;
/// How many columns Ctrl-C takes when it is echoed.
const ECHO: usize = 2;

/// Draws `line`, without a line terminator, over the last one. Nothing of it is wrapped. Errors are
/// ignored: they could only be shown there.
pub(crate) fn draw(line: &str, results_erase: bool) {
    let _results = io::stdout().lock();
    let mut stderr = io::stderr().lock();
    // Ordering: Relaxed, here and below; only a thread that holds the lock on standard error
    // writes.
    if IS_OVER.load(Ordering::Relaxed) {
        return;
    }
    let line: String = line.chars().take(room()).collect();
    let shown = SHOWN.load(Ordering::Relaxed);
    RESULTS_ERASE.store(results_erase, Ordering::Relaxed);
    SHOWN.store(line.chars().count(), Ordering::Relaxed);
    write_at_once(&mut stderr, &format!("\r{line:shown$}"));
}

/// How many characters leave the cursor in their line.
fn room() -> usize {
    sys::stderr_size().map_or(USUAL_COLUMNS, |size| size.columns).saturating_sub(1)
}

/// Erases the line, if there is one.
pub(crate) fn erase() {
    // Ordering: Relaxed; at worst the line remains until the next write.
    if SHOWN.load(Ordering::Relaxed) > 0 {
        erase_from(&mut io::stderr().lock());
    }
}

/// Erases the line for good.
pub(crate) fn end() {
    let mut stderr = io::stderr().lock();
    // Ordering: Relaxed; read by holders of this lock.
    IS_OVER.store(true, Ordering::Relaxed);
    erase_from(&mut stderr);
}

/// Erases the line before results are written to the terminal.
#[inline]
pub(super) fn erase_for_results() {
    // Ordering: Relaxed; the thread that draws waits for the lock of standard output.
    if RESULTS_ERASE.load(Ordering::Relaxed) {
        erase();
    }
}

/// Erases the line in front of a message.
pub(super) fn erase_from(stderr: &mut StderrLock<'_>) {
    // Ordering: Relaxed; the lock orders all writers.
    let shown = SHOWN.swap(0, Ordering::Relaxed);
    if shown > 0 {
        let width = (shown + ECHO).min(room());
        write_at_once(stderr, &format!("\r{:width$}\r", ""));
    }
}

/// Writes `text` with one system call. To format it into standard error, which has no buffer, would
/// take a call for each blank, and a signal may end the process between two of them.
fn write_at_once(stderr: &mut StderrLock<'_>, text: &str) {
    let _ = stderr.write_all(text.as_bytes());
}
