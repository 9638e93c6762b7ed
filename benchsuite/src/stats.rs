//! Median and spread of samples.

use serde::Serialize;

/// The middle and the spread of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    /// The median distance from the median (MAD). Few outliers hardly change it.
    pub(crate) mad: f64,
    /// How far numbers lie from the median, the farthest quarter left out, rounded down: of three
    /// numbers none, of seven one.
    pub(crate) noise: f64,
    pub(crate) mean: f64,
    /// The standard deviation of a sample; 0 for a single number.
    pub(crate) deviation: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// The spread of `numbers`, or `None` if there are none.
    pub(crate) fn of(numbers: &[f64]) -> Option<Spread> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = middle(&sorted);
        let mut distances: Vec<f64> = sorted.iter().map(|number| (number - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let noise = distances[(3 * sorted.len()).div_ceil(4) - 1];
        let count = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = if sorted.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Some(Spread { median, mad: middle(&distances), noise, mean, deviation, min, max })
    }

    /// Whether the medians are no further apart than both are noisy: no difference was measured.
    pub(crate) fn is_near(&self, other: &Spread) -> bool {
        (self.median - other.median).abs() <= self.noise + other.noise
    }
}

/// The median of sorted numbers; there must be at least one.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        (sorted[half - 1] + sorted[half]) / 2.0
    } else {
        sorted[half]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        let spread = Spread::of(&[5.0, 1.0, 2.0, 100.0, 2.0]).unwrap();
        assert_eq!((spread.median, spread.mad, spread.noise), (2.0, 1.0, 3.0));
        assert_eq!((spread.min, spread.max, spread.mean), (1.0, 100.0, 22.0));
        assert!((Spread::of(&[1.0, 3.0]).unwrap().deviation - 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[7.0]).unwrap().deviation, 0.0);
        assert_eq!(Spread::of(&[]), None);
        let cases: [(&[f64], f64, f64); 6] = [
            (&[7.0], 7.0, 0.0),
            (&[1.0, 3.0], 2.0, 1.0),
            (&[9.0, 1.0, 5.0], 5.0, 4.0),
            (&[4.0, 1.0, 2.0, 100.0], 3.0, 1.5),
            // The distances from 2 are 1 1 0 0 2 4 7.
            (&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0], 2.0, 1.0),
            (&[10.0, 10.0, 10.0, 1e9], 10.0, 0.0),
        ];
        for (numbers, median, mad) in cases {
            let spread = Spread::of(numbers).unwrap();
            assert_eq!((spread.median, spread.mad), (median, mad), "{numbers:?}");
        }
    }

    #[test]
    fn one_outlier_in_seven_is_no_noise() {
        let noise = |numbers: &[f64]| Spread::of(numbers).unwrap().noise;
        assert_eq!(noise(&[9.0, 10.0, 12.0]), 2.0);
        assert_eq!(noise(&[10.0, 10.0, 10.0, 10.0, 10.0, 11.0, 90.0]), 1.0);
        assert_eq!(noise(&[5.0]), 0.0);
    }

    #[test]
    fn near_is_within_both_spreads() {
        let around = |middle: f64| Spread::of(&[middle - 1.0, middle, middle + 1.0]).unwrap();
        assert!(around(10.0).is_near(&around(12.0)));
        assert!(!around(10.0).is_near(&around(12.5)));
    }
}
