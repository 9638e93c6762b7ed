//! Bits for the bytes of a piece of text.

/// Bytes that have a bit in a word.
pub(crate) const BITS: usize = u64::BITS as usize;
/// Words of a piece at most. The results of all operations are to stay in the first-level cache.
pub(super) const WORDS: usize = 64;
/// Bytes of a piece at most.
pub(super) const PIECE: usize = WORDS * BITS;

/// A bit for each byte of a piece of text, or for the place before it.
pub(super) type Bitmap = [u64; WORDS];

/// The bitmap of each operation: scratch space.
pub(super) type Results = Vec<Bitmap>;

/// Bytes that belong to one word of bits.
pub(super) type Block = [u8; BITS];
