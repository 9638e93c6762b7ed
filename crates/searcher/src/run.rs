//! Searches a haystack along the routes that its facts lead to.

use std::{
    fs,
    io::{self, Read},
    mem,
    sync::Arc,
};

use crate::{
    ChunkHelpers, FileRead, LARGE, ReadAt, SearchConfig, Sink, Source, Stream, UnreadMatches,
    decode::{Decoder, Form},
    journey::Journey,
    large::LargeFile,
    line_buffer::{LongLines, WantedLines},
    line_search::is_counted,
    look_through::LookThrough,
    parallel::{BlockingRead, FileCursor, StreamSizes},
    replay::Replay,
    route::{Ending, Extent, Facts, FirstRead, Route, route},
    rule_out::RuleOut,
    search::{Buffers, Search},
    source::{End, Feed},
    whole::InFile,
};

/// A haystack of which the first bytes have been read.
pub(crate) struct Haystack<'a> {
    pub(crate) head: &'a [u8],
    pub(crate) end: End,
    pub(crate) rest: Rest<'a>,
}

/// Where the rest of a haystack comes from.
pub(crate) enum Rest<'a> {
    /// There is none.
    Nothing,
    /// A reader that returns it once.
    Reader(&'a mut dyn Read),
    /// A stream that several workers may read.
    Stream(&'a Arc<dyn Stream>, StreamSizes),
    /// A reader that returns it once, and the file that it is from.
    File(&'a mut dyn Read, fs::File, u64),
    /// A file to be read at any position.
    LargeFile(LargeFile),
}

impl<'a> Rest<'a> {
    /// The rest of the file that `reader` reads, if it is a regular one.
    pub(crate) fn of_file<R: FileRead>(reader: &'a mut R) -> Rest<'a> {
        let regular_file = || {
            let file = reader.share().ok()?;
            let metadata = file.metadata().ok()?;
            metadata.is_file().then_some((file, metadata.len()))
        };
        match regular_file() {
            Some((file, len)) if len >= LARGE => Rest::LargeFile(LargeFile::new(file, len)),
            Some((file, len)) => Rest::File(reader, file, len),
            None => Rest::Reader(reader),
        }
    }
}

impl<'a> Haystack<'a> {
    fn form(&self, config: &SearchConfig) -> Form {
        match self.rest {
            Rest::Nothing => Form::of_whole(config, self.head),
            _ => Form::of(config, self.head),
        }
    }

    fn first_read(&self, form: Form) -> FirstRead<'_> {
        let extent = match &self.rest {
            Rest::Nothing => Extent::Read(self.head.len() as u64),
            Rest::Reader(_) => Extent::Reader,
            Rest::Stream(..) => Extent::Stream,
            Rest::File(_, _, len) => Extent::File(*len),
            Rest::LargeFile(file) => Extent::LargeFile(file.len),
        };
        FirstRead { bytes: self.head, form, end: self.end, extent }
    }
}

impl<S: Sink> Search<'_, S> {
    /// Searches `haystack`, with the help of others if it is large.
    pub(crate) fn run(
        &mut self,
        haystack: Haystack<'_>,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<()> {
        // Perf (2026-11, instructions under valgrind, directory `kernel` of the corpus `linux`):
        // with facts and a route for each file, a search with few matches takes 1 % more.
        let form = haystack.form(self.config);
        let searched = if matches!(haystack.rest, Rest::Nothing) && !form.is_decoded() {
            let text = form.text(haystack.head);
            self.buffers.journey = Some(Journey::slice(text.bytes.len()));
            self.text(text)
        } else {
            self.travel(haystack, form, helpers)
        };
        searched?;
        self.sink.take_error().map_or(Ok(()), Err)
    }

    /// Takes one route after the other until one does not give up.
    fn travel(
        &mut self,
        mut haystack: Haystack<'_>,
        form: Form,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<()> {
        let (first, wants) = (haystack.first_read(form), self.sink.wants());
        let mut facts = Facts::new(self.config, self.finder, wants, &first);
        let encoding = form.detected().map(|detected| detected.encoding.name());
        let mut replay = Replay::new(self.sink, encoding);
        let Search { config, ref mut finder, ref mut buffers, .. } = *self;
        let mut search = Search { config, finder, buffers, sink: &mut replay };
        if let Rest::LargeFile(file) = &mut haystack.rest {
            facts = search.learn(facts, haystack.head, file, helpers.count());
        }
        let mut next = route(&facts);
        search.buffers.journey = Some(Journey::new(facts, next));
        loop {
            let ending = search.take(next, &facts, &mut haystack, helpers);
            if ending.inspect_err(|_| search.sink.fail())? == Ending::Over {
                return Ok(());
            }
            facts = facts.after(next, search.sink.has_emitted());
            search.sink.restart();
            next = route(&facts);
            search.buffers.journey.iter_mut().for_each(|journey| journey.add(next));
        }
    }
}

impl<S: Sink> Search<'_, Replay<'_, S>> {
    /// Takes `route`.
    fn take(
        &mut self,
        route: Route,
        facts: &Facts,
        haystack: &mut Haystack<'_>,
        helpers: &mut dyn ChunkHelpers,
    ) -> io::Result<Ending> {
        let Haystack { head, end, rest } = haystack;
        match (route, rest) {
            (Route::LookThrough, Rest::File(_, file, _)) => {
                let look =
                    LookThrough { config: self.config, form: facts.form, head, file, end: *end };
                Ok(look.end(self.finder, &mut self.buffers.raw))
            }
            (Route::Chunks(cut), Rest::LargeFile(file)) => {
                self.chunks(cut, facts, head, file, helpers)
            }
            (Route::RuleOut, Rest::LargeFile(LargeFile { source, size, .. })) => {
                let (source, size) = (&**source, *size);
                let rule_out = RuleOut { config: self.config, head, source, size };
                let Buffers { line_buffer, raw, .. } = &mut *self.buffers;
                Ok(rule_out.end(line_buffer.stop.as_ref(), self.finder, raw))
            }
            (Route::Stream, Rest::Stream(stream, sizes)) => {
                self.stream(facts.form.text(head), stream, *sizes, helpers)
            }
            (_, Rest::Nothing) => self.read(route, facts, head, &mut io::empty(), None),
            (_, Rest::Reader(reader) | Rest::File(reader, ..)) => {
                self.read(route, facts, head, *reader, None)
            }
            (_, Rest::Stream(stream, _)) => {
                self.read(route, facts, head, &mut BlockingRead(&***stream), None)
            }
            (_, Rest::LargeFile(file)) => {
                let source = &*file.source;
                let reader = &mut FileCursor { source, offset: head.len() as u64 };
                self.read(route, facts, head, reader, Some(file))
            }
        }
    }

    /// Searches `head` and what `reader` returns after it, block by block or in memory. Long lines
    /// that cannot match are passed over if they can be read again from `file`; the memory for
    /// others depends on how long it is.
    fn read(
        &mut self,
        route: Route,
        facts: &Facts,
        head: &[u8],
        reader: &mut dyn Read,
        file: Option<&LargeFile>,
    ) -> io::Result<Ending> {
        let text = facts.form.text(head);
        let start = (head.len() - text.bytes.len()) as u64;
        let mut feed = Feed::new(text, Source { reader, end: facts.end });
        let source = file.map(|file| &*file.source);
        self.buffers.line_buffer.expect(file.map(|file| file.len));
        let searched = if route == Route::Whole {
            let in_file = source.and_then(ReadAt::file).map(|file| InFile { file, start });
            self.whole(feed, facts.form, in_file)
        } else if facts.form.is_decoded() {
            let mut raw = mem::take(&mut self.buffers.raw);
            let searched = self.blocks(
                &mut Decoder::new(self.config, facts.form.detected(), feed, &mut raw),
                None,
            );
            self.buffers.raw = raw;
            searched
        } else {
            let mut long = source.and_then(|file| self.long_lines(file, start, text.bytes));
            self.blocks(&mut feed, long.as_mut())
        };
        self.buffers.line_buffer.expect(None);
        searched.map(|()| Ending::Over)
    }

    /// What it takes to pass over long lines in `file`, with text that begins with `head`, at
    /// `start`.
    fn long_lines<'f>(
        &self,
        file: &'f dyn ReadAt,
        start: u64,
        head: &[u8],
    ) -> Option<LongLines<'f>> {
        let wanted = match self.sink.wants().unread {
            _ if is_counted(self.config, self.sink) => WantedLines::Counted,
            UnreadMatches::None => WantedLines::Unread,
            _ => WantedLines::Read,
        };
        LongLines::new(self.config, self.finder, file, start, head, wanted)
    }
}
