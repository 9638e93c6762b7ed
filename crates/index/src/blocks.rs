//! Text cut into blocks, which are the index's documents.

use memchr::{memchr, memchr_iter};

use crate::{
    gram::{Gram, LINE_END},
    gram_set::{GramSet, MAX_GRAMS},
};

/// How many distinct grams a block in a binary file may have to be listed: more would take half as
/// much room as the block. Most searches do not read such files. In text, blocks with more grams
/// are rare, but every search would have to read them if they were not listed.
pub(crate) const MAX_BINARY_GRAMS: usize = 4096;

/// Stands for a block's grams if it has too many.
const UNLISTED_GRAMS: &[u32] = &[Gram::UNLISTED.number()];

/// Bytes after which a block ends with the line.
const BLOCK_BYTES: usize = 8 << 10;

/// A block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// How many bytes the block has.
    pub(crate) len: u32,
    /// How many lines end in the block.
    pub(crate) line_ends: u32,
}

/// Cuts a file that arrives in pieces into blocks of 8 KiB that end at line ends.
pub(crate) struct BlockCutter {
    grams: GramSet,
    /// The block that grows.
    len: u64,
    line_ends: u64,
}

impl BlockCutter {
    pub(crate) fn new() -> BlockCutter {
        BlockCutter { grams: GramSet::new(), len: 0, line_ends: 0 }
    }

    /// Begins a file, which is text unless `is_binary`. If another one was not finished, its last
    /// block is forgotten.
    pub(crate) fn begin(&mut self, is_binary: bool) {
        self.reset();
        self.grams.set_max(if is_binary { MAX_BINARY_GRAMS } else { MAX_GRAMS });
    }

    /// Adds a piece of a file, and passes each complete block to `emit` with its grams' numbers.
    ///
    /// Returns whether the block fits its description: a line of 4 GiB does not.
    pub(crate) fn add(&mut self, piece: &[u8], emit: &mut impl FnMut(Block, &[u32])) -> bool {
        let mut rest = piece;
        while !rest.is_empty() {
            let missing = BLOCK_BYTES.saturating_sub(self.len as usize + 1).min(rest.len());
            let end = memchr(LINE_END, &rest[missing..]).map(|at| missing + at + 1);
            let (block, after) = rest.split_at(end.unwrap_or(rest.len()));
            self.grams.add(block);
            self.len += block.len() as u64;
            self.line_ends += memchr_iter(LINE_END, block).count() as u64;
            if end.is_some() && !self.finish(emit) {
                return false;
            }
            rest = after;
        }
        true
    }

    /// Ends the file, and with it the last block.
    pub(crate) fn finish(&mut self, emit: &mut impl FnMut(Block, &[u32])) -> bool {
        let block = match (u32::try_from(self.len), u32::try_from(self.line_ends)) {
            (Ok(len), Ok(line_ends)) => Some(Block { len, line_ends }),
            _ => None,
        };
        if let Some(block) = block
            && block.len > 0
        {
            let grams = if self.grams.is_full() { UNLISTED_GRAMS } else { self.grams.grams() };
            emit(block, grams);
        }
        self.reset();
        block.is_some()
    }

    /// Forgets the block that grows.
    fn reset(&mut self) {
        self.grams.clear();
        (self.len, self.line_ends) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the blocks of `text`, added `piece` bytes at a time.
    fn blocks(text: &[u8], piece: usize) -> Vec<(Block, Vec<u32>)> {
        let mut cutter = BlockCutter::new();
        let mut blocks = Vec::new();
        let mut emit = |block, grams: &[u32]| {
            let mut grams = grams.to_vec();
            grams.sort_unstable();
            blocks.push((block, grams));
        };
        for piece in text.chunks(piece) {
            assert!(cutter.add(piece, &mut emit));
        }
        assert!(cutter.finish(&mut emit));
        blocks
    }

    #[test]
    fn blocks_end_with_lines_and_hold_their_grams() {
        let mut rng = fastrand::Rng::with_seed(3);
        for longest in [1, 70, 9000, 30_000] {
            let mut text = Vec::new();
            while text.len() < 100_000 {
                text.extend((0..rng.usize(..longest)).map(|_| rng.u8(b'a'..b'g')));
                text.push(b'\n');
            }
            text.truncate(rng.usize(90_000..text.len()));
            let whole = blocks(&text, text.len());
            let mut at = 0;
            for (index, (block, grams)) in whole.iter().enumerate() {
                let bytes = &text[at..at + block.len as usize];
                at += bytes.len();
                assert_eq!(block.line_ends as usize, memchr_iter(b'\n', bytes).count());
                let mut expected: Vec<_> = Gram::all_in(bytes).map(Gram::number).collect();
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(*grams, expected);
                if index + 1 < whole.len() {
                    assert!(bytes.ends_with(b"\n") && bytes.len() >= BLOCK_BYTES);
                    assert!(memchr(b'\n', &bytes[BLOCK_BYTES - 1..bytes.len() - 1]).is_none());
                }
            }
            assert_eq!(at, text.len());
            assert_eq!(blocks(&text, 77), whole);
            assert_eq!(blocks(&text, 8192), whole);
        }
    }

    #[test]
    fn blocks_of_noise_are_not_listed() {
        let mut rng = fastrand::Rng::with_seed(3);
        let noise: Vec<_> = (0..600_000).map(|_| rng.u8(..)).collect();
        let line: Vec<_> = noise.iter().copied().filter(|&byte| byte != LINE_END).collect();
        let mut cutter = BlockCutter::new();
        for (bytes, is_binary, is_listed) in
            [(&noise, true, false), (&noise, false, true), (&line, false, false)]
        {
            let (mut len, mut blocks) = (0, Vec::new());
            cutter.begin(is_binary);
            let mut emit = |block: Block, grams: &[u32]| {
                len += block.len as usize;
                blocks.push(grams != UNLISTED_GRAMS);
            };
            assert!(cutter.add(bytes, &mut emit) && cutter.finish(&mut emit));
            assert_eq!(len, bytes.len());
            // The last one may be short.
            assert!(blocks.len() == 1 || blocks.len() > 10);
            assert_eq!(blocks[0], is_listed);
        }
    }

    #[test]
    fn an_empty_file_has_no_block() {
        assert!(blocks(b"", 1).is_empty());
    }
}
