//! One worker's output, sorted or not.

use std::{io::Write, ops::ControlFlow};

use heist_printer::Output;
use heist_searcher::Flow;
use heist_walk::Entry;

use super::{
    local::LocalOutput,
    sorted::{Repeat, SortedOutput},
};

/// One worker's output.
pub(crate) enum WorkerOutput<'a, W: Write> {
    /// Results are printed as they are found, possibly in order by one worker.
    AsFound(LocalOutput<'a, W>),
    /// Results of several workers are printed in order.
    Sorted(Box<SortedOutput<'a, W>>),
}

impl<W: Write> WorkerOutput<'_, W> {
    /// See [`OrderedVisitor::begin`](heist_walk::OrderedVisitor::begin).
    pub(crate) fn begin(&mut self, key: &[u8]) {
        if let WorkerOutput::Sorted(output) = self {
            output.begin(key);
        }
    }

    /// See [`OrderedVisitor::spawn`](heist_walk::OrderedVisitor::spawn).
    pub(crate) fn spawn(&mut self, keys: &mut dyn Iterator<Item = &[u8]>) {
        if let WorkerOutput::Sorted(output) = self {
            output.spawn(keys);
        }
    }

    /// See [`OrderedVisitor::end`](heist_walk::OrderedVisitor::end).
    pub(crate) fn end(&mut self) {
        if let WorkerOutput::Sorted(output) = self {
            output.end();
        }
    }

    /// Begins `file`; `repeat` is whether it may be searched again. `Break` if the file is deferred
    /// and must not be searched now.
    pub(crate) fn enter(&mut self, file: &Entry<'_>, repeat: impl FnOnce() -> Repeat) -> Flow {
        match self {
            WorkerOutput::AsFound(_) => ControlFlow::Continue(()),
            WorkerOutput::Sorted(output) => output.enter(file, repeat()),
        }
    }

    /// Ends `file`. `Break` if its output has grown too large to be held: the output is dropped,
    /// the file deferred, and its result must not count.
    pub(crate) fn leave(&mut self, file: &Entry<'_>) -> Flow {
        match self {
            WorkerOutput::AsFound(_) => ControlFlow::Continue(()),
            WorkerOutput::Sorted(output) => output.leave(file),
        }
    }

    /// Writes the buffer, unless that blocks and the buffer still has room.
    pub(crate) fn try_flush(&mut self) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.try_flush(),
            WorkerOutput::Sorted(output) => output.try_flush(),
        }
    }

    /// Tries to write output that has waited long enough. To be called while nothing is found.
    pub(crate) fn tick(&mut self) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.tick(),
            WorkerOutput::Sorted(output) => output.tick(),
        }
    }

    /// The buffer, for a record about `file`; [`record`](WorkerOutput::record) completes it.
    /// Records are independent of each other.
    #[inline]
    pub(crate) fn unordered(&mut self, file: &Entry<'_>) -> &mut Vec<u8> {
        match self {
            WorkerOutput::AsFound(output) => output.unordered(),
            WorkerOutput::Sorted(output) => output.unordered(file),
        }
    }

    /// Completes the record about `file`, and writes the buffer if that is due.
    #[inline]
    pub(crate) fn record(&mut self, file: &Entry<'_>) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.record(),
            WorkerOutput::Sorted(output) => output.record(file),
        }
    }
}

impl<W: Write> Output for WorkerOutput<'_, W> {
    fn begin_file(&mut self, separator: &[u8]) {
        match self {
            WorkerOutput::AsFound(output) => output.begin_file(separator),
            WorkerOutput::Sorted(output) => output.begin_file(separator),
        }
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        match self {
            WorkerOutput::AsFound(output) => output.buffer(),
            WorkerOutput::Sorted(output) => output.buffer(),
        }
    }

    fn commit(&mut self) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.commit(),
            WorkerOutput::Sorted(output) => output.commit(),
        }
    }

    fn end_file(&mut self) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.end_file(),
            WorkerOutput::Sorted(output) => output.end_file(),
        }
    }
}
