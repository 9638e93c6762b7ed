//! Searches the bytes of one file after the other, and prints what is found.

use std::{io, mem, sync::Arc};

use bstr::ByteSlice;
use heist_index::CandidateRange;
use heist_matcher::{Finder, Matcher};
use heist_printer::Printer;
use heist_searcher::{
    BinaryPolicy, FileRead, Finish, Journey, SearchConfig, Searcher, Sink, Source, Stream,
};
use heist_walk::{Entry, Helpers, OpenedFile};

use super::{
    observed::{Observed, ObservedPrinter},
    per_file::{FileTest, Sought},
};
use crate::{
    output::StdoutWorker,
    resolved::ResolvedArgs,
    run::progress::Counts,
    visit::{
        metered::{Metered, MeteredStream},
        names::NameSearch,
        ranges::RangeSearch,
        shared_searches::SharedSearches,
    },
};

/// One worker's matcher, searcher and printer, and the file that they work on.
pub(super) struct SearchEngine<'a> {
    matcher: &'a Matcher,
    /// Created for the first file: a worker without files needs no cache. Behind a pointer, as
    /// others that have kilobytes, because visitors are moved.
    finder: Option<Box<Finder>>,
    searcher: Searcher,
    config: &'a SearchConfig,
    /// Created for the first file that is searched in parts.
    ranges: Option<RangeSearch>,
    shared_searches: &'a SharedSearches,
    /// Tests whether a file meets a condition as a whole, if it has to.
    file_test: Option<Box<FileTest<'a>>>,
    /// Searches the names of files, if they are searched.
    names: Option<Box<NameSearch>>,
    pub(super) results: ObservedPrinter<'a>,
    /// Where the bytes are counted that are read, if progress is shown.
    counts: Option<Arc<Counts>>,
    /// Whether any file so far satisfies the search.
    pub(super) any_match: bool,
    /// The path of the current file.
    pub(super) path: Vec<u8>,
    /// What NUL bytes mean in the current file.
    pub(super) binary: BinaryPolicy,
    /// Whether the name of the current file matches and has not been printed.
    name_is_pending: bool,
}

impl<'a> SearchEngine<'a> {
    pub(super) fn new(
        args: &'a ResolvedArgs,
        sought: &'a Sought<'a>,
        shared_searches: &'a SharedSearches,
        printer: Printer<StdoutWorker<'a>>,
        counts: Option<Arc<Counts>>,
    ) -> SearchEngine<'a> {
        let matcher = sought.matcher;
        let names =
            args.names.map(|names| Box::new(NameSearch::new(matcher, names, &args.printer)));
        SearchEngine {
            matcher,
            finder: None,
            searcher: Searcher::new(args.searcher.clone()),
            config: &args.searcher,
            ranges: None,
            shared_searches,
            file_test: sought.per_file.as_ref().map(|it| Box::new(it.test(&args.searcher))),
            names,
            results: ObservedPrinter { printer, observer: None },
            counts,
            any_match: false,
            path: Vec::new(),
            binary: args.binary.walked,
            name_is_pending: false,
        }
    }

    pub(super) fn output(&mut self) -> &mut StdoutWorker<'a> {
        self.results.printer.output()
    }

    /// Helps other workers with their large files.
    pub(super) fn help(&mut self) {
        self.shared_searches.help(finder(&mut self.finder, self.matcher));
    }

    /// Counts no more of what is read.
    pub(super) fn stop_counting(&mut self) {
        self.counts = None;
    }
}

/// The worker's engine of the search.
fn finder<'f>(finder: &'f mut Option<Box<Finder>>, matcher: &Matcher) -> &'f mut Finder {
    finder.get_or_insert_with(|| Box::new(matcher.finder()))
}

