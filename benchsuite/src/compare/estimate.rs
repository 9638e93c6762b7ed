//! The ratio of two medians, and how certain it is.

use serde::Serialize;

use crate::stats::Spread;

/// How many times the samples are drawn anew.
const RESAMPLES: usize = 10_000;

/// Constant, so that two records always compare alike.
const SEED: u64 = 0x68_6569_7374;

/// With fewer runs on either side the interval is too narrow: in a simulation as in the last test
/// below, two samples from one distribution differ significantly in 10 % of all pairs with three
/// runs, 7 % with four, and 4 % with five and more, where 5 % are allowed.
pub(super) const MIN_RUNS: usize = 5;

/// A ratio of medians, new by old, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// Above 1 the new one takes longer.
    pub(crate) ratio: f64,
    /// The lower end of the interval.
    pub(crate) low: f64,
    /// The upper end of the interval.
    pub(crate) high: f64,
}

impl Estimate {
    /// The estimate from the times of both sides; `None` if one has fewer than [`MIN_RUNS`] runs or
    /// takes no time.
    ///
    /// The interval is the percentile interval of the bootstrap (Bradley Efron, "Bootstrap methods:
    /// another look at the jackknife", Annals of Statistics 7, 1979; Efron and Tibshirani, "An
    /// introduction to the bootstrap", 1993, chapter 13): both samples are drawn anew, with
    /// replacement and independently, 10,000 times; the middle 95 % of their medians' ratios are
    /// the interval.
    pub(super) fn of(old: &[f64], new: &[f64]) -> Option<Estimate> {
        Estimate::by(old, new, RESAMPLES)
    }

    fn by(old: &[f64], new: &[f64], resamples: usize) -> Option<Estimate> {
        let (before, after) = (Spread::of(old)?, Spread::of(new)?);
        if old.len().min(new.len()) < MIN_RUNS || before.min <= 0.0 || after.min <= 0.0 {
            return None;
        }
        let mut random = fastrand::Rng::with_seed(SEED);
        let (mut old, mut new) = (Urn::of(old), Urn::of(new));
        let mut ratios: Vec<f64> =
            (0..resamples).map(|_| new.median(&mut random) / old.median(&mut random)).collect();
        ratios.sort_by(f64::total_cmp);
        // As many are cut off at either end.
        let cut = resamples / 40;
        let (low, high) = (ratios[cut], ratios[resamples - 1 - cut]);
        Some(Estimate { ratio: after.median / before.median, low, high })
    }

    /// Whether the interval excludes 1.
    pub(super) fn is_significant(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// The size of the change in either direction: half is as much as double.
    pub(super) fn size(&self) -> f64 {
        self.ratio.ln().abs()
    }
}

/// A sample that is drawn from with replacement.
struct Urn {
    sorted: Vec<f64>,
    /// The ranks that were drawn, sorted.
    drawn: Vec<usize>,
}

impl Urn {
    fn of(sample: &[f64]) -> Urn {
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let drawn = vec![0; sorted.len()];
        Urn { sorted, drawn }
    }

    /// The median of a new sample with the same size.
    fn median(&mut self, random: &mut fastrand::Rng) -> f64 {
        let count = self.sorted.len();
        for place in &mut self.drawn {
            *place = random.usize(..count);
        }
        self.drawn.sort_unstable();
        let at = |rank: usize| self.sorted[self.drawn[rank]];
        // For an odd number both are the one in the middle.
        f64::midpoint(at((count - 1) / 2), at(count / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_leave_no_doubt() {
        let estimate = Estimate::of(&[2.0; 5], &[3.0; 7]).unwrap();
        assert_eq!(estimate, Estimate { ratio: 1.5, low: 1.5, high: 1.5 });
        assert!(estimate.is_significant());
        let level = Estimate::of(&[2.0; 5], &[2.0; 5]).unwrap();
        assert!(!level.is_significant());
        assert_eq!(level.size(), 0.0);
    }

    #[test]
    fn the_interval_is_that_of_all_resamples() {
        // Three times 1 and three times 2, against constants: the median is 1 if at least four
        // draws in six are, with probability 11/32, and 2 likewise, so that both are within the
        // middle 95 %.
        let estimate = Estimate::of(&[1.0; 6], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]).unwrap();
        assert_eq!(estimate, Estimate { ratio: 1.5, low: 1.0, high: 2.0 });
        // In seven runs the smallest is the median of the draws in one case in 98, too seldom to
        // count; the second smallest or a smaller one is in one case in 10.
        let seven = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let estimate = Estimate::of(&[1.0; 7], &seven).unwrap();
        assert_eq!(estimate, Estimate { ratio: 4.0, low: 2.0, high: 6.0 });
    }

    #[test]
    fn both_sides_are_drawn_and_the_order_does_not_matter() {
        let (old, new) = ([10.0, 11.0, 12.0, 10.5, 11.5], [20.0, 24.0, 22.0, 21.0, 23.0]);
        let estimate = Estimate::of(&old, &new).unwrap();
        assert_eq!(estimate.ratio, 2.0);
        assert!(estimate.low > 20.0 / 12.0 && estimate.low < 2.0, "{estimate:?}");
        assert!(estimate.high < 24.0 / 10.0 && estimate.high > 2.0, "{estimate:?}");
        let (mut old, mut new) = (old, new);
        old.reverse();
        new.reverse();
        assert_eq!(Estimate::of(&old, &new), Some(estimate), "always the same");
    }

    #[test]
    fn too_few_runs_and_no_time_are_no_estimate() {
        assert_eq!(Estimate::of(&[], &[1.0; 9]), None);
        assert_eq!(Estimate::of(&[1.0; 4], &[9.0; 9]), None);
        assert_eq!(Estimate::of(&[1.0; 9], &[9.0]), None);
        assert_eq!(Estimate::of(&[0.0; 5], &[1.0; 5]), None);
        assert!(Estimate::of(&[1.0; 5], &[9.0; 5]).is_some());
    }

    /// How many of 400 pairs of samples differ significantly if all come from one distribution.
    fn differing(runs: usize) -> usize {
        let mut random = fastrand::Rng::with_seed(7);
        // Times as they are: a base, and noise with a long tail.
        let mut sample = || -> Vec<f64> {
            let mut uniform = || f64::from(random.u32(1..=1 << 30)) / f64::from(1 << 30);
            (0..runs).map(|_| 100.0 - 3.0 * uniform().ln() + 2.0 * uniform()).collect()
        };
        let mut pair = || Estimate::by(&sample(), &sample(), 1000);
        (0..400).filter(|_| pair().is_some_and(|estimate| estimate.is_significant())).count()
    }

    #[test]
    fn equals_seldom_differ_significantly() {
        // 20 of 400 were 5 %; the rest is for chance, which is the same each time.
        for runs in [MIN_RUNS, 7, 10] {
            let differing = differing(runs);
            assert!((4..30).contains(&differing), "{differing} of 400 with {runs} runs");
        }
    }
}
