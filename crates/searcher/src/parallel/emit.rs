//! The owner's part: passes what was found in chunks, in order, through the line search.

use std::{
    io,
    ops::{ControlFlow, Deref},
};

use heist_matcher::{BlockScan, Finder};

use super::{
    chunk::Chunk,
    chunks::{ChunkHelpers, Chunks},
    layout::Hit,
};
use crate::{
    Flow, SearchConfig, Sink,
    line_search::LineSearch,
    matching::{Matches, Matching},
};

/// Why a search in chunks stopped early.
#[derive(Clone, Copy)]
pub(crate) enum Stopped {
    /// The whole run is over.
    Cancelled,
    /// The haystack has to be searched block by block.
    Fallback,
}

/// Emits the lines that match in `chunks`, together with the helpers.
pub(crate) fn emit_lines<S: Sink>(
    search: &mut LineSearch<'_, S>,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
) -> ControlFlow<Stopped> {
    let mut take = |index, finder: &mut Finder| {
        chunks.take(index, finder, helpers).map_break(|()| Stopped::Cancelled)
    };
    let mut carry = Carry::default();
    let mut current = take(0, search.finder())?;
    for index in 1.. {
        let Some(mut chunk) = current else { break };
        current = take(index, search.finder())?;
        let is_next = carry.is_followed_by(&chunk);
        if chunk.needs_fallback
            || !is_next
            || current.as_ref().is_some_and(|next| next.needs_fallback)
        {
            return ControlFlow::Break(Stopped::Fallback);
        }
        if carry.pass(search, &mut chunk).is_break() {
            break;
        }
        chunks.emitted(chunk);
    }
    ControlFlow::Continue(())
}

/// How a stream's search in chunks ended.
pub(crate) enum StreamEnd {
    /// The stream is over, or no more of it is wanted.
    Complete,
    /// The whole run is over.
    Stopped,
    /// The stream cannot be read any further.
    Error(io::Error),
    /// The rest has to be searched block by block: the bytes already read, and the error that came
    /// after them.
    Fallback(Vec<u8>, Option<io::Error>),
}

/// Searches the rest of a stream in `chunks` together with the helpers. Lines are emitted as soon
/// as they have arrived.
pub(crate) fn emit_stream<S: Sink>(
    search: &mut LineSearch<'_, S>,
    carry: &mut Carry,
    chunks: &Chunks,
    helpers: &mut dyn ChunkHelpers,
) -> StreamEnd {
    for index in 0.. {
        let mut chunk = match chunks.take(index, search.finder(), helpers) {
            ControlFlow::Continue(Some(chunk)) => chunk,
            ControlFlow::Continue(None) => break,
            ControlFlow::Break(()) => return StreamEnd::Stopped,
        };
        if chunk.needs_fallback {
            let mut read = chunk.lines().to_vec();
            let (rest, error) = chunks.pending(index + 1);
            read.extend(rest);
            return StreamEnd::Fallback(read, chunk.error.take().or(error));
        }
        if carry.pass(search, &mut chunk).is_break() {
            break;
        }
        if let Some(error) = chunk.error.take() {
            return StreamEnd::Error(error);
        }
        chunks.emitted(chunk);
    }
    StreamEnd::Complete
}

/// The state carried from one chunk to the next.
#[derive(Default)]
pub(crate) struct Carry {
    /// Lines that may still become context.
    pub(crate) kept: Kept,
    /// The position of the next line in the text.
    pub(crate) end: u64,
    /// The number of terminators before it, if lines are numbered.
    pub(crate) terminators: u64,
}

impl Carry {
    /// Whether the lines of `chunk` come next. They do unless the file is written to meanwhile.
    pub(super) fn is_followed_by(&self, chunk: &Chunk) -> bool {
        chunk.lines.is_empty() || chunk.offset == self.end
    }

