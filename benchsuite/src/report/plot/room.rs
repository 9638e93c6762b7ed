//! The size of a drawing, and how much room its texts take.

/// The size of a drawing, in units that are pixels at its natural size.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Frame<'a> {
    pub(in crate::report) width: f64,
    /// How high line charts are; others are as high as they have lines.
    pub(in crate::report) height: f64,
    /// The font of a picture that stands alone, with its title; in a page the title is text beside
    /// the drawing.
    pub(in crate::report) font: Option<&'a str>,
    /// What a picture shows.
    pub(in crate::report) of: &'a str,
}

impl Frame<'_> {
    /// A figure of the page.
    pub(in crate::report) const PAGE_FRAME: Frame<'static> =
        Frame { width: 440.0, height: 300.0, font: None, of: "" };

    /// The top of the drawing, below a title.
    pub(super) fn top(&self) -> f64 {
        if self.font.is_some() { 34.0 } else { 4.0 }
    }
}

/// How large ordinary letters are, in the drawing's units. A page may enlarge them on a small
/// screen, by up to [`ROOM`].
pub(super) const LETTER: f64 = 11.5;

/// How much larger letters may become before they no longer fit.
pub(super) const ROOM: f64 = 1.18;

/// How long a text is at most, in units of the drawing; fonts differ.
pub(super) fn width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER * ROOM * 0.56
}

/// How long the longest text is.
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
