//! Searches a stream: block by block at first, and in chunks with helpers once much has arrived.
//!
//! Most pipes carry little, and a search that waits for a writer needs no help. After
//! [`LARGE`](crate::LARGE) bytes the worker that claims a chunk also reads it, so that one worker
//! reads while others search, and nothing is read ahead of what may be emitted soon. A chunk ends
//! where the stream would block: lines never wait for more to arrive. From there on a pipe's
//! [capacity is raised](Stream::widen), so that its writer need not wait for each read.
//!
//! Perf: `cat` of 1.18 GB into a search takes 0.5 s this way and 1.4 s block by block, see
//! docs/decisions/0041-shared-streams.md.
//!
//! The effect of NUL bytes depends on blocks, and a long line needs a buffer that grows. Where
//! either appears, the rest is searched block by block, starting with the bytes already read.

use std::{
    io::{self, Read},
    ops::ControlFlow,
    sync::Arc,
};

use super::{
    chunks::{ChunkHelpers, Chunks},
    emit::{Carry, Kept, StreamEnd, emit_stream},
    layout::{LARGE, Layout},
    stream::{BlockingRead, Stream},
};
use crate::{
    End, Flow, Sink, Source,
    block_search::Searched,
    line_buffer::LineBuffer,
    line_search::LineSearch,
    route::Ending,
    search::Search,
    source::{Feed, Head},
};

/// When a stream is shared, and how it is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamSizes {
    /// The number of bytes after which helpers are called.
    pub(crate) shared_from: u64,
    /// The size of a chunk in bytes.
    pub(crate) chunk: usize,
}

impl StreamSizes {
    pub(crate) const DEFAULT: StreamSizes = StreamSizes { shared_from: LARGE, chunk: 256 << 10 };
}

impl<S: Sink> Search<'_, S> {
    /// Searches `head` and the rest of `stream`.
    pub(crate) fn stream(
        &mut self,
        head: Head<'_>,
        stream: &Arc<dyn Stream>,
        sizes: StreamSizes,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<Ending> {
        let line_buffer = &mut self.buffers.line_buffer;
        line_buffer.restart();
        let mut search = LineSearch::new(self.config, self.finder, self.sink);
        let mut shared = SharedStream { line_buffer, stream, chunk_size: sizes.chunk, helpers };
        // Everything after the head is then still to be read from the stream.
        let shared_from = sizes.shared_from.max(head.bytes.len() as u64);
        let outcome = match search.begin_if_wanted() {
            ControlFlow::Continue(()) => shared.search(&mut search, head, shared_from),
            ControlFlow::Break(()) => Ok(Flow::Continue(())),
        };
        let nul = shared.line_buffer.nul();
        let searched = match outcome {
            Ok(Flow::Continue(())) => search.finish(nul),
            unfinished => {
                search.abandon(nul);
                unfinished.map(drop)
            }
        };
        searched.map(|()| Ending::Over)
    }
}

/// A stream that is searched with helpers once much has arrived.
struct SharedStream<'a> {
    line_buffer: &'a mut LineBuffer,
    stream: &'a Arc<dyn Stream>,
    chunk_size: usize,
    helpers: &'a mut dyn ChunkHelpers,
}

impl SharedStream<'_> {
    /// Searches `head` and the rest of the stream, with helpers from `shared_from` on. `Break` if
    /// the whole run is over.
    fn search<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        head: Head<'_>,
        shared_from: u64,
    ) -> io::Result<Flow> {
        let reader = &mut BlockingRead(&**self.stream);
        let mut feed = Feed::new(head, Source { reader, end: End::Stream });
        match search.pass_blocks(self.line_buffer, shared_from, &mut feed, None)? {
            Searched::Part if self.line_buffer.nul().is_none() => return self.share(search),
            Searched::Part => {
                search.pass_blocks(self.line_buffer, u64::MAX, &mut feed, None)?;
            }
            Searched::All => {}
        }
        Ok(Flow::Continue(()))
    }

    /// Searches the rest of the stream in chunks, starting with what is in the line buffer. `Break`
    /// if the whole run is over.
    fn share<S: Sink>(&mut self, search: &mut LineSearch<'_, S>) -> io::Result<Flow> {
        self.stream.widen();
        let (lines, incomplete) = (self.line_buffer.lines(), self.line_buffer.incomplete_line());
        let terminators = search.lines_before(lines, lines.len());
        let end = search.searched_to();
        let mut carry = Carry { end, terminators, ..Carry::default() };
        let consumed = search.roll(lines);
        let incomplete = incomplete.to_vec();
        // The buffer may hold many megabytes of context, and is not needed as long as this goes on.
        carry.kept = Kept::of(self.line_buffer.take_lines(), consumed);
        let config = search.config();
        let layout = Layout {
            is_counted: search.is_counted(),
            ..Layout::of_stream(config, self.helpers.count() + 1, self.chunk_size)
        };
        let stream = Arc::clone(self.stream);
        let chunks = Chunks::of_stream(stream, &incomplete, end, config.clone(), layout);
        let chunks = Arc::new(chunks);
        self.helpers.begin(&chunks);
        let stream_end = emit_stream(search, &mut carry, &chunks, self.helpers);
        chunks.close();
        self.helpers.end();
        match stream_end {
            StreamEnd::Complete => Ok(Flow::Continue(())),
            StreamEnd::Stopped => Ok(Flow::Break(())),
            StreamEnd::Error(error) => Err(error),
            StreamEnd::Fallback(read, error) => {
                self.line_buffer.resume(&carry.kept, carry.end - carry.kept.len() as u64);
                let rest = Rest { error, stream: BlockingRead(&**self.stream) };
                search.pass_blocks(self.line_buffer, u64::MAX, &mut read.chain(rest), None)?;
                Ok(Flow::Continue(()))
            }
        }
    }
}

/// The rest of a stream, after an error that may have been returned already.
struct Rest<'a> {
    error: Option<io::Error>,
    stream: BlockingRead<'a>,
}

impl Read for Rest<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.stream.read(buffer),
        }
    }
}
