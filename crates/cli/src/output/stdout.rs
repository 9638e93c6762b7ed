//! Standard output, and what has to come before what on it.

use std::io;

use heist_searcher::Flow;

use super::{
    blocking_stdout::BlockingStdout,
    ledger::Ledger,
    local::LocalOutput,
    shared::{FlushMode, SharedOutput},
    sorted::SortedOutput,
    worker::WorkerOutput,
};

/// One worker's end of standard output.
pub(crate) type StdoutWorker<'a> = WorkerOutput<'a, BlockingStdout>;

/// Standard output, shared by all workers.
pub(crate) struct Stdout {
    shared: SharedOutput<BlockingStdout>,
    /// The order of results, where several workers share a sorted run.
    ledger: Option<Ledger>,
}

impl Stdout {
    /// Standard output, written by one worker if `alone`, in the order that `ledger` keeps.
    pub(crate) fn new(flush_mode: FlushMode, alone: bool, ledger: Option<Ledger>) -> Stdout {
        let writer = BlockingStdout(io::stdout());
        Stdout { shared: SharedOutput::new(writer, flush_mode, alone), ledger }
    }

    /// One worker's end of it.
    pub(crate) fn worker(&self) -> StdoutWorker<'_> {
        match &self.ledger {
            None => WorkerOutput::AsFound(LocalOutput::new(&self.shared)),
            Some(ledger) => WorkerOutput::Sorted(Box::new(SortedOutput::new(&self.shared, ledger))),
        }
    }

    /// The order of results, if several workers have to keep one.
    pub(crate) fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Writes what `ledger` still holds.
    pub(crate) fn finish(&self, ledger: &Ledger) {
        ledger.finish(&self.shared);
    }

    /// Whether it makes sense to go on.
    pub(crate) fn flow(&self) -> Flow {
        self.shared.flow()
    }

    /// Why writing failed, if it did; a closed pipe included.
    pub(crate) fn into_failure(self) -> Option<io::Error> {
        self.shared.into_failure()
    }
}
