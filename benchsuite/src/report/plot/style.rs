//! The colours, markers and dashes that distinguish series.

use serde::Serialize;

/// How many series can be distinguished in a plot.
pub(in crate::report) const SERIES: usize = 10;

/// The appearance of a series.
#[derive(Serialize)]
pub(super) struct Style {
    /// The name of its colour.
    pub(super) ink: String,
    /// The number of its [`outline`].
    marker: usize,
    /// As in `stroke-dasharray`; empty: solid.
    dash: &'static str,
}

impl Style {
    /// The style for the series in this slot; `None` is `hs` with its own choices.
    pub(super) fn of(slot: Option<usize>) -> Style {
        const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "8 2.5 2 2.5", "12 4"];
        match slot {
            // Neighbours differ in their dashes, too.
            Some(slot) => Style {
                ink: format!("s{}", slot % SERIES),
                marker: slot,
                dash: DASHES[slot % DASHES.len()],
            },
            None => Style { ink: "text".to_owned(), marker: 0, dash: "" },
        }
    }
}

/// How many corners a marker has, the turn of the first, and how far from the middle those with
/// even and with odd numbers are.
const MARKERS: [(usize, f64, [f64; 2]); SERIES - 1] = [
    // Enough corners to look round.
    (16, 0.0, [1.05, 1.05]),
    (4, 0.125, [1.3, 1.3]),
    (3, 0.0, [1.4, 1.4]),
    (4, 0.0, [1.4, 1.4]),
    (3, 0.5, [1.4, 1.4]),
    (8, 0.0, [1.4, 0.5]),
    (6, 0.0, [1.25, 1.25]),
    (8, 0.125, [1.4, 0.5]),
    (10, 0.0, [1.4, 0.6]),
];

/// The outline of a shape around a point. There are ten.
pub(super) fn outline(number: usize, x: f64, y: f64, size: f64) -> String {
    let corner = |turn: f64, reach: f64| {
        let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
        format!("{:.2} {:.2}", x + sin * reach * size, y - cos * reach * size)
    };
    let corners: Vec<String> = match MARKERS.get(number % SERIES) {
        Some(&(count, first, reaches)) => (0..count)
            .map(|index| corner(first + index as f64 / count as f64, reaches[index % 2]))
            .collect(),
        // Wider than it is high.
        None => [0.18, 0.32, 0.68, 0.82].map(|turn| corner(turn, 1.35)).into(),
    };
    format!("M{}Z", corners.join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_series_share_a_marker() {
        let mut seen: Vec<String> = (0..10).map(|slot| outline(slot, 0.0, 0.0, 4.0)).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 10);
    }
}
