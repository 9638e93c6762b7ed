//! One worker's end of output with limited results.

use std::{io::Write, ops::ControlFlow};

use heist_printer::{Admission, Admits, Limit, Output};
use heist_searcher::Flow;

use super::{
    budget::{Budget, Claims},
    local::LocalOutput,
    shared::SendFile,
    shown::Totals,
    sorted::Repeat,
};

/// One worker's output. Every result is claimed from the budget.
pub(crate) struct LimitedOutput<'a, W: Write> {
    inner: LocalOutput<'a, W>,
    budget: &'a Budget,
    /// What is claimed for the current file.
    claims: Claims,
    /// What is claimed for earlier files and still in the buffer.
    unwritten: Totals,
    /// Up to which length of the buffer bytes are claimed.
    claimed: usize,
    /// How long the separator is in the bytes that are not claimed.
    separator_len: usize,
    /// Whether context before a match is being printed, which is claimed with the match.
    holds: bool,
    /// Whether the last admitted result is withdrawn if it does not fit.
    is_new: bool,
    withdrawn: bool,
}

impl<'a, W: SendFile> LimitedOutput<'a, W> {
    pub(super) fn new(inner: LocalOutput<'a, W>, budget: &'a Budget) -> LimitedOutput<'a, W> {
        let claims = Claims::default();
        LimitedOutput {
            inner,
            budget,
            claims,
            unwritten: Totals::default(),
            claimed: 0,
            separator_len: 0,
            holds: false,
            is_new: false,
            withdrawn: false,
        }
    }

    /// Begins a haystack. Returns what is decided about: each result, unless no further one will be
    /// printed and results need only be counted.
    pub(crate) fn begin_haystack(&mut self) -> Admits {
        self.unwritten = self.take_unwritten();
        self.claims = Claims::default();
        (self.holds, self.is_new, self.withdrawn) = (false, false, false);
        if self.budget.only_counts(self.claims) { Admits::None } else { Admits::Results }
    }

    /// See [`LocalOutput::set_searches_stream`].
    pub(super) fn set_searches_stream(&mut self, is_stream: bool) {
        self.inner.set_searches_stream(is_stream);
    }

    /// How many results the current file has, if they are counted in advance.
    pub(super) fn surveyed(&self) -> u64 {
        if self.budget.surveys() { self.claims.found } else { 0 }
    }

    /// Begins a file. `Break` if it can be read only once, and its results would be counted in
    /// advance.
    pub(super) fn enter(&mut self, repeat: impl FnOnce() -> Repeat) -> Flow {
        let surveys = self.budget.surveys();
        if surveys {
            // A file that cannot be opened begins no haystack.
            self.claims = Claims::default();
        }
        match surveys && repeat() == Repeat::Impossible {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    pub(super) fn try_flush(&mut self) -> Flow {
        let flow = self.inner.try_flush();
        self.note_buffer();
        flow
    }

    /// `Break` also if the budget ends the run.
    pub(super) fn tick(&mut self) -> Flow {
        let flow = self.inner.tick();
        self.note_buffer();
        flow?;
        self.budget.flow()
    }

    /// Appends a record that is a result, if it is admitted.
    pub(crate) fn record(&mut self, append: impl FnOnce(&mut Vec<u8>)) -> Flow {
        self.begin_haystack();
        match self.admit() {
            Admission::Print | Admission::PrintLast => {}
            Admission::Omit => return ControlFlow::Continue(()),
            Admission::Stop => return ControlFlow::Break(()),
        }
        append(self.inner.unordered());
        self.fit();
        let flow = self.inner.record();
        self.note_buffer();
        flow?;
        self.budget.flow()
    }

    /// Notes what is in the buffer after it may have been written.
    fn note_buffer(&mut self) {
        self.claimed = self.inner.len();
        if self.claimed > 0 {
            return;
        }
        let written = self.take_unwritten();
        if written.results > 0 {
            self.budget.note_written(written);
        }
    }

    /// What is claimed and was not written so far.
    fn take_unwritten(&mut self) -> Totals {
        let mut unwritten = std::mem::take(&mut self.unwritten);
        unwritten.results += self.claims.shown - self.claims.written;
        unwritten.files += u64::from(self.claims.written == 0 && self.claims.shown > 0);
        self.claims.written = self.claims.shown;
        unwritten
    }

    /// Claims the bytes that were appended, or removes them. Returns whether there was room.
    fn fit(&mut self) -> bool {
        let bytes = (self.inner.len() - self.claimed) as u64;
        let separator = std::mem::take(&mut self.separator_len) as u64;
        let fits = self.budget.claim_bytes(bytes, separator, &mut self.claims, self.is_new);
        if !fits {
            self.inner.truncate(self.claimed);
            self.withdrawn = self.is_new;
        }
        self.claimed = self.inner.len();
        self.is_new = false;
        fits
    }
}

impl<W: SendFile> Output for LimitedOutput<'_, W> {
    fn begin_file(&mut self, separator: &[u8]) {
        self.separator_len = separator.len();
        self.inner.begin_file(separator);
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        self.inner.buffer()
    }

    fn commit(&mut self) -> Flow {
        if self.holds {
            return ControlFlow::Continue(());
        }
        if !self.fit() {
            return self.budget.flow();
        }
        let flow = self.inner.commit();
        self.note_buffer();
        flow
    }

    /// What is left in the buffer is the line about a file, which is a result, or what ends a file
    /// and has to follow its results.
    fn end_file(&mut self) -> Flow {
        self.holds = false;
        if self.is_new {
            self.fit();
        }
        let flow = self.inner.end_file();
        self.note_buffer();
        flow
    }
}

impl<W: SendFile> Limit for LimitedOutput<'_, W> {
    fn admit(&mut self) -> Admission {
        let admission = self.budget.claim(&mut self.claims);
        (self.holds, self.is_new) = match admission {
            Admission::Print | Admission::PrintLast => (true, true),
            Admission::Omit | Admission::Stop => (false, false),
        };
        admission
    }

    fn begin_match(&mut self) {
        self.holds = false;
    }

    fn settle(&mut self) -> bool {
        self.holds = false;
        if self.is_new {
            self.fit();
        }
        !std::mem::take(&mut self.withdrawn)
    }

    fn count(&mut self, results: u64) {
        self.budget.count(results, &mut self.claims);
    }
}
