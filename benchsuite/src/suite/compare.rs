//! `benchsuite compare`: two records of the same commands, and what got faster or slower between
//! them.
//!
//! Rows are matched by corpus, task, cache, tool, queue and threads. A time is compared only where
//! both were taken of the same work on the same machine; the version of `hs` may differ, that is
//! what is asked for, those of rivals may not. A row is faster or slower if the interval of the
//! ratio of medians ([`Estimate`]) leaves no doubt, and the ratio is beyond [`THRESHOLD`]: a
//! difference that is certain can still be too small to matter.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::stats::Spread;
use crate::suite::record::{Comparison, Cost, Record, Row};

use estimate::{Estimate, MIN_RUNS};

mod estimate;
mod obstacles;
mod page;
#[cfg(test)]
mod tests;

/// A change of less than this share is none that anybody has to look into.
const THRESHOLD: f64 = 0.03;

/// Memory and switches vary more, and are of less interest.
const COST_THRESHOLD: f64 = 0.1;

/// Prints what two records say together. The exit code is 0 if nothing got slower, 1 if something
/// did, 2 if nothing can be compared.
///
/// # Errors
///
/// A record cannot be read, or nothing printed.
pub(crate) fn run(old: &Path, new: &Path) -> io::Result<ExitCode> {
    let (old, new) = (Record::read(old)?, Record::read(new)?);
    let changes = compare(&old, &new);
    let mut out = io::stdout().lock();
    out.write_all(changes.markdown().as_bytes())?;
    out.flush()?;
    Ok(ExitCode::from(changes.exit_code()))
}

/// All that came of comparing two records.
#[derive(Clone, Debug)]
pub(crate) struct Changes<'a> {
    old: &'a Record,
    new: &'a Record,
    /// The largest change of time first; then those without one, as the new record has them.
    changes: Vec<Change<'a>>,
    /// Memory and switches, the largest change first.
    costs: Vec<CostChange>,
}

/// What became of a row.
#[derive(Clone, Debug)]
struct Change<'a> {
    /// `linux, list-all, warm: hs deque -j8`.
    name: String,
    old: Option<&'a Row>,
    new: Option<&'a Row>,
    /// Only where the work and the place are the same.
    estimate: Option<Estimate>,
    verdict: Verdict,
}

/// What became of a row, in a word or with a reason.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    /// It takes less time, certainly and by more than [`THRESHOLD`].
    Faster,
    /// It takes more time, certainly and by more than [`THRESHOLD`].
    Slower,
    /// Neither.
    Level,
    /// It worked, and now does not, for this reason.
    Broken(String),
    /// It prints something else, so that its time means something else.
    ResultDiffers(String),
    /// For these reasons.
    NotComparable(String),
    /// Only the new record has it.
    Added,
    /// Only the old record has it.
    Gone,
}

/// A change of memory or switches of a row.
#[derive(Clone, Debug, PartialEq)]
struct CostChange {
    /// The row.
    name: String,
    /// What changed, with its unit.
    figure: &'static str,
    /// Its medians.
    old: f64,
    new: f64,
    /// Whether some old run had as much as some new one, so that it may be chance.
    overlaps: bool,
}

/// Compares row by row.
pub(crate) fn compare<'a>(old: &'a Record, new: &'a Record) -> Changes<'a> {
    let mut rest: Vec<(&Comparison, &Row)> = rows(old).collect();
    let machine = obstacles::of_machines(&old.machine, &new.machine);
    let mut costs = Vec::new();
    let mut changes: Vec<Change<'a>> = rows(new)
        .map(|(comparison, row)| {
            let name = name(comparison, row);
            let found =
                rest.iter().position(|(other, old)| is_same((*other, *old), (comparison, row)));
            let Some((_, before)) = found.map(|index| rest.remove(index)) else {
                return Change {
                    name,
                    old: None,
                    new: Some(row),
                    estimate: None,
                    verdict: Verdict::Added,
                };
            };
            let mut obstacles = machine.clone();
            obstacles.extend(obstacles::of_corpora(old, new, &comparison.corpus));
            obstacles.extend(obstacles::of_tools(old, new, &row.tool));
            let (verdict, estimate) = judge(before, row, &obstacles);
            if !matches!(verdict, Verdict::ResultDiffers(_) | Verdict::Broken(_))
                && obstacles.is_empty()
            {
                costs.extend(cost_changes(&name, before, row));
            }
            Change { name, old: Some(before), new: Some(row), estimate, verdict }
        })
        .collect();
    changes.extend(rest.into_iter().map(|(comparison, row)| {
        let name = name(comparison, row);
        Change { name, old: Some(row), new: None, estimate: None, verdict: Verdict::Gone }
    }));
    // The sort is stable: what has no size stays in its order.
    let size = |change: &Change<'_>| change.estimate.map_or(-1.0, |estimate| estimate.size());
    changes.sort_by(|one, other| size(other).total_cmp(&size(one)));
    costs.sort_by(|one: &CostChange, other| other.size().total_cmp(&one.size()));
    Changes { old, new, changes, costs }
}

