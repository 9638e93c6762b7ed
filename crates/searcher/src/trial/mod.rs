//! Searches that are run in every way to read and compared with a slow, obvious one. Buffers and
//! chunks have a few bytes, since mistakes are at their edges. Used by this crate's tests and,
//! through the feature `trials`, by fuzz targets.

pub(crate) mod doubles;
mod record;
mod reference;
mod setup;

use std::{io, ops::Range, sync::Arc};

use heist_matcher::Finder;

pub(crate) use self::doubles::with_helpers;
pub use self::{
    doubles::Help,
    record::{Event, Record},
    setup::Trial,
};
use self::{
    doubles::{Interrupted, Memory, Pipe},
    reference::events,
};
use crate::{
    End, Searcher, Source, Stream,
    parallel::{FileCursor, StreamSizes},
};

/// A way of reading a haystack.
#[derive(Clone, Debug)]
pub enum Way {
    /// From memory.
    Slice,
    /// In reads of at most this many bytes. Each is interrupted once.
    Reads(usize, End),
    /// As a large file.
    Chunks {
        /// The size of a chunk.
        size: usize,
        /// The most bytes that a read returns.
        most: usize,
        /// How others help.
        help: Help,
    },
    /// As a pipe, with a writer that pauses.
    Stream {
        /// The number of bytes from which on it is cut into chunks.
        shared_from: u64,
        /// The size of a chunk.
        size: usize,
        /// The most bytes that each of successive reads returns, over and over.
        reads: Vec<usize>,
        /// The writer pauses at each of these bits, over and over.
        pauses: u64,
        /// How others help.
        help: Help,
    },
}

/// What a search emitted, and how.
#[derive(Debug)]
pub struct Outcome {
    /// The events, in order.
    pub events: Vec<Event>,
    /// For each block of lines, its matches.
    pub blocks: Vec<Vec<Range<usize>>>,
    /// The error with which the search ended.
    pub error: Option<io::ErrorKind>,
    /// Whether the haystack was cut into chunks.
    pub is_cut: bool,
    /// The lines that were accepted unread, and their known matches.
    pub unread: Vec<(Vec<u8>, Vec<Range<usize>>)>,
    /// How often a file was read from its start.
    pub begun: usize,
    /// Whether no route was taken but through chunks.
    pub is_from_chunks: bool,
    /// How many bytes of a stream were not read.
    pub left: usize,
}

/// A searcher and its finder, which search one haystack after the other.
#[derive(Debug)]
pub struct Worker {
    pub(crate) searcher: Searcher,
    pub(crate) finder: Finder,
}

impl Trial {
    /// A worker with buffers as large as this trial requires.
    #[must_use]
    pub fn worker(&self) -> Worker {
        let searcher = Searcher::with_sizes(self.config.clone(), self.head, self.capacity);
        Worker { searcher, finder: self.matcher.finder() }
    }

    /// A sink for this trial.
    #[must_use]
    pub fn record(&self) -> Record {
        Record { counts: self.counts, ..Record::new(self.wants_unmatched) }
    }

    /// The events of the slow, obvious search.
    #[must_use]
    pub fn expected(&self) -> Vec<Event> {
        events(self)
    }

    /// Runs the search.
    #[must_use]
    pub fn run(&self, worker: &mut Worker, way: &Way) -> Outcome {
        self.run_into(self.record(), worker, way)
    }

    /// Runs the search, which emits to `record`.
    #[must_use]
    pub fn run_into(&self, mut record: Record, worker: &mut Worker, way: &Way) -> Outcome {
        let Worker { searcher, finder } = worker;
        let (mut is_cut, mut begun, mut left) = (false, 0, 0);
        let into = &mut record;
        let searched = match way {
            Way::Slice => searcher.search_slice(finder, &self.bytes, into),
            Way::Reads(most, end) => {
                let file = Memory::new(self, *most);
                let reader = Interrupted::new(FileCursor { source: &file, offset: 0 });
                searcher.search(finder, Source { reader, end: *end }, into)
            }
            Way::Chunks { size, most, help } => {
                let file = Arc::new(Memory::new(self, *most));
                let source = Source { reader: Arc::clone(&file), end: End::EmptyRead };
                let searched = with_helpers(self, *help, |helpers| {
                    let searched = searcher.search_large(finder, source, *size, helpers, into);
                    is_cut = helpers.were_called;
                    searched
                });
                begun = file.begun();
                searched
            }
            Way::Stream { shared_from, size, reads, pauses, help } => {
                let pipe = Arc::new(Pipe::new(self, reads.clone(), *pauses));
                let stream = Arc::clone(&pipe) as Arc<dyn Stream>;
                let sizes = StreamSizes { shared_from: *shared_from, chunk: *size };
                let searched = with_helpers(self, *help, |helpers| {
                    let searched =
                        searcher.search_stream_with(finder, &stream, sizes, helpers, into);
                    is_cut = helpers.were_called;
                    searched
                });
                left = pipe.unread();
                searched
            }
        };
        let is_from_chunks =
            searcher.take_journey().is_some_and(|journey| journey.is_through_chunks());
        let error = searched.err().map(|error| error.kind());
        let Record { events, blocks, unread, .. } = record;
        Outcome { events, blocks, error, is_cut, unread, begun, is_from_chunks, left }
    }

    /// Runs the search.
    ///
    /// # Panics
    /// If it fails or emits other events than expected.
    pub fn check(&self, worker: &mut Worker, way: &Way, expected: &[Event]) -> Outcome {
        let outcome = self.run(worker, way);
        assert_eq!(outcome.error, None, "{way:?}: {}", self.describe());
        assert_eq!(outcome.events, expected, "{way:?}: {}", self.describe());
        outcome
    }
}
