//! A test of one to three bytes that every place with a needle passes, and few others do.

use std::cmp::Ordering;

use crate::literals::rarity;

/// A test that every line that matches passes at one of its places, at least.
///
/// It looks at one to three bytes, at fixed [distances](Probe::distance) from the place. Every line
/// that matches contains one of some needles. These are put into eight groups; each byte is in some
/// groups, and the place passes if all bytes have a group in common. This is the test in
/// Hyperscan's algorithm Teddy, with the difference that the bytes are the needles' rarest and not
/// their first ones.
///
/// ```
/// # use heist_matcher::{MatcherConfig, Matcher};
/// let matcher = Matcher::new([r"pm_\w+"], &MatcherConfig::default())?;
/// let fingerprint = matcher.fingerprint(b"a text like the one to be searched").expect("pm_");
/// let passes = |text: &[u8]| (0..text.len()).any(|at| fingerprint.passes_at(&text[at..]));
/// assert!(passes(b"a pm_resume"));
/// assert!(!passes(b"a resume"));
/// # Ok::<(), heist_matcher::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fingerprint {
    probes: Vec<Probe>,
}

/// The test of one byte.
#[derive(Clone, Debug)]
pub struct Probe {
    /// How many bytes after the place it is. The first probe has the distance 0.
    pub distance: usize,
    /// The groups by the lower half of the byte; it is in those that are also in `high`.
    pub low: [u8; 16],
    /// The groups by the upper half of the byte.
    pub high: [u8; 16],
}

impl Fingerprint {
    /// The greatest distance, in bytes.
    pub const REACH: usize = 31;

    /// Two bytes are enough if no more than one place in this many passes.
    const RARE: f64 = 65536.0;
    /// One byte is useful only if no more than one place in this many passes.
    const USEFUL: f64 = 256.0;

    /// The test for `needles` in a text that `sample` is a part of. `None` if there is none, or if
    /// they have nothing rare.
    pub(crate) fn of(needles: &[Vec<u8>], sample: &[u8]) -> Option<Fingerprint> {
        let shortest = needles.iter().map(Vec::len).min().filter(|len| *len >= 1)?;
        let all: Vec<_> = (0..shortest.min(Fingerprint::REACH + 1))
            .map(|distance| Probe::at(distance, needles))
            .collect();
        let of_bytes = ByteShares::of(sample);
        let shares: Vec<_> = all.iter().map(|probe| probe.shares(&of_bytes)).collect();
        let share = |chosen: &[usize]| common_share(chosen.iter().map(|i| &shares[*i]));
        if let [only] = &all[..] {
            let is_useful = share(&[0]) * Fingerprint::USEFUL <= 1.0;
            return is_useful.then(|| Fingerprint { probes: vec![only.clone()] });
        }
        let pairs = (0..all.len()).flat_map(|i| (i + 1..all.len()).map(move |j| vec![i, j]));
        let rarest = |a: &Vec<usize>, b: &Vec<usize>| -> Ordering { share(a).total_cmp(&share(b)) };
        let mut chosen = pairs.min_by(rarest)?;
        if share(&chosen) * Fingerprint::RARE > 1.0 {
            let more = (0..all.len()).filter(|i| !chosen.contains(i));
            let triples = more.map(|i| [&chosen[..], &[i]].concat());
            chosen = triples.min_by(rarest).unwrap_or(chosen);
            chosen.sort_unstable();
        }
        let first = chosen[0];
        let relative = |i: &usize| Probe { distance: i - first, ..all[*i].clone() };
        Some(Fingerprint { probes: chosen.iter().map(relative).collect() })
    }

    /// The tests of its bytes: three at most, sorted by their distances.
    #[must_use]
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// Whether the start of `text` passes. A place that is too near to the end does not.
    #[must_use]
    pub fn passes_at(&self, text: &[u8]) -> bool {
        let groups = |probe: &Probe| text.get(probe.distance).map_or(0, |byte| probe.groups(*byte));
        let groups = self.probes.iter().map(groups).reduce(|common, groups| common & groups);
        groups.is_some_and(|groups| groups != 0)
    }
}

impl Probe {
    /// The test of the byte at `distance` in `needles`, which are at least as long.
    fn at(distance: usize, needles: &[Vec<u8>]) -> Probe {
        let mut probe = Probe { distance, low: [0; 16], high: [0; 16] };
        for (number, needle) in needles.iter().enumerate() {
            // Sorted needles that stand beside each other begin alike.
            let group = 1 << (number * 8 / needles.len());
            let byte = usize::from(needle[distance]);
            probe.low[byte & 15] |= group;
            probe.high[byte >> 4] |= group;
        }
        probe
    }

    fn groups(&self, byte: u8) -> u8 {
        self.low[usize::from(byte & 15)] & self.high[usize::from(byte >> 4)]
    }

