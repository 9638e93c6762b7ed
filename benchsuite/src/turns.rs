//! The one plan for runs: rows take turns, so that whatever disturbs the machine disturbs them all.
//!
//! The order of a round is random, and reversed in the next one (`C A B`, `B A C`), so that no row
//! always follows the same other. Rows that are still noisy then are run more often. A run that is
//! wrong, hangs or dies makes its row invalid, which is then not run again.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::files::notice;
use crate::process::Failure;
use crate::record::{Figures, NOISE, Outcome, Row};

/// How often rows are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// Runs wanted per row.
    pub(crate) repeats: usize,
    /// The most runs of a row that is noisy after these.
    pub(crate) most_repeats: usize,
    /// The seed of the order.
    pub(crate) seed: u64,
    /// After this, rows that have a run get no more.
    pub(crate) deadline: Option<Instant>,
    /// Whether disturbed runs are repeated, up to `repeats` of them per row.
    pub(crate) repeats_disturbed: bool,
}

/// The outcome of one run; it travels from a child process as JSON.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) figures: Figures,
    /// What it printed or visited, if each run reports that.
    pub(crate) result: Option<Outcome>,
    /// Why it is invalid.
    pub(crate) invalid: Option<String>,
    /// Whether the hypervisor gave much of the time to others.
    pub(crate) disturbed: bool,
    /// The first error of a walk, for a warning.
    pub(crate) note: Option<String>,
}

/// The user interrupted the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Runs the row with this index once.
pub(crate) type Measure<'a> = &'a mut dyn FnMut(usize, &Row) -> Result<Run, Failure>;

impl Turns {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Runs each row once and keeps only what is wrong; past the deadline the row notes that it had
    /// no warm-up.
    pub(crate) fn warm_up(&self, rows: &mut [Row], measure: Measure<'_>) -> Result<(), Stopped> {
        for (index, row) in rows.iter_mut().enumerate() {
            if self.is_late() {
                row.cut_short = Some("no warm-up".to_owned());
            } else if let Some(run) = attempt(row, measure(index, row))?
                && let Some(why) = run.invalid
            {
                row.fail(why);
            }
        }
        Ok(())
    }

    /// Runs every row that is valid `repeats` times, and noisy ones up to `most_repeats` times;
    /// `begin` is called with the number of each round, from 1. The figures go to `runs`.
    pub(crate) fn take(
        &self,
        rows: &mut [Row],
        begin: &mut dyn FnMut(usize),
        measure: Measure<'_>,
    ) -> Result<(), Stopped> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let before: Vec<usize> = rows.iter().map(|row| row.runs.len()).collect();
        let taken = |row: &Row, index: usize| row.runs.len() - before[index];
        // Each run of a row counts, makes the row invalid, or is discarded, which happens at most
        // `repeats` times.
        let most = self.most_repeats.max(self.repeats * (1 + usize::from(self.repeats_disturbed)));
        for round in 1..=most {
            let is_done = |(index, row): (usize, &Row), wanted: usize| {
                row.fault.is_some() || taken(row, index) >= wanted
            };
            let is_late = self.is_late();
            let wanted = |row: &Row| match row.noise() > NOISE {
                _ if is_late => self.repeats.min(1),
                true => self.most_repeats.max(self.repeats),
                false => self.repeats,
            };
            if rows.iter().enumerate().all(|row| is_done(row, wanted(row.1))) {
                break;
            }
            begin(round);
            if round % 2 == 1 {
                random.shuffle(&mut order);
            } else {
                order.reverse();
            }
            for &index in &order {
                let row = &mut rows[index];
                if is_done((index, row), wanted(row)) {
                    continue;
                }
                if let Some(run) = attempt(row, measure(index, row))? {
                    self.note(row, run);
                }
            }
        }
        for (index, row) in rows.iter_mut().enumerate() {
            let runs = row.runs.len() - before[index];
            if runs < self.repeats && row.fault.is_none() {
                let repeats = format!("{runs} of {} repeats", self.repeats);
                let earlier = row.cut_short.take().map(|earlier| format!("{earlier}, "));
                row.cut_short = Some(earlier.unwrap_or_default() + &repeats);
            }
        }
        Ok(())
    }

    fn note(&self, row: &mut Row, run: Run) {
        if run.disturbed && self.repeats_disturbed {
            if row.discarded < self.repeats {
                row.discarded += 1;
                return;
            }
            row.disturbed += 1;
        }
        if let (Some(known), Some(found)) = (row.result, run.result)
            && !known.agrees(&found)
        {
            row.agrees = Some(false);
        }
        row.runs.push(run.figures);
        if let Some(why) = run.invalid {
            row.fail(why);
        }
    }
}

