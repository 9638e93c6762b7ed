//! One worker's search of the files that the walk visits, with its own matcher cache, read buffer
//! and output buffer.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    mem,
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
};

use bstr::ByteSlice;
use heist_filter::{Filter, Problem};
use heist_index::CandidateRange;
use heist_matcher::{Finder, Matcher};
use heist_printer::{Mode as SummaryMode, Printer, PrinterSink, Stats};
use heist_searcher::{
    BinaryPolicy, End, FileRead, Finish, MappedFile, SearchConfig, Searcher, Sink, Source, Stream,
};
use heist_walk::{Assist, Entry, Error, FileId, Helpers, OpenedFile, OrderedVisitor, Visitor};

use super::{
    counted::Counted,
    found::{Found, Worker},
    metered::{Metered, MeteredStream},
    names::NameSearch,
    ranges::RangeSearch,
    shared_searches::{NoHelpers, SharedSearches},
    walk::walk,
};
use crate::{
    contents::{Opened, Opener},
    haystack::{DeferredFile, DeferredFiles, NonBlockingFirstRead, STDIN_NAME},
    index::{Known, LazyOracle},
    messages::Messages,
    output::{Repeat, Stdout, StdoutWorker},
    progress::Counts,
    resolved::{BinaryRules, ResolvedArgs},
    stdin_hint,
    sys::{Pipe, whole_stdin},
    typed::{SearchMode, SortKey},
};

