//! Standard output, sorted or not, and one worker's end of it.

use std::{
    io,
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

use heist_printer::{Admission, Admits, Limit, LongText, Output};
use heist_searcher::Flow;
use heist_walk::Entry;

use super::{
    budget::Budget,
    destination::Destination,
    ledger::Ledger,
    limited::LimitedOutput,
    local::LocalOutput,
    shared::{FlushMode, SharedOutput},
    sorted::{Repeat, SortedOutput},
};

/// Standard output, shared by all workers.
pub(crate) struct Stdout {
    shared: SharedOutput<Destination>,
    /// In which order results come, where several workers share a sorted run.
    ledger: Option<Ledger>,
    /// What limits results, if anything does.
    budget: Option<Arc<Budget>>,
}

impl Stdout {
    /// Returns standard output, written by one worker if `alone`, in the order that `ledger` keeps.
    pub(crate) fn new(flush_mode: FlushMode, alone: bool, ledger: Option<Ledger>) -> Stdout {
        Stdout {
            shared: SharedOutput::new(Destination::new(), flush_mode, alone),
            ledger,
            budget: None,
        }
    }

    /// Limits results by `budget`. There must be no ledger.
    pub(crate) fn limited_by(self, budget: Option<Arc<Budget>>) -> Stdout {
        debug_assert!(budget.is_none() || self.ledger.is_none(), "results are claimed in order");
        Stdout { budget, ..self }
    }

    /// What limits results, if anything does.
    pub(crate) fn budget(&self) -> Option<&Arc<Budget>> {
        self.budget.as_ref()
    }

    /// Makes results wait for the writer rather than for more input, if `prompt`.
    pub(crate) fn set_prompt(&mut self, prompt: bool) {
        self.shared.prompt = prompt;
    }

    /// Returns one worker's end.
    pub(crate) fn worker(&self) -> StdoutWorker<'_> {
        match (&self.ledger, &self.budget) {
            (None, None) => StdoutWorker::AsFound(LocalOutput::new(&self.shared)),
            (None, Some(budget)) => {
                let local = LocalOutput::new(&self.shared);
                StdoutWorker::Limited(Box::new(LimitedOutput::new(local, budget)))
            }
            (Some(ledger), _) => {
                StdoutWorker::Sorted(Box::new(SortedOutput::new(&self.shared, ledger)))
            }
        }
    }

    /// The order of results, if several workers have to keep one.
    pub(crate) fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Writes the output that `ledger` still holds.
    pub(crate) fn finish(&self, ledger: &Ledger) {
        ledger.finish(&self.shared);
    }

    /// Ends the run when it is set, as a failed write does.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.failed)
    }

    /// `Break` once writing has failed.
    pub(crate) fn flow(&self) -> Flow {
        self.shared.flow()
    }

    /// Returns the error that ended writing, if any; a closed pipe included.
    pub(crate) fn into_failure(self) -> Option<io::Error> {
        self.shared.into_failure()
    }
}

