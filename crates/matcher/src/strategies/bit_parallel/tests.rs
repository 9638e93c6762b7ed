//! Operations on bits against the regex engine, line by line, and as compiled for each kind of
//! processor.

use std::ops::Range;

use fastrand::Rng;
use memchr::memchr;
use regex_automata::meta;
use regex_syntax::hir::Hir;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::bitmap::{BITS, PIECE_BYTES, PIECE_WORDS, Results};
use super::class::Class;
use super::ops::{Extent, Id, Ops};
use super::program::Piece;
use super::{Bits, dispatch};
use crate::lines::LineHit;

fn pick<'t>(rng: &mut Rng, from: &[&'t str]) -> &'t str {
    from[rng.usize(..from.len())]
}

pub(crate) fn hir(pattern: &str) -> Hir {
    regex_syntax::ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .multi_line(true)
        .build()
        .parse(pattern)
        .unwrap()
}

pub(crate) fn pattern(rng: &mut Rng, depth: usize) -> String {
    const CLASSES: &[&str] =
        &["[a-c]", r"[^a\n]", r"\w", r"[^\S\n]", r"\d", "[ -~]", "a", "b", " ", "_", "[0-4x-z]"];
    const COUNTS: &[&str] = &[
        "", "", "", "", "+", "*", "?", "{2}", "{3}", "{5}", "{33}", "{70}", "{1,3}", "{0,2}",
        "{2,}", "{4,}?", "{0}",
    ];
    const LOOKS: &[&str] =
        &["^", "$", r"\b", r"\B", r"\b{start}", r"\b{end}", r"\b{start-half}", r"\b{end-half}"];
    (0..1 + rng.usize(..4))
        .map(|_| match rng.usize(..if depth == 0 { 7 } else { 10 }) {
            0..6 => [pick(rng, CLASSES), pick(rng, COUNTS)].concat(),
            6 => pick(rng, LOOKS).to_owned(),
            7 => format!("({}|{})", pattern(rng, depth - 1), pattern(rng, depth - 1)),
            8 => format!(
                "({}){}",
                pattern(rng, depth - 1),
                pick(rng, &["{2}", "?", "{1,2}", "{0,3}"])
            ),
            _ => format!("({})+", pattern(rng, depth - 1)),
        })
        .collect()
}

/// Lines of bytes that the classes above have, some of them much longer than a word of bits or
/// even than a piece.
fn text(rng: &mut Rng, non_ascii: bool) -> Vec<u8> {
    let mut text = Vec::new();
    let size = 1 << (4 + rng.usize(..11));
    let size = rng.usize(..size);
    while text.len() < size {
        let len = match rng.usize(..40) {
            0 => rng.usize(..3 * PIECE_BYTES),
            1..4 => rng.usize(..300),
            _ => rng.usize(..30),
        };
        let letters = pick(rng, &["abcx_0189 (", "aaaab ", "a", "ab_", "07 \t"]).as_bytes();
        text.extend((0..len).map(|_| letters[rng.usize(..letters.len())]));
        if non_ascii && rng.usize(..8) == 0 {
            text.extend_from_slice("é".as_bytes());
        }
        text.push(b'\n');
    }
    if rng.usize(..2) == 0 {
        text.pop();
    }
    text
}

/// The lines in which `bits` finds something, and those that it leaves to others.
fn found(bits: &Bits, text: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let (mut hits, mut long) = (Vec::new(), Vec::new());
    let (mut at, mut results) = (0, Results::default());
    let end = text.len() - usize::from(text.ends_with(b"\n"));
    while at < text.len() {
        let before = hits.len();
        let found = bits.find(text, at..end, &mut results, &mut hits);
        let stop = match found {
            Piece::Searched { end } => end,
            Piece::Left { end } => {
                let line = &text[at..end];
                assert!(
                    line.len() >= PIECE_BYTES && memchr(b'\n', line).is_none() && !line.is_ascii()
                );
                long.push(at);
                end
            }
        };
        let mut places = hits[before..].iter().map(|hit| hit.offset());
        assert!(places.all(|hit| (at..=stop).contains(&hit)), "beyond {at}..={stop}");
        at = stop + 1;
    }
    assert_eq!(counted(bits, text), hits.len(), "lines are counted as they are found");
    let line_of = |hit: LineHit| {
        let start = text[..hit.offset()].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        let line = text[start..].split(|b| *b == b'\n').next().unwrap();
        // A long line may match before the first byte that is not ASCII.
        let is_confirmed = matches!(hit, LineHit::Confirmed(_));
        assert!(is_confirmed == line.is_ascii() || line.len() >= PIECE_BYTES);
        start
    };
    (hits.into_iter().map(line_of).collect(), long)
}

/// How many lines match or are left to others.
fn counted(bits: &Bits, text: &[u8]) -> usize {
    let (mut at, mut results, mut count) = (0, Results::default(), 0);
    let end = text.len() - usize::from(text.ends_with(b"\n"));
    while at < text.len() {
        let mut hits = Vec::new();
        let (certain, piece) = bits.count(text, at..end, &mut results, &mut hits);
        assert!(hits.iter().all(|hit| matches!(hit, LineHit::Candidate(_))));
        count += certain as usize + hits.len();
        let (Piece::Searched { end } | Piece::Left { end }) = piece;
        at = end + 1;
    }
    count
}

