//! Merges runs, and older segments' lists, into the lists of a new segment.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    fs::File,
    io,
    ops::Range,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use super::run::{Postings, Run, RunPart, unlike_written};
use crate::{
    error::Error,
    gamma::{BitWriter, GammaReader},
    gram::Gram,
    layout::{BUCKETS, ListPlace},
    numbers::write_varint,
    segment::{ListDecoder, Segment, StoredList},
};

/// How many bytes of lists are merged at once, unless a single bucket of grams has more.
const PART_BYTES: u64 = 1 << 20;
/// The most parts that are in memory, merged or to be merged.
const MAX_PARTS: usize = 32;

/// A run or segment with lists that are merged.
pub(super) enum MergeInput<'s> {
    /// A run, the file that it lies in, and its first block's number in the new segment.
    Run { run: Run, file: Arc<File>, base: u32 },
    /// A segment, and each block's number in the new one, or [`LEFT_OUT`].
    Segment { segment: &'s Segment, numbers: Vec<u32> },
}

/// Stands in place of a number for a block that is left out.
pub(super) const LEFT_OUT: u32 = u32::MAX;

/// The lists in one part.
#[derive(Debug, Default)]
pub(super) struct MergedPart {
    pub(super) lists: Vec<u8>,
    pub(super) entries: Vec<MergedGram>,
}

/// A gram, and where its blocks are. Offsets are from the part's first list.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergedGram {
    pub(super) gram: Gram,
    pub(super) place: ListPlace,
    /// Where its list begins, or the next one if it has none.
    pub(super) offset: u64,
}

