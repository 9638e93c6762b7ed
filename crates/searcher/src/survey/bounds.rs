//! What every look has: bounds of what it may read, and how it runs.

use std::ops::Range;

use heist_matcher::Fingerprint;

use super::piece::PIECE;
use crate::mmap::Mapping;

/// How far ahead of a look the processor begins to load bytes. On its own it does so up to the end
/// of a page at most. See docs/decisions/0146-surveys-with-avx512.md.
pub(super) const AHEAD: usize = 2 << 10;

/// Calls `look` with the start of `bytes` in the map and their number. It may read these, and
/// [`Fingerprint::REACH`] more. Returns whether all of them exist.
///
/// # Panics
/// If `bytes` are not whole pieces, or do not lie in the map with so many more.
pub(super) fn look_at(
    mapping: &Mapping,
    fingerprint: &Fingerprint,
    bytes: &Range<usize>,
    look: impl FnOnce(*const u8, usize),
) -> bool {
    let (size, end) = (bytes.len(), bytes.end + Fingerprint::REACH);
    assert!(size.is_multiple_of(PIECE) && end <= mapping.len(), "the bytes are mapped");
    let are_near = fingerprint.probes().iter().all(|probe| probe.distance <= Fingerprint::REACH);
    assert!(are_near, "probes are near");
    mapping.guarded(|start| look(start.wrapping_add(bytes.start), size)) >= end
}

/// Evaluates an expression with the tests of `probes`: an array of `Single`, if each looks for one
/// byte or letter, or else of `Tables`, which are types of the caller.
macro_rules! with_tests {
    ($probes:expr, $tests:ident => $look:expr) => {
        match $probes {
            [] => {
                let $tests: &[Single; 0] = &[];
                $look
            }
            [a] => with_tests!(@all [a], $tests => $look),
            [a, b] => with_tests!(@all [a, b], $tests => $look),
            [a, b, c] => with_tests!(@all [a, b, c], $tests => $look),
            _ => unreachable!("there are three probes at most"),
        }
    };
    (@all [$($probe:ident),+], $tests:ident => $look:expr) => {
        match [$(Single::of($probe)),+] {
            [$(Some($probe)),+] => {
                let $tests = &[$($probe),+];
                $look
            }
            _ => {
                let $tests = &[$(Tables::of($probe)),+];
                $look
            }
        }
    };
}
pub(super) use with_tests;