/// The search of names.
impl SearchEngine<'_> {
    /// Searches the name of the current file, if names are searched.
    pub(super) fn search_name(&mut self, file: &Entry<'_>) -> io::Result<()> {
        let Some(names) = &mut self.names else { return Ok(()) };
        let searched = match file.is_stdin() {
            true => {
                names.clear();
                Ok(())
            }
            false => names.search(&self.path, file.depth()),
        };
        self.name_is_pending = names.found(&self.path).is_some();
        searched
    }

    /// Where the part of the current path begins that was searched.
    pub(super) fn name_start(&self) -> usize {
        self.names.as_deref().map_or(0, NameSearch::start)
    }

    /// Makes the file at `path` the current one again. Its name begins at `name_start`.
    pub(super) fn resume(&mut self, path: Vec<u8>, name_start: usize) {
        self.path = path;
        if let Some(names) = &mut self.names {
            // The failure of an engine has been reported.
            let _ = names.search_from(&self.path, name_start);
            self.name_is_pending = names.found(&self.path).is_some();
        }
    }

    /// Whether the current file's contents make no difference to what is printed about it.
    pub(super) fn is_decided_by_name(&self) -> bool {
        let is_only_searched = || self.config.max_matches == Some(0);
        self.names.is_some()
            && (is_only_searched()
                || self.name_is_pending && self.results.printer.is_decided_by_name())
    }

    /// Prints the name of the current file if it matches, and the file could not be searched.
    #[inline]
    pub(super) fn print_pending_name(&mut self, searched: &io::Result<()>) {
        if searched.is_err() && mem::take(&mut self.name_is_pending) {
            self.print_name();
        }
    }

    #[cold]
    fn print_name(&mut self) {
        let mut sink = self.results.sink(&self.path, self.names.as_deref(), self.binary);
        sink.inner().finish_unsearched();
        self.any_match |= sink.inner().sink().has_match();
    }
}

/// The search of contents.
impl<'a> SearchEngine<'a> {
    /// Does what searching the current file would do, which has `len` bytes and no match.
    pub(super) fn pass_over(&mut self, len: u64) {
        let mut sink = self.results.sink(&self.path, self.names.as_deref(), self.binary);
        if sink.wants().unmatched {
            sink.finish(&Finish { bytes_searched: len, ..Finish::default() });
            self.any_match |= sink.inner().sink().has_match();
        }
        self.name_is_pending = false;
    }

    /// Searches `ranges` of the current file, which has `len` bytes. Nothing matches outside of
    /// them. With `may_defer`, fails with [`io::ErrorKind::WouldBlock`] before anything is found if
    /// the file is not cached.
    pub(super) fn search_ranges(
        &mut self,
        file: &mut OpenedFile,
        len: u64,
        ranges: &[CandidateRange],
        may_defer: bool,
    ) -> io::Result<()> {
        let first = ranges.first().filter(|_| may_defer);
        let search = self.ranges.get_or_insert_with(|| RangeSearch::new(self.config));
        if let Some(first) = first {
            search.read_ahead(file, first)?;
        }
        let finder = finder(&mut self.finder, self.matcher);
        let mut sink = self.results.sink(&self.path, self.names.as_deref(), self.binary);
        let searched = search.search(finder, &mut file.file, len, ranges, &mut sink);
        let printed = sink.inner().sink();
        self.any_match |= printed.has_match();
        self.name_is_pending = printed.name_is_pending();
        if let Some(counts) = &self.counts {
            counts.add_bytes(ranges.iter().map(|range| range.len).sum());
        }
        searched
    }

    /// Searches a file, with the help of others if it is large.
    pub(super) fn search_file<R: FileRead>(
        &mut self,
        source: Source<R>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        if self.file_test.is_some() {
            return self.search_if_met(source.reader);
        }
        if self.counts.is_some() {
            let Source { mut reader, end } = source;
            return self.search_metered(Source { reader: &mut reader, end }, helpers);
        }
        let mut helpers = self.shared_searches.helpers(helpers);
        self.run("file", |searcher, finder, sink| {
            searcher.search_shared(finder, source, &mut helpers, sink)
        })
    }

