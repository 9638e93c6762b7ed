//! A search for lines in ASCII text by an automaton that steps through several places of the text at once.
//!
//! An automaton looks up one state per byte, and each look-up waits for the one before: four to five cycles a byte, however
//! small the table. A core can have several such chains under way. So the text is cut at line ends into as many streams,
//! and all take a step in turn; no match crosses a line end, so none is lost at a seam.
//!
//! The table is a row of 128 states per state, a byte each, so that it stays in the first-level cache and needs neither
//! byte classes nor checks of bounds. The state that says "a match ended" leads to itself: whether a stream got there is
//! asked once per block of bytes, and only then where.

use memchr::memchr;
use regex_automata::{
    Anchored, MatchKind,
    dfa::{Automaton, StartKind, dense},
    nfa::thompson::{self, WhichCaptures},
    util::{primitives::StateID, start},
};
use regex_syntax::hir::Hir;

use crate::LineHit;

/// Streams that step at once.
///
/// Perf (2026-11, 2 cores, 200 MB of the corpus `big` as ASCII, one thread, `\w{5}\s+\w{5}\s+\w{5}`): the lazy DFA takes 675 ms,
/// six streams 152 ms. Other numbers were only tried with a prototype, which was fastest with six as well.
const WIDE: usize = 6;
/// Streams that step at once when fewer are left.
const NARROW: usize = 3;
/// Steps between two looks at whether a stream has met a match.
const BLOCK: usize = 32;
/// Bytes below which a stream is not worth setting up.
const LEAST: usize = 256;
/// States of the largest automaton, the one for "a match ended" included: their numbers are bytes.
const MOST_STATES: usize = 256;
/// Bytes that building the automaton may take; most that need more are too large for the table anyway.
const BUILD_LIMIT: usize = 256 << 10;

/// The state in which a match has ended; it is never left.
const MATCHED: u8 = 0;

/// What follows a state at each ASCII byte.
type Row = [u8; 128];

/// An automaton for lines of ASCII text.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    rows: Box<[Row; MOST_STATES]>,
    /// Whether a match ends where the text ends in this state.
    ends_matched: Box<[bool; MOST_STATES]>,
    /// The state at the beginning of a line.
    start: u8,
    terminator: u8,
}

/// One stream: where it is, where it ends, in which state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    at: usize,
    end: usize,
    state: u8,
    /// Its last line has no terminator before `end`, so that a match may end there.
    is_last: bool,
}

