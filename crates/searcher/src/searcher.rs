//! The searcher: reads a haystack and picks the way in which it is searched.
//!
//! | haystack | searched by |
//! |---|---|
//! | in memory, or fits into the first read | `slice_search` |
//! | larger | `block_search`, through the line buffer; first, `look_through` may rule out a match |
//! | a large file, and other workers help or matches have a bounded reach | `parallel` |
//! | a stream of which much has arrived | `parallel::stream_search` |
//! | matches may span lines | `multiline`, in memory as a whole or in chunks |

use std::{
    fs,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use heist_matcher::Finder;

use crate::{
    BinaryPolicy, ChunkHelpers, FileRead, LARGE, NoHelpers, ReadAt, SearchConfig, Sink, Stop,
    Stream,
    aligned::AlignedBytes,
    buffers::{Buffers, needs_whole},
    decode::Form,
    large::LargeFile,
    line_buffer::CAPACITY,
    look_through::LookThrough,
    multiline::NUL_CHECK_BYTES,
    parallel::{
        BlockingRead, FileCursor, SkipFirst, StreamSearch, StreamSizes, chunk_size, survey_of,
    },
    rule_out::RuleOut,
    source::{End, Feed, PEEK, Source, read_some},
};

/// How many bytes are read from a haystack first. 99 % of the files in a source tree have fewer, so
/// one read takes them.
///
/// Perf: 64 KiB to 1 MiB differ by less than the noise, see docs/decisions/0042-first-read.md.
pub(crate) const HEAD: usize = 128 << 10;

/// Searches one haystack after the other.
///
/// Each worker owns a searcher for the sake of its buffers: they are allocated on first use and
/// kept, so that in the steady state a haystack costs no allocation.
///
/// A haystack passes through a buffer of 64 KiB. A longer line makes it grow up to three times the
/// line's length, but not if the line cannot match and the file is large. Where [matches may span
/// lines](heist_matcher::Matcher::spans_lines) the haystack is read into memory as a whole, unless
/// it is bounded how far a match reaches and it can be searched in [chunks](crate::Chunks).
///
/// # Examples
///
/// ```no_run
/// use heist_matcher::Matcher;
/// use heist_searcher::{Flow, Searcher, sinks::Lossy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let matcher = Matcher::new(&["TODO".to_owned()], &Default::default())?;
/// let mut finder = matcher.finder();
/// let mut searcher = Searcher::default();
/// for path in ["src/lib.rs", "src/main.rs"] {
///     searcher.search_path(
///         &mut finder,
///         path,
///         &mut Lossy::new(|number, line| {
///             print!("{path}:{number}:{line}");
///             Flow::Continue(())
///         }),
///     )?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Searcher {
    config: SearchConfig,
    /// The first bytes of a haystack, often the whole haystack.
    head: AlignedBytes,
    /// The size that `head` gets on first use.
    head_size: usize,
    buffers: Buffers,
}

impl Default for Searcher {
    fn default() -> Searcher {
        Searcher::new(SearchConfig::default())
    }
}

impl Searcher {
    /// Returns a searcher. Its buffers are not allocated yet.
    #[must_use]
    pub fn new(config: SearchConfig) -> Searcher {
        Searcher::with_sizes(config, HEAD, CAPACITY)
    }

    /// As [`new`](Searcher::new), with a first read of `head_size` bytes and a line buffer of
    /// `capacity` bytes.
    pub(crate) fn with_sizes(config: SearchConfig, head_size: usize, capacity: usize) -> Searcher {
        let buffers = Buffers::new(capacity);
        Searcher { config, head: AlignedBytes::default(), head_size, buffers }
    }

    /// Sets what a NUL byte means in the haystacks that follow.
    pub fn set_binary(&mut self, binary: BinaryPolicy) {
        self.config.binary = binary;
    }

    /// Sets what ends the haystacks that follow early; `None` if nothing does.
    pub fn set_stop(&mut self, stop: Option<Stop>) {
        self.buffers.line_buffer.stop = stop;
    }

    /// Sets the next haystack's path, which determines the [rules](crate::FunctionRules) for its
    /// functions.
    pub fn set_path(&mut self, path: &[u8]) {
        if self.config.surroundings.is_some() {
            self.buffers.surroundings.path.clear();
            self.buffers.surroundings.path.extend_from_slice(path);
        }
    }

