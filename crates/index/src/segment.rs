//! A segment: the files that were added by one update, read a few pages at a time.

use std::{ops::Range, path::Path, sync::Arc};

use crate::{
    bit_set::BitSet,
    blocks::Block,
    error::Error,
    file_starts::FileStarts,
    gamma::GammaReader,
    gram::Gram,
    layout::{
        FileRecord, GramEntry, ListPlace, Mark, SEGMENT, SegmentParts, bucket_of, count_in,
        gram_in, slot_of, slots_for,
    },
    numbers::{take_varint, u64_at},
    pages::{LazyPart, PageBytes, PageReader, partition_point},
    stamp::Stamp,
};

/// A segment, opened.
#[derive(Debug)]
pub(crate) struct Segment {
    pages: Arc<PageReader>,
    parts: SegmentParts,
}

/// A list of a gram's blocks that has not been read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredList {
    pub(crate) place: ListPlace,
    /// How many bytes the list has, 0 for a single block.
    pub(crate) len: u64,
}

impl Segment {
    /// Opens the file at `path`. Its trailer has this checksum.
    pub(crate) fn open(path: &Path, len: u64, checksum: u64) -> Result<Segment, Error> {
        let (pages, parts) = SEGMENT.open(path, len, checksum)?;
        Ok(Segment { pages: Arc::new(pages), parts: parts.into() })
    }

    /// How many blocks there are.
    pub(crate) fn blocks(&self) -> u32 {
        count_in(&self.parts.blocks, Block::ENCODED_LEN)
    }

    /// How many files there are.
    pub(crate) fn len(&self) -> u32 {
        count_in(&self.parts.files, FileRecord::ENCODED_LEN)
    }

    /// The dictionary. Nothing is read yet.
    pub(crate) fn dictionary(&self) -> Result<Dictionary, Error> {
        let part = |part: &Range<u64>| LazyPart::new(&self.pages, part.clone());
        Ok(Dictionary {
            buckets: part(&self.parts.buckets)?,
            entries: part(&self.parts.dictionary)?,
        })
    }

    /// The lists for the grams in these buckets.
    pub(crate) fn lists(&self, buckets: Range<u32>) -> Result<Lists, Error> {
        let at = |bucket: u32| self.parts.buckets.start + 16 * u64::from(bucket);
        let starts = self.pages.read(at(buckets.start)..at(buckets.end) + 16)?;
        let last = starts.len() - 16;
        let entry_at =
            |number: u64| self.parts.dictionary.start + number * GramEntry::ENCODED_LEN as u64;
        let (first, end) = (u64_at(&starts, 0), u64_at(&starts, last));
        let entries = self.pages.read(entry_at(first)..entry_at(end))?;
        let bytes = u64_at(&starts, 8)..u64_at(&starts, last + 8);
        Ok(Lists { bucket: buckets.start, passed: 0, first, starts, entries, at: 0, bytes })
    }

    /// How many bytes the entries and lists in each bucket take.
    pub(crate) fn bucket_lens(&self) -> Result<Vec<u64>, Error> {
        let starts = self.pages.read(self.parts.buckets.clone())?;
        let lens = starts.windows(32).step_by(16).map(|bounds| {
            let [first, start, last, end] = [0, 8, 16, 24].map(|at| u64_at(bounds, at));
            Some(
                last.checked_sub(first)? * GramEntry::ENCODED_LEN as u64
                    + end.checked_sub(start)?,
            )
        });
        lens.collect::<Option<_>>().ok_or(Error::Damaged("the order of lists"))
    }

    /// Adds a gram's blocks to a set.
    pub(crate) fn read_list(&self, list: StoredList, blocks: &mut BitSet) -> Result<(), Error> {
        let count = self.blocks();
        match list.place {
            ListPlace::Single(block) if block < count => blocks.insert(block),
            ListPlace::Single(_) => return Err(Error::Damaged("the number of a block")),
            ListPlace::Bits(offset) => {
                let bytes = self.pages.read(offset..offset + list.len)?;
                let mut read = BitSet::none(count);
                if !read.set_bytes(&bytes) {
                    return Err(Error::Damaged("the length of a list"));
                }
                blocks.unite(&read);
            }
            ListPlace::Gaps(offset) => {
                let bytes = self.pages.read(offset..offset + list.len)?;
                let read = read_gaps(&bytes, count, |block| blocks.insert(block));
                read.ok_or(Error::Damaged("a list"))?;
            }
        }
        Ok(())
    }

    /// Reads the lists for the grams in these buckets, to be decoded one after another.
    pub(crate) fn decoder(&self, buckets: Range<u32>) -> Result<ListDecoder, Error> {
        let lists = self.lists(buckets)?;
        let bytes = self.pages.read(lists.bytes.clone())?;
        Ok(ListDecoder { lists, bytes, blocks: self.blocks() })
    }

