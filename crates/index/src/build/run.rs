//! Runs: the lists of some ten thousand blocks, collected in memory and written to a file once
//! there are many, so that building takes the same memory for any tree.

use std::{
    fs::File,
    io::{self, Write},
    iter,
    ops::Range,
};

use crate::{
    error::Error,
    gamma::{BitWriter, code_of},
    gram::{FREQUENT, GRAMS, Gram},
    read_at::read_exact_at,
    varint,
};

/// Blocks of a run. A gap between them takes at most 31 bits.
const MAX_BLOCKS: u32 = 1 << 16;
/// The parts of a run, in the order of grams. Each can be merged alone, and several are in memory
/// then, so that there are many.
pub(super) const PARTS: usize = FREQUENT_PARTS + RARE_PARTS - 1;
const FREQUENT_PARTS: usize = (FREQUENT >> FREQUENT_PART_BITS) as usize;
const FREQUENT_PART_BITS: u32 = 10;
const RARE_PARTS: usize = GRAMS >> 18;

/// The part that a gram belongs to.
fn part_of(number: u32) -> usize {
    match number < FREQUENT {
        true => (number >> FREQUENT_PART_BITS) as usize,
        false => FREQUENT_PARTS - 1 + (number >> 18) as usize,
    }
}

/// The grams that belong to a part.
pub(super) fn grams_of(part: usize) -> Range<u32> {
    match part.checked_sub(FREQUENT_PARTS) {
        None => {
            let start = |part: usize| (part as u32) << FREQUENT_PART_BITS;
            start(part)..start(part + 1)
        }
        Some(part) => (part as u32 + 1) << 18..(part as u32 + 2) << 18,
    }
}

/// Grams of a page of the table of lists.
const PAGE: usize = 4096;
/// Words of a piece of a list; the last one is where the next piece begins.
const PIECE: u32 = 16;

/// Collects the lists of grams.
///
/// Each list is coded as it grows, which costs less than to sort the grams of many blocks: few
/// lists are added to again and again, and these stay in the caches.
pub(super) struct RunBuilder {
    max_blocks: u32,
    blocks: u32,
    /// For each gram the number of its list plus 1, on pages that are created when needed.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    page_count: usize,
    lists: Vec<List>,
    words: Vec<u32>,
}

/// A list of blocks that grows.
#[derive(Clone, Copy)]
struct List {
    /// The codes of gaps that are not yet words, less than 32 bits of them.
    bits: u64,
    used: u32,
    first: u32,
    /// The last block plus 1.
    next: u32,
    count: u32,
    /// The first piece, and where the next word belongs; both 0 without words.
    start: u32,
    end: u32,
}

/// A run in a file.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The number of its first block among those of its worker.
    pub(super) first_block: u32,
    /// Where each part begins, and where the last one ends.
    parts: Vec<u64>,
}

impl RunBuilder {
    /// Creates a builder of runs of at most `max_blocks`.
    pub(super) fn new(max_blocks: u32) -> RunBuilder {
        RunBuilder {
            max_blocks: max_blocks.min(MAX_BLOCKS),
            blocks: 0,
            pages: vec![None; GRAMS / PAGE],
            page_count: 0,
            lists: Vec::new(),
            // No list begins at 0.
            words: vec![0; PIECE as usize],
        }
    }

    /// Adds a block. Returns whether the run is to be written now, so that its lists take about
    /// `max_bytes` of memory.
    pub(super) fn add(&mut self, grams: &[u32], max_bytes: usize) -> bool {
        let block = self.blocks;
        self.blocks += 1;
        for &gram in grams {
            let page = &mut self.pages[gram as usize / PAGE];
            let page = page.get_or_insert_with(|| {
                self.page_count += 1;
                Box::new([0; PAGE])
            });
            let number = &mut page[gram as usize % PAGE];
            if *number == 0 {
                self.lists.push(List::new(block));
                *number = self.lists.len() as u32;
            } else {
                self.lists[*number as usize - 1].add(block, &mut self.words);
            }
        }
        self.blocks >= self.max_blocks || self.bytes() >= max_bytes
    }

