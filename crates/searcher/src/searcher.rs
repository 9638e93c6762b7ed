//! How a haystack is read: at once if it is small or matches may span lines, block by block otherwise.

use std::io::{self, Read};

use heist_matcher::Finder;

use crate::{
    BinaryPolicy, Config, Sink,
    blocks::search_blocks,
    decode::{Form, decoder},
    multiline,
    rolling::{CAPACITY, RollingBuffer},
    slice,
    source::{End, Feed, PEEK, Source, read_some},
};

/// The first read of a haystack, in bytes. Larger than 99 % of the files of a source tree, so that one read takes them.
///
/// Perf (2 cores, corpus `linux`, warm, one worker, no match): 64 KiB to 1 MiB differ by less than the noise.
const HEAD: usize = 128 << 10;

/// A buffer for whole haystacks that grew beyond this many bytes is given back when it was searched.
const KEPT: usize = 4 << 20;

/// Searches one haystack after the other. Each worker has its own, for its buffers: they are allocated when first
/// needed and kept, so that in the steady state a haystack costs no allocation.
///
/// A haystack passes through a buffer of 64 KiB, which a line that is longer makes grow up to three times its length.
/// Where [matches may span lines](heist_matcher::Matcher::spans_lines) the whole haystack is in memory.
#[derive(Debug)]
pub struct Searcher {
    config: Config,
    /// The first bytes of a haystack, often all.
    head: Vec<u8>,
    /// The size `head` is given on first use.
    head_size: usize,
    buffers: Buffers,
}

impl Searcher {
    /// A searcher without buffers yet.
    #[must_use]
    pub fn new(config: Config) -> Searcher {
        Searcher::with_sizes(config, HEAD, CAPACITY)
    }

    /// As [`new`](Searcher::new), reading `head_size` bytes first and then through a buffer of `capacity` bytes.
    pub(crate) fn with_sizes(config: Config, head_size: usize, capacity: usize) -> Searcher {
        let rolling = RollingBuffer::new(capacity);
        let buffers = Buffers { rolling, raw: Vec::new(), whole: Vec::new() };
        Searcher { config, head: Vec::new(), head_size, buffers }
    }

    /// Search what `source` gives and tell `sink`.
    ///
    /// Lines are told as soon as they have been read, also those of a stream that goes on; where matches may span lines,
    /// when all has been read.
    ///
    /// # Errors
    /// Those of the reader and [failures of the engine](Finder::take_failure), after `abandon` if anything was told. An
    /// interrupted read is tried again.
    pub fn search<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        mut source: Source<R>,
        sink: &mut S,
    ) -> io::Result<()> {
        let Searcher { config, head, head_size, buffers } = self;
        if head.is_empty() {
            // Fresh from the allocator: pages nobody has read into are never touched.
            *head = vec![0; *head_size];
        }
        let (len, is_whole) = read_head(&mut source, head)?;
        if is_whole {
            return buffers.search_slice(config, finder, &head[..len], source.binary, sink);
        }
        buffers.search_rest(config, finder, &head[..len], source, sink)
    }

    /// Search a haystack that is in memory. Tells what [`search`](Searcher::search) tells for a file of these bytes.
    ///
    /// # Errors
    /// Failures of the engine, after `abandon` if anything was told.
    pub fn search_slice<S: Sink>(
        &mut self,
        finder: &mut Finder,
        bytes: &[u8],
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> io::Result<()> {
        self.buffers.search_slice(&self.config, finder, bytes, binary, sink)
    }
}

/// Read the first bytes of a haystack, as many as `head` takes and come without waiting for a stream's writer. Gives
/// their number and whether they are all there is.
fn read_head<R: Read>(source: &mut Source<R>, head: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut len = 0;
    while len < head.len() {
        let got = match read_some(&mut source.reader, &mut head[len..]) {
            Ok(got) => got,
            // What has been read is searched first; reading on gives the error again.
            Err(_) if len > 0 => return Ok((len, false)),
            Err(error) => return Err(error),
        };
        len += got;
        if got == 0 || (len < head.len() && source.end.shows_at(len)) {
            return Ok((len, true));
        }
        if source.end == End::Stream && len >= PEEK {
            break;
        }
    }
    Ok((len, false))
}

/// What a search needs besides the first bytes of a haystack.
#[derive(Debug)]
struct Buffers {
    rolling: RollingBuffer,
    /// Raw bytes on their way to the decoder.
    raw: Vec<u8>,
    /// A whole haystack, decoded, in a search whose matches may span lines.
    whole: Vec<u8>,
}

impl Buffers {
    fn search_slice<S: Sink>(
        &mut self,
        config: &Config,
        finder: &mut Finder,
        bytes: &[u8],
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> io::Result<()> {
        let form = Form::of_whole(config, bytes, binary);
        let (text, peek) = form.unmarked(bytes);
        if form == Form::Decoded {
            return self.search_feed(
                config,
                finder,
                (Feed::replay(text, peek), form),
                binary,
                sink,
            );
        }
        if finder.matcher().spans_lines() {
            return multiline::search(config, finder, text, binary, sink);
        }
        slice::search(config, &mut self.rolling, finder, (text, peek), binary, sink)
    }

    /// Search a haystack of which `head` is only the beginning.
    fn search_rest<R: Read, S: Sink>(
        &mut self,
        config: &Config,
        finder: &mut Finder,
        head: &[u8],
        source: Source<R>,
        sink: &mut S,
    ) -> io::Result<()> {
        let binary = source.binary;
        let form = Form::of(config, head);
        let (head, peek) = form.unmarked(head);
        self.search_feed(config, finder, (Feed::new(head, source, peek), form), binary, sink)
    }

    fn search_feed<R: Read, S: Sink>(
        &mut self,
        config: &Config,
        finder: &mut Finder,
        (feed, form): (Feed<'_, R>, Form),
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> io::Result<()> {
        let Buffers { rolling, raw, whole } = self;
        let spans_lines = finder.matcher().spans_lines();
        match (form, spans_lines) {
            (Form::Decoded, false) => {
                let feed = decoder(config, feed, raw)?;
                return search_blocks(config, rolling, finder, feed, binary, sink);
            }
            (_, false) => return search_blocks(config, rolling, finder, feed, binary, sink),
            (Form::Decoded, true) => read_whole(decoder(config, feed, raw)?, whole)?,
            (_, true) => read_whole(feed, whole)?,
        }
        let searched = multiline::search(config, finder, whole, binary, sink);
        whole.clear();
        whole.shrink_to(KEPT);
        searched
    }
}

/// Read all that `reader` gives.
fn read_whole<R: Read>(mut reader: R, whole: &mut Vec<u8>) -> io::Result<()> {
    whole.clear();
    reader.read_to_end(whole).map(drop)
}
