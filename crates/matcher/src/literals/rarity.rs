//! What it costs to look for a set of literals: the price list by which literals are chosen.
//!
//! The price is the time of the search itself and of the stops it makes, by how rare the literals
//! are expected to be. It only has to be good enough to tell a good literal from a bad one; a finder
//! that meets a text in which its literal is common notices that by itself.

use crate::strategies::many::{by_table, gram_and_step};

/// Quarter bits by which an ASCII byte is rare: -4 log2 of its share in a sample of 80 MB, three
/// quarters kernel sources and one quarter the many kinds of files of a browser's tree.
#[rustfmt::skip]
const ASCII: [u8; 128] = [
    60, 60, 60, 60, 60, 60, 60, 60, 60, 23, 21, 60, 60, 60, 60, 60,
    60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60,
     9, 44, 33, 32, 55, 44, 38, 40, 28, 28, 29, 42, 27, 30, 31, 30,
    23, 29, 31, 33, 34, 38, 37, 39, 36, 41, 33, 28, 40, 31, 32, 53,
    47, 26, 32, 25, 27, 24, 28, 31, 33, 26, 50, 35, 27, 28, 27, 29,
    27, 41, 26, 25, 25, 31, 33, 37, 34, 37, 45, 40, 44, 40, 60, 17,
    51, 21, 29, 23, 22, 17, 25, 28, 28, 20, 42, 32, 24, 26, 21, 22,
    25, 38, 21, 21, 19, 25, 29, 33, 28, 32, 40, 35, 43, 35, 55, 60,
];

/// Bytes outside ASCII: seldom in source code, but in text of their own script only as seldom as
/// letters are.
const OTHER: u8 = 24;

/// Quarter bits that a further byte of length is worth when everything else is equal.
const LENGTH: f64 = 0.25;

/// How rare `needle` is. Its rarest byte counts in full and each more common one for less, as
/// the letters of a word come together more often than by chance.
fn of_needle(needle: &[u8]) -> f64 {
    let mut bits: Vec<u8> =
        needle.iter().map(|&b| ASCII.get(usize::from(b)).copied().unwrap_or(OTHER)).collect();
    bits.sort_unstable_by(|a, b| b.cmp(a));
    let mut weight = 1.0;
    let mut sum = LENGTH * needle.len() as f64;
    for bits in bits.into_iter().take(12) {
        sum += weight * f64::from(bits);
        weight *= 0.6;
    }
    sum
}

/// How rare the bytes of `gram` are, in quarter bits, as if they came together by chance. Good enough to compare
/// grams of the same length.
pub(crate) fn of_gram(gram: &[u8]) -> u32 {
    gram.iter().map(|&b| u32::from(ASCII.get(usize::from(b)).copied().unwrap_or(OTHER))).sum()
}

/// Nanoseconds that a stop costs: finding the line around a needle and asking the regex about it.
pub(crate) const STOP_NS: f64 = 150.0;

/// The same where the needle is all there is to find: finding the line.
pub(crate) const SURE_STOP_NS: f64 = 30.0;

/// The same where the regex is then asked about a whole file, of 8 KiB perhaps.
pub(crate) const WHOLE_STOP_NS: f64 = 8000.0;

/// Nanoseconds per byte of haystack that a search for `needles` costs, stops included. Infinite for
/// a set that stops everywhere or that no fast search takes.
///
/// Perf (2026-11, 2 cores, 400 MB of kernel sources, case variants of words): memmem and up to 16
/// needles of three bytes ran at 13 GB/s, 16 of four bytes at 9 GB/s, 36 at 8 GB/s.
pub(crate) fn cost_of_set(needles: &[Vec<u8>]) -> f64 {
    cost_of_stops(needles, STOP_NS)
}

/// The same where a stop costs `stop` nanoseconds.
pub(crate) fn cost_of_stops(needles: &[Vec<u8>], stop: f64) -> f64 {
    let shortest = needles.iter().map(Vec::len).min().unwrap_or(0);
    let longest = needles.iter().map(Vec::len).max().unwrap_or(0);
    let search = match (needles.len(), shortest) {
        (0, _) => return 0.0,
        (_, 0) => return f64::INFINITY,
        (1, _) => 0.06,
        (2 | 3, 1) if longest == 1 => 0.07,
        _ if is_packed(needles) => 0.12,
        (_, 1 | 2) => return f64::INFINITY,
        (2..=12, 3) | (2..=8, _) => 0.075,
        (2..=24, _) => 0.11,
        (25..=36, _) => 0.13,
        (37..=64, _) => 0.25,
        _ => return cost_of_many(needles, stop),
    };
    search + stop * share(needles)
}

/// The same of the [search for many](crate::strategies::many).
///
/// Perf (2026-11, 2 cores, 40 MB of kernel sources, identifiers): a look took 0.5 to 1.5 ns, as busy as the machine was; a
/// thousand needles had a gram that is known at 2 to 4 % of the places.
pub(crate) fn cost_of_many(needles: &[Vec<u8>], stop: f64) -> f64 {
    let looks = |needles: Vec<&[u8]>| {
        let shortest = needles.iter().map(|needle| needle.len()).min().unwrap_or(0);
        if shortest < 2 {
            return f64::INFINITY;
        }
        let (_, step) = gram_and_step(needles.len(), shortest);
        0.1 + 0.8 / step as f64 + 0.0008 * needles.len().min(1000) as f64
    };
    by_table(needles).map(looks).sum::<f64>() + stop * share(needles)
}

/// The fourth root of 2.
const QUARTER_BIT: f64 = 1.189_207_115_002_721;

/// How many of the places in a text have one of `needles`, about.
fn share(needles: &[Vec<u8>]) -> f64 {
    // Not `exp2`, for which a library would be loaded at every start.
    needles.iter().map(|n| QUARTER_BIT.powi(-(of_needle(n) + 0.5) as i32)).sum()
}

/// Whether the packed search for several needles takes these, of which one has fewer than three bytes. Prefilters do not say that
/// they are fast then, as needles so short tend to be common: that is what the price of stops is for.
pub(crate) fn is_packed(needles: &[Vec<u8>]) -> bool {
    let shortest = needles.iter().map(Vec::len).min().unwrap_or(0);
    let longest = needles.iter().map(Vec::len).max().unwrap_or(0);
    let most = match (shortest, longest) {
        (1, 2..) => 16,
        (2, _) => 32,
        _ => 0,
    };
    (2..=most).contains(&needles.len())
}

#[cfg(test)]
mod tests {
    use super::{cost_of_set, of_needle};

    #[test]
    fn rare_beats_common() {
        assert!(of_needle(b"Q") > of_needle(b"e"));
        assert!(of_needle(b"int") < of_needle(b"static"));
        assert!(of_needle(b"static") < of_needle(b"PM_RESUME"));
        assert!(of_needle(b"    ") < of_needle(b"x_z"));
    }

    #[test]
    fn more_needles_cost_more() {
        let cost = |needles: &[&str]| -> f64 {
            cost_of_set(&needles.iter().map(|n| n.as_bytes().to_vec()).collect::<Vec<_>>())
        };
        assert!(cost(&["alpha", "bravo"]) > cost(&["bravo"]));
        assert!(cost(&["e"]) > cost(&["z"]));
        assert_eq!(cost(&["alpha", ""]), f64::INFINITY);
        assert!(cost(&["ab", "alpha"]) > cost(&["abcd", "alpha"]));
        assert_eq!(cost(&[]), 0.0, "what cannot match is found at no price");
    }
}
