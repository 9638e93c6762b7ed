//! A drawing as SVG text: lines, shapes and words, and nothing that knows what they stand for.
//!
//! Nothing here has an id, so that any number of drawings can lie in one page. A colour is the name
//! of a variable, see `ink`.

use std::fmt::Write as _;

use crate::format::escape;

/// The size of ordinary letters, in units of the drawing. A page may enlarge them on a small
/// screen, by up to [`ROOM`].
pub(super) const LETTER: f64 = 11.5;

/// How much larger letters may become before they no longer fit.
pub(super) const ROOM: f64 = 1.18;

/// How long a text is at most, in units of the drawing; fonts differ.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER * ROOM * 0.56
}

/// The length of the longest of some texts.
pub(super) fn widest<'a>(texts: impl Iterator<Item = &'a String>) -> f64 {
    texts.map(|text| width(text)).fold(0.0, f64::max)
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

/// The size of a drawing.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Frame {
    /// In units of the drawing, which are pixels at its natural size.
    pub(in crate::report) width: f64,
    /// Of line charts; bars are as high as they are many.
    pub(in crate::report) height: f64,
    /// Whether the title is part of the drawing; in a page it is text beside it.
    pub(in crate::report) is_titled: bool,
}

impl Frame {
    /// A figure of the page.
    pub(in crate::report) const PAGE: Frame =
        Frame { width: 440.0, height: 300.0, is_titled: false };

    /// A picture that stands alone.
    #[cfg(feature = "png")]
    pub(in crate::report) const PICTURE: Frame =
        Frame { width: 720.0, height: 400.0, is_titled: true };

    /// The top of the drawing, below a title.
    pub(super) fn top(&self) -> f64 {
        if self.is_titled { 34.0 } else { 4.0 }
    }

    /// An empty drawing of a kind, which is its class, of this height.
    pub(super) fn draw(&self, kind: &str, height: f64, title: &str, about: &str) -> Svg {
        let mut svg = Svg::new(kind, (self.width, height), about);
        if self.is_titled {
            svg.words((14.0, 22.0), title, Words::new("text").bold());
        }
        svg
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) ink: &'static str,
    pub(super) width: f64,
    /// As in `stroke-dasharray`; empty: solid.
    pub(super) dash: &'static str,
}

impl Stroke {
    /// A solid line.
    pub(super) fn solid(ink: &'static str, width: f64) -> Stroke {
        Stroke { ink, width, dash: "" }
    }

    /// A line that shows a level.
    pub(super) fn level(ink: &'static str) -> Stroke {
        Stroke { ink, width: 1.4, dash: "6 4" }
    }
}

/// How words are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    ink: &'static str,
    /// As in `text-anchor`; empty: they begin at their position.
    anchor: &'static str,
    is_bold: bool,
    has_halo: bool,
}

impl Words {
    /// In this colour, beginning at their position.
    pub(super) fn new(ink: &'static str) -> Words {
        Words { ink, anchor: "", is_bold: false, has_halo: false }
    }

    /// Around their position.
    pub(super) fn middle(self) -> Words {
        Words { anchor: "middle", ..self }
    }

    /// Ending at their position.
    pub(super) fn end(self) -> Words {
        Words { anchor: "end", ..self }
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
}

impl Svg {
    /// An empty drawing, and what it is in words for those who cannot see it.
    pub(super) fn new(kind: &str, (width, height): (f64, f64), about: &str) -> Svg {
        let about = escape(about);
        let text = format!(
            "<svg class=\"plot {kind}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{about}\" font-family=\"sans-serif\" font-size=\"{LETTER}\">\n",
        );
        Svg { text }
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
        self.polyline(&[from, to], stroke);
    }

    /// A line along points.
    pub(super) fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let width = stroke.width.to_string();
        self.element(
            "path",
            &[
                ("d", &along(points)),
                ("fill", "none"),
                ("stroke", &paint(stroke.ink)),
                ("stroke-width", &width),
                ("stroke-dasharray", stroke.dash),
                ("stroke-linejoin", "round"),
            ],
        );
    }

    /// A shape with an edge in the colour of the ground, so that shapes over shapes stay apart.
    pub(super) fn shape(&mut self, path: &str, ink: &str) {
        let (fill, stroke) = (paint(ink), paint("card"));
        let fields = [("d", path), ("fill", &*fill), ("stroke", &*stroke), ("stroke-width", ".8")];
        self.element("path", &fields);
    }

    /// The area inside some points, so faint that others show through.
    pub(super) fn veil(&mut self, points: &[(f64, f64)], ink: &str) {
        let (path, fill) = (along(points) + "Z", paint(ink));
        let fields = [("class", "band"), ("d", &*path), ("fill", &*fill), ("fill-opacity", ".13")];
        self.element("path", &fields);
    }

    /// A rectangle from its upper left corner, with a class.
    pub(super) fn rect(&mut self, at: (f64, f64), size: (f64, f64), ink: &str, class: &str) {
        let [x, y, width, height] = [at.0, at.1, size.0, size.1].map(short);
        let fill = paint(ink);
        let place = [("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height)];
        self.element("rect", &[&[("class", class)], &place[..], &[("fill", &*fill)]].concat());
    }

    /// Words on a base line.
    pub(super) fn words(&mut self, at: (f64, f64), text: &str, words: Words) {
        let [x, y] = [at.0, at.1].map(short);
        let weight = if words.is_bold { "600" } else { "" };
        let halo = if words.has_halo {
            [&*paint("card"), "3.5", "stroke"].map(str::to_owned)
        } else {
            Default::default()
        };
        self.begin(
            "text",
            &[
                ("x", &x),
                ("y", &y),
                ("fill", &paint(words.ink)),
                ("text-anchor", words.anchor),
                ("font-weight", weight),
                ("stroke", &halo[0]),
                ("stroke-width", &halo[1]),
                ("paint-order", &halo[2]),
            ],
        );
        let _ = writeln!(self.text, ">{}</text>", escape(text));
    }

    /// An element that contains nothing, with those attributes that are not empty.
    fn element(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str("/>\n");
    }

    fn begin(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.text, "<{name}");
        for (name, value) in attributes.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(self.text, " {name}=\"{value}\"");
        }
    }

    /// The text of the drawing.
    pub(super) fn finish(self) -> String {
        self.text + "</svg>\n"
    }
}

/// The value of an attribute such as `fill`.
fn paint(ink: &str) -> String {
    format!("var(--{ink})")
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
    fn long_texts_are_cut_with_an_ellipsis() {
        assert_eq!(fit("short", 200.0), "short");
        let cut = fit("something much longer than that", 60.0);
        assert!(cut.ends_with('…') && width(&cut) <= 60.0, "{cut}");
        assert_eq!(fit("ab", 0.0), "…");
    }
}
