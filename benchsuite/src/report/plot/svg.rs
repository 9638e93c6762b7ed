//! A drawing as SVG text: lines, shapes and words, and nothing that knows what they stand for.
//!
//! Nothing here has an id, so that any number of drawings can lie in one page.

use std::fmt::Write as _;

use super::ink::{Ink, Inks};
use crate::report::format::escape;

/// The size of ordinary letters, in units of the drawing. A page may enlarge them on a small
/// screen, by up to [`ROOM`].
pub(super) const LETTER: f64 = 11.5;

/// How much larger letters may become before they no longer fit.
pub(super) const ROOM: f64 = 1.18;

/// How long a text is at most, in units of the drawing; fonts differ.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER * ROOM * 0.56
}

/// As much of a text as fits, with an ellipsis where it was cut.
pub(super) fn fit(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let kept = (room / width("n")).floor() as usize;
    let start: String = text.chars().take(kept.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) ink: Ink,
    pub(super) width: f64,
    /// As in `stroke-dasharray`; empty: solid.
    pub(super) dash: &'static str,
}

impl Stroke {
    /// A solid line.
    pub(super) fn solid(ink: Ink, width: f64) -> Stroke {
        Stroke { ink, width, dash: "" }
    }
}

/// Which end of a text lies at its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How words are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) ink: Ink,
    pub(super) anchor: Anchor,
    pub(super) is_bold: bool,
    /// Whether what lies behind keeps a little distance.
    pub(super) has_halo: bool,
}

impl Words {
    /// In this colour, beginning at their position.
    pub(super) fn new(ink: Ink) -> Words {
        Words { ink, anchor: Anchor::Start, is_bold: false, has_halo: false }
    }

    /// Anchored elsewhere.
    pub(super) fn at(self, anchor: Anchor) -> Words {
        Words { anchor, ..self }
    }

    /// With a little distance to what lies behind.
    pub(super) fn halo(self) -> Words {
        Words { has_halo: true, ..self }
    }

    /// In bold.
    pub(super) fn bold(self) -> Words {
        Words { is_bold: true, ..self }
    }
}

/// A drawing in the making.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
    inks: Inks,
}

impl Svg {
    /// An empty drawing of a kind, which is its class, and what it is in words for those who cannot
    /// see it.
    pub(super) fn new(kind: &str, size: (f64, f64), label: &str, inks: Inks) -> Svg {
        let (width, height) = size;
        // A file needs the namespace and a size; in a page both come from where it lies.
        let alone = match inks {
            Inks::Variables => String::new(),
            Inks::Light => {
                format!(r#" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}""#)
            }
        };
        let label = escape(label);
        let text = format!(
            "<svg class=\"plot {kind}\" viewBox=\"0 0 {width} {height}\"{alone} role=\"img\" \
             aria-label=\"{label}\" font-family=\"sans-serif\" font-size=\"{LETTER}\">\n",
        );
        let mut svg = Svg { text, inks };
        if inks == Inks::Light {
            svg.rect((0.0, 0.0), (width, height), Ink::Card, "");
        }
        svg
    }

    /// Begins a group with a class and data for scripts, until [`Svg::close`].
    pub(super) fn open(&mut self, class: &str, data: &[(&str, &str)]) {
        let _ = write!(self.text, "<g class=\"{class}\"");
        for (name, value) in data {
            let _ = write!(self.text, " data-{name}=\"{}\"", escape(value));
        }
        self.text.push_str(">\n");
    }

    /// Ends the group that was begun last.
    pub(super) fn close(&mut self) {
        self.text.push_str("</g>\n");
    }

    /// The title of the group that was begun last; browsers show it under the pointer.
    pub(super) fn title(&mut self, text: &str) {
        let _ = writeln!(self.text, "<title>{}</title>", escape(text));
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let path = format!("M{} {}L{} {}", short(from.0), short(from.1), short(to.0), short(to.1));
        self.path(&path, stroke);
    }

    /// A line along points.
    pub(super) fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        self.path(&along(points), stroke);
    }

