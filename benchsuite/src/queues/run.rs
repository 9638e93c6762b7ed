//! In which order rows are run, how often, and what is run again.
//!
//! Rows that differ in nothing but the system form a group and take turns, so that whatever
//! disturbs the machine disturbs all of them. The order is random and then reversed, `C A B B A C`,
//! so that none is always the one that comes after a certain other.

use std::time::{Duration, Instant};

use crate::machine::Ticks;
use crate::queues::child::Outcome;
use crate::queues::report::RowRecord;
use crate::queues::row::{Row, VERIFY};
use crate::queues::{child, scenario};
use crate::random::Random;

/// How groups are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Samples wanted per row.
    pub(crate) repeats: usize,
    /// What the order is derived from.
    pub(crate) seed: u64,
    /// When a group that has one sample of each row should end.
    pub(crate) deadline: Option<Instant>,
}

/// A run and whether it was disturbed.
pub(crate) struct Run {
    /// What came of it.
    pub(crate) outcome: Outcome,
    /// Whether the hypervisor gave much of the time to others.
    pub(crate) disturbed: bool,
}

/// Cuts `rows` into groups, which keep the order of the rows.
pub(crate) fn groups(rows: Vec<Row>) -> Vec<Vec<Row>> {
    let mut groups: Vec<Vec<Row>> = Vec::new();
    let key = |row: &Row| (row.scenario.clone(), row.setup.clone(), row.threads, row.size);
    for row in rows {
        match groups.iter_mut().find(|group| group.first().map(key) == Some(key(&row))) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// Whether one run of a row of this scenario says it all.
pub(crate) fn is_single(row: &Row) -> bool {
    scenario::by_name(&row.scenario).is_some_and(|scenario| scenario.is_single())
}

/// Runs `row` once in a process of its own.
pub(crate) fn run_once(row: &Row) -> Run {
    let Some(scenario) = scenario::by_name(&row.scenario) else {
        let outcome = Outcome::Failed(format!("there is no scenario '{}'", row.scenario));
        return Run { outcome, disturbed: false };
    };
    let before = Ticks::now();
    let outcome = child::measure(row, scenario.limit(row));
    Run { outcome, disturbed: Ticks::now().is_stolen_since(before) }
}

/// Runs every row of a group as often as `plan` says, by `run`.
///
/// When time runs out, warm-ups and repeats are left out, and the row says so.
/// A disturbed run is repeated, but at most as often per row as there are samples wanted. A row that
/// hangs or dies is not run again.
pub(crate) fn run_group(
    rows: Vec<Row>,
    plan: Plan,
    run: &mut dyn FnMut(&Row) -> Run,
) -> Vec<RowRecord> {
    let single = rows.first().is_some_and(is_single);
    let mut records: Vec<RowRecord> = rows.into_iter().map(RowRecord::new).collect();
    if !single {
        for record in &mut records {
            if is_late(plan) {
                record.cut_short = Some("no warm-up".to_string());
                continue;
            }
            let mut row = record.row.clone();
            row.numbers.insert(VERIFY.to_string(), 1);
            record.note_warm_up(run(&row).outcome);
        }
    }
    let wanted = if single { 1 } else { plan.repeats };
    let mut random = Random::new(plan.seed);
    let mut order: Vec<usize> = (0..records.len()).collect();
    // No row is run more often: each run gives a sample, breaks the row, or is one of at most
    // `wanted` that are discarded.
    for round in 0..2 * wanted {
        let has_enough = |record: &RowRecord| record.is_broken() || !record.samples.is_empty();
        if is_late(plan) && records.iter().all(has_enough) {
            break;
        }
        if round % 2 == 0 {
            random.shuffle(&mut order);
        } else {
            order.reverse();
        }
        for &i in &order {
            let Some(record) = records.get_mut(i) else { continue };
            if record.samples.len() < wanted && !record.is_broken() {
                take_turn(record, wanted, run(&record.row));
            }
        }
    }
    for record in &mut records {
        if record.samples.len() < wanted && !record.is_broken() {
            let repeats = format!("{} of {wanted} repeats", record.samples.len());
            record.cut_short = Some(match record.cut_short.take() {
                Some(before) => format!("{before}, {repeats}"),
                None => repeats,
            });
        }
    }
    records
}

fn is_late(plan: Plan) -> bool {
    plan.deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

fn take_turn(record: &mut RowRecord, wanted: usize, run: Run) {
    if run.disturbed && matches!(run.outcome, Outcome::Measured(_)) {
        if record.discarded < wanted {
            record.discarded += 1;
            return;
        }
        record.disturbed += 1;
    }
    record.note(run.outcome);
}

/// How far a session is, for people who wait.
pub(crate) struct Progress {
    begun: Instant,
    total: usize,
    done: usize,
}

impl Progress {
    /// Of a session of `total` rows, starting now.
    pub(crate) fn new(total: usize) -> Progress {
        Progress { begun: Instant::now(), total, done: 0 }
    }

    /// A line for the group that is about to run.
    pub(crate) fn line(&self, group: &[Row]) -> String {
        let Some(row) = group.first() else { return String::new() };
        let mut line = format!("[{}/{}] {}", self.done, self.total, row.scenario);
        if !row.setup.is_empty() {
            line += &format!(": {}", row.setup);
        }
        line += &format!(", {} threads, {} systems", row.threads, group.len());
        if let Some(left) = self.left() {
            line += &format!("; about {} left", spell(left));
        }
        line
    }

    /// Counts rows as done.
    pub(crate) fn advance(&mut self, rows: usize) {
        self.done += rows;
    }

    /// How long the rest will take if it goes on like this.
    fn left(&self) -> Option<Duration> {
        let rest = self.total.saturating_sub(self.done) as f64;
        (self.done > 0).then(|| self.begun.elapsed().mul_f64(rest / self.done as f64))
    }
}

/// `time` as one would say it: `40 s`, `12 min`, `3.5 h`.
fn spell(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::queues::row::Sample;

    fn row(system: &str, threads: usize) -> Row {
        Row {
            scenario: "none".into(),
            setup: "flat".into(),
            system: system.into(),
            policy: None,
            threads,
            size: 10,
            numbers: BTreeMap::new(),
        }
    }

    fn calm() -> Run {
        Run { outcome: Outcome::Measured(Sample::default()), disturbed: false }
    }

    const PLAN: Plan = Plan { repeats: 3, seed: 5, deadline: None };

    #[test]
    fn systems_take_turns_in_an_order_that_is_reversed() {
        let rows: Vec<Row> = ["a", "b", "c"].map(|system| row(system, 2)).to_vec();
        let mut log = Vec::new();
        let records = run_group(rows, PLAN, &mut |row| {
            log.push((row.system.clone(), row.number(VERIFY)));
            calm()
        });
        assert_eq!(log.len(), 12);
        let rounds: Vec<Vec<_>> = log.chunks(3).map(<[_]>::to_vec).collect();
        assert!(rounds[0].iter().all(|(_, verify)| *verify == 1), "a warm-up comes first");
        assert!(rounds[1..].iter().flatten().all(|(_, verify)| *verify == 0));
        let mut reversed = rounds[1].clone();
        reversed.reverse();
        assert_eq!(rounds[2], reversed);
        assert!(records.iter().all(|record| record.samples.len() == 3));
        assert_eq!(records[1].row, row("b", 2), "records keep the order and the rows as they were");
    }

    #[test]
    fn disturbed_runs_are_repeated_but_not_for_ever() {
        let mut runs = 0;
        let records = run_group(vec![row("a", 2)], PLAN, &mut |_| {
            runs += 1;
            Run { disturbed: true, ..calm() }
        });
        assert_eq!(runs, 1 + 2 * 3);
        let record = &records[0];
        assert_eq!((record.samples.len(), record.discarded, record.disturbed), (3, 3, 3));

        let mut runs = 0;
        let records = run_group(vec![row("a", 2)], PLAN, &mut |_| {
            runs += 1;
            Run { disturbed: runs == 3, ..calm() }
        });
        assert_eq!((runs, records[0].discarded, records[0].disturbed), (1 + 3 + 1, 1, 0));
        assert_eq!(records[0].samples.len(), 3);
    }

    #[test]
    fn what_hangs_or_dies_is_not_run_again() {
        let mut runs = 0;
        let records = run_group(vec![row("a", 2), row("b", 2)], PLAN, &mut |row| {
            runs += 1;
            let hung = Outcome::Hung(Duration::from_secs(1));
            if row.system == "a" { Run { outcome: hung, disturbed: true } } else { calm() }
        });
        assert_eq!(runs, 1 + 4);
        assert!(records[0].invalid().unwrap().contains("HUNG"));
        assert_eq!(records[0].cut_short, None, "the fault says enough");
    }

    #[test]
    fn a_late_group_keeps_one_sample_of_each_row() {
        let plan = Plan { deadline: Some(Instant::now()), ..PLAN };
        let records = run_group(vec![row("a", 2), row("b", 2)], plan, &mut |_| calm());
        for record in records {
            assert_eq!(record.samples.len(), 1);
            assert_eq!(record.cut_short.unwrap(), "no warm-up, 1 of 3 repeats");
        }
    }

    #[test]
    fn groups_differ_in_more_than_the_system() {
        let rows = vec![row("a", 2), row("a", 4), row("b", 2), row("b", 4)];
        let groups = groups(rows);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[1], [row("a", 4), row("b", 4)]);
    }

    #[test]
    fn times_are_spelled() {
        let spelled = [0, 99, 100, 5999, 6000].map(|s| spell(Duration::from_secs(s)));
        assert_eq!(spelled, ["0 s", "99 s", "2 min", "100 min", "1.7 h"]);
    }
}
