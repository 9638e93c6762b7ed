//! The strategy: an automaton for ASCII text where operations on bits do not suffice, as in
//! `\d(\d[a-f])*[u-z]\d`.

use std::ops::Range;
use std::sync::Arc;

use super::automaton::Stream;
use super::lazy::Lazy;
use super::long_line::StreamsInParts;
use crate::lines::{LineHit, line_end, line_start, lines_end};
use crate::strategies::cost;
use crate::strategies::expression::Expression;
use crate::strategies::line_finder::{Fallback, LineFinder, Step, Task, Traits};
use crate::strategies::parts::{Least, Part};

/// Bytes of a block that are searched together.
const WINDOW: usize = 96 << 10;
/// Where streams are worth their start, and where the engine is.
const LEAST: Least = Least { ascii: 2 << 10, mixed: 4 << 10 };
/// Bytes from which on a line is searched alone.
const LONG: usize = 8 << 10;

/// Steps through lines of ASCII text and leaves the rest to the engine.
#[derive(Clone, Debug)]
pub(crate) struct DfaStreams {
    lazy: Arc<Lazy>,
    is_exact: bool,
    /// One line after the other, for text in which most lines match.
    by_line: bool,
    /// Bytes that the engine has searched for this worker instead.
    left: usize,
    streams: Vec<Stream>,
}

impl DfaStreams {
    /// The search of a line part by part, if that finds just the lines that match.
    pub(crate) fn in_parts(&self) -> Option<StreamsInParts> {
        if self.is_exact { StreamsInParts::new(&self.lazy) } else { None }
    }

    /// The same automaton, one line after the other.
    pub(crate) fn line_by_line(self) -> DfaStreams {
        DfaStreams { by_line: true, ..self }
    }
}

impl LineFinder for DfaStreams {
    /// What the engine costs, since that searches first. Needles are always preferred.
    fn cost(expression: &Expression<'_>) -> Option<f64> {
        Some(match expression.needles() {
            Some(_) => f64::INFINITY,
            None => expression.engine_cost(),
        })
    }

    fn new(expression: &Expression<'_>) -> Option<DfaStreams> {
        let (hir, terminator) = (expression.ascii_hir()?.clone(), expression.terminator);
        if expression.bits().is_some() {
            return None;
        }
        Some(DfaStreams {
            lazy: Arc::new(Lazy::new(hir, terminator)),
            is_exact: expression.is_exact,
            by_line: false,
            left: 0,
            streams: Vec::new(),
        })
    }

    fn traits(&self) -> Traits {
        let least_spacing = if self.by_line { 0 } else { cost::STREAM_SPACING };
        Traits { least_spacing, fallback: Fallback::Engine, ..Traits::of(self.is_exact) }
    }

    #[inline(never)]
    fn fill(&mut self, task: &mut Task<'_, '_>) -> Step {
        let (haystack, terminator) = task.text();
        let Range { start: from, end } = task.lines;
        let lookahead = task.scan.lookahead(WINDOW);
        let Some(automaton) = self.lazy.get(self.left) else {
            return Step::Leave(lines_end(haystack, terminator, from + WINDOW, from..end));
        };
        let first_end = line_end(haystack, terminator, from, end);
        if first_end - from >= LONG {
            if !haystack[from..first_end].is_ascii() {
                return Step::Leave(first_end);
            }
            task.scan.learn(|hits| {
                let found = automaton.find_in_long_line(haystack, from..first_end);
                hits.extend(found.map(LineHit::Confirmed));
                first_end + 1
            });
            return Step::Learned;
        }
        let ahead = end.min(from + lookahead);
        if line_end(haystack, terminator, ahead, end.min(ahead + LONG)) - ahead >= LONG {
            // The last line is long.
            task.lines.end = line_start(haystack, terminator, from, ahead) - 1;
        }
        // The engine gets as few lines as can be where most of them match.
        let least = if self.by_line { Least::LINE } else { LEAST };
        match Part::first(task, lookahead, least) {
            Part::Ascii(stop) => {
                task.scan.learn(|hits| {
                    match self.by_line {
                        true => automaton.find_by_line(haystack, from..stop, hits),
                        false => automaton.find(haystack, from..stop, &mut self.streams, hits),
                    }
                    stop + 1
                });
                Step::Learned
            }
            Part::Mixed(stop) => Step::Leave(stop),
        }
    }

    /// Where lines match, the engine stops long before the end of what it gets.
    fn next_searched(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use crate::compiled::Mode;
    use crate::strategies::table::Strategy;
    use crate::{BlockScan, Finder, Matcher, MatcherConfig};

    fn is_built(finder: &Finder) -> bool {
        let Mode::Lines(levels) = &finder.matcher().compiled.mode else { panic!("it is no -U") };
        let Strategy::DfaStreams(streams) = levels.first() else { panic!("it takes an automaton") };
        streams.lazy.is_built()
    }

    /// The number of hits, one search after the other.
    fn hits(finder: &mut Finder, text: &[u8]) -> usize {
        let (mut scan, mut at, mut hits) = (BlockScan::new(text), 0, 0);
        while let Some(hit) = finder.next_line(&mut scan, at) {
            let rest = &text[hit.offset()..];
            at = hit.offset() + rest.iter().position(|byte| *byte == b'\n').unwrap_or(0) + 1;
            hits += 1;
        }
        hits
    }

    #[test]
    fn only_what_the_engine_has_searched_makes_the_automaton_worth_it() {
        let pattern = r"\d(?:\d[a-f])*[u-z]\d";
        let mut finder = Matcher::new([pattern], &MatcherConfig::default()).unwrap().finder();
        let matching = b"1u2 and some more \n".repeat(9000);
        let others = b"1u_ and some more \n".repeat(9000);
        assert_eq!([hits(&mut finder, &matching), hits(&mut finder, &matching)], [9000; 2]);
        assert!(
            !is_built(&finder),
            "342 KB, of which the engine has searched 3 bytes of each line"
        );
        assert_eq!(hits(&mut finder, &others), 0);
        assert!(!is_built(&finder), "171 KB more");
        assert_eq!(hits(&mut finder, &others), 0);
        assert_eq!([hits(&mut finder, &matching), hits(&mut finder, &others)], [9000, 0]);
        assert!(is_built(&finder), "342 KB without a match");
    }
}
