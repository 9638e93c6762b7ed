//! How far a run is, as a line on a terminal (`--progress`, and the modes that keep an index).
//!
//! Each worker counts in a cache line of its own. A thread adds up what all have counted, a few
//! times a second, and draws it.

use std::{
    fmt,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{index::size, output::status_line, texts::messages::grouped};

/// The time between two drawings.
const INTERVAL: Duration = Duration::from_millis(200);
/// How long a run shows nothing: most end sooner.
pub(crate) const PROGRESS_DELAY: Duration = Duration::from_secs(1);
/// How many characters the bar has.
const BAR_COLUMNS: u64 = 30;

/// What a worker has visited. Aligned so that no two workers write to one cache line, nor to a pair
/// that the processor fetches together.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counts {
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Counts {
    /// Counts a file.
    pub(crate) fn add_file(&self) {
        // Ordering: Relaxed, here and below; each number is shown alone.
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that were read.
    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Returns how many bytes have been read from files that are being searched, beside what workers
/// have counted.
type InFlight = Box<dyn Fn() -> u64 + Send>;

/// How far a run is. All workers share one.
pub(crate) struct Progress {
    /// Whether results go to a terminal.
    results_on_terminal: bool,
    state: Mutex<ProgressState>,
    ended: Condvar,
}

/// What is known of the workers, and what is on the terminal.
#[derive(Default)]
struct ProgressState {
    /// How many files there are, if that is known.
    total: Option<u64>,
    workers: Vec<Arc<Counts>>,
    in_flight: Option<InFlight>,
    /// The most bytes that were shown: what is in flight is counted again at its end.
    most: u64,
    is_over: bool,
}

impl Progress {
    /// Progress before anything is done. With `results_on_terminal`, results erase the line.
    pub(crate) fn new(results_on_terminal: bool) -> Progress {
        let (state, ended) = Default::default();
        Progress { results_on_terminal, state, ended }
    }

    /// Sets how many files there are, and counts from 0 again.
    pub(crate) fn begin(&self, total: u64) {
        let mut state = self.state();
        (state.total, state.most) = (Some(total), 0);
        state.workers.clear();
    }

    /// Adds what `in_flight` returns to the bytes that are shown.
    pub(crate) fn watch(&self, in_flight: impl Fn() -> u64 + Send + 'static) {
        self.state().in_flight = Some(Box::new(in_flight));
    }

    /// Returns the counts for one more worker.
    pub(crate) fn worker(&self) -> Arc<Counts> {
        let counts = Arc::new(Counts::default());
        self.state().workers.push(Arc::clone(&counts));
        counts
    }

    /// Draws until what this returns is dropped, for the first time after `delay`.
    pub(crate) fn draw(self: &Arc<Progress>, delay: Duration) -> Drawing {
        let progress = Arc::clone(self);
        let draw = move || progress.draw_until_over(delay);
        // Without a thread nothing is shown.
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(draw).ok();
        Drawing { progress: Arc::clone(self), thread }
    }

    fn draw_until_over(&self, delay: Duration) {
        let (started, mut wait) = (Instant::now(), delay);
        let mut state = self.state();
        loop {
            let waited = self.ended.wait_timeout_while(state, wait, |state| !state.is_over);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.is_over {
                return;
            }
            let line = state.line(started.elapsed());
            // Drawing may block, and workers that begin must not.
            drop(state);
            status_line::draw(&line, self.results_on_terminal);
            (state, wait) = (self.state(), INTERVAL);
        }
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        // No code panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

/// Draws while it lives, then erases the line.
#[must_use]
pub(crate) struct Drawing {
    progress: Arc<Progress>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.progress.state().is_over = true;
        self.progress.ended.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic is printed already.
            let _ = thread.join();
        }
        status_line::erase();
    }
}

impl ProgressState {
    /// The line to show after this time.
    fn line(&mut self, elapsed: Duration) -> String {
        // Ordering: Relaxed, see `Counts`.
        let sum = |number: fn(&Counts) -> &AtomicU64| -> u64 {
            self.workers.iter().map(|counts| number(counts).load(Ordering::Relaxed)).sum()
        };
        let files = sum(|counts| &counts.files);
        let bytes = sum(|counts| &counts.bytes) + self.in_flight.as_ref().map_or(0, |read| read());
        self.most = self.most.max(bytes);
        line(files, self.total, self.most, elapsed)
    }
}

/// The line that shows how many files are done, how many there are, and how many bytes have been
/// read; the rate counts files if there are no bytes.
fn line(files: u64, total: Option<u64>, bytes: u64, elapsed: Duration) -> String {
    let per_second = |number: u64| (number as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
    let read = match bytes {
        0 => format!("{} files/s", grouped(per_second(files))),
        _ => format!("{}, {}/s", size(bytes), size(per_second(bytes))),
    };
    let Some(total) = total else { return format!("{} files, {read}", grouped(files)) };
    // Files can be added while an index is built.
    let done = (files * BAR_COLUMNS).checked_div(total).unwrap_or(0).min(BAR_COLUMNS) as usize;
    let (done, left) = ("#".repeat(done), ".".repeat(BAR_COLUMNS as usize - done));
    format!("[{done}{left}] {} of {} files, {read}", grouped(files), grouped(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Duration = Duration::from_secs(2);

    #[test]
    fn the_bar_shows_how_much_is_done() {
        let (none, half, all) = (".".repeat(30), "#".repeat(15) + &".".repeat(15), "#".repeat(30));
        let line = |files, total, bytes| line(files, Some(total), bytes, TWO);
        assert_eq!(line(0, 0, 0), format!("[{none}] 0 of 0 files, 0 files/s"));
        assert_eq!(line(5, 10, 20_000), format!("[{half}] 5 of 10 files, 20 kB, 10 kB/s"));
        assert_eq!(line(12, 10, 2), format!("[{all}] 12 of 10 files, 2 bytes, 1 bytes/s"));
    }

    #[test]
    fn without_a_total_there_is_no_bar() {
        assert_eq!(line(2500, None, 0, TWO), "2,500 files, 1,250 files/s");
        assert_eq!(line(2, None, 60_000_000, TWO), "2 files, 60 MB, 30 MB/s");
        assert_eq!(line(2, None, 2_500_000_000, TWO), "2 files, 2,500 MB, 1,250 MB/s");
    }

    #[test]
    fn the_counts_of_all_workers_are_added() {
        let progress = Progress::new(false);
        let workers = [progress.worker(), progress.worker()];
        for (bytes, counts) in (1..).zip(&workers) {
            counts.add_file();
            counts.add_bytes(bytes);
        }
        assert_eq!(progress.state().line(TWO), "2 files, 3 bytes, 1 bytes/s");
        progress.watch(|| 7);
        assert_eq!(progress.state().line(TWO), "2 files, 10 bytes, 5 bytes/s");
        progress.watch(|| 0);
        assert_eq!(progress.state().line(TWO), "2 files, 10 bytes, 5 bytes/s", "it never falls");
        progress.begin(4);
        assert!(progress.state().line(TWO).ends_with("0 of 4 files, 0 files/s"));
    }

    #[test]
    fn drawing_ends_before_it_has_begun() {
        let progress = Arc::new(Progress::new(false));
        let begun = Instant::now();
        drop(progress.draw(Duration::from_secs(100)));
        assert!(begun.elapsed() < Duration::from_secs(50));
    }
}
