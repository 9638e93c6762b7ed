//! Verifying an index: every file that it covers is read again, and the grams are compared.

use std::{
    collections::HashMap,
    fs::{self, File},
    ops::Range,
    path::Path,
};

use super::{
    builder::Builder,
    collector::{Added, Collector},
    merge::LEFT_OUT,
    workspace::{OldSegment, Workspace},
    write::{NewSegment, marked},
};
use crate::{
    bit_set::BitSet,
    error::{AtPath, Error},
    file_starts::FileStarts,
    gram::Gram,
    index::Index,
    layout::{BUCKETS, FileRecord, Mark},
    manifest::segment_name,
    segment::{ListDecoder, Segment, SegmentFiles},
    stamp::Stamp,
    trust,
};

/// How many buckets of grams are compared at once.
const BUCKETS_COMPARED_AT_ONCE: usize = 16;

/// Verifies an index: reads every file that it covers again, and compares.
///
/// Collectors read the files into a second segment, which is compared with the index list by list
/// and then removed.
pub struct Verifier {
    builder: Builder,
}

/// What verifying an index has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The files that were read and are as indexed.
    pub files: u64,
    /// The files that are covered, but were not found as they were: they have changed since.
    pub changed: u64,
    /// The stamps of the files that do not contain what was indexed: searches that use the index
    /// may miss matches in them.
    pub differing: Vec<Stamp>,
}

impl Verifier {
    /// Checks every page of the index in `dir` for the directory `root`, and what it stores twice,
    /// and prepares to read its files.
    ///
    /// # Errors
    /// [`Error::Absent`] if there is none; [`Error::Damaged`]; [`Error::Busy`].
    pub fn new(dir: &Path, root: &Path) -> Result<Verifier, Error> {
        trust::check(dir.parent().unwrap_or(dir), dir)?;
        Index::open(dir)?.check()?;
        let builder = Builder::with(dir, root, |dir| Index::open(dir).map(Some))?;
        for old in &builder.workspace.old {
            check_tables(old).at(&dir.join(segment_name(old.info.number)))?;
        }
        Ok(Verifier { builder })
    }

    /// Creates a collector for one thread.
    #[must_use]
    pub fn collector(&self) -> VerifyingCollector<'_> {
        VerifyingCollector { collector: self.builder.collector() }
    }

    /// Compares what was read with the index.
    ///
    /// # Errors
    /// There is no room to write what was read, or the index cannot be read.
    pub fn finish(self, threads: usize) -> Result<Verified, Error> {
        let Builder { workspace: Workspace { dir, old, collected, .. }, next, .. } = &self.builder;
        let collected = collected.lock().map(|mut all| std::mem::take(&mut *all));
        let mut new = NewSegment::default();
        for mut collected in collected.unwrap_or_default() {
            if let Some(error) = collected.error.take() {
                return Err(error);
            }
            new.add_collected(collected);
        }
        let path = dir.join(segment_name(*next));
        let info = new.write(*next, &path, threads);
        let segment = info.and_then(|info| Segment::open(&path, info.len, info.checksum));
        fs::remove_file(&path).at(&path)?;
        let segment = segment?;
        let second = Second { files: segment.files()?, segment };
        let mut verified = Verified::default();
        for old in old {
            second.compare(old, &mut verified)?;
        }
        Ok(verified)
    }
}

/// Checks that what a search reads in place of the files' records agrees with them.
fn check_tables(old: &OldSegment) -> Result<(), Error> {
    let OldSegment { segment, files, .. } = old;
    let records = (0..files.len()).map(|index| files.get(index));
    let records: Vec<_> = records.collect::<Option<_>>().ok_or(Error::Damaged("its files"))?;
    let are_in_order = records.is_sorted_by_key(|file| file.first_block)
        && records.last().is_none_or(|file| file.first_block <= segment.blocks());
    if !are_in_order {
        return Err(Error::Damaged("the blocks of a file"));
    }
    let starts = FileStarts::bytes_of(&records, segment.blocks());
    let starts = FileStarts::from_bytes(&starts, segment.len(), segment.blocks())?;
    if segment.starts()? != starts {
        return Err(Error::Damaged("the starts of files"));
    }
    for mark in Mark::ALL {
        if segment.marked(mark)? != marked(&records, mark) {
            return Err(Error::Damaged("the marks of files"));
        }
    }
    Ok(())
}

/// Reads files that an index covers, one thread's part of them.
pub struct VerifyingCollector<'b> {
    collector: Collector<'b>,
}

