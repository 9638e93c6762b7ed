//! What is found in a chunk.

/// A matching line of a chunk or, in an inverted search, several successive ones; if matches may
/// span lines, a match that begins in the chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Its bounds, relative to the chunk's lines.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of terminators of the chunk before it, if lines are numbered.
    pub(super) lines_before: u32,
}
