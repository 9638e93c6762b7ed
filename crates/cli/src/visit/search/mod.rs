//! One worker's search of the files that the walk visits.
//!
//! A file goes one way: [`Visitor::entry`] begins and ends it, `file` opens it, `contents` states
//! what is in it, and `engine` searches that, and prints. [`SearchRules`] are what the arguments
//! require, [`SearchRun`] is what has come of the files so far.

mod contents;
mod definitions;
mod engine;
mod file;
mod observed;
mod per_file;

use std::{io, mem, ops::ControlFlow, sync::Arc};

use heist_filter::{Filter, Problem};
use heist_printer::{Mode as SummaryMode, Printer, Stats};
use heist_walk::{Assist, DirVisitor, Entry, Error, FileId, Helpers, OrderedVisitor, Visitor};

use self::{definitions::Definitions, observed::Observer};
use super::{
    count_by,
    found::{Found, Surveyed, Worker},
    relevance,
    shared_searches::{NoHelpers, SharedSearches},
    walk::walk,
};
use crate::{
    contents::Opener,
    index::LazyOracle,
    output::{Repeat, Stdout, StdoutWorker},
    ranking::{Evidence, FileClass, class_of},
    resolved::{BinaryRules, ResolvedArgs},
    run::{
        haystack::{DeferredFiles, STDIN_NAME},
        progress::Counts,
    },
    texts::messages::Messages,
    typed::{SearchMode, SortKey},
};
use engine::SearchEngine;
pub(super) use per_file::FileTest;
pub(crate) use per_file::{FileCondition, Sought};

/// Searches all wanted files.
pub(crate) fn search(
    args: &ResolvedArgs,
    mode: SearchMode,
    filter: &Filter,
    sought: &Sought<'_>,
    oracle: &LazyOracle<'_>,
    stdout: &Stdout,
    messages: &Messages,
) -> Found {
    let workers = args.walk.workers - args.walk.extra_workers;
    let shared_searches = Arc::new(SharedSearches::new(workers, stdout.budget().cloned()));
    if let Some(progress) = &args.progress {
        let large = Arc::clone(&shared_searches);
        progress.watch(move || large.claimed_bytes());
    }
    let search = |args, mode, counts: Option<Arc<Counts>>, output| {
        let printer = printer(args, mode, output);
        Search {
            engine: SearchEngine::new(args, sought, &shared_searches, printer, counts.clone()),
            rules: SearchRules::new(args),
            oracle,
            contents: Opener::new(&args.contents),
            messages,
            run: SearchRun::new(counts),
        }
    };
    let counts = || args.progress.as_ref().map(|progress| progress.worker());
    if args.count_by.is_none() && !args.sorting.is_by_relevance() {
        return walk(args, filter, stdout, messages, |output| search(args, mode, counts(), output));
    }
    // What surrounds results does not matter before they are printed.
    let survey = &ResolvedArgs { searcher: args.searcher.without_context(), ..args.clone() };
    let own = stdout.budget().is_none().then(|| relevance::counter(args));
    let counter = own.as_ref().unwrap_or(stdout);
    if let Some(by) = args.count_by {
        let mode = if mode == SearchMode::Json { SearchMode::Count } else { mode };
        let surveyor = |output| search(survey, mode, counts(), output).counting();
        return count_by::visit(args, by, filter, stdout, surveyor, counter);
    }
    let surveyor = |output| search(survey, mode, counts(), output).surveying(survey, mode);
    let visitor = |output| search(args, mode, None, output);
    relevance::visit(args, filter, stdout, surveyor, visitor, counter)
}

fn printer<'a>(
    args: &ResolvedArgs,
    mode: SearchMode,
    output: StdoutWorker<'a>,
) -> Printer<StdoutWorker<'a>> {
    let mode = match mode {
        SearchMode::FilesWithoutMatch if args.quiet => SummaryMode::QuietWithoutMatch,
        _ if args.quiet => SummaryMode::Quiet,
        SearchMode::Standard => {
            return match &args.format {
                Some(template) => Printer::templated(template, &args.printer, output),
                None => Printer::lines(&args.printer, output),
            };
        }
        SearchMode::Json => return Printer::json(&args.printer, output),
        SearchMode::Count => SummaryMode::Count,
        SearchMode::CountMatches => SummaryMode::CountMatches,
        SearchMode::FilesWithMatches => SummaryMode::FilesWithMatches,
        SearchMode::FilesWithoutMatch => SummaryMode::FilesWithoutMatch,
    };
    Printer::summary(mode, &args.printer, output)
}

