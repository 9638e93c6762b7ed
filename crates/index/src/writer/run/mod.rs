//! Runs: the lists of up to 65,536 blocks, collected in memory and written to a file once that is
//! full, so that building takes the same memory for any tree.

use std::{
    fs::File,
    io::{self, Write},
    iter,
    ops::Range,
};

use crate::{
    blocks::MAX_BINARY_GRAMS,
    error::Error,
    gamma::{BitWriter, code_of},
    gram::{GRAMS, Gram},
    layout::{BUCKETS, bucket_of, gram_in},
    numbers::{take_varint, u32_at, write_varint},
    pages::read_exact_at,
};

/// How many blocks a run has. A gap between them takes at most 31 bits.
const MAX_BLOCKS: u32 = 1 << 16;

/// How many grams a table of lists is for.
const GRAMS_PER_TABLE: usize = 256;
/// How many words a piece of a list has; the last word is where the next piece begins.
const WORDS_PER_PIECE: u32 = 16;
/// How many grams of a block a run has room for until it is full. Few blocks of text have more.
const MAX_BLOCK_GRAMS: usize = MAX_BINARY_GRAMS;
/// How many tables a run has at least if it is full because of them. Frequent grams alone are in
/// 1,000.
const MIN_TABLES: usize = 2048;

/// When a run is full.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunLimits {
    pub(super) blocks: u32,
    /// How much memory its lists take. Each kind has a share, so that the memory can be allocated
    /// once and never grows. One block may exceed it, and so may [`MIN_TABLES`].
    pub(super) bytes: usize,
}

/// Collects the lists for all grams.
///
/// Each list is coded as it grows, which costs less than to sort the grams of many blocks: few
/// lists are added to again and again, and these stay in the caches.
pub(super) struct RunBuilder {
    max_blocks: u32,
    blocks: u32,
    /// For each [`GRAMS_PER_TABLE`] grams, where their table is, plus 1.
    places: Box<[u32]>,
    /// For each gram its list's number, plus 1.
    tables: Bounded<[u32; GRAMS_PER_TABLE]>,
    lists: Bounded<GrowingList>,
    words: Bounded<u32>,
}

/// A vector that is allocated once, unless a single block does not fit. The system provides the
/// memory as it is used.
struct Bounded<T> {
    items: Vec<T>,
    /// With this many items it is full.
    limit: usize,
    /// What is allocated.
    capacity: usize,
}

/// A list of blocks that grows.
#[derive(Clone, Copy)]
struct GrowingList {
    /// The codes of gaps that are not yet a word: less than 32 bits.
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

/// A run in a file: its lists, and behind them for each bucket of grams 4 bytes that state where
/// its lists begin, and 4 that state where the last ones end.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The number that the run's first block has among its writer's blocks.
    pub(super) first_block: u32,
    /// Where the lists begin in the file, and where they end.
    lists: Range<u64>,
}

impl<T> Bounded<T> {
    /// Creates a vector that is full with `limit` items, and has room for `beyond` more.
    fn new(limit: usize, beyond: usize) -> Bounded<T> {
        let capacity = limit + beyond;
        Bounded { items: Vec::with_capacity(capacity), limit, capacity }
    }

    fn is_full(&self) -> bool {
        self.items.len() >= self.limit
    }

    fn has_room(&self, items: usize) -> bool {
        self.items.len() + items <= self.capacity
    }

    /// Removes all but the first `len` items, and the memory that a single block has taken.
    fn reset(&mut self, len: usize) {
        self.items.truncate(len);
        self.items.shrink_to(self.capacity);
    }
}

impl RunBuilder {
    pub(super) fn new(limits: RunLimits) -> RunBuilder {
        let RunLimits { blocks, bytes } = limits;
        // In lists of text, the words take four fifths.
        let words = bytes / 32 * 23 / size_of::<u32>();
        let mut words = Bounded::new(words, (MAX_BLOCK_GRAMS + 1) * WORDS_PER_PIECE as usize);
        // No list begins at 0.
        words.items.resize(WORDS_PER_PIECE as usize, 0);
        let tables = (bytes / 32 * 3 / size_of::<[u32; GRAMS_PER_TABLE]>()).max(MIN_TABLES);
        RunBuilder {
            max_blocks: blocks.min(MAX_BLOCKS),
            blocks: 0,
            places: vec![0; GRAMS / GRAMS_PER_TABLE].into_boxed_slice(),
            tables: Bounded::new(tables, MAX_BLOCK_GRAMS),
            lists: Bounded::new(bytes / 32 * 6 / size_of::<GrowingList>(), MAX_BLOCK_GRAMS),
            words,
        }
    }

