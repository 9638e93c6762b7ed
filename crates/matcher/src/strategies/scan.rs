//! How a block is skimmed where no literals help: by the regex engine, and by what is faster where the block is ASCII.

use std::ops::Range;

use bstr::ByteSlice;
use memchr::{memchr, memrchr};
use regex_automata::{Input, meta};

use crate::LineHit;
use crate::block_scan::BlockScan;
use crate::compile::ascii_hir::{Ascii, AsciiHir};
use crate::compiled::Compiled;
use crate::exact::Search;
use crate::strategies::backoff::Backoff;
use crate::strategies::bit_parallel::{Bits, Piece, Results};
use crate::strategies::dfa_streams::Stream;
use crate::strategies::many::ProbeBits;
use crate::strategies::plan::Plan;

/// Bytes looked at first for being ASCII. Small, as the next match may be near and the next call
/// looks again; the piece doubles while nothing is found.
const FIRST_PIECE: usize = 256;
/// Bytes looked at at most: stays in the first-level cache for the engine that follows.
const LAST_PIECE: usize = 16 << 10;
/// Bytes of a block that are looked at together.
const WINDOW: usize = 96 << 10;
/// Bytes of ASCII before a character that is not that are worth a search of their own.
const WORTH: usize = 2 << 10;
/// Bytes that the engine gets where ASCII ends sooner.
const MIXED: usize = 4 << 10;
/// Bytes between two hits that make it worth to let streams stop at each.
///
/// Perf (2026-11, 2 cores, the corpus `big` as ASCII): with a hit in every line, of 47 bytes, the engine takes three
/// quarters of the time; with one in two lines, half.
const STREAMS_WORTH: usize = 160;

/// One worker's means of skimming.
#[derive(Debug)]
pub(crate) struct LineScanner {
    pub(crate) exact: Search,
    /// Scratch space for the regex that searches blocks, where that is another one.
    block_cache: Option<meta::Cache>,
    /// Scratch space for the [`OverApprox`](crate::compile::over_approx::OverApprox) regex, once it is there.
    pub(crate) over_approx_cache: Option<meta::Cache>,
    /// Whether the haystack that was last searched from its beginning, as a whole, is known not to be ASCII. It is only about speed: what
    /// is searched now may be another.
    pub(crate) is_non_ascii: bool,
    /// Bytes that were left to the engine.
    skimmed: usize,
    /// How crowded the hits of streams are.
    pub(crate) backoff_of_hits: Backoff,
    /// Scratch space for lines that are not ASCII.
    non_ascii: Vec<LineHit>,
    /// Scratch space for streams.
    streams: Vec<Stream>,
    /// Scratch space for operations on bits.
    results: Results,
    /// Scratch space for a search for many needles, or for words.
    pub(crate) probes: ProbeBits,
}

/// A part of a block: its lines up to the one that ends at this place, its terminator left aside.
enum Part {
    /// All ASCII.
    Ascii(usize),
    /// Not known to be.
    Mixed(usize),
}

impl LineScanner {
    pub(crate) fn new(compiled: &Compiled) -> LineScanner {
        LineScanner {
            exact: compiled.exact.search(),
            block_cache: compiled.block.as_ref().map(meta::Regex::create_cache),
            over_approx_cache: None,
            is_non_ascii: false,
            skimmed: 0,
            backoff_of_hits: Backoff::new(STREAMS_WORTH),
            non_ascii: Vec::new(),
            streams: Vec::new(),
            results: Results::new(),
            probes: ProbeBits::new(),
        }
    }

    /// The first place at or after `at` in a line that matches or is worth checking, in the block of `scan` up to `end`.
    pub(crate) fn next_line(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        match (&self.exact, &compiled.ascii, &compiled.plan) {
            (Search::Pcre2(_), _, _) => self.by_line(compiled, scan.haystack(), at, end),
            (_, Ascii::Nothing, _) | (_, _, Plan::Engine { has_literals: true }) => {
                self.by_engine(compiled, scan, at, end)
            }
            (Search::Automata { .. }, _, _) => self.ahead(compiled, scan, at, end),
        }
    }

    /// What the engine need not go over byte by byte is searched ahead.
    fn ahead(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        let bits = match &compiled.ascii {
            Ascii::Search(ascii_hir) => ascii_hir.bits(),
            Ascii::Nothing | Ascii::Skip => None,
        };
        if bits.is_some() && scan.unknown(at) == at && self.backoff_of_hits.is_slow() {
            let hit = self.by_engine(compiled, scan, at, end);
            self.backoff_of_hits.searched(hit.map_or(end, LineHit::place) + 1 - at);
            return hit;
        }
        loop {
            if let Some(hit) = scan.known(at) {
                // Bits find all places at once, however many: only what has to be checked costs anything.
                if bits.is_none() || matches!(hit, LineHit::Candidate(_)) {
                    self.backoff_of_hits.stopped_after(hit.place() - at);
                }
                return Some(match hit {
                    LineHit::Candidate(_) => hit,
                    LineHit::Confirmed(place) => compiled.hit(place),
                });
            }
            let from = scan.unknown(at);
            if from > end {
                return None;
            }
            let hit = match (&compiled.ascii, bits) {
                (_, Some(bits)) => self.by_bits(compiled, bits, scan, from..end),
                (Ascii::Search(ascii_hir), None) => {
                    self.by_streams(compiled, ascii_hir, scan, from..end)
                }
                _ => self.beyond_ascii(compiled, scan, from..end),
            };
            if hit.is_some() {
                return hit;
            }
        }
    }

