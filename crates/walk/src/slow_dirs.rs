//! Detects that directories come from a disk. Opening and listing a directory takes microseconds if
//! it is in memory, and a tenth of a millisecond or more if it must be fetched; the core is idle
//! meanwhile, so more workers than cores pay off.
//!
//! The worker reads a clock twice per directory until the answer is known, and never again. A slow
//! thread may also have lost its core to another one; the system's count of blocking waits
//! distinguishes the two.

use std::time::{Duration, Instant};

use crate::sys;

/// The time that a directory in memory takes at most, on a fast machine, to be opened and to return
/// its first entries. See `docs/decisions/0020-slow-directories.md`.
const PROMPT_LISTING: Duration = Duration::from_micros(25);
/// The additional time for each entry.
const TIME_PER_ENTRY: Duration = Duration::from_nanos(250);

/// What a slow directory adds to the score; a prompt one subtracts 1. If more than a third of all
/// directories are slow, they may come from a disk.
const SLOW_POINTS: u32 = 2;
/// The score after three slow directories in a row.
const SLOW_SCORE: u32 = 3 * SLOW_POINTS;
/// How often the second and the third one must have waited, together. Waits between directories,
/// such as for a reader of the output, do not count.
const MIN_WAITS: u64 = 2;

/// Decides for one worker whether directories come from a disk.
#[derive(Debug)]
pub(crate) struct ColdDirDetector {
    started: Option<Instant>,
    /// The thread's blocking waits at that time, if they may matter.
    waits_before: Option<u64>,
    score: u32,
    /// The blocking waits for directories since the first slow one; `None` if the system does not
    /// count them.
    waits: Option<u64>,
    /// How many times slower than a fast machine this one is.
    baseline_factor: u32,
    state: DetectionState,
}

/// How far the detection of a disk has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DetectionState {
    /// There are no extra workers, or they have been called.
    Off,
    Watching,
    /// Directories come from a disk, and the worker has not called for help yet.
    Cold,
}

impl ColdDirDetector {
    /// A detector that watches if there are extra workers to call.
    pub(crate) fn new(has_extra_workers: bool) -> ColdDirDetector {
        let state = if has_extra_workers { DetectionState::Watching } else { DetectionState::Off };
        ColdDirDetector {
            started: None,
            waits_before: None,
            score: 0,
            waits: None,
            baseline_factor: 1,
            state,
        }
    }

    /// A directory is about to be opened.
    pub(crate) fn start(&mut self) {
        if self.state == DetectionState::Watching {
            // The count takes a system call, so it is read only after a slow directory.
            self.waits_before = if self.score > 0 { sys::blocking_waits() } else { None };
            self.started = Some(Instant::now());
        }
    }

    /// The directory has been opened, and this many entries listed.
    pub(crate) fn stop(&mut self, entries: usize) {
        if let Some(started) = self.started.take() {
            let before = self.waits_before;
            let waits = || Some(sys::blocking_waits()?.saturating_sub(before?));
            self.record(started.elapsed(), entries, waits);
        }
    }

    /// Records a directory. `waits` returns the blocking waits that it took.
    fn record(&mut self, took: Duration, entries: usize, waits: impl FnOnce() -> Option<u64>) {
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        let prompt = PROMPT_LISTING.saturating_add(TIME_PER_ENTRY.saturating_mul(entries));
        if took <= prompt.saturating_mul(self.baseline_factor) {
            self.score = self.score.saturating_sub(1);
            return;
        }
        self.waits = match self.score {
            0 => Some(0),
            _ => self.waits.and_then(|sum| Some(sum + waits()?)),
        };
        self.score += SLOW_POINTS;
        if self.score >= SLOW_SCORE {
            if self.waits.is_none_or(|waits| waits >= MIN_WAITS) {
                self.state = DetectionState::Cold;
            } else {
                // Other threads have the cores, or this machine is slower than assumed.
                self.baseline_factor = self.baseline_factor.saturating_mul(2);
            }
            self.score = 0;
        }
    }

    /// Returns `true` once: after directories have turned out to come from a disk.
    pub(crate) fn calls_for_help(&mut self) -> bool {
        let is_cold = self.state == DetectionState::Cold;
        if is_cold {
            self.state = DetectionState::Off;
        }
        is_cold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `directories`, given as pairs of microseconds and entries, call for help if each
    /// takes `waits` blocking waits.
    fn calls(directories: &[(u64, usize)], waits: Option<u64>) -> bool {
        let mut detector = ColdDirDetector::new(true);
        directories.iter().any(|&(took, entries)| {
            detector.record(Duration::from_micros(took), entries, || waits);
            detector.calls_for_help()
        })
    }

    #[test]
    fn three_slow_directories_in_a_row_call_for_help() {
        for waits in [None, Some(1), Some(3)] {
            assert!(!calls(&[(100, 5), (100, 5)], waits));
            assert!(calls(&[(100, 5), (100, 5), (100, 5)], waits));
        }
        assert!(!calls(&[(100, 5); 100], Some(0)), "other threads have the cores");
        let mut detector = ColdDirDetector::new(true);
        for _ in 0..100 {
            detector.record(Duration::from_micros(60), 0, || Some(0));
        }
        assert_eq!(detector.baseline_factor, 4, "up to 100 us are prompt on this machine");
        assert!(!detector.calls_for_help());
    }

    #[test]
    fn large_directories_may_take_longer() {
        assert!(!calls(&[(270, 1000); 9], None));
        assert!(calls(&[(280, 1000); 9], None));
    }

    #[test]
    fn a_slow_directory_now_and_then_is_no_disk() {
        let mut directories = Vec::new();
        for _ in 0..1000 {
            directories.extend([(4000, 5), (5, 5), (5, 5), (5, 5)]);
        }
        assert!(!calls(&directories, Some(1)));
        let half: Vec<_> = [(4000, 5), (5, 5)].into_iter().cycle().take(20).collect();
        assert!(calls(&half, Some(1)), "half of them come from a disk");
    }

    #[test]
    fn the_clock_is_read_while_there_are_workers_to_call() {
        let mut detector = ColdDirDetector::new(false);
        detector.start();
        assert!(detector.started.is_none(), "there are no extra workers");
        let mut detector = ColdDirDetector::new(true);
        detector.start();
        assert!(detector.started.is_some());
        detector.stop(0);
        (0..3).for_each(|_| detector.record(Duration::from_secs(1), 0, || None));
        assert!(detector.calls_for_help());
        detector.start();
        assert!(detector.started.is_none(), "they have been called");
        assert!(!detector.calls_for_help());
    }
}
