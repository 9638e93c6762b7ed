//! Single cases: rules of the specification, and situations that random haystacks seldom contain.

use std::io::{self, Read};

use super::record::{Event, Record, emit, file, finder, print};
use crate::{BinaryPolicy, Encoding, End, Finish, LineKind, SearchConfig, Searcher, Source};

pub(super) fn numbered() -> SearchConfig {
    SearchConfig { line_numbers: true, ..SearchConfig::default() }
}

/// The printed search of `bytes`, as a file found by walking.
fn search(config: &SearchConfig, pattern: &str, bytes: &str) -> String {
    print(&emit(config, pattern, bytes.as_bytes(), BinaryPolicy::Quit))
}

#[test]
fn an_empty_haystack_never_matches() {
    for pattern in ["", "^", "$", "a"] {
        for invert in [false, true] {
            let config = SearchConfig { invert, ..numbered() };
            assert_eq!(emit(&config, pattern, b"", BinaryPolicy::Text), []);
        }
    }
    let mut record = Record::new(true);
    let mut finder = finder("a", b'\n');
    let mut searcher = Searcher::new(numbered());
    searcher.search(&mut finder, file(b"", End::ShortRead), &mut record).unwrap();
    assert_eq!(record.events, [Event::Begin, Event::Finish(Finish::default())]);
}

#[test]
fn a_match_past_the_last_terminator_is_no_line() {
    assert_eq!(search(&numbered(), "$", "a\n"), "1:a\n");
    assert_eq!(search(&numbered(), "^", "a\nb"), "1:a\n2:b\n");
    assert_eq!(search(&numbered(), "^$", "a\n"), "");
    assert_eq!(search(&numbered(), "^$", "a\n\n"), "2:\n");
}

#[test]
fn groups_that_touch_are_merged_and_others_parted() {
    let text = "x\n1\n2\nx\n3\n4\n5\nx\n";
    let config = SearchConfig { before_context: 1, after_context: 1, ..numbered() };
    assert_eq!(search(&config, "x", text), "1:x\n2-1\n3-2\n4:x\n5-3\n--\n7-5\n8:x\n");
    let config = SearchConfig { after_context: 1, ..numbered() };
    assert_eq!(search(&config, "x", text), "1:x\n2-1\n--\n4:x\n5-3\n--\n8:x\n");
    let config = SearchConfig { before_context: 9, ..numbered() };
    assert_eq!(search(&config, "x", text), "1:x\n2-1\n3-2\n4:x\n5-3\n6-4\n7-5\n8:x\n");
}

#[test]
fn the_context_after_the_last_allowed_match_shows_matches_without_counting_them() {
    let text = "x\nx\ny\nx\ny\n";
    let config = SearchConfig { after_context: 2, max_matches: Some(1), ..numbered() };
    assert_eq!(search(&config, "x", text), "1:x\n2:x\n3-y\n");
    let config = SearchConfig { max_matches: Some(1), passthru: true, ..numbered() };
    assert_eq!(search(&config, "x", text), "1:x\n2-x\n3-y\n4-x\n5-y\n");
    let config = SearchConfig { max_matches: Some(0), ..numbered() };
    assert_eq!(search(&config, "x", text), "");
}

#[test]
fn stopping_on_nonmatch_shows_the_line_that_stops() {
    let text = "y\nx\nx\ny\nx\n";
    let config = SearchConfig { stop_on_nonmatch: true, ..numbered() };
    assert_eq!(search(&config, "x", text), "2:x\n3:x\n");
    let config = SearchConfig { after_context: 2, ..config };
    assert_eq!(search(&config, "x", text), "2:x\n3:x\n4-y\n");
    let config = SearchConfig { stop_on_nonmatch: true, invert: true, ..numbered() };
    assert_eq!(search(&config, "x", text), "1:y\n");
}

#[test]
fn offsets_and_lines_are_those_of_decoded_text() {
    let utf16: Vec<u8> = "\u{FEFF}one\ntwö\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16be: Vec<u8> = "\u{FEFF}one\ntwö\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [&b"\xEF\xBB\xBFone\ntw\xC3\xB6\n"[..], &utf16, &utf16be] {
        let events = emit(&numbered(), "^(one|tw)", bytes, BinaryPolicy::Quit);
        let line = |text: &str, offset, number| Event::Line {
            kind: LineKind::Match,
            text: text.into(),
            offset,
            number: Some(number),
        };
        let finish = Finish { bytes_searched: 9, binary_offset: None };
        let expected =
            [Event::Begin, line("one\n", 0, 1), line("twö\n", 4, 2), Event::Finish(finish)];
        assert_eq!(events, expected);
    }
    let config = SearchConfig { encoding: Encoding::None, ..numbered() };
    assert_eq!(search(&config, "^one", "\u{FEFF}one\n"), "");
}

