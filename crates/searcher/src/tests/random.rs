//! Random haystacks, settings and patterns: every way of reading emits the events of the reference.
//!
//! `HEIST_ORACLE_TIMES=100` runs a hundred times as many trials, `HEIST_ORACLE_SEED=7` others.

use std::{borrow::Cow, env};

use heist_matcher::Finder;

use super::{
    record::{Dribble, Event, Record, counted, file, finder_of},
    reference::{Haystack, events},
};
use crate::{BinaryPolicy, Encoding, End, SearchConfig, Searcher, Source};

const PATTERNS: &[&str] = &["a", "b+a", "", "x*", "ab|ba", "zz", "b\\b", "a.b", "ab.?a", "cca*\\b"];
/// Anchors match at line feeds whatever the terminator is.
const ANCHORED: &[&str] = &["^a", "b$", "^$", "^", "$", "^ab$", "b\r?$"];

const ENCODINGS: &[&encoding_rs::Encoding] =
    &[encoding_rs::UTF_8, encoding_rs::WINDOWS_1252, encoding_rs::SHIFT_JIS, encoding_rs::UTF_16LE];

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Draws random cases. The seed is fixed, so that failures can be repeated.
pub(super) struct Dice(fastrand::Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(fastrand::Rng::with_seed(seed ^ number("HEIST_ORACLE_SEED", 0) << 32))
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(super) fn config(&mut self, nuls: bool) -> SearchConfig {
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
            max_matches: self.one_in(3).then(|| self.below(4) as u64),
            stop_on_nonmatch: self.one_in(6),
            binary: BinaryPolicy::Text,
            encoding: match self.below(16) {
                0 | 1 => Encoding::None,
                // The decoder's pieces form blocks that the reference does not know.
                2..5 if !nuls && line_terminator != 0 => Encoding::Always(self.pick(ENCODINGS)),
                _ => Encoding::Auto,
            },
        }
    }

    /// Lines of few letters, some of them long, with some NUL bytes.
    pub(super) fn bytes(&mut self, config: &SearchConfig, nuls: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if config.encoding != Encoding::None && self.one_in(8) {
            bytes.extend(BOM);
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
}

/// The factor for the number of trials.
pub(super) fn times() -> u64 {
    number("HEIST_ORACLE_TIMES", 1)
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

type Worker<'a> = (&'a mut Searcher, &'a mut Finder);

/// A random search, run by the reference and in every way of reading.
pub(super) struct Trial {
    pub(super) config: SearchConfig,
    pub(super) pattern: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) binary: BinaryPolicy,
    pub(super) capacity: usize,
    pub(super) wants_unmatched: bool,
    pub(super) counts: bool,
}

impl Trial {
    pub(super) fn throw(dice: &mut Dice, nuls: bool) -> Trial {
        let mut config = dice.config(nuls);
        let anchored = dice.one_in(2);
        let pattern = dice.pick(if anchored { ANCHORED } else { PATTERNS });
        // A pattern must not contain a byte that may be part of a terminator.
        config.crlf &= !pattern.contains('\r');
        Trial {
            pattern,
            bytes: dice.bytes(&config, nuls),
            binary: dice.pick(&[BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert]),
            capacity: dice.pick(&[4, 5, 8, 16, 61, 4096]),
            wants_unmatched: dice.one_in(3),
            counts: dice.one_in(3),
            config,
        }
    }

    /// A search that is not random.
    pub(super) fn of(
        config: SearchConfig,
        pattern: &'static str,
        bytes: &[u8],
        binary: BinaryPolicy,
    ) -> Trial {
        let bytes = bytes.to_vec();
        Trial { config, pattern, bytes, binary, capacity: 8, wants_unmatched: true, counts: false }
    }

    pub(super) fn expected(&self, finder: &mut Finder) -> Vec<Event> {
        let has_bom = self.config.encoding != Encoding::None && self.bytes.starts_with(BOM);
        let unmarked = if has_bom { &self.bytes[BOM.len()..] } else { &self.bytes };
        let decoded = match self.config.encoding {
            Encoding::Always(encoding) => encoding.decode_without_bom_handling(unmarked).0,
            Encoding::Auto | Encoding::None => Cow::Borrowed(""),
        };
        let is_decoded = matches!(self.config.encoding, Encoding::Always(_));
        let haystack = Haystack {
            bytes: if is_decoded { decoded.as_bytes() } else { unmarked },
            binary: self.binary,
            peek: if has_bom { 0 } else { 3 },
            capacity: self.capacity,
        };
        let events = events(&self.config, finder, haystack, self.wants_unmatched);
        if self.counts { counted(events) } else { events }
    }

    pub(super) fn about(&self) -> String {
        let Trial { config, pattern, bytes, binary, capacity, counts, .. } = self;
        let (bytes, how) = (bytes.escape_ascii(), if *counts { "counted" } else { "emitted" });
        format!("{pattern:?} {binary:?} capacity {capacity} {how} in \"{bytes}\" {config:?}")
    }

    /// A searcher with this trial's settings whose first read has `head_size` bytes.
    pub(super) fn searcher(&self, head_size: usize) -> Searcher {
        let config = SearchConfig { binary: self.binary, ..self.config.clone() };
        Searcher::with_sizes(config, head_size, self.capacity)
    }

    pub(super) fn record(&self) -> Record {
        Record { counts: self.counts, ..Record::new(self.wants_unmatched) }
    }

    fn by_slice(&self, (searcher, finder): Worker<'_>, mut record: Record) -> Vec<Event> {
        searcher.search_slice(finder, &self.bytes, &mut record).unwrap();
        record.events
    }

    fn by_file(&self, (searcher, finder): Worker<'_>, end: End) -> Vec<Event> {
        let mut record = self.record();
        searcher.search(finder, file(&self.bytes, end), &mut record).unwrap();
        record.events
    }

    /// Reads pieces of at most `most` bytes.
    fn by_pipe(&self, (searcher, finder): Worker<'_>, most: usize) -> Vec<Event> {
        let mut record = self.record();
        let source = Source {
            reader: Dribble { bytes: &self.bytes, most, is_interrupted: false },
            end: End::Stream,
        };
        searcher.search(finder, source, &mut record).unwrap();
        record.events
    }
}

fn check(nuls: bool, trials: u64) {
    let mut dice = Dice::new(trials);
    for _ in 0..trials * times() {
        let trial = Trial::throw(&mut dice, nuls);
        let about = || trial.about();
        let mut finder = finder_of(trial.pattern, &trial.config);
        let expected = trial.expected(&mut finder);
        let head_size = dice.pick(&[4, 9, 4096]);
        let mut searcher = trial.searcher(head_size);
        for _ in 0..2 {
            let emitted = trial.by_slice((&mut searcher, &mut finder), trial.record());
            assert_eq!(emitted, expected, "slice: {}", about());
            for end in [End::ShortRead, End::EmptyRead] {
                let emitted = trial.by_file((&mut searcher, &mut finder), end);
                assert_eq!(emitted, expected, "file, {end:?}: {}", about());
            }
        }
        // Short reads make other blocks, which shows only if there are NUL bytes.
        let is_exact = !trial.bytes.contains(&0) || trial.binary == BinaryPolicy::Text;
        let most = if is_exact { 1 + dice.below(7) } else { usize::MAX };
        if is_exact || trial.bytes.len() < head_size {
            let emitted = trial.by_pipe((&mut searcher, &mut finder), most);
            assert_eq!(emitted, expected, "pipe of {most}: {}", about());
        }
        // What is counted before a break depends on the blocks.
        if !trial.counts {
            check_break(&mut dice, &trial, (&mut searcher, &mut finder), &expected);
        }
    }
}

/// After a break, a sink receives only the end.
fn check_break(dice: &mut Dice, trial: &Trial, worker: Worker<'_>, expected: &[Event]) {
    let emitted = expected.len().saturating_sub(1);
    if emitted == 0 {
        return;
    }
    let break_at = 1 + dice.below(emitted);
    let events = trial.by_slice(worker, Record { break_at, ..trial.record() });
    assert_eq!(events[..break_at], expected[..break_at]);
    assert_eq!(events.len(), break_at + 1, "{events:?}");
    assert!(matches!(events[break_at], Event::Finish(_)), "{events:?}");
}

#[test]
fn every_way_of_reading_text_agrees_with_the_reference() {
    check(false, 10_000);
}

#[test]
fn every_way_of_reading_nul_bytes_agrees_with_the_reference() {
    check(true, 20_000);
}
