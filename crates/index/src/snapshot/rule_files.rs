//! The files that decided what is ignored, by the entries that they are.

use std::convert::Infallible;

use super::layout::{DirRecord, NO_NUMBER, SourceRecord};
use crate::{
    numbers::u32_at,
    pages::{PageBytes, partition_point},
    stamp::Stamp,
};

/// The stamps of the files that decided what is ignored.
pub struct RuleFiles {
    /// Sorted by their entries; those that are none are at the end.
    records: PageBytes,
    /// How many are entries.
    in_tree: usize,
    /// The last entry that is one.
    last: u32,
}

impl RuleFiles {
    /// The rule files that these records describe.
    pub(super) fn new(records: PageBytes) -> RuleFiles {
        let all = records.as_chunks().0;
        let in_tree = all.partition_point(|record| entry_of(record) != NO_NUMBER);
        let last = all[..in_tree].last().map_or(0, entry_of);
        RuleFiles { records, in_tree, last }
    }

    /// The records of rule files that are entries in the tree.
    fn in_tree(&self) -> &[[u8; SourceRecord::ENCODED_LEN]] {
        &self.records.as_chunks().0[..self.in_tree]
    }

    /// The number and the stamp that the file has which this entry is, if it has one.
    pub(super) fn find_entry(&self, entry: u32) -> Option<(u32, Stamp)> {
        let found = self.near(entry);
        let record = self.in_tree().get(found).filter(|record| entry_of(record) == entry)?;
        let stamp = SourceRecord::from_bytes(record).stamp;
        (stamp != Stamp::NONE).then_some((found as u32, stamp))
    }

    /// The first place with this entry or a later one. It is looked for near where it is if the
    /// files are spread evenly, as in a tree in which most directories have one: to halve the whole
    /// again and again would touch as many places as the number of files has bits.
    fn near(&self, entry: u32) -> usize {
        let records = self.in_tree();
        let is_before = |at: usize| entry_of(&records[at]) < entry;
        let share = u64::from(entry) * records.len() as u64 / (u64::from(self.last) + 1);
        let guess = (share as usize).min(records.len());
        let mut step = 8;
        let range = if guess < records.len() && is_before(guess) {
            let mut start = guess + 1;
            while start + step < records.len() && is_before(start + step) {
                start += step + 1;
                step *= 2;
            }
            start..records.len().min(start + step)
        } else {
            let mut end = guess;
            while end > step && !is_before(end - step) {
                end -= step;
                step *= 2;
            }
            end.saturating_sub(step)..end
        };
        let found = partition_point(range, |at| Ok::<_, Infallible>(is_before(at)));
        found.unwrap_or_else(|never| match never {})
    }

    /// Each rule file's directory, among the directories with these records. One more record
    /// follows the last one.
    pub(super) fn dirs(&self, dirs: &[[u8; DirRecord::ENCODED_LEN]]) -> Vec<Option<u32>> {
        let first_entry =
            |dir: &[u8; DirRecord::ENCODED_LEN]| u32_at(dir, DirRecord::FIRST_ENTRY_AT);
        let count = dirs.len().saturating_sub(1) as u32;
        // Both are sorted by entries.
        let mut next_dirs = dirs.iter().map(first_entry).zip(0..).skip(1).peekable();
        let mut dir = 0;
        let dir_of = |record: &[u8; SourceRecord::ENCODED_LEN]| {
            let entry = entry_of(record);
            while let Some((_, next)) = next_dirs.next_if(|&(first, _)| first <= entry) {
                dir = next;
            }
            (dir < count).then_some(dir)
        };
        // A number that no directory has stands for no entry.
        self.records.as_chunks().0.iter().map(dir_of).collect()
    }
}

/// The entry in a record; [`NO_NUMBER`] if the file is none.
fn entry_of(record: &[u8; SourceRecord::ENCODED_LEN]) -> u32 {
    u32_at(record, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule files that are these entries, and some that are none.
    fn rule_files(entries: &[u32]) -> RuleFiles {
        let record = |&entry| {
            let stamp = Stamp { inode: u64::from(entry) + 1, ..Stamp::NONE };
            SourceRecord { entry, stamp }.to_bytes()
        };
        RuleFiles::new(PageBytes::of(
            entries.iter().chain(&[NO_NUMBER, NO_NUMBER]).flat_map(record).collect(),
        ))
    }

    #[test]
    fn each_is_found_however_they_are_spread() {
        let mut rng = fastrand::Rng::with_seed(4);
        for case in 0..300 {
            let mut entries: Vec<u32> = match case % 3 {
                0 => (0..rng.u32(..200)).map(|at| at * 7 + rng.u32(..7)).collect(),
                1 => (0..rng.u32(..200)).map(|_| 1 << rng.u32(..31)).collect(),
                _ => (0..rng.u32(..200)).map(|_| rng.u32(..300)).collect(),
            };
            entries.sort_unstable();
            entries.dedup();
            let files = rule_files(&entries);
            for entry in
                (0..320).chain((0..31).map(|bit| 1 << bit)).chain([NO_NUMBER - 1, NO_NUMBER])
            {
                let expected = entries.binary_search(&entry);
                assert_eq!(files.near(entry), expected.unwrap_or_else(|at| at), "{entries:?}");
                let found = files.find_entry(entry).map(|(number, stamp)| (number, stamp.inode));
                assert_eq!(found, expected.ok().map(|at| (at as u32, u64::from(entry) + 1)));
            }
        }
    }
}
