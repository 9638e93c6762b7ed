//! Results as `hs` prints them, written to any writer.

use std::{io::Write, time::Instant};

use heist_printer::{
    Admission, Admits, Limit, Limited, Mode, Output, Printer, PrinterConfig, Stats,
};
use heist_searcher::{BinaryPolicy, Flow};
use heist_walk::Entry;

use crate::{
    Error, Summary,
    delivery::{Delivery, Hold, MAX_BUFFERED},
    engine::{self, FileSink, Lane, SearchOptions},
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
            turn: None,
            separator: Vec::new(),
            buffer: Vec::new(),
            held: None,
        };
        let printer = printer(format, &config, output);
        let admits = if options.limit.is_some() { Admits::Lines } else { Admits::All };
        PrintLane { printer, path: Vec::new(), binary: options.config.binary, admits }
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
        skipped: outcome.skipped,
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
    /// Takes one of the lines that are left.
    fn take_line(&mut self) -> Admission {
        match &mut self.remaining {
            None => Admission::Print,
            Some(0) => Admission::Stop,
            Some(remaining) => {
                *remaining -= 1;
                if *remaining == 0 { Admission::PrintLast } else { Admission::Print }
            }
        }
    }

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
    turn: Option<usize>,
    separator: Vec<u8>,
    buffer: Vec<u8>,
    /// The writer, from the first bytes of a file on, or from its first result if there is a limit.
    held: Option<Hold<'a, Writer<W>>>,
}

impl<W: Write> FileOutput<'_, W> {
    /// Writes what is kept, and holds the writer until the file ends.
    fn write(&mut self) -> Flow {
        if self.held.is_none() {
            self.held = self.delivery.hold(self.turn);
        }
        let Some(held) = self.held.as_mut().filter(|_| !self.delivery.is_cancelled()) else {
            return Flow::Break(());
        };
        let (separator, buffer) = (&self.separator, &self.buffer);
        let flow = held.with(|writer| writer.write(separator, buffer));
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
        let held = self.held.take();
        if held.is_some_and(|mut held| held.with(|writer| writer.remaining == Some(0))) {
            self.delivery.end();
        }
        flow
    }
}

impl<W: Write> Limit for FileOutput<'_, W> {
    /// Takes one of the lines that are left, and holds the writer from then on: lines are counted
    /// in the order in which they are written, and a result begins with its context, which must be
    /// neither printed between the lines of another file nor without its match.
    fn admit(&mut self) -> Admission {
        if self.held.is_none() {
            self.held = self.delivery.hold(self.turn);
        }
        let Some(held) = &mut self.held else { return Admission::Stop };
        let admission = held.with(Writer::take_line);
        if admission == Admission::Stop {
            // Another file has taken the last line while this one waited.
            self.held = None;
            self.delivery.end();
        }
        admission
    }
}

/// One worker's printer.
struct PrintLane<'a, W: Write> {
    printer: Printer<FileOutput<'a, W>>,
    /// The path of the current file.
    path: Vec<u8>,
    binary: BinaryPolicy,
    /// Whether the search has a limit.
    admits: Admits,
}

impl<W: Write + Send> Lane for PrintLane<'_, W> {
    fn sink<'s>(&'s mut self, entry: &'s Entry<'_>, turn: Option<usize>) -> impl FileSink + 's {
        entry.path_into(&mut self.path);
        self.printer.output().turn = turn;
        Limited::new(self.printer.sink(Some(&self.path), self.binary), self.admits)
    }
}

impl<O: Limit> FileSink for Limited<'_, O> {
    fn nul_at(&self) -> Option<u64> {
        self.sink().nul_at()
    }
}
