//! The automaton, and the streams that step through it.

use std::ops::Range;

use memchr::memchr;
use regex_automata::{
    Anchored, MatchKind,
    hybrid::{LazyStateID, dfa::DFA},
    nfa::thompson::{self, WhichCaptures},
    util::start,
};
use regex_syntax::hir::Hir;

use crate::lines::LineHit;

/// Streams that step at once (docs/decisions/0034-automaton-in-streams.md).
pub(super) const WIDE: usize = 6;
/// Streams that step at once when fewer are left.
const NARROW: usize = 3;
/// Steps between two tests whether a stream has met a match.
pub(super) const BLOCK: usize = 32;
/// Bytes from which on a stream is worth its start.
const LEAST: usize = 256;
/// States of the largest automaton, with the one in which a match has ended: a number is a byte.
const MOST_STATES: usize = 256;
/// Bytes that the NFA may take.
const NFA_LIMIT: usize = 256 << 10;
/// Bytes that the states and their transitions may take while the table is built. Most automata
/// that need more are too large for the table.
const BUILD_LIMIT: usize = 512 << 10;

/// The state in which a match has ended. Nothing leads out of it.
pub(super) const MATCHED: u8 = 0;

/// The next state for each ASCII byte.
type Row = [u8; 128];

/// An automaton for lines of ASCII text.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    pub(super) rows: Box<[Row; MOST_STATES]>,
    /// Whether a match ends where the text ends in this state.
    pub(super) ends_matched: Box<[bool; MOST_STATES]>,
    /// The state at the beginning of a line.
    pub(super) start: u8,
    /// The state within a line, behind a letter.
    pub(super) start_behind_letter: u8,
    /// The state within a line, behind a byte that is no part of a word and of no terminator.
    pub(super) start_behind_blank: u8,
    terminator: u8,
}

/// A part of the text, and how far the automaton has come in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) state: u8,
    /// Whether its last line has no terminator before `end`, so that a match may end there.
    pub(super) is_last: bool,
}

