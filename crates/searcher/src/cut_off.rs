//! Haystacks that an error cuts off.

use std::io;

use heist_matcher::Finder;

use crate::{Finish, Flow, Line, Sink, UnreadLine, Wants};

/// Whether `error` comes from what makes a haystack's bytes, such as the decoder of a damaged file:
/// then no more bytes can be made, and the last line is searched even if it has no terminator.
/// After an error from the system, the rest of that line may still exist.
pub(crate) fn is_cut_off(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
}

/// Passes on the events of a haystack if only its beginning could be read. That is rare, and so the
/// search within is compiled once, not for each type of sink.
pub(crate) struct CutOff<'a> {
    pub(crate) sink: &'a mut dyn Sink,
}

impl Sink for CutOff<'_> {
    fn wants(&self) -> Wants {
        self.sink.wants()
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.sink.matched_with(finder, line)
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        self.sink.matched_unread(line)
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.sink.counted(lines)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.sink.context_with(finder, line)
    }

    fn gap(&mut self) -> Flow {
        self.sink.gap()
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.sink.binary(offset)
    }

    fn finish(&mut self, finish: &Finish) {
        self.sink.abandon(finish);
    }

    fn abandon(&mut self, finish: &Finish) {
        self.sink.abandon(finish);
    }
}
