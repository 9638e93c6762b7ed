//! How a haystack is read: at once if it is small or matches may span lines, block by block otherwise.

use std::{
    fs,
    io::{self, Read},
    sync::Arc,
};

use heist_matcher::Finder;
use memchr::memchr;

use crate::{
    BinaryPolicy, ChunkHelpers, FileRead, LARGE, ReadAt, SearchConfig, Sink, Stream,
    aligned::AlignedBytes,
    block_search::search_blocks,
    decode::{Form, decoder},
    line_buffer::{CAPACITY, LineBuffer},
    line_search::is_counted,
    multiline::{self, EARLY},
    parallel::{
        self, BlockingRead, CHUNK_SIZE, Chunks, Emitted, FileCursor, Layout, STREAM_CHUNK_SIZE,
        SkipFirst, StreamSearch, emit_spans,
    },
    slice_search,
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
/// A haystack passes through a buffer of 64 KiB, which a line that is longer makes grow up to three times its length; a
/// large one may go in [chunks](Chunks) of 1 MiB, if there are [`ChunkHelpers`]. Where
/// [matches may span lines](heist_matcher::Matcher::spans_lines) it is in memory as a whole, unless they come to an end
/// somewhere and it is searched in chunks.
#[derive(Debug)]
pub struct Searcher {
    config: SearchConfig,
    /// The first bytes of a haystack, often all.
    head: AlignedBytes,
    /// The size `head` is given on first use.
    head_size: usize,
    buffers: Buffers,
}

impl Searcher {
    /// A searcher without buffers yet.
    #[must_use]
    pub fn new(config: SearchConfig) -> Searcher {
        Searcher::with_sizes(config, HEAD, CAPACITY)
    }

    /// As [`new`](Searcher::new), reading `head_size` bytes first and then through a buffer of `capacity` bytes.
    pub(crate) fn with_sizes(config: SearchConfig, head_size: usize, capacity: usize) -> Searcher {
        let line_buffer = LineBuffer::new(capacity);
        let buffers = Buffers { line_buffer, raw: Vec::new(), whole: Vec::new() };
        Searcher { config, head: AlignedBytes::default(), head_size, buffers }
    }

    /// Search what `source` gives and emit `sink`.
    ///
    /// Lines are emitted as soon as they have been read, also those of a stream that goes on; where matches may span lines,
    /// when all has been read.
    ///
    /// # Errors
    /// Those of the reader and [failures of the engine](Finder::take_failure), after `abandon` if anything was emitted. An
    /// interrupted read is tried again.
    pub fn search<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<R>,
        sink: &mut S,
    ) -> io::Result<()> {
        self.search_unless(finder, source, |_| None, sink).map(drop)
    }

    /// As [`search`](Searcher::search), with others who may help if the file is large. What is emitted is the same.
    ///
    /// # Errors
    /// As there.
    pub fn search_file<R: FileRead, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<R>,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Source { binary, end, .. } = source;
        // In chunks a file need not be in memory as a whole.
        let is_cut = helpers.count() > 0 || finder.matcher().reach().is_some();
        let large = |reader: &R| if is_cut { large_file(reader) } else { None };
        let Some(file) = self.search_unless(finder, source, large, sink)? else {
            return Ok(());
        };
        let source = Source { reader: Arc::new(file), binary, end };
        self.search_large(finder, source, CHUNK_SIZE, helpers, sink)
    }

    /// As [`search`](Searcher::search), with others who may help when much has come. What is emitted is the same, as soon as it
    /// has come.
    ///
    /// # Errors
    /// As there.
    pub fn search_stream<S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<Arc<dyn Stream>>,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        self.search_stream_by(finder, source, (LARGE, STREAM_CHUNK_SIZE), helpers, sink)
    }

    /// The same where `much` are so many bytes, and chunks are of `size`.
    pub(crate) fn search_stream_by<S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<Arc<dyn Stream>>,
        (much, size): (u64, usize),
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Source { reader, binary, end } = source;
        let mut source = Source { reader: BlockingRead(&*reader), binary, end };
        let Searcher { config, head, head_size, buffers } = self;
        let (len, is_whole) = read_head(&mut source, head, *head_size)?;
        let head = &head[..len];
        if is_whole {
            return buffers.search_slice(config, finder, head, binary, sink);
        }
        let form = Form::of(config, head);
        if form == Form::Decoded || finder.matcher().spans_lines() {
            return buffers.search_rest(config, finder, head, source, sink);
        }
        let (head, peek) = form.unmarked(head);
        let mut feed = Feed::new(head, source, peek);
        // Only then is the rest all that the stream gives.
        let much = much.max(head.len() as u64);
        let mut streamed =
            StreamSearch { config, line_buffer: &mut buffers.line_buffer, binary, much, size };
        streamed.search(finder, (&mut feed, &reader), helpers, sink)
    }

    /// Search what `source` gives unless there is more than its first bytes and `large` gives a file for it, of which
    /// nothing has been emitted then.
    fn search_unless<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        mut source: Source<R>,
        large: impl FnOnce(&R) -> Option<fs::File>,
        sink: &mut S,
    ) -> io::Result<Option<fs::File>> {
        let Searcher { config, head, head_size, buffers } = self;
        let (len, is_whole) = read_head(&mut source, head, *head_size)?;
        let head = &head[..len];
        if is_whole {
            buffers.search_slice(config, finder, head, source.binary, sink)?;
            return Ok(None);
        }
        let file = large(&source.reader);
        if file.is_none() {
            buffers.search_rest(config, finder, head, source, sink)?;
        }
        Ok(file)
    }

    /// Search a file in chunks of `size` bytes as far as that can be done, block by block where it cannot.
    pub(crate) fn search_large<F: ReadAt + 'static, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<Arc<F>>,
        size: usize,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Source { reader: file, binary, end } = source;
        let from_start =
            || Source { reader: FileCursor { source: &*file, offset: 0 }, binary, end };
        let Searcher { config, head, head_size, buffers } = self;
        let (spans_lines, can_span) =
            (finder.matcher().spans_lines(), finder.matcher().reach().is_some());
        let head_size = if can_span { (*head_size).max(PEEK + EARLY) } else { *head_size };
        let (len, _) = read_head(&mut from_start(), head, head_size)?;
        let head = &head[..len];
        let form = Form::of(config, head);
        let text = form.unmarked(head).0;
        let start = len - text.len();
        let sizes = (buffers.line_buffer.capacity(), size);
        let layout = Layout {
            is_counted: is_counted(config, sink),
            ..Layout::new(config, binary, (start, helpers.count() + 1), sizes)
        };
        let has_nul = || layout.detects_nul && memchr(0, head).is_some();
        let mut emitted = 0;
        if form != Form::Decoded && (can_span || !spans_lines && !has_nul()) {
            let source = Arc::clone(&file) as Arc<dyn ReadAt>;
            let chunks = Arc::new(Chunks::new(source, config.clone(), layout));
            helpers.begin(&chunks);
            let outcome = match spans_lines {
                true => emit_spans(config, (text, binary), finder, &chunks, helpers, sink),
                false => parallel::emit(config, finder, &chunks, helpers, sink),
            };
            helpers.end();
            match outcome {
                Emitted::All(result) => return result,
                Emitted::Events(events) => emitted = events,
            }
        }
        let searched = self.search(finder, from_start(), &mut SkipFirst::new(sink, emitted));
        if searched.is_err() && spans_lines && emitted > 0 {
            // What could not be read as a whole emitted nothing, not even its end.
            sink.abandon();
        }
        searched
    }

    /// Search a haystack that is in memory. Emits what [`search`](Searcher::search) emits for a file of these bytes.
    ///
    /// # Errors
    /// Failures of the engine, after `abandon` if anything was emitted.
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

