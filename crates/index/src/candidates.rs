//! Which files in an index may match.

use std::sync::Arc;

use crate::{
    bit_set::BitSet,
    blocks::Block,
    error::Error,
    evaluation::Evaluation,
    index::Index,
    layout::{FileRecord, Mark},
    pages::LazyPart,
    plan::Plan,
    segment::{Segment, SegmentFiles},
    stamp::Stamp,
};

/// How far a match may extend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A match lies within a line that `\n` ends.
    Line,
    /// A match may contain line ends.
    File,
}

/// What an index proves about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The file contains no match.
    CannotMatch,
    /// The file may contain a match.
    MayMatch,
    /// The index does not cover the file, or not as it is now.
    NotCovered,
}

/// The files in an index that may match.
pub struct Candidates {
    /// For each segment, from the oldest to the newest.
    parts: Vec<PartCandidates>,
    leaves_out_rare_folds: bool,
    includes_special: bool,
    covers_young: bool,
}

/// The files in a segment that may match.
struct PartCandidates {
    segment: Arc<Segment>,
    files: SegmentFiles,
    blocks: BitSet,
    /// A [`Block`] each.
    block_table: LazyPart,
}

impl PartCandidates {
    /// The files that contain the blocks, and files with one of the marks `also`, but no file with
    /// one of the marks `never`.
    fn files(&self, also: &[Mark], never: &[Mark]) -> Result<BitSet, Error> {
        let mut files = BitSet::none(self.segment.len());
        self.segment.starts()?.add_files_of(&self.blocks, &mut files);
        for &mark in also {
            files.unite(&self.segment.marked(mark)?);
        }
        for &mark in never {
            files.subtract(&self.segment.marked(mark)?);
        }
        Ok(files)
    }
}

/// A part of a file that may contain a match. It begins and ends with lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateRange {
    /// The bytes before it.
    pub offset: u64,
    /// How many bytes the range has.
    pub len: u64,
    /// The line ends before it.
    pub lines_before: u64,
}

impl Candidates {
    /// Returns the same set with all files that contain NUL bytes or begin with a byte order mark.
    /// What a search reports about one of them, even without a match, depends on more than its
    /// length.
    #[must_use]
    pub fn with_special_files(self) -> Candidates {
        Candidates { includes_special: true, ..self }
    }

    /// Returns the same set, in which files are not covered that were changed less than a minute
    /// before they were indexed. A program that had mapped such a file into its memory then may
    /// have changed it since, before the system noted when.
    #[must_use]
    pub fn without_young_files(self) -> Candidates {
        Candidates { covers_young: false, ..self }
    }

    /// Returns what is known about the file that has this stamp now.
    #[must_use]
    pub fn verdict(&self, stamp: &Stamp) -> Verdict {
        self.verdict_unless(stamp, 0)
    }

    /// Returns what is known about the file that has this stamp now, for a search that skips binary
    /// files: those with a NUL byte among the first 64 KiB, provided that no line ends within the
    /// first three bytes.
    #[must_use]
    pub fn verdict_without_binary(&self, stamp: &Stamp) -> Verdict {
        self.verdict_unless(stamp, FileRecord::EARLY_NUL)
    }

    /// Returns what is known about the file with [this number](crate::DirEntry::file) in this
    /// index's snapshot, and the stamp that it had. The verdict holds while the file has this
    /// stamp.
    #[must_use]
    pub fn verdict_of(&self, number: u32, skips_binary: bool) -> Option<(Verdict, Stamp)> {
        let (part, index, file) = self.numbered(number)?;
        let unsearched = if skips_binary { FileRecord::EARLY_NUL } else { 0 };
        Some((self.verdict_in(part, index, &file, unsearched), file.stamp))
    }

    /// Returns the stamp that the file with [this number](crate::DirEntry::file) in this index's
    /// snapshot had; `None` if it is not covered.
    #[must_use]
    pub fn stamp_of(&self, number: u32) -> Option<Stamp> {
        self.numbered(number).map(|(_, _, file)| file.stamp)
    }

    /// The covered file with this number.
    fn numbered(&self, number: u32) -> Option<(&PartCandidates, usize, FileRecord)> {
        let mut index = number as usize;
        for part in &self.parts {
            let Some(after) = index.checked_sub(part.files.len()) else {
                let file = part.files.get(index)?;
                let is_live = file.flags & FileRecord::NO_FILE == 0;
                return (is_live && self.is_covered(&file)).then_some((part, index, file));
            };
            index = after;
        }
        None
    }

    /// The verdict, if files with a flag in `unsearched` cannot match.
    fn verdict_unless(&self, stamp: &Stamp, unsearched: u32) -> Verdict {
        let Some((part, index, file)) = self.find(stamp) else {
            return Verdict::NotCovered;
        };
        self.verdict_in(part, index, &file, unsearched)
    }

    fn verdict_in(
        &self,
        part: &PartCandidates,
        index: usize,
        file: &FileRecord,
        unsearched: u32,
    ) -> Verdict {
        let is_reported = self.includes_special && file.flags & FileRecord::SPECIAL != 0;
        let may_match = if file.flags & unsearched != 0 && !is_reported {
            false
        } else {
            self.matches_anyhow(file) || part.blocks.meets(part.files.blocks_of(index))
        };
        if may_match { Verdict::MayMatch } else { Verdict::CannotMatch }
    }

    /// Returns the parts of the file with this stamp that may contain a match, from its beginning
    /// to its end, if the file is covered and only parts need to be searched.
    ///
    /// # Errors
    /// The index cannot be read, or is not what was written.
    pub fn ranges(&self, stamp: &Stamp) -> Result<Option<Vec<CandidateRange>>, Error> {
        let Some((part, index, file)) = self.find(stamp) else { return Ok(None) };
        self.ranges_in(part, index, &file)
    }