    /// For each group, which share of a text's bytes is in it.
    fn shares(&self, of_bytes: &ByteShares) -> [f64; 8] {
        let mut shares = [0.0; 8];
        for byte in 0..=u8::MAX {
            let groups = self.groups(byte);
            if groups != 0 {
                let share = of_bytes.0[usize::from(byte)];
                let has = |group: &usize| groups & (1 << group) != 0;
                (0..8).filter(has).for_each(|group| shares[group] += share);
            }
        }
        shares
    }
}

/// For each byte, which share of a text's bytes it has.
struct ByteShares([f64; 256]);

impl ByteShares {
    /// How many bytes of a sample are counted.
    const SAMPLE: usize = 16 << 10;
    /// How many bytes of source code a sample is added to.
    const PRIOR: f64 = 512.0;

    /// Estimates the shares in a text that `sample` is a part of: what is rare in source code is
    /// not rare in another script, and the other way around.
    fn of(sample: &[u8]) -> ByteShares {
        let sample = &sample[..sample.len().min(ByteShares::SAMPLE)];
        let mut counts = [0u32; 256];
        sample.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        let all = sample.len() as f64 + ByteShares::PRIOR;
        let mut shares = [0.0; 256];
        for (byte, (share, count)) in (0..=u8::MAX).zip(shares.iter_mut().zip(counts)) {
            let before = ByteShares::PRIOR * rarity::share_of_byte(byte);
            *share = (f64::from(count) + before) / all;
        }
        ByteShares(shares)
    }
}

/// Which share of a text's places pass all probes, given each probe's shares, if bytes came
/// together by chance.
fn common_share<'p>(probes: impl Iterator<Item = &'p [f64; 8]>) -> f64 {
    let mut common = [1.0; 8];
    for shares in probes {
        common.iter_mut().zip(shares).for_each(|(common, share)| *common *= share);
    }
    common.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    fn of(needles: &[&str]) -> Option<Fingerprint> {
        let needles: Vec<_> = needles.iter().map(|needle| needle.as_bytes().to_vec()).collect();
        Fingerprint::of(&needles, b"")
    }

    #[test]
    fn every_needle_passes() {
        let words = include_str!("fingerprint.rs").split(|c: char| !c.is_alphanumeric());
        let mut words: Vec<_> = words.filter(|word| word.len() > 1).collect();
        words.sort_unstable();
        words.dedup();
        for count in [1, 2, 3, 8, 9, 64] {
            for needles in words.chunks(count) {
                let fingerprint = of(needles).expect("there are needles");
                for needle in needles {
                    let text = format!("a {needle}{needle} z");
                    let at = (0..text.len())
                        .find(|at| fingerprint.passes_at(&text.as_bytes()[*at..]))
                        .expect("it is there");
                    let reach = fingerprint.probes().last().expect("there are two").distance;
                    assert!(at + reach < 2 + 2 * needle.len(), "{needle} in {needles:?}");
                }
            }
        }
    }

    #[test]
    fn the_rarest_bytes_are_looked_at() {
        let rare = of(&["the_quiz"]).expect("it is long enough");
        let distances: Vec<_> = rare.probes().iter().map(|probe| probe.distance).collect();
        assert_eq!(distances, [0, 3], "q and z");
        assert!(rare.passes_at(b"quiz") && !rare.passes_at(b"quit"));
        let second = of(&["ждём"]).expect("it is long enough");
        assert!(second.probes().iter().all(|probe| probe.distance % 2 == 0));
        assert!(
            second.passes_at(&"ждём".as_bytes()[1..]),
            "the first byte is that of most letters"
        );
    }

    #[test]
    fn what_has_no_fingerprint() {
        assert!(of(&[]).is_none() && of(&["long", ""]).is_none());
        assert!(of(&["e"]).is_none(), "it is common");
        assert_eq!(of(&["zq", "~"]).expect("both are rare").probes().len(), 1);
    }

    #[test]
    fn bytes_are_as_rare_as_in_the_sample() {
        let needles = ["xqz\u{436}".as_bytes().to_vec()];
        let distances = |sample: &str| -> Vec<_> {
            let found = Fingerprint::of(&needles, sample.as_bytes()).expect("it is long enough");
            found.probes().iter().map(|probe| probe.distance).collect()
        };
        assert_eq!(distances(""), [0, 1], "q and z");
        assert_eq!(distances(&"quiz ".repeat(1000)), [0, 4], "x and the last byte");
        let common = [b":".to_vec()];
        assert!(Fingerprint::of(&common, b"").is_some());
        assert!(Fingerprint::of(&common, &b"a: b\n".repeat(1000)).is_none());
        assert!(Fingerprint::of(&[b"e".to_vec()], "\u{436}".repeat(9000).as_bytes()).is_some());
    }
}
