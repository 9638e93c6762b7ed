//! Single cases that no session shows: large haystacks, errors, and what is read when.

use std::{
    io::{self, Read, Seek, Write},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use heist_matcher::{Matcher, MatcherConfig};

use super::random::{small, spanning_trial, trial};
use crate::{
    BinaryPolicy, ChunkHelpers, Chunks, End, LineKind, NoHelpers, SearchConfig, Searcher, Source,
    Stop,
    trial::{Event, Help, Record, Trial, Way},
};

/// The numbers of matching lines before and after the event of the NUL byte.
fn count_around_binary(bytes: &[u8], binary: BinaryPolicy) -> (usize, usize) {
    let trial = trial(SearchConfig { binary, ..SearchConfig::default() }, "x", bytes);
    let mut events = trial.run(&mut trial.worker(), &Way::Reads(usize::MAX, End::ShortRead)).events;
    events.retain(|event| matches!(event, Event::Line { .. } | Event::Binary(_)));
    let is_binary = |event: &Event| matches!(event, Event::Binary(_));
    let before = events.iter().position(is_binary).unwrap_or(events.len());
    (before, events.len().saturating_sub(before + 1))
}

#[test]
fn a_nul_byte_drops_the_block_it_is_read_in() {
    // Lines fill the buffer exactly, so that blocks end at multiples of its 65536 bytes. A NUL byte
    // inside a line cuts it in two, and both parts contain an x unless it was at either end.
    let all = 200_000 / 16;
    for (nul, before, cut) in [
        (3, 0, 1),
        (65_532, 0, 1),
        (65_534, 0, 0),
        (65_536, 4096, 0),
        (131_069, 4096, 1),
        (131_073, 8192, 1),
    ] {
        let mut bytes = b"xxxxxxxxxxxxxxx\n".repeat(all);
        bytes[nul] = 0;
        assert_eq!(count_around_binary(&bytes, BinaryPolicy::Quit), (before, 0), "{nul}");
        let converted = (before, all - before + cut);
        assert_eq!(count_around_binary(&bytes, BinaryPolicy::Convert), converted, "{nul}");
        assert_eq!(count_around_binary(&bytes, BinaryPolicy::Text), (all, 0), "{nul}");
    }
}

#[test]
fn a_line_longer_than_any_buffer_is_whole() {
    let bytes = [&b"short\n"[..], &b"x".repeat(700_000), b"end\nlast x"].concat();
    let trial = trial(SearchConfig::default(), "x", &bytes);
    let found = trial.run(&mut trial.worker(), &Way::Reads(usize::MAX, End::EmptyRead));
    let line = |event: &Event| match event {
        Event::Line { text, number, .. } => Some((text.len(), *number)),
        _ => None,
    };
    let lines: Vec<_> = found.events.iter().filter_map(line).collect();
    assert_eq!(lines, [(700_004, Some(2)), (6, Some(3))]);
}

#[test]
fn a_huge_haystack_is_whole() {
    let bytes = [&b"a\n"[..], &b"x".repeat(6 << 20), b"\nb\n"].concat();
    let trial = spanning_trial(SearchConfig::default(), "(?s)a.*b", &bytes);
    let found = trial.run(&mut trial.worker(), &Way::Reads(usize::MAX, End::EmptyRead));
    let Event::Line { kind: LineKind::Match, text, .. } = &found.events[1] else {
        panic!("no line");
    };
    assert_eq!(text.len(), bytes.len());
}

/// The start of a possible match at the end of a chunk is resolved in the next chunk, wherever it
/// is and however many lines are context.
#[test]
fn a_beginning_before_a_chunk_does_not_keep_all_that_follows() {
    for (line, before_context) in [(7, 0), (15, 0), (12, 5), (0, 20)] {
        let lines = |number| if number == line { "xxxxfoo\n" } else { "xxxxxxx\n" };
        let text: String = (0..400).map(lines).collect();
        let config =
            SearchConfig { before_context, binary: BinaryPolicy::Text, ..SearchConfig::default() };
        let trial = small(spanning_trial(config, "foo\\s+bar", text.as_bytes()));
        let way = Way::Chunks { size: 128, most: usize::MAX, help: Help::InTurn(1, 0) };
        let found = trial.check(&mut trial.worker(), &way, &[]);
        assert!(found.is_from_chunks, "line {line}, {before_context} lines before");
        assert_eq!(found.begun, 2, "line {line}, {before_context} lines before");
    }
}

/// The chunks, and the search block by block after they gave up, go on behind the first bytes.
#[test]
fn the_first_bytes_are_read_once() {
    let lines = b"a line\n".repeat(200);
    let with_nul = [&lines[..], b"\0", &lines].concat();
    let with_long_line = [&lines[..], &b"x".repeat(300), b"\n", &lines].concat();
    for (bytes, is_from_chunks) in [(lines, true), (with_nul, false), (with_long_line, false)] {
        let config = SearchConfig { after_context: 1, ..SearchConfig::default() };
        let trial = small(trial(config, "a", &bytes));
        let way = Way::Chunks { size: 256, most: usize::MAX, help: Help::InTurn(1, 0) };
        let found = trial.check(&mut trial.worker(), &way, &trial.expected());
        assert_eq!((found.begun, found.is_from_chunks), (2, is_from_chunks));
    }
}

#[test]
fn a_run_that_is_over_ends_the_search() {
    let trial = small(trial(SearchConfig::default(), "a", &b"a\nb\n".repeat(100)));
    let way = Way::Chunks { size: 16, most: usize::MAX, help: Help::InTurn(1, 0) };
    let found = Trial { calls_left: 5, ..trial.clone() }.run(&mut trial.worker(), &way);
    assert!((5..50).contains(&found.events.len()), "{found:?}");
    assert_eq!(found.events.last(), Some(&Event::Abandon));
}

/// Returns one part per read, then an error.
struct Broken<'a>(&'a [&'a [u8]]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((part, rest)) = self.0.split_first() else {
            return Err(io::ErrorKind::TimedOut.into());
        };
        self.0 = rest;
        buffer[..part.len()].copy_from_slice(part);
        Ok(part.len())
    }
}

