//! `--sort relevance`: the files that are most likely to be wanted come first.
//!
//! All workers survey all files first: they count results, and note what the lines show, but print
//! nothing. Then the files with results are sorted ([`Rank`]) and searched again by the ordinary
//! printers, which stop at a limit.

use std::sync::Arc;

use heist_filter::Filter;
use heist_printer::Stats;
use heist_walk::SortedEntries;

use super::{
    collect::SortedFiles,
    found::{Found, Surveyed, Worker},
    pass, spread,
    tree::visit_tree,
};
use crate::{
    output::{Budget, FlushMode, Stdout, StdoutWorker, Totals},
    ranking::{Groups, Rank, directory},
    resolved::{ResolvedArgs, Sorting},
    typed::{Limits, SortBy},
};

/// Surveys all files with the visitors that `surveyor` creates, and visits those with results in
/// order with the visitors that `visitor` creates.
pub(super) fn visit<'a, S: Worker, V: Worker>(
    args: &ResolvedArgs,
    filter: &Filter,
    stdout: &'a Stdout,
    surveyor: impl Fn(StdoutWorker<'a>) -> S + Sync,
    visitor: impl Fn(StdoutWorker<'a>) -> V,
    counter: &'a Stdout,
) -> Found {
    let mut survey = survey(args, filter, counter, surveyor);
    survey.rank();
    if matches!(args.sorting, Sorting::AfterWalking(SortBy { reverse: true, .. })) {
        survey.files.reverse();
    }
    let counts = survey.counts();
    if let Some(budget) = stdout.budget() {
        budget.set_most(survey.most(&counts));
        if !args.spreads() {
            budget.end_survey(survey.totals(&counts), true);
        }
    }
    let visitors = match stdout.budget() {
        Some(budget) if args.spreads() => {
            let mut visitor = visitor(stdout.worker());
            spread::print(budget, &survey.files, &counts, &mut visitor);
            vec![visitor]
        }
        _ => pass::visit_files(args, &SortedFiles(survey.files), survey.threads, stdout, visitor),
    };
    let mut found = Found::default();
    visitors.iter().for_each(|visitor| found.add(visitor.found()));
    merge(survey.found, found)
}

/// What counts the results of a survey, if no limit does.
pub(super) fn counter(args: &ResolvedArgs) -> Stdout {
    let budget = Arc::new(Budget::new(Limits::default()));
    Stdout::new(FlushMode::Block, args.one_writes, None).limited_by(Some(budget))
}

/// All files with results.
pub(super) struct Survey {
    pub(super) files: SortedEntries,
    /// What each worker has found.
    pub(super) workers: Vec<Surveyed>,
    pub(super) found: Found,
    /// How many workers have descriptors for another pass.
    threads: usize,
}

/// Searches all files with the visitors that `surveyor` creates, whose output is `counter`.
pub(super) fn survey<'a, S: Worker>(
    args: &ResolvedArgs,
    filter: &Filter,
    counter: &'a Stdout,
    surveyor: impl Fn(StdoutWorker<'a>) -> S + Sync,
) -> Survey {
    if let Some(budget) = counter.budget() {
        budget.begin_survey();
    }
    let mut report = visit_tree(args, filter, || surveyor(counter.worker()));
    let mut found = Found::default();
    report.visitors.iter().for_each(|visitor| found.add(visitor.found()));
    let (mut entries, mut workers) = (Vec::new(), Vec::new());
    for visitor in &mut report.visitors {
        let mut surveyed = visitor.take_surveyed();
        entries.push(std::mem::take(&mut surveyed.files));
        workers.push(surveyed);
    }
    let files = SortedEntries::new(entries, false);
    Survey { files, workers, found, threads: report.workers }
}

impl Survey {
    /// Sorts the files by relevance.
    fn rank(&mut self) {
        let Survey { files, workers, .. } = self;
        files.sort_by_cached_place(|file, (worker, index)| {
            Rank::new(file, &workers[worker].evidence[index])
        });
    }

    /// How many results each file has, in order.
    fn counts(&self) -> Vec<u64> {
        let places = (0..self.files.len()).map(|index| self.files.place(index));
        places.map(|(worker, index)| self.workers[worker].results[index]).collect()
    }

    /// How many results there are, unless there are files that can be read only once.
    fn totals(&self, counts: &[u64]) -> Option<Totals> {
        let all = self.workers.iter().flat_map(|worker| &worker.evidence);
        let is_known = all.into_iter().all(|evidence| !evidence.is_unread);
        is_known.then(|| Totals { results: counts.iter().sum(), files: counts.len() as u64 })
    }

    /// The directory with most results, if there are several directories.
    fn most(&self, counts: &[u64]) -> Option<(Vec<u8>, u64)> {
        let mut groups = Groups::default();
        for (index, results) in counts.iter().enumerate() {
            groups.add(&directory(&self.files.entry(index, &[])), *results);
        }
        if groups.len() < 2 {
            return None;
        }
        groups.sorted().into_iter().next()
    }
}

/// What a run has found in both passes: files are searched in the first, and results printed in
/// the second.
fn merge(survey: Found, printed: Found) -> Found {
    let stats = match (survey.stats, printed.stats) {
        (
            Some(Stats { searches, searches_with_match, bytes_searched, elapsed, .. }),
            Some(stats),
        ) => {
            let elapsed = elapsed + stats.elapsed;
            Some(Stats { searches, searches_with_match, bytes_searched, elapsed, ..stats })
        }
        (_, printed) => printed,
    };
    Found {
        any_match: survey.any_match || printed.any_match,
        any_file: survey.any_file || printed.any_file,
        total: printed.total,
        stats,
    }
}
