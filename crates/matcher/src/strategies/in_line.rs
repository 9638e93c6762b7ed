//! The result of searching one line of ASCII text.

/// What is found in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InLine {
    /// A match ends here.
    Match(usize),
    NoMatch,
    /// Not all of the line is ASCII.
    NotAscii,
}

impl InLine {
    /// The place where a match ends.
    pub(crate) fn place(self) -> Option<usize> {
        match self {
            InLine::Match(place) => Some(place),
            InLine::NoMatch | InLine::NotAscii => None,
        }
    }
}
