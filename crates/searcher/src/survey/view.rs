//! The bytes that a look has seen.

use std::sync::Arc;

use crate::mmap::Mapping;

/// A window of a file, as a look at it found it.
#[derive(Debug)]
pub(crate) struct View {
    pub(super) mapping: Arc<Mapping>,
    /// Where the window begins in the file.
    pub(super) from: u64,
    /// The look at it took few page faults.
    pub(crate) is_cheap: bool,
}

impl View {
    /// Fills `buffer` with the file's bytes from `offset` on, which must be in the window. Returns
    /// whether all exist.
    pub(crate) fn copy(&self, offset: u64, buffer: &mut [u8]) -> bool {
        self.mapping.copy((offset - self.from) as usize, buffer) == buffer.len()
    }
}
