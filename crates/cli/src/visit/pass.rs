//! `--sort` and `--sortr` by any number of workers: results are sorted, not workers.
//!
//! By path, results are sorted while files are found. A walk by one worker visits files in order.
//! Several workers share a [`Ledger`], and each result is written as soon as no other can precede
//! it. By time, or by path if one root lies in another, all files are found first, then sorted, and
//! then visited by all workers with the same ledger.

use std::ops::ControlFlow;

use heist_filter::Filter;
use heist_queue::{
    AnyPolicy, IdleConfig, Job, RunConfig, Spawner, backends::Deque, run, run_erased,
};
use heist_walk::{Helpers, root_key};

use super::{
    collect::{self, SortedFiles},
    found::Worker,
    shared_searches::NoHelpers,
    tree::or_panic,
};
use crate::{
    output::{FILES_PER_BATCH, Files, Key, Ledger, Stdout, StdoutWorker, Waiting},
    resolved::{ResolvedArgs, Sorting},
    texts::messages::Messages,
    typed::{Mode, SortBy},
};

/// The ledger of this run, if it needs one. One worker visits files in order, and a sorted list is
/// printed in order.
pub(crate) fn ledger(args: &ResolvedArgs) -> Option<Ledger> {
    if args.walk.workers == 1 || args.limits.is_some() {
        return None;
    }
    match args.sorting {
        Sorting::AsFound => None,
        Sorting::AfterWalking(_) if args.mode == Mode::Files => None,
        Sorting::AfterWalking(_) => Some(Ledger::new([], Waiting::Forbidden)),
        Sorting::WhileWalking => {
            let roots = 0..args.walk.roots.len();
            let waiting = match args.walk.takes_items_in_order() {
                true => Waiting::Allowed,
                false => Waiting::Forbidden,
            };
            Some(Ledger::new(roots.map(|index| root_key(index).to_vec()), waiting))
        }
    }
}

/// Finds all files, sorts them and visits them. Returns at least one visitor.
pub(crate) fn find_and_visit<'a, V: Worker>(
    args: &ResolvedArgs,
    by: SortBy,
    filter: &Filter,
    stdout: &'a Stdout,
    messages: &Messages,
    visitor: impl Fn(StdoutWorker<'a>) -> V,
) -> Vec<V> {
    let (files, workers) = collect::files(args, by, filter, messages);
    if let Some(progress) = &args.progress {
        progress.begin(files.len() as u64);
    }
    visit_files(args, &files, workers, stdout, visitor)
}

/// Visits `files` in order by at most `workers` workers. Returns at least one visitor.
pub(super) fn visit_files<'a, V: Worker>(
    args: &ResolvedArgs,
    files: &SortedFiles,
    workers: usize,
    stdout: &'a Stdout,
    visitor: impl Fn(StdoutWorker<'a>) -> V,
) -> Vec<V> {
    let Some(ledger) = stdout.ledger() else {
        let (mut visitor, no_key) = (visitor(stdout.worker()), Key::new());
        let _ = (0..files.len())
            .try_for_each(|index| visitor.entry(&files.file(index, &no_key), &mut NoHelpers));
        return vec![visitor];
    };
    let workers = workers.min(args.walk.workers - args.walk.extra_workers);
    let visitors = (0..workers).map(|_| visitor(stdout.worker())).collect();
    visit(args, ledger, stdout, files, FILES_PER_BATCH, visitors)
}

/// Visits the files that a walk has deferred, if there are any, and writes the rest of the output.
pub(crate) fn finish<V: Worker>(args: &ResolvedArgs, stdout: &Stdout, visitors: Vec<V>) -> Vec<V> {
    let Some(ledger) = stdout.ledger() else {
        return visitors;
    };
    if stdout.flow().is_break() {
        return visitors;
    }
    let files = ledger.take_deferred();
    if files.is_empty() {
        stdout.finish(ledger);
        return visitors;
    }
    log::trace!("{} files deferred to the second pass", files.len());
    // Other files' results lie between any two of them.
    visit(args, ledger, stdout, &files, 1, visitors)
}

/// Visits `files`, `batch` at a time, near the frontier.
fn visit<V: Worker>(
    args: &ResolvedArgs,
    ledger: &Ledger,
    stdout: &Stdout,
    files: &impl Files,
    batch: usize,
    visitors: Vec<V>,
) -> Vec<V> {
    ledger.begin_pass(files, batch);
    let walk = &args.walk;
    let idle = IdleConfig { policy: walk.idle, cores: walk.cores, ..IdleConfig::default() };
    let config = RunConfig { idle, ..RunConfig::default() };
    let jobs: Vec<_> =
        visitors.into_iter().map(|visitor| Pass { ledger, files, visitor }).collect();
    let joins = jobs.iter().map(|_| JoinPass).collect();
    // Whatever `--queue` names: items only make workers join.
    let report =
        or_panic(run_erased(jobs, |jobs| run::<_, Deque<_>, AnyPolicy, _>(&config, joins, jobs)));
    stdout.finish(ledger);
    report.outputs
}

/// One worker's part of a pass. It takes files as long as there are any.
struct Pass<'a, V, F> {
    ledger: &'a Ledger,
    files: &'a F,
    visitor: V,
}

/// A work item that makes one more worker join the pass or help another one.
struct JoinPass;

/// The other workers of a pass.
struct PassHelpers<'s, S>(&'s mut S);

impl<S: Spawner<JoinPass>> Helpers for PassHelpers<'_, S> {
    fn has_idle_workers(&self) -> bool {
        self.0.has_idle_workers()
    }

    fn call_for_help(&mut self) {
        self.0.spawn(JoinPass);
        self.0.flush();
    }

    fn is_stopped(&self) -> bool {
        self.0.stopped()
    }
}

impl<V: Worker, F: Files> Job<JoinPass> for Pass<'_, V, F> {
    type Output = V;

    fn run<S: Spawner<JoinPass>>(&mut self, _: JoinPass, sink: &mut S) -> ControlFlow<()> {
        let mut key = Key::new();
        while let Some(taken) = self.ledger.take(self.files) {
            self.files.key_into(taken.start, &mut key);
            self.visitor.begin(&key);
            for index in taken {
                if sink.stopped() {
                    return ControlFlow::Break(());
                }
                self.files.key_into(index, &mut key);
                let file = self.files.file(index, &key);
                self.visitor.entry(&file, &mut PassHelpers(&mut *sink))?;
            }
            self.visitor.end();
        }
        self.visitor.help();
        ControlFlow::Continue(())
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        self.visitor.before_park()
    }

    fn finish(self) -> V {
        self.visitor
    }
}
