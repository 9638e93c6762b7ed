//! Random patterns, random blocks of lines, and the searches that both oracles compare.
//!
//! `HEIST_ORACLE_TIMES=100` tries a hundred times as many as usual, `HEIST_ORACLE_SEED=7` others.

use std::{env, ops::Range, sync::LazyLock};

use heist_matcher::{BlockScan, Error, Finder, LineHit, Matcher, MatcherConfig};

/// Numbers that are the same in every run.
pub(crate) struct Dice(fastrand::Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(fastrand::Rng::with_seed(seed ^ number("HEIST_ORACLE_SEED", 0) << 32))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.usize(..n)
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// How many times as many cases as usual are tried.
pub(crate) fn times() -> usize {
    number("HEIST_ORACLE_TIMES", 1) as usize
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

pub(crate) const WORDS: &[&str] = &[
    "foo", "bar", "foobar", "init", "_init", "a", "b", "ab", "Q", "Foo", "é", "К", "ſk", "-2",
    "static", "int", "0", "x", "_",
];
static CLASSES: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("classes.txt").lines().collect());
static LOOKS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("assertions.txt").lines().collect());
const COUNTS: &[&str] = &["*", "+", "?", "{2}", "{1,3}", "{0}", "+?", "*?", "{2,}"];

/// A pattern of both engines, with some of `extras` in it.
pub(crate) fn pattern(dice: &mut Dice, depth: usize, extras: &[&str]) -> String {
    let parts = 1 + dice.below(4);
    let mut text = String::new();
    for _ in 0..parts {
        if !extras.is_empty() && dice.once_in(4) {
            text.push_str(dice.pick(extras));
            continue;
        }
        let part = match dice.below(if depth == 0 { 9 } else { 12 }) {
            0..4 => dice.pick(WORDS).to_string(),
            4..6 => dice.pick(&CLASSES).to_string(),
            6 => dice.pick(&LOOKS).to_string(),
            7 => format!("{}{}", dice.pick(&CLASSES), dice.pick(COUNTS)),
            8 => format!("{}{}", dice.pick(WORDS), dice.pick(&["?", "+", "*"])),
            9 => format!(
                "({}|{})",
                pattern(dice, depth - 1, extras),
                pattern(dice, depth - 1, extras)
            ),
            10 => format!("(?:{}){}", pattern(dice, depth - 1, extras), dice.pick(COUNTS)),
            _ => format!("(?i:{})", pattern(dice, depth - 1, extras)),
        };
        text.push_str(&part);
    }
    text
}

/// A block of lines, with bytes of every kind.
pub(crate) fn block(dice: &mut Dice, config: &MatcherConfig) -> Vec<u8> {
    let (terminator, crlf) = (config.line_terminator, config.crlf);
    let mut block = Vec::new();
    for _ in 0..dice.below(12) {
        for _ in 0..dice.below(6) {
            match dice.below(14) {
                0..6 => block.extend_from_slice(dice.pick(WORDS).as_bytes()),
                6 => block.extend_from_slice(dice.pick(WORDS).to_uppercase().as_bytes()),
                7 | 8 => block.push(b' '),
                9 => block.extend_from_slice(dice.pick(&[&b"\xFF"[..], b"\x80\x80", b"\xE2\x84"])),
                // No class matches it with `--crlf`, which the oracle cannot express.
                10 if !crlf => block.push(b'\r'),
                10 => block.push(b'.'),
                11 => block.extend_from_slice("\u{212A}".as_bytes()),
                12 if dice.once_in(4) => block.extend_from_slice(&[b'.'; 300]),
                12 => block.push(if terminator == 0 { b'\n' } else { b'\t' }),
                _ => block.push(dice.pick(b"abcxQ_0-")),
            }
        }
        if crlf && !dice.once_in(3) {
            block.push(b'\r');
        }
        block.push(terminator);
    }
    if dice.once_in(2) {
        block.pop();
    }
    if crlf && block.last() == Some(&b'\r') {
        block.pop();
    }
    block
}

/// The lines of `block` without what ends them.
pub(crate) fn lines(block: &[u8], config: &MatcherConfig) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < block.len() {
        let position = block[at..].iter().position(|&b| b == config.line_terminator);
        let end = position.map_or(block.len(), |n| at + n);
        let has_cr = config.crlf && position.is_some() && block[at..end].ends_with(b"\r");
        lines.push(at..end - usize::from(has_cr));
        at = end + 1;
    }
    lines
}