    /// Writes the run at `offset`, where `out` stands. Returns the run and where it ends.
    pub(super) fn write(
        &self,
        first_block: u32,
        offset: u64,
        out: &mut impl Write,
    ) -> io::Result<(Run, u64)> {
        let mut parts = Vec::with_capacity(PARTS + 1);
        let (mut offset, mut bytes) = (offset, Vec::new());
        let mut last = 0;
        for (number, list) in self.numbered_lists() {
            while parts.len() <= part_of(number) {
                out.write_all(&bytes)?;
                offset += bytes.len() as u64;
                bytes.clear();
                parts.push(offset);
                last = 0;
            }
            varint::write(&mut bytes, u64::from(number - last));
            list.write(&self.words, &mut bytes);
            last = number;
        }
        out.write_all(&bytes)?;
        offset += bytes.len() as u64;
        parts.resize(PARTS + 1, offset);
        Ok((Run { first_block, parts }, offset))
    }

    /// The lists in the order of their grams.
    fn numbered_lists(&self) -> impl Iterator<Item = (u32, &List)> {
        let pages = self.pages.iter().enumerate();
        pages.filter_map(|(at, page)| Some((at * PAGE, page.as_ref()?))).flat_map(
            move |(start, page)| {
                let used = page.iter().enumerate().filter(|&(_, &number)| number > 0);
                used.map(move |(at, &number)| {
                    ((start + at) as u32, &self.lists[number as usize - 1])
                })
            },
        )
    }

    /// The memory of its lists.
    fn bytes(&self) -> usize {
        let pages = PAGE * size_of::<u32>() * self.page_count;
        pages + self.lists.len() * size_of::<List>() + self.words.len() * size_of::<u32>()
    }

    /// Removes all blocks, and keeps about `max_bytes` of memory for the next ones.
    pub(super) fn clear(&mut self, max_bytes: usize) {
        self.blocks = 0;
        self.pages.fill(None);
        self.page_count = 0;
        self.lists.clear();
        self.words.truncate(PIECE as usize);
        self.lists.shrink_to(max_bytes / 4 / size_of::<List>());
        self.words.shrink_to(max_bytes / size_of::<u32>());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks == 0
    }
}

impl List {
    fn new(block: u32) -> List {
        List { bits: 0, used: 0, first: block, next: block + 1, count: 1, start: 0, end: 0 }
    }

    #[inline]
    fn add(&mut self, block: u32, words: &mut Vec<u32>) {
        let (code, width) = code_of(block + 1 - self.next);
        self.next = block + 1;
        self.count += 1;
        self.bits |= code << self.used;
        self.used += width;
        if self.used >= 32 {
            self.add_word(words);
        }
    }

    fn add_word(&mut self, words: &mut Vec<u32>) {
        if self.end % PIECE == PIECE - 1 || self.end == 0 {
            let piece = words.len() as u32;
            words.resize(words.len() + PIECE as usize, 0);
            match self.end {
                0 => self.start = piece,
                link => words[link as usize] = piece,
            }
            self.end = piece;
        }
        words[self.end as usize] = self.bits as u32;
        self.end += 1;
        self.bits >>= 32;
        self.used -= 32;
    }

    /// Appends how many blocks there are, the first and the last, and how many bits the gaps have
    /// after the first, and these bits; of a single block only the first.
    fn write(&self, words: &[u32], to: &mut Vec<u8>) {
        varint::write(to, u64::from(self.count));
        varint::write(to, u64::from(self.first));
        if self.count == 1 {
            return;
        }
        varint::write(to, u64::from(self.next - 1));
        let count: usize = self.pieces(words).map(<[u32]>::len).sum();
        varint::write(to, 32 * count as u64 + u64::from(self.used));
        for piece in self.pieces(words) {
            let start = to.len();
            to.resize(start + 4 * piece.len(), 0);
            for (bytes, word) in to[start..].chunks_exact_mut(4).zip(piece) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        to.extend_from_slice(&self.bits.to_le_bytes()[..self.used.div_ceil(8) as usize]);
    }

    /// The words of the list, a piece at a time.
    fn pieces<'w>(&self, words: &'w [u32]) -> impl Iterator<Item = &'w [u32]> {
        let end = self.end;
        let mut piece = self.start;
        iter::from_fn(move || {
            let whole = words[piece as usize..].first_chunk::<{ PIECE as usize }>()?;
            let used = match end - piece {
                _ if piece == 0 => return None,
                used @ ..PIECE => {
                    piece = 0;
                    used
                }
                _ => {
                    piece = whole[PIECE as usize - 1];
                    PIECE - 1
                }
            };
            Some(&whole[..used as usize])
        })
    }
}

