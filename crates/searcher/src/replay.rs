//! Searches a haystack again from its start, without emitting again what has been emitted.

use heist_matcher::Finder;

use crate::{Finish, Flow, Line, Sink, UnreadLine, Wants};

/// A sink that counts all events and passes on all but the first ones, which an earlier search of
/// the haystack has emitted.
pub(crate) struct Replay<'s, S> {
    sink: &'s mut S,
    /// The number of events that earlier searches have emitted.
    emitted: u64,
    /// The number of events of this search.
    events: u64,
    has_ended: bool,
    /// An error cuts the haystack off.
    is_cut_off: bool,
    /// See [`Finish::encoding`].
    encoding: Option<&'static str>,
}

impl<'s, S: Sink> Replay<'s, S> {
    pub(crate) fn new(sink: &'s mut S, encoding: Option<&'static str>) -> Replay<'s, S> {
        Replay { sink, emitted: 0, events: 0, has_ended: false, is_cut_off: false, encoding }
    }

    /// Begins to search the haystack again. The events that have been emitted are skipped.
    pub(crate) fn restart(&mut self) {
        self.emitted = self.emitted.max(self.events);
        self.events = 0;
    }

    /// Whether any search has emitted an event.
    pub(crate) fn has_emitted(&self) -> bool {
        self.emitted.max(self.events) > 0
    }

    /// States that only the beginning of the haystack could be read: the search of it is abandoned
    /// at its end.
    pub(crate) fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    /// Ends the search with an error that came before any event of it, if others were emitted
    /// before.
    pub(crate) fn fail(&mut self) {
        if self.emitted > 0 && !self.has_ended {
            let encoding = self.encoding;
            self.sink.finish(&Finish { is_abandoned: true, encoding, ..Finish::default() });
        }
    }

    fn emit(&mut self, event: impl FnOnce(&mut S) -> Flow) -> Flow {
        self.events += 1;
        if self.events > self.emitted { event(self.sink) } else { Flow::Continue(()) }
    }
}

impl<S: Sink> Sink for Replay<'_, S> {
    fn wants(&self) -> Wants {
        self.sink.wants()
    }

    fn begin(&mut self) -> Flow {
        self.emit(Sink::begin)
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.emit(|sink| sink.matched_with(finder, line))
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        let is_new = self.events >= self.emitted;
        let flow = if is_new { self.sink.matched_unread(line)? } else { Flow::Continue(()) };
        self.events += 1;
        Some(flow)
    }

    /// Each line is an event, because the calls may group lines differently.
    fn counted(&mut self, lines: u64) -> Flow {
        let emitted = self.emitted.saturating_sub(self.events).min(lines);
        self.events += lines;
        if emitted < lines { self.sink.counted(lines - emitted) } else { Flow::Continue(()) }
    }

    fn context_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        self.emit(|sink| sink.context_with(finder, line))
    }

    fn gap(&mut self) -> Flow {
        self.emit(Sink::gap)
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.emit(|sink| sink.binary(offset))
    }

    fn finish(&mut self, finish: &Finish) {
        self.has_ended = true;
        let is_abandoned = finish.is_abandoned || self.is_cut_off;
        self.sink.finish(&Finish { is_abandoned, encoding: self.encoding, ..*finish });
    }
}
