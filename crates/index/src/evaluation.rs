//! Which blocks of a segment meet a condition.

use crate::{
    bit_set::BitSet,
    error::Error,
    gram::Gram,
    plan::Condition,
    segment::{Dictionary, Files, List, Segment},
};

/// Bytes of a list that are not worth reading for each block that is left: to decode so many takes
/// a tenth of the time in which two workers search a block in vain.
const TOO_LONG: u64 = 64;

/// Determines which blocks of a segment meet a condition.
pub(crate) struct Evaluation<'i> {
    segment: &'i Segment,
    dictionary: Dictionary,
    /// Given if a condition may be met by several blocks of one file together.
    files: Option<&'i Files>,
    /// The blocks whose grams are not listed.
    unlisted: BitSet,
}

impl<'i> Evaluation<'i> {
    /// Prepares to evaluate conditions. `files` is given if several blocks of one file may meet one
    /// together.
    pub(crate) fn new(
        segment: &'i Segment,
        files: Option<&'i Files>,
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
        let mut left: Option<BitSet> = None;
        for list in lists {
            let is_enough = |left: &BitSet| list.len / TOO_LONG > u64::from(left.count());
            if left.as_ref().is_some_and(is_enough) {
                break;
            }
            narrow(&mut left, self.read(list)?);
        }
        for part in compound {
            if left.as_ref().is_some_and(|left| left.count() == 0) {
                break;
            }
            narrow(&mut left, self.blocks_of(part)?);
        }
        left.map_or_else(|| self.blocks_of(&Condition::Always), Ok)
    }

    fn read(&self, list: List) -> Result<BitSet, Error> {
        let mut blocks = BitSet::none(self.unlisted.limit());
        self.segment.read_list(list, &mut blocks)?;
        Ok(self.widened(blocks))
    }

    /// The blocks that may contain what those of `blocks` contain.
    fn widened(&self, mut blocks: BitSet) -> BitSet {
        blocks.unite(&self.unlisted);
        if let Some(files) = self.files {
            for range in (0..files.len()).map(|index| files.blocks_of(index)) {
                if blocks.meets(range.clone()) {
                    blocks.insert_all(range);
                }
            }
        }
        blocks
    }
}

fn narrow(left: &mut Option<BitSet>, by: BitSet) {
    match left {
        Some(left) => left.intersect(&by),
        None => *left = Some(by),
    }
}
