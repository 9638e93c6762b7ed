//! Writes a segment from what was collected and from older segments.

use std::{
    fs::File,
    io::{self, Write},
    ops::Range,
    path::Path,
};

use super::{
    block_writer::Collected,
    merge::{LEFT_OUT, MergeInput, MergedGram, MergedPart, merge},
};
use crate::{
    bit_set::BitSet,
    blocks::Block,
    error::{AtPath, Error},
    file_starts::FileStarts,
    layout::{
        BUCKETS, FileRecord, GramEntry, ListPlace, Mark, SEGMENT, SegmentParts, bucket_of, slot_of,
        slots_for,
    },
    manifest::SegmentInfo,
    pages::PageWriter,
    segment::{Segment, SegmentFiles},
    trailer::Written,
};

/// A segment to be written.
#[derive(Default)]
pub(super) struct NewSegment<'s> {
    files: Vec<FileRecord>,
    blocks: Vec<Block>,
    /// With their blocks' numbers among those above.
    sources: Vec<MergeInput<'s>>,
}

impl<'s> NewSegment<'s> {
    /// Adds the files in `segment` that are in `live`.
    pub(super) fn add_segment(
        &mut self,
        segment: &'s Segment,
        files: &SegmentFiles,
        live: &BitSet,
    ) -> Result<(), Error> {
        let blocks = segment.blocks_in(0..segment.blocks())?;
        let mut numbers = vec![LEFT_OUT; blocks.len()];
        for index in live.iter() {
            let Some(file) = files.get(index as usize) else { continue };
            self.add_file(file);
            let range = files.blocks_of(index as usize);
            let range = range.start as usize..range.end as usize;
            if range.start > range.end || range.end > blocks.len() {
                return Err(Error::Damaged("the blocks of a file"));
            }
            for (number, new) in numbers[range.clone()].iter_mut().zip(self.blocks.len() as u32..) {
                *number = new;
            }
            self.blocks.extend_from_slice(&blocks[range]);
        }
        self.sources.push(MergeInput::Segment { segment, numbers });
        Ok(())
    }

    /// Adds what a worker has collected.
    pub(super) fn add_collected(&mut self, collected: Collected) {
        let base = self.blocks.len() as u32;
        for file in collected.files {
            self.files.push(FileRecord { first_block: base + file.first_block, ..file });
        }
        self.blocks.extend(collected.blocks);
        if let Some(file) = collected.file {
            self.sources.extend(collected.runs.into_iter().map(|run| {
                let base = base + run.first_block;
                MergeInput::Run { run, file: file.clone(), base }
            }));
        }
    }

    fn add_file(&mut self, file: FileRecord) {
        self.files.push(FileRecord { first_block: self.blocks.len() as u32, ..file });
    }

    /// Writes the segment to a new file at `path` with `threads` threads.
    pub(super) fn write(
        &self,
        number: u64,
        path: &Path,
        threads: usize,
    ) -> Result<SegmentInfo, Error> {
        // With more blocks than that a gap would not fit its code.
        if self.blocks.len() > 1 << 30 {
            return Err(io::Error::other("the tree is too large for an index")).at(path);
        }
        let file = File::options().write(true).create_new(true).open(path).at(path)?;
        let mut writer = Writer::new(&file);
        let Written { len, checksum } = writer.write_all(self, threads).at(path)?;
        file.sync_all().at(path)?;
        let mut live = BitSet::none(self.files.len() as u32);
        let is_live = |file: &FileRecord| file.flags & FileRecord::NO_FILE == 0;
        let numbered = self.files.iter().zip(0..);
        numbered.filter(|(file, _)| is_live(file)).for_each(|(_, index)| live.insert(index));
        Ok(SegmentInfo {
            number,
            len,
            checksum,
            text: self.files.iter().filter(|file| is_live(file)).map(|file| file.stamp.size).sum(),
            live,
        })
    }
}

struct Writer<'f> {
    pages: PageWriter<io::BufWriter<&'f File>>,
    dictionary: Dictionary,
}

/// The entries of all grams. Offsets are from where the lists start.
#[derive(Default)]
struct Dictionary {
    entries: Vec<u8>,
    /// For each bucket, its first entry's number and its first list's offset.
    buckets: Vec<(u64, u64)>,
}

