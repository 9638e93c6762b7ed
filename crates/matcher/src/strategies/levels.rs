//! The strategies of one worker: the first searches, unless it gives way to the next.

use std::ops::Range;

use super::backoff::Backoff;
use super::line_finder::{LineFinder, Step, Stops, Task, Traits};
use super::strategy::Strategy;
use crate::block_scan::{BlockScan, Source};
use crate::exact::ExactSearch;
use crate::lines::{LineHit, line_end, line_start};

/// Strategies in the order in which they are preferred. The last one searches everything it gets.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// The name of the plan that they belong to.
    pub(crate) plan: &'static str,
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    strategy: Strategy,
    backoff: Backoff,
    /// At hand for every hit.
    traits: Traits,
    /// The offset of the last hit, in this block or another.
    last_hit: usize,
}

/// How many bytes from a hit to the end of its line count as passed over. If there are more, the
/// hit may be from another block.
const MOST_REST: usize = 1 << 10;

impl Levels {
    /// Puts the strategies of a plan one below the other. There is at least one.
    pub(crate) fn new((plan, strategies): (&'static str, Vec<Strategy>)) -> Levels {
        let last = strategies.len() - 1;
        let level = |(n, strategy): (usize, Strategy)| {
            let mut traits = strategy.traits();
            if n == last || traits.least_spacing == 0 {
                traits.stops = Stops::Never;
            }
            Level { strategy, backoff: Backoff::new(traits.least_spacing), traits, last_hit: 0 }
        };
        Levels { plan, levels: strategies.into_iter().enumerate().map(level).collect() }
    }

    /// All strategies, in the order in which they are preferred.
    pub(crate) fn strategies(&self) -> impl Iterator<Item = &Strategy> {
        self.levels.iter().map(|level| &level.strategy)
    }

    /// The strategy that is preferred.
    pub(crate) fn first(&self) -> &Strategy {
        &self.levels[0].strategy
    }

    /// The first hit at or after `at`, which begins a line, in the block of `scan` up to `end`.
    #[inline(always)]
    pub(crate) fn next_line(
        &mut self,
        exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        let level = &mut self.levels[0];
        if level.traits.is_direct && scan.is_unknown(at) && !level.backoff.gives_way() {
            let offset = level.strategy.find(scan.haystack(), at..end)?;
            let hit = LineHit::new(offset, level.traits.is_exact);
            level.stopped_at(hit, at);
            return Some(hit);
        }
        self.next_in_scan(exact, scan, at, end)
    }

    /// Finds the next hit where the scan may know something or another level may have its turn, and
    /// for strategies that find several hits at a time.
    #[inline(never)]
    fn next_in_scan(
        &mut self,
        exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        at: usize,
        end: usize,
    ) -> Option<LineHit> {
        loop {
            if let Some(hit) = scan.known(at) {
                let source = scan.source();
                if let Some(level) = self.levels.get_mut(source.level) {
                    level.stopped_at(hit, at);
                }
                return Some(if source.is_exact { hit } else { LineHit::Candidate(hit.offset()) });
            }
            let from = scan.unknown(at);
            if from > end {
                return None;
            }
            let first = self.turn();
            let hit = self.search(first, exact, scan, from..end, end);
            let learned_to = scan.unknown(from);
            let is_done = hit.is_some() || learned_to == from;
            if first > 0 {
                let to = if is_done { hit.map_or(end, LineHit::offset) + 1 } else { learned_to };
                self.searched(first, to - from);
            }
            if is_done {
                return hit;
            }
        }
    }

    /// Counts the lines that match in the block of `scan` from `at`, which begins a line, to `end`.
    pub(crate) fn count(
        &mut self,
        exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        mut at: usize,
        end: usize,
    ) -> u64 {
        let (haystack, terminator) = (scan.haystack(), exact.ends.terminator);
        let mut count = 0;
        while at < haystack.len() && !exact.has_failed() {
            let first = self.turn();
            let Level { strategy, backoff, .. } = &mut self.levels[first];
            if let Some((more, stop)) = strategy.count(exact, backoff, haystack, at..end) {
                self.searched(first, stop + 1 - at);
                count += more;
                at = stop + 1;
                continue;
            }
            let Some(hit) = self.next_line(exact, scan, at, end) else { break };
            let stop = line_end(haystack, terminator, hit.offset(), end);
            count += u64::from(match hit {
                LineHit::Confirmed(_) => true,
                LineHit::Candidate(offset) => {
                    let start = line_start(haystack, terminator, at, offset);
                    exact.matches_line(haystack, start, stop)
                }
            });
            at = stop + 1;
        }
        count
    }

    /// The end of the lines from `at` on that are known to match without a further search.
    pub(crate) fn matching_to(&self, scan: &mut BlockScan<'_>, ends: u8, at: usize) -> usize {
        let haystack = scan.haystack();
        if self.levels[0].traits.matches_all {
            return haystack.len();
        }
        let mut to = at;
        while scan.source().is_exact
            && to < haystack.len()
            && let Some(LineHit::Confirmed(offset)) = scan.known(to)
        {
            let stop = line_end(haystack, ends, to, haystack.len());
            if offset > stop {
                break;
            }
            to = haystack.len().min(stop + 1);
        }
        to
    }

    /// The level that has its turn.
    #[inline]
    fn turn(&self) -> usize {
        self.levels
            .iter()
            .position(|level| !level.backoff.gives_way())
            .unwrap_or(self.levels.len() - 1)
    }

    /// Lets the strategy at level `number` search `lines`, the first lines up to `end`, and others
    /// what it leaves. Returns the first hit, unless the scan has learned something about the
    /// lines.
    #[inline(never)]
    fn search(
        &mut self,
        mut number: usize,
        exact: &mut ExactSearch,
        scan: &mut BlockScan<'_>,
        mut lines: Range<usize>,
        end: usize,
    ) -> Option<LineHit> {
        loop {
            let level = &mut self.levels[number];
            match level.strategy.fill(&mut Task { exact, scan, lines: lines.clone() }) {
                Step::Hit(hit) => {
                    level.stopped_at(hit, lines.start);
                    return Some(hit);
                }
                Step::Nothing => {
                    level.backoff.passed(lines.len());
                    if lines.end < end {
                        scan.pass(lines.end + 1);
                    }
                    return None;
                }
                Step::Learned => {
                    scan.set_source(level.source(number));
                    return None;
                }
                Step::Leave(to) => {
                    lines.end = to;
                    number += 1;
                    while let Some(level) = self.levels[number..].first_mut()
                        && level.backoff.gives_way()
                    {
                        level.backoff.searched(lines.len());
                        number += 1;
                    }
                }
            }
        }
    }

    /// Records that others than the levels before `first` have searched `bytes` bytes.
    fn searched(&mut self, first: usize, bytes: usize) {
        self.levels[..first].iter_mut().for_each(|level| level.backoff.searched(bytes));
    }
}

impl Level {
    /// What it puts into a scan, as level `level`.
    fn source(&self, level: usize) -> Source {
        Source { level, is_exact: self.traits.is_exact }
    }

