//! How far an index has been built, as a bar on a terminal.

use std::{
    io::{self, Write},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::modes::size;

/// The time between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);
/// Characters of the bar.
const WIDTH: u64 = 30;

/// Counts files, and shows how many of all are done. All workers share one.
#[derive(Debug)]
pub(crate) struct Progress {
    /// How many files there are.
    total: u64,
    files: AtomicU64,
    bytes: AtomicU64,
    drawn: Mutex<Instant>,
}

impl Progress {
    /// Begins a bar for so many files.
    pub(crate) fn new(total: u64) -> Progress {
        let (files, bytes) = Default::default();
        Progress { total, files, bytes, drawn: Mutex::new(Instant::now()) }
    }

    /// Counts a file of so many bytes.
    pub(crate) fn add(&self, bytes: u64) {
        // Ordering: Relaxed; each number is shown alone.
        let files = self.files.fetch_add(1, Ordering::Relaxed) + 1;
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // One worker draws; the others need not wait for it.
        if let Ok(mut drawn) = self.drawn.try_lock()
            && drawn.elapsed() >= INTERVAL
        {
            *drawn = Instant::now();
            draw(&line(files, self.total, bytes));
        }
    }
}

impl Drop for Progress {
    /// Removes the bar.
    fn drop(&mut self) {
        let bytes = *self.bytes.get_mut();
        draw(&" ".repeat(line(self.total, self.total, bytes).len() + 10));
        draw("");
    }
}

fn line(files: u64, total: u64, bytes: u64) -> String {
    // Files can be added while the index is built.
    let done = (files * WIDTH).checked_div(total).unwrap_or(0).min(WIDTH) as usize;
    let (done, left) = ("#".repeat(done), ".".repeat(WIDTH as usize - done));
    format!("[{done}{left}] {files} of {total} files, {}", size(bytes))
}

/// Draws over the current line of the terminal. Errors are ignored: they could only be shown there.
fn draw(line: &str) {
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "\r{line}").and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_bar_shows_how_much_is_done() {
        let (none, half, all) = (".".repeat(30), "#".repeat(15) + &".".repeat(15), "#".repeat(30));
        assert_eq!(line(0, 0, 0), format!("[{none}] 0 of 0 files, 0 bytes"));
        assert_eq!(line(5, 10, 20_000), format!("[{half}] 5 of 10 files, 20 kB"));
        assert_eq!(line(12, 10, 0), format!("[{all}] 12 of 10 files, 0 bytes"));
    }
}