#[test]
fn lines_are_those_that_the_engine_finds() {
    let mut rng = Rng::with_seed(3);
    let (mut compiled, mut refused, mut left, mut matched) = (0, 0, 0, 0);
    while compiled < 400 {
        let pattern = pattern(&mut rng, 2);
        let hir = hir(&pattern);
        let Some(bits) = Bits::new(&hir, b'\n') else {
            refused += 1;
            continue;
        };
        compiled += 1;
        let engine = meta::Builder::new()
            .configure(meta::Config::new().utf8_empty(false))
            .build_from_hir(&hir)
            .unwrap();
        for round in 0..6 {
            let text = text(&mut rng, round % 2 == 1);
            let (lines, long) = found(&bits, &text);
            left += long.len();
            let mut expected = Vec::new();
            let mut at = 0;
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                let content = line.strip_suffix(b"\n").unwrap_or(line);
                let is_hit = !content.is_ascii() || engine.is_match(content);
                if is_hit && !long.contains(&at) {
                    expected.push(at);
                }
                at += line.len();
            }
            matched += expected.len();
            assert!(lines == expected, "{pattern}: {lines:?} instead of {expected:?}");
        }
    }
    assert!(refused < 600 && left > 20 && matched > 5000, "{refused} {left} {matched}");
}

/// A line of several pieces with few bytes that differ from the others, most of them near the ends
/// of pieces.
pub(crate) fn long_line(rng: &mut Rng) -> Vec<u8> {
    let len = PIECE_BYTES - 3 + rng.usize(..4 * PIECE_BYTES);
    let mut line = pick(rng, &[" ", "a", "0", "("]).repeat(len).into_bytes();
    for _ in 0..rng.usize(..6) {
        let at = match rng.usize(..3) {
            0 => rng.usize(..len),
            _ => (rng.usize(..5) * PIECE_BYTES + 4).saturating_sub(rng.usize(..40)),
        };
        let letters = pick(rng, &["abcx_0189 (", "aaaab ", "a", "ab_"]).as_bytes();
        let some = rng.usize(1..40);
        for byte in line.iter_mut().skip(at).take(some) {
            *byte = letters[rng.usize(..letters.len())];
        }
    }
    line
}

#[test]
fn lines_longer_than_a_piece_match_as_others_do() {
    let mut rng = Rng::with_seed(5);
    let (mut compiled, mut matched, mut searched) = (0, 0, 0);
    while compiled < 300 {
        let pattern = pattern(&mut rng, 2);
        let hir = hir(&pattern);
        let Some(bits) = Bits::new(&hir, b'\n') else { continue };
        compiled += 1;
        let engine = meta::Builder::new()
            .configure(meta::Config::new().utf8_empty(false))
            .build_from_hir(&hir)
            .unwrap();
        for _ in 0..20 {
            let line = long_line(&mut rng);
            let is_match = engine.is_match(&line);
            let text = [b"ab\n", &line[..], b"\nab\n"].concat();
            let (lines, left) = found(&bits, &text);
            assert!(left.is_empty());
            assert_eq!(lines.contains(&3), is_match, "{pattern}: {}", line.escape_ascii());
            matched += usize::from(is_match);
            searched += 1;
        }
    }
    assert!((1000..searched - 1000).contains(&matched), "{matched} of {searched}");
}

#[test]
fn runs_may_be_as_long_as_a_piece() {
    let bits = |pattern| Bits::new(&hir(pattern), b'\n').unwrap();
    let (star, exactly) = (bits("xa*y"), bits("^a{70}$"));
    for n in (0..300).chain(PIECE_BYTES - 70..PIECE_BYTES - 3) {
        let text = format!("{}x{}y", "b\n".repeat(n % 5), "a".repeat(n));
        let line = text.find('x').unwrap();
        assert_eq!(found(&star, text.as_bytes()).0, [line], "{n}");
        assert!(found(&star, text.replace('y', "a").as_bytes()).0.is_empty(), "{n}");
        let text = format!("\n{}", "a".repeat(n));
        let expected: &[usize] = if n == 70 { &[1] } else { &[] };
        assert_eq!(found(&exactly, text.as_bytes()).0, expected, "{n}");
    }
}

type Run = fn(&Ops, &[u8], usize, Extent, &mut Results, Range<Id>) -> bool;

/// The operations as compiled for each kind of processor that this one can stand for.
fn runs() -> Vec<Run> {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is one kind"))]
    let mut runs: Vec<Run> = vec![dispatch::run];
    #[cfg(target_arch = "x86_64")]
    if avx2::is_available() {
        runs.push(avx2::run);
    }
    runs
}

#[test]
fn every_processor_computes_the_same() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..200 {
        let pattern = pattern(&mut rng, 2);
        let Some(bits) = Bits::new(&hir(&pattern), b'\n') else { continue };
        let text = text(&mut rng, true);
        let words = text.len().min(PIECE_BYTES - 1) / BITS + 1;
        let run = |run: &dyn Fn(&mut Results) -> bool| {
            let mut results = Results::default();
            results.bitmaps.resize(bits.ops.list.len(), [0; PIECE_WORDS]);
            (run(&mut results), results.bitmaps)
        };
        let (ops, extent, first) = (&bits.ops, Extent::Lines, 0..bits.ends.first);
        let portable = run(&|results| {
            ops.run_by(&text, words, extent, results, first.clone(), Class::members)
        });
        for compiled in runs() {
            let found = run(&|results| compiled(ops, &text, words, extent, results, first.clone()));
            assert!(found == portable, "{pattern}");
        }
    }
}

#[test]
fn classes_have_their_members_only() {
    let all: Vec<u8> = (0..=255).collect();
    for is_member in [|b: u8| b == 0, |b: u8| b == 127, |b: u8| b.is_multiple_of(3), |_: u8| true] {
        let class = Class::new(is_member);
        for (n, block) in all.as_chunks().0.iter().enumerate() {
            let word = class.members(block);
            for bit in 0..64 {
                let byte = (64 * n + bit) as u8;
                assert_eq!(word >> bit & 1 != 0, byte < 128 && is_member(byte), "{byte}");
            }
        }
    }
}
