//! Where the blocks of each file begin, in about a bit for each file and each block. With it, a
//! block's file is found without a look at the files' records.
//!
//! A set bit stands for a file and a clear one for a block, in order. Files with 2, 0 and 1 blocks
//! are `1 0 0 1 1 0`, the lowest bit first.

use std::{iter, ops::Range};

use crate::{bit_set::BitSet, error::Error, layout::FileRecord};

/// Where the blocks of each file begin.
#[derive(PartialEq, Eq)]
pub(crate) struct FileStarts {
    bits: BitSet,
    blocks: u32,
}

impl FileStarts {
    /// Returns as bytes where the blocks of `files` begin. The files have `blocks` blocks together.
    pub(crate) fn bytes_of(files: &[FileRecord], blocks: u32) -> Vec<u8> {
        let mut bits = BitSet::none(files.len() as u32 + blocks);
        (0..).zip(files).for_each(|(number, file)| bits.insert(number + file.first_block));
        bits.bytes().collect()
    }

    /// Reads where the blocks of `files` files begin, which have `blocks` blocks together, from
    /// what [`bytes_of`](Self::bytes_of) returned.
    pub(crate) fn from_bytes(bytes: &[u8], files: u32, blocks: u32) -> Result<FileStarts, Error> {
        let bits = files.checked_add(blocks).map(BitSet::none);
        let filled = bits.and_then(|mut bits| bits.set_bytes(bytes).then_some(bits));
        match filled {
            // The first one is a file.
            Some(bits) if bits.count() == files && (blocks == 0 || bits.contains(0)) => {
                Ok(FileStarts { bits, blocks })
            }
            _ => Err(Error::Damaged("the starts of files")),
        }
    }

    /// Adds the files that contain the blocks in a set to another set.
    pub(crate) fn add_files_of(&self, blocks: &BitSet, files: &mut BitSet) {
        let words = self.bits.words();
        // The word that is looked at, and how many files and blocks come before it.
        let (mut at, mut files_before, mut blocks_before) = (0, 0, 0);
        // Its blocks that are not passed, and the first one's number.
        let mut rest = words.first().map_or(0, |word| !word);
        let mut next = 0;
        for block in blocks.iter().take_while(|&block| block < self.blocks) {
            while next + rest.count_ones() <= block {
                files_before += words[at].count_ones();
                blocks_before += words[at].count_zeros();
                at += 1;
                (rest, next) = (!words[at], blocks_before);
            }
            while next < block {
                rest &= rest - 1;
                next += 1;
            }
            let files_in_word = (words[at] & ((1 << rest.trailing_zeros()) - 1)).count_ones();
            files.insert(files_before + files_in_word - 1);
        }
    }

    /// Each file's blocks.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<u32>> {
        let mut starts = (0..).zip(self.bits.iter()).map(|(file, at)| at - file);
        let mut start = starts.next();
        iter::from_fn(move || {
            let first = start?;
            start = starts.next();
            Some(first..start.unwrap_or(self.blocks))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamp::Stamp;

    /// Files with these numbers of blocks, and how many blocks there are in all.
    fn files_with(blocks: &[u32]) -> (Vec<FileRecord>, u32) {
        let mut end = 0;
        let file = |&blocks: &u32| {
            let first_block = end;
            end += blocks;
            FileRecord { stamp: Stamp::NONE, first_block, flags: 0 }
        };
        (blocks.iter().map(file).collect(), end)
    }

    #[test]
    fn files_of_blocks_are_those_of_the_records() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..500 {
            let longest = [1, 3, 200][rng.usize(..3)];
            let counts: Vec<_> = (0..rng.usize(..300)).map(|_| rng.u32(..=longest)).collect();
            let (records, blocks) = files_with(&counts);
            let bytes = FileStarts::bytes_of(&records, blocks);
            let count = records.len() as u32;
            assert_eq!(bytes.len() as u32, (count + blocks).div_ceil(8));
            if records.first().is_some_and(|_| blocks > 0) {
                let mut late = bytes.clone();
                late[0] &= !1;
                assert!(FileStarts::from_bytes(&late, count, blocks).is_err());
            }
            let starts = FileStarts::from_bytes(&bytes, count, blocks).unwrap();
            assert!(FileStarts::from_bytes(&bytes, count + 8, blocks).is_err());
            let ranges: Vec<_> = starts.ranges().collect();
            let ends = records.iter().skip(1).map(|file| file.first_block).chain([blocks]);
            let expected: Vec<_> =
                records.iter().zip(ends).map(|(file, end)| file.first_block..end).collect();
            assert_eq!(ranges, expected);

            let share = [1, 10, 100][rng.usize(..3)];
            let mut wanted = BitSet::none(blocks);
            (0..blocks).filter(|_| rng.u32(..100) < share).for_each(|block| wanted.insert(block));
            let (mut found, mut expected) = (BitSet::none(count), BitSet::none(count));
            starts.add_files_of(&wanted, &mut found);
            let files = (0..).zip(&ranges).filter(|(_, range)| wanted.meets((*range).clone()));
            files.for_each(|(file, _)| expected.insert(file));
            assert_eq!(found, expected);
        }
    }
}