    /// Search a few lines ahead by operations on bits, or the first alone if it is very long.
    fn by_bits(
        &mut self,
        compiled: &Compiled,
        bits: &Bits,
        scan: &mut BlockScan<'_>,
        lines: Range<usize>,
    ) -> Option<LineHit> {
        let (haystack, Range { start: from, end }) = (scan.haystack(), lines);
        let mut long = None;
        scan.learn(|hits| match bits.find(haystack, (from, end), &mut self.results, hits) {
            Piece::Searched { end } => end + 1,
            Piece::TooLong { end } => {
                long = Some(end);
                from
            }
        });
        self.engine_or_pass(compiled, scan, from, long?)
    }

    /// How many of the first lines of `lines` match, as many as are counted at once, and where the last of them ends.
    pub(crate) fn count_by_bits(
        &mut self,
        compiled: &Compiled,
        bits: &Bits,
        haystack: &[u8],
        lines: Range<usize>,
    ) -> (u64, usize) {
        let Range { start: mut at, end } = lines;
        let mut non_ascii = std::mem::take(&mut self.non_ascii);
        non_ascii.clear();
        let (mut count, piece) = bits.count(haystack, (at, end), &mut self.results, &mut non_ascii);
        let stop = match piece {
            Piece::Searched { end } => end,
            Piece::TooLong { end } => {
                count += u64::from(self.is_match(compiled, haystack, at, end));
                end
            }
        };
        for stop in non_ascii.iter().map(|hit| hit.place()) {
            let start = line_start(haystack, compiled.lines.terminator, at, stop);
            self.backoff_of_hits.stopped_after(start - at);
            count += u64::from(self.is_match(compiled, haystack, start, stop));
            at = stop + 1;
        }
        self.non_ascii = non_ascii;
        (count, stop)
    }

    /// Search a part ahead, by an automaton if it is ASCII, or else by the engine.
    fn by_streams(
        &mut self,
        compiled: &Compiled,
        ascii_hir: &AsciiHir,
        scan: &mut BlockScan<'_>,
        lines: Range<usize>,
    ) -> Option<LineHit> {
        let (haystack, terminator) = (scan.haystack(), compiled.lines.terminator);
        let Range { start: from, end } = lines;
        let streams = ascii_hir.streams(self.skimmed);
        let is_crowded = self.backoff_of_hits.is_slow();
        let reach = scan.lookahead(WINDOW);
        let part = match streams {
            // The engine is to get as little as can be where it is asked about nearly every line.
            Some(_) if is_crowded => Part::first(haystack, terminator, lines, reach, (1, 0)),
            Some(_) => Part::first(haystack, terminator, lines, reach, (WORTH, MIXED)),
            None => Part::Mixed(line_end(haystack, terminator, from + WINDOW, end)),
        };
        match (part, streams) {
            (Part::Ascii(stop), Some(streams)) => {
                scan.learn(|hits| {
                    match is_crowded {
                        true => streams.find_by_line(haystack, (from, stop), hits),
                        false => streams.find(haystack, (from, stop), &mut self.streams, hits),
                    }
                    stop + 1
                });
                self.backoff_of_hits.searched(stop + 1 - from);
                None
            }
            (Part::Ascii(stop) | Part::Mixed(stop), _) => self.mixed(compiled, scan, from, stop),
        }
    }

    /// Pass over ASCII, in which nothing can match, and let the engine search a part that has something else.
    fn beyond_ascii(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        lines: Range<usize>,
    ) -> Option<LineHit> {
        let from = lines.start;
        match Part::first(scan.haystack(), compiled.lines.terminator, lines, WINDOW, (1, 0)) {
            Part::Ascii(stop) => {
                scan.pass(stop + 1);
                None
            }
            Part::Mixed(stop) => self.mixed(compiled, scan, from, stop),
        }
    }

    fn mixed(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        from: usize,
        stop: usize,
    ) -> Option<LineHit> {
        self.skimmed = self.skimmed.saturating_add(stop - from);
        self.engine_or_pass(compiled, scan, from, stop)
    }

    /// Let the engine search the lines up to the one that ends at `stop`, and pass over them if it finds nothing.
    fn engine_or_pass(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        from: usize,
        stop: usize,
    ) -> Option<LineHit> {
        let hit = self.by_engine(compiled, scan, from, stop);
        if hit.is_none() {
            scan.pass(stop + 1);
        }
        hit
    }

    fn by_engine(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        if compiled.stops_at_non_ascii {
            self.by_pieces(compiled, scan, at, end)
        } else {
            self.by_block(compiled, scan.haystack(), at, end)
        }
    }