impl VerifyingCollector<'_> {
    /// Reads `file` if the index covers a file with this stamp.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn add(&mut self, stamp: &Stamp, file: &mut File) -> Result<Option<Added>, Error> {
        match self.collector.keep(stamp) {
            true => self.collector.add(file).map(Some),
            false => Ok(None),
        }
    }
}

/// What was read the second time.
struct Second {
    segment: Segment,
    files: SegmentFiles,
}

impl Second {
    /// Compares `old` with the files that have the same stamps.
    fn compare(&self, old: &OldSegment, verified: &mut Verified) -> Result<(), Error> {
        let mut numbers = vec![LEFT_OUT; old.segment.blocks() as usize];
        let mut is_compared = BitSet::none(self.segment.blocks());
        let mut same = BitSet::none(old.live().limit());
        let mut differing = same.clone();
        let mut compared = HashMap::new();
        let (old_blocks, new_blocks) = (
            old.segment.blocks_in(0..old.segment.blocks())?,
            self.segment.blocks_in(0..self.segment.blocks())?,
        );
        for index in old.live().iter() {
            let found = old.files.get(index as usize).and_then(|file| self.files.find(&file.stamp));
            let Some((found, _)) = found else {
                verified.changed += 1;
                continue;
            };
            let (before, now) = (old.files.blocks_of(index as usize), self.files.blocks_of(found));
            let is_same = slice(&old_blocks, &before) == slice(&new_blocks, &now)
                && flags(&old.files, index as usize) == flags(&self.files, found);
            if !is_same {
                differing.insert(index);
                continue;
            }
            for (old, new) in before.zip(now) {
                numbers[old as usize] = new;
                is_compared.insert(new);
                compared.insert(new, index);
            }
            same.insert(index);
        }
        for start in (0..BUCKETS).step_by(BUCKETS_COMPARED_AT_ONCE) {
            let buckets = start..BUCKETS.min(start + BUCKETS_COMPARED_AT_ONCE as u32);
            let mut lists = Both {
                old: old.segment.decoder(buckets.clone())?,
                new: self.segment.decoder(buckets)?,
            };
            lists.each_difference(&numbers, &is_compared, |block| {
                compared.get(&block).into_iter().for_each(|&file| differing.insert(file));
            })?;
        }
        let stamps = differing.iter().filter_map(|file| Some(old.files.get(file as usize)?.stamp));
        verified.differing.extend(stamps);
        let is_same = |file: &u32| same.contains(*file) && !differing.contains(*file);
        verified.files += old.live().iter().filter(is_same).count() as u64;
        Ok(())
    }
}

fn slice<'t, T>(table: &'t [T], range: &Range<u32>) -> Option<&'t [T]> {
    table.get(range.start as usize..range.end as usize)
}

fn flags(files: &SegmentFiles, index: usize) -> Option<u32> {
    Some(files.get(index)?.flags & !FileRecord::CHANGED_RECENTLY)
}

/// The lists in both segments.
struct Both {
    old: ListDecoder,
    new: ListDecoder,
}

impl Both {
    /// Passes the blocks that only one of a gram's two lists has, with the new segment's numbers.
    fn each_difference(
        &mut self,
        numbers: &[u32],
        is_compared: &BitSet,
        mut each: impl FnMut(u32),
    ) -> Result<(), Error> {
        let (mut old, mut new) = (self.old.next()?, self.new.next()?);
        let (mut before, mut now) = (Vec::new(), Vec::new());
        let after_all = Gram::from_number(u32::MAX);
        while old.is_some() || new.is_some() {
            before.clear();
            now.clear();
            let gram = [&old, &new].map(|next| next.map_or(after_all, |(gram, _)| gram));
            let gram = gram[0].min(gram[1]);
            if let Some((_, list)) = old.filter(|(of, _)| *of == gram) {
                self.old.decode(list, |block| {
                    let number = numbers.get(block as usize);
                    before.extend(number.copied().filter(|&number| number != LEFT_OUT));
                })?;
                before.sort_unstable();
                old = self.old.next()?;
            }
            if let Some((_, list)) = new.filter(|(of, _)| *of == gram) {
                let wanted = |block: &u32| is_compared.contains(*block);
                self.new.decode(list, |block| now.extend(Some(block).filter(wanted)))?;
                new = self.new.next()?;
            }
            if before != now {
                let only = |these: &[u32], those: &[u32]| -> Vec<u32> {
                    let is_missing = |block: &&u32| those.binary_search(block).is_err();
                    these.iter().filter(is_missing).copied().collect()
                };
                only(&before, &now).into_iter().chain(only(&now, &before)).for_each(&mut each);
            }
        }
        Ok(())
    }
}
