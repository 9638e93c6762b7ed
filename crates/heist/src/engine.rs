//! Runs a search on the files of a walk: as the walk finds them, or sorted by path.

use std::{
    io, iter, mem,
    ops::ControlFlow,
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use heist_filter::Problem;
use heist_matcher::{Finder, Matcher};
use heist_searcher::{BinaryPolicy, End, SearchConfig, Searcher, Sink, Source};
use heist_walk::{Entry, FileType, Helpers, MAX_WORKERS, Visitor, Wants};

use crate::{
    Error, SkipKind, Skipped,
    delivery::{Alone, Delivery, Turn},
    walk::{Walk, sorted::Sorted},
};

/// The settings of a [`Search`](crate::Search).
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    pub(crate) matcher: Matcher,
    /// Which files are searched.
    pub(crate) walk: Walk,
    /// Which lines are reported.
    pub(crate) config: SearchConfig,
    /// What replaces matches.
    pub(crate) replacement: Option<Vec<u8>>,
    /// Matching lines to report in all.
    pub(crate) limit: Option<u64>,
    /// Where indexes lie that the search may use.
    #[cfg(any(test, feature = "index"))]
    pub(crate) indexes: Option<std::path::PathBuf>,
}

/// What one worker does with the results of its files.
pub(crate) trait Lane: Send {
    /// Returns a sink for the lines of one file. Its results have this turn.
    fn sink<'s>(&'s mut self, entry: &'s Entry<'_>, turn: Option<usize>) -> impl FileSink + 's;
}

/// Receives the lines of one file.
pub(crate) trait FileSink: Sink {
    /// The position of the file's first NUL byte, if one was seen. If skipped files are named, the
    /// sink wants files without a match, too.
    fn nul_at(&self) -> Option<u64>;
}

/// What a search did.
#[derive(Debug)]
pub struct Summary {
    /// Files that were read to their end, or as far as wanted.
    pub files_searched: u64,
    /// Files with at least one matching line.
    pub files_with_matches: u64,
    /// Matching lines that were reported.
    pub matched_lines: u64,
    /// Matches in these lines.
    pub matches: u64,
    /// Paths that could not be walked or read and rule files with mistakes, in no particular order.
    pub errors: Vec<Error>,
    /// What was left out: files and directories that the walk skips, and binary files, which are
    /// searched up to their first NUL byte. Empty unless
    /// [`Walk::name_skipped`](crate::Walk::name_skipped) was called.
    pub skipped: Skipped,
    /// Whether every file was searched: no limit, token or closure ended the search early.
    pub is_complete: bool,
}

/// What the workers of a run did besides delivering results.
#[derive(Debug, Default)]
pub(crate) struct RunOutcome {
    pub(crate) files_searched: u64,
    pub(crate) errors: Vec<Error>,
    pub(crate) skipped: Skipped,
    pub(crate) is_complete: bool,
}

impl RunOutcome {
    /// Adds what a worker did. At most this many skipped files are named.
    fn add(&mut self, worker: RunOutcome, max_skipped: usize) {
        self.files_searched += worker.files_searched;
        self.errors.extend(worker.errors);
        self.skipped.merge(max_skipped, worker.skipped);
    }
}

/// Searches the files that `options` select, with one lane per worker.
pub(crate) fn run<T: Send, L: Lane>(
    options: &SearchOptions,
    delivery: &Delivery<T>,
    lane: impl Fn() -> L + Sync,
) -> Result<(RunOutcome, Vec<L>), Error> {
    let walk = &options.walk;
    #[cfg(any(test, feature = "index"))]
    let indexes = &indexes_of(options);
    let worker = || {
        let mut searcher = Searcher::new(options.config.clone());
        searcher.set_stop(Some(delivery.stop()));
        let (finder, outcome) = (options.matcher.finder(), RunOutcome::default());
        let binary = options.config.binary;
        let max_skipped = walk.max_skipped;
        SearchWorker {
            finder,
            searcher,
            binary,
            max_skipped,
            #[cfg(any(test, feature = "index"))]
            indexes,
            delivery,
            lane: lane(),
            outcome,
        }
    };
    let (mut outcome, mut lanes) = (RunOutcome::default(), Vec::new());
    let workers = if walk.is_sorted() {
        // Nothing but files can be searched, whatever else the walk visits for other callers.
        let files = walk.clone().directories(false).symlinks(false);
        let mut files = files.collect_sorted()?;
        outcome.errors = mem::take(&mut files.errors);
        outcome.skipped = mem::take(&mut files.skipped);
        search_in_order(&files, walk.workers(), worker)
    } else {
        let visited = walk.visit(worker)?;
        outcome.errors = visited.problems;
        outcome.skipped = visited.skipped;
        visited.visitors
    };
    for worker in workers {
        outcome.add(worker.outcome, walk.max_skipped.unwrap_or_default());
        lanes.push(worker.lane);
    }
    outcome.is_complete = !delivery.is_over();
    Ok((outcome, lanes))
}

