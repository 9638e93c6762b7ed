//! `--spread`: the results that a limit allows are shared among all files that have some.
//!
//! All files are searched twice: first by all workers, who count, then those that get a share, by
//! one worker, who prints.

use std::cmp::Reverse;

use heist_filter::Filter;
use heist_walk::SortedEntries;

use super::{collect, found::Worker, tree::visit_tree};
use crate::{
    output::{Budget, Stdout, StdoutWorker, Totals},
    resolved::{ResolvedArgs, Sorting},
};

/// Counts the results of all files, and visits as many files as get a share. Returns at least one
/// visitor.
pub(super) fn visit<'a, V: Worker>(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &'a Stdout,
    visitor: impl Fn(StdoutWorker<'a>) -> V + Sync,
) -> Vec<V> {
    let Some(budget) = stdout.budget() else { return Vec::new() };
    budget.begin_survey();
    let report = visit_tree(args, filter, || visitor(stdout.worker()));
    let mut visitors = report.visitors;
    let surveyed: Vec<_> = visitors.iter_mut().map(Worker::take_surveyed).collect();
    let (found, counts): (Vec<_>, Vec<_>) =
        surveyed.into_iter().map(|worker| (worker.files, worker.results)).unzip();
    let files = match args.sorting {
        Sorting::AsFound | Sorting::WhileWalking => SortedEntries::new(found, false),
        Sorting::AfterWalking(by) => collect::sort(found, by),
    };
    let places = (0..files.len()).map(|index| files.place(index));
    let results: Vec<u64> = places.map(|(worker, index)| counts[worker][index]).collect();
    if let Some(visitor) = visitors.first_mut() {
        print(budget, &files, &results, visitor);
    }
    visitors
}

/// Visits those of `files`, which have `results` each, that get a share, in order.
pub(super) fn print<V: Worker>(
    budget: &Budget,
    files: &SortedEntries,
    results: &[u64],
    visitor: &mut V,
) {
    let known = Totals { results: results.iter().sum(), files: results.len() as u64 };
    let limits = budget.limits();
    let most = limits.files.unwrap_or(u64::MAX).min(known.files);
    let candidates = &results[..usize::try_from(most).unwrap_or(usize::MAX)];
    let shares = shares(candidates, limits.results.unwrap_or(u64::MAX));
    budget.end_survey(Some(known), shares.iter().sum::<u64>() == known.results);
    for (index, share) in shares.into_iter().enumerate().filter(|(_, share)| *share > 0) {
        budget.set_quota(share);
        if visitor.visit_again(&files.entry(index, &[])).is_break() {
            return;
        }
    }
}

/// Shares `most` results among files that have `results` each: one to each file as long as there
/// are enough, and the others in proportion to the results that are left, by the method of the
/// largest remainder. If two remainders are equal, the first file precedes.
fn shares(results: &[u64], most: u64) -> Vec<u64> {
    let total: u64 = results.iter().sum();
    if total <= most {
        return results.to_vec();
    }
    let files = results.len() as u64;
    if most <= files {
        return (0..files).map(|index| u64::from(index < most)).collect();
    }
    // The product of two numbers of results need not fit into 64 bits.
    let (spare, rest) = (u128::from(most - files), u128::from(total - files));
    let ideal = |results: u64| spare * u128::from(results - 1);
    let mut shares: Vec<u64> =
        results.iter().map(|&results| 1 + (ideal(results) / rest) as u64).collect();
    let missing = most - shares.iter().sum::<u64>();
    let mut by_remainder: Vec<usize> = (0..results.len()).collect();
    by_remainder.sort_by_key(|&index| Reverse(ideal(results[index]) % rest));
    for index in by_remainder.into_iter().take(missing as usize) {
        shares[index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one result to each file, then each further one to the file that is furthest below its
    /// part of the results that are left.
    fn obvious(results: &[u64], most: u64) -> Vec<u64> {
        let files = results.len() as u64;
        if results.iter().sum::<u64>() <= most {
            return results.to_vec();
        }
        let mut shares: Vec<u64> = (0..files).map(|index| u64::from(index < most)).collect();
        let (spare, rest) = (most.saturating_sub(files), results.iter().sum::<u64>() - files);
        for (share, results) in shares.iter_mut().zip(results) {
            *share += (1..=spare).filter(|n| n * rest <= spare * (results - 1)).count() as u64;
        }
        while shares.iter().sum::<u64>() < most {
            let below = |index: usize| {
                let ideal = spare * (results[index] - 1);
                ideal as i128 - ((shares[index] - 1) * rest) as i128
            };
            let worst = (0..results.len()).rev().max_by_key(|&index| below(index));
            shares[worst.expect("there is a file")] += 1;
        }
        shares
    }

    #[test]
    fn every_file_has_one_and_the_others_are_in_proportion() {
        for (results, most, expected) in [
            (&[5, 1, 1][..], 10, &[5, 1, 1][..]),
            (&[5, 1, 1], 7, &[5, 1, 1]),
            (&[5, 1, 1], 6, &[4, 1, 1]),
            (&[5, 1, 1], 3, &[1, 1, 1]),
            (&[5, 1, 1], 2, &[1, 1, 0]),
            (&[5, 1, 1], 0, &[0, 0, 0]),
            (&[100, 10, 1], 12, &[9, 2, 1]),
            (&[3, 3, 3], 4, &[2, 1, 1]),
            (&[], 4, &[]),
        ] {
            assert_eq!(shares(results, most), expected, "{most} of {results:?}");
        }
    }

    #[test]
    fn shares_are_those_of_the_obvious_way() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..5_000 {
            let results: Vec<u64> = (0..random.usize(..8)).map(|_| random.u64(1..20)).collect();
            let most = random.u64(..60);
            let shares = shares(&results, most);
            assert_eq!(shares, obvious(&results, most), "{most} of {results:?}");
            assert!(shares.iter().zip(&results).all(|(share, results)| share <= results));
            assert_eq!(shares.iter().sum::<u64>(), most.min(results.iter().sum()));
        }
    }
}
