//! Distributes chunks among workers and collects what they find.

use std::{
    collections::BTreeMap,
    fmt, io, mem,
    ops::ControlFlow,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use heist_matcher::Finder;

use super::{
    chunk::{Chunk, ChunkTask, ChunkedFile},
    layout::{Hit, Layout},
    stream::Stream,
    stream_reader::StreamReader,
};
use crate::{SearchConfig, aligned::AlignedBytes};

/// The other workers, as the worker that searches a large haystack sees them.
pub trait ChunkHelpers {
    /// How many other workers there are. If there are none, files are cut into chunks only if
    /// matches span lines.
    fn count(&self) -> usize;

    /// From now on other workers may call [`Chunks::help`] on `chunks`.
    fn begin(&mut self, chunks: &Arc<Chunks>);

    /// Calls an idle worker. The searcher does so before each chunk, if there is more to search
    /// than can be read at once.
    fn call(&mut self);

    /// Whether the search is no longer wanted.
    fn is_stopped(&self) -> bool;

    /// The chunks last begun need no more help.
    fn end(&mut self);
}

/// No other workers.
#[derive(Clone, Copy, Debug)]
pub struct NoHelpers;

impl ChunkHelpers for NoHelpers {
    fn count(&self) -> usize {
        0
    }

    fn begin(&mut self, _: &Arc<Chunks>) {}

    fn call(&mut self) {}

    fn is_stopped(&self) -> bool {
        false
    }

    fn end(&mut self) {}
}

/// A file or stream that is searched in chunks, shared by its owner and the workers that
/// [help](Chunks::help).
pub struct Chunks {
    input: Input,
    config: SearchConfig,
    layout: Layout,
    board: Mutex<State>,
    /// Signalled when a chunk has been searched.
    found: Condvar,
}

enum Input {
    /// Every chunk can be read independently.
    File(ChunkedFile),
    /// The worker that claims a chunk reads it, holding the reader's lock. The state is locked
    /// after the reader.
    Stream(Arc<dyn Stream>, Mutex<StreamReader>),
}

struct State {
    /// The first unclaimed chunk. For a stream, only the holder of the reader's lock changes it.
    next: u64,
    /// The first chunk that has not been emitted.
    pending: u64,
    /// The number of chunks, or an upper bound.
    end: u64,
    /// The searched chunks that are not to be emitted yet.
    found: BTreeMap<u64, Chunk>,
    /// Buffers for further chunks.
    spare: Vec<(AlignedBytes, Vec<Hit>)>,
    /// There is more to search than one worker can.
    wants_help: bool,
    /// The owner waits for a helper's chunk.
    is_blocked: bool,
    /// The owner waits for the stream: everything that has arrived is emitted, and the owner takes
    /// what arrives next.
    is_awaited: bool,
}

impl Chunks {
    pub(crate) fn of_file(file: ChunkedFile, config: SearchConfig, layout: Layout) -> Chunks {
        Chunks::of(Input::File(file), config, layout, true)
    }

    /// Chunks of a stream. The incomplete line `incomplete`, at `offset` in the text, has been read
    /// already.
    pub(crate) fn of_stream(
        stream: Arc<dyn Stream>,
        incomplete: &[u8],
        offset: u64,
        config: SearchConfig,
        layout: Layout,
    ) -> Chunks {
        let reader = Mutex::new(StreamReader::new(incomplete, offset, layout.size));
        Chunks::of(Input::Stream(stream, reader), config, layout, false)
    }

    fn of(input: Input, config: SearchConfig, layout: Layout, wants_help: bool) -> Chunks {
        let (found, spare) = (BTreeMap::new(), Vec::new());
        let (next, pending, end, is_awaited) = (0, 0, u64::MAX, false);
        let board =
            State { next, pending, end, found, spare, wants_help, is_blocked: false, is_awaited };
        Chunks { input, config, layout, board: Mutex::new(board), found: Condvar::new() }
    }

    pub(super) fn size(&self) -> usize {
        self.layout.size
    }

    /// Searches chunks until none can be claimed: because all are claimed, as many as allowed are
    /// ahead of the owner, or the stream would block. `finder` must belong to the owner's matcher.
    pub fn help(&self, finder: &mut Finder) {
        while let Some(claim) = self.claim(None) {
            claim.search(finder);
        }
    }

    /// Returns how many bytes of a file workers have claimed so far, at most a chunk more than it
    /// has; 0 for a stream, because the caller sees its reads.
    #[must_use]
    pub fn claimed_bytes(&self) -> u64 {
        match self.input {
            Input::File(_) => self.board().next.saturating_mul(self.layout.size as u64),
            Input::Stream(..) => 0,
        }
    }

    /// Returns the searched chunk `index`, or `None` if there is no such chunk. Until it is
    /// available, the owner searches others. `Break` if the search is no longer wanted.
    pub(super) fn take(
        &self,
        index: u64,
        finder: &mut Finder,
        helpers: &mut dyn ChunkHelpers,
    ) -> ControlFlow<(), Option<Chunk>> {
        loop {
            if helpers.is_stopped() {
                return ControlFlow::Break(());
            }
            if self.board().wants_help {
                helpers.call();
            }
            let mut board = self.board();
            if let Some(chunk) = board.found.remove(&index) {
                return ControlFlow::Continue(Some(chunk));
            }
            if index >= board.end {
                return ControlFlow::Continue(None);
            }
            drop(board);
            match (self.claim(Some(index)), &self.input) {
                (Some(claim), _) => claim.search(finder),
                (None, Input::Stream(stream, _)) if self.board().is_awaited => stream.wait(),
                // A helper has claimed it, and will signal.
                (None, _) => self.await_found(index),
            }
        }
    }

    /// Blocks until the chunk `index`, which is claimed, has been searched.
    fn await_found(&self, index: u64) {
        let is_unknown = |board: &mut State| {
            board.is_blocked = !board.found.contains_key(&index) && index < board.end;
            board.is_blocked
        };
        drop(self.found.wait_while(self.board(), is_unknown));
    }

    /// Marks the first pending chunk as emitted and reuses its buffers.
    pub(super) fn emitted(&self, chunk: Chunk) {
        let mut board = self.board();
        board.pending += 1;
        board.spare.push((chunk.bytes, chunk.hits));
    }

    /// Ends the search: no further chunk can be claimed.
    pub(crate) fn close(&self) {
        let mut board = self.board();
        board.end = 0;
        board.found.clear();
        board.spare.clear();
    }

    /// Claims the next chunk for the caller. The owner passes the chunk that it `needs` first.
    fn claim(&self, needs: Option<u64>) -> Option<Claim<'_>> {
        match &self.input {
            Input::File(file) => {
                let mut board = self.board();
                let index = board.free(&self.layout)?;
                let (bytes, hits) = board.take(index);
                let chunk = Chunk { bytes, hits, ..Chunk::default() };
                Some(Claim { chunks: self, index, file: Some(file), chunk })
            }
            Input::Stream(stream, reader) => self.read(&**stream, &mut locked(reader), needs),
        }
    }

    /// Claims and reads the next chunk of a stream, unless that would block. A chunk that the owner
    /// has waited for is the owner's.
    fn read(
        &self,
        stream: &dyn Stream,
        reader: &mut StreamReader,
        needs: Option<u64>,
    ) -> Option<Claim<'_>> {
        let board = self.board();
        let index = board.free(&self.layout)?;
        let is_awaited = board.is_awaited;
        if is_awaited && needs.is_none() {
            return None;
        }
        drop(board);
        let has_come = !is_awaited && stream.is_ready();
        let is_there = reader.read(stream, self.config.line_terminator, is_awaited);
        let mut board = self.board();
        board.is_awaited = !is_there && needs == Some(index);
        if !is_there {
            return None;
        }
        let (mut spare, hits) = board.take(index);
        board.wants_help = has_come;
        drop(board);
        let chunk = reader.cut(&mut spare);
        if chunk.is_last {
            self.board().end = index + 1;
        }
        Some(Claim { chunks: self, index, file: None, chunk: Chunk { hits, ..chunk } })
    }

    /// Returns what was read from a stream from the chunk `index` on, which has not been emitted,
    /// and the error after it, which may not occur again. No further chunk can be claimed.
    pub(super) fn pending(&self, index: u64) -> (Vec<u8>, Option<io::Error>) {
        let Input::Stream(_, reader) = &self.input else { return (Vec::new(), None) };
        let reader = locked(reader);
        let claimed = mem::replace(&mut self.board().next, u64::MAX);
        let (mut bytes, mut error) = (Vec::new(), None);
        for index in index..claimed {
            self.await_found(index);
            if let Some(chunk) = self.board().found.remove(&index) {
                bytes.extend_from_slice(chunk.lines());
                error = chunk.error;
            }
        }
        bytes.extend_from_slice(reader.incomplete_line());
        (bytes, error)
    }

    fn board(&self) -> MutexGuard<'_, State> {
        locked(&self.board)
    }
}