/// Read the first bytes of a haystack, as many as `size` and come without waiting for a stream's writer. Gives
/// their number and whether they are all there is.
///
/// Files of the kernel that give numbers, 8 bytes each, refuse reads of other lengths. One that maps all addresses of a
/// process has 256 GiB of them (`pagemap`, proc(5)), and emits nobody how long it is. ripgrep meets the refusal, because
/// its first read is of three bytes; so the first read of a file that may be such a one is odd here as well.
fn read_head<R: Read>(
    source: &mut Source<R>,
    head: &mut AlignedBytes,
    size: usize,
) -> io::Result<(usize, bool)> {
    head.grow(size);
    let mut len = 0;
    while len < head.len() {
        let is_odd = len == 0 && source.end == End::EmptyRead && head.len() > 1;
        let most = head.len() - usize::from(is_odd);
        let got = match read_some(&mut source.reader, &mut head[len..most]) {
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

/// What `reader` reads, if it is a file large enough to be cut into chunks.
fn large_file(reader: &impl FileRead) -> Option<fs::File> {
    let file = reader.share().ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && metadata.len() >= LARGE).then_some(file)
}

/// What a search needs besides the first bytes of a haystack.
#[derive(Debug)]
struct Buffers {
    line_buffer: LineBuffer,
    /// Raw bytes on their way to the decoder.
    raw: Vec<u8>,
    /// A whole haystack, decoded, in a search whose matches may span lines.
    whole: Vec<u8>,
}

impl Buffers {
    fn search_slice<S: Sink>(
        &mut self,
        config: &SearchConfig,
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
        slice_search::search(config, &mut self.line_buffer, finder, (text, peek), binary, sink)
    }

    /// Search a haystack of which `head` is only the beginning.
    fn search_rest<R: Read, S: Sink>(
        &mut self,
        config: &SearchConfig,
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
        config: &SearchConfig,
        finder: &mut Finder,
        (feed, form): (Feed<'_, R>, Form),
        binary: BinaryPolicy,
        sink: &mut S,
    ) -> io::Result<()> {
        let Buffers { line_buffer, raw, whole } = self;
        let spans_lines = finder.matcher().spans_lines();
        match (form, spans_lines) {
            (Form::Decoded, false) => {
                let feed = decoder(config, feed, raw)?;
                return search_blocks(config, line_buffer, finder, feed, binary, sink);
            }
            (_, false) => return search_blocks(config, line_buffer, finder, feed, binary, sink),
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
