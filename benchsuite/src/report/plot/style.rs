//! The colours, markers and dashes that distinguish series.

use super::ink::{Ink, SERIES};

/// The appearance of a series.
pub(super) struct Style {
    pub(super) ink: Ink,
    pub(super) marker: usize,
    pub(super) dash: &'static str,
}

impl Style {
    /// Of the series in this slot; `None` is `hs` with its own choices.
    pub(super) fn of(slot: Option<usize>) -> Style {
        const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "8 2.5 2 2.5", "12 4"];
        match slot {
            // Neighbours differ in their dashes, too.
            Some(slot) => {
                Style { ink: Ink::Series(slot), marker: slot, dash: DASHES[slot % DASHES.len()] }
            }
            None => Style { ink: Ink::Text, marker: 0, dash: "" },
        }
    }
}

/// The outline of one of ten shapes around a point.
pub(super) fn marker(number: usize, x: f64, y: f64, size: f64) -> String {
    let corners = |angles: &[(f64, f64)]| {
        let corners: Vec<String> = angles
            .iter()
            .map(|(turn, reach)| {
                let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
                let (x, y) = (x + sin * reach * size, y - cos * reach * size);
                format!("{x:.2} {y:.2}")
            })
            .collect();
        format!("M{}Z", corners.join("L"))
    };
    let even = |count: usize, first: f64, reach: f64| {
        let angle = |index: usize| (first + index as f64 / count as f64, reach);
        corners(&(0..count).map(angle).collect::<Vec<_>>())
    };
    let star = |count: usize, first: f64, inner: f64| {
        let angle = |index: usize| {
            let reach = if index.is_multiple_of(2) { 1.4 } else { inner };
            (first + index as f64 / (2 * count) as f64, reach)
        };
        corners(&(0..2 * count).map(angle).collect::<Vec<_>>())
    };
    match number % SERIES {
        // Enough corners to look round.
        0 => even(16, 0.0, 1.05),
        1 => even(4, 0.125, 1.3),
        2 => even(3, 0.0, 1.4),
        3 => even(4, 0.0, 1.4),
        4 => even(3, 0.5, 1.4),
        5 => star(4, 0.0, 0.5),
        6 => even(6, 0.0, 1.25),
        7 => star(4, 0.125, 0.5),
        8 => star(5, 0.0, 0.6),
        _ => corners(&[(0.18, 1.35), (0.32, 1.35), (0.68, 1.35), (0.82, 1.35)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_series_share_a_marker() {
        let mut seen: Vec<String> = (0..10).map(|slot| marker(slot, 0.0, 0.0, 4.0)).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 10);
    }
}
