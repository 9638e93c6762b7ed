//! Random haystacks, settings and patterns: every way of reading emits the events of the reference.
//!
//! `HEIST_ORACLE_TIMES=100` runs a hundred times as many trials, `HEIST_ORACLE_SEED=7` others.

use std::{
    env,
    io::{Seek, Write},
    sync::LazyLock,
};

use heist_matcher::MatcherConfig;

use crate::{
    BinaryPolicy, Encoding, End, NoHelpers, SearchConfig, Source, UnreadMatches,
    trial::{Event, Help, Outcome, Record, Trial, Way, Worker},
};

const PATTERNS: &[&str] = &[
    "a",
    "b+a",
    "",
    "x*",
    "ab|ba",
    "zz",
    "b\\b",
    "a.b",
    "ab.?a",
    "cca*\\b",
    "[ac][bc]",
    "[ab]{2}[b-d]",
];
/// Anchors match at line feeds whatever the terminator is.
const ANCHORED: &[&str] = &["^a", "b$", "^$", "^", "$", "^ab$", "b\r?$"];
/// Patterns whose matches may span lines.
static SPANS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("spans.txt").lines().collect());

const ENCODINGS: &[&encoding_rs::Encoding] =
    &[encoding_rs::UTF_8, encoding_rs::WINDOWS_1252, encoding_rs::SHIFT_JIS, encoding_rs::UTF_16LE];

/// Draws random cases. The seed is fixed, so that failures can be repeated.
struct Dice(fastrand::Rng);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(fastrand::Rng::with_seed(seed ^ number("HEIST_ORACLE_SEED", 0) << 32))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn config(&mut self, nuls: bool) -> SearchConfig {
        let line_terminator = if self.one_in(8) { 0 } else { b'\n' };
        let passthru = self.one_in(6);
        let context = if passthru || self.one_in(2) { 1 } else { 4 };
        SearchConfig {
            line_terminator,
            crlf: line_terminator == b'\n' && self.one_in(4),
            invert: self.one_in(3),
            line_numbers: !self.one_in(4),
            before_context: self.below(context),
            after_context: self.below(context),
            passthru,
            surroundings: None,
            max_matches: self.one_in(3).then(|| self.below(4) as u64),
            stop_on_nonmatch: self.one_in(6),
            binary: self.pick(&[BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert]),
            memory_maps: true,
            encoding: match self.below(16) {
                0 | 1 => Encoding::None,
                // The decoder's pieces form blocks that the reference does not know.
                2..5 if !nuls && line_terminator != 0 => Encoding::Always(self.pick(ENCODINGS)),
                _ => Encoding::Auto,
            },
        }
    }

    /// Lines of few letters, some of them long, with some NUL bytes.
    fn bytes(&mut self, config: &SearchConfig, nuls: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if config.encoding != Encoding::None && self.one_in(8) {
            bytes.extend(b"\xEF\xBB\xBF");
        }
        let quiet = self.one_in(2);
        let is_ascii = self.one_in(2);
        let lines = self.below(30);
        for _ in 0..lines {
            let most = if self.one_in(10) { 60 } else { 5 };
            for _ in 0..self.below(most) {
                let letters = match (quiet, config.line_terminator) {
                    (true, _) => &b"cccccca"[..],
                    // Then line feeds are inside of lines, and `^` still matches after them.
                    (false, 0) => b"aabbc\n\r",
                    (false, _) => b"aabbcx\r",
                };
                bytes.push(self.pick(letters));
                if !is_ascii && self.one_in(20) {
                    bytes.extend(self.pick(&[
                        &b"\xC3\xA9"[..],
                        b"\xC3",
                        b"\xA9",
                        b"\xFF",
                        b"\xE9",
                    ]));
                }
            }
            if nuls && self.one_in(12) {
                bytes.extend(std::iter::repeat_n(0, 1 + self.below(3)));
            }
            bytes.push(config.line_terminator);
        }
        if self.one_in(2) {
            bytes.pop();
        }
        bytes
    }

    /// A search whose matches are within lines.
    fn trial(&mut self, nuls: bool) -> Trial {
        let mut config = self.config(nuls);
        let anchored = self.one_in(2);
        let pattern = self.pick(if anchored { ANCHORED } else { PATTERNS });
        // A pattern must not contain a byte that may be part of a terminator.
        config.crlf &= !pattern.contains('\r');
        let bytes = self.bytes(&config, nuls);
        Trial {
            capacity: self.pick(&[4, 5, 8, 16, 61, 4096]),
            head: self.pick(&[4, 9, 4096]),
            wants_unmatched: self.one_in(3),
            counts: self.one_in(3),
            ..trial(config, pattern, &bytes)
        }
    }

    /// A search whose matches may span lines.
    fn spans(&mut self) -> Trial {
        let encoding = Encoding::Auto;
        let config = SearchConfig { encoding, binary: BinaryPolicy::Text, ..self.config(false) };
        let bytes = self.bytes(&config, false);
        let mut pattern = self.pick(&SPANS).to_owned();
        if config.line_terminator == 0 {
            pattern = pattern.replace("\\n", "\\x00").replace("\\s", "[\\s\\x00]");
        }
        let (capacity, head) = (16, self.pick(&[4, 9, 4096]));
        let wants_unmatched = self.one_in(3);
        Trial { capacity, head, wants_unmatched, ..spanning_trial(config, &pattern, &bytes) }
    }

    /// A way of reading a stream, cut into chunks soon.
    fn stream(&mut self, help: Help) -> Way {
        let most = 1 + self.below(30);
        let pauses = self.below(6);
        Way::Stream {
            shared_from: self.below(40) as u64,
            size: 1 + self.below(100),
            reads: (0..7).map(|_| 1 + self.below(most)).collect(),
            pauses: (0..64).filter(|_| pauses > 0 && self.one_in(pauses)).map(|bit| 1 << bit).sum(),
            help,
        }
    }
}