    /// Searches a file as [`search_file`](Self::search_file) does, and counts what is read.
    #[cold]
    fn search_metered(
        &mut self,
        source: Source<&mut dyn FileRead>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let mut helpers = self.shared_searches.helpers(helpers);
        let mut reader = Metered::new(source.reader, self.counts.clone());
        let source = Source { reader: &mut reader, end: source.end };
        let searched = self.run("file", |searcher, finder, sink| {
            searcher.search_shared(finder, source, &mut helpers, sink)
        });
        reader.finish(helpers.claimed_bytes());
        searched
    }

    /// Searches a stream, with the help of others if much comes from it.
    pub(super) fn search_stream(
        &mut self,
        stream: impl Stream + 'static,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        if self.file_test.is_some() {
            return self.search_if_met(StreamReader(stream));
        }
        let mut helpers = self.shared_searches.helpers(helpers);
        let stream = MeteredStream { inner: stream, counts: self.counts.clone() };
        let reader: Arc<dyn Stream> = Arc::new(stream);
        self.output().set_searches_stream(true);
        let searched = self.run("stream", |searcher, finder, sink| {
            searcher.search_stream(finder, &reader, &mut helpers, sink)
        });
        self.output().set_searches_stream(false);
        searched
    }

    /// Searches the bytes of `source`, which the log calls `what`, alone.
    pub(super) fn search_bytes<R: io::Read>(
        &mut self,
        what: &str,
        source: Source<R>,
    ) -> io::Result<()> {
        let Source { reader, end } = source;
        if self.file_test.is_some() {
            return self.search_if_met(reader);
        }
        let source = Source { reader: Metered::new(reader, self.counts.clone()), end };
        self.run(what, |searcher, finder, sink| searcher.search(finder, source, sink))
    }

    /// Searches what `reader` returns if all of it meets the condition.
    #[cold]
    fn search_if_met(&mut self, reader: impl io::Read) -> io::Result<()> {
        let Some(mut test) = self.file_test.take() else { return Ok(()) };
        let reader = Metered::new(reader, self.counts.clone());
        let searched = test.contents(reader, self.binary).and_then(|contents| {
            self.run("contents", |searcher, finder, sink| {
                searcher.search_slice(finder, contents, sink)
            })
        });
        self.file_test = Some(test);
        searched
    }

    /// Runs `search` on the current file, and notes whether it has a match.
    fn run<'s>(
        &'s mut self,
        what: &str,
        search: impl FnOnce(&mut Searcher, &mut Finder, &mut Observed<'s, 'a>) -> io::Result<()>,
    ) -> io::Result<()> {
        log::trace!("{}: searching the {what}", self.path.as_bstr());
        let finder = finder(&mut self.finder, self.matcher);
        self.searcher.set_binary(self.binary);
        self.searcher.set_path(&self.path);
        let mut sink = self.results.sink(&self.path, self.names.as_deref(), self.binary);
        let searched = search(&mut self.searcher, finder, &mut sink);
        let printed = sink.inner().sink();
        self.any_match |= printed.has_match();
        self.name_is_pending = printed.name_is_pending();
        if let Some(offset) = printed.nul_at() {
            explain_binary(&self.path, self.binary, offset);
        }
        if log::log_enabled!(log::Level::Debug)
            && let Some(journey) = self.searcher.take_journey()
        {
            explain_route(&self.path, &journey);
        }
        searched
    }
}

/// Reads a stream to its end.
struct StreamReader<S>(S);

impl<S: Stream> io::Read for StreamReader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Logs how a file was searched. Nearly all files are small, and searched in memory: these are
/// details.
#[cold]
fn explain_route(path: &[u8], journey: &Journey) {
    let level = if journey.is_slice() { log::Level::Trace } else { log::Level::Debug };
    log::log!(level, "{}: route {journey}", path.as_bstr());
}

/// Logs why a file with a NUL byte at `offset` was not searched to its end.
#[cold]
fn explain_binary(path: &[u8], policy: BinaryPolicy, offset: u64) {
    let effect = match policy {
        BinaryPolicy::Quit => "search stopped",
        BinaryPolicy::Convert | BinaryPolicy::Text => "treated as binary",
    };
    log::debug!("{}: NUL byte at offset {offset}: {effect}", path.as_bstr());
}
