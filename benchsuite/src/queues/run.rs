//! A `queues` session: groups of cases that differ only in the system take turns.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::child;
use crate::files::notice;
use crate::machine;
use crate::process;
use crate::queues::case::Case;
use crate::queues::catalogue::{self, Scenario};
use crate::queues::options::QueuesOptions;
use crate::record::{Comparison, Corpus, Method, Record, RecordKind, Row, default_path};
use crate::tables;
use crate::turns::{SessionProgress, Stopped, Turns};

/// How long a quick session warms up and repeats. Each case runs at least once, however long it
/// takes.
const QUICK: Duration = Duration::from_secs(100);

/// Measures and prints the tables of the record. The exit code is 1 if a row is invalid.
pub(crate) fn run(options: &QueuesOptions) -> io::Result<ExitCode> {
    if options.list {
        return list(options).map(|()| ExitCode::SUCCESS);
    }
    let record = measure(options)?;
    tables::show(&record, false)?;
    let is_valid = record.rows().all(|(_, row)| row.fault.is_none());
    Ok(if is_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list(options: &QueuesOptions) -> io::Result<()> {
    let cases = options.cases()?;
    let mut out = String::new();
    for Corpus { name, about, .. } in options.scenarios()?.into_iter().map(Scenario::corpus) {
        let of_it: Vec<&Case> = cases.iter().filter(|case| case.scenario == name).collect();
        out += &format!("{name}, {} rows\n    {about}\n", of_it.len());
        if !options.scenarios.is_empty() {
            for case in of_it {
                let policy = case.policy.as_deref().unwrap_or("-");
                let Case { setup, system, threads, .. } = case;
                out += &format!("    {setup} | {system} | {policy} | -j{threads}\n");
            }
        }
    }
    io::stdout().write_all(out.as_bytes())
}

fn measure(options: &QueuesOptions) -> io::Result<Record> {
    let cases = options.cases()?;
    let mut record = begin(options)?;
    let path = options.record.clone().unwrap_or_else(|| default_path(record.kind, &record.date));
    let groups = groups(cases);
    let mut progress = SessionProgress::new(groups.len());
    let end = Instant::now() + QUICK;
    let count = groups.len();
    for (number, group) in groups.into_iter().enumerate() {
        let Some(first) = group.first() else { continue };
        let (scenario, task) = (first.scenario.clone(), first.setup.clone());
        let title = format!("{scenario}: {task}, {} threads", first.threads);
        progress.begin(number, title);
        progress.step(&format!("{} systems", group.len()), Some(Duration::ZERO));
        let now = Instant::now();
        // Each group may use its share of the time that is left.
        let share = end.saturating_duration_since(now) / (count - number) as u32;
        let turns = Turns {
            repeats: options.repeats(),
            most_repeats: options.most_repeats(),
            seed: options.order_seed.wrapping_add(number as u64),
            deadline: options.quick.then(|| now + share),
            repeats_disturbed: true,
        };
        let (rows, outcome) = run_group(&group, turns);
        for row in rows.iter().filter(|row| row.fault.is_some()) {
            let policy = row.idle.as_deref().map(|name| format!(", {name}")).unwrap_or_default();
            let why = row.fault.as_deref().unwrap_or_default();
            let _ = notice(&format!("INVALID: {}{policy}: {why}", row.tool));
        }
        let is_it = |one: &&mut Comparison| one.corpus == scenario && one.task == task;
        match record.comparisons.iter_mut().find(is_it) {
            Some(comparison) => comparison.rows.extend(rows),
            None => {
                let new = Comparison { corpus: scenario, task, rows, ..Comparison::default() };
                record.comparisons.push(new);
            }
        }
        record.write(&path)?;
        if outcome.is_err() {
            break;
        }
    }
    notice(&format!("record in {}", path.display()))?;
    Ok(record)
}

/// Runs every case of a group: a warm-up that verifies, then turns.
fn run_group(cases: &[Case], turns: Turns) -> (Vec<Row>, Result<(), Stopped>) {
    let mut rows: Vec<Row> = cases.iter().map(Case::row).collect();
    let scenario = cases.first().and_then(|case| catalogue::by_name(&case.scenario));
    let Some(scenario) = scenario else { return (rows, Ok(())) };
    let run = |case: &Case| child::run(&child::ChildTask::Case(case.clone()), scenario.limit(case));
    let mut verify = |index: usize, _: &Row| run(&Case { verify: true, ..cases[index].clone() });
    let warmed = if scenario.single { Ok(()) } else { turns.warm_up(&mut rows, &mut verify) };
    let turns = Turns { repeats: if scenario.single { 1 } else { turns.repeats }, ..turns };
    let outcome = warmed
        .and_then(|()| turns.take(&mut rows, &mut |_| (), &mut |index, _| run(&cases[index])));
    (rows, outcome)
}

/// Cuts `cases` into groups that differ only in the system, in the order of the cases.
fn groups(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut groups: Vec<Vec<Case>> = Vec::new();
    let key = |case: &Case| (case.scenario.clone(), case.setup.clone(), case.threads, case.size);
    for case in cases {
        match groups.iter_mut().find(|group| group.first().map(key) == Some(key(&case))) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

/// A record without rows.
fn begin(options: &QueuesOptions) -> io::Result<Record> {
    process::catch_interrupts()?;
    let scenarios = options.scenarios()?;
    let method = Method {
        repeats: options.repeats(),
        most_repeats: options.most_repeats(),
        seed: options.order_seed,
        quick: options.quick,
        ..Method::default()
    };
    Ok(Record {
        tools: machine::libraries(),
        corpora: scenarios.into_iter().map(Scenario::corpus).collect(),
        ..Record::begin(RecordKind::Queues, method)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_differ_in_more_than_the_system() {
        let case =
            |system: &str, threads| Case { system: system.into(), threads, ..Case::default() };
        let groups = groups(vec![case("a", 2), case("a", 4), case("b", 2), case("b", 4)]);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[1], [case("a", 4), case("b", 4)]);
    }
}