/// One worker's end of standard output.
pub(crate) enum StdoutWorker<'a> {
    /// Results are printed as they are found, possibly in order by one worker.
    AsFound(LocalOutput<'a, Destination>),
    /// Several workers' results are printed in order.
    Sorted(Box<SortedOutput<'a, Destination>>),
    /// Results are printed as they are found, as many as are admitted.
    Limited(Box<LimitedOutput<'a, Destination>>),
}

/// Evaluates `$call` on the output of either variant.
macro_rules! either {
    ($worker:expr, $output:ident => $call:expr) => {
        match $worker {
            StdoutWorker::AsFound($output) => $call,
            StdoutWorker::Sorted($output) => $call,
            StdoutWorker::Limited($output) => $call,
        }
    };
}

impl<'a> StdoutWorker<'a> {
    /// The output, if results are limited.
    fn limited(&mut self) -> Option<&mut LimitedOutput<'a, Destination>> {
        match self {
            StdoutWorker::AsFound(_) | StdoutWorker::Sorted(_) => None,
            StdoutWorker::Limited(output) => Some(output),
        }
    }

    /// Begins a haystack, and returns which of its results are admitted.
    pub(crate) fn begin_haystack(&mut self) -> Admits {
        self.limited().map_or(Admits::All, LimitedOutput::begin_haystack)
    }

    /// See [`OrderedVisitor::begin`](heist_walk::OrderedVisitor::begin).
    pub(crate) fn begin(&mut self, key: &[u8]) {
        if let StdoutWorker::Sorted(output) = self {
            output.begin(key);
        }
    }

    /// See [`OrderedVisitor::spawn`](heist_walk::OrderedVisitor::spawn).
    pub(crate) fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        if let StdoutWorker::Sorted(output) = self {
            output.spawn(keys);
        }
    }

    /// See [`OrderedVisitor::end`](heist_walk::OrderedVisitor::end).
    pub(crate) fn end(&mut self) {
        if let StdoutWorker::Sorted(output) = self {
            output.end();
        }
    }

    /// Begins `file`; `repeat` is whether it may be searched again. `Break` if the file is deferred
    /// and must not be searched now.
    pub(crate) fn enter(&mut self, file: &Entry<'_>, repeat: impl FnOnce() -> Repeat) -> Flow {
        match self {
            StdoutWorker::AsFound(_) => ControlFlow::Continue(()),
            StdoutWorker::Sorted(output) => output.enter(file, repeat()),
            StdoutWorker::Limited(output) => output.enter(repeat),
        }
    }

    /// Ends `file`. `Break` if its output has grown too large to be held: the output is dropped,
    /// the file deferred, and its result must not count.
    pub(crate) fn leave(&mut self, file: &Entry<'_>) -> Flow {
        match self {
            StdoutWorker::AsFound(_) | StdoutWorker::Limited(_) => ControlFlow::Continue(()),
            StdoutWorker::Sorted(output) => output.leave(file),
        }
    }

    /// How many results the current file has, if they are counted in advance.
    pub(crate) fn surveyed(&self) -> u64 {
        match self {
            StdoutWorker::AsFound(_) | StdoutWorker::Sorted(_) => 0,
            StdoutWorker::Limited(output) => output.surveyed(),
        }
    }

    /// Sets whether a stream is being searched; see `LocalOutput`. Results from streams are sorted
    /// already: it is their turn.
    pub(crate) fn set_searches_stream(&mut self, is_stream: bool) {
        match self {
            StdoutWorker::AsFound(output) => output.set_searches_stream(is_stream),
            StdoutWorker::Limited(output) => output.set_searches_stream(is_stream),
            StdoutWorker::Sorted(_) => {}
        }
    }

    /// Writes the buffer, unless that blocks and the buffer still has room.
    pub(crate) fn try_flush(&mut self) -> Flow {
        either!(self, output => output.try_flush())
    }

    /// Tries to write output that has waited long enough. To be called while nothing is found.
    pub(crate) fn tick(&mut self) -> Flow {
        either!(self, output => output.tick())
    }
}

impl Output for StdoutWorker<'_> {
    fn begin_file(&mut self, separator: &[u8]) {
        either!(self, output => output.begin_file(separator));
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        either!(self, output => output.buffer())
    }

    fn commit(&mut self) -> Flow {
        either!(self, output => output.commit())
    }

    fn append_long(&mut self, text: LongText<'_>) -> io::Result<Flow> {
        either!(self, output => output.append_long(text))
    }

    fn end_file(&mut self) -> Flow {
        either!(self, output => output.end_file())
    }
}

impl Limit for StdoutWorker<'_> {
    fn admit(&mut self) -> Admission {
        self.limited().map_or(Admission::Print, Limit::admit)
    }

    fn begin_match(&mut self) {
        if let Some(output) = self.limited() {
            output.begin_match();
        }
    }

    fn settle(&mut self) -> bool {
        self.limited().is_none_or(Limit::settle)
    }

    fn count(&mut self, results: u64) {
        if let Some(output) = self.limited() {
            output.count(results);
        }
    }
}