    fn by_block(
        &mut self,
        compiled: &Compiled,
        haystack: &[u8],
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        let offset = match (&compiled.block, &mut self.block_cache) {
            (Some(block), Some(cache)) => {
                let input = Input::new(haystack).range(at..end).earliest(true);
                block.search_half_with(cache, &input)?.offset()
            }
            _ => self.exact.find_end(haystack, at..end)?,
        };
        Some(compiled.hit(offset))
    }

    /// For an engine that has to be given each line alone, as it can look around and hold on to what it has: in a block
    /// even `\s*+$` would match elsewhere.
    fn by_line(
        &mut self,
        compiled: &Compiled,
        haystack: &[u8],
        mut at: usize,
        end: usize,
    ) -> Option<LineHit> {
        while at <= end {
            let stop = line_end(haystack, compiled.lines.terminator, at, end);
            if self.is_match(compiled, haystack, at, stop) {
                return Some(LineHit::Confirmed(at));
            }
            if self.exact.has_failed() {
                return None;
            }
            at = stop + 1;
        }
        None
    }

    /// For an engine whose fast part quits at a byte that is not ASCII, as it cannot tell Unicode word boundaries: it would
    /// fall back to its slow part for the whole rest of the block, at every call anew. So it only gets lines in ASCII as a
    /// block; others it gets one at a time.
    fn by_pieces(
        &mut self,
        compiled: &Compiled,
        scan: &mut BlockScan<'_>,
        mut at: usize,
        end: usize,
    ) -> Option<LineHit> {
        let (haystack, terminator) = (scan.haystack(), compiled.lines.terminator);
        let mut size = FIRST_PIECE;
        // LineEnds of which an earlier call knows that they are ASCII.
        if let Some(stop) = scan.ascii_from(at).filter(|stop| *stop <= end) {
            if let Some(hit) = self.by_block(compiled, haystack, at, stop) {
                return Some(hit);
            }
            (at, size) = (stop + 1, LAST_PIECE.min(2 * (stop - at)).max(FIRST_PIECE));
        }
        while at <= end {
            let stop = line_end(haystack, terminator, at.saturating_add(size), end);
            let Some(offset) = haystack[at..stop].find_non_ascii_byte() else {
                if let Some(hit) = self.by_block(compiled, haystack, at, stop) {
                    scan.learn_ascii(stop);
                    return Some(hit);
                }
                at = stop + 1;
                size = LAST_PIECE.min(size * 2);
                continue;
            };
            let non_ascii = at + offset;
            let start = line_start(haystack, terminator, at, non_ascii);
            if start > at
                && let Some(hit) = self.by_block(compiled, haystack, at, start - 1)
            {
                return Some(hit);
            }
            let stop = line_end(haystack, terminator, non_ascii, end);
            if self.is_match(compiled, haystack, start, stop) {
                return Some(LineHit::Confirmed(start));
            }
            at = stop + 1;
        }
        None
    }

    /// Whether the line `haystack[start..stop]` matches.
    pub(crate) fn is_match(
        &mut self,
        compiled: &Compiled,
        haystack: &[u8],
        start: usize,
        stop: usize,
    ) -> bool {
        let line = &haystack[start..stop];
        self.exact.is_match(match line.split_last() {
            // It belongs to the terminator, if there is one.
            Some((b'\r', rest)) if compiled.lines.crlf && stop < haystack.len() => rest,
            _ => line,
        })
    }
}

impl Part {
    /// The first part of `lines` in `haystack`, of `reach` bytes if all is ASCII: all that is ASCII, if that is `worth` bytes; else at
    /// least `mixed` bytes, up to the end of the line of the first character that is not.
    fn first(
        haystack: &[u8],
        terminator: u8,
        lines: Range<usize>,
        reach: usize,
        (worth, mixed): (usize, usize),
    ) -> Part {
        let Range { start: from, end } = lines;
        let limit = line_end(haystack, terminator, from + reach, end);
        let Some(offset) = haystack[from..limit].find_non_ascii_byte() else {
            return Part::Ascii(limit);
        };
        let non_ascii = from + offset;
        let start = line_start(haystack, terminator, from, non_ascii);
        if start - from >= worth {
            Part::Ascii(start - 1)
        } else {
            Part::Mixed(line_end(haystack, terminator, non_ascii.max(from + mixed), end))
        }
    }
}

/// Where the line ends that holds `at`, its terminator left aside; `end` if there is no terminator before that.
pub(crate) fn line_end(haystack: &[u8], terminator: u8, at: usize, end: usize) -> usize {
    if at >= end {
        return end;
    }
    memchr(terminator, &haystack[at..end]).map_or(end, |n| at + n)
}

/// Where the line begins that holds `at`, `from` being the beginning of a line before it.
pub(crate) fn line_start(haystack: &[u8], terminator: u8, from: usize, at: usize) -> usize {
    memrchr(terminator, &haystack[from..at]).map_or(from, |n| from + n + 1)
}
