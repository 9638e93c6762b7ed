//! Results as `hs` prints them, written to any writer.

use std::{io::Write, time::Instant};

use heist_matcher::Finder;
use heist_printer::{Mode, Output, Printer, PrinterConfig, PrinterSink, Stats};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink, Wants};
use heist_walk::Entry;

use crate::{
    Error, Summary,
    delivery::{Delivery, Hold, MAX_BUFFERED},
    engine::{self, Lane, SearchOptions},
};

/// How [`Search::print`](crate::Search::print) writes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `path:line number:line`, as `hs -n`.
    Lines,
    /// One JSON object per line, as `hs --json`.
    Json,
    /// `path:number of matching lines`, as `hs -c`.
    Counts,
    /// The paths of files with a match, as `hs -l`.
    Paths,
}

/// The writer that lanes share.
struct Writer<W> {
    out: W,
    error: Option<std::io::Error>,
    has_written: bool,
    /// Matching lines that may still be printed.
    remaining: Option<u64>,
}

/// Runs the search with these `options` and prints what it finds.
pub(crate) fn run(
    options: &SearchOptions,
    format: Format,
    out: impl Write + Send,
) -> Result<Summary, Error> {
    let started = Instant::now();
    let writer = Writer { out, error: None, has_written: false, remaining: options.limit };
    let delivery = Delivery::new(writer, options.walk.cancel.clone());
    let config = PrinterConfig {
        with_path: true,
        line_numbers: true,
        invert: options.config.invert,
        context: options.config.before_context + options.config.after_context > 0,
        replacement: options.replacement.clone(),
        stats: true,
        ..PrinterConfig::default()
    };
    let lane = || {
        let output = FileOutput {
            delivery: &delivery,
            is_limited: options.limit.is_some(),
            turn: None,
            separator: Vec::new(),
            buffer: Vec::new(),
            held: None,
        };
        let printer = printer(format, &config, output);
        PrintLane { printer, path: Vec::new(), binary: options.config.binary }
    };
    let (outcome, lanes) = engine::run(options, &delivery, lane)?;
    let mut stats = Stats::default();
    lanes.iter().filter_map(|lane| lane.printer.stats()).for_each(|lane| stats.add(lane));
    drop(lanes);
    let mut writer = delivery.into_receiver();
    if format == Format::Json {
        let mut message = Vec::new();
        stats.append_json_summary(&mut message, started.elapsed());
        let _ = writer.write(b"", &message);
    }
    writer.error = writer.error.or_else(|| writer.out.flush().err());
    if let Some(error) = writer.error {
        return Err(Error::Write(error));
    }
    Ok(Summary {
        files_searched: outcome.files_searched,
        files_with_matches: stats.searches_with_match,
        matched_lines: stats.matched_lines,
        matches: stats.matches,
        errors: outcome.errors,
        is_complete: outcome.is_complete,
    })
}

fn printer<O: Output>(format: Format, config: &PrinterConfig, output: O) -> Printer<O> {
    match format {
        Format::Lines => Printer::lines(config, output),
        Format::Json => Printer::json(config, output),
        Format::Counts => Printer::summary(Mode::Count, config, output),
        Format::Paths => Printer::summary(Mode::FilesWithMatches, config, output),
    }
}

impl<W: Write> Writer<W> {
    /// Writes `bytes`, behind `separator` unless they are the first. `Break` if the writer fails.
    fn write(&mut self, separator: &[u8], bytes: &[u8]) -> Flow {
        let separator = if self.has_written { separator } else { b"" };
        self.has_written = true;
        let written = self.out.write_all(separator).and_then(|()| self.out.write_all(bytes));
        match written {
            Ok(()) => Flow::Continue(()),
            Err(error) => {
                self.error.get_or_insert(error);
                Flow::Break(())
            }
        }
    }
}

/// Collects the output of one file and writes it in one piece.
struct FileOutput<'a, W> {
    delivery: &'a Delivery<Writer<W>>,
    /// The search has a limit: the [`PrintSink`] holds the writer before there is any output.
    is_limited: bool,
    turn: Option<usize>,
    separator: Vec<u8>,
    buffer: Vec<u8>,
    /// The writer, from the first bytes of a file on.
    held: Option<Hold<'a, Writer<W>>>,
}