fn rows(record: &Record) -> impl Iterator<Item = (&Comparison, &Row)> {
    let comparisons = record.comparisons.iter();
    comparisons.flat_map(|comparison| comparison.rows.iter().map(move |row| (comparison, row)))
}

fn name(comparison: &Comparison, row: &Row) -> String {
    format!("{}: {}", comparison.name(), row.name())
}

/// Whether two rows of two records are the same work, done by the same means.
fn is_same(one: (&Comparison, &Row), other: (&Comparison, &Row)) -> bool {
    let (place, work) = (one.0, one.1);
    (&place.corpus, &place.task, &place.cache) == (&other.0.corpus, &other.0.task, &other.0.cache)
        && (&work.tool, &work.queue, work.threads)
            == (&other.1.tool, &other.1.queue, other.1.threads)
}

/// What to say of a row that both records have.
fn judge(old: &Row, new: &Row, obstacles: &[String]) -> (Verdict, Option<Estimate>) {
    let not = |why: String| (Verdict::NotComparable(why), None);
    if !obstacles.is_empty() {
        return not(obstacles.join("; "));
    }
    match (&old.fault, &new.fault) {
        (Some(why), _) => return not(format!("fault before: {why}")),
        (None, Some(why)) => return (Verdict::Broken(why.clone()), None),
        (None, None) => {}
    }
    if let Some(difference) = obstacles::of_results(old.result, new.result) {
        return (Verdict::ResultDiffers(difference), None);
    }
    let walls = |row: &Row| -> Vec<f64> { row.runs.iter().map(|run| run.wall).collect() };
    let (before, after) = (walls(old), walls(new));
    if before.len().min(after.len()) < MIN_RUNS {
        let runs = format!("{} and {} runs", before.len(), after.len());
        return not(format!("{runs} are too few, {MIN_RUNS} are needed"));
    }
    let Some(estimate) = Estimate::of(&before, &after) else {
        return not("a run took no time".to_owned());
    };
    let is_certain = estimate.is_significant();
    let verdict = match estimate.ratio - 1.0 {
        more if is_certain && more > THRESHOLD => Verdict::Slower,
        more if is_certain && more < -THRESHOLD => Verdict::Faster,
        _ => Verdict::Level,
    };
    (verdict, Some(estimate))
}

/// A figure of a cost, with its unit.
type Figure = (&'static str, fn(&Cost) -> f64);

/// What of memory and switches changed by more than [`COST_THRESHOLD`].
fn cost_changes(name: &str, old: &Row, new: &Row) -> Vec<CostChange> {
    let figures: [Figure; 2] = [
        ("peak [MiB]", |cost| cost.peak_bytes as f64 / f64::from(1 << 20)),
        ("switches", |cost| (cost.voluntary + cost.involuntary) as f64),
    ];
    let change = |(figure, of): Figure| {
        let spread = |row: &Row| Spread::of(&row.costs.iter().map(of).collect::<Vec<f64>>());
        let (before, after) = (spread(old)?, spread(new)?);
        let is_large = (after.median - before.median).abs() > COST_THRESHOLD * before.median;
        is_large.then(|| CostChange {
            name: name.to_owned(),
            figure,
            old: before.median,
            new: after.median,
            overlaps: before.min <= after.max && after.min <= before.max,
        })
    };
    figures.into_iter().filter_map(change).collect()
}

impl CostChange {
    /// How large it is, whichever way; from or to nothing is larger than anything else.
    fn size(&self) -> f64 {
        (self.new / self.old).ln().abs()
    }
}

impl Changes<'_> {
    /// How many rows have such a verdict.
    fn count(&self, is_wanted: impl Fn(&Verdict) -> bool) -> usize {
        self.changes.iter().filter(|change| is_wanted(&change.verdict)).count()
    }

    /// 0: no row is slower; 1: some row is, or works no more, than which nothing is slower; 2: no
    /// row could be compared at all.
    pub(crate) fn exit_code(&self) -> u8 {
        let slower = self.count(|verdict| matches!(verdict, Verdict::Slower | Verdict::Broken(_)));
        let fine = self.count(|verdict| matches!(verdict, Verdict::Faster | Verdict::Level));
        match (slower, fine) {
            (0, 0) => 2,
            (0, _) => 0,
            _ => 1,
        }
    }
}