/// The indexes that the search with these `options` uses.
#[cfg(any(test, feature = "index"))]
pub(crate) fn indexes_of(options: &SearchOptions) -> crate::indexes::Indexes {
    let home = options.indexes.clone().filter(|_| !options.config.invert);
    let open = |home| crate::indexes::Indexes::open(home, &options.matcher, options.walk.roots());
    home.map(open).unwrap_or_default()
}

/// Searches `files`, each in its turn, with at most this many workers, and returns those that
/// took part.
fn search_in_order<'a, T: Send, L: Lane>(
    files: &Sorted,
    workers: usize,
    worker: impl Fn() -> SearchWorker<'a, T, L> + Sync,
) -> Vec<SearchWorker<'a, T, L>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut worker = worker();
        // Ordering: Relaxed, the number is all that is taken.
        let claim = || next.fetch_add(1, Ordering::Relaxed);
        for turn in iter::repeat_with(claim).take_while(|turn| *turn < files.len()) {
            if worker.search(&files.entry(turn), Some(turn)).is_break() {
                break;
            }
        }
        worker
    };
    thread::scope(|scope| {
        // The calling thread works too: the search needs none of the threads that are refused.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others = 1..workers.min(MAX_WORKERS).min(files.len());
        let others: Vec<_> = others.map_while(start).collect();
        let mut workers = vec![work()];
        let join = |other: thread::ScopedJoinHandle<'_, _>| {
            other.join().unwrap_or_else(|payload| resume_unwind(payload))
        };
        workers.extend(others.into_iter().map(join));
        workers
    })
}

/// A worker, which searches one file after the other.
struct SearchWorker<'a, T, L> {
    finder: Finder,
    searcher: Searcher,
    binary: BinaryPolicy,
    /// How many skipped files are named, if they are.
    max_skipped: Option<usize>,
    #[cfg(any(test, feature = "index"))]
    indexes: &'a crate::indexes::Indexes,
    delivery: &'a Delivery<T>,
    lane: L,
    outcome: RunOutcome,
}

impl<T: Send, L: Lane> SearchWorker<'_, T, L> {
    fn search(&mut self, entry: &Entry<'_>, turn: Option<usize>) -> ControlFlow<()> {
        let _turn = Turn { delivery: self.delivery, turn };
        if self.delivery.is_over() {
            return ControlFlow::Break(());
        }
        match self.search_file(entry, turn) {
            Ok(()) => self.outcome.files_searched += 1,
            Err(source) => self.outcome.errors.push(Error::Read { path: entry.path(), source }),
        }
        match self.delivery.is_over() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn search_file(&mut self, entry: &Entry<'_>, turn: Option<usize>) -> io::Result<()> {
        #[cfg(any(test, feature = "index"))]
        if let Some(bytes_searched) = self.indexes.len_without_match(entry) {
            let mut sink = self.lane.sink(entry, turn);
            if sink.wants().unmatched {
                sink.finish(&heist_searcher::Finish { bytes_searched, ..Default::default() });
            }
            return Ok(());
        }
        let opened = entry.open()?;
        let file = &opened.file;
        // A root may be a pipe. The walk finds regular files only, and knows their file system.
        let source = match opened.short_read_is_eof {
            true => Source { reader: file, end: End::ShortRead },
            false => Source::file(file)?,
        };
        let mut sink = self.lane.sink(entry, turn);
        let mut helpers = Alone { delivery: self.delivery };
        self.searcher.search_shared(&mut self.finder, source, &mut helpers, &mut sink)?;
        let given_up_at = sink.nul_at().filter(|_| self.binary == BinaryPolicy::Quit);
        if let (Some(at), Some(max)) = (given_up_at, self.max_skipped) {
            let why = format_args!("binary: searched up to its first NUL byte, at {at}");
            self.outcome.skipped.add(max, &entry.path(), SkipKind::Binary, &why);
        }
        Ok(())
    }
}

impl<T: Send, L: Lane> Visitor for SearchWorker<'_, T, L> {
    // A tree without files is to end with the run, too.
    const WANTED_ENTRIES: Wants = Wants { directories: true, ..Wants::ONLY_FILES };

    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        match entry.file_type() {
            FileType::Dir if self.delivery.is_over() => ControlFlow::Break(()),
            FileType::Dir => ControlFlow::Continue(()),
            _ => self.search(entry, None),
        }
    }

    fn error(&mut self, error: heist_walk::Error) {
        self.outcome.errors.push(Error::Walk(error));
    }

    fn problem(&mut self, problem: Problem) {
        self.outcome.errors.push(Error::RuleFile(problem));
    }
}
