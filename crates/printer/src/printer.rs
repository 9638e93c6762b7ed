//! Either printer behind one type, for callers that choose at run time.

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

use crate::{Output, Standard, StandardSink, Summary, SummarySink};

/// One worker's printer, of whatever kind.
#[derive(Debug)]
pub enum Printer<O> {
    /// Prints lines.
    Standard(Standard<O>),
    /// Prints one answer per haystack.
    Summary(Summary<O>),
}

impl<O: Output> Printer<O> {
    /// A sink for the haystack at `path`; `binary` is what the searcher was told about it.
    pub fn sink<'p>(
        &'p mut self,
        path: Option<&'p [u8]>,
        binary: BinaryPolicy,
    ) -> PrinterSink<'p, O> {
        match self {
            Printer::Standard(printer) => PrinterSink::Standard(printer.sink(path, binary)),
            Printer::Summary(printer) => PrinterSink::Summary(printer.sink(path, binary)),
        }
    }

    /// Where this printer prints.
    pub fn output(&mut self) -> &mut O {
        match self {
            Printer::Standard(printer) => printer.output(),
            Printer::Summary(printer) => printer.output(),
        }
    }

    /// Give back where this printer printed.
    pub fn into_output(self) -> O {
        match self {
            Printer::Standard(printer) => printer.into_output(),
            Printer::Summary(printer) => printer.into_output(),
        }
    }
}

/// The sink of a [`Printer`] for one haystack.
#[derive(Debug)]
pub enum PrinterSink<'p, O> {
    /// Prints lines.
    Standard(StandardSink<'p, O>),
    /// Prints one answer.
    Summary(SummarySink<'p, O>),
}

/// Do the same to the sink within.
macro_rules! delegate {
    ($self:ident, $sink:ident => $body:expr) => {
        match $self {
            PrinterSink::Standard($sink) => $body,
            PrinterSink::Summary($sink) => $body,
        }
    };
}

impl<O: Output> PrinterSink<'_, O> {
    /// Whether the haystack has what was asked for: a match, or for the modes without match none.
    #[must_use]
    pub fn has_match(&self) -> bool {
        delegate!(self, sink => sink.has_match())
    }
}

impl<O: Output> Sink for PrinterSink<'_, O> {
    fn wants_unmatched(&self) -> bool {
        delegate!(self, sink => sink.wants_unmatched())
    }

    fn begin(&mut self) -> Flow {
        delegate!(self, sink => sink.begin())
    }

    fn matched(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        delegate!(self, sink => sink.matched(finder, line))
    }

    fn context(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        delegate!(self, sink => sink.context(finder, line))
    }

    fn gap(&mut self) -> Flow {
        delegate!(self, sink => sink.gap())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        delegate!(self, sink => sink.binary(offset))
    }

    fn finish(&mut self, finish: &Finish) {
        delegate!(self, sink => sink.finish(finish));
    }
}