/// One worker's search.
struct Search<'a> {
    engine: SearchEngine<'a>,
    rules: SearchRules,
    /// What is known of files without reading them.
    oracle: &'a LazyOracle<'a>,
    contents: Opener<'a>,
    messages: &'a Messages,
    run: SearchRun<'a>,
}

/// What the arguments require of a search.
#[derive(Clone, Copy)]
struct SearchRules {
    binary: BinaryRules,
    /// Whether to search through memory maps where possible.
    mmap: bool,
    /// The file that output is written to. The walk skips it if its directory lists it by this
    /// number.
    stdout_file: Option<FileId>,
    /// Whether to print a hint if standard input stays silent.
    hints_at_stdin: bool,
    /// Whether the first match ends the run.
    stops_early: bool,
    sorted_by: SortKey,
    /// Whether a limit is shared among files.
    spreads: bool,
}

/// What has come of the files that were visited.
struct SearchRun<'a> {
    /// Whether a file was visited.
    any_file: bool,
    /// What has been visited, if that is shown.
    counts: Option<Arc<Counts>>,
    /// Files that are deferred until the disk has read them.
    deferred: DeferredFiles,
    /// The files with results, if results are counted in advance, and how many there are.
    surveyed: Surveyed,
    /// What recognizes definitions, in a survey.
    definitions: Option<Box<Definitions<'a>>>,
}

impl SearchRules {
    fn new(args: &ResolvedArgs) -> SearchRules {
        SearchRules {
            binary: args.binary,
            mmap: args.mmap,
            stdout_file: args.walk.skip,
            hints_at_stdin: args.stdin_is_implicit && !args.quiet,
            stops_early: args.quiet && !args.printer.stats,
            sorted_by: args.sorting.key(),
            spreads: args.spreads(),
        }
    }
}

impl SearchRun<'_> {
    fn new(counts: Option<Arc<Counts>>) -> Self {
        let (deferred, surveyed) = (DeferredFiles::closed(), Surveyed::default());
        SearchRun { any_file: false, counts, deferred, surveyed, definitions: None }
    }
}

impl Visitor for Search<'_> {
    fn entry(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        if self.begin_file(file).is_break() {
            return self.pass_by(file);
        }
        let stats = self.engine.results.printer.stats().copied();
        self.search_name(file);
        let searched = self.search(file, helpers);
        if let Some(counts) = &self.run.counts {
            counts.add_file();
        }
        self.engine.print_pending_name(&searched);
        if self.engine.output().leave(file).is_break() {
            self.engine.results.printer.set_stats(stats.unwrap_or_default());
            return ControlFlow::Continue(());
        }
        self.note_surveyed(file);
        self.end_file(searched)?;
        match self.run.deferred.pop_surplus() {
            Some(waiting) => self.search_deferred(waiting, helpers),
            None => ControlFlow::Continue(()),
        }
    }

    fn error(&mut self, error: Error) {
        self.messages.walk_error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }
}

impl<'a> Search<'a> {
    /// Makes this a visitor that notes how many results files have.
    fn counting(mut self) -> Search<'a> {
        self.engine.results.observer = Some(Box::new(Observer::of_counts()));
        self
    }

    /// Makes this a visitor that counts the results of files, and notes what their lines show.
    fn surveying(mut self, args: &'a ResolvedArgs, mode: SearchMode) -> Search<'a> {
        let is_by_line = matches!(mode, SearchMode::Standard | SearchMode::Json);
        let observer = Observer::of_lines(args.searcher.invert, is_by_line);
        self.engine.results.observer = Some(Box::new(observer));
        let rules = args.definitions.as_deref();
        self.run.definitions = rules.map(|rules| Box::new(Definitions::new(rules, &args.searcher)));
        self
    }
}

