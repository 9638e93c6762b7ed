//! The results of one file on their way to the printer.

use bstr::ByteSlice;
use heist_matcher::Finder;
use heist_printer::{Output, PrinterSink};
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink};

/// Prints the results of one file. With `explains`, logs why the file is not searched to its end if
/// it is binary.
pub(crate) struct FileSink<'p, O> {
    pub(crate) sink: PrinterSink<'p, O>,
    pub(crate) path: &'p [u8],
    pub(crate) binary: BinaryPolicy,
    pub(crate) explains: bool,
}

impl<O: Output> Sink for FileSink<'_, O> {
    /// A binary file without a match is to be logged, too.
    fn wants_unmatched(&self) -> bool {
        self.explains || self.sink.wants_unmatched()
    }

    fn wants_lines(&self) -> bool {
        self.sink.wants_lines()
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.sink.counted(lines)
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.sink.matched_with(finder, line)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.sink.context_with(finder, line)
    }

    fn gap(&mut self) -> Flow {
        self.sink.gap()
    }

    fn binary(&mut self, offset: u64) -> Flow {
        if self.explains {
            let effect = match self.binary {
                BinaryPolicy::Quit => "search stopped",
                BinaryPolicy::Convert | BinaryPolicy::Text => "treated as binary",
            };
            // The first character is probably an ASCII one.
            let hint = match offset {
                0 => "; looks like UTF-16, try -E utf-16be",
                1 => "; looks like UTF-16, try -E utf-16le",
                _ => "",
            };
            log::debug!("{}: NUL byte at offset {offset}: {effect}{hint}", self.path.as_bstr());
        }
        self.sink.binary(offset)
    }

    fn finish(&mut self, finish: &Finish) {
        self.sink.finish(finish);
    }

    fn abandon(&mut self) {
        self.sink.abandon();
    }
}
