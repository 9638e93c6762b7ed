//! Buffers aligned so that the kernel copies files into them fast.
//!
//! Reads begin at the start of a page in the file. If the destination differs from that by a few
//! bytes modulo 4096, the processor assumes that each load in the copy depends on the store before
//! it: 100 ms for 1.18 GB into a buffer aligned to 64 bytes, 162 ms 16 bytes further, 390 ms one
//! byte further. See docs/decisions/0040-aligned-read-buffers.md.

use std::ops::{Deref, DerefMut};

/// The length of a cache line, in bytes.
pub(crate) const CACHE_LINE_BYTES: usize = 64;

/// Bytes that begin at a multiple of [`CACHE_LINE_BYTES`].
#[derive(Debug, Default)]
pub(crate) struct AlignedBytes {
    /// Never grown in place, which would move the bytes.
    bytes: Vec<u8>,
    /// The index of the first byte in it.
    front: usize,
    len: usize,
}

impl AlignedBytes {
    /// `len` zeros. Their pages are not touched before they are written to.
    fn zeroed(len: usize) -> AlignedBytes {
        let bytes = vec![0; len + CACHE_LINE_BYTES];
        let front = bytes.as_ptr().align_offset(CACHE_LINE_BYTES).min(CACHE_LINE_BYTES);
        AlignedBytes { bytes, front, len }
    }

    /// Grows to `len` bytes if it is shorter, keeping its contents.
    pub(crate) fn grow(&mut self, len: usize) {
        if self.len() < len {
            let mut grown = AlignedBytes::zeroed(len);
            grown[..self.len()].copy_from_slice(self);
            *self = grown;
        }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.front..][..self.len]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.front..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_begin_at_a_line_and_stay_when_they_grow() {
        let mut bytes = AlignedBytes::default();
        assert!(bytes.is_empty());
        for len in [1, 100, 128 << 10] {
            bytes.grow(len);
            assert_eq!((bytes.len(), bytes.as_ptr().addr() % CACHE_LINE_BYTES), (len, 0));
            bytes[len - 1] = 7;
        }
        assert_eq!((bytes[0], bytes[99], bytes[100]), (7, 7, 0));
    }
}