impl<W: Write> FileOutput<'_, W> {
    /// Writes what is kept, and holds the writer until the file ends.
    fn write(&mut self) -> Flow {
        if !self.is_limited && self.held.is_none() {
            self.held = self.delivery.hold(self.turn);
        }
        if !self.is_limited && self.held.is_none() || self.delivery.is_cancelled() {
            return Flow::Break(());
        }
        let (separator, buffer) = (&self.separator, &self.buffer);
        let flow = self.delivery.with_held(|writer| writer.write(separator, buffer));
        if flow.is_break() {
            self.delivery.end();
        }
        self.separator.clear();
        self.buffer.clear();
        flow
    }
}

impl<W: Write> Output for FileOutput<'_, W> {
    fn begin_file(&mut self, separator: &[u8]) {
        self.separator.clear();
        self.separator.extend_from_slice(separator);
        self.buffer.clear();
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn commit(&mut self) -> Flow {
        if self.delivery.is_cancelled() {
            return Flow::Break(());
        }
        if self.buffer.len() < MAX_BUFFERED { Flow::Continue(()) } else { self.write() }
    }

    fn end_file(&mut self) -> Flow {
        let flow = if self.buffer.is_empty() { Flow::Continue(()) } else { self.write() };
        self.held = None;
        flow
    }
}

/// One worker's printer.
struct PrintLane<'a, W: Write> {
    printer: Printer<FileOutput<'a, W>>,
    /// The path of the current file.
    path: Vec<u8>,
    binary: BinaryPolicy,
}

impl<'a, W: Write + Send> Lane for PrintLane<'a, W> {
    fn sink<'s>(&'s mut self, entry: &'s Entry<'_>, turn: Option<usize>) -> impl Sink + 's {
        entry.path_into(&mut self.path);
        let output = self.printer.output();
        output.turn = turn;
        let (delivery, is_limited) = (output.delivery, output.is_limited);
        let sink = self.printer.sink(Some(&self.path), self.binary);
        PrintSink { sink, delivery, turn, is_limited, held: None, is_last: false }
    }
}

/// Prints the lines of one file, as many as the limit leaves.
struct PrintSink<'s, 'a, W: Write> {
    sink: PrinterSink<'s, FileOutput<'a, W>>,
    delivery: &'a Delivery<Writer<W>>,
    turn: Option<usize>,
    is_limited: bool,
    /// The writer, from the first result on, if there is a limit: lines are counted in the order
    /// in which they are written.
    held: Option<Hold<'a, Writer<W>>>,
    /// Whether the limit is reached.
    is_last: bool,
}

impl<W: Write> PrintSink<'_, '_, W> {
    /// Whether the next line, a match or context before one, may be printed. If there is a limit,
    /// the writer is held from then on: a result begins with its context, which must be neither
    /// printed between the lines of another file nor without its match.
    fn may_print(&mut self) -> bool {
        if !self.is_limited || self.held.is_some() {
            return true;
        }
        self.held = self.delivery.hold(self.turn);
        let Some(held) = &mut self.held else { return false };
        // Another file may have taken the last line while this one waited.
        self.is_last = held.with(|writer| writer.remaining == Some(0));
        !self.is_last
    }

    /// Takes one of the lines that are left, if there is a limit.
    fn take_line(&mut self) {
        let Some(held) = &mut self.held else { return };
        self.is_last = held.with(|writer| {
            writer.remaining = writer.remaining.map(|remaining| remaining.saturating_sub(1));
            writer.remaining == Some(0)
        });
    }

    /// Ends the file, and the run if the limit is reached.
    fn release(&mut self) {
        self.held = None;
        if self.is_last {
            self.delivery.end();
        }
    }
}

impl<W: Write> Sink for PrintSink<'_, '_, W> {
    fn wants(&self) -> Wants {
        let Wants { unmatched, lines, matches, .. } = self.sink.wants();
        Wants { unmatched, lines: self.is_limited || lines, matches, ..Wants::default() }
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if !self.may_print() {
            return Flow::Break(());
        }
        self.take_line();
        self.sink.matched_with(finder, line)?;
        if self.is_last { Flow::Break(()) } else { Flow::Continue(()) }
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.sink.counted(lines)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        if !self.may_print() {
            return Flow::Break(());
        }
        self.sink.context_with(finder, line)
    }

    fn gap(&mut self) -> Flow {
        self.sink.gap()
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.sink.binary(offset)
    }

    fn finish(&mut self, finish: &Finish) {
        self.sink.finish(finish);
        self.release();
    }

    fn abandon(&mut self, finish: &Finish) {
        self.sink.abandon(finish);
        self.release();
    }
}
