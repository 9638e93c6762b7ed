//! What makes figures doubtful: the warnings of the record, and what its rows show.

use crate::format::percent;
use crate::record::{NOISE, Record, Row};

/// Every caveat of a record, the gravest first.
pub(crate) fn caveats(record: &Record) -> Vec<String> {
    let mut caveats = Vec::new();
    if record.is_partial {
        caveats.push("The session was stopped before everything was measured.".to_owned());
    }
    caveats.extend(record.warnings.iter().cloned());
    let count = |is_it: &dyn Fn(&Row) -> bool| record.rows().filter(|(_, row)| is_it(row)).count();
    let unranked = count(&|row| !row.is_ranked());
    if unranked > 0 {
        let all = record.rows().count();
        caveats.push(format!(
            "{unranked} of {all} rows failed, were not timed or printed something else than hs. \
             They are shown, hatched or at the end of a table, and not ranked."
        ));
    }
    let cores = record.machine.cores;
    let crowded = count(&|row| row.is_crowded(cores));
    if crowded > 0 {
        caveats.push(format!(
            "{crowded} rows are oversubscribed: they have more threads than the {cores} cores of \
             this machine. They show what too many threads cost, not how a program would scale on \
             more cores."
        ));
    }
    caveats.extend(noisy(record));
    if record.method.repeats == 1 {
        caveats.push("Each command was timed once, so it is unknown how times vary.".to_owned());
    }
    caveats
}

/// Rows with runs that differ by more than a reader would guess.
fn noisy(record: &Record) -> Option<String> {
    let ranked = || record.rows().filter(|(_, row)| row.is_ranked());
    let noisy: Vec<_> = ranked().filter(|(_, row)| row.noise() > NOISE).collect();
    let worst = noisy.iter().max_by(|one, other| one.1.noise().total_cmp(&other.1.noise()));
    let (comparison, row) = worst?;
    let again = match record.method.most_repeats {
        0 => String::new(),
        most => format!(", after up to {most} runs"),
    };
    Some(format!(
        "{} of {} rows are noisy{again}: a quarter of their runs are over {} away from the median. \
         The worst is {} in {} with {}. Smaller differences there mean nothing.",
        noisy.len(),
        ranked().count(),
        percent(NOISE),
        row.name(),
        comparison.name(),
        percent(row.noise())
    ))
}