/// Locked by the worker that searches standard input, which may be named more than once and can be
/// read only once.
static ONE_READS_STDIN: Mutex<()> = Mutex::new(());

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
    let shared_searches = Arc::new(SharedSearches::new(workers));
    if let Some(progress) = &args.progress {
        let large = Arc::clone(&shared_searches);
        progress.watch(move || large.claimed_bytes());
    }
    walk(args, filter, stdout, messages, |output| Search {
        shared_searches: &shared_searches,
        finder: None,
        names: args.names.map(|names| NameSearch::new(matcher, names, &args.printer)),
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

/// A sink for the file at `path`, whose name has been searched.
fn sink<'p, 'o>(
    printer: &'p mut Printer<StdoutWorker<'o>>,
    path: &'p [u8],
    names: Option<&'p NameSearch>,
    policy: BinaryPolicy,
) -> PrinterSink<'p, StdoutWorker<'o>> {
    let mut sink = printer.sink(Some(path), policy);
    if let Some(name) = names.and_then(|names| names.found(path)) {
        sink.set_name(name);
    }
    sink
}

/// One worker's search.
struct Search<'a> {
    matcher: &'a Matcher,
    /// Created for the first file: a worker without files needs no cache.
    finder: Option<Finder>,
    /// Searches the names of files, if they are searched.
    names: Option<NameSearch>,
    /// Whether the name of the current file matches and has not been printed.
    name_is_pending: bool,
    /// What is known of files without reading them.
    oracle: &'a LazyOracle<'a>,
    searcher: Searcher,
    config: &'a SearchConfig,
    /// Created for the first file of which parts are searched.
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
        self.shared_searches.help(self.finder.get_or_insert_with(|| self.matcher.finder()));
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

/// How the end of `file` is recognized.
fn end_of(file: &OpenedFile) -> End {
    if file.short_read_is_eof { End::ShortRead } else { End::EmptyRead }
}

impl Search<'_> {
    fn search(&mut self, file: &Entry<'_>, helpers: &mut dyn Helpers) -> io::Result<()> {
        if self.is_decided_by_name() {
            self.pass_over(0);
            return Ok(());
        }
        if !file.is_explicit() {
            let oracle = self.oracle.for_next_file();
            match oracle.map_or(Known::Nothing, |oracle| oracle.look_up(file)) {
                Known::Nothing => {}
                Known::NoMatch { len } => {
                    self.pass_over(len);
                    return Ok(());
                }
                Known::Ranges { len, ranges } => return self.search_ranges(file, len, &ranges),
            }
            let file = file.open()?;
            if self.is_unlisted_output(&file)? {
                log::debug!("{}: ignored: output is written to it", self.path.as_bstr());
                return Ok(());
            }
            if self.deferred.is_open() && file.may_be_cold {
                return self.search_ready(file, helpers);
            }
            return self.search_walked(file, helpers);
        }
        // A path on the command line may be a pipe, which earlier results must not wait for. A
        // failed write shows at the next one.
        let _ = self.printer.output().try_flush();
        self.policy = self.binary.explicit;
        if file.is_stdin() {
            return self.search_stdin(helpers);
        }
        let reader = file.open()?.file;
        let metadata = reader.metadata()?;
        let end = if metadata.is_file() { End::EmptyRead } else { End::Stream };
        let len = self.len_of_output(&metadata);
        self.search_contents(Source { reader, end }, len, helpers)
    }

    /// Searches the name of the current file, if names are searched.
    fn search_name(&mut self, file: &Entry<'_>) {
        let Some(names) = &mut self.names else { return };
        let searched = match file.is_stdin() {
            true => {
                names.clear();
                Ok(())
            }
            false => names.search(&self.path, file.depth()),
        };
        self.name_is_pending = names.found(&self.path).is_some();
        if let Err(error) = searched {
            self.messages.path_error(&self.path, &error);
        }
    }

    /// Whether the contents of the current file make no difference to what is printed of it.
    fn is_decided_by_name(&self) -> bool {
        let is_only_searched = || self.config.max_matches == Some(0);
        self.names.is_some()
            && (is_only_searched() || self.name_is_pending && self.printer.is_decided_by_name())
    }

    /// Prints the name of the current file if it matches, and the file could not be searched.
    fn print_pending_name(&mut self, searched: &io::Result<()>) {
        if searched.is_err() && mem::take(&mut self.name_is_pending) {
            let mut sink = sink(&mut self.printer, &self.path, self.names.as_ref(), self.policy);
            sink.finish_unsearched();
            self.found.any_match |= sink.has_match();
        }
    }

    /// Does what the search of the current file would do, which has so many bytes and no match.
    fn pass_over(&mut self, len: u64) {
        let policy = self.binary.walked;
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_ref(), policy);
        if sink.wants_unmatched() {
            sink.finish(&Finish { bytes_searched: len, binary_offset: None });
            self.found.any_match |= sink.has_match();
        }
        self.name_is_pending = false;
    }

    /// Searches parts of the current file, outside of which nothing matches.
    fn search_ranges(
        &mut self,
        file: &Entry<'_>,
        len: u64,
        ranges: &[CandidateRange],
    ) -> io::Result<()> {
        let mut file = file.open()?.file;
        let search = self.range_search.get_or_insert_with(|| RangeSearch::new(self.config));
        let finder = self.finder.get_or_insert_with(|| self.matcher.finder());
        let policy = self.binary.walked;
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_ref(), policy);
        let searched = search.search(finder, &mut file, len, ranges, &mut sink);
        self.found.any_match |= sink.has_match();
        if let Some(counts) = &self.counts {
            counts.add_bytes(ranges.iter().map(|range| range.len).sum());
        }
        self.name_is_pending = sink.name_is_pending();
        searched
    }

    /// The length of the current file if output is written to it. The results are appended to it,
    /// and would be found again forever. ripgrep maps the file, and so searches what it was when it
    /// was opened.
    fn len_of_output(&self, metadata: &fs::Metadata) -> Option<u64> {
        self.is_output(metadata).then_some(metadata.len())
    }

    fn is_output(&self, metadata: &fs::Metadata) -> bool {
        self.stdout_file.is_some_and(|file| FileId::of(metadata) == Some(file))
    }

    /// Whether output is written to a file that the walk found under another number.
    fn is_unlisted_output(&self, file: &OpenedFile) -> io::Result<bool> {
        Ok(self.stdout_file.is_some()
            && !file.is_as_listed()
            && self.is_output(&file.file.metadata()?))
    }

    /// Searches a file that the walk found.
    fn search_walked(&mut self, file: OpenedFile, helpers: &mut dyn Helpers) -> io::Result<()> {
        self.policy = self.binary.walked;
        let source = Source { end: end_of(&file), reader: file.file };
        self.search_contents(source, None, helpers)
    }

    /// Searches a file if it is cached, and defers it otherwise.
    fn search_ready(&mut self, file: OpenedFile, helpers: &mut dyn Helpers) -> io::Result<()> {
        self.policy = self.binary.walked;
        let end = end_of(&file);
        let mut reader = NonBlockingFirstRead::new(file, end);
        let searched = self.search_file(Source { reader: &mut reader, end }, helpers);
        self.deferred.learn(&reader);
        if reader.is_cold() {
            let name_at = self.names.as_ref().map_or(0, NameSearch::start);
            self.deferred.push(&self.path, name_at, reader.into_inner());
            return Ok(());
        }
        searched
    }

    /// Searches a deferred file.
    fn search_deferred(
        &mut self,
        waiting: DeferredFile,
        helpers: &mut dyn Helpers,
    ) -> ControlFlow<()> {
        self.path = waiting.path;
        if let Some(names) = &mut self.names {
            // The failure of an engine has been reported.
            let _ = names.search_from(&self.path, waiting.name_at);
            self.name_is_pending = names.found(&self.path).is_some();
        }
        let searched = self.search_walked(waiting.file, helpers);
        self.print_pending_name(&searched);
        self.after(searched)
    }

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

    /// Handles the end of the search of the current file.
    fn after(&mut self, searched: io::Result<()>) -> ControlFlow<()> {
        if let Err(error) = searched {
            self.messages.path_error(&self.path, &error);
        }
        if self.stops_early && self.found.any_match {
            return ControlFlow::Break(());
        }
        self.printer.output().tick()
    }

    fn search_stdin(&mut self, helpers: &mut dyn Helpers) -> io::Result<()> {
        if self.hints_at_stdin
            && let Some(hint) = stdin_hint::await_stdin()
        {
            self.messages.warn_in_lines("", hint);
        }
        let _reads = ONE_READS_STDIN.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((mut file, metadata)) = whole_stdin() else {
            return self.search_stream(Pipe(io::stdin()), helpers);
        };
        let (reader, end) = (&mut file, End::EmptyRead);
        let searched = match self.len_of_output(&metadata) {
            Some(len) => self.search_in("file", Source { reader: reader.take(len), end }),
            None => self.search_file(Source { reader, end }, helpers),
        };
        // Chunks are read without moving the file offset. The next reader of standard input is to
        // find it at the end, however large the file is.
        searched.and(file.seek(SeekFrom::End(0)).map(drop))
    }

    /// Searches the contents of a file: its bytes, at most `most`, or what is made of them.
    fn search_contents(
        &mut self,
        source: Source<fs::File>,
        most: Option<u64>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let Source { reader: file, end } = source;
        match self.contents.open(&self.path, file)? {
            Opened::Plain(reader) if end == End::Stream => {
                self.search_stream(Pipe(reader), helpers)
            }
            Opened::Plain(reader) => {
                if let Some(most) = most {
                    return self.search_in("file", Source { reader: reader.take(most), end });
                }
                let mapped = if self.mmap { MappedFile::new(&reader) } else { None };
                if let Some(mapped) = mapped {
                    return self
                        .search_in("memory map", Source { reader: mapped, end: End::EmptyRead });
                }
                self.search_file(Source { reader, end }, helpers)
            }
            Opened::Output(mut output) => {
                let reader = &mut output;
                let source = Source { reader, end: End::Stream };
                let searched = self.search_in("output of the command", source);
                searched.and(output.close())
            }
            Opened::Decoded(mut decoder) => {
                // A decoder returns short reads wherever a part of the file ends.
                let end = if end == End::ShortRead { End::EmptyRead } else { end };
                let source = Source { reader: &mut decoder, end };
                let searched = self.search_in("decompressed data", source);
                self.contents.close(decoder);
                searched
            }
        }
    }

    /// Searches the current file, with the help of others if it is large.
    fn search_file<R: FileRead>(
        &mut self,
        source: Source<R>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let mut helpers = self.shared_searches.helpers(helpers);
        let mut reader = Metered::new(source.reader, self.counts.clone());
        let source = Source { reader: &mut reader, end: source.end };
        let searched = self.search_by("file", |searcher, finder, sink| {
            searcher.search_shared(finder, source, &mut helpers, sink)
        });
        reader.finish(helpers.claimed_bytes());
        searched
    }

    /// Searches the current file, a stream, with the help of others if much comes from it.
    fn search_stream(
        &mut self,
        stream: impl Stream + 'static,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let mut helpers = self.shared_searches.helpers(helpers);
        let stream = MeteredStream { inner: stream, counts: self.counts.clone() };
        let reader: Arc<dyn Stream> = Arc::new(stream);
        self.search_by("stream", |searcher, finder, sink| {
            searcher.search_stream(finder, &reader, &mut helpers, sink)
        })
    }

    /// Searches the bytes of `source`, which the log calls `what`.
    fn search_in<R: io::Read>(&mut self, what: &str, source: Source<R>) -> io::Result<()> {
        let Source { reader, end } = source;
        let source = Source { reader: Metered::new(reader, self.counts.clone()), end };
        self.search_by(what, |searcher, finder, sink| searcher.search(finder, source, sink))
    }

    /// Runs `search`, and notes whether the current file has a match.
    fn search_by<'s>(
        &'s mut self,
        what: &str,
        search: impl FnOnce(
            &mut Searcher,
            &mut Finder,
            &mut PrinterSink<'s, StdoutWorker<'_>>,
        ) -> io::Result<()>,
    ) -> io::Result<()> {
        log::trace!("{}: searching the {what}", self.path.as_bstr());
        let finder = self.finder.get_or_insert_with(|| self.matcher.finder());
        self.searcher.set_binary(self.policy);
        self.searcher.set_path(&self.path);
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_ref(), self.policy);
        if log::log_enabled!(log::Level::Debug) {
            sink.watch_unmatched();
        }
        let searched = search(&mut self.searcher, finder, &mut sink);
        self.found.any_match |= sink.has_match();
        self.name_is_pending = sink.name_is_pending();
        if let Some(offset) = sink.nul_at() {
            explain_binary(&self.path, self.policy, offset);
        }
        searched
    }
}

/// Logs why a file with a NUL byte at `offset` was not searched to its end.
#[cold]
fn explain_binary(path: &[u8], policy: BinaryPolicy, offset: u64) {
    let effect = match policy {
        BinaryPolicy::Quit => "search stopped",
        BinaryPolicy::Convert | BinaryPolicy::Text => "treated as binary",
    };
    // The first character is probably an ASCII one.
    let hint = match offset {
        0 => "; looks like UTF-16, try -E utf-16be",
        1 => "; looks like UTF-16, try -E utf-16le",
        _ => "",
    };
    log::debug!("{}: NUL byte at offset {offset}: {effect}{hint}", path.as_bstr());
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