/// Merges `sources`, sorted by their blocks' numbers, with `threads` threads, and passes the parts
/// to `write` in order.
pub(super) fn merge(
    sources: &[MergeInput<'_>],
    blocks: u32,
    threads: usize,
    write: impl FnMut(MergedPart) -> Result<(), Error>,
) -> Result<(), Error> {
    let parts = parts_of(sources)?;
    let merge = |part: usize| merge_part(sources, parts[part].clone(), blocks);
    merge_in_order(parts.len(), threads, merge, write)
}

/// Merges `parts` parts with `threads` threads, and passes them to `write` in order.
///
/// A part is given out when an earlier one has been written, so that only so many are in memory,
/// however long one takes.
fn merge_in_order(
    parts: usize,
    threads: usize,
    merge: impl Fn(usize) -> Result<MergedPart, Error> + Sync,
    mut write: impl FnMut(MergedPart) -> Result<(), Error>,
) -> Result<(), Error> {
    let threads = threads.clamp(1, MAX_PARTS / 2);
    thread::scope(|scope| {
        let (give_out, given_out) = mpsc::channel::<usize>();
        let (hand_in, handed_in) = mpsc::channel();
        let (given_out, merge) = (Arc::new(Mutex::new(given_out)), &merge);
        for _ in 0..threads {
            let (given_out, hand_in) = (given_out.clone(), hand_in.clone());
            scope.spawn(move || {
                loop {
                    let next = given_out.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(part) = next else { return };
                    // All would wait forever for a part that is not handed in. After an error none
                    // of what `merge` has left is used again.
                    let merged = panic::catch_unwind(AssertUnwindSafe(|| merge(part)));
                    let merged = merged.unwrap_or_else(|_| Err(panicked()));
                    if hand_in.send((part, merged)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(hand_in);
        let mut not_given_out = 0..parts;
        let mut give_out = |count| {
            for part in not_given_out.by_ref().take(count) {
                // That no thread is left is noticed below.
                let _ = give_out.send(part);
            }
        };
        give_out(MAX_PARTS.min(4 * threads));
        // Parts that are done before an earlier one.
        let mut early = BTreeMap::new();
        for part in 0..parts {
            let in_turn = loop {
                if let Some(merged) = early.remove(&part) {
                    break merged;
                }
                let (number, merged) = handed_in.recv().map_err(|_| panicked())?;
                early.insert(number, merged);
            };
            write(in_turn?)?;
            give_out(1);
        }
        Ok(())
    })
}

/// The error for a part if the thread that merged it has panicked. The index is not damaged: the
/// old one remains.
fn panicked() -> Error {
    Error::Io(io::Error::other("a thread panicked while it merged lists"))
}

/// Divides the buckets of grams into parts that are merged at once.
fn parts_of(sources: &[MergeInput<'_>]) -> Result<Vec<Range<u32>>, Error> {
    let mut lens = vec![0; BUCKETS as usize];
    for source in sources {
        let of_source = match source {
            MergeInput::Run { run, file, .. } => run.bucket_lens(file)?,
            MergeInput::Segment { segment, .. } => segment.bucket_lens()?,
        };
        lens.iter_mut().zip(of_source).for_each(|(len, of_one)| *len += of_one);
    }
    let (mut parts, mut start, mut part_len) = (Vec::new(), 0, 0);
    for (len, bucket) in lens.into_iter().zip(0..) {
        if part_len + len > PART_BYTES && bucket > start {
            parts.push(start..bucket);
            (start, part_len) = (bucket, 0);
        }
        part_len += len;
    }
    parts.push(start..BUCKETS);
    Ok(parts)
}

fn merge_part(
    sources: &[MergeInput<'_>],
    buckets: Range<u32>,
    blocks: u32,
) -> Result<MergedPart, Error> {
    let mut parts = Vec::with_capacity(sources.len());
    for source in sources {
        parts.push(source.part(buckets.clone())?);
    }
    let mut heap = BinaryHeap::new();
    for (index, part) in parts.iter_mut().enumerate() {
        heap.extend(part.next_gram()?.map(|gram| Reverse((gram, index))));
    }
    let (mut merged, mut list) = (MergedPart::default(), MergedList::default());
    while let Some(&Reverse((gram, _))) = heap.peek() {
        list.clear();
        while let Some(&Reverse((next, index))) = heap.peek()
            && next == gram
        {
            heap.pop();
            let part = &mut parts[index];
            part.append_blocks(&mut list)?;
            heap.extend(part.next_gram()?.map(|gram| Reverse((gram, index))));
        }
        merged.add(gram, &mut list, blocks);
    }
    Ok(merged)
}

/// A part of a source.
enum SourcePart<'s> {
    Run { part: RunPart, base: u32 },
    Segment { lists: ListDecoder, list: Option<StoredList>, numbers: &'s [u32] },
}

impl MergeInput<'_> {
    fn part(&self, buckets: Range<u32>) -> Result<SourcePart<'_>, Error> {
        match self {
            MergeInput::Run { run, file, base } => {
                Ok(SourcePart::Run { part: run.read(buckets, file)?, base: *base })
            }
            MergeInput::Segment { segment, numbers } => {
                let lists = segment.decoder(buckets)?;
                Ok(SourcePart::Segment { lists, list: None, numbers })
            }
        }
    }
}

impl SourcePart<'_> {
    fn next_gram(&mut self) -> Result<Option<Gram>, Error> {
        match self {
            SourcePart::Run { part, .. } => part.next_gram(),
            SourcePart::Segment { lists, list, .. } => {
                let next = lists.next()?;
                *list = next.map(|(_, list)| list);
                Ok(next.map(|(gram, _)| gram))
            }
        }
    }

    /// Appends the blocks for the gram that was returned last.
    fn append_blocks(&mut self, to: &mut MergedList) -> Result<(), Error> {
        match self {
            SourcePart::Run { part, base } => {
                to.append(&part.postings().ok_or_else(|| unlike_written("a list"))?, *base);
                Ok(())
            }
            SourcePart::Segment { lists, list, numbers } => {
                let Some(list) = list.take() else { return Ok(()) };
                lists.decode(list, |block| match numbers.get(block as usize) {
                    None | Some(&LEFT_OUT) => {}
                    Some(&number) => to.push(number),
                })
            }
        }
    }
}

/// A list of blocks in the new segment.
#[derive(Default)]
struct MergedList {
    gaps: BitWriter,
    count: u32,
    last: Option<u32>,
}

impl MergedList {
    fn clear(&mut self) {
        self.gaps.clear();
        (self.count, self.last) = (0, None);
    }

    fn push(&mut self, block: u32) {
        self.gaps.write(block + 1 - self.last.map_or(0, |last| last + 1));
        self.count += 1;
        self.last = Some(block);
    }

    fn append(&mut self, postings: &Postings<'_>, base: u32) {
        postings.append_gaps_to(base, self.last, &mut self.gaps);
        self.count += postings.count;
        self.last = Some(base + postings.last);
    }
}

impl MergedPart {
    fn add(&mut self, gram: Gram, list: &mut MergedList, blocks: u32) {
        let Some(last) = list.last else { return };
        let offset = self.lists.len() as u64;
        let coded = list.gaps.finish();
        let bitmap = blocks.div_ceil(8) as usize;
        let place = if list.count == 1 {
            ListPlace::Single(last)
        } else if coded.len() <= bitmap {
            write_varint(&mut self.lists, u64::from(list.count));
            self.lists.extend_from_slice(coded);
            ListPlace::Gaps(offset)
        } else {
            let start = self.lists.len();
            self.lists.resize(start + bitmap, 0);
            let (mut gaps, mut next) = (GammaReader::new(coded), 0);
            while let Some(gap) = gaps.next() {
                next += gap;
                self.lists[start + (next - 1) as usize / 8] |= 1 << ((next - 1) % 8);
            }
            ListPlace::Bits(offset)
        };
        self.entries.push(MergedGram { gram, place, offset });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part that is known by its bytes.
    fn numbered(part: usize) -> MergedPart {
        MergedPart { lists: vec![part as u8], entries: Vec::new() }
    }

    #[test]
    fn parts_are_written_in_their_order() {
        for threads in [1, 3] {
            let mut written = Vec::new();
            let merge = |part| {
                if part % 4 == 0 {
                    thread::yield_now();
                }
                Ok(numbered(part))
            };
            let write = |part: MergedPart| {
                written.extend(part.lists);
                Ok(())
            };
            merge_in_order(200, threads, merge, write).unwrap();
            assert!(written.into_iter().eq(0..200));
        }
    }

    #[test]
    fn a_panic_or_an_error_ends_the_merge() {
        for (threads, bad) in [(1, 0), (3, 0), (3, 20), (3, 199)] {
            for panics in [false, true] {
                let mut written = 0;
                let merge = |part| match part == bad {
                    true if panics => panic!("as a test expects"),
                    true => Err(Error::Io(io::Error::other("a test's own"))),
                    false => Ok(numbered(part)),
                };
                let write = |_| {
                    written += 1;
                    Ok(())
                };
                let error = merge_in_order(200, threads, merge, write).unwrap_err();
                assert!(!error.is_damage());
                let expected = if panics { "panicked" } else { "a test's own" };
                assert!(error.to_string().contains(expected), "{error}");
                assert_eq!(written, bad);
            }
        }
    }
}
