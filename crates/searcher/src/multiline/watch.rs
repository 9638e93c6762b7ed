//! Looks for NUL bytes in emitted lines, where matches span lines.

use heist_matcher::Finder;
use memchr::memchr;

use crate::{BinaryPolicy, Finish, Flow, Line, Sink, UnreadMatches, Wants};

/// A sink that checks every line for a NUL byte until one is found, and passes all events on.
pub(crate) struct NulWatch<'a, S> {
    sink: &'a mut S,
    binary: BinaryPolicy,
    nul: Option<u64>,
    /// A gap before the next line, which has not been passed on yet.
    is_gap_held: bool,
}

impl<'a, S: Sink> NulWatch<'a, S> {
    pub(crate) fn new(sink: &'a mut S, binary: BinaryPolicy) -> NulWatch<'a, S> {
        NulWatch { sink, binary, nul: None, is_gap_held: false }
    }

    fn look_at(&mut self, line: &Line<'_>) -> Flow {
        if self.binary == BinaryPolicy::Text || self.nul.is_some() {
            return Flow::Continue(());
        }
        let Some(i) = memchr(0, line.bytes) else {
            return Flow::Continue(());
        };
        let flow = Sink::binary(self, line.offset + i as u64);
        if self.binary == BinaryPolicy::Quit { Flow::Break(()) } else { flow }
    }

    fn emit_gap(&mut self) -> Flow {
        if std::mem::take(&mut self.is_gap_held) { self.sink.gap() } else { Flow::Continue(()) }
    }
}

impl<S: Sink> Sink for NulWatch<'_, S> {
    /// NUL bytes are looked for in lines, and so in all of them.
    fn wants(&self) -> Wants {
        Wants { lines: true, unread: UnreadMatches::Never, ..self.sink.wants() }
    }

    fn begin(&mut self) -> Flow {
        self.sink.begin()
    }

    /// As in ripgrep, a gap is emitted before context with a NUL byte, but not before such a match.
    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.look_at(line)?;
        self.emit_gap()?;
        self.sink.matched_with(finder, line)
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.emit_gap()?;
        self.look_at(line)?;
        self.sink.context_with(finder, line)
    }

    fn gap(&mut self) -> Flow {
        self.is_gap_held = true;
        Flow::Continue(())
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.nul = Some(offset);
        self.sink.binary(offset)
    }

    /// The search has passed over NUL bytes.
    fn finish(&mut self, finish: &Finish) {
        let bytes_searched = finish.bytes_searched.min(self.nul.unwrap_or(u64::MAX));
        self.sink.finish(&Finish { bytes_searched, binary_offset: self.nul, ..*finish });
    }
}