impl Streams {
    /// The automaton for `hir`, an expression for blocks of lines that `terminator` ends and for ASCII text; None if it
    /// would be too large.
    pub(crate) fn new(hir: &Hir, terminator: u8) -> Option<Streams> {
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .utf8(false)
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(BUILD_LIMIT)),
            )
            .build_from_hir(hir)
            .ok()?;
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Unanchored)
            .accelerate(false)
            .dfa_size_limit(Some(BUILD_LIMIT))
            .determinize_size_limit(Some(BUILD_LIMIT));
        let dfa = dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()?;
        Streams::from_dfa(&dfa, terminator)
    }

    fn from_dfa(dfa: &dense::DFA<Vec<u32>>, terminator: u8) -> Option<Streams> {
        let at_line = start::Config::new().anchored(Anchored::No).look_behind(Some(terminator));
        let first = dfa.start_state(&at_line).ok()?;
        // The place of a state in this list is its number; the first is the one that all match states become.
        let mut states: Vec<Option<StateID>> = vec![None];
        let number_of = |state: StateID, states: &mut Vec<Option<StateID>>| -> Option<u8> {
            if dfa.is_match_state(state) {
                return Some(MATCHED);
            }
            let known = states.iter().position(|known| *known == Some(state));
            let number = known.unwrap_or(states.len());
            if known.is_none() {
                if states.len() == MOST_STATES {
                    return None;
                }
                states.push(Some(state));
            }
            u8::try_from(number).ok()
        };
        let start = number_of(first, &mut states)?;
        let mut rows: Vec<Row> = vec![[MATCHED; 128]];
        while let Some(state) = states.get(rows.len()).copied().flatten() {
            let mut row = [MATCHED; 128];
            for (byte, next) in (0u8..).zip(&mut row) {
                let found = dfa.next_state(state, byte);
                if dfa.is_quit_state(found) {
                    return None;
                }
                *next = number_of(found, &mut states)?;
            }
            rows.push(row);
        }
        let mut ends_matched = Box::new([false; MOST_STATES]);
        for (ends, state) in ends_matched.iter_mut().zip(states.iter().copied()) {
            *ends = state.is_some_and(|state| dfa.is_match_state(dfa.next_eoi_state(state)));
        }
        // Rows beyond the last state are never reached; with them every byte is the number of a row.
        rows.resize(MOST_STATES, [MATCHED; 128]);
        let rows = rows.into_boxed_slice().try_into().ok()?;
        Some(Streams { rows, ends_matched, start, terminator })
    }

    /// Append to `hits` a place in each line of `text[at..end]` that matches, in order. `at` begins a line, `end` is within
    /// or at the end of the last one, before its terminator. All of it is ASCII. A place is in its match or at its end.
    /// `streams` is scratch space.
    pub(crate) fn find(
        &self,
        text: &[u8],
        (at, end): (usize, usize),
        streams: &mut Vec<Stream>,
        hits: &mut Vec<LineHit>,
    ) {
        let first = hits.len();
        self.cut(text, at, end, streams);
        self.lockstep::<WIDE>(text, streams, hits);
        self.lockstep::<NARROW>(text, streams, hits);
        for stream in streams.drain(..) {
            self.walk(text, stream, hits);
        }
        hits[first..].sort_unstable_by_key(|hit| hit.place());
    }

    /// The same, line by line: faster where most lines match, each soon after its beginning.
    pub(crate) fn find_by_line(
        &self,
        text: &[u8],
        (at, end): (usize, usize),
        hits: &mut Vec<LineHit>,
    ) {
        self.walk(text, Stream { at, end, state: self.start, is_last: true }, hits);
    }

    /// Where the line after the one that holds `at` begins, if that is not behind `end`.
    fn next_line(&self, text: &[u8], at: usize, end: usize) -> Option<usize> {
        memchr(self.terminator, &text[at..end]).map(|n| at + n + 1)
    }

    /// Cut `text[at..end]` at line ends into streams of about the same length.
    fn cut(&self, text: &[u8], at: usize, end: usize, streams: &mut Vec<Stream>) {
        let wanted = ((end - at) / LEAST).clamp(1, WIDE);
        let size = (end - at) / wanted;
        streams.clear();
        let mut from = at;
        while streams.len() + 1 < wanted
            && let Some(to) = self.next_line(text, (from + size).min(end), end)
        {
            streams.push(Stream { at: from, end: to, state: self.start, is_last: false });
            from = to;
        }
        streams.push(Stream { at: from, end, state: self.start, is_last: true });
    }

    /// Let `K` streams at a time step together until fewer are left.
    fn lockstep<const K: usize>(
        &self,
        text: &[u8],
        streams: &mut Vec<Stream>,
        hits: &mut Vec<LineHit>,
    ) {
        while let Some((_, group)) = streams.split_last_chunk::<K>() {
            let mut group = *group;
            streams.truncate(streams.len() - K);
            while let Some(blocks) = group.iter().map(|s| (s.end - s.at) / BLOCK).min()
                && blocks > 0
            {
                self.run(text, &mut group, blocks, hits);
            }
            for stream in group {
                if stream.end - stream.at < BLOCK {
                    self.walk(text, stream, hits);
                } else {
                    streams.push(stream);
                }
            }
        }
    }

    /// Step through `blocks` blocks of each stream, or as many until one has met a match.
    fn run<const K: usize>(
        &self,
        text: &[u8],
        group: &mut [Stream; K],
        blocks: usize,
        hits: &mut Vec<LineHit>,
    ) {
        let mut states = group.map(|stream| stream.state);
        let mut rest = group.map(|stream| &text[stream.at..stream.at + blocks * BLOCK]);
        let mut done = 0;
        while let Some(block) = next_blocks(&mut rest) {
            let before = states;
            self.step(&mut states, block);
            if states.contains(&MATCHED) {
                for (k, stream) in group.iter_mut().enumerate() {
                    let block_end = stream.at + done + BLOCK;
                    if states[k] == MATCHED {
                        stream.at += done;
                        stream.state = before[k];
                        self.walk_to(text, stream, block_end, hits);
                    } else {
                        stream.at = block_end;
                        stream.state = states[k];
                    }
                }
                return;
            }
            done += BLOCK;
        }
        for (stream, state) in group.iter_mut().zip(states) {
            stream.at += done;
            stream.state = state;
        }
    }

    /// Step through one block of each stream.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "all streams take one step before any takes the next"
    )]
    fn step<const K: usize>(&self, states: &mut [u8; K], block: [&[u8; BLOCK]; K]) {
        for i in 0..BLOCK {
            for k in 0..K {
                states[k] = self.rows[usize::from(states[k])][usize::from(block[k][i] & 127)];
            }
        }
    }

    /// Walk the rest of a stream.
    fn walk(&self, text: &[u8], mut stream: Stream, hits: &mut Vec<LineHit>) {
        let end = stream.end;
        self.walk_to(text, &mut stream, end, hits);
        if stream.is_last && self.ends_matched[usize::from(stream.state)] {
            hits.push(LineHit::Confirmed(stream.end));
        }
    }

    /// Step through the bytes before `to`, or beyond it to the end of a line that matches.
    fn walk_to(&self, text: &[u8], stream: &mut Stream, to: usize, hits: &mut Vec<LineHit>) {
        while stream.at < to {
            let byte = text[stream.at] & 127;
            stream.state = self.rows[usize::from(stream.state)][usize::from(byte)];
            if stream.state != MATCHED {
                stream.at += 1;
                continue;
            }
            hits.push(LineHit::Confirmed(stream.at));
            match self.next_line(text, stream.at, stream.end) {
                Some(next) => (stream.at, stream.state) = (next, self.start),
                // Nothing is left of the stream. It stays in this state, in which nothing ends.
                None => stream.at = stream.end,
            }
        }
    }
}

/// The next block of each stream; None when they are used up, which all are at the same time.
fn next_blocks<'t, const K: usize>(rest: &mut [&'t [u8]; K]) -> Option<[&'t [u8; BLOCK]; K]> {
    let mut blocks = [&[0; BLOCK]; K];
    for (block, rest) in blocks.iter_mut().zip(rest) {
        (*block, *rest) = rest.split_first_chunk()?;
    }
    Some(blocks)
}
