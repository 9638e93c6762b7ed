//! Bits for the bytes in a piece of text.

use std::ops::{Index, IndexMut};

/// Bytes that have a bit in a word.
pub(crate) const BITS: usize = u64::BITS as usize;
/// How many words a piece has at most. All operations' results are to stay in the first-level
/// cache.
pub(super) const PIECE_WORDS: usize = 64;
/// Bytes of a piece at most.
pub(super) const PIECE_BYTES: usize = PIECE_WORDS * BITS;

/// A bit for each byte in a piece of text, or for the place before it.
pub(super) type Bitmap = [u64; PIECE_WORDS];

/// What each operation has computed: scratch space.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    pub(super) bitmaps: Vec<Bitmap>,
    /// The bits that each operation moves beyond the last word, into the next piece of a line that
    /// is longer than a piece. The lowest is for the next piece's first place.
    pub(super) carries: Vec<u64>,
}

impl Index<usize> for Results {
    type Output = Bitmap;

    fn index(&self, id: usize) -> &Bitmap {
        &self.bitmaps[id]
    }
}

impl IndexMut<usize> for Results {
    fn index_mut(&mut self, id: usize) -> &mut Bitmap {
        &mut self.bitmaps[id]
    }
}

/// Bytes that belong to one word of bits.
pub(super) type Block = [u8; BITS];
