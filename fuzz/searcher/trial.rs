//! One question drawn from an input, put to the reference and to the searcher.

use std::{
    io::{self, Read},
    sync::{Arc, Mutex},
};

use heist_matcher::{Boundary, Case, Config as Patterns, Finder, Matcher};

use crate::{
    BinaryPolicy, ChunkHelpers, Chunks, Encoding, End, ReadAt, SearchConfig, Searcher, Source,
    Stream,
    input::Input,
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

/// Block by block, and at once, tells what the reference tells.
pub fn check_blocks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (head, most) = (4 + input.below(64), 1 + input.below(64));
    let Some(trial) = Trial::draw(&mut input, false) else { return };
    let mut finder = trial.matcher.finder();
    let expected = trial.expected(&mut finder);
    let mut searcher = trial.searcher(head);
    let Trial { haystack, binary, .. } = trial;
    // Twice, for what a haystack leaves behind in the buffers must not show in the next.
    for _ in 0..2 {
        let told =
            trial.told(|record| searcher.search_slice(&mut finder, haystack, binary, record));
        assert_eq!(told, expected, "at once: {}", trial.about());
        for end in [End::ShortRead, End::EmptyRead] {
            let source = || Source { reader: haystack, binary, end };
            let told = trial.told(|record| searcher.search(&mut finder, source(), record));
            assert_eq!(told, expected, "{end:?}: {}", trial.about());
        }
        if trial.depends_on_blocks() {
            continue;
        }
        for end in [End::EmptyRead, End::Stream] {
            let reader = || Dribble { bytes: haystack, most, is_interrupted: false };
            let source = || Source { reader: reader(), binary, end };
            let told = trial.told(|record| searcher.search(&mut finder, source(), record));
            assert_eq!(told, expected, "pieces of {most}, {end:?}: {}", trial.about());
        }
    }
}

/// In chunks, some of them searched by a helper, tells what the reference tells.
pub fn check_chunks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (size, most, count) = (input.below(256), 1 + input.below(64), input.below(3));
    let help = input.byte();
    let Some(trial) = Trial::draw(&mut input, false) else { return };
    let mut finder = trial.matcher.finder();
    let expected = trial.expected(&mut finder);
    let size = 2 * trial.capacity + size;
    let most = if trial.depends_on_blocks() { usize::MAX } else { most };
    let reader = Arc::new(Memory { bytes: trial.haystack.to_vec(), most });
    let source = Source { reader, binary: trial.binary, end: End::EmptyRead };
    let mut helper = Helper { count, calls: help, finder: trial.matcher.finder(), chunks: None };
    let mut searcher = trial.searcher(4);
    let told =
        trial.told(|record| searcher.search_large(&mut finder, source, size, &mut helper, record));
    assert_eq!(
        told,
        expected,
        "chunks of {size}, reads of {most}, {count} helpers, {help:08b}: {}",
        trial.about()
    );
}

/// In chunks, where matches may span lines, tells what is told of the haystack as a whole.
pub fn check_spans(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (size, count, help) = (input.below(256), input.below(3), input.byte());
    let Some(trial) = Trial::draw(&mut input, true) else { return };
    if !trial.matcher.spans_lines() {
        return;
    }
    let mut finder = trial.matcher.finder();
    let mut searcher = trial.searcher(4);
    let expected = trial
        .told(|record| searcher.search_slice(&mut finder, trial.haystack, trial.binary, record));
    let size = 2 * trial.capacity + size;
    let reader = Arc::new(Memory { bytes: trial.haystack.to_vec(), most: usize::MAX });
    let source = Source { reader, binary: trial.binary, end: End::EmptyRead };
    let mut helper = Helper { count, calls: help, finder: trial.matcher.finder(), chunks: None };
    let told =
        trial.told(|record| searcher.search_large(&mut finder, source, size, &mut helper, record));
    assert_eq!(told, expected, "chunks of {size}, {count} helpers, {help:08b}: {}", trial.about());
}

/// A pipe whose writer pauses, searched in chunks by its owner and a helper, tells what the reference tells.
pub fn check_stream(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (much, size, count) = (input.byte(), 1 + input.below(128), input.below(3));
    let (help, most, pauses) = (input.byte(), 1 + input.below(64), input.byte());
    let Some(trial) = Trial::draw(&mut input, false) else { return };
    // Short reads make blocks that the reference does not know.
    if trial.depends_on_blocks() {
        return;
    }
    let mut finder = trial.matcher.finder();
    let expected = trial.expected(&mut finder);
    let pipe = Pipe { bytes: trial.haystack.to_vec(), most, state: Mutex::new((0, pauses)) };
    let reader = Arc::new(pipe) as Arc<dyn Stream>;
    let source = Source { reader, binary: trial.binary, end: End::Stream };
    let mut helper = Helper { count, calls: help, finder: trial.matcher.finder(), chunks: None };
    let mut searcher = trial.searcher(4);
    let sizes = (u64::from(much), size);
    let told = trial
        .told(|record| searcher.search_stream_by(&mut finder, source, sizes, &mut helper, record));
    assert_eq!(
        told,
        expected,
        "chunks of {size} after {much}, reads of {most}, pauses {pauses:08b}, {count} helpers, {help:08b}: {}",
        trial.about()
    );
}

impl<'a> Trial<'a> {
    /// As the input says, matches spanning lines if `multiline`. None where there is no such pattern, or where the haystack would have to be decoded, which the
    /// reference does not do.
    fn draw(input: &mut Input<'a>, multiline: bool) -> Option<Trial<'a>> {
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

    /// What the reference tells.
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

    /// Whether it shows in which blocks the haystack is read: short reads make others.
    fn depends_on_blocks(&self) -> bool {
        self.binary != BinaryPolicy::Text && self.haystack.contains(&0)
    }

    fn searcher(&self, head: usize) -> Searcher {
        Searcher::with_sizes(self.config.clone(), head, self.capacity)
    }

    fn told(&self, search: impl FnOnce(&mut Record) -> io::Result<()>) -> Vec<Event> {
        let mut record = Record::new(self.wants_unmatched);
        search(&mut record).expect("a search in memory");
        record.events
    }

    fn about(&self) -> String {
        let Trial { config, pattern, haystack, binary, capacity, .. } = self;
        let haystack = haystack.escape_ascii();
        let matcher = &self.matcher;
        format!(
            "{pattern:?} {binary:?} capacity {capacity} in \"{haystack}\" {config:?} {matcher:?}"
        )
    }
}

/// A file in memory that gives at most `most` bytes a read.
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

/// Gives at most `most` bytes a read, and says that there is nothing yet at those of eight questions whose bit is set.
struct Pipe {
    bytes: Vec<u8>,
    most: usize,
    /// How much was read, and the next answers.
    state: Mutex<(usize, u8)>,
}

impl Stream for Pipe {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let (at, _) = &mut *self.state.try_lock().expect("read by one at a time");
        let most = self.most.min(buffer.len());
        let got = (&self.bytes[*at..]).read(&mut buffer[..most])?;
        *at += got;
        Ok(got)
    }

    fn is_ready(&self) -> bool {
        let (_, pauses) = &mut *self.state.lock().expect("nobody panics while it is locked");
        *pauses = pauses.rotate_left(1);
        *pauses & 1 == 0
    }

    fn wait(&self) {}
}

/// Somebody who helps when called, at those of eight calls whose bit is set, and is done when the call returns.
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
