//! What many samples of one figure say together.

/// The middle and the spread of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Half of them are smaller.
    pub(crate) median: f64,
    /// The median distance from the median. Unlike the deviation it hardly minds a few outliers.
    pub(crate) mad: f64,
    /// The arithmetic mean.
    pub(crate) mean: f64,
    /// The standard deviation of a sample; 0 for a single number.
    pub(crate) deviation: f64,
    /// The smallest.
    pub(crate) min: f64,
    /// The largest.
    pub(crate) max: f64,
}

impl Spread {
    /// Of these numbers, unless there is none.
    pub(crate) fn of(numbers: &[f64]) -> Option<Spread> {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = middle(&sorted);
        let mut distances: Vec<f64> = sorted.iter().map(|number| (number - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = if sorted.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Some(Spread { median, mad: middle(&distances), mean, deviation, min, max })
    }

    /// Whether the medians are no further apart than both spreads: no difference worth naming.
    pub(crate) fn is_near(&self, other: &Spread) -> bool {
        (self.median - other.median).abs() <= self.mad + other.mad
    }
}

/// The median, or 0 of nothing.
pub(crate) fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let numbers: Vec<f64> = numbers.into_iter().collect();
    Spread::of(&numbers).map_or(0.0, |spread| spread.median)
}

/// The middle of sorted numbers, of which there are some.
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
        assert_eq!((spread.median, spread.mad), (2.0, 1.0));
        assert_eq!((spread.min, spread.max, spread.mean), (1.0, 100.0, 22.0));
        let even = Spread::of(&[1.0, 3.0]).unwrap();
        assert_eq!((even.median, even.mad), (2.0, 1.0));
        assert!((even.deviation - 2f64.sqrt()).abs() < 1e-12);
        let single = Spread::of(&[7.0]).unwrap();
        assert_eq!((single.median, single.mad, single.deviation), (7.0, 0.0, 0.0));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(median([]), 0.0);
    }

    #[test]
    fn medians_and_deviations_of_known_numbers() {
        let median = |numbers: &[f64]| Spread::of(numbers).map(|spread| spread.median);
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), Some(3.0));
        let deviation = |numbers: &[f64]| Spread::of(numbers).map(|spread| spread.mad);
        assert_eq!(deviation(&[]), None);
        assert_eq!(deviation(&[3.0]), Some(0.0));
        // The distances from 2 are 1 1 0 0 2 4 7.
        assert_eq!(deviation(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), Some(1.0));
        assert_eq!(deviation(&[10.0, 10.0, 10.0, 1e9]), Some(0.0), "an outlier does not count");
    }

    #[test]
    fn near_is_within_both_spreads() {
        let around = |middle: f64| Spread::of(&[middle - 1.0, middle, middle + 1.0]).unwrap();
        assert!(around(10.0).is_near(&around(12.0)));
        assert!(!around(10.0).is_near(&around(12.5)));
    }
}
