//! Whether a file is still the one that was read or written.

/// What identifies the contents of a file, as far as the system states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) len: u64,
    /// When the contents were written, in seconds, and the nanoseconds beyond them.
    pub(crate) written: (i64, i64),
    /// When anything about the file has changed last.
    pub(crate) changed: (i64, i64),
}

impl Stamp {
    /// This stamp without what a rename changes.
    pub(crate) fn without_change(self) -> Stamp {
        Stamp { changed: (0, 0), ..self }
    }
}
