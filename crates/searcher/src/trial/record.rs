//! A sink that records its events.

use std::{fs::File, ops::Range};

use heist_matcher::Finder;

use crate::{Finish, Flow, Line, LineKind, MatchBlock, Sink, UnreadLine, UnreadMatches, Wants};

/// One call of a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The search begins.
    Begin,
    /// The number of matching lines, counted or emitted.
    Count(u64),
    /// A line, or the lines of a block.
    Line {
        /// Why it was emitted.
        kind: LineKind,
        /// The line with its terminator.
        text: Vec<u8>,
        /// Where the line begins in the haystack.
        offset: u64,
        /// The line's number.
        number: Option<u64>,
    },
    /// Lines were left out.
    Gap,
    /// A NUL byte was seen here.
    Binary(u64),
    /// The search is over.
    Finish(Finish),
    /// An error ended the search.
    Abandon,
}

/// A sink that records its events, and checks that their order and matches are possible.
#[derive(Debug)]
pub struct Record {
    /// The events so far.
    pub events: Vec<Event>,
    /// For each block of lines, its matches.
    pub blocks: Vec<Vec<Range<usize>>>,
    /// Whether haystacks without a match are wanted.
    pub wants_unmatched: bool,
    /// Whether the number of matching lines is sufficient.
    pub counts: bool,
    /// Return `Break` from this many events on.
    pub break_at: usize,
    /// Accept lines unread, if these matches of theirs are known.
    pub unread_matches: UnreadMatches,
    /// The lines that were accepted unread, and their known matches.
    pub unread: Vec<(Vec<u8>, Vec<Range<usize>>)>,
    /// A file that is truncated to this length before the first line is recorded.
    pub cuts: Option<(File, u64)>,
}

impl Record {
    /// A record of all lines.
    #[must_use]
    pub fn new(wants_unmatched: bool) -> Record {
        let (events, blocks, counts, break_at) = (Vec::new(), Vec::new(), false, usize::MAX);
        let (unread_matches, unread) = (UnreadMatches::Never, Vec::new());
        let cuts = None;
        Record { events, blocks, wants_unmatched, counts, break_at, unread_matches, unread, cuts }
    }

    /// The emitted lines.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
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
            // Positions in the whole haystack. Less may be in memory.
            let place = |at: usize| at - block.start + offset as usize;
            let places = block.matches.iter().map(|m| place(m.start)..place(m.end));
            self.blocks.push(places.collect());
        }
        self.note(Event::Line { kind, text: bytes.to_vec(), offset, number })
    }
}

impl Sink for Record {
    fn wants(&self) -> Wants {
        Wants {
            unmatched: self.wants_unmatched,
            lines: !self.counts,
            matches: !self.counts,
            unread: self.unread_matches,
            ..Wants::default()
        }
    }

    fn matched_unread(&mut self, line: &UnreadLine<'_>) -> Option<Flow> {
        let needs_matches = self.unread_matches != UnreadMatches::None;
        if needs_matches && line.matches.is_empty() {
            return None;
        }
        if !needs_matches && self.counts {
            return Some(self.count(1));
        }
        let UnreadLine { len, offset, number, matches, texts, .. } = *line;
        let mut text = vec![0; len as usize];
        line.read_at(&mut text, 0).unwrap();
        if self.unread_matches == UnreadMatches::Texts {
            let expected = matches.iter().flat_map(|span| &text[span.clone()]).copied();
            assert_eq!(texts, expected.collect::<Vec<_>>());
        }
        self.unread.push((text.clone(), matches.to_vec()));
        self.note(Event::Line { kind: LineKind::Match, text, offset, number }).into()
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
        let is_abandoned = finish.is_abandoned;
        self.events.push(if is_abandoned { Event::Abandon } else { Event::Finish(*finish) });
    }
}