    /// Whether a block with these grams fits the memory. If not, the run is to be written before.
    pub(super) fn has_room(&self, grams: &[u32]) -> bool {
        // A run that is not full has room for most blocks, and an empty one is not written.
        if grams.len() <= MAX_BLOCK_GRAMS || self.is_empty() {
            return true;
        }
        // At most: grams that are in one new table count one each.
        let (mut tables, mut lists, mut words) = (0, 0, 0);
        for &gram in grams {
            let place = self.places[gram as usize / GRAMS_PER_TABLE];
            tables += usize::from(place == 0);
            let table = (place as usize).checked_sub(1).map(|place| &self.tables.items[place]);
            match table.map_or(0, |table| table[gram as usize % GRAMS_PER_TABLE]) {
                0 => lists += 1,
                number if self.lists.items[number as usize - 1].has_full_piece() => {
                    words += WORDS_PER_PIECE as usize;
                }
                _ => {}
            }
        }
        self.tables.has_room(tables) && self.lists.has_room(lists) && self.words.has_room(words)
    }

    /// Adds a block. Returns whether the run is to be written now.
    pub(super) fn add(&mut self, grams: &[u32]) -> bool {
        let block = self.blocks;
        self.blocks += 1;
        let (tables, lists) = (&mut self.tables.items, &mut self.lists.items);
        for &gram in grams {
            let place = &mut self.places[gram as usize / GRAMS_PER_TABLE];
            if *place == 0 {
                tables.push([0; GRAMS_PER_TABLE]);
                *place = tables.len() as u32;
            }
            let number = &mut tables[*place as usize - 1][gram as usize % GRAMS_PER_TABLE];
            if *number == 0 {
                lists.push(GrowingList::new(block));
                *number = lists.len() as u32;
            } else {
                lists[*number as usize - 1].add(block, &mut self.words.items);
            }
        }
        let is_full = self.tables.is_full() || self.lists.is_full() || self.words.is_full();
        is_full || self.blocks >= self.max_blocks
    }

    /// Writes the run at `start`, where `out` stands. Returns the run and where it ends.
    pub(super) fn write(
        &self,
        first_block: u32,
        start: u64,
        out: &mut impl Write,
    ) -> io::Result<(Run, u64)> {
        let mut buckets = Vec::with_capacity(BUCKETS as usize + 1);
        let (mut written, mut bytes) = (0, Vec::new());
        let mut last = 0;
        for (number, list) in self.numbered_lists() {
            let bucket = bucket_of(Gram::from_number(number));
            if buckets.len() <= bucket as usize {
                out.write_all(&bytes)?;
                written += bytes.len() as u32;
                bytes.clear();
                buckets.resize(bucket as usize + 1, written);
                last = gram_in(bucket, 0).number();
            }
            write_varint(&mut bytes, u64::from(number - last));
            list.write(&self.words.items, &mut bytes);
            last = number;
        }
        out.write_all(&bytes)?;
        written += bytes.len() as u32;
        buckets.resize(BUCKETS as usize + 1, written);
        let buckets: Vec<_> = buckets.iter().flat_map(|start| start.to_le_bytes()).collect();
        out.write_all(&buckets)?;
        let lists = start..start + u64::from(written);
        let end = lists.end + buckets.len() as u64;
        Ok((Run { first_block, lists }, end))
    }

    /// The lists, sorted by their grams.
    fn numbered_lists(&self) -> impl Iterator<Item = (u32, &GrowingList)> {
        let places = self.places.iter().enumerate().filter(|(_, place)| **place > 0);
        places.flat_map(move |(at, &place)| {
            let table = self.tables.items[place as usize - 1].iter().enumerate();
            let used = table.filter(|(_, number)| **number > 0);
            used.map(move |(gram, &number)| {
                ((at * GRAMS_PER_TABLE + gram) as u32, &self.lists.items[number as usize - 1])
            })
        })
    }

    /// Removes all blocks, and keeps the memory for the next ones.
    pub(super) fn clear(&mut self) {
        self.blocks = 0;
        self.places.fill(0);
        self.tables.reset(0);
        self.lists.reset(0);
        self.words.reset(WORDS_PER_PIECE as usize);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks == 0
    }
}

