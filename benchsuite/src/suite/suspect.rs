//! Rows that did less than their task takes, whatever they printed: something else than a walk or a
//! search has answered, such as an index. They are INVALID and are not ranked.

use crate::corpora::Shape;
use crate::format::{Unit, count};
use crate::record::{Row, fastest};
use crate::suite::tasks::Work;

/// A process starts this much sooner than another at most.
const START_SECONDS: f64 = 0.005;

/// The least number of system calls for `work` on a tree: each directory and each file that is read
/// has to be opened. `listed` is how many files ignore rules leave.
pub(super) fn least_calls(work: Work, shape: &Shape, listed: u64) -> u64 {
    match work {
        Work::ListAll => shape.directories,
        Work::SearchAll | Work::ReadAll => shape.directories + shape.files,
        Work::SearchIgnore => listed,
        Work::ListIgnore | Work::UpdateIndex | Work::Edit => 0,
    }
}

/// Makes all rows of a program invalid which made fewer system calls than `least`.
pub(super) fn check_calls(rows: &mut [Row], tool: &str, calls: f64, least: u64) {
    if calls < least as f64 {
        let (calls, least) = (count(calls), count(least as f64));
        let why = format!("{calls} system calls, where {least} files and directories are opened");
        rows.iter_mut().filter(|row| row.tool == tool).for_each(|row| row.fail(&*why));
    }
}

/// Makes the rows of programs invalid that took less time than the least work possible, by more
/// than both vary. Where ignore rules leave files out, the floor is no limit.
pub(super) fn check_times(rows: &mut [Row], work: Work) {
    let floor = fastest(rows.iter().filter(|row| row.is_floor())).and_then(|row| {
        let wall = row.ranked()?;
        Some((wall, format!("{} takes {}", row.name(), Unit::Time.show(wall.median))))
    });
    let Some((floor, name)) = floor.filter(|_| matches!(work, Work::ListAll | Work::SearchAll))
    else {
        return;
    };
    for row in rows.iter_mut().filter(|row| row.is_house() || row.is_rival()) {
        if let Some(wall) = row.ranked()
            && wall.median + START_SECONDS < floor.median
            && !wall.is_near(&floor)
        {
            let time = Unit::Time.show(wall.median);
            row.fail(format!("{time}, below the least work possible: {name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Figures;

    fn row(tool: &str, ms: f64) -> Row {
        let runs = [0.98, 1.0, 1.02].map(|part| Figures::of([("wall", ms * part / 1e3)]));
        Row { tool: tool.into(), runs: runs.into(), ..Row::default() }
    }

    #[test]
    fn what_is_faster_than_the_least_work_is_invalid() {
        let rows =
            || vec![row("hs", 20.0), row("rg", 49.0), row("walker", 9.0), row("floor", 50.0)];
        let faults = |work| {
            let mut rows = rows();
            check_times(&mut rows, work);
            rows.into_iter().map(|row| row.fault).collect::<Vec<_>>()
        };
        let why = "20.0 ms, below the least work possible: floor takes 50.0 ms".to_owned();
        assert_eq!(faults(Work::ListAll), [Some(why), None, None, None]);
        assert_eq!(faults(Work::SearchIgnore), [None, None, None, None]);
    }

    #[test]
    fn what_opens_too_little_is_invalid() {
        let shape = Shape { directories: 10, files: 100, ..Shape::default() };
        let least = [Work::ListAll, Work::SearchAll, Work::SearchIgnore, Work::ListIgnore]
            .map(|work| least_calls(work, &shape, 60));
        assert_eq!(least, [10, 110, 60, 0]);
        let mut rows = [row("hs", 20.0), row("hs", 30.0), row("rg", 40.0)];
        check_calls(&mut rows, "hs", 110.0, 110);
        assert!(rows.iter().all(|row| row.fault.is_none()));
        check_calls(&mut rows, "hs", 7.0, 110);
        let why = "7 system calls, where 110 files and directories are opened";
        assert_eq!(rows.each_ref().map(|row| row.fault.as_deref()), [Some(why), Some(why), None]);
    }
}
