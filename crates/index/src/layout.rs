//! How a segment is laid out.
//!
//! ```text
//! lists · dictionary · buckets · files · slots · blocks · starts · marks
//!                                                           pages with checksums
//! checksums of the pages
//! trailer
//! ```
//!
//! | part | contents |
//! |---|---|
//! | lists | for each gram in two blocks or more, its blocks |
//! | dictionary | a [`GramEntry`] per gram, sorted |
//! | buckets | for each [bucket](bucket_of) of grams, the first entry and the first list |
//! | files | a [`FileRecord`] each, in the order of their blocks |
//! | slots | a hash table of inodes: the number of a file, plus 1 |
//! | blocks | a [`Block`] each |
//! | starts | a bit for each file and each block, see `file_starts.rs` |
//! | marks | for each [`Mark`], a bit for each file |
//!
//! Numbers are little-endian.

use std::ops::Range;

use crate::{
    blocks::Block,
    error::Error,
    gram::{FREQUENT_GRAMS, GRAMS, Gram},
    numbers::{u32_at, u64_at},
    stamp::Stamp,
    trailer::FileFormat,
};

/// The format that segments have.
pub(crate) const SEGMENT: FileFormat<8> = FileFormat { magic: *b"heistidx", version: 2 };

/// How many of its bits find a gram in its bucket.
pub(crate) const LOW_BITS: u32 = 12;
/// How many buckets frequent grams have, with 64 in each.
const FREQUENT_BUCKETS: u32 = FREQUENT_GRAMS >> 6;
/// How many buckets the dictionary has.
pub(crate) const BUCKETS: u32 = FREQUENT_BUCKETS + ((GRAMS as u32 - FREQUENT_GRAMS) >> LOW_BITS);

/// The bucket of a gram. Frequent grams have smaller ones, since more grams there exist.
pub(crate) fn bucket_of(gram: Gram) -> u32 {
    match gram.number() {
        number @ ..FREQUENT_GRAMS => number >> 6,
        number => FREQUENT_BUCKETS + ((number - FREQUENT_GRAMS) >> LOW_BITS),
    }
}

/// The gram with these last bits in a bucket.
pub(crate) fn gram_in(bucket: u32, low: u16) -> Gram {
    let low = u32::from(low);
    Gram::from_number(match bucket.checked_sub(FREQUENT_BUCKETS) {
        None => bucket << 6 | low & 63,
        Some(bucket) => FREQUENT_GRAMS + (bucket << LOW_BITS | low),
    })
}

/// Where a segment's parts are.
#[derive(Clone, Debug)]
pub(crate) struct SegmentParts {
    pub(crate) lists: Range<u64>,
    pub(crate) dictionary: Range<u64>,
    pub(crate) buckets: Range<u64>,
    pub(crate) files: Range<u64>,
    pub(crate) slots: Range<u64>,
    pub(crate) blocks: Range<u64>,
    pub(crate) starts: Range<u64>,
    pub(crate) marks: Range<u64>,
}

impl From<[Range<u64>; 8]> for SegmentParts {
    fn from(parts: [Range<u64>; 8]) -> SegmentParts {
        let [lists, dictionary, buckets, files, slots, blocks, starts, marks] = parts;
        SegmentParts { lists, dictionary, buckets, files, slots, blocks, starts, marks }
    }
}

impl From<SegmentParts> for [Range<u64>; 8] {
    fn from(parts: SegmentParts) -> [Range<u64>; 8] {
        let SegmentParts { lists, dictionary, buckets, files, slots, blocks, starts, marks } =
            parts;
        [lists, dictionary, buckets, files, slots, blocks, starts, marks]
    }
}

/// Where the list of a gram's blocks is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListPlace {
    /// The gram is in this one block.
    Single(u32),
    /// The gram has a list of gaps, which begins at this offset.
    Gaps(u64),
    /// The gram has a list with a bit for each block, which begins at this offset.
    Bits(u64),
}

/// The entry of a gram in the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GramEntry {
    /// The gram's last bits; its bucket has the others.
    pub(crate) low: u16,
    pub(crate) place: ListPlace,
}

impl GramEntry {
    pub(crate) const ENCODED_LEN: usize = 8;

    pub(crate) fn new(gram: Gram, place: ListPlace) -> GramEntry {
        GramEntry { low: gram.number() as u16 & ((1 << LOW_BITS) - 1), place }
    }

    pub(crate) fn to_bytes(self) -> [u8; GramEntry::ENCODED_LEN] {
        let (kind, at) = match self.place {
            ListPlace::Single(block) => (0, u64::from(block)),
            ListPlace::Gaps(offset) => (1, offset),
            ListPlace::Bits(offset) => (2, offset),
        };
        let [a, b] = (kind << LOW_BITS | self.low).to_le_bytes();
        let [c, d, e, f, g, h, ..] = at.to_le_bytes();
        [a, b, c, d, e, f, g, h]
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<GramEntry, Error> {
        let both = u16::from_le_bytes([bytes[0], bytes[1]]);
        let at = u64_at(bytes, 0) >> 16;
        let place = match both >> LOW_BITS {
            0 => ListPlace::Single(at as u32),
            1 => ListPlace::Gaps(at),
            2 => ListPlace::Bits(at),
            _ => return Err(Error::Damaged("the kind of a list")),
        };
        Ok(GramEntry { low: both & ((1 << LOW_BITS) - 1), place })
    }

    /// Where its list begins, if it has one.
    pub(crate) fn offset(&self) -> Option<u64> {
        match self.place {
            ListPlace::Single(_) => None,
            ListPlace::Gaps(offset) | ListPlace::Bits(offset) => Some(offset),
        }
    }
}

/// A file that is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRecord {
    pub(crate) stamp: Stamp,
    /// The file's first block. Its blocks end where the next file's begin.
    pub(crate) first_block: u32,
    pub(crate) flags: u32,
}

