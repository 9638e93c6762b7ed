//! The price list: what a search is expected to take, in nanoseconds per byte of haystack.
//!
//! Prices decide between needles, and whether needles are rare enough. A price only has to be good
//! enough to separate good choices from bad ones. `examples/prices.rs` measures them again; where a
//! figure names no other record, it is from docs/decisions/0031-prices-of-strategies.md.

use crate::literals::rarity;
use crate::strategies::many::{gram_and_step, groups_by_length};

/// The regex engine where it goes from byte to byte.
pub(crate) const ENGINE: f64 = 2.0;
/// The most that needles may cost if the engine has to confirm each line. An engine with a
/// prefilter of its own takes no longer.
pub(crate) const MAX_OF_NEEDLES: f64 = 1.2;
/// Words that stand alone (docs/decisions/0033-words-that-stand-alone.md).
pub(crate) const WORDS: f64 = 0.5;
/// The most that operations on bits may cost to be used. Words that stand alone take little more,
/// and so does an engine that seldom stops.
pub(crate) const MAX_OF_BITS: f64 = 0.45;
/// Passing over ASCII text, and now and then a search of other text.
pub(crate) const ASCII_SKIP: f64 = 0.1;

/// Nanoseconds that a stop at a needle costs if the engine is then called on the line around it.
pub(crate) const STOP: f64 = 150.0;
/// Nanoseconds that a stop at a needle costs if the needle is all there is to find.
pub(crate) const EXACT_STOP: f64 = 30.0;
/// Nanoseconds that a stop at a needle costs if the engine is then called on a whole file, of 8 KiB
/// perhaps.
pub(crate) const WHOLE_STOP: f64 = 8000.0;

/// Nanoseconds that a stop at a needle costs if the engine is then called on a line of many KiB.
pub(crate) const LONG_LINE_STOP: f64 = 100_000.0;

/// How much more whole needles may cost than parts of them, which need the engine to confirm a
/// line.
pub(crate) const WHOLE_OVER_PARTS: f64 = 1.5;
/// How much more than needles the engine's own search may cost, for which no line has to be cut
/// out.
pub(crate) const ENGINE_OVER_NEEDLES: f64 = 1.05;

/// Mean bytes from the start of a line to the next needle from which on it is worth to stop at
/// each.
pub(crate) const NEEDLE_SPACING: usize = 64;
/// Mean bytes between two needles that are matches from which on it is worth to stop at each
/// (docs/decisions/0155-how-far-apart-matches-are.md).
pub(crate) const EXACT_NEEDLE_SPACING: usize = 84;
/// Mean bytes between two candidates of operations on bits from which on it is worth to stop at
/// each: the time that these take for so many bytes is that of a call of the engine.
pub(crate) const BITS_SPACING: usize = 160;
/// Below this many bytes from the start of a line to the next hit, in the mean, nearly every line
/// has one. The outline of `[a-z]+(?=\d{3}\()` costs PCRE2 7 % more in kernel sources than to
/// search all lines.
#[cfg(feature = "pcre2")]
pub(crate) const OUTLINE_SPACING: usize = 24;

/// A program with `ops` operations, of which `classes` look at the text.
pub(crate) fn bits(classes: usize, ops: usize) -> f64 {
    0.03 + 0.02 * classes as f64 + 0.007 * ops as f64
}

/// A search for `needles`, stops included. Infinite if they are everywhere or no fast search takes
/// them; zero if there are none.
pub(crate) fn needles<N: AsRef<[u8]>>(needles: &[N]) -> f64 {
    needles_with_stops(needles, STOP)
}

/// A search for `needles` where a stop costs `stop` nanoseconds.
pub(crate) fn needles_with_stops<N: AsRef<[u8]>>(needles: &[N], stop: f64) -> f64 {
    let (shortest, longest) = shortest_and_longest(needles);
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
        _ => return many(needles, stop),
    };
    search + stop * rarity::share(needles)
}

/// The search for [many](crate::strategies::many) needles, where a stop costs `stop` nanoseconds.
pub(crate) fn many<N: AsRef<[u8]>>(needles: &[N], stop: f64) -> f64 {
    let probes = |needles: Vec<&[u8]>| {
        let shortest = needles.iter().map(|needle| needle.len()).min().unwrap_or(0);
        if shortest < 2 {
            return f64::INFINITY;
        }
        let (_, step) = gram_and_step(needles.len(), shortest);
        0.1 + 0.8 / step as f64 + 0.0008 * needles.len().min(1000) as f64
    };
    groups_by_length(needles).map(probes).sum::<f64>() + stop * rarity::share(needles)
}

/// Whether the packed search takes these needles although one is shorter than three bytes.
/// Prefilters do not count as fast then, since needles so short tend to be common; here the price
/// of stops takes care of that.
pub(crate) fn is_packed<N: AsRef<[u8]>>(needles: &[N]) -> bool {
    let (shortest, longest) = shortest_and_longest(needles);
    let most = match (shortest, longest) {
        (1, 2..) => 16,
        (2, _) => 32,
        _ => 0,
    };
    (2..=most).contains(&needles.len())
}

/// How long the shortest and the longest of `needles` are, 0 without any.
fn shortest_and_longest<N: AsRef<[u8]>>(needles: &[N]) -> (usize, usize) {
    let lengths = || needles.iter().map(|needle| needle.as_ref().len());
    (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::needles;

    #[test]
    fn more_needles_cost_more() {
        let cost = |set: &[&str]| -> f64 {
            needles(&set.iter().map(|n| n.as_bytes().to_vec()).collect::<Vec<_>>())
        };
        assert!(cost(&["alpha", "bravo"]) > cost(&["bravo"]));
        assert!(cost(&["e"]) > cost(&["z"]));
        assert_eq!(cost(&["alpha", ""]), f64::INFINITY);
        assert!(cost(&["ab", "alpha"]) > cost(&["abcd", "alpha"]));
        assert_eq!(cost(&[]), 0.0, "what cannot match is found at no price");
    }
}
