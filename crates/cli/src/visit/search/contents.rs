//! Searches what one file contains: standard input, bytes as they are or in a memory map, what a
//! decoder or a command makes of them.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    sync::{Arc, Mutex, PoisonError},
};

use bstr::ByteSlice;
use heist_matcher::Finder;
use heist_printer::Limited;
use heist_searcher::{BinaryPolicy, End, FileRead, MappedFile, Searcher, Source, Stream};
use heist_walk::Helpers;

use super::{Search, sink};
use crate::{
    contents::Opened,
    output::StdoutWorker,
    stdin_hint,
    sys::{Pipe, stdin_file, whole_stdin},
    visit::metered::{Metered, MeteredStream},
};

/// Locked by the worker that searches standard input, which may be named more than once and can be
/// read only once.
static ONE_READS_STDIN: Mutex<()> = Mutex::new(());

impl Search<'_> {
    /// Searches standard input.
    pub(super) fn search_stdin(&mut self, helpers: &mut dyn Helpers) -> io::Result<()> {
        if self.hints_at_stdin
            && let Some(hint) = stdin_hint::await_stdin()
        {
            self.messages.warn_in_lines("", hint);
        }
        let _reads = ONE_READS_STDIN.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = whole_stdin();
        if self.contents.decompresses()
            && let Some(file) = stdin_file()
        {
            let end = if whole.is_some() { End::EmptyRead } else { End::Stream };
            let most = whole.as_ref().and_then(|(_, metadata)| self.len_of_output(metadata));
            let searched = self.search_contents(Source { reader: file, end }, most, helpers);
            return match whole {
                Some((mut file, _)) => searched.and(file.seek(SeekFrom::End(0)).map(drop)),
                None => searched,
            };
        }
        let Some((mut file, metadata)) = whole else {
            return self.search_stream(Pipe(io::stdin()), helpers);
        };
        let (reader, end) = (&mut file, End::EmptyRead);
        let searched = match self.len_of_output(&metadata) {
            Some(len) => self.search_in("file", Source { reader: reader.take(len), end }),
            None => self.search_file(Source { reader, end }, helpers),
        };
        // Chunks are read without moving the file offset. The next reader of standard input is to
        // find it at the end, however large the file is.
        searched.and(file.seek(SeekFrom::End(0)).map(drop))
    }

    /// Searches a file's contents: its bytes, at most `most`, or what is made of them.
    pub(super) fn search_contents(
        &mut self,
        source: Source<fs::File>,
        most: Option<u64>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let Source { reader: file, end } = source;
        match self.contents.open(&self.path, file)? {
            Opened::Plain(reader) if end == End::Stream => {
                self.search_stream(Pipe(reader), helpers)
            }
            Opened::Plain(reader) => {
                if let Some(most) = most {
                    return self.search_in("file", Source { reader: reader.take(most), end });
                }
                let mapped = if self.mmap { MappedFile::new(&reader) } else { None };
                if let Some(mapped) = mapped {
                    return self
                        .search_in("memory map", Source { reader: mapped, end: End::EmptyRead });
                }
                self.search_file(Source { reader, end }, helpers)
            }
            Opened::Begun(start, file) => {
                let reader = start.bytes().chain(file);
                self.search_in("stream", Source { reader, end: End::Stream })
            }
            Opened::Output(mut output) => {
                let reader = &mut output;
                let source = Source { reader, end: End::Stream };
                let searched = self.search_in("output of the command", source);
                searched.and(output.close())
            }
            Opened::Decoded(mut decoder) => {
                // A decoder returns short reads wherever a part of the file ends.
                let end = if end == End::ShortRead { End::EmptyRead } else { end };
                let source = Source { reader: &mut decoder, end };
                let searched = self.search_in("decompressed data", source);
                self.contents.close(decoder);
                searched
            }
        }
    }

    /// Searches the current file, with the help of others if it is large.
    pub(super) fn search_file<R: FileRead>(
        &mut self,
        source: Source<R>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        if self.counts.is_some() {
            let Source { mut reader, end } = source;
            return self.search_metered(Source { reader: &mut reader, end }, helpers);
        }
        let mut helpers = self.shared_searches.helpers(helpers);
        self.search_by("file", |searcher, finder, sink| {
            searcher.search_shared(finder, source, &mut helpers, sink)
        })
    }

    /// Searches the current file, with the help of others if it is large, and counts what is read.
    #[cold]
    fn search_metered(
        &mut self,
        source: Source<&mut dyn FileRead>,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let mut helpers = self.shared_searches.helpers(helpers);
        let mut reader = Metered::new(source.reader, self.counts.clone());
        let source = Source { reader: &mut reader, end: source.end };
        let searched = self.search_by("file", |searcher, finder, sink| {
            searcher.search_shared(finder, source, &mut helpers, sink)
        });
        reader.finish(helpers.claimed_bytes());
        searched
    }

    /// Searches the current file, a stream, with the help of others if much comes from it.
    fn search_stream(
        &mut self,
        stream: impl Stream + 'static,
        helpers: &mut dyn Helpers,
    ) -> io::Result<()> {
        let mut helpers = self.shared_searches.helpers(helpers);
        let stream = MeteredStream { inner: stream, counts: self.counts.clone() };
        let reader: Arc<dyn Stream> = Arc::new(stream);
        self.printer.output().set_searches_stream(true);
        let searched = self.search_by("stream", |searcher, finder, sink| {
            searcher.search_stream(finder, &reader, &mut helpers, sink)
        });
        self.printer.output().set_searches_stream(false);
        searched
    }

    /// Searches the bytes of `source`, which the log calls `what`.
    fn search_in<R: io::Read>(&mut self, what: &str, source: Source<R>) -> io::Result<()> {
        let Source { reader, end } = source;
        let source = Source { reader: Metered::new(reader, self.counts.clone()), end };
        self.search_by(what, |searcher, finder, sink| searcher.search(finder, source, sink))
    }

    /// Runs `search`, and notes whether the current file has a match.
    fn search_by<'s>(
        &'s mut self,
        what: &str,
        search: impl FnOnce(
            &mut Searcher,
            &mut Finder,
            &mut Limited<'s, StdoutWorker<'_>>,
        ) -> io::Result<()>,
    ) -> io::Result<()> {
        log::trace!("{}: searching the {what}", self.path.as_bstr());
        let finder = self.finder.get_or_insert_with(|| Box::new(self.matcher.finder()));
        self.searcher.set_binary(self.policy);
        self.searcher.set_path(&self.path);
        let mut sink = sink(&mut self.printer, &self.path, self.names.as_deref(), self.policy);
        let searched = search(&mut self.searcher, finder, &mut sink);
        let sink = sink.sink();
        self.found.any_match |= sink.has_match();
        self.name_is_pending = sink.name_is_pending();
        if let Some(offset) = sink.nul_at() {
            explain_binary(&self.path, self.policy, offset);
        }
        searched
    }
}

/// Logs why a file with a NUL byte at `offset` was not searched to its end.
#[cold]
fn explain_binary(path: &[u8], policy: BinaryPolicy, offset: u64) {
    let effect = match policy {
        BinaryPolicy::Quit => "search stopped",
        BinaryPolicy::Convert | BinaryPolicy::Text => "treated as binary",
    };
    // The first character is probably an ASCII one.
    let hint = match offset {
        0 => "; looks like UTF-16, try -E utf-16be",
        1 => "; looks like UTF-16, try -E utf-16le",
        _ => "",
    };
    log::debug!("{}: NUL byte at offset {offset}: {effect}{hint}", path.as_bstr());
}
