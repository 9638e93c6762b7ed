//! Haystacks that return few bytes at a time, pause or fail, and helpers that help at known times.

use std::{
    io::{self, Read},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    thread,
};

use heist_matcher::Finder;

use super::setup::Trial;
use crate::{ChunkHelpers, Chunks, ReadAt, Stream};

/// A file in memory.
pub(super) struct Memory {
    bytes: Vec<u8>,
    /// The most bytes that a read returns.
    most: usize,
    /// Reads beyond this position fail.
    fails_at: usize,
    begun: AtomicUsize,
}

impl Memory {
    pub(super) fn new(trial: &Trial, most: usize) -> Memory {
        let (bytes, begun) = (trial.bytes.clone(), AtomicUsize::new(0));
        Memory { bytes, most, fails_at: trial.fails_at, begun }
    }

    /// How often it was read from its start.
    pub(super) fn begun(&self) -> usize {
        // Ordering: Relaxed, a statistic.
        self.begun.load(Ordering::Relaxed)
    }
}

impl ReadAt for Memory {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset == 0 {
            // Ordering: Relaxed, a statistic.
            self.begun.fetch_add(1, Ordering::Relaxed);
        }
        let (offset, most) = (offset as usize, buffer.len().min(self.most));
        if offset.saturating_add(most) > self.fails_at {
            return Err(io::Error::other("unreadable"));
        }
        self.bytes.get(offset..).unwrap_or_default().read(&mut buffer[..most])
    }
}

/// A reader. Each read is interrupted once.
pub(super) struct Interrupted<R> {
    reader: R,
    is_interrupted: bool,
}

impl<R> Interrupted<R> {
    pub(super) fn new(reader: R) -> Interrupted<R> {
        Interrupted { reader, is_interrupted: false }
    }
}

impl<R: Read> Read for Interrupted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.reader.read(buffer)
    }
}

/// A stream that returns its bytes in pieces, and pauses now and then; then the end, or an error
/// and the end.
pub(super) struct Pipe(Mutex<PipeState>);

struct PipeState {
    bytes: Vec<u8>,
    at: usize,
    /// The position of an error that has not been returned yet.
    fails_at: Option<usize>,
    reads: Vec<usize>,
    pauses: u64,
}

impl Pipe {
    pub(super) fn new(trial: &Trial, reads: Vec<usize>, pauses: u64) -> Pipe {
        let bytes = trial.bytes.clone();
        let fails_at = (trial.fails_at <= bytes.len()).then_some(trial.fails_at);
        Pipe(Mutex::new(PipeState { bytes, at: 0, fails_at, reads, pauses }))
    }

    pub(super) fn unread(&self) -> usize {
        let state = self.state();
        state.bytes.len() - state.at
    }

    fn state(&self) -> MutexGuard<'_, PipeState> {
        self.0.try_lock().expect("one worker at a time")
    }
}

impl Stream for Pipe {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let PipeState { bytes, at, fails_at, reads, .. } = &mut *self.state();
        if fails_at.is_some_and(|end| *at == end) {
            *fails_at = None;
            return Err(io::Error::other("unreadable"));
        }
        reads.rotate_left(1);
        let end = fails_at.unwrap_or(bytes.len()).min(*at + reads[0].min(buffer.len()));
        buffer[..end - *at].copy_from_slice(&bytes[*at..end]);
        Ok(end - std::mem::replace(at, end))
    }

    fn is_ready(&self) -> bool {
        let mut state = self.state();
        state.pauses = state.pauses.rotate_left(1);
        state.pauses & 1 == 0
    }

    fn wait(&self) {}
}

/// How others help with a search in chunks.
#[derive(Clone, Copy, Debug)]
pub enum Help {
    /// There are this many helpers; one helps, and has finished when the call returns, at each call
    /// for which a bit is set.
    InTurn(usize, u8),
    /// A thread helps whenever it is called.
    Thread,
}

/// The helpers of one search.
pub(crate) struct Helpers {
    count: usize,
    calls: u8,
    finder: Finder,
    /// Passes the chunks of each call on to a thread.
    thread: Option<Sender<Arc<Chunks>>>,
    calls_left: usize,
    chunks: Option<Arc<Chunks>>,
    /// Whether chunks were begun.
    pub(crate) were_called: bool,
}

/// Calls `search` with helpers.
pub(crate) fn with_helpers<T>(
    trial: &Trial,
    help: Help,
    search: impl FnOnce(&mut Helpers) -> T,
) -> T {
    let (count, calls) = match help {
        Help::InTurn(count, calls) => (count, calls),
        Help::Thread => (1, 0),
    };
    let mut helpers = Helpers {
        count,
        calls,
        finder: trial.matcher.finder(),
        thread: None,
        calls_left: trial.calls_left,
        chunks: None,
        were_called: false,
    };
    let Help::Thread = help else { return search(&mut helpers) };
    let (calls, called) = mpsc::channel::<Arc<Chunks>>();
    let mut finder = trial.matcher.finder();
    thread::scope(|scope| {
        scope.spawn(move || called.iter().for_each(|chunks| chunks.help(&mut finder)));
        // Drops the sender, also by a panic, so that the thread ends.
        search(&mut Helpers { thread: Some(calls), ..helpers })
    })
}

impl ChunkHelpers for Helpers {
    fn count(&self) -> usize {
        self.count
    }

    fn begin(&mut self, chunks: &Arc<Chunks>) {
        self.were_called = true;
        self.chunks = Some(Arc::clone(chunks));
    }

    fn call(&mut self) {
        let chunks = self.chunks.as_ref().expect("chunks to help with");
        self.calls_left = self.calls_left.saturating_sub(1);
        self.calls = self.calls.rotate_left(1);
        if self.calls & 1 != 0 {
            chunks.help(&mut self.finder);
        }
        if let Some(thread) = &self.thread {
            thread.send(Arc::clone(chunks)).expect("the thread waits for calls");
        }
    }

    fn is_stopped(&self) -> bool {
        self.calls_left == 0
    }

    fn end(&mut self) {
        self.chunks = None;
    }
}