const NO_HELP: Help = Help::InTurn(1, 0);

/// A search for `pattern`, whose matches are within lines.
pub(super) fn trial(config: SearchConfig, pattern: &str, bytes: &[u8]) -> Trial {
    let limit = 1 << 24;
    let patterns = MatcherConfig {
        unicode: false,
        size_limit: limit,
        dfa_size_limit: limit,
        ..MatcherConfig::default()
    };
    Trial::new(config, pattern, &patterns, bytes).unwrap()
}

/// A search for `pattern`, whose matches may span lines.
pub(super) fn spanning_trial(config: SearchConfig, pattern: &str, bytes: &[u8]) -> Trial {
    // Without Unicode, words do not end at a byte that is not part of a character, which depends on
    // the bytes before it.
    let unicode = pattern.contains(r"\b{") || pattern.contains(r"\B");
    let (multiline, limit) = (true, 1 << 24);
    let patterns = MatcherConfig {
        multiline,
        unicode,
        size_limit: limit,
        dfa_size_limit: limit,
        ..MatcherConfig::default()
    };
    let trial = Trial::new(config, pattern, &patterns, bytes).unwrap();
    assert!(trial.matcher.spans_lines(), "{pattern}");
    trial
}

/// A search with buffers of a few bytes.
pub(super) fn small(trial: Trial) -> Trial {
    Trial { head: 4, capacity: 8, ..trial }
}

/// The factor for the number of trials.
fn times() -> u64 {
    number("HEIST_ORACLE_TIMES", 1)
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// Checks the ways of reading a haystack without cutting it.
fn check(trials: u64, seed: u64, draw: impl Fn(&mut Dice) -> Trial) {
    let mut dice = Dice::new(seed);
    for _ in 0..trials * times() {
        let trial = draw(&mut dice);
        let (expected, mut worker) = (trial.expected(), trial.worker());
        let whole = |end| Way::Reads(usize::MAX, end);
        let ways = [Way::Slice, whole(End::ShortRead), whole(End::EmptyRead)];
        // Twice, since the buffers must not keep anything of the first haystack.
        for way in ways.iter().chain(&ways) {
            trial.check(&mut worker, way, &expected);
        }
        // Short reads make other blocks, which shows only if there are NUL bytes.
        let is_exact = !trial.depends_on_blocks();
        let most = if is_exact { 1 + dice.below(7) } else { usize::MAX };
        if is_exact || trial.bytes.len() < trial.head {
            trial.check(&mut worker, &Way::Reads(most, End::Stream), &expected);
        }
        // What is counted before a break depends on the blocks.
        if !trial.counts {
            check_break(&mut dice, &trial, &mut worker, &expected);
        }
    }
}

#[test]
fn files_that_are_looked_through_agree_with_the_reference() {
    let mut dice = Dice::new(12);
    let mut ruled_out = 0;
    for number in 0..4_000 * times() {
        let mut trial = Trial { head: dice.pick(&[4, 9, 16]), ..dice.trial(number % 2 == 0) };
        trial.config.invert &= dice.one_in(2);
        trial.wants_unmatched &= dice.one_in(2);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&trial.bytes).unwrap();
        file.rewind().unwrap();
        let (mut worker, mut record) = (trial.worker(), trial.record());
        let Worker { searcher, finder } = &mut worker;
        let source = Source { reader: &file, end: End::ShortRead };
        searcher.search_shared(finder, source, &mut NoHelpers, &mut record).unwrap();
        assert_eq!(record.events, trial.expected(), "{}", trial.describe());
        // Then the file was read at positions, and its offset is behind the first read.
        let is_at_head = file.stream_position().unwrap() == trial.head as u64;
        ruled_out += u64::from(is_at_head && trial.bytes.len() > trial.head);
    }
    assert!(ruled_out > 300, "{ruled_out}");
}