    /// Records that the strategy has stopped at `hit` on its way from `at`, or from the hit before
    /// if the rest of its line did not have to be searched.
    #[inline]
    fn stopped_at(&mut self, hit: LineHit, at: usize) {
        match (self.traits.stops, hit) {
            (Stops::Hits, _) | (Stops::Candidates, LineHit::Candidate(_)) => {
                let rest = at.wrapping_sub(self.last_hit);
                let is_passed = matches!(hit, LineHit::Confirmed(_)) && rest < MOST_REST;
                let from = if is_passed { self.last_hit } else { at };
                self.last_hit = hit.offset();
                self.backoff.stopped_after(hit.offset() - from);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compiled::Mode;
    use crate::strategies::line_finder::LineFinder;
    use crate::strategies::strategy::Strategy;
    use crate::{BlockScan, Boundary, Case, Finder, LineHit, Matcher, MatcherConfig};

    /// Short lines that all match, so that needles give way, and then others.
    fn crowded() -> Vec<u8> {
        let mut text = b"y\n".repeat(1000);
        let others = ["", "x", "xy", "y\u{e9}", "\u{e9}x", "y-y", "yy"];
        for n in 0..4000 {
            text.extend_from_slice(others[n * n % others.len()].as_bytes());
            text.push(b'\n');
        }
        text.extend_from_slice(&b"x\n".repeat(1000));
        text.extend_from_slice("\u{e9}y\nx\ny".as_bytes());
        text
    }

    #[test]
    fn lines_are_counted_in_every_way() {
        let text = crowded();
        for pattern in ["y", "y|xq", "[xy]", "^y$", r"y\w", "y*", "", "q", r"\B", "xy|y-"] {
            for boundary in [Boundary::None, Boundary::Word, Boundary::Line] {
                let config = MatcherConfig { boundary, ..MatcherConfig::default() };
                let matcher = Matcher::new([pattern], &config).expect("it is a regex");
                let mut finder = matcher.finder();
                let lines = text.split(|byte| *byte == b'\n');
                let expected = lines.filter(|line| finder.is_match(line)).count() as u64;
                for _ in 0..2 {
                    let counted = finder.count_lines(&mut BlockScan::new(&text), 0);
                    assert_eq!(counted, expected, "{pattern} {boundary:?}");
                }
                let found = next_lines(&mut finder, &mut BlockScan::new(&text), 3000);
                // Hits that were found ahead are counted, too.
                let mut scan = BlockScan::new(&text);
                finder.next_line(&mut scan, 3000);
                let counted = finder.count_lines(&mut scan, 3000);
                assert_eq!(counted, found, "{pattern} {boundary:?}, from within");
            }
        }
    }

    #[test]
    fn needles_that_were_found_ahead_are_asked_about() {
        let words = ["alpha", "bravo", "charlie", "delta", "echo-", "foxtrot", "golf-", "hotel"];
        let (boundary, case) = (Boundary::Word, Case::Insensitive);
        let config = MatcherConfig { boundary, case, ..MatcherConfig::default() };
        let mut finder = Matcher::new(&words, &config).expect("they are words").finder();
        let Mode::Lines(levels) = &finder.matcher().compiled.mode else { panic!("they are words") };
        assert!(matches!(levels.first(), Strategy::Many(many) if !many.traits().is_exact));
        // So near to each other that the engine takes over, while some have been found already.
        let mut text = b"xalphax\n".repeat(3000);
        text.extend_from_slice(b"Alpha\n");
        assert_eq!(next_lines(&mut finder, &mut BlockScan::new(&text), 0), 1);
        assert_eq!(finder.count_lines(&mut BlockScan::new(&text), 0), 1);
    }

    /// How many lines match from `at` on, one by one but for those that are known to.
    fn next_lines(finder: &mut Finder, scan: &mut BlockScan<'_>, mut at: usize) -> u64 {
        let text = scan.haystack();
        let mut count = 0;
        let end_of = |at: usize| text[at..].iter().position(|b| *b == b'\n').map(|n| at + n);
        while let Some(hit) = finder.next_line(scan, at) {
            let start = text[..hit.offset()].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
            let end = end_of(start).unwrap_or(text.len());
            let is_match = match hit {
                LineHit::Confirmed(_) => true,
                LineHit::Candidate(_) => finder.is_match(&text[start..end]),
            };
            count += u64::from(is_match);
            at = end + 1;
            if is_match && at < text.len() {
                let to = finder.matching_to(scan, at);
                let known = &text[at..to];
                for line in known.split_inclusive(|byte| *byte == b'\n') {
                    let line = line.strip_suffix(b"\n").unwrap_or(line);
                    assert!(finder.is_match(line), "{:?}", line.escape_ascii());
                    count += 1;
                }
                at = to;
            }
        }
        count
    }
}