impl Run {
    /// Reads a part of the run from the file that it was written to.
    pub(super) fn read_part(&self, part: usize, file: &File) -> Result<RunPart, Error> {
        let (start, end) = (self.parts[part], self.parts[part + 1]);
        let mut bytes = vec![0; (end - start) as usize];
        read_exact_at(file, &mut bytes, start)?;
        Ok(RunPart { bytes, at: 0, last: 0 })
    }
}

/// A part of a run, read from the first to the last gram.
pub(super) struct RunPart {
    bytes: Vec<u8>,
    at: usize,
    last: u32,
}

/// Blocks of a gram, in the order of their numbers.
pub(super) struct Postings<'b> {
    pub(super) count: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    /// The codes of the gaps after the first.
    pub(super) bytes: &'b [u8],
    pub(super) bits: usize,
}

impl RunPart {
    /// The next gram.
    pub(super) fn next_gram(&mut self) -> Option<Gram> {
        let mut rest = &self.bytes[self.at..];
        self.last += varint::take(&mut rest)? as u32;
        self.at = self.bytes.len() - rest.len();
        Some(Gram::from_number(self.last))
    }

    /// The blocks of the gram that was returned last.
    pub(super) fn postings(&mut self) -> Option<Postings<'_>> {
        let mut rest = &self.bytes[self.at..];
        let mut take = || Some(varint::take(&mut rest)? as u32);
        let (count, first) = (take()?, take()?);
        let (last, bits) = if count > 1 { (take()?, take()? as usize) } else { (first, 0) };
        let (bytes, rest) = rest.split_at_checked(bits.div_ceil(8))?;
        self.at = self.bytes.len() - rest.len();
        Some(Postings { count, first, last, bytes, bits })
    }
}

impl Postings<'_> {
    /// Appends the gaps between the blocks, each with `base` added, the first one from `before`.
    pub(super) fn append_gaps_to(&self, base: u32, before: Option<u32>, to: &mut BitWriter) {
        let first = base + self.first;
        to.write(before.map_or(first + 1, |before| first - before));
        to.append(self.bytes, self.bits);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::gamma::GammaReader;

    const MEMORY: usize = 64 << 20;

    #[test]
    fn runs_are_read_as_written() {
        let mut rng = fastrand::Rng::with_seed(2);
        let mut builder = RunBuilder::new(u32::MAX);
        for blocks in [1, 2, 700, 3000] {
            let mut expected = BTreeMap::<u32, Vec<u32>>::new();
            for block in 0..blocks {
                let mut grams: Vec<_> =
                    (0..300).filter(|gram| rng.u32(..).is_multiple_of(gram + 1)).collect();
                grams.extend([rng.u32(..) >> 8, FREQUENT, GRAMS as u32 - 1]);
                assert!(!builder.add(&grams, MEMORY));
                grams.iter().for_each(|&gram| expected.entry(gram).or_default().push(block));
            }
            let mut file = tempfile::tempfile().unwrap();
            let (run, end) = builder.write(7, 0, &mut file).unwrap();
            assert_eq!(file.metadata().unwrap().len(), end);
            let mut found = BTreeMap::new();
            for number in 0..PARTS {
                let mut part = run.read_part(number, &file).unwrap();
                while let Some(gram) = part.next_gram() {
                    assert!(grams_of(number).contains(&gram.number()));
                    let postings = part.postings().unwrap();
                    let mut writer = BitWriter::default();
                    postings.append_gaps_to(0, None, &mut writer);
                    let (mut gaps, mut blocks) = (GammaReader::new(writer.finish()), Vec::new());
                    while let Some(gap) = gaps.next() {
                        blocks.push(blocks.last().map_or(gap - 1, |last| last + gap));
                    }
                    assert_eq!(blocks.len(), postings.count as usize);
                    assert_eq!(blocks.last(), Some(&postings.last));
                    found.insert(gram.number(), blocks);
                }
            }
            assert_eq!(found, expected);
            builder.clear(MEMORY);
        }
    }
}
