//! The search of one haystack: what all ways to search it need.

use heist_matcher::Finder;

use crate::{
    SearchConfig, aligned::AlignedBytes, journey::Journey, line_buffer::LineBuffer,
    surroundings::Scratch,
};

/// The settings of a search, its engine, its buffers, and what receives its events.
pub(crate) struct Search<'a, S> {
    pub(crate) config: &'a SearchConfig,
    pub(crate) finder: &'a mut Finder,
    pub(crate) buffers: &'a mut Buffers,
    pub(crate) sink: &'a mut S,
}

/// The buffers that a search needs after the first bytes of a haystack, and what a searcher keeps
/// from one haystack to the next.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) line_buffer: LineBuffer,
    /// Raw bytes on their way to the decoder, or that are looked through.
    pub(crate) raw: AlignedBytes,
    /// A whole haystack, in a search with matches that may span lines or have surroundings.
    pub(crate) whole: Vec<u8>,
    pub(crate) surroundings: Scratch,
    /// The routes of the last haystack.
    pub(crate) journey: Option<Journey>,
}

impl Buffers {
    /// Buffers that are not allocated yet, with a line buffer of `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Buffers {
        let line_buffer = LineBuffer::new(capacity);
        let (raw, surroundings) = Default::default();
        Buffers { line_buffer, raw, whole: Vec::new(), surroundings, journey: None }
    }
}
