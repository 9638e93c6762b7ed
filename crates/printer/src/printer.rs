//! A printer whose kind is chosen at run time.

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{Json, JsonSink, Output, Standard, StandardSink, Stats, Summary, SummarySink};

/// A worker's printer of any kind.
#[derive(Debug)]
pub enum Printer<O> {
    /// Prints lines.
    Standard(Standard<O>),
    /// Prints one line per haystack.
    Summary(Summary<O>),
    /// Prints JSON messages.
    Json(Json<O>),
}

/// Calls the same method on the printer or sink within.
macro_rules! delegate {
    ($kind:ident, $value:expr, $inner:ident => $body:expr) => {
        match $value {
            $kind::Standard($inner) => $body,
            $kind::Summary($inner) => $body,
            $kind::Json($inner) => $body,
        }
    };
}

impl<O: Output> Printer<O> {
    /// Returns a sink for the haystack at `path`, searched with the policy `binary`.
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> PrinterSink<'p, O> {
        match self {
            Printer::Standard(printer) => PrinterSink::Standard(printer.sink(path, binary)),
            Printer::Summary(printer) => PrinterSink::Summary(printer.sink(path, binary)),
            Printer::Json(printer) => PrinterSink::Json(printer.sink(path, binary)),
        }
    }

    /// The statistics so far. `None` unless [`PrinterConfig::stats`](crate::PrinterConfig::stats)
    /// is set; [`Json`] always has them.
    pub fn stats(&self) -> Option<&Stats> {
        match self {
            Printer::Standard(printer) => printer.stats(),
            Printer::Summary(printer) => printer.stats(),
            Printer::Json(printer) => Some(printer.stats()),
        }
    }

    /// Restores the statistics from before a haystack, because its results have been dropped.
    pub fn set_stats(&mut self, stats: Stats) {
        match self {
            Printer::Standard(printer) => printer.set_stats(stats),
            Printer::Summary(printer) => printer.set_stats(stats),
            Printer::Json(printer) => printer.set_stats(stats),
        }
    }

    /// The output that this printer appends to.
    pub fn output(&mut self) -> &mut O {
        delegate!(Printer, self, printer => printer.output())
    }

    /// Returns the output.
    pub fn into_output(self) -> O {
        delegate!(Printer, self, printer => printer.into_output())
    }
}

/// The sink of a [`Printer`] for one haystack.
#[derive(Debug)]
pub enum PrinterSink<'p, O> {
    /// Prints lines.
    Standard(StandardSink<'p, O>),
    /// Prints one line.
    Summary(SummarySink<'p, O>),
    /// Prints JSON messages.
    Json(JsonSink<'p, O>),
}

impl<O: Output> PrinterSink<'_, O> {
    /// Whether the haystack satisfies the search: it has a match or, in the modes without match,
    /// none.
    #[must_use]
    pub fn has_match(&self) -> bool {
        delegate!(PrinterSink, self, sink => sink.has_match())
    }
}

impl<O: Output> Sink for PrinterSink<'_, O> {
    fn wants_unmatched(&self) -> bool {
        delegate!(PrinterSink, self, sink => sink.wants_unmatched())
    }

    fn wants_lines(&self) -> bool {
        delegate!(PrinterSink, self, sink => sink.wants_lines())
    }

    fn counted(&mut self, lines: u64) -> Flow {
        delegate!(PrinterSink, self, sink => sink.counted(lines))
    }

    fn begin(&mut self) -> Flow {
        delegate!(PrinterSink, self, sink => sink.begin())
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        delegate!(PrinterSink, self, sink => sink.matched_with(finder, line))
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        delegate!(PrinterSink, self, sink => sink.context_with(finder, line))
    }

    fn gap(&mut self) -> Flow {
        delegate!(PrinterSink, self, sink => sink.gap())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        delegate!(PrinterSink, self, sink => sink.binary(offset))
    }

    fn finish(&mut self, finish: &Finish) {
        delegate!(PrinterSink, self, sink => sink.finish(finish));
    }

    fn abandon(&mut self) {
        delegate!(PrinterSink, self, sink => sink.abandon());
    }
}
