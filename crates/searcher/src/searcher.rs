//! The searcher: reads the beginning of a haystack, and has it searched.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use heist_matcher::Finder;

use crate::{
    BinaryPolicy, ChunkHelpers, FileRead, Journey, NoHelpers, SearchConfig, Sink, Stop, Stream,
    aligned::AlignedBytes,
    decode::{GUESSED_BYTES, is_undecided},
    line_buffer::CAPACITY,
    multiline::NUL_CHECK_BYTES,
    parallel::{BlockingRead, StreamSizes},
    run::{Haystack, Rest},
    search::{Buffers, Search},
    source::{End, PEEK, Source, read_some},
};

/// How many bytes are read from a haystack first. 99 % of the files in a source tree have fewer, so
/// one read takes them.
///
/// Perf: 64 KiB to 1 MiB differ by less than the noise, see docs/decisions/0042-first-read.md.
pub(crate) const HEAD: usize = 128 << 10;

const _: () = assert!(HEAD >= GUESSED_BYTES, "the first read holds what a guess depends on");
const _: () = assert!(HEAD >= PEEK + NUL_CHECK_BYTES, "files with many lines are checked for NUL");

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
    head: FirstBytes,
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
        let head = FirstBytes { bytes: AlignedBytes::default(), size: head_size };
        Searcher { config, head, buffers: Buffers::new(capacity) }
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

    /// Returns the routes by which the last haystack was searched, once; `None` if it could not be
    /// read.
    ///
    /// # Examples
    ///
    /// ```
    /// # use heist_matcher::Matcher;
    /// # use heist_searcher::{Flow, Searcher, sinks::Lossy};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut finder = Matcher::new(["gold"], &Default::default())?.finder();
    /// let mut searcher = Searcher::default();
    /// let mut sink = Lossy::new(|_, _| Flow::Continue(()));
    /// searcher.search_slice(&mut finder, b"silver and gold\n", &mut sink)?;
    /// let journey = searcher.take_journey().expect("it was searched");
    /// assert_eq!(journey.to_string(), "slice (16 B)");
    /// # Ok(())
    /// # }
    /// ```
    pub fn take_journey(&mut self) -> Option<Journey> {
        self.buffers.journey.take()
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
    /// The engine has failed, after [`Sink::finish`] if anything was emitted, or the sink has an
    /// error.
    pub fn search_slice<S: Sink>(
        &mut self,
        finder: &mut Finder,
        bytes: &[u8],
        sink: &mut S,
    ) -> io::Result<()> {
        let Searcher { config, buffers, .. } = self;
        let haystack = Haystack { head: bytes, end: End::ShortRead, rest: Rest::Nothing };
        Search { config, finder, buffers, sink }.run(haystack, &mut NoHelpers)
    }

    /// Searches `source`.
    ///
    /// Lines are emitted as soon as they have been read, also from a stream that goes on; if
    /// matches may span lines, after everything has been read.
    ///
    /// # Errors
    /// The reader's errors and [the engine's failures](Finder::take_failure), both after
    /// [`Sink::finish`] if anything was emitted, and the sink's error. Interrupted reads are
    /// repeated. What was read before an error is searched, except for an incomplete last line:
    /// that one is searched too if the error is [`io::ErrorKind::InvalidData`], as decoders return
    /// it for damaged files.
    pub fn search<R: Read, S: Sink>(
        &mut self,
        finder: &mut Finder,
        mut source: Source<R>,
        sink: &mut S,
    ) -> io::Result<()> {
        let Searcher { config, head, buffers } = self;
        let (head, is_whole) = head.read(config, &mut source)?;
        let rest = if is_whole { Rest::Nothing } else { Rest::Reader(&mut source.reader) };
        let haystack = Haystack { head, end: source.end, rest };
        Search { config, finder, buffers, sink }.run(haystack, &mut NoHelpers)
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
        mut source: Source<R>,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Searcher { config, head, buffers } = self;
        let (head, is_whole) = head.read(config, &mut source)?;
        let rest = match is_whole {
            true => Rest::Nothing,
            false if config.surroundings.is_some() => Rest::Reader(&mut source.reader),
            false => Rest::of_file(&mut source.reader),
        };
        let haystack = Haystack { head, end: source.end, rest };
        Search { config, finder, buffers, sink }.run(haystack, helpers)
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
        self.search_stream_with(finder, stream, StreamSizes::DEFAULT, helpers, sink)
    }

    /// As [`search_stream`](Searcher::search_stream), with chunks of other sizes.
    pub(crate) fn search_stream_with<S: Sink>(
        &mut self,
        finder: &mut Finder,
        stream: &Arc<dyn Stream>,
        sizes: StreamSizes,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Searcher { config, head, buffers } = self;
        let mut source = Source { reader: BlockingRead(&**stream), end: End::Stream };
        let (head, is_whole) = head.read(config, &mut source)?;
        let rest = if is_whole { Rest::Nothing } else { Rest::Stream(stream, sizes) };
        let haystack = Haystack { head, end: source.end, rest };
        Search { config, finder, buffers, sink }.run(haystack, helpers)
    }

    /// Searches a file as a large one, however long it is, in chunks of `size` bytes.
    #[cfg(any(test, feature = "trials"))]
    pub(crate) fn search_large<F: crate::ReadAt + 'static, S: Sink>(
        &mut self,
        finder: &mut Finder,
        source: Source<Arc<F>>,
        size: usize,
        helpers: &mut dyn ChunkHelpers,
        sink: &mut S,
    ) -> io::Result<()> {
        let Source { reader: source, end } = source;
        let Searcher { config, head, buffers } = self;
        let size_before = head.size;
        if finder.matcher().reach().is_some() {
            head.size = head.size.max(PEEK + NUL_CHECK_BYTES);
        }
        let reader = crate::parallel::FileCursor { source: &*source, offset: 0 };
        let (bytes, _) = head.read(config, &mut Source { reader, end })?;
        let file = crate::large::LargeFile { source, len: crate::LARGE, size, survey: None };
        let haystack = Haystack { head: bytes, end, rest: Rest::LargeFile(file) };
        let searched = Search { config, finder, buffers, sink }.run(haystack, helpers);
        head.size = size_before;
        searched
    }
}

