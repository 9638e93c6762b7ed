//! Standard output, shared by all workers: each fills its own buffer and writes it in one piece
//! under one lock.
//!
//! One file's output stays together. If a worker's buffer grows large within one file, the worker
//! holds standard output until the file ends, so that memory is bounded. The others continue to
//! search: they block only when their own buffers have grown far larger.

use std::{
    fs::File,
    io::{self, Write},
    ops::ControlFlow,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crossbeam_utils::CachePadded;
use heist_searcher::Flow;

use crate::sys;

/// After this many bytes a worker writes its buffer, when a file ends.
pub(crate) const FLUSH_LEN: usize = 64 << 10;
/// Bytes after which a worker writes in the middle of a file, and holds standard output until the
/// file ends, unless another worker has it.
pub(crate) const HOLD_LEN: usize = 1 << 20;
/// After this many bytes of complete files, a worker waits for the one that holds standard output.
/// Where most files have more results than [`HOLD_LEN`], workers would else wait most of the time.
pub(crate) const MAX_LEN: usize = 8 << 20;
/// How long finished files' output may wait while further files are searched.
pub(crate) const MAX_DELAY: Duration = Duration::from_millis(20);

/// When buffers are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushMode {
    /// As soon as a line or, with several workers, a file is complete.
    Line,
    /// When there is enough output, or it has waited long enough.
    Block,
}

/// A writer that may take bytes directly from a file.
pub(crate) trait SendFile: Write {
    /// Writes up to `len` bytes of `file` from `offset` on, after everything that has been flushed.
    /// Returns how many were written; the rest is to be written in another way.
    fn send_file(&mut self, file: &File, offset: u64, len: u64) -> u64 {
        let _ = (file, offset, len);
        0
    }
}

/// The writer that all workers share.
pub(crate) struct SharedOutput<W> {
    /// Apart from the rest, which every worker reads for every line.
    state: CachePadded<Mutex<SharedState<W>>>,
    /// Notified when the writer is released.
    released: Condvar,
    /// Whether writing has failed, which ends the run.
    pub(super) failed: Arc<AtomicBool>,
    pub(super) flush_mode: FlushMode,
    /// Whether only one worker writes, so that files cannot interleave.
    pub(super) alone: bool,
    /// Whether a worker may wait for input while results are in its buffer: it then waits for the
    /// writer first, instead of keeping them because another worker writes.
    pub(super) prompt: bool,
}

pub(super) struct SharedState<W> {
    pub(super) writer: W,
    /// Whether output was written, so that the next file needs a separator.
    pub(super) printed: bool,
    /// Whether a worker holds the writer for the rest of its file.
    pub(super) kept: bool,
    /// The error that ended writing.
    failure: Option<io::Error>,
}

impl<W: Write> SharedOutput<W> {
    /// Returns output for one worker if `alone`, for several otherwise.
    pub(crate) fn new(writer: W, flush_mode: FlushMode, alone: bool) -> SharedOutput<W> {
        let state = SharedState { writer, printed: false, kept: false, failure: None };
        let failed = Arc::default();
        let (state, released) = (CachePadded::new(Mutex::new(state)), Condvar::new());
        SharedOutput { state, released, failed, flush_mode, alone, prompt: false }
    }

    /// Whether every line is flushed.
    pub(crate) fn is_watched(&self) -> bool {
        self.flush_mode == FlushMode::Line
    }

    /// Writes `bytes` at once, even while a worker holds the writer. A failure ends the run.
    pub(crate) fn write_piece(&self, bytes: &[u8]) {
        self.lock().write(bytes, &self.failed);
    }

    /// The error that ended writing, if any; a closed pipe included.
    pub(crate) fn into_failure(self) -> Option<io::Error> {
        CachePadded::into_inner(self.state)
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .failure
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SharedState<W>> {
        // A worker that panicked while writing left the state consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks until no other worker holds the writer.
    pub(super) fn lock_when_released(&self) -> MutexGuard<'_, SharedState<W>> {
        let mut state = self.lock();
        while state.kept {
            state = self.released.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// The state, unless another worker is writing or holds the writer.
    pub(super) fn lock_if_released(&self) -> Option<MutexGuard<'_, SharedState<W>>> {
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        (!state.kept).then_some(state)
    }

    pub(super) fn release(&self) {
        self.lock().kept = false;
        self.released.notify_all();
    }

    /// `Break` once writing has failed.
    pub(crate) fn flow(&self) -> Flow {
        // Ordering: Relaxed; a hint to stop early, the error itself is behind the lock.
        match self.failed.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl<W: SendFile> SharedState<W> {
    /// Writes up to `len` bytes of `file` from `offset` on. Returns how many were written.
    pub(super) fn send_file(&mut self, file: &File, offset: u64, len: u64) -> u64 {
        if self.failure.is_some() {
            return 0;
        }
        sys::stop_if_ending();
        self.printed = true;
        self.writer.send_file(file, offset, len)
    }
}

impl<W: Write> SharedState<W> {
    pub(super) fn write(&mut self, bytes: &[u8], failed: &AtomicBool) {
        if self.failure.is_some() {
            return;
        }
        sys::stop_if_ending();
        if let Err(error) = self.writer.write_all(bytes).and_then(|()| self.writer.flush()) {
            self.failure = Some(error);
            // Ordering: Relaxed, see `SharedOutput::flow`.
            failed.store(true, Ordering::Relaxed);
        }
        self.printed = true;
    }
}