impl Automaton {
    /// The automaton for `hir`, an expression for blocks of lines that `terminator` ends and for
    /// ASCII text. `None` if it would be too large.
    pub(super) fn new(hir: &Hir, terminator: u8) -> Option<Automaton> {
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .utf8(false)
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(NFA_LIMIT)),
            )
            .build_from_hir(hir)
            .ok()?;
        // It makes only the states that the table needs, which are far fewer where many follow a
        // match; and none more once they are too many.
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(BUILD_LIMIT)
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        Automaton::from_dfa(&dfa, terminator)
    }

    fn from_dfa(dfa: &DFA, terminator: u8) -> Option<Automaton> {
        let cache = &mut dfa.create_cache();
        let mut start_behind = |byte| {
            let config = start::Config::new().anchored(Anchored::No).look_behind(Some(byte));
            dfa.start_state(cache, &config).ok()
        };
        let starts = [start_behind(terminator)?, start_behind(b'a')?, start_behind(b' ')?];
        // A state's index is its number. The first stands for all match states.
        let mut states: Vec<Option<LazyStateID>> = vec![None];
        let number_of = |state: LazyStateID, states: &mut Vec<Option<LazyStateID>>| -> Option<u8> {
            if state.is_match() {
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
        let [start, start_behind_letter, start_behind_blank] = [
            number_of(starts[0], &mut states)?,
            number_of(starts[1], &mut states)?,
            number_of(starts[2], &mut states)?,
        ];
        let mut rows: Vec<Row> = vec![[MATCHED; 128]];
        while let Some(state) = states.get(rows.len()).copied().flatten() {
            let mut row = [MATCHED; 128];
            for (byte, next) in (0u8..).zip(&mut row) {
                // It fails rather than to forget states, whose numbers would change.
                let found = dfa.next_state(cache, state, byte).ok()?;
                if found.is_quit() {
                    return None;
                }
                *next = number_of(found, &mut states)?;
            }
            rows.push(row);
        }
        let mut ends_matched = Box::new([false; MOST_STATES]);
        for (ends, state) in ends_matched.iter_mut().zip(states.iter().copied()) {
            if let Some(state) = state {
                *ends = dfa.next_eoi_state(cache, state).ok()?.is_match();
            }
        }
        // With rows beyond the last state, which are never reached, every byte is the number of
        // one.
        rows.resize(MOST_STATES, [MATCHED; 128]);
        let rows = rows.into_boxed_slice().try_into().ok()?;
        Some(Automaton {
            rows,
            ends_matched,
            start,
            start_behind_letter,
            start_behind_blank,
            terminator,
        })
    }

    /// Appends to `hits`, in order, a place in each of `lines` that matches: within the match or at
    /// its end. All of the lines are ASCII. `streams` is scratch space.
    pub(super) fn find(
        &self,
        text: &[u8],
        lines: Range<usize>,
        streams: &mut Vec<Stream>,
        hits: &mut Vec<LineHit>,
    ) {
        let first = hits.len();
        self.cut(text, lines, streams);
        self.lockstep::<WIDE>(text, streams, hits);
        self.lockstep::<NARROW>(text, streams, hits);
        for stream in streams.drain(..) {
            self.walk(text, stream, hits);
        }
        hits[first..].sort_unstable_by_key(|hit| hit.offset());
    }

    /// The same in one stream: faster where most lines match, each soon after its beginning.
    pub(super) fn find_by_line(&self, text: &[u8], lines: Range<usize>, hits: &mut Vec<LineHit>) {
        let Range { start: at, end } = lines;
        self.walk(text, Stream { at, end, state: self.start, is_last: true }, hits);
    }

    /// The start of the line after the one that holds `at`, if that is not behind `end`.
    fn next_line(&self, text: &[u8], at: usize, end: usize) -> Option<usize> {
        memchr(self.terminator, &text[at..end]).map(|n| at + n + 1)
    }

    /// Cuts `lines` into streams of about the same length.
    fn cut(&self, text: &[u8], lines: Range<usize>, streams: &mut Vec<Stream>) {
        let Range { start: at, end } = lines;
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

    /// Lets `K` streams at a time step together until fewer are left.
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

    /// Steps through `blocks` blocks of each stream, or fewer if one meets a match.
    pub(super) fn run<const K: usize>(
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

    /// Steps through one block of each stream.
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

    /// Steps through the rest of a stream.
    fn walk(&self, text: &[u8], mut stream: Stream, hits: &mut Vec<LineHit>) {
        let end = stream.end;
        self.walk_to(text, &mut stream, end, hits);
        if stream.is_last && self.ends_matched[usize::from(stream.state)] {
            hits.push(LineHit::Confirmed(stream.end));
        }
    }

    /// Steps through the bytes before `to`, or beyond it to the end of a line that matches.
    pub(super) fn walk_to(
        &self,
        text: &[u8],
        stream: &mut Stream,
        to: usize,
        hits: &mut Vec<LineHit>,
    ) {
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
                // Nothing is left of the stream; in this state nothing ends at its end.
                None => stream.at = stream.end,
            }
        }
    }
}

/// The next block of each stream; `None` when they are used up, all at the same time.
fn next_blocks<'t, const K: usize>(rest: &mut [&'t [u8]; K]) -> Option<[&'t [u8; BLOCK]; K]> {
    let mut blocks = [&[0; BLOCK]; K];
    for (block, rest) in blocks.iter_mut().zip(rest) {
        (*block, *rest) = rest.split_first_chunk()?;
    }
    Some(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::bit_parallel::tests::hir;

    #[test]
    fn states_behind_a_match_do_not_count() {
        let matches = |pattern: &str, text: &[u8]| {
            let automaton = Automaton::new(&hir(pattern), b'\n').expect("it is small enough");
            let mut hits = Vec::new();
            automaton.find(text, 0..text.len(), &mut Vec::new(), &mut hits);
            hits.iter().map(|hit| hit.offset()).collect::<Vec<_>>()
        };
        // Any of the last 13 characters may be the `a`.
        assert_eq!(matches("xq(a[^\n]{12}b)?", b"xq\nx\n xqaaaaaaaaaaaaaaab\n"), [2, 8]);
        assert!(Automaton::new(&hir("a[^\n]{12}b"), b'\n').is_none(), "8192 states");
    }
}
