//! The look at mapped bytes, for the processor at hand.
#![allow(unsafe_code)]

use std::ops::Range;

use heist_matcher::{Fingerprint, Probe};

#[cfg(target_arch = "x86_64")]
use super::parts::{look_with_avx2, look_with_avx512};
use super::piece::{PIECE, Piece};
use crate::mmap::Mapping;

/// A look by probes, for a terminator, at a number of bytes from an address on.
type Look = unsafe fn(&[Probe], u8, *const u8, usize, &mut Vec<Piece>);

/// The fastest look of the processor, if it is one that makes a look faster than to read.
fn fastest() -> Option<Look> {
    looks().into_iter().flatten().next()
}

/// The looks that the processor has the features for.
///
/// AVX-512 counts only with VBMI, which stands for processors that do not lower their clock for it.
fn looks() -> [Option<Look>; 2] {
    #[cfg(target_arch = "x86_64")]
    return [
        (is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi"))
            .then_some(look_with_avx512 as Look),
        is_x86_feature_detected!("avx2").then_some(look_with_avx2 as Look),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    return [None, None];
}

/// Whether the processor has what makes a look faster than to read.
pub(super) fn is_fast() -> bool {
    fastest().is_some()
}

/// Appends what is in `bytes` of `mapping`, whole pieces, to `pieces`. Returns whether all bytes
/// exist.
///
/// # Panics
/// If it [is not fast](is_fast), if `bytes` are not whole pieces, or if they and
/// [`Fingerprint::REACH`] more do not lie in the map.
pub(super) fn look(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    terminator: u8,
    bytes: Range<usize>,
    pieces: &mut Vec<Piece>,
) -> bool {
    let look = fastest().expect("the processor has AVX2");
    look_by(look, mapping, fingerprint, terminator, bytes, pieces)
}

/// [`look`] by one of the [`looks`].
fn look_by(
    look: Look,
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    terminator: u8,
    bytes: Range<usize>,
    pieces: &mut Vec<Piece>,
) -> bool {
    let (size, end) = (bytes.len(), bytes.end + Fingerprint::REACH);
    assert!(size.is_multiple_of(PIECE) && end <= mapping.len(), "the bytes are mapped");
    let probes = fingerprint.probes();
    assert!(probes.iter().all(|probe| probe.distance <= Fingerprint::REACH), "probes are near");
    let exist = mapping.guarded(|start| {
        let text = start.wrapping_add(bytes.start);
        // SAFETY: the processor has the features, since the look is one of `looks`. As asserted,
        // these bytes and as many behind them as a probe may be away are in the map, where
        // `guarded` lets them be read.
        unsafe { look(probes, terminator, text, size, pieces) };
    });
    exist >= end
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use std::{fs::File, io::Write};

    use heist_matcher::{Matcher, MatcherConfig};

    use super::*;
    use crate::survey::{PART, PIECE};

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
            for look in looks().into_iter().flatten() {
                let (mut pieces, bytes) = (Vec::new(), 0..3 * PIECE);
                assert!(look_by(look, &mapping, &fingerprint, b'\n', bytes, &mut pieces));
                let expected = expected(&text, &fingerprint, b'\n', 3);
                assert_eq!(pieces, expected, "{pattern} in round {round}");
            }
        }
    }
}
