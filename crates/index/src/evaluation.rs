//! Which blocks in a segment meet a condition.

use std::slice;

use crate::{
    bit_set::BitSet,
    error::Error,
    file_starts::FileStarts,
    gram::Gram,
    plan::Condition,
    segment::{Dictionary, Segment, StoredList},
};

/// A list is read if it has fewer bytes than this for each block that is left: to decode this many
/// takes a tenth of the time in which two workers search a block in vain.
const LIST_BYTES_PER_BLOCK: u64 = 64;

/// Determines which blocks in a segment meet a condition.
pub(crate) struct Evaluation<'i> {
    segment: &'i Segment,
    dictionary: Dictionary,
    /// Given if several blocks in one file may meet a condition together.
    files: Option<FileStarts>,
    /// The blocks with grams that are not listed.
    unlisted: BitSet,
}

impl<'i> Evaluation<'i> {
    /// Prepares to evaluate conditions. `files` is given if several blocks in one file may meet one
    /// together.
    pub(crate) fn new(
        segment: &'i Segment,
        files: Option<FileStarts>,
    ) -> Result<Evaluation<'i>, Error> {
        let dictionary = segment.dictionary()?;
        let mut unlisted = BitSet::none(segment.blocks());
        if let Some(list) = dictionary.list(Gram::UNLISTED)? {
            segment.read_list(list, &mut unlisted)?;
        }
        Ok(Evaluation { segment, dictionary, files, unlisted })
    }

    /// The blocks that meet a condition, and perhaps others.
    pub(crate) fn blocks_of(&self, condition: &Condition) -> Result<BitSet, Error> {
        match condition {
            Condition::Always => Ok(BitSet::all(self.unlisted.limit())),
            Condition::Never => Ok(self.widened(BitSet::none(self.unlisted.limit()))),
            Condition::Gram(_) => self.union(slice::from_ref(condition)),
            Condition::All(parts) => self.intersection(parts),
            Condition::Any(parts) => self.union(parts),
        }
    }

    /// The blocks that meet any of `parts`, and perhaps others.
    fn union(&self, parts: &[Condition]) -> Result<BitSet, Error> {
        let (mut grams, mut any) = (BitSet::none(self.unlisted.limit()), None::<BitSet>);
        for part in parts {
            match part {
                Condition::Gram(gram) => {
                    if let Some(list) = self.dictionary.list(*gram)? {
                        self.segment.read_list(list, &mut grams)?;
                    }
                }
                part => {
                    let blocks = self.blocks_of(part)?;
                    any.get_or_insert_with(|| BitSet::none(blocks.limit())).unite(&blocks);
                }
            }
        }
        let mut union = self.widened(grams);
        if let Some(any) = any {
            union.unite(&any);
        }
        Ok(union)
    }

    /// The blocks that meet all of `parts`, and perhaps others.
    fn intersection(&self, parts: &[Condition]) -> Result<BitSet, Error> {
        let (mut lists, mut compound) = (Vec::new(), Vec::new());
        for part in parts {
            match self.lists_of(part)? {
                Some(of_part) if of_part.is_empty() => return self.blocks_of(&Condition::Never),
                Some(of_part) => lists.push(of_part),
                None => compound.push(part),
            }
        }
        lists.sort_by_key(|lists| total_len(lists));
        let mut lists = lists.into_iter();
        let mut left = match lists.next() {
            Some(lists) => Some(self.read(&lists, BitSet::none(self.unlisted.limit()))?),
            None => None,
        };
        if let Some(left) = &mut left {
            self.narrow(left, lists)?;
        }
        for part in compound {
            match &mut left {
                Some(left) if left.count() == self.unlisted.count() => break,
                Some(left) => left.intersect(&self.blocks_of(part)?),
                None => left = Some(self.blocks_of(part)?),
            }
        }
        left.map_or_else(|| self.blocks_of(&Condition::Always), Ok)
    }

    /// The lists of a condition that any block in one of them meets: a gram, or one of some grams.
    fn lists_of(&self, condition: &Condition) -> Result<Option<Vec<StoredList>>, Error> {
        let grams = match condition {
            Condition::Gram(_) => slice::from_ref(condition),
            Condition::Any(grams) => grams,
            _ => return Ok(None),
        };
        let mut lists = Vec::new();
        for gram in grams {
            let Condition::Gram(gram) = gram else { return Ok(None) };
            lists.extend(self.dictionary.list(*gram)?);
        }
        Ok(Some(lists))
    }

    /// For each element of `all`, which begins with the shortest lists, removes the blocks that are
    /// in none of its lists, until no more lists are worth reading.
    fn narrow(
        &self,
        left: &mut BitSet,
        all: impl Iterator<Item = Vec<StoredList>>,
    ) -> Result<(), Error> {
        // No list can remove these.
        let remain = self.unlisted.count();
        let mut blocks = BitSet::none(left.limit());
        for lists in all {
            let removable = left.count().saturating_sub(remain);
            if total_len(&lists) / LIST_BYTES_PER_BLOCK > u64::from(removable) {
                break;
            }
            blocks.clear();
            blocks = self.read(&lists, blocks)?;
            left.intersect(&blocks);
        }
        Ok(())
    }

    /// Adds the blocks in `lists`.
    fn read(&self, lists: &[StoredList], mut blocks: BitSet) -> Result<BitSet, Error> {
        for list in lists {
            self.segment.read_list(*list, &mut blocks)?;
        }
        Ok(self.widened(blocks))
    }

    /// The blocks that may contain what `blocks` contain.
    fn widened(&self, mut blocks: BitSet) -> BitSet {
        blocks.unite(&self.unlisted);
        if let Some(files) = &self.files {
            for range in files.ranges() {
                if blocks.meets(range.clone()) {
                    blocks.insert_all(range);
                }
            }
        }
        blocks
    }
}

fn total_len(lists: &[StoredList]) -> u64 {
    lists.iter().map(|list| list.len).sum()
}