impl GrowingList {
    fn new(block: u32) -> GrowingList {
        GrowingList { bits: 0, used: 0, first: block, next: block + 1, count: 1, start: 0, end: 0 }
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

    /// Whether the next word needs another piece.
    fn has_full_piece(&self) -> bool {
        self.end % WORDS_PER_PIECE == WORDS_PER_PIECE - 1 || self.end == 0
    }

    fn add_word(&mut self, words: &mut Vec<u32>) {
        if self.has_full_piece() {
            let piece = words.len() as u32;
            words.resize(words.len() + WORDS_PER_PIECE as usize, 0);
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
        write_varint(to, u64::from(self.count));
        write_varint(to, u64::from(self.first));
        if self.count == 1 {
            return;
        }
        write_varint(to, u64::from(self.next - 1));
        let count: usize = self.pieces(words).map(<[u32]>::len).sum();
        write_varint(to, 32 * count as u64 + u64::from(self.used));
        for piece in self.pieces(words) {
            let start = to.len();
            to.resize(start + 4 * piece.len(), 0);
            for (bytes, word) in to[start..].chunks_exact_mut(4).zip(piece) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        to.extend_from_slice(&self.bits.to_le_bytes()[..self.used.div_ceil(8) as usize]);
    }

    /// The list's words, a piece at a time.
    fn pieces<'w>(&self, words: &'w [u32]) -> impl Iterator<Item = &'w [u32]> {
        let end = self.end;
        let mut piece = self.start;
        iter::from_fn(move || {
            let whole = words[piece as usize..].first_chunk::<{ WORDS_PER_PIECE as usize }>()?;
            let used = match end - piece {
                _ if piece == 0 => return None,
                used @ ..WORDS_PER_PIECE => {
                    piece = 0;
                    used
                }
                _ => {
                    piece = whole[WORDS_PER_PIECE as usize - 1];
                    WORDS_PER_PIECE - 1
                }
            };
            Some(&whole[..used as usize])
        })
    }
}

impl Run {
    /// How many bytes the lists in each bucket take.
    pub(super) fn bucket_lens(&self, file: &File) -> Result<Vec<u64>, Error> {
        let bounds = self.bounds(0..BUCKETS, file)?;
        Ok(bounds.windows(2).map(|bounds| (bounds[1] - bounds[0]).into()).collect())
    }

    /// Reads the lists in some buckets from the file that the run was written to.
    pub(super) fn read(&self, buckets: Range<u32>, file: &File) -> Result<RunPart, Error> {
        let bounds = self.bounds(buckets.clone(), file)?;
        let (start, end) = (bounds[0], bounds[bounds.len() - 1]);
        let mut bytes = vec![0; (end - start) as usize];
        read_exact_at(file, &mut bytes, self.lists.start + u64::from(start))?;
        Ok(RunPart { bytes, bounds, first: buckets.start, entered: 0, at: 0, last: 0 })
    }

    /// Where the lists in some buckets begin in the run, and where the last ones end.
    fn bounds(&self, buckets: Range<u32>, file: &File) -> Result<Vec<u32>, Error> {
        let mut bytes = vec![0; 4 * (buckets.len() + 1)];
        read_exact_at(file, &mut bytes, self.lists.end + 4 * u64::from(buckets.start))?;
        let bounds: Vec<_> = bytes.chunks_exact(4).map(|bytes| u32_at(bytes, 0)).collect();
        match bounds.is_sorted() {
            true => Ok(bounds),
            false => Err(unlike_written("where lists begin")),
        }
    }
}

/// The error for a run that is not read as it was written. Only this update has a run as a file, so
/// the index is not damaged.
pub(super) fn unlike_written(part: &str) -> Error {
    let text = format!("a temporary file is not read as it was written ({part} of a run)");
    Error::Io(io::Error::new(io::ErrorKind::InvalidData, text))
}

/// A part of a run, read from the first to the last gram.
pub(super) struct RunPart {
    bytes: Vec<u8>,
    /// For each bucket, where it begins in the run, and where the last one ends.
    bounds: Vec<u32>,
    /// The first bucket.
    first: u32,
    /// How many buckets have been entered.
    entered: u32,
    at: usize,
    last: u32,
}

/// The blocks of a gram, sorted by their numbers.
pub(super) struct Postings<'b> {
    pub(super) count: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    /// The codes for the gaps after the first.
    pub(super) bytes: &'b [u8],
    pub(super) bits: usize,
}

impl RunPart {
    /// The next gram.
    pub(super) fn next_gram(&mut self) -> Result<Option<Gram>, Error> {
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let is_begun = |bound: &u32| (bound - self.bounds[0]) as usize <= self.at;
        while self.at < self.bytes.len() && is_begun(&self.bounds[self.entered as usize]) {
            self.last = gram_in(self.first + self.entered, 0).number();
            self.entered += 1;
        }
        let mut rest = &self.bytes[self.at..];
        self.last += take_varint(&mut rest).ok_or_else(|| unlike_written("a gram"))? as u32;
        self.at = self.bytes.len() - rest.len();
        Ok(Some(Gram::from_number(self.last)))
    }

    /// The blocks for the gram that was returned last.
    pub(super) fn postings(&mut self) -> Option<Postings<'_>> {
        let mut rest = &self.bytes[self.at..];
        let mut take = || Some(take_varint(&mut rest)? as u32);
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
mod tests;
