//! One worker's search of the files that the walk visits, with its own matcher cache, read buffer
//! and output buffer.

mod contents;
mod file;

use std::{io, mem, ops::ControlFlow, sync::Arc};

use heist_filter::{Filter, Problem};
use heist_matcher::{Finder, Matcher};
use heist_printer::{Limited, Mode as SummaryMode, Printer, Stats};
use heist_searcher::{BinaryPolicy, SearchConfig, Searcher};
use heist_walk::{Assist, Entry, Error, FileId, Helpers, OrderedVisitor, Visitor};

use super::{
    counted::Counted,
    found::{Found, Worker},
    names::NameSearch,
    ranges::RangeSearch,
    shared_searches::{NoHelpers, SharedSearches},
    walk::walk,
};
use crate::{
    contents::Opener,
    haystack::{DeferredFiles, STDIN_NAME},
    index::LazyOracle,
    messages::Messages,
    output::{Repeat, Stdout, StdoutWorker},
    progress::Counts,
    resolved::{BinaryRules, ResolvedArgs},
    typed::{SearchMode, SortKey},
};

/// Searches all wanted files.
pub(crate) fn search(
    args: &ResolvedArgs,
    mode: SearchMode,
    filter: &Filter,
    matcher: &Matcher,
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
    walk(args, filter, stdout, messages, |output| Search {
        shared_searches: &shared_searches,
        finder: None,
        names: args.names.map(|names| Box::new(NameSearch::new(matcher, names, &args.printer))),
        name_is_pending: false,
        matcher,
        oracle,
        searcher: Searcher::new(args.searcher.clone()),
        config: &args.searcher,
        range_search: None,
        printer: printer(args, mode, output),
        contents: Opener::new(&args.contents),
        mmap: args.mmap,
        deferred: DeferredFiles::closed(),
        binary: args.binary,
        policy: args.binary.walked,
        stdout_file: args.walk.skip,
        hints_at_stdin: args.stdin_is_implicit && !args.quiet,
        stops_early: args.quiet && !args.printer.stats,
        path: Vec::new(),
        messages,
        found: Found::default(),
        sorted_by: args.sorting.key(),
        surveyed: Vec::new(),
        counts: args.progress.as_ref().map(|progress| progress.worker()),
    })
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

/// A sink for the file at `path`. The file's name has been searched.
fn sink<'p, 'o>(
    printer: &'p mut Printer<StdoutWorker<'o>>,
    path: &'p [u8],
    names: Option<&'p NameSearch>,
    policy: BinaryPolicy,
) -> Limited<'p, StdoutWorker<'o>> {
    let admits = printer.output().begin_haystack();
    let mut sink = printer.sink(Some(path), policy);
    if let Some(name) = names.and_then(|names| names.found(path)) {
        sink.set_name(name);
    }
    if log::log_enabled!(log::Level::Debug) {
        sink.watch_unmatched();
    }
    Limited::new(sink, admits)
}

/// One worker's search.
struct Search<'a> {
    matcher: &'a Matcher,
    /// Created for the first file: a worker without files needs no cache. Behind a pointer, as
    /// others that have kilobytes, because visitors are moved.
    finder: Option<Box<Finder>>,
    /// Searches the names of files, if they are searched.
    names: Option<Box<NameSearch>>,
    /// Whether the name of the current file matches and has not been printed.
    name_is_pending: bool,
    /// What is known of files without reading them.
    oracle: &'a LazyOracle<'a>,
    searcher: Searcher,
    config: &'a SearchConfig,
    /// Created for the first file that is searched in parts.
    range_search: Option<RangeSearch>,
    shared_searches: &'a SharedSearches,
    printer: Printer<StdoutWorker<'a>>,
    contents: Opener<'a>,
    /// Whether to search through memory maps where possible.
    mmap: bool,
    /// Files that are deferred until the disk has read them.
    deferred: DeferredFiles,
    binary: BinaryRules,
    /// The meaning of NUL bytes in the current file.
    policy: BinaryPolicy,
    /// The file that output is written to. The walk skips it if its directory lists it by this
    /// number.
    stdout_file: Option<FileId>,
    /// Whether to print a hint if standard input stays silent.
    hints_at_stdin: bool,
    /// Whether the first match ends the run.
    stops_early: bool,
    path: Vec<u8>,
    messages: &'a Messages,
    found: Found,
    sorted_by: SortKey,
    /// The files with results, if results are counted in advance, and how many there are.
    surveyed: Vec<Counted>,
    /// What has been visited, if that is shown.
    counts: Option<Arc<Counts>>,
}