/// Passes on the user's wish to stop; any other failure makes the row invalid.
pub(crate) fn attempt<T>(row: &mut Row, outcome: Result<T, Failure>) -> Result<Option<T>, Stopped> {
    match outcome {
        Ok(outcome) => Ok(Some(outcome)),
        Err(Failure::Interrupted) => Err(Stopped),
        Err(failure) => {
            row.fail(failure.to_string());
            Ok(None)
        }
    }
}

/// Reports progress on standard error, at most one line a second.
pub(crate) struct SessionProgress {
    begun: Instant,
    reported: Option<Instant>,
    total: usize,
    done: usize,
    title: String,
}

impl SessionProgress {
    /// The progress of a session with `total` steps that starts now.
    pub(crate) fn new(total: usize) -> SessionProgress {
        let begun = Instant::now();
        SessionProgress { begun, reported: None, total, done: 0, title: String::new() }
    }

    /// Begins a step; `ended` counts those that are done.
    pub(crate) fn begin(&mut self, ended: usize, title: String) {
        (self.done, self.title) = (ended, title);
    }

    /// Reports `what`, and how long the rest takes if this step has `left` to go and the others are
    /// like those before.
    pub(crate) fn step(&mut self, what: &str, left: Option<Duration>) {
        if self.reported.is_some_and(|reported| reported.elapsed() < Duration::from_secs(1)) {
            return;
        }
        self.reported = Some(Instant::now());
        let left = left.map(|left| self.left(left)).unwrap_or_default();
        let (number, all) = (self.done + 1, self.total);
        // Progress is worth no failure.
        let _ = notice(&format!("{number} of {all}: {}: {what}{left}", self.title));
    }

    fn left(&self, this: Duration) -> String {
        let each = (self.begun.elapsed() + this) / (self.done as u32 + 1);
        let later = self.total.saturating_sub(self.done + 1) as u32;
        format!("; about {} left", in_words(this + each * later))
    }
}

