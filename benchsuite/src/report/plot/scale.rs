//! From a figure to a place in a drawing, and which figures to write on an axis.

/// An axis that begins at zero.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The largest figure there is room for.
    pub(super) max: f64,
    /// What to write on it: all multiples of a step up to `max`, or powers of ten.
    pub(super) ticks: Vec<f64>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Linear,
    /// The logarithm of 1 + the figure: zero has a place, too.
    Log,
}

impl Scale {
    /// For figures up to `largest`, with about `count` ticks: 1, 2 or 5 times a power of ten of a
    /// unit, which is given by what it is in figures.
    pub(super) fn linear(largest: f64, count: usize, unit: f64) -> Scale {
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { unit };
        let rough = largest / unit / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * power)
            .into_iter()
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(10.0 * power);
        let steps = (largest / unit / step + 1e-9).floor();
        let ticks = (0..=steps as usize).map(|index| index as f64 * step * unit).collect();
        Scale { max: largest, ticks, kind: Kind::Linear }
    }

    /// For counts from 0 to `largest` that differ by orders of magnitude.
    pub(super) fn log(largest: f64) -> Scale {
        let powers = largest.max(1.0).log10().ceil().max(1.0);
        let mut ticks = vec![0.0];
        // Where there are many powers, 1 is too near to 0 for a label of its own.
        let first = i32::from(powers > 2.0);
        ticks.extend((first..=powers as i32).map(|power| 10f64.powi(power)));
        Scale { max: 10f64.powf(powers), ticks, kind: Kind::Log }
    }

    /// Whether it is logarithmic.
    pub(super) fn is_log(&self) -> bool {
        self.kind == Kind::Log
    }

    /// The position of a figure, from 0 to 1.
    pub(super) fn place(&self, figure: f64) -> f64 {
        let figure = figure.max(0.0);
        match self.kind {
            Kind::Linear => figure / self.max,
            Kind::Log => (1.0 + figure).log10() / (1.0 + self.max).log10(),
        }
    }

    /// How many decimals distinguish its ticks.
    pub(super) fn decimals(&self, unit: f64) -> usize {
        let step = self.ticks.get(1).map_or(1.0, |tick| tick / unit);
        (0..6)
            .find(|digits| {
                let shifted = step * 10f64.powi(*digits);
                (shifted - shifted.round()).abs() < 1e-6 * shifted.max(1.0)
            })
            .unwrap_or(6) as usize
    }
}

/// Numbers of threads along an axis where every doubling is as wide as every other.
#[derive(Clone, Debug)]
pub(super) struct Doublings {
    least: f64,
    most: f64,
}

impl Doublings {
    /// For these numbers.
    pub(super) fn of(threads: &[usize]) -> Doublings {
        let log = |threads: Option<&usize>| (threads.copied().unwrap_or(1).max(1) as f64).log2();
        Doublings { least: log(threads.iter().min()), most: log(threads.iter().max()) }
    }

    /// The position of a number, from 0 to 1; that of a single number is the middle.
    pub(super) fn place(&self, threads: f64) -> f64 {
        if self.most > self.least {
            (threads.log2() - self.least) / (self.most - self.least)
        } else {
            0.5
        }
    }
}

/// Moves places apart that are closer than `distance`, as little as will do, between `low` and
/// `high` if there is room. They come back in the order they were given.
///
/// Neighbours that would overlap form a block around their mean, and blocks that would overlap a
/// larger one: the "pool adjacent violators" of isotonic regression.
pub(super) fn apart(places: &[f64], distance: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|one, other| places[*one].total_cmp(&places[*other]));
    // Each block: the sum of where its members would begin it, and how many they are.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, index) in order.iter().enumerate() {
        let mut block = (places[*index] - rank as f64 * distance, 1);
        while let Some(&(sum, count)) = blocks.last() {
            if sum / count as f64 <= block.0 / block.1 as f64 {
                break;
            }
            block = (block.0 + sum, block.1 + count);
            blocks.pop();
        }
        blocks.push(block);
    }
    let span = places.len().saturating_sub(1) as f64 * distance;
    let last = (high - span).max(low);
    let starts = blocks.iter().flat_map(|&(sum, count)| vec![sum / count as f64; count]);
    let mut moved = vec![0.0; places.len()];
    for ((rank, index), start) in order.iter().enumerate().zip(starts) {
        moved[*index] = start.clamp(low, last) + rank as f64 * distance;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_begin_at_zero() {
        assert_eq!(Scale::linear(57.0, 5, 1.0).ticks, [0.0, 20.0, 40.0]);
        assert_eq!(Scale::linear(60.0, 6, 1.0).ticks, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        let small = Scale::linear(0.0042, 5, 1e-3);
        assert_eq!((small.ticks.len(), small.decimals(1.0), small.decimals(1e-3)), (5, 3, 0));
        let bytes = Scale::linear(7.5 * 1024.0, 4, 1024.0);
        assert_eq!(bytes.ticks, [0.0, 2048.0, 4096.0, 6144.0], "round in the unit that is shown");
        assert!(Scale::linear(f64::NAN, 5, 1.0).ticks.len() > 1, "an empty axis is an axis");
        assert!(Scale::linear(0.0, 5, 1.0).ticks.len() > 1);
        assert!((Scale::linear(60.0, 6, 1.0).place(30.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_logarithmic_axis_has_a_place_for_zero() {
        let scale = Scale::log(271_000.0);
        assert_eq!(scale.ticks.first(), Some(&0.0));
        assert_eq!(scale.ticks.last(), Some(&1e6));
        assert_eq!((scale.place(0.0), scale.place(1e6)), (0.0, 1.0));
        assert!(scale.place(10.0) > scale.place(1.0));
        assert_eq!(Scale::log(0.0).ticks, [0.0, 1.0, 10.0]);
    }

    #[test]
    fn doublings_are_equally_wide() {
        let axis = Doublings::of(&[4, 1, 2, 16]);
        assert_eq!([1.0, 2.0, 4.0, 16.0].map(|n| axis.place(n)), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!(Doublings::of(&[8]).place(8.0), 0.5);
        assert_eq!(Doublings::of(&[]).place(1.0), 0.5);
    }

    #[test]
    fn labels_do_not_overlap() {
        assert_eq!(apart(&[50.0, 10.0], 10.0, 0.0, 100.0), [50.0, 10.0]);
        assert_eq!(apart(&[50.0, 51.0, 52.0], 10.0, 0.0, 100.0), [41.0, 51.0, 61.0]);
        assert_eq!(apart(&[95.0, 96.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
        assert_eq!(apart(&[3.0, 2.0, 1.0], 10.0, 0.0, 100.0), [20.0, 10.0, 0.0]);
        assert_eq!(apart(&[9.0, 9.0, 60.0, 60.0], 10.0, 0.0, 100.0), [4.0, 14.0, 55.0, 65.0]);
        assert_eq!(apart(&[], 10.0, 0.0, 100.0), [0.0; 0]);
    }
}
