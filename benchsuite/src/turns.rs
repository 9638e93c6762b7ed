//! The one plan of runs: rows take turns, so that whatever disturbs the machine disturbs all of
//! them.
//!
//! The order of a round is random, and reversed in the next one (`C A B`, `B A C`), so that no row
//! always follows the same other. A run that is wrong, hangs or dies makes its row invalid, which
//! is then not run again.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::process::Failure;
use crate::record::{Figures, Outcome, Row};

/// How often rows are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// Runs wanted per row.
    pub(crate) repeats: usize,
    /// The seed of the order.
    pub(crate) seed: u64,
    /// After this, rows that have a run get no more.
    pub(crate) deadline: Option<Instant>,
    /// Whether disturbed runs are repeated, up to `repeats` of them per row.
    pub(crate) repeats_disturbed: bool,
}

/// The outcome of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) figures: Figures,
    /// What it printed or visited, if each run reports that.
    pub(crate) result: Option<Outcome>,
    /// Why it is invalid.
    pub(crate) invalid: Option<String>,
    /// Whether the hypervisor gave much of the time to others.
    pub(crate) disturbed: bool,
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

    /// Runs every row that is valid `repeats` times; `begin` is called with the number of each
    /// round, from 1. The figures go to `runs`.
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
        // Each run of a row counts, makes the row invalid, or is one of at most `repeats` that are
        // discarded.
        let most = if self.repeats_disturbed { 2 * self.repeats } else { self.repeats };
        for round in 1..=most {
            let is_done = |(index, row): (usize, &Row), wanted: usize| {
                row.fault.is_some() || taken(row, index) >= wanted
            };
            let wanted = if self.is_late() { 1 } else { self.repeats };
            if rows.iter().enumerate().all(|row| is_done(row, wanted.min(self.repeats))) {
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
                if is_done((index, row), self.repeats) {
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
pub(crate) struct Progress {
    begun: Instant,
    reported: Option<Instant>,
    total: usize,
    done: usize,
    title: String,
}

impl Progress {
    /// Of a session of `total` steps that starts now.
    pub(crate) fn new(total: usize) -> Progress {
        let begun = Instant::now();
        Progress { begun, reported: None, total, done: 0, title: String::new() }
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
        self.report(&format!("{number} of {all}: {}: {what}{left}", self.title));
    }

    fn left(&self, this: Duration) -> String {
        let each = (self.begun.elapsed() + this) / (self.done as u32 + 1);
        let later = self.total.saturating_sub(self.done + 1) as u32;
        format!("; about {} left", in_words(this + each * later))
    }

    /// Reports `text` in any case.
    #[expect(clippy::unused_self, reason = "progress is reported by its owner alone")]
    pub(crate) fn report(&self, text: &str) {
        // Progress is worth no failure.
        let _ = writeln!(io::stderr(), "benchsuite: {text}");
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

    const TURNS: Turns = Turns { repeats: 3, seed: 5, deadline: None, repeats_disturbed: true };

    fn rows<const N: usize>(names: [&str; N]) -> Vec<Row> {
        names.map(|name| Row { tool: name.into(), ..Row::default() }).into()
    }

    /// Takes turns without progress.
    fn take(turns: Turns, rows: &mut [Row], measure: Measure<'_>) {
        turns.take(rows, &mut |_| (), measure).expect("not interrupted");
    }

    #[test]
    fn rows_take_turns_in_an_order_that_is_reversed() {
        let mut rows = rows(["a", "b", "c"]);
        let mut log = Vec::new();
        let mut rounds = Vec::new();
        let mut measure = |index: usize, _: &Row| {
            log.push(index);
            Ok(Run::default())
        };
        TURNS.take(&mut rows, &mut |round| rounds.push(round), &mut measure).expect("it ends");
        assert_eq!((rounds, log.len()), (vec![1, 2, 3], 9));
        let mut reversed = log[..3].to_vec();
        reversed.reverse();
        assert_eq!(log[3..6], reversed);
        for round in log.chunks(3) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2], "each once in a round");
        }
        assert!(rows.iter().all(|row| row.runs.len() == 3 && row.cut_short.is_none()));
    }

    #[test]
    fn shuffling_reaches_every_order() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let mut order = Vec::new();
            let turns = Turns { repeats: 1, seed, ..TURNS };
            take(turns, &mut rows(["a", "b", "c"]), &mut |index, _| {
                order.push(index);
                Ok(Run::default())
            });
            seen.insert(order);
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    #[test]
    fn disturbed_runs_are_repeated_but_not_for_ever() {
        for (disturbed, expected) in [(0..99, (6, 3, 3)), (2..3, (4, 1, 0))] {
            let (mut one, mut runs) = (rows(["a"]), 0);
            take(TURNS, &mut one, &mut |_, _| {
                runs += 1;
                Ok(Run { disturbed: disturbed.contains(&(runs - 1)), ..Run::default() })
            });
            assert_eq!((runs, one[0].discarded, one[0].disturbed), expected);
            assert_eq!(one[0].runs.len(), 3);
        }
    }

    #[test]
    fn what_hangs_dies_or_is_wrong_is_not_run_again() {
        let mut three = rows(["hangs", "wrong", "fine"]);
        let mut runs = [0; 3];
        take(TURNS, &mut three, &mut |index, _| {
            runs[index] += 1;
            match index {
                0 => Err(Failure::Hung(Duration::from_secs(1))),
                1 => Ok(Run { invalid: Some("completed 9 of 10".into()), ..Run::default() }),
                _ => Ok(Run::default()),
            }
        });
        assert_eq!(runs, [1, 1, 3]);
        assert_eq!(three[0].fault.as_deref(), Some("hung, killed after 1 s"));
        assert_eq!(three[1].fault.as_deref(), Some("completed 9 of 10"));
        assert_eq!(three[0].cut_short, None, "the fault is enough");
    }

    #[test]
    fn another_result_than_before_is_not_ranked() {
        let mut one = rows(["a"]);
        one[0].result = Some(Outcome { lines: 10, ..Outcome::default() });
        let mut lines = 11;
        take(TURNS, &mut one, &mut |_, _| {
            lines -= 1;
            Ok(Run { result: Some(Outcome { lines, ..Outcome::default() }), ..Run::default() })
        });
        assert_eq!(one[0].agrees, Some(false));
    }

    #[test]
    fn a_late_group_keeps_one_run_of_each_row() {
        let turns = Turns { deadline: Some(Instant::now()), ..TURNS };
        let mut two = rows(["a", "b"]);
        turns.warm_up(&mut two, &mut |_, _| Ok(Run::default())).expect("not interrupted");
        take(turns, &mut two, &mut |_, _| Ok(Run::default()));
        for row in two {
            assert_eq!(row.runs.len(), 1);
            assert_eq!(row.cut_short.unwrap(), "no warm-up, 1 of 3 repeats");
        }
    }

    #[test]
    fn an_interrupt_ends_all_turns_and_a_bad_warm_up_its_row() {
        let interrupted =
            TURNS.take(&mut rows(["a"]), &mut |_| (), &mut |_, _| Err(Failure::Interrupted));
        assert_eq!(interrupted, Err(Stopped));
        let mut one = rows(["a"]);
        let wrong = Run { invalid: Some("completed 999 of 1000".into()), ..Run::default() };
        TURNS.warm_up(&mut one, &mut |_, _| Ok(wrong.clone())).expect("not interrupted");
        assert_eq!(
            (one[0].fault.as_deref(), one[0].runs.len()),
            (Some("completed 999 of 1000"), 0)
        );
    }

    #[test]
    fn times_have_fitting_units() {
        let words = [0, 99, 100, 5999, 6000].map(|s| in_words(Duration::from_secs(s)));
        assert_eq!(words, ["0 s", "99 s", "2 min", "100 min", "1.7 h"]);
    }
}