impl<'f> Writer<'f> {
    fn new(file: &'f File) -> Writer<'f> {
        let pages = PageWriter::new(io::BufWriter::with_capacity(1 << 20, file));
        Writer { pages, dictionary: Dictionary::default() }
    }

    /// Writes everything.
    fn write_all(&mut self, new: &NewSegment<'_>, threads: usize) -> Result<Written, Error> {
        let lists = self.part(|writer| {
            merge(&new.sources, new.blocks.len() as u32, threads, |part| {
                let start = writer.pages.position();
                writer.dictionary.add(&part, start);
                Ok(writer.pages.write(&part.lists)?)
            })
        })?;
        self.dictionary.end(lists.end);
        let Dictionary { entries, buckets } = std::mem::take(&mut self.dictionary);
        let dictionary = self.part(|writer| Ok(writer.pages.write(&entries)?))?;
        let buckets = self.records(buckets.iter().map(|&(entry, list)| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&entry.to_le_bytes());
            bytes[8..].copy_from_slice(&list.to_le_bytes());
            bytes
        }))?;
        let files = self.records(new.files.iter().map(|file| file.to_bytes()))?;
        let slots = self.records(slots(&new.files).iter().map(|slot| slot.to_le_bytes()))?;
        let blocks = self.records(new.blocks.iter().map(|block| block.to_bytes()))?;
        let starts = FileStarts::bytes_of(&new.files, new.blocks.len() as u32);
        let starts = self.part(|writer| Ok(writer.pages.write(&starts)?))?;
        let marks = self.part(|writer| {
            let mut marks = Mark::ALL.into_iter().map(|mark| marked(&new.files, mark));
            Ok(marks
                .try_for_each(|files| writer.pages.write(&files.bytes().collect::<Vec<_>>()))?)
        })?;
        let parts =
            SegmentParts { lists, dictionary, buckets, files, slots, blocks, starts, marks };
        let written = SEGMENT.finish(&mut self.pages, parts.into())?;
        self.pages.out().flush()?;
        Ok(written)
    }

    fn records<const N: usize>(
        &mut self,
        records: impl Iterator<Item = [u8; N]>,
    ) -> Result<Range<u64>, Error> {
        self.part(|writer| {
            let mut records = records;
            Ok(records.try_for_each(|record| writer.pages.write(&record))?)
        })
    }

    /// Runs `write`, and returns the range that it wrote.
    fn part(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<Range<u64>, Error> {
        let start = self.pages.position();
        write(self)?;
        Ok(start..self.pages.position())
    }
}

impl Dictionary {
    /// Adds a part. Its lists begin at `start`.
    fn add(&mut self, part: &MergedPart, start: u64) {
        for &MergedGram { gram, place, offset } in &part.entries {
            let list = start + offset;
            self.begin_buckets(bucket_of(gram), list);
            let place = match place {
                ListPlace::Single(block) => ListPlace::Single(block),
                ListPlace::Gaps(_) => ListPlace::Gaps(list),
                ListPlace::Bits(_) => ListPlace::Bits(list),
            };
            self.entries.extend(GramEntry::new(gram, place).to_bytes());
        }
    }

    /// Begins the buckets up to `last`. Their first list, or the next one, begins at `list`.
    fn begin_buckets(&mut self, last: u32, list: u64) {
        while self.buckets.len() <= last as usize {
            self.buckets.push(((self.entries.len() / GramEntry::ENCODED_LEN) as u64, list));
        }
    }

    /// Ends the last bucket, and the lists at `end`.
    fn end(&mut self, end: u64) {
        self.begin_buckets(BUCKETS, end);
    }
}

/// The files that have a mark.
pub(super) fn marked(files: &[FileRecord], mark: Mark) -> BitSet {
    let mut marked = BitSet::none(files.len() as u32);
    let has = |file: &FileRecord| file.flags & mark.flag() != 0;
    (0..).zip(files).filter(|(_, file)| has(file)).for_each(|(number, _)| marked.insert(number));
    marked
}

/// The hash table for inodes.
fn slots(files: &[FileRecord]) -> Vec<u32> {
    let mut slots = vec![0_u32; slots_for(files.len())];
    for (index, file) in files.iter().enumerate() {
        if file.flags & FileRecord::NO_FILE != 0 {
            continue;
        }
        let mut slot = slot_of(file.stamp.inode, slots.len());
        while slots[slot] != 0 {
            slot = (slot + 1) & (slots.len() - 1);
        }
        slots[slot] = index as u32 + 1;
    }
    slots
}
