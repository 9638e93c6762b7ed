//! The colours of the report, by what they are for, in a light and a dark version.
//!
//! The page names them as CSS variables, so that one drawing serves both schemes; a picture that is
//! made of a drawing cannot read CSS and gets the light ones. The ten colours of series are chosen
//! so that neighbours differ in lightness as well as in hue, starting from the palettes for
//! colour-blind readers by Okabe and Ito (2008) and by Paul Tol ("muted", 2021); no series is
//! distinguished by its colour alone. Each has a contrast of at least 3 : 1 with its background,
//! text one of 4.5 : 1.

use std::fmt::Write as _;

/// How many series can be distinguished in a plot.
pub(crate) const SERIES: usize = 10;

/// A colour by its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// One of [`SERIES`] lines; higher numbers begin anew.
    Series(usize),
    /// Behind everything.
    Page,
    /// Behind figures and tables.
    Card,
    /// Text.
    Text,
    /// Secondary text.
    Muted,
    /// Lines that help to read a value.
    Grid,
    /// Axes and whiskers.
    Axis,
    /// The region with more threads than cores.
    Shade,
    /// The bars of other programs.
    Rival,
    /// The bars of `hs`, links, what can be clicked.
    Accent,
    /// The floor.
    Floor,
    /// Faults.
    Bad,
}

const LINES: [(&str, &str, &str); SERIES] = [
    ("s0", "#0068a8", "#5aaeea"),
    ("s1", "#cc5500", "#ff9650"),
    ("s2", "#00835f", "#35c79b"),
    ("s3", "#a8488a", "#e79acb"),
    ("s4", "#2b8fcc", "#a3d9fb"),
    ("s5", "#9a6a00", "#f0bd3e"),
    ("s6", "#4a3fa5", "#a99ff7"),
    ("s7", "#8a1f45", "#e06c8d"),
    ("s8", "#66701a", "#c6cf62"),
    ("s9", "#6b6b6b", "#bdbdbd"),
];

const OTHERS: [Ink; 11] = [
    Ink::Page,
    Ink::Card,
    Ink::Text,
    Ink::Muted,
    Ink::Grid,
    Ink::Axis,
    Ink::Shade,
    Ink::Rival,
    Ink::Accent,
    Ink::Floor,
    Ink::Bad,
];

impl Ink {
    /// Its name in CSS, and what it is by light and in the dark.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Ink::Series(slot) => LINES[slot % SERIES],
            Ink::Page => ("page", "#f6f7f8", "#121417"),
            Ink::Card => ("card", "#ffffff", "#1a1d21"),
            Ink::Text => ("text", "#1a1e23", "#e8eaed"),
            Ink::Muted => ("muted", "#59626d", "#a2abb6"),
            Ink::Grid => ("grid", "#e4e7eb", "#2d3239"),
            Ink::Axis => ("axis", "#78818c", "#7f8995"),
            Ink::Shade => ("shade", "#f4f0e6", "#25231d"),
            Ink::Rival => ("rival", "#8e99a6", "#717d8b"),
            Ink::Accent => ("accent", "#0068a8", "#5aaeea"),
            Ink::Floor => ("floor", "#b3261e", "#ff8a80"),
            Ink::Bad => ("bad", "#b3261e", "#ff8a80"),
        }
    }
}

/// How a drawing names its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inks {
    /// As variables of CSS.
    Variables,
    /// As they are by light.
    Light,
}

impl Inks {
    /// The value of an attribute such as `fill`.
    pub(crate) fn paint(self, ink: Ink) -> String {
        let (name, light, _) = ink.row();
        match self {
            Inks::Variables => format!("var(--{name})"),
            Inks::Light => light.to_owned(),
        }
    }
}

/// Declarations of every variable: those by light, or those in the dark.
pub(crate) fn declarations(is_dark: bool) -> String {
    let mut css = String::new();
    for ink in (0..SERIES).map(Ink::Series).chain(OTHERS) {
        let (name, light, dark) = ink.row();
        let _ = write!(css, "--{name}:{};", if is_dark { dark } else { light });
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours as the Web Content Accessibility Guidelines 2 define it.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |at: usize| {
                let byte = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
                let part = f64::from(byte) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn everything_can_be_seen_in_both_schemes() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        let lines = (0..SERIES).map(|slot| (Ink::Series(slot), 3.0));
        let texts = [(Ink::Text, 4.5), (Ink::Muted, 4.5), (Ink::Bad, 4.5), (Ink::Accent, 4.5)];
        for (ink, least) in lines.chain(texts).chain([(Ink::Floor, 3.0), (Ink::Axis, 3.0)]) {
            for ground in [Ink::Page, Ink::Card, Ink::Shade] {
                let ((name, light, dark), ground) = (ink.row(), ground.row());
                assert!(contrast(light, ground.1) >= least, "{name} by light on {}", ground.0);
                assert!(contrast(dark, ground.2) >= least, "{name} in the dark on {}", ground.0);
            }
        }
    }

    #[test]
    fn the_page_declares_what_drawings_name() {
        let css = declarations(true);
        for ink in (0..SERIES).map(Ink::Series).chain(OTHERS) {
            let used = Inks::Variables.paint(ink);
            let name = used.strip_prefix("var(").and_then(|name| name.strip_suffix(')')).unwrap();
            assert!(css.contains(&format!("{name}:#")), "{name}");
        }
        assert_ne!(css, declarations(false));
    }
}
