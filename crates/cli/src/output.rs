//! Standard output, shared by all workers: each fills a buffer of its own, and writes it in one piece under one lock.
//!
//! The output of one file stays together. A worker whose buffer grows too large within one file keeps standard output
//! to itself until the file ends, so that memory is bounded; the others go on searching until they want to write.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use heist_printer::Output;
use heist_searcher::Flow;

/// Bytes after which a worker writes what it has, at the end of a file.
const ENOUGH: usize = 64 << 10;
/// Bytes after which a worker writes in the middle of a file, and keeps standard output until the file ends.
const TOO_MUCH: usize = 1 << 20;
/// How long finished output may wait in a buffer while its worker finds nothing more.
const PATIENCE: Duration = Duration::from_millis(20);

/// When output is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffering {
    /// As soon as a line (or, with several workers, a file) is complete: somebody is watching.
    Line,
    /// When there is enough of it.
    Block,
}

/// Where all workers write to.
pub(crate) struct Shared {
    state: Mutex<State>,
    released: Condvar,
    buffering: Buffering,
    /// Only one worker writes, so that nothing has to be kept together.
    alone: bool,
}

struct State {
    /// Something was written, so that the next file needs a separator.
    printed: bool,
    /// A worker keeps standard output for the rest of its file.
    kept: bool,
    /// Why nothing can be written any more.
    failure: Option<io::Error>,
}

impl Shared {
    /// `alone`: there is only one worker.
    pub(crate) fn new(buffering: Buffering, alone: bool) -> Shared {
        let state = State { printed: false, kept: false, failure: None };
        Shared { state: Mutex::new(state), released: Condvar::new(), buffering, alone }
    }

    /// One worker's buffer.
    pub(crate) fn local(&self) -> Local<'_> {
        Local {
            shared: self,
            buffer: Vec::new(),
            lead: 0,
            keeps: false,
            failed: false,
            written: None,
        }
    }

    /// Why writing failed, if it did. A reader that went away is no failure of ours, but the end of the run.
    pub(crate) fn into_failure(self) -> Option<io::Error> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failure
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panicked while writing left nothing half-changed here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One worker's output.
pub(crate) struct Local<'a> {
    shared: &'a Shared,
    buffer: Vec<u8>,
    /// The first bytes of the buffer are a separator, needed only if something was printed before.
    lead: usize,
    /// Standard output is kept for the rest of this file.
    keeps: bool,
    /// Writing failed, here or elsewhere, as far as this worker knows.
    failed: bool,
    /// When this worker last wrote.
    written: Option<Instant>,
}

impl Local<'_> {
    /// Write everything that is complete.
    pub(crate) fn flush(&mut self) -> Flow {
        if self.buffer.is_empty() {
            return self.flow();
        }
        let mut state = self.shared.lock();
        while state.kept && !self.keeps {
            state = self.shared.released.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.failure.is_none() {
            let from = if state.printed { 0 } else { self.lead };
            let mut stdout = io::stdout().lock();
            if let Err(error) = stdout.write_all(&self.buffer[from..]).and_then(|()| stdout.flush())
            {
                state.failure = Some(error);
            }
            state.printed = true;
        }
        self.failed = state.failure.is_some();
        drop(state);
        self.buffer.clear();
        self.lead = 0;
        self.written = Some(Instant::now());
        self.flow()
    }

    /// The buffer, for a record that need not be kept together with others and is complete when
    /// [`record`](Local::record) is called.
    pub(crate) fn unordered(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// A record is complete: write it if it is time to.
    #[inline]
    pub(crate) fn record(&mut self) -> Flow {
        match self.shared.buffering {
            Buffering::Block if self.buffer.len() < ENOUGH => ControlFlow::Continue(()),
            Buffering::Block => self.flush(),
            Buffering::Line => self.tick(),
        }
    }

    /// Write what has waited long enough; to be called now and then while nothing is found.
    pub(crate) fn tick(&mut self) -> Flow {
        if self.buffer.is_empty() || self.written.is_some_and(|at| at.elapsed() < PATIENCE) {
            return ControlFlow::Continue(());
        }
        self.flush()
    }

    fn flow(&self) -> Flow {
        if self.failed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether the buffer is written although the file goes on.
    fn is_due_within_file(&self) -> bool {
        let (len, alone) = (self.buffer.len(), self.shared.alone);
        match self.shared.buffering {
            Buffering::Line if alone || self.keeps => true,
            Buffering::Block if alone || self.keeps => len >= ENOUGH,
            _ => len >= TOO_MUCH,
        }
    }
}

impl Output for Local<'_> {
    fn begin_file(&mut self, separator: &[u8]) {
        if self.buffer.is_empty() {
            self.lead = separator.len();
        }
        self.buffer.extend_from_slice(separator);
    }

    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn commit(&mut self) -> Flow {
        if !self.is_due_within_file() {
            return ControlFlow::Continue(());
        }
        if !self.shared.alone && !self.keeps {
            let mut state = self.shared.lock();
            while state.kept {
                state = self.shared.released.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.kept = true;
            self.keeps = true;
        }
        self.flush()
    }

    fn end_file(&mut self) -> Flow {
        if self.keeps {
            let flow = self.flush();
            self.keeps = false;
            self.shared.lock().kept = false;
            self.shared.released.notify_all();
            return flow;
        }
        match self.shared.buffering {
            Buffering::Line => self.flush(),
            Buffering::Block if self.buffer.len() >= ENOUGH => self.flush(),
            Buffering::Block => self.tick(),
        }
    }
}

/// What a panic or an early end left in the buffer is still output that was found.
impl Drop for Local<'_> {
    fn drop(&mut self) {
        let _ = self.flush();
        if self.keeps {
            self.shared.lock().kept = false;
            self.shared.released.notify_all();
        }
    }
}
