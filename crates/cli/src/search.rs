//! Where the walking half meets the searching half: each worker searches the files it is shown, with a matcher cache,
//! read buffer and output buffer of its own.

use std::{io, ops::ControlFlow};

use heist_filter::{Filter, Problem};
use heist_matcher::{Finder, Matcher};
use heist_printer::{Mode as SummaryMode, Printer, Standard, Summary};
use heist_searcher::{End, Searcher, Source};
use heist_walk::{Error, File, OpenedFile, Visitor};

use crate::{
    messages::Messages,
    output::{Local, Shared},
    resolved::{BinaryRules, ResolvedArgs},
    run::{Found, Worker},
    typed::SearchMode,
};

/// How standard input is called in output and messages.
const STDIN_NAME: &[u8] = b"<stdin>";

/// Search everything that is wanted.
pub(crate) fn run(
    args: &ResolvedArgs,
    mode: SearchMode,
    filter: &Filter,
    matcher: &Matcher,
    stdout: &Shared,
    messages: &Messages,
) -> Found {
    crate::run::walk(args, filter, stdout, |output| Search {
        finder: None,
        matcher,
        searcher: Searcher::new(args.searcher.clone()),
        printer: printer(args, mode, output),
        binary: args.binary,
        quiet: args.quiet,
        path: Vec::new(),
        messages,
        found: Found::default(),
    })
}

fn printer<'a>(args: &ResolvedArgs, mode: SearchMode, output: Local<'a>) -> Printer<Local<'a>> {
    let mode = match mode {
        SearchMode::FilesWithoutMatch if args.quiet => SummaryMode::QuietWithoutMatch,
        _ if args.quiet => SummaryMode::Quiet,
        SearchMode::Standard => return Printer::Standard(Standard::new(&args.printer, output)),
        SearchMode::Count => SummaryMode::Count,
        SearchMode::CountMatches => SummaryMode::CountMatches,
        SearchMode::FilesWithMatches => SummaryMode::FilesWithMatches,
        SearchMode::FilesWithoutMatch => SummaryMode::FilesWithoutMatch,
    };
    Printer::Summary(Summary::new(mode, &args.printer, output))
}

/// One worker's search.
struct Search<'a> {
    matcher: &'a Matcher,
    /// Made for the first file: workers that never see one need no cache.
    finder: Option<Finder>,
    searcher: Searcher,
    printer: Printer<Local<'a>>,
    binary: BinaryRules,
    quiet: bool,
    path: Vec<u8>,
    messages: &'a Messages,
    found: Found,
}

impl Visitor for Search<'_> {
    fn file(&mut self, file: &File<'_>) -> ControlFlow<()> {
        self.found.any_file = true;
        self.path.clear();
        if file.is_stdin() {
            self.path.extend_from_slice(STDIN_NAME);
        } else {
            file.path_into(&mut self.path);
        }
        if let Err(error) = self.search(file) {
            self.messages.path_error(&self.path, &error);
        }
        if self.quiet && self.found.any_match {
            return ControlFlow::Break(());
        }
        self.printer.output().tick()
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn problem(&mut self, problem: Problem) {
        self.messages.ignore_problem(&problem);
    }

    fn before_park(&mut self) {
        // A failure shows when the next file is printed, and at the end.
        let _ = self.printer.output().flush();
    }
}

impl Search<'_> {
    fn search(&mut self, file: &File<'_>) -> io::Result<()> {
        let finder = self.finder.get_or_insert_with(|| self.matcher.finder());
        let binary = if file.is_explicit() { self.binary.explicit } else { self.binary.walked };
        let mut sink = self.printer.sink(Some(&self.path), binary);
        let searched = if file.is_stdin() {
            let source = Source { reader: io::stdin().lock(), binary, end: End::Stream };
            self.searcher.search(finder, source, &mut sink)
        } else {
            let OpenedFile { file: reader, short_read_is_end } = file.open()?;
            let end = match short_read_is_end {
                true => End::ShortRead,
                // What was named may be a pipe; what was found is a regular file.
                false if file.is_explicit() && !reader.metadata()?.is_file() => End::Stream,
                false => End::EmptyRead,
            };
            self.searcher.search(finder, Source { reader, binary, end }, &mut sink)
        };
        self.found.any_match |= sink.has_match();
        searched
    }
}

impl Worker for Search<'_> {
    fn found(&self) -> Found {
        self.found
    }
}
