//! A long line, which is cut into streams, too.
//!
//! A stream that begins within a line begins in the state of a search that begins there. It finds
//! the matches that begin and end in it. A match that goes on beyond the end of a stream is found
//! by going on with that stream, until its state is the one that the next stream had at the same
//! place: from there on, both are the same search. Mostly that is so after a few bytes.

use std::array;
use std::ops::Range;
use std::sync::Arc;

use super::automaton::{Automaton, BLOCK, MATCHED, Stream, WIDE};
use super::lazy::Lazy;
use crate::strategies::in_line::InLine;

impl Automaton {
    /// A place within a match of `line`, which has no terminator in it and is all ASCII, or at the
    /// end of a match.
    pub(super) fn find_in_long_line(&self, text: &[u8], line: Range<usize>) -> Option<usize> {
        let end = line.end;
        match self.pass_through(text, line, self.start) {
            Ok(state) => self.ends_matched[usize::from(state)].then_some(end),
            Err(place) => Some(place),
        }
    }

    /// The state behind `part` of a line, which begins in `state`, or a place within the first
    /// match or at its end.
    fn pass_through(&self, text: &[u8], part: Range<usize>, state: u8) -> Result<u8, usize> {
        let (starts, line) = (self.starts(text, &part, state), part);
        let mut group: [Stream; WIDE] = array::from_fn(|k| {
            let (at, end) = (starts[k].0, starts.get(k + 1).map_or(line.end, |next| next.0));
            Stream { at, end, state: starts[k].1, is_last: false }
        });
        let mut hits = Vec::new();
        while let Some(blocks) = group.iter().map(|s| (s.end - s.at) / BLOCK).min()
            && blocks > 0
            && hits.is_empty()
        {
            self.run(text, &mut group, blocks, &mut hits);
        }
        for stream in &mut group {
            if hits.is_empty() {
                self.walk_to(text, stream, stream.end, &mut hits);
            }
        }
        if let Some(hit) = hits.first() {
            return Err(hit.offset());
        }
        let mut state = group[0].state;
        for (stream, (start, first)) in group.iter().zip(starts).skip(1) {
            state = match self.join(&text[start..stream.end], state, first) {
                Joined::Match(at) => return Err(start + at),
                Joined::Same => stream.state,
                Joined::Other(state) => state,
            };
        }
        Ok(state)
    }

    /// Where the streams of `line` begin, and the state of each, which is `first` for the first.
    fn starts(&self, text: &[u8], line: &Range<usize>, first: u8) -> [(usize, u8); WIDE] {
        let size = line.len() / WIDE;
        let mut at = line.start;
        array::from_fn(|k| {
            if k == 0 {
                return (at, first);
            }
            // A few bytes are all in the first.
            at = if size == 0 { line.end } else { at.max(line.start + k * size) };
            if at == line.end {
                return (at, self.start_behind_blank);
            }
            // Behind these, some matches begin that begin nowhere else.
            while at < line.end && matches!(text[at - 1], b'\r' | b'\n') {
                at += 1;
            }
            let behind = text[at - 1];
            let is_word = behind.is_ascii_alphanumeric() || behind == b'_';
            (at, if is_word { self.start_behind_letter } else { self.start_behind_blank })
        })
    }

    /// Goes on in `state` with `text`, which has been searched from the state `first` on without a
    /// match.
    fn join(&self, text: &[u8], mut state: u8, mut first: u8) -> Joined {
        for (at, byte) in text.iter().enumerate() {
            if state == first {
                return Joined::Same;
            }
            let next = |state: u8| self.rows[usize::from(state)][usize::from(byte & 127)];
            (state, first) = (next(state), next(first));
            if state == MATCHED {
                return Joined::Match(at);
            }
        }
        Joined::Other(state)
    }
}

/// The search of a line that is not in memory as a whole.
#[derive(Clone, Debug)]
pub(crate) struct StreamsInParts {
    lazy: Arc<Lazy>,
    state: u8,
    found: InLine,
}

impl StreamsInParts {
    /// `None` if the automaton would be too large.
    pub(super) fn new(lazy: &Arc<Lazy>) -> Option<StreamsInParts> {
        lazy.automaton()?;
        let mut line =
            StreamsInParts { lazy: Arc::clone(lazy), state: MATCHED, found: InLine::NoMatch };
        line.begin();
        Some(line)
    }

    /// Begins another line.
    pub(crate) fn begin(&mut self) {
        self.state = self.lazy.automaton().map_or(MATCHED, |automaton| automaton.start);
        self.found = InLine::NoMatch;
    }

    /// Searches the next bytes of the line. Returns what has been found so far; the place means
    /// nothing.
    pub(crate) fn search(&mut self, part: &[u8]) -> InLine {
        match self.lazy.automaton() {
            _ if self.found != InLine::NoMatch => {}
            Some(automaton) if part.is_ascii() => {
                match automaton.pass_through(part, 0..part.len(), self.state) {
                    Ok(state) => self.state = state,
                    Err(place) => self.found = InLine::Match(place),
                }
            }
            _ => self.found = InLine::NotAscii,
        }
        self.found
    }

    /// Ends the line.
    pub(crate) fn end(&mut self) -> InLine {
        let is_match = |automaton: &Automaton| automaton.ends_matched[usize::from(self.state)];
        if self.found == InLine::NoMatch && self.lazy.automaton().is_some_and(is_match) {
            self.found = InLine::Match(0);
        }
        self.found
    }
}

/// How the search of a stream goes on in the next one.
enum Joined {
    /// There is a match.
    Match(usize),
    /// As the other search of it did.
    Same,
    /// Up to the end, in this state.
    Other(u8),
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use regex_automata::meta;

    use super::*;
    use crate::strategies::bit_parallel::tests::{hir, long_line, pattern};

    #[test]
    fn a_long_line_matches_as_others_do() {
        let mut rng = Rng::with_seed(6);
        let (mut built, mut matched) = (0, 0);
        while built < 300 {
            let pattern = pattern(&mut rng, 2);
            let hir = hir(&pattern);
            let Some(automaton) = Automaton::new(&hir, b'\n') else { continue };
            built += 1;
            let config = meta::Config::new().utf8_empty(false);
            let engine = meta::Builder::new().configure(config).build_from_hir(&hir).unwrap();
            for _ in 0..20 {
                let mut line = long_line(&mut rng);
                for _ in 0..rng.usize(..3) {
                    let at = rng.usize(..line.len());
                    line[at] = b'\r';
                }
                let is_match = engine.is_match(&line);
                let text = [b"ab\n", &line[..], b"\nab\n"].concat();
                let found = automaton.find_in_long_line(&text, 3..3 + line.len());
                assert_eq!(found.is_some(), is_match, "{pattern}: {}", line.escape_ascii());
                assert!(found.is_none_or(|at| (3..=3 + line.len()).contains(&at)));
                matched += usize::from(is_match);
            }
        }
        assert!((1000..5000).contains(&matched), "{matched}");
    }
}