/// After a break, a sink receives only the end.
fn check_break(dice: &mut Dice, trial: &Trial, worker: &mut Worker, expected: &[Event]) {
    let emitted = expected.len().saturating_sub(1);
    if emitted == 0 {
        return;
    }
    let break_at = 1 + dice.below(emitted);
    let record = Record { break_at, ..trial.record() };
    let events = trial.run_into(record, worker, &Way::Slice).events;
    assert_eq!(events[..break_at], expected[..break_at]);
    assert_eq!(events.len(), break_at + 1, "{events:?}");
    assert!(matches!(events[break_at], Event::Finish(_)), "{events:?}");
}

#[test]
fn every_way_of_reading_text_agrees_with_the_reference() {
    check(10_000, 10_000, |dice| dice.trial(false));
}

#[test]
fn every_way_of_reading_nul_bytes_agrees_with_the_reference() {
    check(20_000, 20_000, |dice| dice.trial(true));
}

#[test]
fn every_way_of_reading_agrees_with_the_reference_on_spans() {
    check(6_000, 3, Dice::spans);
}

/// Checks files in chunks of one of so many `sizes`, alone and with a helper. Returns the number of
/// trials whose events came from chunks alone.
fn check_chunks(trials: u64, seed: u64, sizes: usize, draw: impl Fn(&mut Dice) -> Trial) -> u64 {
    let mut dice = Dice::new(seed);
    let mut from_chunks = 0;
    for _ in 0..trials * times() {
        let trial = Trial { head: 4, ..draw(&mut dice) };
        let (expected, mut worker) = (trial.expected(), trial.worker());
        let whole = trial.run(&mut worker, &Way::Slice);
        let size = 2 * trial.capacity + dice.below(sizes);
        // Short reads make other blocks, which shows only if there are NUL bytes.
        let most = if trial.depends_on_blocks() { usize::MAX } else { 1 + dice.below(7) };
        for most in [usize::MAX, most] {
            let help = Help::InTurn(dice.below(3), 0);
            let found = trial.check(&mut worker, &Way::Chunks { size, most, help }, &expected);
            assert_eq!(found.blocks, whole.blocks, "{}", trial.describe());
            // Read once for the first bytes, once for the first chunk, and not again.
            from_chunks += u64::from(found.is_cut && found.is_from_chunks && found.begun == 2);
        }
        let way = Way::Chunks { size, most: usize::MAX, help: Help::Thread };
        trial.check(&mut worker, &way, &expected);
        let record = Record { unread_matches: UnreadMatches::None, ..trial.record() };
        let found = trial.run_into(record, &mut worker, &way);
        assert_eq!(found.events, expected, "unread: {}", trial.describe());
    }
    from_chunks / 2
}

#[test]
fn chunks_of_text_agree_with_the_reference() {
    let draw = |dice: &mut Dice| Trial { capacity: dice.pick(&[4, 5, 8, 16]), ..dice.trial(false) };
    // A third have a limit, and most of those end before the first chunk; a third have no helper.
    let from_chunks = check_chunks(8_000, 4_001, 300, draw);
    assert!(from_chunks > 1_000, "{from_chunks}");
}

