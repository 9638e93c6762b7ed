//! How a haystack is read: at once if it is small, block by block otherwise.

use std::io::{self, Read};

use encoding_rs_io::DecodeReaderBytesBuilder;
use heist_matcher::Finder;

use crate::{
    BinaryPolicy, Config, Encoding, Sink,
    blocks::search_blocks,
    rolling::{CAPACITY, RollingBuffer},
    slice,
    source::{End, Feed, PEEK, Source, read_some},
};

/// The first read of a haystack, in bytes. Larger than 99 % of the files of a source tree, so that one read takes them.
///
/// Perf (2 cores, corpus `linux`, warm, one worker, no match): 64 KiB to 1 MiB differ by less than the noise.
const HEAD: usize = 128 << 10;

/// The buffer that UTF-16 is decoded from, in bytes; its size shows in the blocks of a haystack with NUL bytes.
const DECODE: usize = 8 << 10;

/// The length of a UTF-8 byte order mark, in bytes.
const UTF8_BOM_LEN: usize = 3;

/// Searches one haystack after the other. Each worker has its own, for its buffers: they are allocated when first
/// needed and kept, so that in the steady state a haystack costs no allocation.
#[derive(Debug)]
pub struct Searcher {
    config: Config,
    /// The first bytes of a haystack, often all.
    head: Vec<u8>,
    /// The size `head` is given on first use.
    head_size: usize,
    blocks: Blocks,
}

impl Searcher {
    /// A searcher without buffers yet.
    #[must_use]
    pub fn new(config: Config) -> Searcher {
        Searcher::with_sizes(config, HEAD, CAPACITY)
    }

    /// As [`new`](Searcher::new), reading `head_size` bytes first and then through a buffer of `capacity` bytes.
    pub(crate) fn with_sizes(config: Config, head_size: usize, capacity: usize) -> Searcher {
        let blocks = Blocks { rolling: RollingBuffer::new(capacity), raw: Vec::new() };
        Searcher { config, head: Vec::new(), head_size, blocks }
    }

    /// Search what `source` gives and tell `sink`.
    ///
    /// Lines are told as soon as they have been read, also those of a stream that goes on.
    ///
    /// # Errors
    /// Those of the reader, after `finish` if anything was told. An interrupted read is tried again.
    pub fn search<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        mut source: Source<R>,
        sink: &mut S,
    ) -> io::Result<()> {
        let Searcher { config, head, head_size, blocks } = self;
        if head.is_empty() {
            // Fresh from the allocator: pages nobody has read into are never touched.
            *head = vec![0; *head_size];
        }
        let (len, whole) = read_head(&mut source, head)?;
        if whole {
            return blocks.search_slice(config, finder, &head[..len], source.binary, sink);
        }
        blocks.search_rest(config, finder, &head[..len], source, sink)
    }

    /// Search a haystack that is in memory. Tells what [`search`](Searcher::search) tells for a file of these bytes.
    pub fn search_slice<S: Sink>(
        &mut self,
        finder: &mut Finder,
        bytes: &[u8],
        binary: BinaryPolicy,
        sink: &mut S,
    ) {
        // Reading from memory does not fail.
        let _ = self.blocks.search_slice(&self.config, finder, bytes, binary, sink);
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

/// How the first bytes of a haystack say it is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As it is.
    Raw,
    /// Without its first bytes, a UTF-8 byte order mark.
    Utf8,
    /// Decoded.
    Utf16,
}

impl Form {
    fn of(config: &Config, head: &[u8]) -> Form {
        match head {
            _ if config.encoding == Encoding::None => Form::Raw,
            [0xEF, 0xBB, 0xBF, ..] => Form::Utf8,
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Form::Utf16,
            _ => Form::Raw,
        }
    }
}

/// What searching block by block needs.
#[derive(Debug)]
struct Blocks {
    rolling: RollingBuffer,
    /// Raw bytes on their way to the decoder.
    raw: Vec<u8>,
}

impl Blocks {
    fn search_slice<S: Sink>(
        &mut self,
        config: &Config,
        finder: &mut Finder,
        bytes: &[u8],
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> io::Result<()> {
        let (text, peek) = match Form::of(config, bytes) {
            Form::Raw => (bytes, PEEK),
            Form::Utf8 => (&bytes[UTF8_BOM_LEN..], 0),
            Form::Utf16 => {
                let feed = Feed::replay(bytes, 0);
                return self.search_decoded(config, finder, feed, binary, sink);
            }
        };
        slice::search(config, &mut self.rolling, finder, (text, peek), binary, sink);
        Ok(())
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
        let feed = match Form::of(config, head) {
            Form::Raw => Feed::new(head, source, PEEK),
            Form::Utf8 => Feed::new(&head[UTF8_BOM_LEN..], source, 0),
            Form::Utf16 => {
                let feed = Feed::new(head, source, 0);
                return self.search_decoded(config, finder, feed, binary, sink);
            }
        };
        search_blocks(config, &mut self.rolling, finder, feed, binary, sink)
    }

    fn search_decoded<R: Read, S: Sink>(
        &mut self,
        config: &Config,
        finder: &mut Finder,
        feed: Feed<'_, R>,
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> io::Result<()> {
        self.raw.resize(DECODE, 0);
        let decoder = DecodeReaderBytesBuilder::new()
            .strip_bom(true)
            .build_with_buffer(feed, self.raw.as_mut_slice())?;
        search_blocks(config, &mut self.rolling, finder, decoder, binary, sink)
    }
}