    /// Searches the file at `path`.
    ///
    /// # Errors
    /// The file cannot be opened, or an error that [`search`](Searcher::search) returns.
    pub fn search_path<S: Sink>(
        &mut self,
        finder: &mut Finder,
        path: impl AsRef<Path>,
        sink: &mut S,
    ) -> io::Result<()> {
        let file = fs::File::open(path)?;
        let source = Source::file(&file)?;
        if source.end == End::Stream {
            return self.search(finder, source, sink);
        }
        self.search_shared(finder, source, &mut NoHelpers, sink)
    }

    /// Searches `file` from its current position to its end, whatever kind of file it is.
    ///
    /// # Errors
    /// An error that [`search`](Searcher::search) returns for the file.
    pub fn search_file<S: Sink>(
        &mut self,
        finder: &mut Finder,
        file: &fs::File,
        sink: &mut S,
    ) -> io::Result<()> {
        self.search(finder, Source::file(file)?, sink)
    }

    /// Searches everything that `reader` returns. Lines are emitted as soon as they have been read.
    ///
    /// # Errors
    /// An error that [`search`](Searcher::search) returns for the reader.
    pub fn search_reader<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        reader: R,
        sink: &mut S,
    ) -> io::Result<()> {
        self.search(finder, Source::reader(reader), sink)
    }

    /// Searches a haystack in memory. The events are the same as for a file with these bytes.
    ///
    /// # Errors
    /// The engine has failed, after [`Sink::abandon`] if anything was emitted, or the sink has an
    /// error.
    pub fn search_slice<S: Sink>(
        &mut self,
        finder: &mut Finder,
        bytes: &[u8],
        sink: &mut S,
    ) -> io::Result<()> {
        let searched = self.buffers.search_slice(&self.config, finder, bytes, sink);
        finish(searched, sink)
    }

    /// Searches `source`.
    ///
    /// Lines are emitted as soon as they have been read, also from a stream that goes on; if
    /// matches may span lines, after everything has been read.
    ///
    /// # Errors
    /// The reader's errors and [the engine's failures](Finder::take_failure), both after
    /// [`Sink::abandon`] if anything was emitted, and the sink's error. Interrupted reads are
    /// repeated. What was read before an error is searched, except for an incomplete last line:
    /// that one is searched too if the error is [`io::ErrorKind::InvalidData`], as decoders return
    /// it for damaged files.
    pub fn search<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<R>,
        sink: &mut S,
    ) -> io::Result<()> {
        let searched = self.search_unless(finder, source, |_| None, None, sink).map(drop);
        finish(searched, sink)
    }

    /// As [`search`](Searcher::search), with helpers in case the file is large. The events are the
    /// same. A file that is larger than the first read is searched from its start, which must be
    /// where `source` is.
    ///
    /// # Errors
    /// An error that [`search`](Searcher::search) returns, too.
    pub fn search_shared<R: FileRead, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<R>,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let end = source.end;
        let searched = match self.search_unless(finder, source, regular_file, None, sink) {
            Ok(Some(RegularFile { file, len })) => {
                let size = chunk_size(len);
                let source = Source { reader: Arc::new(file), end };
                self.search_large(finder, source, size, helpers, sink)
            }
            searched => searched.map(drop),
        };
        finish(searched, sink)
    }

    /// As [`search`](Searcher::search), with helpers in case much arrives from `stream`. The events
    /// are the same, and are emitted as soon as their bytes have arrived.
    ///
    /// # Errors
    /// An error that [`search`](Searcher::search) returns for the stream.
    pub fn search_stream<S: Sink>(
        &mut self,
        finder: &mut Finder,
        stream: &Arc<dyn Stream>,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let sizes = StreamSizes::DEFAULT;
        finish(self.search_stream_with(finder, stream, sizes, helpers, sink), sink)
    }

    /// As [`search_stream`](Searcher::search_stream), with chunks of other sizes, and without the
    /// sink's error.
    pub(crate) fn search_stream_with<S: Sink>(
        &mut self,
        finder: &mut Finder,
        stream: &Arc<dyn Stream>,
        sizes: StreamSizes,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let mut source = Source { reader: BlockingRead(&**stream), end: End::Stream };
        let Searcher { config, head, head_size, buffers } = self;
        let (len, is_whole) = read_head(&mut source, head, *head_size)?;
        let head = &head[..len];
        if is_whole {
            return buffers.search_slice(config, finder, head, sink);
        }
        let form = Form::of(config, head);
        if form == Form::Decoded || needs_whole(config, finder) {
            return buffers.search_rest(config, finder, head, source.erased(), None, sink);
        }
        let head = form.text(head);
        // Everything after the head is then still to be read from the stream.
        let shared_from = sizes.shared_from.max(head.bytes.len() as u64);
        let mut feed = Feed::new(head, source.erased());
        let sizes = StreamSizes { shared_from, ..sizes };
        let mut search = StreamSearch { config, line_buffer: &mut buffers.line_buffer, sizes };
        search.search(finder, &mut feed, stream, helpers, sink)
    }

    /// Searches `source`, unless more follows its first bytes and `shared` returns a large file for
    /// it. Nothing has been emitted for the file that this returns. Long lines may be read `again`.
    fn search_unless<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        mut source: Source<R>,
        shared: impl FnOnce(&R) -> Option<RegularFile>,
        again: Option<&dyn ReadAt>,
        sink: &mut S,
    ) -> io::Result<Option<RegularFile>> {
        let Searcher { config, head, head_size, buffers } = self;
        let (len, is_whole) = read_head(&mut source, head, *head_size)?;
        let head = &head[..len];
        if is_whole {
            buffers.search_slice(config, finder, head, sink)?;
            return Ok(None);
        }
        if config.surroundings.is_none()
            && let Some(shared) = shared(&source.reader)
        {
            if shared.len >= LARGE {
                return Ok(Some(shared));
            }
            let look = LookThrough { config, head, file: &shared.file, end: source.end };
            if look.finds_nothing(finder, &mut buffers.raw, sink) {
                return Ok(None);
            }
        }
        buffers.search_rest(config, finder, head, source.erased(), again, sink)?;
        Ok(None)
    }

    /// Searches a file in chunks of `size` bytes as far as that is possible, and block by block if
    /// it is not.
    pub(crate) fn search_large<F: ReadAt + 'static, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<Arc<F>>,
        size: usize,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Source { reader: file, end } = source;
        let from_start = || Source { reader: FileCursor { source: &*file, offset: 0 }, end };
        let Searcher { config, head, head_size, buffers } = self;
        let has_reach = finder.matcher().reach().is_some();
        let head_size =
            if has_reach { (*head_size).max(PEEK + NUL_CHECK_BYTES) } else { *head_size };
        let (len, _) = read_head(&mut from_start(), head, head_size)?;
        let source = Arc::clone(&file) as Arc<dyn ReadAt>;
        let survey = survey_of(&*file, config, finder, &head[..len], size).map(Arc::new);
        let large = LargeFile { config, head: &head[..len], source, end, size, survey };
        let Some(emitted) = large.search(finder, &mut buffers.line_buffer, helpers, sink)? else {
            return Ok(());
        };
        if emitted == 0 {
            let rule_out = RuleOut { config, head: &head[..len], source: &*file, size };
            let stop = buffers.line_buffer.stop.as_ref();
            if rule_out.finds_nothing(stop, finder, &mut buffers.raw, sink) {
                return Ok(());
            }
        }
        let mut skip = SkipFirst::new(sink, emitted);
        let searched =
            self.search_unless(finder, from_start(), |_| None, Some(&*file), &mut skip).map(drop);
        // A haystack that cannot be read again emits no event, not even its end.
        searched.inspect_err(|_| skip.fail())
    }
}

/// The outcome of a search: its own error, or else the sink's.
fn finish<S: Sink>(searched: io::Result<()>, sink: &mut S) -> io::Result<()> {
    searched?;
    sink.take_error().map_or(Ok(()), Err)
}

/// Reads the first bytes of a haystack: up to `size`, as long as they need not be waited for.
/// Returns their number, and whether they are the whole haystack.
///
/// Some of the kernel's files are numbers of 8 bytes each and refuse reads of other lengths. One
/// (`pagemap`, proc(5)) maps all addresses of a process: 256 GiB, and their length is not known.
/// ripgrep's first read of three bytes is refused; here, too, the first read of a file that may be
/// such a one has an odd length.
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
            // What has been read is searched first; reading on returns the error again.
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

/// A regular file that can be read at any position.
struct RegularFile {
    file: fs::File,
    /// How long the file was when it was shared.
    len: u64,
}

/// The regular file that `reader` reads, if it is one.
fn regular_file(reader: &impl FileRead) -> Option<RegularFile> {
    let file = reader.share().ok()?;
    let metadata = file.metadata().ok()?;
    metadata.is_file().then_some(RegularFile { file, len: metadata.len() })
}