/// The first bytes of a haystack, often the whole haystack.
#[derive(Debug)]
struct FirstBytes {
    bytes: AlignedBytes,
    /// How many bytes are read first.
    size: usize,
}

impl FirstBytes {
    /// Reads the first bytes of a haystack, as long as they need not be waited for. Returns them,
    /// and whether they are the whole haystack.
    ///
    /// Some of the kernel's files are numbers of 8 bytes each and refuse reads of other lengths.
    /// One (`pagemap`, proc(5)) maps all addresses of a process: 256 GiB, and their length is not
    /// known. ripgrep's first read of three bytes is refused; here, too, the first read of a file
    /// that may be such a one has an odd length.
    fn read<R: Read>(
        &mut self,
        config: &SearchConfig,
        source: &mut Source<R>,
    ) -> io::Result<(&[u8], bool)> {
        self.bytes.grow(self.size);
        let bytes = &mut self.bytes[..self.size];
        let (mut len, mut is_whole) = (0, false);
        while len < bytes.len() && !is_whole {
            let is_odd = len == 0 && source.end == End::EmptyRead && bytes.len() > 1;
            let most = bytes.len() - usize::from(is_odd);
            let got = match read_some(&mut source.reader, &mut bytes[len..most]) {
                Ok(got) => got,
                // What has been read is searched first; reading on returns the error again.
                Err(_) if len > 0 => break,
                Err(error) => return Err(error),
            };
            len += got;
            is_whole = got == 0 || (len < bytes.len() && source.end.shows_at(len));
            if source.end == End::Stream && len >= PEEK && !is_undecided(config, &bytes[..len]) {
                break;
            }
        }
        Ok((&bytes[..len], is_whole))
    }
}
