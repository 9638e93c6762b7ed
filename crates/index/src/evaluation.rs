//! Which blocks of a segment meet a condition.

use crate::{
    bit_set::BitSet,
    error::Error,
    file_starts::FileStarts,
    gram::Gram,
    plan::Condition,
    segment::{Dictionary, List, Segment},
};

/// Bytes of a list that are not worth reading for each block that is left: to decode so many takes
/// a tenth of the time in which two workers search a block in vain.
const TOO_LONG: u64 = 64;

/// Determines which blocks of a segment meet a condition.
pub(crate) struct Evaluation<'i> {
    segment: &'i Segment,
    dictionary: Dictionary,
    /// Given if a condition may be met by several blocks of one file together.
    files: Option<FileStarts>,
    /// The blocks whose grams are not listed.
    unlisted: BitSet,
}

impl<'i> Evaluation<'i> {
    /// Prepares to evaluate conditions. `files` is given if several blocks of one file may meet one
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
            Condition::Gram(gram) => match self.dictionary.list(*gram)? {
                Some(list) => self.read(list),
                None => self.blocks_of(&Condition::Never),
            },
            Condition::All(parts) => self.intersection(parts),
            Condition::Any(parts) => self.union(parts),
        }
    }

    /// The blocks that meet one of `parts`, and perhaps others.
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
            match part {
                Condition::Gram(gram) => match self.dictionary.list(*gram)? {
                    Some(list) => lists.push(list),
                    None => return self.blocks_of(&Condition::Never),
                },
                part => compound.push(part),
            }
        }
        lists.sort_by_key(|list| list.len);
        let mut lists = lists.into_iter();
        let mut left = match lists.next() {
            Some(list) => Some(self.read(list)?),
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

    /// Removes blocks that are not in all of these lists, the shortest of which comes first, until
    /// no more are worth reading.
    fn narrow(&self, left: &mut BitSet, lists: impl Iterator<Item = List>) -> Result<(), Error> {
        // No list can remove these.
        let remain = self.unlisted.count();
        let mut blocks = BitSet::none(left.limit());
        for list in lists {
            let removable = left.count().saturating_sub(remain);
            if list.len / TOO_LONG > u64::from(removable) {
                break;
            }
            blocks.clear();
            self.segment.read_list(list, &mut blocks)?;
            blocks = self.widened(blocks);
            left.intersect(&blocks);
        }
        Ok(())
    }

    fn read(&self, list: List) -> Result<BitSet, Error> {
        let mut blocks = BitSet::none(self.unlisted.limit());
        self.segment.read_list(list, &mut blocks)?;
        Ok(self.widened(blocks))
    }

    /// The blocks that may contain what those of `blocks` contain.
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
