//! A sink that learns whether a binary file was given up, beside the sink of its lines.

use std::io;

use heist_matcher::Finder;
use heist_searcher::{BinaryPolicy, Finish, Flow, Line, Sink, UnreadLine, Wants};

/// Passes every event on to `sink`.
pub(crate) struct BinaryWatch<S> {
    pub(crate) sink: S,
    pub(crate) policy: BinaryPolicy,
    /// Whether it matters that a file without a match was given up.
    pub(crate) is_of_use: bool,
    /// The position of the first NUL byte, if the rest of the file was left unread because of it.
    pub(crate) given_up_at: Option<u64>,
}

impl<S: Sink> Sink for BinaryWatch<S> {
    fn wants(&self) -> Wants {
        let wants = self.sink.wants();
        Wants { unmatched: wants.unmatched || self.is_of_use, ..wants }
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
        self.given_up_at = finish.binary_offset.filter(|_| finish.is_given_up(self.policy));
        self.sink.finish(finish);
    }

    fn abandon(&mut self, finish: &Finish) {
        self.sink.abandon(finish);
    }

    fn take_error(&mut self) -> Option<io::Error> {
        self.sink.take_error()
    }
}