impl Search<'_> {
    /// Makes `file` the current one. `Break` if it is not searched now.
    fn begin_file(&mut self, file: &Entry<'_>) -> ControlFlow<()> {
        self.run.any_file = true;
        let (path, BinaryRules { explicit, walked }) = (&mut self.engine.path, self.rules.binary);
        path.clear();
        if file.is_stdin() {
            path.extend_from_slice(STDIN_NAME);
        } else {
            file.path_into(path);
        }
        self.engine.binary = if file.is_explicit() { explicit } else { walked };
        let (engine, contents) = (&mut self.engine, &self.contents);
        let is_read_once = engine.results.observer.as_deref().is_some_and(Observer::is_of_counts);
        let repeat = || match is_read_once {
            true => Repeat::Free,
            false => repeat(file, contents.runs_command_for(&engine.path)),
        };
        engine.results.printer.output().enter(file, repeat)
    }

    /// Handles a file that is not searched now. It is deferred, or a pipe that the survey cannot
    /// read.
    fn pass_by(&mut self, file: &Entry<'_>) -> ControlFlow<()> {
        if self.engine.results.observer.is_some() && !self.rules.spreads {
            let evidence = Evidence { is_unread: true, ..Evidence::default() };
            self.run.surveyed.push(file, None, 0);
            self.run.surveyed.evidence.push(evidence);
        } else if let StdoutWorker::Limited(_) = self.engine.output() {
            let error =
                io::Error::other("--spread cannot search a pipe, which it would read twice");
            self.messages.path_error(&self.engine.path, &error);
        }
        ControlFlow::Continue(())
    }

    /// Notes how many results the current file has, if they are counted in advance.
    fn note_surveyed(&mut self, file: &Entry<'_>) {
        let results = self.engine.output().surveyed();
        let evidence = self.engine.results.observer.as_deref_mut().map(Observer::take);
        if results > 0 {
            self.run.surveyed.push(file, self.rules.sorted_by.time(), results);
            if let Some((evidence, candidates)) = evidence {
                self.note_evidence(file, evidence, &candidates);
            }
        }
    }

    /// Notes what the current file has shown of its relevance. The lines at `candidates` may define
    /// what they match.
    fn note_evidence(&mut self, file: &Entry<'_>, mut evidence: Evidence, candidates: &[u64]) {
        let is_ranked = || {
            let class = class_of(&self.engine.path, file.depth());
            matches!(class, FileClass::Code | FileClass::Tests)
        };
        if !evidence.defines && !candidates.is_empty() && is_ranked() {
            // A file that has vanished is reported when it is to be printed.
            evidence.defines = self.any_head(file, candidates).unwrap_or(false);
        }
        self.run.surveyed.evidence.push(evidence);
    }

    /// Handles how the search of the current file has ended.
    fn end_file(&mut self, searched: io::Result<()>) -> ControlFlow<()> {
        if let Err(error) = searched {
            self.messages.path_error(&self.engine.path, &error);
        }
        if self.rules.stops_early && self.engine.any_match {
            return ControlFlow::Break(());
        }
        self.engine.output().tick()
    }
}

/// Whether `file` may be searched again. Only a path on the command line can be a pipe; the walk
/// finds none.
fn repeat(file: &Entry<'_>, runs_command: bool) -> Repeat {
    // A file without metadata cannot be opened either.
    let is_stream = || file.is_stdin() || file.metadata().is_ok_and(|metadata| !metadata.is_file());
    if file.is_explicit() && is_stream() {
        Repeat::Impossible
    } else if runs_command {
        Repeat::Unwanted
    } else {
        Repeat::Free
    }
}

impl DirVisitor for Search<'_> {}

impl OrderedVisitor for Search<'_> {
    fn begin(&mut self, key: &[u8]) {
        self.engine.output().begin(key);
    }

    fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.engine.output().spawn(keys);
    }

    fn end(&mut self) {
        self.engine.output().end();
    }
}

impl Assist for Search<'_> {
    fn set_deferred_limit(&mut self, files: usize) {
        self.run.deferred.open(files);
    }

    fn help(&mut self) {
        self.engine.help();
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        while let Some(waiting) = self.run.deferred.pop() {
            self.search_deferred(waiting, &mut NoHelpers)?;
        }
        self.engine.output().try_flush()
    }
}

impl Worker for Search<'_> {
    fn found(&self) -> Found {
        let (any_match, any_file) = (self.engine.any_match, self.run.any_file);
        let printer = &self.engine.results.printer;
        Found { any_match, any_file, stats: printer.stats().copied(), total: printer.total() }
    }

    fn take_surveyed(&mut self) -> Surveyed {
        mem::take(&mut self.run.surveyed)
    }

    fn visit_again(&mut self, file: &Entry<'_>) -> ControlFlow<()> {
        // It is among the files that were visited.
        self.run.counts = None;
        self.engine.stop_counting();
        let before = self.engine.results.printer.stats().copied();
        let flow = self.entry(file, &mut NoHelpers);
        if let (Some(before), Some(stats)) = (before, self.engine.results.printer.stats().copied())
        {
            // Statistics have it among the files that were searched.
            let Stats { searches, searches_with_match, bytes_searched, .. } = before;
            self.engine.results.printer.set_stats(Stats {
                searches,
                searches_with_match,
                bytes_searched,
                ..stats
            });
        }
        flow
    }
}