impl FileRecord {
    pub(crate) const ENCODED_LEN: usize = 48;
    /// The file holds the Kelvin sign or the long s.
    pub(crate) const RARE_FOLDS: u32 = 1;
    /// No file: its blocks come from one that changed while it was read.
    pub(crate) const NO_FILE: u32 = 2;
    /// The file contains a NUL byte, or begins with a byte order mark.
    pub(crate) const SPECIAL: u32 = 4;
    /// The file was changed less than a minute before it was read.
    pub(crate) const CHANGED_RECENTLY: u32 = 8;
    /// A NUL byte is among its first 64 KiB, and no line end among its first three bytes.
    pub(crate) const EARLY_NUL: u32 = 16;

    pub(crate) fn to_bytes(self) -> [u8; FileRecord::ENCODED_LEN] {
        let mut bytes = [0; FileRecord::ENCODED_LEN];
        bytes[..Stamp::ENCODED_LEN].copy_from_slice(&self.stamp.to_bytes());
        bytes[36..40].copy_from_slice(&self.first_block.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.flags.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> FileRecord {
        FileRecord {
            stamp: Stamp::from_bytes(bytes),
            first_block: u32_at(bytes, 36),
            flags: u32_at(bytes, 40),
        }
    }
}

/// A flag of files. All files that have it are found without a look at their records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    RareFolds,
    Special,
    Young,
    EarlyNul,
}

impl Mark {
    /// In the order in which they are stored.
    pub(crate) const ALL: [Mark; 4] = [Mark::RareFolds, Mark::Special, Mark::Young, Mark::EarlyNul];

    /// The bit in [`FileRecord::flags`].
    pub(crate) fn flag(self) -> u32 {
        match self {
            Mark::RareFolds => FileRecord::RARE_FOLDS,
            Mark::Special => FileRecord::SPECIAL,
            Mark::Young => FileRecord::CHANGED_RECENTLY,
            Mark::EarlyNul => FileRecord::EARLY_NUL,
        }
    }
}

impl Stamp {
    pub(crate) const ENCODED_LEN: usize = 36;

    pub(crate) fn to_bytes(self) -> [u8; Stamp::ENCODED_LEN] {
        let Stamp { inode, size, modified, changed, mode } = self;
        let mut bytes = [0; Stamp::ENCODED_LEN];
        bytes[..8].copy_from_slice(&inode.to_le_bytes());
        bytes[8..16].copy_from_slice(&size.to_le_bytes());
        bytes[16..24].copy_from_slice(&modified.to_le_bytes());
        bytes[24..32].copy_from_slice(&changed.to_le_bytes());
        bytes[32..].copy_from_slice(&mode.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Stamp {
        Stamp {
            inode: u64_at(bytes, 0),
            size: u64_at(bytes, 8),
            modified: u64_at(bytes, 16).cast_signed(),
            changed: u64_at(bytes, 24).cast_signed(),
            mode: u32_at(bytes, 32),
        }
    }
}

impl Block {
    pub(crate) const ENCODED_LEN: usize = 8;

    pub(crate) fn to_bytes(self) -> [u8; Block::ENCODED_LEN] {
        let [a, b, c, d] = self.len.to_le_bytes();
        let [e, f, g, h] = self.line_ends.to_le_bytes();
        [a, b, c, d, e, f, g, h]
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Block {
        Block { len: u32_at(bytes, 0), line_ends: u32_at(bytes, 4) }
    }
}

/// The slot for an inode in a table with `slots` slots, a power of two.
pub(crate) fn slot_of(inode: u64, slots: usize) -> usize {
    (inode.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (slots - 1)
}

/// How many slots a table for `files` files has.
pub(crate) fn slots_for(files: usize) -> usize {
    (files + files / 2 + 1).next_power_of_two()
}

/// How many records with this length are in a part.
pub(crate) fn count_in(part: &Range<u64>, len: usize) -> u32 {
    (part.end.saturating_sub(part.start) / len as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_are_found_in_their_buckets() {
        let mut last = 0;
        for number in (0..GRAMS as u32).step_by(7).chain([
            FREQUENT_GRAMS - 1,
            FREQUENT_GRAMS,
            GRAMS as u32 - 1,
        ]) {
            let gram = Gram::from_number(number);
            let bucket = bucket_of(gram);
            assert!(bucket < BUCKETS);
            assert_eq!(gram_in(bucket, GramEntry::new(gram, ListPlace::Single(0)).low), gram);
            assert!(number < last || bucket_of(Gram::from_number(last)) <= bucket);
            last = number;
        }
    }
}
