//! What a file contains, and how that is read: standard input, bytes as they are or in a memory
//! map, what a decoder or a command makes of them.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    sync::{Mutex, PoisonError},
};

use heist_searcher::{End, MappedFile, Source};
use heist_walk::Helpers;

use super::Search;
use crate::{
    contents::Opened,
    sys::{Pipe, stdin_file, whole_stdin},
    texts::hints::await_stdin,
};

/// Locked by the worker that searches standard input, which may be named more than once and can be
/// read only once.
static ONE_READS_STDIN: Mutex<()> = Mutex::new(());

impl Search<'_> {
    /// Searches standard input.
    pub(super) fn search_stdin(&mut self, helpers: &mut dyn Helpers) -> io::Result<()> {
        if self.rules.hints_at_stdin
            && let Some(hint) = await_stdin()
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
            return self.engine.search_stream(Pipe(io::stdin()), helpers);
        };
        let (reader, end) = (&mut file, End::EmptyRead);
        let searched = match self.len_of_output(&metadata) {
            Some(len) => self.engine.search_bytes("file", Source { reader: reader.take(len), end }),
            None => self.engine.search_file(Source { reader, end }, helpers),
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
        let engine = &mut self.engine;
        match self.contents.open(&engine.path, file)? {
            Opened::Plain(reader) if end == End::Stream => {
                engine.search_stream(Pipe(reader), helpers)
            }
            Opened::Plain(reader) => {
                if let Some(most) = most {
                    return engine.search_bytes("file", Source { reader: reader.take(most), end });
                }
                let mapped = if self.rules.mmap { MappedFile::new(&reader) } else { None };
                if let Some(reader) = mapped {
                    let source = Source { reader, end: End::EmptyRead };
                    return engine.search_bytes("memory map", source);
                }
                engine.search_file(Source { reader, end }, helpers)
            }
            Opened::Begun(start, file) => {
                let reader = start.bytes().chain(file);
                engine.search_bytes("stream", Source { reader, end: End::Stream })
            }
            Opened::Output(mut output) => {
                let reader = &mut output;
                let source = Source { reader, end: End::Stream };
                let searched = engine.search_bytes("output of the command", source);
                searched.and(output.close())
            }
            Opened::Decoded(mut decoder) => {
                // A decoder returns short reads wherever a part of the file ends.
                let end = if end == End::ShortRead { End::EmptyRead } else { end };
                let source = Source { reader: &mut decoder, end };
                let searched = engine.search_bytes("decompressed data", source);
                self.contents.close(decoder);
                searched
            }
        }
    }
}
