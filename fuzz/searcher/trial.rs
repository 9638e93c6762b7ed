//! A search decoded from an input, run by the searcher and by the reference.

use std::{
    fmt::Debug,
    io::{self, Read},
    sync::{Arc, Mutex},
};

use heist_matcher::{Boundary, Case, Config as Patterns, Finder, Matcher};

use crate::{
    BinaryPolicy, ChunkHelpers, Chunks, Encoding, End, ReadAt, SearchConfig, Searcher, Source,
    Stream,
    input::Input,
    parallel::StreamSizes,
    record::{Dribble, Event, Record},
    reference::{Haystack, events},
};

const BOM: &[u8] = b"\xEF\xBB\xBF";

struct Trial<'a> {
    config: SearchConfig,
    pattern: &'a str,
    matcher: Matcher,
    haystack: &'a [u8],
    binary: BinaryPolicy,
    capacity: usize,
    wants_unmatched: bool,
}

/// Checks a search block by block, and of a slice, against the reference.
pub fn check_blocks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (head, most) = (4 + input.below(64), 1 + input.below(64));
    let Some(trial) = Trial::decode(&mut input, false) else { return };
    let (mut finder, mut searcher) = (trial.matcher.finder(), trial.searcher(head));
    let expected = trial.expected(&mut finder);
    let Trial { haystack, .. } = trial;
    // Twice, since the buffers must not keep anything of the first haystack.
    for _ in 0..2 {
        trial.check(&expected, &"slice", |record| {
            searcher.search_slice(&mut finder, haystack, record)
        });
        for end in [End::ShortRead, End::EmptyRead] {
            let source = Source { reader: haystack, end };
            trial.check(&expected, &end, |record| searcher.search(&mut finder, source, record));
        }
        if trial.depends_on_blocks() {
            continue;
        }
        for end in [End::EmptyRead, End::Stream] {
            let reader = Dribble { bytes: haystack, most, is_interrupted: false };
            let source = Source { reader, end };
            trial.check(&expected, &("reads", most, end), |record| {
                searcher.search(&mut finder, source, record)
            });
        }
    }
}

/// Checks a search of a file in chunks, some of which a helper searches, against the reference.
pub fn check_chunks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (size, most, count) = (input.below(256), 1 + input.below(64), input.below(3));
    let calls = input.byte();
    let Some(trial) = Trial::decode(&mut input, false) else { return };
    let expected = trial.expected(&mut trial.matcher.finder());
    let most = if trial.depends_on_blocks() { usize::MAX } else { most };
    trial.check_file(&expected, size, most, trial.helper(count, calls));
}

/// Checks a search for matches that span lines, in chunks, against a search of the whole haystack.
pub fn check_spans(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (size, count, calls) = (input.below(256), input.below(3), input.byte());
    let Some(trial) = Trial::decode(&mut input, true) else { return };
    if !trial.matcher.spans_lines() {
        return;
    }
    let Trial { haystack, .. } = trial;
    let mut finder = trial.matcher.finder();
    let expected =
        trial.events(|record| trial.searcher(4).search_slice(&mut finder, haystack, record));
    trial.check_file(&expected, size, usize::MAX, trial.helper(count, calls));
}

/// Checks a search of a pipe whose writer pauses, in chunks, some of which a helper searches,
/// against the reference.
pub fn check_stream(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (start, size, count) = (input.byte(), 1 + input.below(128), input.below(3));
    let (calls, most, pauses) = (input.byte(), 1 + input.below(64), input.byte());
    let Some(trial) = Trial::decode(&mut input, false) else { return };
    // Short reads make other blocks than the reference.
    if trial.depends_on_blocks() {
        return;
    }
    let (mut finder, mut helper) = (trial.matcher.finder(), trial.helper(count, calls));
    let expected = trial.expected(&mut finder);
    let pipe = Pipe { bytes: trial.haystack.to_vec(), most, state: Mutex::new((0, pauses)) };
    let reader = Arc::new(pipe) as Arc<dyn Stream>;
    let settings = ("chunks", size, "after", start, "reads", most, "pauses", pauses, count, calls);
    trial.check(&expected, &settings, |record| {
        let sizes = StreamSizes { shared_from: u64::from(start), chunk: size };
        trial.searcher(4).search_stream_with(&mut finder, &reader, sizes, &mut helper, record)
    });
}

