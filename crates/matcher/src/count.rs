//! LineEnds of which nobody wants to know more than how many match, or that they all do.

use memchr::memchr_iter;

use crate::strategies::plan::Plan;
use crate::strategies::scan::{line_end, line_start};
use crate::{BlockScan, Finder, LineHit};

impl Finder {
    /// How many lines match in the block of `scan` from `at` on, of which the same must be true as for
    /// [`next_line`](Finder::next_line): as many as that and [`is_match`](Finder::is_match) would find, one after the other.
    ///
    /// Where the engine [gives up](Finder::take_failure), those before that are counted.
    pub fn count_lines(&mut self, scan: &mut BlockScan<'_>, mut at: usize) -> u64 {
        let haystack = scan.haystack();
        if self.matches_every_line() {
            return self.lines_in(&haystack[at.min(haystack.len())..]);
        }
        let (end, terminator) = (self.content_end(haystack), self.line_terminator());
        let mut count = 0;
        while at < haystack.len() {
            let compiled = &*self.matcher.compiled;
            if let Some(bits) = compiled.bits().filter(|_| self.counts_by_bits()) {
                let lines = at..end;
                let (more, stop) = self.scanner.count_by_bits(compiled, bits, haystack, lines);
                self.backoff.searched(stop + 1 - at);
                count += more;
                at = stop + 1;
                continue;
            }
            let Some(hit) = self.next_line(scan, at) else { break };
            let stop = line_end(haystack, terminator, hit.place(), end);
            count += u64::from(match hit {
                LineHit::Confirmed(_) => true,
                LineHit::Candidate(place) => {
                    let start = line_start(haystack, terminator, at, place);
                    self.scanner.is_match(&self.matcher.compiled, haystack, start, stop)
                }
            });
            at = stop + 1;
        }
        count
    }

    /// The end of the lines from `at` on, which begins one, all of which are known to match already; `at` if none is. To be asked
    /// after [`next_line`](Finder::next_line), about what follows the line that it told of.
    pub fn matching_to(&self, scan: &mut BlockScan<'_>, at: usize) -> usize {
        let haystack = scan.haystack();
        if self.matches_every_line() {
            return haystack.len();
        }
        if self.matcher.compiled.block.is_some() {
            return at;
        }
        let (end, terminator) = (self.content_end(haystack), self.line_terminator());
        let mut to = at;
        while to < haystack.len()
            && let Some(LineHit::Confirmed(place)) = scan.known(to)
        {
            let stop = line_end(haystack, terminator, to, end);
            if place > stop {
                break;
            }
            to = haystack.len().min(stop + 1);
        }
        to
    }

    fn matches_every_line(&self) -> bool {
        let compiled = &*self.matcher.compiled;
        matches!(compiled.plan, Plan::Every) && compiled.block.is_none()
    }

    /// Whether operations on bits, if there are any, are the fastest way to count lines. They are not much slower where there are few
    /// to count, but then needles are faster.
    fn counts_by_bits(&self) -> bool {
        let is_fastest = match self.matcher.compiled.plan {
            Plan::Engine { .. } => true,
            Plan::AnchoredLiteral(_) | Plan::Needles { .. } | Plan::Many { .. } => {
                self.backoff.is_slow()
            }
            Plan::Never | Plan::Every | Plan::Words { .. } | Plan::Whole { .. } => false,
        };
        is_fastest && !self.scanner.backoff_of_hits.is_slow()
    }

    /// How many lines `bytes` has.
    fn lines_in(&self, bytes: &[u8]) -> u64 {
        let terminator = self.line_terminator();
        let is_begun = bytes.last().is_some_and(|last| *last != terminator);
        memchr_iter(terminator, bytes).count() as u64 + u64::from(is_begun)
    }
}

#[cfg(test)]
mod tests {
    use crate::{BlockScan, Boundary, Case, Config, LineHit, Matcher};

    /// LineEnds that have few bytes and all match, so that needles are given up, then others.
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
                let config = Config { boundary, ..Config::default() };
                let matcher = Matcher::new(&[pattern.to_owned()], &config).expect("it is a regex");
                let mut finder = matcher.finder();
                let lines = text.split(|byte| *byte == b'\n');
                let expected = lines.filter(|line| finder.is_match(line)).count() as u64;
                for _ in 0..2 {
                    let counted = finder.count_lines(&mut BlockScan::new(&text), 0);
                    assert_eq!(counted, expected, "{pattern} {boundary:?}");
                }
                let mut scan = BlockScan::new(&text);
                let found = next_lines(&mut finder, &mut scan, 3000);
                let counted = finder.count_lines(&mut scan, 3000);
                assert_eq!(counted, found, "{pattern} {boundary:?}, from within");
            }
        }
    }

    #[test]
    fn needles_that_were_found_ahead_are_asked_about() {
        let words = ["alpha", "bravo", "charlie", "delta", "echo-", "foxtrot", "golf-", "hotel"];
        let words = words.map(str::to_owned);
        let (boundary, case) = (Boundary::Word, Case::Insensitive);
        let config = Config { boundary, case, ..Config::default() };
        let mut finder = Matcher::new(&words, &config).expect("they are words").finder();
        assert!(matches!(
            finder.matcher.compiled.plan,
            crate::strategies::plan::Plan::Many { is_exact: false, .. }
        ));
        // So near to each other that the engine takes over, while some have been found already.
        let mut text = b"xalphax\n".repeat(3000);
        text.extend_from_slice(b"Alpha\n");
        assert_eq!(next_lines(&mut finder, &mut BlockScan::new(&text), 0), 1);
        assert_eq!(finder.count_lines(&mut BlockScan::new(&text), 0), 1);
    }

    /// How many lines match from `at` on, one by one but for those that are known to.
    fn next_lines(finder: &mut crate::Finder, scan: &mut BlockScan<'_>, mut at: usize) -> u64 {
        let text = scan.haystack();
        let mut count = 0;
        let end_of = |at: usize| text[at..].iter().position(|b| *b == b'\n').map(|n| at + n);
        while let Some(hit) = finder.next_line(scan, at) {
            let start = text[..hit.place()].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
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