/// The lines that match, found as a searcher finds them.
pub(crate) fn found(
    finder: &mut Finder,
    block: &[u8],
    lines: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut scan = BlockScan::new(block);
    found_by(finder, block, lines, |finder, at| finder.next_line(&mut scan, at))
}

/// The lines that match, where `next` finds the next line.
pub(crate) fn found_by(
    finder: &mut Finder,
    block: &[u8],
    lines: &[Range<usize>],
    mut next: impl FnMut(&mut Finder, usize) -> Option<LineHit>,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(hit) = next(finder, at) {
        let (LineHit::Confirmed(offset) | LineHit::Candidate(offset)) = hit;
        assert!(offset >= at, "went back from {at} to {offset}");
        let behind = lines.partition_point(|l| l.start <= offset);
        let line = &lines[behind.checked_sub(1).expect("no line holds the offset")];
        if matches!(hit, LineHit::Confirmed(_)) || finder.is_match(&block[line.clone()]) {
            found.push(line.clone());
        }
        at = lines.get(behind).map_or(block.len(), |l| l.start);
    }
    found
}

/// A slow, obvious search of one haystack.
pub(crate) trait Oracle {
    /// The leftmost match in `haystack` that begins at or after `at`.
    fn find(&mut self, haystack: &[u8], at: usize) -> Option<Range<usize>>;

    /// The groups of that match, if the oracle has them.
    fn groups(&mut self, _haystack: &[u8], _at: usize) -> Option<Vec<Option<Range<usize>>>> {
        None
    }
}

/// Compiled patterns, the oracle for them, and their description.
pub(crate) struct Case<O> {
    pub(crate) finder: Finder,
    pub(crate) oracle: O,
    pub(crate) config: MatcherConfig,
    pub(crate) name: String,
}

impl<O: Oracle> Case<O> {
    pub(crate) fn new(
        patterns: &[String],
        config: MatcherConfig,
        oracle: impl Fn(&[String], &MatcherConfig) -> O,
    ) -> Result<Case<O>, Error> {
        let (finder, oracle) =
            (Matcher::new(patterns, &config)?.finder(), oracle(patterns, &config));
        let name = format!("{patterns:?} {config:?}");
        Ok(Case { finder, oracle, config, name })
    }

    /// The lines of `block`, and those of them that match alone.
    pub(crate) fn expected(&mut self, block: &[u8]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let lines = lines(block, &self.config);
        let mut is_match =
            |line: &&Range<usize>| self.oracle.find(&block[(*line).clone()], 0).is_some();
        let expected = lines.iter().filter(&mut is_match).cloned().collect();
        (lines, expected)
    }

    /// Compares everything on one block.
    pub(crate) fn check(&mut self, block: &[u8]) {
        let (lines, expected) = self.expected(block);
        let Case { finder, name, .. } = self;
        let shown = block.escape_ascii();
        assert_eq!(found(finder, block, &lines), expected, "lines of {name} in \"{shown}\"");
        let counted = finder.count_lines(&mut BlockScan::new(block), 0);
        assert_eq!(counted, expected.len() as u64, "number of lines of {name} in \"{shown}\"");
        assert!(
            finder.can_match(block) || expected.is_empty(),
            "can_match of {name} in \"{shown}\""
        );
        for line in lines {
            self.check_haystack(&block[line]);
        }
        assert_eq!(self.finder.take_failure(), None);
    }

    /// Compares everything on one haystack that is searched as a whole: a line, or all of it.
    pub(crate) fn check_haystack(&mut self, haystack: &[u8]) {
        let Case { finder, oracle, name, .. } = self;
        let shown = haystack.escape_ascii();
        let ours = spans(|at| finder.find_at(haystack, at), haystack.len());
        let theirs = spans(|at| oracle.find(haystack, at), haystack.len());
        assert_eq!(ours, theirs, "spans of {name} in \"{shown}\"");
        assert_eq!(finder.is_match(haystack), !theirs.is_empty(), "{name} in \"{shown}\"");
        let mut captures = finder.matcher().captures();
        for span in ours {
            let Some(groups) = oracle.groups(haystack, span.start) else { continue };
            assert!(finder.captures_at(haystack, span.start, &mut captures));
            let ours: Vec<_> = (0..groups.len()).map(|group| captures.get(group)).collect();
            assert_eq!(ours, groups, "groups of {name} in \"{shown}\"");
        }
    }
}

/// All spans in `line`, by the usual rule for empty matches.
fn spans(mut find: impl FnMut(usize) -> Option<Range<usize>>, len: usize) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at <= len {
        let Some(span) = find(at) else { break };
        at = if span.is_empty() { span.end + 1 } else { span.end };
        spans.push(span);
    }
    spans
}