    /// The files. All are read now.
    pub(crate) fn files(&self) -> Result<SegmentFiles, Error> {
        let files = self.files_when_needed()?;
        files.records.read_all()?;
        files.slots.read_all()?;
        Ok(files)
    }

    /// The files. Each page is read when it is first needed: to search a small part of a tree takes
    /// few.
    pub(crate) fn files_when_needed(&self) -> Result<SegmentFiles, Error> {
        let files = SegmentFiles {
            records: LazyPart::new(&self.pages, self.parts.files.clone())?,
            slots: LazyPart::new(&self.pages, self.parts.slots.clone())?,
            blocks: self.blocks(),
        };
        if files.slots.len() != slots_for(files.len()) * 4 {
            return Err(Error::Damaged("the table of files"));
        }
        Ok(files)
    }

    /// Reads where each file's blocks begin.
    pub(crate) fn starts(&self) -> Result<FileStarts, Error> {
        let bytes = self.pages.read(self.parts.starts.clone())?;
        FileStarts::from_bytes(&bytes, self.len(), self.blocks())
    }

    /// Reads which files have a mark.
    pub(crate) fn marked(&self, mark: Mark) -> Result<BitSet, Error> {
        let mut files = BitSet::none(self.len());
        let len = u64::from(self.len().div_ceil(8));
        let start = self.parts.marks.start + len * mark as u64;
        let bytes = self.pages.read(start..start + len)?;
        files.set_bytes(&bytes).then_some(files).ok_or(Error::Damaged("the length of a set"))
    }

    /// These blocks' descriptions.
    pub(crate) fn blocks_in(&self, range: Range<u32>) -> Result<Vec<Block>, Error> {
        let at =
            |block: u32| self.parts.blocks.start + u64::from(block) * Block::ENCODED_LEN as u64;
        let bytes = self.pages.read(at(range.start)..at(range.end))?;
        Ok(bytes.chunks_exact(Block::ENCODED_LEN).map(Block::from_bytes).collect())
    }

    /// The descriptions of all blocks. None is read yet.
    pub(crate) fn block_table(&self) -> Result<LazyPart, Error> {
        LazyPart::new(&self.pages, self.parts.blocks.clone())
    }

    /// Checks every page.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.pages.check()
    }
}

/// A segment's grams. Each page is read when it is first needed.
pub(crate) struct Dictionary {
    buckets: LazyPart,
    entries: LazyPart,
}

impl Dictionary {
    /// Looks up the blocks of `gram`; `None` if no block contains it.
    pub(crate) fn list(&self, gram: Gram) -> Result<Option<StoredList>, Error> {
        let bounds: [u8; 32] = self.buckets.read(bucket_of(gram) as usize * 16)?;
        let [first, start, last, end] = [0, 8, 16, 24].map(|at| u64_at(&bounds, at));
        if last * GramEntry::ENCODED_LEN as u64 > self.entries.len() as u64 || start > end {
            return Err(Error::Damaged("the dictionary"));
        }
        let entry = |at: usize| -> Result<GramEntry, Error> {
            let bytes: [u8; GramEntry::ENCODED_LEN] =
                self.entries.read(at * GramEntry::ENCODED_LEN)?;
            GramEntry::from_bytes(&bytes)
        };
        let wanted = GramEntry::new(gram, ListPlace::Single(0)).low;
        let (first, last) = (first as usize, last as usize);
        let is_before = |at: usize| Ok::<_, Error>(entry(at)?.low < wanted);
        let from = partition_point(first..last, is_before)?;
        if from >= last {
            return Ok(None);
        }
        let GramEntry { low, place } = entry(from)?;
        let Some(offset) = GramEntry { low, place }.offset() else {
            return Ok((low == wanted).then_some(StoredList { place, len: 0 }));
        };
        // The next list begins where this one ends.
        let mut list_end = end;
        for at in from + 1..last {
            if let Some(offset) = entry(at)?.offset() {
                list_end = offset;
                break;
            }
        }
        let len = list_end.checked_sub(offset).filter(|_| offset >= start);
        let len = len.ok_or(Error::Damaged("the order of lists"))?;
        Ok((low == wanted).then_some(StoredList { place, len }))
    }
}

/// The lists in some buckets, sorted by their grams.
pub(crate) struct Lists {
    /// The first bucket, and how many were passed.
    bucket: u32,
    passed: usize,
    /// The first entry's number.
    first: u64,
    /// For each bucket and the one after, its first entry's number and its first list.
    starts: PageBytes,
    entries: PageBytes,
    at: usize,
    /// Where the lists are.
    pub(crate) bytes: Range<u64>,
}

impl Lists {
    fn entry(&self, at: usize) -> Option<Result<GramEntry, Error>> {
        Some(GramEntry::from_bytes(
            self.entries.get(at * GramEntry::ENCODED_LEN..(at + 1) * GramEntry::ENCODED_LEN)?,
        ))
    }

