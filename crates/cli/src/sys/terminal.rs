//! The size of a terminal.

/// The size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl TerminalSize {
    /// The size, unless the terminal does not know it.
    pub(super) fn new(rows: usize, columns: usize) -> Option<TerminalSize> {
        (rows > 0 && columns > 0).then_some(TerminalSize { rows, columns })
    }
}
