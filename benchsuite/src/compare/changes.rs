//! Which rows in two records correspond, and what became of each.
//!
//! Rows are matched by corpus, task, cache, tool, queue, idle policy and threads. Times are
//! compared only if both records did the same work on the same machine; `hs` may have another
//! version, since that is the question, rivals may not. A row is faster or slower if the interval
//! around the ratio of medians ([`Estimate`]) excludes 1 and the ratio is beyond [`THRESHOLD`]: a
//! difference that is certain can still be too small to matter.

use serde::Serialize;

use crate::compare::estimate::{Estimate, MIN_RUNS};
use crate::compare::obstacles;
use crate::record::{Comparison, Record, Row};
use crate::stats::Spread;

/// Changes of less than this share are ignored.
pub(super) const THRESHOLD: f64 = 0.03;

/// Memory and switches vary more, and matter less.
pub(super) const COST_THRESHOLD: f64 = 0.1;

/// The changes between two records.
#[derive(Clone, Debug)]
pub(super) struct Changes<'a> {
    pub(super) old: &'a Record,
    pub(super) new: &'a Record,
    /// The largest change of time first; then those without one, as the new record has them.
    pub(super) changes: Vec<RowChange>,
    /// Memory and switches, the largest change first.
    pub(super) costs: Vec<CostChange>,
}

/// The change of a row.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RowChange {
    /// `linux, list-all, warm: hs deque -j8`.
    pub(super) name: String,
    /// Wall times.
    old: Option<Spread>,
    new: Option<Spread>,
    /// Only where the work and the place are the same.
    pub(super) estimate: Option<Estimate>,
    pub(super) verdict: RowVerdict,
    /// The reason for the verdict, where it needs one.
    pub(super) why: String,
}

/// The verdict on a row, with its name beside a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RowVerdict {
    /// More time, certainly and by more than [`THRESHOLD`].
    #[serde(rename = "SLOWER")]
    Slower,
    /// Less time, certainly and by more than [`THRESHOLD`].
    Faster,
    /// Neither.
    Level,
    /// The new row is invalid, the old one was not.
    #[serde(rename = "BROKEN")]
    Broken,
    /// The output differs, so that the times are of different work.
    #[serde(rename = "result differs")]
    ResultDiffers,
    /// For some reason.
    #[serde(rename = "not comparable")]
    NotComparable,
    #[serde(rename = "only in the old record")]
    Gone,
    #[serde(rename = "only in the new record")]
    Added,
}

/// Every verdict, with its name in a count.
pub(super) const VERDICTS: [(RowVerdict, &str); 8] = [
    (RowVerdict::Slower, "slower"),
    (RowVerdict::Faster, "faster"),
    (RowVerdict::Level, "level"),
    (RowVerdict::Broken, "broken"),
    (RowVerdict::ResultDiffers, "with another result"),
    (RowVerdict::NotComparable, "not comparable"),
    (RowVerdict::Gone, "only old"),
    (RowVerdict::Added, "only new"),
];

/// A change in a row's memory or switches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct CostChange {
    /// The row.
    pub(super) name: String,
    /// The figure, with its unit.
    pub(super) figure: &'static str,
    /// The figure's median in the old record; `new` is the median in the new one.
    pub(super) old: f64,
    pub(super) new: f64,
    /// Whether the ranges of old and new runs overlap, so that it may be chance.
    pub(super) overlaps: bool,
}

/// Compares row by row.
pub(super) fn compare<'a>(old: &'a Record, new: &'a Record) -> Changes<'a> {
    let mut rest: Vec<(&Comparison, &Row)> = old.rows().collect();
    let machine = obstacles::of_machines(&old.machine, &new.machine);
    let (mut changes, mut costs) = (Vec::new(), Vec::new());
    for (comparison, row) in new.rows() {
        let is_it = |other: &(&Comparison, &Row)| is_same(*other, (comparison, row));
        let before = rest.iter().position(is_it).map(|index| rest.remove(index).1);
        let name = name(comparison, row);
        let (verdict, why, estimate) =
            before.map_or((RowVerdict::Added, String::new(), None), |before| {
                let mut obstacles = machine.clone();
                obstacles.extend(obstacles::of_corpora(old, new, &comparison.corpus));
                obstacles.extend(obstacles::of_tools(old, new, &row.tool));
                let judged = judge(before, row, &obstacles);
                if obstacles.is_empty()
                    && !matches!(judged.0, RowVerdict::ResultDiffers | RowVerdict::Broken)
                {
                    costs.extend(cost_changes(&name, before, row));
                }
                judged
            });
        let old = before.and_then(Row::wall);
        changes.push(RowChange { name, old, new: row.wall(), estimate, verdict, why });
    }
    changes.extend(rest.into_iter().map(|(comparison, row)| RowChange {
        name: name(comparison, row),
        old: row.wall(),
        new: None,
        estimate: None,
        verdict: RowVerdict::Gone,
        why: String::new(),
    }));
    // The sort is stable: what has no size stays in its order.
    let size = |change: &RowChange| change.estimate.map_or(-1.0, |estimate| estimate.size());
    changes.sort_by(|one, other| size(other).total_cmp(&size(one)));
    costs.sort_by(|one: &CostChange, other| other.size().total_cmp(&one.size()));
    Changes { old, new, changes, costs }
}