#[test]
fn a_requested_encoding_decodes_everything_unless_a_mark_is_of_utf16() {
    let latin1 = Encoding::Always(encoding_rs::WINDOWS_1252);
    let utf8 = Encoding::Always(encoding_rs::UTF_8);
    for (encoding, bytes, text) in [
        (latin1, &b"caf\xE9\n"[..], "caf\u{E9}\n"),
        (latin1, b"\xEF\xBB\xBFcaf\xE9\n", "caf\u{E9}\n"),
        (latin1, b"\xFF\xFEc\0a\0\n\0", "ca\n"),
        (utf8, b"caf\xC3\xA9\n", "caf\u{E9}\n"),
        (utf8, b"caf\xE9\n", "caf\u{FFFD}\n"),
        (utf8, b"\xEF\xBB\xBFcaf\xE9", "caf\u{FFFD}"),
    ] {
        let config = SearchConfig { encoding, ..numbered() };
        let events = emit(&config, "^ca", bytes, BinaryPolicy::Quit);
        let Some(Event::Line { text: emitted, offset: 0, .. }) = events.get(1) else {
            panic!("{bytes:?}: {events:?}");
        };
        assert_eq!(emitted, text.as_bytes());
    }
}

/// `len` bytes in lines of 16, with a NUL byte at `nul`.
fn lines_with_nul(len: usize, nul: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..len).map(|i| if i % 16 == 15 { b'\n' } else { b'x' }).collect();
    bytes[nul] = 0;
    bytes
}

/// The numbers of matching lines before and after the event of the NUL byte.
fn count_around_binary(bytes: &[u8], binary: BinaryPolicy) -> (usize, usize) {
    let mut record = Record::new(true);
    let mut finder = finder("x", b'\n');
    let mut searcher = Searcher::new(SearchConfig { binary, ..numbered() });
    searcher.search(&mut finder, file(bytes, End::ShortRead), &mut record).unwrap();
    let mut counts = (0, 0);
    let mut is_after = false;
    for event in record.events {
        match event {
            Event::Binary(_) => is_after = true,
            Event::Line { .. } if is_after => counts.1 += 1,
            Event::Line { .. } => counts.0 += 1,
            _ => {}
        }
    }
    counts
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
        let bytes = lines_with_nul(200_000, nul);
        assert_eq!(count_around_binary(&bytes, BinaryPolicy::Quit), (before, 0), "{nul}");
        let converted = (before, all - before + cut);
        assert_eq!(count_around_binary(&bytes, BinaryPolicy::Convert), converted, "{nul}");
        assert_eq!(count_around_binary(&bytes, BinaryPolicy::Text), (all, 0), "{nul}");
    }
}

#[test]
fn a_line_feed_in_the_first_three_bytes_makes_a_block() {
    for (text, shown) in [
        (&b"x\ny\0\n"[..], "1:x\nbinary 3\n"),
        (b"x\n\0y\n", ""),
        (b"yyyx\n\0\n", ""),
        (b"\xEF\xBB\xBFx\ny\0\n", ""),
    ] {
        assert_eq!(print(&emit(&numbered(), "x", text, BinaryPolicy::Quit)), shown, "{text:?}");
    }
}

#[test]
fn nul_bytes_of_a_converted_haystack_end_lines_and_are_emitted_before_them() {
    let emitted = emit(&numbered(), "^b$", b"a\0b\0\0c\nb\n", BinaryPolicy::Convert);
    assert_eq!(print(&emitted), "binary 1\n2:b\n5:b\n");
    assert_eq!(emit(&numbered(), "d", b"a\0b\0\0c\nb\n", BinaryPolicy::Convert), []);
}

#[test]
fn a_line_longer_than_any_buffer_is_whole() {
    let mut bytes = b"short\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'x', 700_000));
    bytes.extend(b"end\nlast x");
    let mut record = Record::new(false);
    let mut finder = finder("x", b'\n');
    let mut searcher = Searcher::new(numbered());
    searcher.search(&mut finder, file(&bytes, End::EmptyRead), &mut record).unwrap();
    let lines: Vec<(usize, Option<u64>)> = record
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Line { text, number, .. } => Some((text.len(), *number)),
            _ => None,
        })
        .collect();
    assert_eq!(lines, [(700_004, Some(2)), (6, Some(3))]);
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

#[test]
fn a_short_read_up_to_a_bad_page_is_no_end() {
    // A disk returns the bytes before the page that cannot be read, then the error.
    let good = [b'x', b'\n'].repeat(4096);
    let parts = [&good[..]];
    let source = Source { reader: Broken(&parts), end: End::ShortRead };
    let mut record = Record::new(false);
    let found = Searcher::new(numbered()).search(&mut finder("x", b'\n'), source, &mut record);
    assert_eq!(found.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(record.lines().count(), 4096);
}

#[test]
fn a_read_error_comes_after_the_lines_before_it() {
    let mut searcher = Searcher::new(numbered());
    let mut finder = finder("x", b'\n');
    for (parts, shown) in [(&[][..], ""), (&[&b"x1\ny\n"[..], b"x2\nx"], "1:x1\n3:x2\n")] {
        let mut record = Record::new(false);
        let source = Source { reader: Broken(parts), end: End::Stream };
        let error = searcher.search(&mut finder, source, &mut record).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(print(&record.events), shown);
        let end = if parts.is_empty() { None } else { Some(&Event::Abandon) };
        assert_eq!(record.events.last(), end);
    }
}

#[test]
fn lines_of_a_stream_are_emitted_before_it_is_read_further() {
    // The first lines reach the limit, so the read that would fail is never made.
    let config = SearchConfig { max_matches: Some(1), ..numbered() };
    let mut record = Record::new(false);
    let source = Source { reader: Broken(&[b"y\nx\nx"]), end: End::Stream };
    let mut finder = finder("x", b'\n');
    Searcher::new(config).search(&mut finder, source, &mut record).unwrap();
    assert_eq!(print(&record.events), "2:x\n");
}
