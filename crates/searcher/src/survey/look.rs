//! The look at mapped bytes, for the processor at hand.

use std::ops::Range;

use heist_matcher::Fingerprint;

use super::piece::Piece;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::mmap::Mapping;

/// Whether the processor has what makes a look faster than to read.
pub(super) fn is_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx2::is_available();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Appends what is in `bytes` of `mapping`, whole pieces, to `pieces`. Returns whether all bytes
/// exist.
///
/// # Panics
/// If it [is not fast](is_fast), or if `bytes` and [`Fingerprint::REACH`] more do not lie in the
/// map.
pub(super) fn look(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    terminator: u8,
    bytes: Range<usize>,
    pieces: &mut Vec<Piece>,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    return match avx512::is_available() {
        true => avx512::look(mapping, fingerprint, terminator, bytes, pieces),
        false => avx2::look(mapping, fingerprint, terminator, bytes, pieces),
    };
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("it is not fast: {mapping:?} {fingerprint:?} {terminator} {bytes:?} {pieces:?}");
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use std::{fs::File, io::Write};

    use heist_matcher::{Matcher, MatcherConfig};

    use super::*;
    use crate::survey::{PART, PIECE};

    type Look = fn(&Mapping, &Fingerprint, u8, Range<usize>, &mut Vec<Piece>) -> bool;

    fn map(bytes: &[u8]) -> Mapping {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes).expect("there is room");
        let of = |file: &File| Mapping::of(file).expect("it can be mapped");
        of(&file)
    }

    /// What a look should find.
    fn expected(text: &[u8], fingerprint: &Fingerprint, end: u8, pieces: usize) -> Vec<Piece> {
        let piece = |n: usize| {
            let bytes = &text[n * PIECE..(n + 1) * PIECE];
            let passes = |at: usize| fingerprint.passes_at(&text[n * PIECE + at..]);
            let candidates = (0..PIECE).filter(|at| passes(*at));
            Piece {
                terminators: bytes.iter().filter(|byte| **byte == end).count() as u32,
                has_nul: bytes.contains(&0),
                candidates: candidates.fold(0, |bits, at| bits | 1 << (at / PART)),
                is_copied: false,
            }
        };
        (0..pieces).map(piece).collect()
    }

    #[test]
    fn every_processor_sees_the_same() {
        let rng = &mut fastrand::Rng::with_seed(46);
        let mut looks: Vec<Look> = Vec::new();
        if avx2::is_available() {
            looks.push(avx2::look);
        }
        if avx512::is_available() {
            looks.push(avx512::look);
        }
        // One to three bytes; single ones, letters in either case, and several needles.
        let patterns = ["~", "~|`", "(?i)~x", "q~", "ab.cd", "(?i)needle", "need|~abc|xyz", "ждём"];
        for (round, pattern) in patterns.iter().cycle().take(64).enumerate() {
            let config = MatcherConfig::default();
            let matcher = Matcher::new([pattern], &config).expect("it is a regex");
            let fingerprint = matcher.fingerprint(b"").expect("there are needles");
            let mut text: Vec<u8> = (0..3 * PIECE + 100).map(|_| rng.u8(b'a'..=b'z')).collect();
            for _ in 0..rng.usize(..60) {
                let at = rng.usize(..text.len() - 16);
                let words: [&[u8]; 8] =
                    [b"~", b"`", b"~X", b"q~", b"ab.cd", b"NEEDle", b"\n", "ждём".as_bytes()];
                let word = rng.choice(words).expect("there are some");
                text[at..at + word.len()].copy_from_slice(word);
            }
            if round % 3 == 0 {
                let at = rng.usize(..text.len());
                text[at] = 0;
            }
            let mapping = map(&text);
            for look in &looks {
                let mut pieces = Vec::new();
                assert!(look(&mapping, &fingerprint, b'\n', 0..3 * PIECE, &mut pieces));
                let expected = expected(&text, &fingerprint, b'\n', 3);
                assert_eq!(pieces, expected, "{pattern} in round {round}");
            }
        }
    }
}