fn name(comparison: &Comparison, row: &Row) -> String {
    format!("{}: {}", comparison.name(), row.name())
}

/// Whether two rows of two records are the same work, done by the same means.
fn is_same(one: (&Comparison, &Row), other: (&Comparison, &Row)) -> bool {
    let (place, work) = (one.0, one.1);
    (&place.corpus, &place.task, &place.cache) == (&other.0.corpus, &other.0.task, &other.0.cache)
        && (&work.tool, &work.queue, &work.idle, work.threads)
            == (&other.1.tool, &other.1.queue, &other.1.idle, other.1.threads)
}

/// The verdict on a row that both records have, with its reason.
fn judge(old: &Row, new: &Row, obstacles: &[String]) -> (RowVerdict, String, Option<Estimate>) {
    let not = |why: String| (RowVerdict::NotComparable, why, None);
    if !obstacles.is_empty() {
        return not(obstacles.join("; "));
    }
    match (&old.fault, &new.fault) {
        (Some(why), _) => return not(format!("fault before: {why}")),
        (None, Some(why)) => return (RowVerdict::Broken, why.clone(), None),
        (None, None) => {}
    }
    if let Some(difference) = obstacles::of_results(old.result, new.result) {
        return (RowVerdict::ResultDiffers, difference, None);
    }
    let (before, after) = (old.values("wall"), new.values("wall"));
    if before.len().min(after.len()) < MIN_RUNS {
        let runs = format!("{} and {} runs", before.len(), after.len());
        return not(format!("{runs} are too few, {MIN_RUNS} are needed"));
    }
    let Some(estimate) = Estimate::of(&before, &after) else {
        return not("a run took no time".to_owned());
    };
    let is_certain = estimate.is_significant();
    let verdict = match estimate.ratio - 1.0 {
        more if is_certain && more > THRESHOLD => RowVerdict::Slower,
        more if is_certain && more < -THRESHOLD => RowVerdict::Faster,
        _ => RowVerdict::Level,
    };
    (verdict, String::new(), Some(estimate))
}

/// Changes of memory and switches by more than [`COST_THRESHOLD`].
fn cost_changes(name: &str, old: &Row, new: &Row) -> Vec<CostChange> {
    let figures = [("peak [MiB]", "peak_bytes", f64::from(1 << 20)), ("switches", "switches", 1.0)];
    let change = |(figure, key, unit): (&'static str, &str, f64)| {
        let (before, after) = (old.spread(key)?, new.spread(key)?);
        let is_large = (after.median - before.median).abs() > COST_THRESHOLD * before.median;
        is_large.then(|| CostChange {
            name: name.to_owned(),
            figure,
            old: before.median / unit,
            new: after.median / unit,
            overlaps: before.min <= after.max && after.min <= before.max,
        })
    };
    figures.into_iter().filter_map(change).collect()
}

impl CostChange {
    /// The size of the change in either direction; a change from or to 0 is the largest.
    fn size(&self) -> f64 {
        (self.new / self.old).ln().abs()
    }
}

impl Changes<'_> {
    /// How many rows have one of these verdicts.
    pub(super) fn count(&self, wanted: &[RowVerdict]) -> usize {
        self.changes.iter().filter(|change| wanted.contains(&change.verdict)).count()
    }

    /// 0 if no row is slower, 1 if a row is slower or broken, 2 if no row could be compared.
    pub(super) fn exit_code(&self) -> u8 {
        let slower = self.count(&[RowVerdict::Slower, RowVerdict::Broken]);
        match (slower, self.count(&[RowVerdict::Faster, RowVerdict::Level])) {
            (0, 0) => 2,
            (0, _) => 0,
            _ => 1,
        }
    }
}
