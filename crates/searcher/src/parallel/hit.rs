//! What is found in a chunk.

/// A matching line of a chunk or, in an inverted search, several successive ones; if matches may
/// span lines, a match that begins in the chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Where the hit starts, relative to the chunk's lines; `end` is where it ends.
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many terminators come before it in the chunk, if lines are numbered.
    pub(super) lines_before: u32,
}