    /// A line along a path that is not filled.
    pub(super) fn path(&mut self, path: &str, stroke: Stroke) {
        let Stroke { ink, width, dash } = stroke;
        let dash =
            if dash.is_empty() { dash.into() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let _ = writeln!(
            self.text,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash} \
             stroke-linejoin=\"round\"/>",
            self.inks.paint(ink)
        );
    }

    /// A shape with an edge in the colour of the ground, so that shapes over shapes stay apart.
    pub(super) fn shape(&mut self, path: &str, ink: Ink) {
        let _ = writeln!(
            self.text,
            "<path d=\"{path}\" fill=\"{}\" stroke=\"{}\" stroke-width=\".8\"/>",
            self.inks.paint(ink),
            self.inks.paint(Ink::Card),
        );
    }

    /// The area inside some points, so faint that others show through.
    pub(super) fn veil(&mut self, points: &[(f64, f64)], ink: Ink) {
        let _ = writeln!(
            self.text,
            "<path class=\"band\" d=\"{}Z\" fill=\"{}\" fill-opacity=\".13\"/>",
            along(points),
            self.inks.paint(ink)
        );
    }

    /// A rectangle from its upper left corner, with a class, which may be empty.
    pub(super) fn rect(&mut self, at: (f64, f64), size: (f64, f64), ink: Ink, class: &str) {
        let class = if class.is_empty() { class.into() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(
            self.text,
            "<rect{class} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            short(at.0),
            short(at.1),
            short(size.0),
            short(size.1),
            self.inks.paint(ink)
        );
    }

    /// Words on a base line.
    pub(super) fn words(&mut self, at: (f64, f64), text: &str, words: Words) {
        let anchor = match words.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if words.is_bold { " font-weight=\"600\"" } else { "" };
        let halo = if words.has_halo {
            let ground = self.inks.paint(Ink::Card);
            format!(" stroke=\"{ground}\" stroke-width=\"3.5\" paint-order=\"stroke\"")
        } else {
            String::new()
        };
        let _ = writeln!(
            self.text,
            "<text x=\"{}\" y=\"{}\" fill=\"{}\"{anchor}{weight}{halo}>{}</text>",
            short(at.0),
            short(at.1),
            self.inks.paint(words.ink),
            escape(text)
        );
    }

    /// The text of the drawing.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// A coordinate with as many digits as can be seen.
pub(super) fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn along(points: &[(f64, f64)]) -> String {
    let points: Vec<String> =
        points.iter().map(|(x, y)| format!("{} {}", short(*x), short(*y))).collect();
    format!("M{}", points.join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_escaped() {
        let mut svg = Svg::new("test", (10.0, 20.0), "a \"b\" <c>", Inks::Variables);
        svg.open("series", &[("name", "x\" onload=\"y")]);
        svg.title("<script>");
        svg.words((1.0, 2.04), "a & b", Words::new(Ink::Text).at(Anchor::End).bold());
        svg.close();
        let text = svg.finish();
        assert!(text.contains("aria-label=\"a &quot;b&quot; &lt;c&gt;\""), "{text}");
        assert!(text.contains("data-name=\"x&quot; onload=&quot;y\""), "{text}");
        assert!(text.contains("<title>&lt;script&gt;</title>"), "{text}");
        assert!(text.contains("y=\"2\" fill=\"var(--text)\" text-anchor=\"end\""), "{text}");
        assert!(text.contains(">a &amp; b</text>"), "{text}");
    }

    #[test]
    fn long_texts_are_cut_with_an_ellipsis() {
        assert_eq!(fit("short", 200.0), "short");
        let cut = fit("something much longer than that", 60.0);
        assert!(cut.ends_with('…') && width(&cut) <= 60.0, "{cut}");
        assert_eq!(fit("ab", 0.0), "…");
    }
}