    /// Moves to the bucket with the entry at `at`.
    fn enter_bucket_of(&mut self, at: usize) {
        let number = self.first + at as u64;
        while let Some(next) = self.starts.get(16 * (self.passed + 1)..)
            && next.len() > 16
            && u64_at(next, 0) <= number
        {
            self.passed += 1;
        }
    }
}

impl Iterator for Lists {
    type Item = Result<(Gram, StoredList), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let entry = match self.entry(at)? {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        self.at += 1;
        self.enter_bucket_of(at);
        let gram = gram_in(self.bucket + self.passed as u32, entry.low);
        let Some(start) = entry.offset() else {
            return Some(Ok((gram, StoredList { place: entry.place, len: 0 })));
        };
        let mut next = at + 1;
        let end = loop {
            match self.entry(next) {
                None => break self.bytes.end,
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(entry)) => match entry.offset() {
                    Some(offset) => break offset,
                    None => next += 1,
                },
            }
        };
        Some(match end.checked_sub(start) {
            Some(len) if start >= self.bytes.start => {
                Ok((gram, StoredList { place: entry.place, len }))
            }
            _ => Err(Error::Damaged("the order of lists")),
        })
    }
}

/// Decodes the lists of some buckets.
pub(crate) struct ListDecoder {
    lists: Lists,
    bytes: PageBytes,
    blocks: u32,
}

impl ListDecoder {
    /// The next gram and its list.
    pub(crate) fn next(&mut self) -> Result<Option<(Gram, StoredList)>, Error> {
        self.lists.next().transpose()
    }

    /// Passes the blocks of a list to `each`.
    pub(crate) fn decode(&self, list: StoredList, mut each: impl FnMut(u32)) -> Result<(), Error> {
        let bytes_at = |offset: u64| {
            let start = offset.checked_sub(self.lists.bytes.start)? as usize;
            self.bytes.get(start..start.checked_add(list.len as usize)?)
        };
        let read = match list.place {
            ListPlace::Single(block) => {
                each(block);
                (block < self.blocks).then_some(())
            }
            ListPlace::Gaps(offset) => {
                bytes_at(offset).and_then(|bytes| read_gaps(bytes, self.blocks, each))
            }
            ListPlace::Bits(offset) => bytes_at(offset).map(|bytes| {
                for (byte, start) in bytes.iter().zip((0..).step_by(8)) {
                    (0..8).filter(|bit| byte >> bit & 1 == 1).for_each(|bit| each(start + bit));
                }
            }),
        };
        read.ok_or(Error::Damaged("a list"))
    }
}

/// Passes the numbers in a list of gaps to `each`, all below `limit`. The gaps 3, 1 and 5 stand for
/// the numbers 2, 3 and 8.
pub(crate) fn read_gaps(bytes: &[u8], limit: u32, mut each: impl FnMut(u32)) -> Option<()> {
    let mut rest = bytes;
    let count = take_varint(&mut rest)?;
    let (mut gaps, mut next) = (GammaReader::new(rest), 0_u32);
    for _ in 0..count {
        next = next.checked_add(gaps.next()?).filter(|&next| next <= limit)?;
        each(next - 1);
    }
    Some(())
}

/// The files of a segment.
pub(crate) struct SegmentFiles {
    records: LazyPart,
    slots: LazyPart,
    blocks: u32,
}

impl SegmentFiles {
    pub(crate) fn len(&self) -> usize {
        self.records.len() / FileRecord::ENCODED_LEN
    }

    /// The file with this number; `None` if there is none or it cannot be read.
    pub(crate) fn get(&self, index: usize) -> Option<FileRecord> {
        let start = index.checked_mul(FileRecord::ENCODED_LEN)?;
        let bytes: [u8; FileRecord::ENCODED_LEN] = self.records.get(start)?;
        Some(FileRecord::from_bytes(&bytes))
    }

    /// The file with this stamp, and its number.
    pub(crate) fn find(&self, stamp: &Stamp) -> Option<(usize, FileRecord)> {
        self.find_inode(stamp.inode, |_, file| file.stamp == *stamp)
    }

    /// The file with this inode that is `wanted`, and its number.
    pub(crate) fn find_inode(
        &self,
        inode: u64,
        mut wanted: impl FnMut(usize, &FileRecord) -> bool,
    ) -> Option<(usize, FileRecord)> {
        let slots = self.slots.len() / 4;
        let mut slot = slot_of(inode, slots);
        for _ in 0..slots {
            let index = u32::from_le_bytes(self.slots.get(slot * 4)?) as usize;
            let index = index.checked_sub(1)?;
            let file = self.get(index)?;
            if file.stamp.inode == inode && wanted(index, &file) {
                return Some((index, file));
            }
            slot = (slot + 1) & (slots - 1);
        }
        None
    }

    /// The blocks of a file, and others if that is not known.
    pub(crate) fn blocks_of(&self, index: usize) -> Range<u32> {
        let start = self.get(index).map_or(0, |file| file.first_block);
        let end = self.get(index + 1).map_or(self.blocks, |file| file.first_block);
        start..end
    }
}