/// Searches for `x` in the parts that a broken reader returns. Returns the numbers of the lines
/// emitted, the last event, and the error.
fn search_broken(
    config: SearchConfig,
    parts: &[&[u8]],
    end: End,
) -> (Vec<u64>, Option<Event>, Option<io::ErrorKind>) {
    let mut record = Record::new(false);
    let mut finder = trial(config.clone(), "x", b"").matcher.finder();
    let source = Source { reader: Broken(parts), end };
    let searched = Searcher::new(config).search(&mut finder, source, &mut record);
    let number = |event: &Event| match event {
        Event::Line { number, .. } => *number,
        _ => None,
    };
    let numbers = record.events.iter().filter_map(number).collect();
    (numbers, record.events.pop(), searched.err().map(|error| error.kind()))
}

#[test]
fn a_short_read_up_to_a_bad_page_is_no_end() {
    // A disk returns the bytes before the page that cannot be read, then the error.
    let good = b"x\n".repeat(4096);
    let (lines, _, error) = search_broken(SearchConfig::default(), &[&good], End::ShortRead);
    assert_eq!((lines.len(), error), (4096, Some(io::ErrorKind::TimedOut)));
}

#[test]
fn a_read_error_comes_after_the_lines_before_it() {
    let error = Some(io::ErrorKind::TimedOut);
    let search = |parts| search_broken(SearchConfig::default(), parts, End::Stream);
    assert_eq!(search(&[]), (vec![], None, error));
    assert_eq!(search(&[b"x1\ny\n", b"x2\nx"]), (vec![1, 3], Some(Event::Abandon), error));
}

#[test]
fn lines_of_a_stream_are_emitted_before_it_is_read_further() {
    // The first lines reach the limit, so the read that would fail is never made.
    let config = SearchConfig { max_matches: Some(1), ..SearchConfig::default() };
    let (lines, _, error) = search_broken(config, &[b"y\nx\nx"], End::Stream);
    assert_eq!((lines, error), (vec![2], None));
}

/// A condition that holds from the `looks`-th look on.
fn stop_after(looks: usize) -> Stop {
    let seen = AtomicUsize::new(0);
    Stop::new(move || seen.fetch_add(1, Ordering::Relaxed) >= looks)
}

/// The absence of other workers in a run that is over.
struct Over;

impl ChunkHelpers for Over {
    fn count(&self) -> usize {
        0
    }

    fn begin(&mut self, _: &Arc<Chunks>) {}

    fn call(&mut self) {}

    fn is_stopped(&self) -> bool {
        true
    }

    fn end(&mut self) {}
}

#[test]
fn a_search_can_be_stopped_within_a_file() {
    let text = [&b"a line of text\n".repeat(800_000)[..], b"x marks the spot\n"].concat();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&text).unwrap();
    for pattern in ["x marks", "[^z]+rks the spot$", "x marks the spot\n", r"\S+ spot\n?\z"] {
        let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
        let matcher = Matcher::new([pattern], &config).unwrap();
        for (looks, memory_maps) in [(0, true), (3, true), (3, false), (usize::MAX, true)] {
            let config = SearchConfig { memory_maps, ..SearchConfig::default() };
            let mut searcher = Searcher::new(config);
            searcher.set_stop(Some(stop_after(looks)));
            let mut record = Record::new(false);
            file.rewind().unwrap();
            let source = Source { reader: &file, end: End::EmptyRead };
            let finder = &mut matcher.finder();
            // Where a file is cut into chunks, helpers end the search.
            let is_over = looks < usize::MAX;
            let helpers: &mut dyn ChunkHelpers = if is_over { &mut Over } else { &mut NoHelpers };
            searcher.search_shared(finder, source, helpers, &mut record).unwrap();
            assert_eq!(record.lines().count(), usize::from(!is_over), "{pattern} after {looks}");
        }
    }
}

#[test]
fn an_endless_reader_can_be_stopped() {
    for (byte, pattern) in [(b'x', "y"), (b'\n', "y"), (b'x', "y\nz")] {
        let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
        let matcher = Matcher::new([pattern], &config).unwrap();
        let mut searcher = Searcher::default();
        searcher.set_stop(Some(stop_after(5)));
        let mut record = Record::new(false);
        searcher.search_reader(&mut matcher.finder(), io::repeat(byte), &mut record).unwrap();
        assert_eq!(record.events, []);
    }
}

#[test]
fn a_damaged_haystack_is_searched_to_its_last_byte() {
    struct Damaged(&'static [u8]);

    impl Read for Damaged {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::new(io::ErrorKind::InvalidData, "damaged")),
                got => Ok(got),
            }
        }
    }

    for (pattern, lines) in [("x", 2), ("x2$", 1), ("x1\ny\nx", 1), ("z", 0)] {
        let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
        let matcher = Matcher::new([pattern], &config).unwrap();
        let mut record = Record::new(true);
        let searched = Searcher::default().search_reader(
            &mut matcher.finder(),
            Damaged(b"x1\ny\nx2"),
            &mut record,
        );
        assert_eq!(searched.unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(record.lines().count(), lines, "{pattern}");
        assert_eq!(record.events.last(), Some(&Event::Abandon));
    }
}
