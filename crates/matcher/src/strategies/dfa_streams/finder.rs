//! The strategy: an automaton for ASCII text that takes too many operations on bits, as in
//! `(\w{5}\s+){3}`.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_syntax::hir::Hir;

use super::automaton::{Automaton, Stream};
use crate::lines::line_end;
use crate::strategies::cost;
use crate::strategies::expression::Expression;
use crate::strategies::line_finder::{Fallback, LineFinder, Step, Task, Traits};
use crate::strategies::parts::{Least, Part};

/// Bytes of a block that are searched together.
const WINDOW: usize = 96 << 10;
/// Where streams are worth their start, and where the engine is.
const LEAST: Least = Least { ascii: 2 << 10, mixed: 4 << 10 };
/// Bytes that a worker leaves to the engine before the automaton is built. That takes 0.2 ms, in
/// which the engine searches 100 KB.
const ENOUGH: usize = 256 << 10;

/// Steps through lines of ASCII text and leaves the rest to the engine.
#[derive(Clone, Debug)]
pub(crate) struct DfaStreams {
    lazy: Arc<Lazy>,
    is_exact: bool,
    /// One line after the other, for text in which most lines match.
    by_line: bool,
    /// Bytes that this worker has left to the engine.
    left: usize,
    streams: Vec<Stream>,
}

/// The automaton of all workers, built when one has enough text to search.
#[derive(Debug)]
struct Lazy {
    hir: Hir,
    terminator: u8,
    automaton: OnceLock<Option<Automaton>>,
}

impl Lazy {
    /// The automaton for a worker that has `left` so many bytes to the engine, if it is worth it
    /// and not too large.
    fn get(&self, left: usize) -> Option<&Automaton> {
        if left < ENOUGH {
            return self.automaton.get()?.as_ref();
        }
        self.automaton.get_or_init(|| Automaton::new(&self.hir, self.terminator)).as_ref()
    }
}

impl DfaStreams {
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
            lazy: Arc::new(Lazy { hir, terminator, automaton: OnceLock::new() }),
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
            let stop = line_end(haystack, terminator, from + WINDOW, end);
            self.left = self.left.saturating_add(stop - from);
            return Step::Leave(stop);
        };
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
}
