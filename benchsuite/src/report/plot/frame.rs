//! Where a chart is drawn, and the levels it is compared with.

use super::ink::Inks;

/// A level that every figure is compared with, such as the floor.
#[derive(Clone, Debug)]
pub(in crate::report) struct Level {
    /// Its name and value: `floor 26.4 ms`.
    pub(in crate::report) label: String,
    pub(in crate::report) value: f64,
}

/// The size and colours of a drawing.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Frame {
    /// In units of the drawing, which are pixels at its natural size.
    pub(in crate::report) width: f64,
    /// Of line charts; bars are as high as they are many.
    pub(in crate::report) height: f64,
    /// Whether the title is part of the drawing; in a page it is text beside it.
    pub(in crate::report) is_titled: bool,
    /// The names of its colours.
    pub(in crate::report) inks: Inks,
}

impl Frame {
    /// A figure of the page.
    pub(in crate::report) const PAGE: Frame =
        Frame { width: 440.0, height: 300.0, is_titled: false, inks: Inks::Variables };

    /// A picture that stands alone.
    #[cfg(feature = "png")]
    pub(in crate::report) const PICTURE: Frame =
        Frame { width: 720.0, height: 400.0, is_titled: true, inks: Inks::Light };

    /// The top of the drawing, below a title.
    pub(super) fn top(&self) -> f64 {
        if self.is_titled { 34.0 } else { 4.0 }
    }
}
