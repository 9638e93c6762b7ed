//! Do directories come from a disk? Opening and listing one takes microseconds where the system has it in memory, and a
//! tenth of a millisecond or more where it has to be fetched, in which the core could have done something else. A clock
//! tells: two looks at it for a directory, and none once it is known. Whether a thread that was slow had to wait, or lost
//! its core to others, the system is asked, where it knows.

use std::time::{Duration, Instant};

use crate::sys;

/// How long a directory in memory takes at most to be opened and to give its first entries, on a fast machine.
///
/// Perf (2026-11-21, 2 busy cores, a virtual disk, corpus `linux`, a C program that opens and lists its 5,106 directories):
/// in memory half of them take 6 us and 95 % up to 20; from the disk 5 % take less than 49 us, half of them 62, 1 % over 4 ms.
const PROMPT: Duration = Duration::from_micros(25);
/// How much longer it takes for each entry.
const PER_ENTRY: Duration = Duration::from_nanos(250);

/// A slow directory counts for this many prompt ones: if more than a third is slow it may be the disk.
const SLOW: u32 = 2;
/// This many more than prompt ones would make up for: three in a row.
const ENOUGH: u32 = 3 * SLOW;
/// How often a thread has had to wait for the second and the third, together. What it may have waited for between
/// directories, such as somebody who reads what it prints, does not count.
const WAITS: u64 = 2;

/// One worker's notion of how directories come.
#[derive(Debug)]
pub(crate) struct ColdDirDetector {
    begun: Option<Instant>,
    /// How often the thread had had to wait by then, if that may matter.
    waits: Option<u64>,
    score: u32,
    /// How often it has had to wait for directories since the first slow one. None: nobody can tell.
    waited: Option<u64>,
    /// How many times as long as on a fast machine directories in memory take.
    baseline_factor: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody wants to know, or everybody knows.
    Off,
    Watching,
    /// They come from a disk, which has not been told yet.
    Cold,
}

impl ColdDirDetector {
    /// A cold_dirs that watches if anybody is there to be called.
    pub(crate) fn new(is_wanted: bool) -> ColdDirDetector {
        let state = if is_wanted { State::Watching } else { State::Off };
        ColdDirDetector {
            begun: None,
            waits: None,
            score: 0,
            waited: None,
            baseline_factor: 1,
            state,
        }
    }

    /// A directory is about to be opened.
    pub(crate) fn start(&mut self) {
        if self.state == State::Watching {
            // To ask the system takes as long as a directory.
            self.waits = if self.score > 0 { sys::waits() } else { None };
            self.begun = Some(Instant::now());
        }
    }

    /// It has been opened, and this many entries listed.
    pub(crate) fn stop(&mut self, entries: usize) {
        if let Some(begun) = self.begun.take() {
            let before = self.waits;
            self.note(begun.elapsed(), entries, || Some(sys::waits()?.saturating_sub(before?)));
        }
    }

    /// `waited` tells how often the thread has had to wait for it.
    fn note(&mut self, took: Duration, entries: usize, waited: impl FnOnce() -> Option<u64>) {
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        let prompt = PROMPT.saturating_add(PER_ENTRY.saturating_mul(entries));
        if took <= prompt.saturating_mul(self.baseline_factor) {
            self.score = self.score.saturating_sub(1);
            return;
        }
        self.waited = match self.score {
            0 => Some(0),
            _ => self.waited.and_then(|sum| Some(sum + waited()?)),
        };
        self.score += SLOW;
        if self.score >= ENOUGH {
            if self.waited.is_none_or(|waited| waited >= WAITS) {
                self.state = State::Cold;
            } else {
                // Others have the cores, or the machine is slower than that.
                self.baseline_factor = self.baseline_factor.saturating_mul(2);
            }
            self.score = 0;
        }
    }

    /// Whether directories turned out to come from a disk since this was last asked. Said once.
    pub(crate) fn calls_for_help(&mut self) -> bool {
        let is_cold = self.state == State::Cold;
        if is_cold {
            self.state = State::Off;
        }
        is_cold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether directories that took so many microseconds, each with so many entries, call for help, if the thread has to
    /// wait for every one of them `waits` times.
    fn calls(directories: &[(u64, usize)], waits: Option<u64>) -> bool {
        let mut cold_dirs = ColdDirDetector::new(true);
        directories.iter().any(|&(took, entries)| {
            cold_dirs.note(Duration::from_micros(took), entries, || waits);
            cold_dirs.calls_for_help()
        })
    }

    #[test]
    fn three_slow_directories_in_a_row_call_for_help() {
        for waits in [None, Some(1), Some(3)] {
            assert!(!calls(&[(100, 5), (100, 5)], waits));
            assert!(calls(&[(100, 5), (100, 5), (100, 5)], waits));
        }
        assert!(!calls(&[(100, 5); 100], Some(0)), "others have the cores");
        let mut cold_dirs = ColdDirDetector::new(true);
        for _ in 0..100 {
            cold_dirs.note(Duration::from_micros(60), 0, || Some(0));
        }
        assert_eq!(cold_dirs.baseline_factor, 4, "up to 100 us are prompt on this machine");
        assert!(!cold_dirs.calls_for_help());
    }

    #[test]
    fn large_directories_take_their_time() {
        assert!(!calls(&[(270, 1000); 9], None));
        assert!(calls(&[(280, 1000); 9], None));
    }

    #[test]
    fn a_slow_one_now_and_then_is_no_disk() {
        let mut directories = Vec::new();
        for _ in 0..1000 {
            directories.extend([(4000, 5), (5, 5), (5, 5), (5, 5)]);
        }
        assert!(!calls(&directories, Some(1)));
        let half: Vec<_> = [(4000, 5), (5, 5)].into_iter().cycle().take(20).collect();
        assert!(calls(&half, Some(1)), "half of them come from a disk");
    }

    #[test]
    fn the_clock_is_looked_at_while_there_is_help() {
        let mut cold_dirs = ColdDirDetector::new(false);
        cold_dirs.start();
        assert!(cold_dirs.begun.is_none(), "there is nobody to call");
        let mut cold_dirs = ColdDirDetector::new(true);
        cold_dirs.start();
        assert!(cold_dirs.begun.is_some());
        cold_dirs.stop(0);
        (0..3).for_each(|_| cold_dirs.note(Duration::from_secs(1), 0, || None));
        assert!(cold_dirs.calls_for_help());
        cold_dirs.start();
        assert!(cold_dirs.begun.is_none(), "they have been called");
        assert!(!cold_dirs.calls_for_help());
    }
}