    /// Emits the lines of `chunk`.
    fn pass<S: Sink>(&mut self, search: &mut LineSearch<'_, S>, chunk: &mut Chunk) -> Flow {
        let config = search.config();
        if chunk.lines.is_empty() {
            return Flow::Continue(());
        }
        let at = self.kept.len();
        // The shorter of the two is copied. Much context would else be copied for each chunk.
        let is_appended = at > chunk.lines.len();
        let block = if is_appended {
            self.kept.append(chunk.lines());
            &*self.kept
        } else {
            chunk.prepend(&[], &self.kept);
            chunk.lines()
        };
        let mut replay = Replay {
            scan: BlockScan::new(block),
            at,
            hits: &chunk.hits,
            selected: chunk.selected,
            searched: at + chunk.searched,
            terminators: config.line_numbers.then_some(self.terminators),
        };
        search.set_sparse(chunk.is_sparse);
        search.pass(&mut replay)?;
        self.end += (block.len() - at) as u64;
        self.terminators += chunk.terminators;
        if config.line_numbers {
            search.set_number(block.len(), self.terminators);
        }
        let consumed = search.roll(block);
        if is_appended {
            self.kept.drop_first(consumed);
        } else {
            self.kept.set(&chunk.lines()[consumed..]);
        }
        Flow::Continue(())
    }
}

/// Lines at the end of what has been searched.
#[derive(Default)]
pub(crate) struct Kept {
    bytes: Vec<u8>,
    /// The start of the lines in `bytes`.
    start: usize,
}

impl Kept {
    /// The lines of `bytes` from `start` on.
    pub(super) fn of(bytes: Vec<u8>, start: usize) -> Kept {
        let mut kept = Kept { bytes, start: 0 };
        kept.drop_first(start);
        kept
    }

    pub(super) fn set(&mut self, lines: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(lines);
        self.start = 0;
    }

    pub(super) fn append(&mut self, lines: &[u8]) {
        self.bytes.extend_from_slice(lines);
    }

    /// Drops the first `len` bytes. What is left is moved when a sixth has been dropped: five bytes
    /// for each one, for a buffer that is at most a fifth larger than its lines.
    fn drop_first(&mut self, len: usize) {
        self.start += len;
        if self.start > self.bytes.len() / 6 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }
}

impl Deref for Kept {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

impl Chunk {
    /// Copies `kept` to the front of the lines, and `lead`, which is not one of the lines, before
    /// it.
    pub(super) fn prepend(&mut self, lead: &[u8], kept: &[u8]) {
        let (start, added) = (self.lines.start, lead.len() + kept.len());
        if added > start {
            let further = added - start;
            self.bytes.grow(self.behind + further);
            self.bytes.copy_within(start..self.behind, added);
            self.lines = added..self.lines.end + further;
            self.behind += further;
        }
        let first = self.lines.start - added;
        self.lines.start -= kept.len();
        self.bytes[first..][..lead.len()].copy_from_slice(lead);
        self.bytes[self.lines.start..][..kept.len()].copy_from_slice(kept);
    }
}

/// The matching lines of a block, as found before.
struct Replay<'h> {
    /// Searches the part that was not searched before.
    scan: BlockScan<'h>,
    /// The start of the chunk's own lines in the block.
    at: usize,
    /// The remaining hits.
    hits: &'h [Hit],
    /// The number of selected lines, if they are only counted.
    selected: u64,
    /// The start of the lines in the block that were not searched.
    searched: usize,
    /// The number of terminators before the chunk, if lines are numbered.
    terminators: Option<u64>,
}

impl<'h> Matches<'h> for Replay<'h> {
    fn block(&self) -> &'h [u8] {
        self.scan.haystack()
    }

    fn next(
        &mut self,
        finder: &mut Finder,
        from: usize,
        config: &SearchConfig,
    ) -> Option<Matching> {
        while let Some((hit, rest)) = self.hits.split_first() {
            self.hits = rest;
            let line = self.at + hit.start as usize..self.at + hit.end as usize;
            if line.start >= from {
                let lines_before = self.terminators.map(|n| n + u64::from(hit.lines_before));
                return Some(Matching { line, lines_before });
            }
        }
        self.scan.next(finder, from.max(self.searched), config)
    }

    fn count(&mut self, _: &mut Finder, _: usize, _: &SearchConfig) -> u64 {
        self.selected
    }
}
