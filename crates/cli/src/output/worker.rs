//! One worker's end of standard output, whether results are printed as they are found or in an order.

use std::{io::Write, ops::ControlFlow};

use heist_printer::Output;
use heist_searcher::Flow;
use heist_walk::Entry;

use super::{
    local::LocalOutput,
    sorted::{Repeat, SortedOutput},
};

/// See the module.
pub(crate) enum WorkerOutput<'a, W: Write> {
    /// As they are found, or one worker finds them in order.
    AsFound(LocalOutput<'a, W>),
    /// In an order that several workers have to keep to.
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

    /// `file` is about to be searched, and `repeat` tells whether it may be once more. `Break`: it is put off, and must
    /// not be searched now.
    pub(crate) fn enter(&mut self, file: &Entry<'_>, repeat: impl FnOnce() -> Repeat) -> Flow {
        match self {
            WorkerOutput::AsFound(_) => ControlFlow::Continue(()),
            WorkerOutput::Sorted(output) => output.enter(file, repeat()),
        }
    }

    /// `file` has been searched. `Break`: its output has grown too large to be held, so that it is dropped and the file
    /// put off. It will be searched again, and what was learned of it must not count.
    pub(crate) fn leave(&mut self, file: &Entry<'_>) -> Flow {
        match self {
            WorkerOutput::AsFound(_) => ControlFlow::Continue(()),
            WorkerOutput::Sorted(output) => output.leave(file),
        }
    }

    /// Write everything there is, unless that means waiting for another worker and there still is room.
    pub(crate) fn try_flush(&mut self) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.try_flush(),
            WorkerOutput::Sorted(output) => output.try_flush(),
        }
    }

    /// Offer what has waited long enough; to be called now and then while nothing is found.
    pub(crate) fn tick(&mut self) -> Flow {
        match self {
            WorkerOutput::AsFound(output) => output.tick(),
            WorkerOutput::Sorted(output) => output.tick(),
        }
    }

    /// The buffer, for a record about `file` that is complete when [`record`](WorkerOutput::record) is called. Records
    /// need not be kept together with others.
    #[inline]
    pub(crate) fn unordered(&mut self, file: &Entry<'_>) -> &mut Vec<u8> {
        match self {
            WorkerOutput::AsFound(output) => output.unordered(),
            WorkerOutput::Sorted(output) => output.unordered(file),
        }
    }

    /// The record about `file` is complete: write it if it is time to.
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
