//! Who searches which chunk, and what has been found.

use std::{
    collections::BTreeMap,
    fmt,
    ops::ControlFlow,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use heist_matcher::Finder;

use super::{
    Helpers, Layout, ReadAt,
    find::{Chunk, Hit},
};
use crate::{Config, aligned::AlignedBytes};

/// A file that is searched in chunks, shared by its owner and those who [help](Chunks::assist).
pub struct Chunks {
    source: Arc<dyn ReadAt>,
    config: Config,
    layout: Layout,
    board: Mutex<Board>,
    /// Something was found that the owner may wait for.
    found: Condvar,
}

/// What is known of the chunks.
struct Board {
    /// The first chunk that nobody has claimed.
    next: u64,
    /// The first chunk that has not been told.
    untold: u64,
    /// How many chunks there are, as far as anybody knows.
    end: u64,
    /// What was found in chunks whose turn has not come.
    found: BTreeMap<u64, Chunk>,
    /// Buffers for the next chunks.
    spare: Vec<(AlignedBytes, Vec<Hit>)>,
}

impl Chunks {
    pub(crate) fn new(source: Arc<dyn ReadAt>, config: Config, layout: Layout) -> Chunks {
        let found = BTreeMap::new();
        let board = Board { next: 0, untold: 0, end: u64::MAX, found, spare: Vec::new() };
        Chunks { source, config, layout, board: Mutex::new(board), found: Condvar::new() }
    }

    /// Search chunks until there is none to be had: all are claimed, or as many as may lie before the owner. `finder` must
    /// be one of the owner's matcher.
    pub fn assist(&self, finder: &mut Finder) {
        loop {
            let claim = self.claim(&mut self.board());
            let Some(claim) = claim else { break };
            claim.search(finder);
        }
    }

    /// What was found in the chunk `index`; None if there is no such chunk. While that is not known, the owner searches
    /// others.
    pub(super) fn take(
        &self,
        index: u64,
        finder: &mut Finder,
        helpers: &mut dyn Helpers,
    ) -> ControlFlow<(), Option<Chunk>> {
        loop {
            helpers.call()?;
            let mut board = self.board();
            let claim = loop {
                if let Some(chunk) = board.found.remove(&index) {
                    return ControlFlow::Continue(Some(chunk));
                }
                if index >= board.end {
                    return ControlFlow::Continue(None);
                }
                if let Some(claim) = self.claim(&mut board) {
                    break claim;
                }
                // A helper has it, and tells.
                board = self.found.wait(board).unwrap_or_else(PoisonError::into_inner);
            };
            drop(board);
            claim.search(finder);
        }
    }

    /// The first untold chunk has been told, and its buffers are free.
    pub(super) fn told(&self, chunk: Chunk) {
        let mut board = self.board();
        board.untold += 1;
        board.spare.push((chunk.bytes, chunk.hits));
    }

    /// Nothing more is wanted.
    pub(super) fn close(&self) {
        let mut board = self.board();
        board.end = 0;
        board.found.clear();
        board.spare.clear();
    }

    fn claim(&self, board: &mut Board) -> Option<Claim<'_>> {
        if board.next >= board.end.min(board.untold + self.layout.ahead) {
            return None;
        }
        let index = board.next;
        board.next += 1;
        let buffers = board.spare.pop().unwrap_or_default();
        Some(Claim { chunks: self, index, buffers, chunk: None })
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        // Nothing panics while it is locked.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// A chunk that one worker has to search. What it has found is told when this is dropped, by a panic too: the owner must
/// not wait for it forever.
struct Claim<'a> {
    chunks: &'a Chunks,
    index: u64,
    buffers: (AlignedBytes, Vec<Hit>),
    chunk: Option<Chunk>,
}

impl Claim<'_> {
    fn search(mut self, finder: &mut Finder) {
        let Chunks { source, config, layout, .. } = self.chunks;
        let buffers = std::mem::take(&mut self.buffers);
        self.chunk = Some(Chunk::find(&**source, (config, layout), self.index, finder, buffers));
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let chunk = self.chunk.take().unwrap_or_else(Chunk::unfit);
        let mut board = self.chunks.board();
        if chunk.is_last {
            board.end = board.end.min(self.index + 1);
        }
        if self.index < board.end {
            board.found.insert(self.index, chunk);
        }
        drop(board);
        self.chunks.found.notify_one();
    }
}