/// Locks `mutex`. No thread panics while it holds one of these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl State {
    /// The first unclaimed chunk, if it may be claimed.
    fn free(&self, layout: &Layout) -> Option<u64> {
        (self.next < self.end.min(self.pending + layout.ahead)).then_some(self.next)
    }

    /// Claims the chunk `index`, and returns buffers for it.
    fn take(&mut self, index: u64) -> (AlignedBytes, Vec<Hit>) {
        self.next = index + 1;
        self.spare.pop().unwrap_or_default()
    }
}

/// A chunk that one worker searches. Dropping it publishes the result, also in a panic: the owner
/// must not wait for it forever.
struct Claim<'a> {
    chunks: &'a Chunks,
    index: u64,
    /// The file to read it from, if it has not been read yet.
    file: Option<&'a ChunkedFile>,
    /// The chunk's buffers or lines, then what was found.
    chunk: Chunk,
}

impl Claim<'_> {
    fn search(mut self, finder: &mut Finder) {
        let Chunks { config, layout, .. } = self.chunks;
        let mut chunk = mem::replace(&mut self.chunk, Chunk::fallback());
        match self.file {
            Some(file) => {
                chunk.find(&mut ChunkTask { file, config, layout, index: self.index, finder });
            }
            None => chunk.examine(config, layout, finder),
        }
        self.chunk = chunk;
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let chunk = mem::take(&mut self.chunk);
        let mut board = self.chunks.board();
        if chunk.is_last {
            board.end = board.end.min(self.index + 1);
        }
        if self.index < board.end {
            board.found.insert(self.index, chunk);
        }
        let is_blocked = board.is_blocked;
        drop(board);
        if is_blocked {
            self.chunks.found.notify_one();
        }
    }
}