    /// Returns the parts that may contain a match in the file with [this
    /// number](crate::DirEntry::file) in this index's snapshot. They hold while the file has the
    /// stamp that it had.
    ///
    /// # Errors
    /// The index cannot be read, or is not what was written, as with [`ranges`](Self::ranges).
    pub fn ranges_of(&self, number: u32) -> Result<Option<Vec<CandidateRange>>, Error> {
        let Some((part, index, file)) = self.numbered(number) else { return Ok(None) };
        self.ranges_in(part, index, &file)
    }

    fn ranges_in(
        &self,
        part: &PartCandidates,
        index: usize,
        file: &FileRecord,
    ) -> Result<Option<Vec<CandidateRange>>, Error> {
        if self.matches_anyhow(file) || file.flags & FileRecord::SPECIAL != 0 {
            return Ok(None);
        }
        let mut ranges = Vec::<CandidateRange>::new();
        let (mut offset, mut lines_before) = (0, 0);
        for number in part.files.blocks_of(index) {
            let bytes: [u8; Block::ENCODED_LEN] =
                part.block_table.read(number as usize * Block::ENCODED_LEN)?;
            let block = Block::from_bytes(&bytes);
            let len = u64::from(block.len);
            if part.blocks.contains(number) {
                match ranges.last_mut() {
                    Some(last) if last.offset + last.len == offset => last.len += len,
                    _ => ranges.push(CandidateRange { offset, len, lines_before }),
                }
            }
            offset += len;
            lines_before += u64::from(block.line_ends);
        }
        Ok(Some(ranges))
    }

    /// Returns the numbers of the files that may match, sorted, as entries in this index's snapshot
    /// [have](crate::DirEntry::file) them. Any other file cannot match while it has the stamp that
    /// it had. `skips_binary` leaves out files that cannot match [without binary
    /// files](Self::verdict_without_binary).
    #[must_use]
    pub fn files(&self, skips_binary: bool) -> Vec<u32> {
        let also = [
            (!self.covers_young).then_some(Mark::Young),
            self.leaves_out_rare_folds.then_some(Mark::RareFolds),
            self.includes_special.then_some(Mark::Special),
        ];
        let also: Vec<_> = also.into_iter().flatten().collect();
        // What makes such a file one that may match all the same.
        let are_binary_known = self.covers_young && !self.includes_special;
        let never: &[_] = if skips_binary && are_binary_known { &[Mark::EarlyNul] } else { &[] };
        let mut numbers = Vec::new();
        let mut first = 0;
        for part in &self.parts {
            match part.files(&also, never) {
                Ok(files) => numbers.extend(files.iter().map(|file| first + file)),
                // Where it cannot be read, any may match.
                Err(_) => numbers.extend(first..first + part.segment.len()),
            }
            first += part.segment.len();
        }
        numbers
    }

    /// Returns the numbers of the files that had this inode number, sorted.
    #[must_use]
    pub fn files_with_inode(&self, inode: u64) -> Vec<u32> {
        let (mut numbers, mut first) = (Vec::new(), 0);
        for part in &self.parts {
            // None is the last one.
            let _ = part.files.find_inode(inode, |index, _| {
                numbers.push(first + index as u32);
                false
            });
            first += part.files.len() as u32;
        }
        numbers.sort_unstable();
        numbers
    }

    /// All files' numbers are below this one.
    #[must_use]
    pub fn files_end(&self) -> u32 {
        self.parts.iter().map(|part| part.files.len() as u32).sum()
    }

    /// Returns how many blocks may match.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.parts.iter().map(|part| part.blocks.count()).sum()
    }

    fn find(&self, stamp: &Stamp) -> Option<(&PartCandidates, usize, FileRecord)> {
        let in_part = |part| {
            let part: &PartCandidates = part;
            part.files.find(stamp).map(|(index, file)| (part, index, file))
        };
        // The newest first.
        let mut found = self.parts.iter().rev().filter_map(in_part);
        found.find(|(_, _, file)| self.is_covered(file))
    }

    fn is_covered(&self, file: &FileRecord) -> bool {
        self.covers_young || file.flags & FileRecord::CHANGED_RECENTLY == 0
    }

    /// Whether the file may match although no block does.
    fn matches_anyhow(&self, file: &FileRecord) -> bool {
        let has = |flag| file.flags & flag != 0;
        (!self.covers_young && has(FileRecord::CHANGED_RECENTLY))
            || (self.leaves_out_rare_folds && has(FileRecord::RARE_FOLDS))
            || (self.includes_special && has(FileRecord::SPECIAL))
    }
}

impl Index {
    /// Determines which files may match.
    ///
    /// # Errors
    /// A part of the index cannot be read, or is not what was written.
    pub fn candidates(&self, plan: &Plan, scope: Scope) -> Result<Candidates, Error> {
        let parts = self.segments.iter().map(|segment| candidates_in(segment, plan, scope));
        Ok(Candidates {
            parts: parts.collect::<Result<_, _>>()?,
            leaves_out_rare_folds: plan.leaves_out_rare_folds,
            includes_special: false,
            covers_young: true,
        })
    }
}

fn candidates_in(
    segment: &Arc<Segment>,
    plan: &Plan,
    scope: Scope,
) -> Result<PartCandidates, Error> {
    let files = segment.files_when_needed()?;
    let starts = match scope {
        Scope::Line => None,
        Scope::File => Some(segment.starts()?),
    };
    let blocks = Evaluation::new(segment, starts)?.blocks_of(&plan.condition)?;
    let block_table = segment.block_table()?;
    Ok(PartCandidates { segment: Arc::clone(segment), files, blocks, block_table })
}
