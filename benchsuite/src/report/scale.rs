//! From a figure to a place in a drawing, and which figures to write on an axis.

use minijinja::{Value, context};

use crate::format::Unit;

/// How long a label is at most, in units of the drawing; fonts differ.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * 8.2
}

/// An axis.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The figures at its ends, as `map` maps them.
    low: f64,
    high: f64,
    map: fn(f64) -> f64,
    /// The places of its ends in the drawing.
    start: f64,
    end: f64,
    /// Figures that are written on it, and how.
    pub(super) ticks: Vec<(f64, String)>,
    /// The unit of the figures on the axis.
    name: &'static str,
}

impl Scale {
    fn of(low: f64, high: f64, map: fn(f64) -> f64, ticks: Vec<(f64, String)>) -> Scale {
        Scale { low: map(low), high: map(high), map, start: 0.0, end: 1.0, ticks, name: "" }
    }

    /// From 0 to `largest`, with about `count` ticks, at 1, 2 or 5 times a power of ten in the
    /// unit.
    pub(super) fn linear(largest: f64, count: usize, unit: Unit) -> Scale {
        let (divisor, name) = unit.of(largest);
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { divisor };
        let rough = largest / divisor / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * power)
            .into_iter()
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(10.0 * power);
        let steps = (largest / divisor / step + 1e-9).floor();
        // As many as distinguish ticks this far apart.
        let decimals = (-(step * 1.001).log10().floor()).clamp(0.0, 6.0) as usize;
        let tick = |index: usize| {
            let value = index as f64 * step * divisor;
            (value, unit.tick(value, divisor, decimals))
        };
        let ticks = (0..=steps as usize).map(tick).collect();
        Scale { name, ..Scale::of(0.0, largest, |figure| figure.max(0.0), ticks) }
    }

    /// For counts from 0 to `largest` that differ by orders of magnitude: their logarithm after 1
    /// is added, so that zero has a place, too.
    pub(super) fn counts(largest: f64) -> Scale {
        let powers = largest.max(1.0).log10().ceil().max(1.0);
        // Where there are many powers, 1 is too near to 0 for a label of its own.
        let first = i32::from(powers > 2.0);
        let powers_of_ten = (first..=powers as i32).map(|power| 10f64.powi(power));
        let ticks = [0.0].into_iter().chain(powers_of_ten);
        let ticks = ticks.map(|tick| (tick, Unit::Count.show(tick))).collect();
        let map = |count: f64| (1.0 + count.max(0.0)).log10();
        Scale { name: "logarithmic", ..Scale::of(0.0, 10f64.powf(powers), map, ticks) }
    }

    /// For these numbers of threads, in order, where every doubling is as wide as every other.
    pub(super) fn doublings(threads: &[usize]) -> Scale {
        let end = |threads: Option<&usize>| threads.copied().unwrap_or(1).max(1) as f64;
        let ticks = threads.iter().map(|threads| (*threads as f64, threads.to_string())).collect();
        Scale::of(end(threads.first()), end(threads.last()), f64::log2, ticks)
    }

    /// Places the scale between `start` and `end` in a drawing.
    pub(super) fn between(self, start: f64, end: f64) -> Scale {
        Scale { start, end, ..self }
    }

    /// The place of a figure. If there is only one figure, it is in the middle.
    pub(super) fn at(&self, figure: f64) -> f64 {
        let part = if self.high > self.low {
            ((self.map)(figure) - self.low) / (self.high - self.low)
        } else {
            0.5
        };
        self.start + part * (self.end - self.start)
    }

    /// What a template draws: the axis's ends, the place of any figure, and the ticks that fit
    /// where they are written in a row beside one another.
    pub(super) fn marks(&self) -> Value {
        let mut free = f64::NEG_INFINITY;
        let ticks = self.ticks.iter().map(|(figure, label)| {
            let (at, half) = (self.at(*figure), width(label) / 2.0);
            let fits = at - half > free;
            if fits {
                free = at + half + 2.0;
            }
            context! { figure, label, at, fits }
        });
        let ticks: Value = ticks.collect();
        let (start, end, name, scale) = (self.start, self.end, self.name, self.clone());
        let at = Value::from_function(move |figure: f64| scale.at(figure));
        context! { start, end, name, at, ticks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_begin_at_zero() {
        let linear = |largest: f64, count, unit| Scale::linear(largest, count, unit);
        assert_eq!(labels(&linear(0.057, 5, Unit::Time)), ["0", "20", "40"]);
        let sixty = linear(60.0, 6, Unit::Count);
        assert_eq!(labels(&sixty), ["0", "10", "20", "30", "40", "50", "60"]);
        assert_eq!(labels(&linear(0.0042, 5, Unit::Time)), ["0", "1", "2", "3", "4"]);
        assert_eq!(labels(&linear(2.1, 4, Unit::Count)), ["0", "1", "2"]);
        assert_eq!(labels(&linear(1.1, 5, Unit::Time)), ["0.0", "0.5", "1.0"]);
        let kib = linear(7.5 * 1024.0, 4, Unit::Memory);
        assert_eq!(labels(&kib), ["0", "2", "4", "6"], "round in the unit that is shown");
        assert!(linear(f64::NAN, 5, Unit::Time).ticks.len() > 1, "an empty axis is an axis");
        assert!(linear(0.0, 5, Unit::Time).ticks.len() > 1);
        assert!((sixty.between(10.0, 20.0).at(30.0) - 15.0).abs() < 1e-12);
    }

    #[test]
    fn a_logarithmic_axis_has_a_place_for_zero() {
        let scale = Scale::counts(271_000.0);
        assert_eq!(labels(&scale), ["0", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]);
        assert_eq!((scale.at(0.0), scale.at(1e6)), (0.0, 1.0));
        assert!(scale.at(10.0) > scale.at(1.0));
        assert_eq!(labels(&Scale::counts(0.0)), ["0", "1", "10"]);
    }

    #[test]
    fn doublings_are_equally_wide() {
        let axis = Scale::doublings(&[1, 2, 4, 16]);
        assert_eq!([1.0, 2.0, 4.0, 16.0].map(|n| axis.at(n)), [0.0, 0.25, 0.5, 1.0]);
        assert_eq!(Scale::doublings(&[8]).at(8.0), 0.5);
        assert_eq!(Scale::doublings(&[]).at(1.0), 0.5);
    }
}
