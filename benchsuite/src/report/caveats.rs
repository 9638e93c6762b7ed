//! What makes figures doubtful, told plainly: what the record warns of, and what its rows give
//! away.

use super::format::percent;
use super::reading::NOISE;
use crate::suite::record::{Comparison, Record, Row};

/// Every caveat of a record, the gravest first.
pub(super) fn of(record: &Record) -> Vec<String> {
    let mut told = Vec::new();
    if record.is_partial {
        told.push("The session was stopped before everything was measured.".to_owned());
    }
    told.extend(record.warnings.iter().cloned());
    told.extend(unranked(record));
    told.extend(crowded(record));
    told.extend(noisy(record));
    if record.method.repeats == 1 {
        told.push("Each command was timed once: nothing is known of how times vary.".to_owned());
    }
    told
}

fn rows(record: &Record) -> impl Iterator<Item = (&Comparison, &Row)> {
    record.comparisons.iter().flat_map(|c| c.rows.iter().map(move |row| (c, row)))
}

fn unranked(record: &Record) -> Option<String> {
    let all = rows(record).count();
    let count = rows(record).filter(|(_, row)| !row.is_ranked()).count();
    (count > 0).then(|| {
        format!(
            "{count} of {all} rows failed, were not timed or printed something else than hs. They \
             are \
             shown, hatched or at the end of a table, and not ranked."
        )
    })
}

/// Threads that had to wait for one another.
fn crowded(record: &Record) -> Option<String> {
    let cores = record.machine.cores;
    let count = rows(record).filter(|(_, row)| row.is_crowded(cores)).count();
    (count > 0).then(|| {
        format!(
            "{count} rows are oversubscribed: they have more threads than the {cores} cores of \
             this \
             machine. They tell what too many threads cost, not how a program would scale on more \
             cores."
        )
    })
}

/// Rows whose runs differ by more than a reader would guess.
fn noisy(record: &Record) -> Option<String> {
    let noise = |row: &Row| {
        let wall = row.wall()?;
        (wall.median > 0.0).then(|| wall.mad / wall.median)
    };
    let ranked = || rows(record).filter(|(_, row)| row.is_ranked());
    let noisy: Vec<(String, f64)> = ranked()
        .filter_map(|(comparison, row)| {
            Some((format!("{} in {}", row.name(), comparison.name()), noise(row)?))
        })
        .filter(|(_, noise)| *noise > NOISE)
        .collect();
    let (worst, noise) = noisy.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(format!(
        "{} of {} rows are noisy: half of their runs are over {} away from the median. The worst \
         is \
         {worst} with {}. Small differences there mean nothing.",
        noisy.len(),
        ranked().count(),
        percent(NOISE),
        percent(*noise)
    ))
}
