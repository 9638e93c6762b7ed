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

use heist_matcher::Finder;

use super::{
    chunks::{ChunkHelpers, Chunks},
    emit::{Carry, Kept, StreamEnd, emit_stream},
    layout::{LARGE, Layout},
    stream::{BlockingRead, Stream},
};
use crate::{
    Flow, SearchConfig, Sink,
    block_search::{Searched, pass_blocks},
    line_buffer::LineBuffer,
    line_search::{LineSearch, failure_as_error},
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

/// The search of a stream.
pub(crate) struct StreamSearch<'a> {
    pub(crate) config: &'a SearchConfig,
    pub(crate) line_buffer: &'a mut LineBuffer,
    pub(crate) sizes: StreamSizes,
}

impl StreamSearch<'_> {
    /// Searches everything that `feed` returns; after its head it reads `stream`.
    pub(crate) fn search<S: Sink>(
        &mut self,
        finder: &mut Finder,
        feed: &mut dyn Read,
        stream: &Arc<dyn Stream>,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        self.line_buffer.restart();
        let mut search = LineSearch::new(self.config, finder, sink);
        let outcome = match search.begin_if_wanted() {
            ControlFlow::Continue(()) => self.search_all(&mut search, feed, stream, helpers),
            ControlFlow::Break(()) => Ok(Flow::Continue(())),
        };
        match outcome {
            Ok(Flow::Continue(())) => failure_as_error(search.finish(self.line_buffer.nul())),
            unfinished => {
                search.abandon(self.line_buffer.nul());
                unfinished.map(drop)
            }
        }
    }

    /// `Break` if the whole run is over.
    fn search_all<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        feed: &mut dyn Read,
        stream: &Arc<dyn Stream>,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<Flow> {
        match self.pass(search, feed, self.sizes.shared_from)? {
            Searched::Part if self.line_buffer.nul().is_none() => {
                self.share(search, stream, helpers)
            }
            Searched::Part => self.pass(search, feed, u64::MAX).map(|_| Flow::Continue(())),
            Searched::All => Ok(Flow::Continue(())),
        }
    }

    fn pass<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        reader: &mut dyn Read,
        until: u64,
    ) -> io::Result<Searched> {
        pass_blocks(self.config, self.line_buffer, search, reader, None, until)
    }

    /// Searches the rest of `stream` in chunks, starting with what is in the line buffer. `Break`
    /// if the whole run is over.
    fn share<S: Sink>(
        &mut self,
        search: &mut LineSearch<'_, S>,
        stream: &Arc<dyn Stream>,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<Flow> {
        stream.widen();
        let (lines, incomplete) = (self.line_buffer.lines(), self.line_buffer.incomplete_line());
        let terminators = search.lines_before(lines, lines.len());
        let end = search.searched_to();
        let mut carry = Carry { end, terminators, ..Carry::default() };
        let consumed = search.roll(lines);
        let incomplete = incomplete.to_vec();
        // The buffer may hold many megabytes of context, and is not needed as long as this goes on.
        carry.kept = Kept::of(self.line_buffer.take_lines(), consumed);
        let layout = Layout {
            is_counted: search.is_counted(),
            ..Layout::of_stream(self.config, helpers.count() + 1, self.sizes.chunk)
        };
        let config = self.config.clone();
        let chunks = Chunks::of_stream(Arc::clone(stream), &incomplete, end, config, layout);
        let chunks = Arc::new(chunks);
        helpers.begin(&chunks);
        let stream_end = emit_stream(self.config, search, &mut carry, &chunks, helpers);
        chunks.close();
        helpers.end();
        match stream_end {
            StreamEnd::Complete => Ok(Flow::Continue(())),
            StreamEnd::Stopped => Ok(Flow::Break(())),
            StreamEnd::Error(error) => Err(error),
            StreamEnd::Fallback(read, error) => {
                self.line_buffer.resume(&carry.kept, carry.end - carry.kept.len() as u64);
                let rest = Rest { error, stream: BlockingRead(&**stream) };
                self.pass(search, &mut read.chain(rest), u64::MAX)?;
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