impl Visitor for Search<'_> {
    fn entry(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> ControlFlow<()> {
        self.found.any_file = true;
        self.path.clear();
        if file.is_stdin() {
            self.path.extend_from_slice(STDIN_NAME);
        } else {
            file.path_into(&mut self.path);
        }
        let repeat = || repeat(file, self.contents.runs_command_for(&self.path));
        if self.printer.output().enter(file, repeat).is_break() {
            return self.pass_by();
        }
        let counted = self.printer.stats().copied();
        self.search_name(file);
        let searched = self.search(file, helpers);
        if let Some(counts) = &self.counts {
            counts.add_file();
        }
        self.print_pending_name(&searched);
        if self.printer.output().leave(file).is_break() {
            self.printer.set_stats(counted.unwrap_or_default());
            return ControlFlow::Continue(());
        }
        let results = self.printer.output().surveyed();
        if results > 0 {
            let previous = self.surveyed.last();
            self.surveyed.push(Counted::new(file, self.sorted_by, previous, results));
        }
        self.after(searched)?;
        match self.deferred.pop_surplus() {
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

impl OrderedVisitor for Search<'_> {
    fn begin(&mut self, key: &[u8]) {
        self.printer.output().begin(key);
    }

    fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.printer.output().spawn(keys);
    }

    fn end(&mut self) {
        self.printer.output().end();
    }
}

impl Assist for Search<'_> {
    fn set_deferred_limit(&mut self, files: usize) {
        self.deferred.open(files);
    }

    fn help(&mut self) {
        self.shared_searches
            .help(self.finder.get_or_insert_with(|| Box::new(self.matcher.finder())));
    }

    fn before_park(&mut self) -> ControlFlow<()> {
        while let Some(waiting) = self.deferred.pop() {
            self.search_deferred(waiting, &mut NoHelpers)?;
        }
        self.printer.output().try_flush()
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

impl Search<'_> {
    /// Handles a file that is not searched now. It is deferred, or a pipe that the survey cannot
    /// read.
    fn pass_by(&mut self) -> ControlFlow<()> {
        if let StdoutWorker::Limited(_) = self.printer.output() {
            let error =
                io::Error::other("--spread cannot search a pipe, which it would read twice");
            self.messages.path_error(&self.path, &error);
        }
        ControlFlow::Continue(())
    }

    /// Handles how the search of the current file has ended.
    fn after(&mut self, searched: io::Result<()>) -> ControlFlow<()> {
        if let Err(error) = searched {
            self.messages.path_error(&self.path, &error);
        }
        if self.stops_early && self.found.any_match {
            return ControlFlow::Break(());
        }
        self.printer.output().tick()
    }
}

impl Worker for Search<'_> {
    fn found(&self) -> Found {
        let (stats, total) = (self.printer.stats().copied(), self.printer.total());
        Found { stats, total, ..self.found }
    }

    fn take_surveyed(&mut self) -> Vec<Counted> {
        mem::take(&mut self.surveyed)
    }

    fn visit_again(&mut self, file: &Entry<'_>) -> ControlFlow<()> {
        // It is among the files that were visited.
        self.counts = None;
        let counted = self.printer.stats().copied();
        let flow = self.entry(file, &mut NoHelpers);
        if let (Some(counted), Some(stats)) = (counted, self.printer.stats().copied()) {
            // Statistics have it among the files that were searched.
            let Stats { searches, searches_with_match, bytes_searched, .. } = counted;
            self.printer.set_stats(Stats {
                searches,
                searches_with_match,
                bytes_searched,
                ..stats
            });
        }
        flow
    }
}