impl<'a> Trial<'a> {
    /// Decodes a search, whose matches can span lines if `multiline`. `None` if the pattern is
    /// invalid, or if the haystack is UTF-16, which the reference does not decode.
    fn decode(input: &mut Input<'a>, multiline: bool) -> Option<Trial<'a>> {
        let (bits, lines, more) = (input.byte(), input.byte(), input.byte());
        let capacity = 4 + input.below(32);
        let line_terminator = if bits & 1 != 0 { 0 } else { b'\n' };
        let config = SearchConfig {
            line_terminator,
            crlf: line_terminator == b'\n' && bits & 2 != 0,
            invert: bits & 4 != 0,
            line_numbers: bits & 8 == 0,
            before_context: usize::from(lines & 7),
            after_context: usize::from(lines >> 3 & 7),
            passthru: lines >> 6 == 3,
            max_matches: (bits & 16 != 0).then_some(u64::from(more & 3)),
            stop_on_nonmatch: bits & 32 != 0,
            encoding: if bits & 64 != 0 { Encoding::None } else { Encoding::Auto },
            binary: BinaryPolicy::Text,
        };
        let binary = [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert];
        let binary = binary[usize::from(more >> 2) % 3];
        let wants_unmatched = bits & 128 != 0;
        let patterns = Patterns {
            unicode: more & 16 == 0,
            case: if more & 32 != 0 { Case::Insensitive } else { Case::Sensitive },
            boundary: [Boundary::None, Boundary::Word, Boundary::Line][usize::from(more >> 6) % 3],
            line_terminator,
            crlf: config.crlf,
            ban_nul: false,
            multiline,
            size_limit: 1 << 20,
            dfa_size_limit: 1 << 20,
            ..Patterns::default()
        };
        let pattern = input.text_until(0xFF).filter(|pattern| pattern.len() <= 40)?;
        let matcher = Matcher::new(&[pattern.to_owned()], &patterns).ok()?;
        let rest = input.rest();
        let haystack = &rest[..rest.len().min(600)];
        let is_decoded = haystack.starts_with(b"\xFF\xFE") || haystack.starts_with(b"\xFE\xFF");
        if config.encoding == Encoding::Auto && is_decoded {
            return None;
        }
        Some(Trial { config, pattern, matcher, haystack, binary, capacity, wants_unmatched })
    }

    /// The events that the reference reports.
    fn expected(&self, finder: &mut Finder) -> Vec<Event> {
        let has_bom = self.config.encoding == Encoding::Auto && self.haystack.starts_with(BOM);
        let haystack = Haystack {
            bytes: &self.haystack[if has_bom { BOM.len() } else { 0 }..],
            binary: self.binary,
            peek: if has_bom { 0 } else { 3 },
            capacity: self.capacity,
        };
        events(&self.config, finder, haystack, self.wants_unmatched)
    }

    /// Whether the events depend on the blocks in which the haystack is read.
    fn depends_on_blocks(&self) -> bool {
        self.binary != BinaryPolicy::Text && self.haystack.contains(&0)
    }

    fn searcher(&self, head: usize) -> Searcher {
        let config = SearchConfig { binary: self.binary, ..self.config.clone() };
        Searcher::with_sizes(config, head, self.capacity)
    }

    fn helper(&self, count: usize, calls: u8) -> Helper {
        Helper { count, calls, finder: self.matcher.finder(), chunks: None }
    }

    /// The events that `search` reports.
    fn events(&self, search: impl FnOnce(&mut Record) -> io::Result<()>) -> Vec<Event> {
        let mut record = Record::new(self.wants_unmatched);
        search(&mut record).expect("a search in memory");
        record.events
    }

    /// Fails if `search` reports other events than expected; the message shows its `settings`.
    fn check(
        &self,
        expected: &[Event],
        settings: &dyn Debug,
        search: impl FnOnce(&mut Record) -> io::Result<()>,
    ) {
        assert_eq!(self.events(search), expected, "{settings:?}: {}", self.describe());
    }

    /// Checks a search in chunks, slightly larger than two buffers, of a file whose reads return at
    /// most `most` bytes.
    fn check_file(&self, expected: &[Event], size: usize, most: usize, mut helper: Helper) {
        let size = 2 * self.capacity + size;
        let reader = Arc::new(Memory { bytes: self.haystack.to_vec(), most });
        let source = Source { reader, end: End::EmptyRead };
        let mut finder = self.matcher.finder();
        let settings = ("chunks", size, "reads", most, "helpers", helper.count, helper.calls);
        self.check(expected, &settings, |record| {
            self.searcher(4).search_large(&mut finder, source, size, &mut helper, record)
        });
    }

    fn describe(&self) -> String {
        let Trial { config, pattern, haystack, binary, capacity, .. } = self;
        let haystack = haystack.escape_ascii();
        let matcher = &self.matcher;
        format!(
            "{pattern:?} {binary:?} capacity {capacity} in \"{haystack}\" {config:?} {matcher:?}"
        )
    }
}

/// A file in memory whose reads return at most `most` bytes.
struct Memory {
    bytes: Vec<u8>,
    most: usize,
}

impl ReadAt for Memory {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = self.bytes.len().min(usize::try_from(offset).unwrap_or(usize::MAX));
        let most = self.most.min(buffer.len());
        (&self.bytes[start..]).read(&mut buffer[..most])
    }
}

/// A pipe whose reads return at most `most` bytes, and which is not ready at each set bit of a
/// byte, bit by bit.
struct Pipe {
    bytes: Vec<u8>,
    most: usize,
    /// The number of bytes read, and the bits.
    state: Mutex<(usize, u8)>,
}

impl Stream for Pipe {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let (at, _) = &mut *self.state.try_lock().expect("one reader at a time");
        let most = self.most.min(buffer.len());
        let got = (&self.bytes[*at..]).read(&mut buffer[..most])?;
        *at += got;
        Ok(got)
    }

    fn is_ready(&self) -> bool {
        let (_, pauses) = &mut *self.state.lock().expect("no panic while it is locked");
        *pauses = pauses.rotate_left(1);
        *pauses & 1 == 0
    }

    fn wait(&self) {}
}

/// A helper that helps at each call whose bit of `calls` is set, and has finished when the call
/// returns.
struct Helper {
    count: usize,
    calls: u8,
    finder: Finder,
    chunks: Option<Arc<Chunks>>,
}

impl ChunkHelpers for Helper {
    fn count(&self) -> usize {
        self.count
    }

    fn begin(&mut self, chunks: &Arc<Chunks>) {
        self.chunks = Some(Arc::clone(chunks));
    }

    fn call(&mut self) {
        self.calls = self.calls.rotate_left(1);
        if self.calls & 1 != 0 {
            self.chunks.as_ref().expect("chunks to help with").help(&mut self.finder);
        }
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn end(&mut self) {
        self.chunks = None;
    }
}