/// `40 s`, `12 min`, `3.5 h`.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6000 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNS: Turns =
        Turns { repeats: 3, most_repeats: 0, seed: 5, deadline: None, repeats_disturbed: true };

    fn rows(names: &[&str]) -> Vec<Row> {
        names.iter().map(|&name| Row { tool: name.into(), ..Row::default() }).collect()
    }

    fn invalid(why: &str) -> Run {
        Run { invalid: Some(why.into()), ..Run::default() }
    }

    /// The rows after their turns, and the order of the runs; `run` is called with a row's number
    /// and how often it has run before.
    fn take(
        turns: Turns,
        mut rows: Vec<Row>,
        run: impl Fn(usize, usize) -> Result<Run, Failure>,
    ) -> (Vec<Row>, Vec<usize>) {
        let mut log = Vec::new();
        let mut measure = |index: usize, _: &Row| {
            log.push(index);
            run(index, log.iter().filter(|&&logged| logged == index).count() - 1)
        };
        turns.take(&mut rows, &mut |_| (), &mut measure).expect("not interrupted");
        (rows, log)
    }

    #[test]
    fn rows_take_turns_in_an_order_that_is_reversed() {
        let (rows, log) = take(TURNS, rows(&["a", "b", "c"]), |_, _| Ok(Run::default()));
        let reversed: Vec<usize> = log[..3].iter().rev().copied().collect();
        assert_eq!((log.len(), &log[3..6]), (9, &*reversed));
        for round in log.chunks(3) {
            assert!([0, 1, 2].iter().all(|index| round.contains(index)), "each once in a round");
        }
        assert!(rows.iter().all(|row| row.runs.len() == 3 && row.cut_short.is_none()));
    }

    #[test]
    fn rounds_are_counted_from_one() {
        let mut rounds = Vec::new();
        let mut begin = |round| rounds.push(round);
        TURNS.take(&mut rows(&["a"]), &mut begin, &mut |_, _| Ok(Run::default())).expect("an end");
        assert_eq!(rounds, [1, 2, 3]);
    }

    #[test]
    fn shuffling_reaches_every_order() {
        let order = |seed| {
            let turns = Turns { repeats: 1, seed, ..TURNS };
            take(turns, rows(&["a", "b", "c"]), |_, _| Ok(Run::default())).1
        };
        let seen: std::collections::BTreeSet<_> = (0..200).map(order).collect();
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    #[test]
    fn disturbed_runs_are_repeated_but_not_for_ever() {
        for (disturbed, expected) in [(0..99, (6, 3, 3)), (2..3, (4, 1, 0))] {
            let run =
                |_, number| Ok(Run { disturbed: disturbed.contains(&number), ..Run::default() });
            let (rows, log) = take(TURNS, rows(&["a"]), run);
            assert_eq!((log.len(), rows[0].discarded, rows[0].disturbed), expected);
            assert_eq!(rows[0].runs.len(), 3);
        }
    }

    #[test]
    fn noisy_rows_are_run_again_up_to_a_limit() {
        let times = |index, number| match index {
            0 => 1.0,
            1 if number == 0 => 1.2,
            1 => 1.1,
            _ => 1.0 + number as f64,
        };
        let run = |index, number| {
            let figures = Figures::of([("wall", times(index, number))]);
            Ok(Run { figures, ..Run::default() })
        };
        let turns = Turns { most_repeats: 8, ..TURNS };
        let (rows, _) = take(turns, rows(&["quiet", "settles", "noisy"]), run);
        assert_eq!(rows.iter().map(|row| row.runs.len()).collect::<Vec<_>>(), [3, 4, 8]);
    }

    #[test]
    fn what_hangs_dies_or_is_wrong_is_not_run_again() {
        let (rows, mut log) =
            take(TURNS, rows(&["hangs", "wrong", "fine"]), |index, _| match index {
                0 => Err(Failure::Hung(Duration::from_secs(1))),
                1 => Ok(invalid("completed 9 of 10")),
                _ => Ok(Run::default()),
            });
        log.sort_unstable();
        assert_eq!(log, [0, 1, 2, 2, 2]);
        assert_eq!(rows[0].fault.as_deref(), Some("hung, killed after 1 s"));
        assert_eq!(rows[1].fault.as_deref(), Some("completed 9 of 10"));
        assert_eq!(rows[0].cut_short, None, "the fault is enough");
    }

    #[test]
    fn another_result_than_before_is_not_ranked() {
        let outcome = |lines| Some(Outcome { lines, ..Outcome::default() });
        let known = vec![Row { result: outcome(10), ..Row::default() }];
        let (rows, _) = take(TURNS, known, |_, number| {
            Ok(Run { result: outcome(10 - number as u64), ..Run::default() })
        });
        assert_eq!(rows[0].agrees, Some(false));
    }

    #[test]
    fn a_late_group_keeps_one_run_of_each_row() {
        let turns = Turns { deadline: Some(Instant::now()), ..TURNS };
        let mut late = rows(&["a", "b"]);
        turns.warm_up(&mut late, &mut |_, _| Ok(Run::default())).expect("not interrupted");
        for row in take(turns, late, |_, _| Ok(Run::default())).0 {
            assert_eq!(row.runs.len(), 1);
            assert_eq!(row.cut_short.unwrap(), "no warm-up, 1 of 3 repeats");
        }
    }

    #[test]
    fn an_interrupt_ends_all_turns_and_a_bad_warm_up_its_row() {
        let interrupted =
            TURNS.take(&mut rows(&["a"]), &mut |_| (), &mut |_, _| Err(Failure::Interrupted));
        assert_eq!(interrupted, Err(Stopped));
        let (mut one, why) = (rows(&["a"]), "completed 999 of 1000");
        TURNS.warm_up(&mut one, &mut |_, _| Ok(invalid(why))).expect("not interrupted");
        assert_eq!((one[0].fault.as_deref(), one[0].runs.len()), (Some(why), 0));
    }

    #[test]
    fn times_have_fitting_units() {
        let words = [0, 99, 100, 5999, 6000].map(|s| in_words(Duration::from_secs(s)));
        assert_eq!(words, ["0 s", "99 s", "2 min", "100 min", "1.7 h"]);
    }
}