#[test]
fn chunks_with_nul_bytes_agree_with_the_reference() {
    let draw = |dice: &mut Dice| Trial { capacity: dice.pick(&[4, 5, 8, 16]), ..dice.trial(true) };
    let from_chunks = check_chunks(6_000, 4_001, 300, draw);
    assert!(from_chunks > 500, "{from_chunks}");
}

#[test]
fn chunks_agree_with_the_reference_on_spans() {
    let from_chunks = check_chunks(12_000, 5, 60, |dice| Trial { capacity: 4, ..dice.spans() });
    assert!(from_chunks > 3_000, "{from_chunks}");
}

#[test]
fn streams_agree_with_the_reference() {
    let mut dice = Dice::new(3);
    let mut shared = 0;
    for _ in 0..2_000 {
        let trial = Trial { head: 4, ..dice.trial(false) };
        let expected = trial.expected();
        let help = Help::InTurn(dice.below(3), 0);
        let found = trial.check(&mut trial.worker(), &dice.stream(help), &expected);
        shared += u64::from(found.is_cut);
        trial.check(&mut trial.worker(), &dice.stream(Help::Thread), &expected);
    }
    assert!(shared > 300, "{shared}");
}

/// Fails if two searches of a haystack that cannot be read to its end differ.
fn assert_same(trial: &Trial, found: &Outcome, expected: &Outcome) {
    let [found, expected] = [found, expected].map(|outcome| (&outcome.events, outcome.error));
    assert_eq!(found, expected, "error at {}: {}", trial.fails_at, trial.describe());
}

#[test]
fn an_error_comes_where_it_comes_block_by_block() {
    let mut dice = Dice::new(7);
    for _ in 0..2_000 * times() {
        let mut trial = Trial { capacity: 8, head: 4, ..dice.trial(false) };
        trial.fails_at = dice.below(trial.bytes.len() + 1);
        let mut worker = trial.worker();
        let expected = trial.run(&mut worker, &Way::Reads(4, End::EmptyRead));
        let way = Way::Chunks { size: 16 + dice.below(300), most: 4, help: NO_HELP };
        let found = trial.run(&mut worker, &way);
        assert_same(&trial, &found, &expected);
    }
}

#[test]
fn lines_of_a_stream_before_an_error_are_emitted() {
    let mut dice = Dice::new(5);
    for _ in 0..2_000 {
        let mut trial = Trial { head: 4, ..dice.trial(false) };
        (trial.config.binary, trial.fails_at) = (BinaryPolicy::Text, trial.bytes.len());
        let shared = dice.stream(NO_HELP);
        let mut alone = shared.clone();
        if let Way::Stream { shared_from, .. } = &mut alone {
            *shared_from = u64::MAX;
        }
        let [expected, found] = [alone, shared].map(|way| trial.run(&mut trial.worker(), &way));
        assert_same(&trial, &found, &expected);
    }
}

/// Checks the effects of NUL bytes that do not depend on blocks.
#[test]
fn nul_bytes_of_streams_are_detected_everywhere() {
    let mut dice = Dice::new(11);
    for _ in 0..2_000 {
        let lines = 20 + dice.below(60);
        let mut bytes = b"a b\n".repeat(lines);
        let nul = 4 * dice.below(lines) + 1;
        bytes[nul] = 0;
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            let config = SearchConfig { binary, ..SearchConfig::default() };
            let trial = Trial { wants_unmatched: true, ..small(trial(config, "a", &bytes)) };
            let found = trial.run(&mut trial.worker(), &dice.stream(Help::InTurn(2, 0)));
            assert_eq!(found.error, None);
            let (mut offsets, mut reported) = (Vec::new(), None);
            for event in &found.events {
                match event {
                    Event::Line { offset, .. } => offsets.push(*offset),
                    Event::Binary(offset) => reported = Some(*offset),
                    _ => {}
                }
            }
            let Some(Event::Finish(finish)) = found.events.last() else {
                panic!("{found:?}");
            };
            let is_text = binary == BinaryPolicy::Text;
            assert_eq!(finish.binary_offset, (!is_text).then_some(nul as u64));
            let all: Vec<_> = (0..lines as u64).map(|line| 4 * line).collect();
            if binary == BinaryPolicy::Quit {
                // No line of the NUL byte's block, and all lines of earlier blocks.
                assert!(all.starts_with(&offsets) && 4 * offsets.len() <= nul + 4, "{found:?}");
            } else {
                assert_eq!((reported, offsets), (finish.binary_offset, all));
            }
        }
    }
}
