//! A sink that records its events, and readers that return bytes in awkward pieces.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
};

use heist_matcher::{Finder, Matcher};

use crate::{
    BinaryPolicy, End, Finish, Flow, Line, LineKind, MatchBlock, SearchConfig, Searcher, Sink,
    Source,
};

/// One call of a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Begin,
    /// The number of matching lines, counted or emitted.
    Count(u64),
    Line {
        kind: LineKind,
        text: Vec<u8>,
        offset: u64,
        number: Option<u64>,
    },
    Gap,
    Binary(u64),
    Finish(Finish),
    Abandon,
}

#[derive(Debug)]
pub(super) struct Record {
    pub(super) events: Vec<Event>,
    /// The matches of each block of lines.
    pub(super) blocks: Vec<Vec<Range<usize>>>,
    pub(super) wants_unmatched: bool,
    /// Whether the number of matching lines is sufficient.
    pub(super) counts: bool,
    /// Return `Break` from this many events on.
    pub(super) break_at: usize,
    /// A file that is truncated to this length before the first line is recorded.
    pub(super) cuts: Option<(File, u64)>,
}

impl Record {
    pub(super) fn new(wants_unmatched: bool) -> Record {
        let (events, blocks, counts, break_at) = (Vec::new(), Vec::new(), false, usize::MAX);
        Record { events, blocks, wants_unmatched, counts, break_at, cuts: None }
    }

    /// The emitted lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.events.iter().filter_map(|event| match event {
            Event::Line { text, .. } => Some(text.as_slice()),
            _ => None,
        })
    }

    fn note(&mut self, event: Event) -> Flow {
        assert!(self.events.len() < self.break_at, "emitted {event:?} after a break");
        self.events.push(event);
        if self.events.len() >= self.break_at { Flow::Break(()) } else { Flow::Continue(()) }
    }

    fn count(&mut self, lines: u64) -> Flow {
        assert!(self.counts && lines > 0);
        if let Some(Event::Count(count)) = self.events.last_mut() {
            *count += lines;
            return Flow::Continue(());
        }
        self.note(Event::Count(lines))
    }

    fn note_line(&mut self, line: &Line<'_>) -> Flow {
        let Line { kind, bytes, offset, number, block } = *line;
        if let Some((file, len)) = self.cuts.take() {
            file.set_len(len).unwrap();
        }
        if let Some(block) = block {
            assert!(block.haystack[block.origin + block.start..].starts_with(bytes));
            // Positions in the whole haystack, of which less may be in memory.
            let place = |at: usize| at - block.start + offset as usize;
            let places = block.matches.iter().map(|m| place(m.start)..place(m.end));
            self.blocks.push(places.collect());
        }
        self.note(Event::Line { kind, text: bytes.to_vec(), offset, number })
    }
}

impl Sink for Record {
    fn wants_unmatched(&self) -> bool {
        self.wants_unmatched
    }

    fn wants_lines(&self) -> bool {
        !self.counts
    }

    fn begin(&mut self) -> Flow {
        self.note(Event::Begin)
    }

    fn counted(&mut self, lines: u64) -> Flow {
        self.count(lines)
    }

    fn matched_with(&mut self, finder: &mut Finder, line: &Line<'_>) -> Flow {
        assert_eq!(line.kind, LineKind::Match);
        if let Some(MatchBlock { haystack, origin, start, matches, .. }) = line.block {
            let place = |at: usize| origin + at;
            let end = place(start + line.bytes.len());
            for known in matches {
                let known = place(known.start)..place(known.end);
                let found = finder.find_at(haystack, known.start);
                // The last match may be cut off with the line.
                let is_again = found.is_some_and(|found| {
                    found.start == known.start && (found.end == known.end || known.end == end)
                });
                assert!(is_again, "{known:?} is not found in \"{}\"", haystack.escape_ascii());
            }
        }
        if self.counts { self.count(1) } else { self.note_line(line) }
    }

    fn context_with(&mut self, _: &mut Finder, line: &Line<'_>) -> Flow {
        assert_ne!(line.kind, LineKind::Match);
        self.note_line(line)
    }

    fn gap(&mut self) -> Flow {
        self.note(Event::Gap)
    }

    fn binary(&mut self, offset: u64) -> Flow {
        self.note(Event::Binary(offset))
    }

    fn finish(&mut self, finish: &Finish) {
        self.events.push(Event::Finish(*finish));
    }

    fn abandon(&mut self) {
        self.events.push(Event::Abandon);
    }
}

/// The events for `events` if matching lines are only counted.
pub(super) fn counted(events: Vec<Event>) -> Vec<Event> {
    let mut counted = Vec::new();
    for event in events {
        let is_match = matches!(event, Event::Line { kind: LineKind::Match, .. });
        match counted.last_mut() {
            Some(Event::Count(count)) if is_match => *count += 1,
            _ => counted.push(if is_match { Event::Count(1) } else { event }),
        }
    }
    counted
}

/// Returns at most `most` bytes per read, as a pipe may, and is interrupted before each.
pub(super) struct Dribble<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) most: usize,
    pub(super) is_interrupted: bool,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = self.most.min(buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

/// A finder for `pattern` in lines ended by `terminator`.
pub(super) fn finder(pattern: &str, terminator: u8) -> Finder {
    finder_of(pattern, &SearchConfig { line_terminator: terminator, ..SearchConfig::default() })
}

/// A finder for `pattern` in the lines of a search.
pub(super) fn finder_of(pattern: &str, search: &SearchConfig) -> Finder {
    let config = heist_matcher::Config {
        unicode: false,
        line_terminator: search.line_terminator,
        crlf: search.crlf,
        ban_nul: false,
        size_limit: 1 << 24,
        dfa_size_limit: 1 << 24,
        ..heist_matcher::Config::default()
    };
    Matcher::new(&[pattern.to_owned()], &config).unwrap().finder()
}

/// The events of `bytes` in memory.
pub(super) fn emit(
    config: &SearchConfig,
    pattern: &str,
    bytes: &[u8],
    binary: BinaryPolicy,
) -> Vec<Event> {
    let mut record = Record::new(false);
    let mut finder = finder(pattern, config.line_terminator);
    let config = SearchConfig { binary, ..config.clone() };
    Searcher::new(config).search_slice(&mut finder, bytes, &mut record).unwrap();
    record.events
}

/// Prints events like the program: `number:text` for matches, `number-text` for context.
pub(super) fn print(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Begin | Event::Count(_) | Event::Finish(_) | Event::Abandon => {}
            Event::Gap => text.push_str("--\n"),
            Event::Binary(offset) => text.push_str(&format!("binary {offset}\n")),
            Event::Line { kind, text: line, number, .. } => {
                let mark = if *kind == LineKind::Match { ':' } else { '-' };
                let number = number.map_or(String::new(), |n| n.to_string());
                text.push_str(&format!("{number}{mark}{}\n", line.trim_ascii_end().escape_ascii()));
            }
        }
    }
    text
}

/// A source that reads like a plain file.
pub(super) fn file(bytes: &[u8], end: End) -> Source<&[u8]> {
    Source { reader: bytes, end }
}
