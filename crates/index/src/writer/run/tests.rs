//! Runs against maps, and their memory.

use std::collections::BTreeMap;

use super::*;
use crate::{gamma::GammaReader, gram::FREQUENT_GRAMS, gram_set::MAX_GRAMS};

#[test]
fn runs_are_read_as_written() {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut builder = RunBuilder::new(RunLimits { blocks: u32::MAX, bytes: 64 << 20 });
    for blocks in [1, 2, 700, 3000] {
        let mut expected = BTreeMap::<u32, Vec<u32>>::new();
        for block in 0..blocks {
            let mut grams: Vec<_> =
                (0..300).filter(|gram| rng.u32(..).is_multiple_of(gram + 1)).collect();
            grams.extend([rng.u32(..) >> 8, FREQUENT_GRAMS, GRAMS as u32 - 1]);
            assert!(!builder.add(&grams));
            grams.iter().for_each(|&gram| expected.entry(gram).or_default().push(block));
        }
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"before").unwrap();
        let (run, end) = builder.write(7, 6, &mut file).unwrap();
        assert_eq!(file.metadata().unwrap().len(), end);
        let mut found = BTreeMap::new();
        let lens = run.bucket_lens(&file).unwrap();
        let mut start = 0;
        while start < BUCKETS {
            let buckets = start..BUCKETS.min(start + rng.u32(1..3000));
            let mut part = run.read(buckets.clone(), &file).unwrap();
            let lens = &lens[buckets.start as usize..buckets.end as usize];
            assert_eq!(part.bytes.len() as u64, lens.iter().sum::<u64>());
            while let Some(gram) = part.next_gram().unwrap() {
                assert!(buckets.contains(&bucket_of(gram)));
                let postings = part.postings().unwrap();
                let mut writer = BitWriter::default();
                postings.append_gaps_to(0, None, &mut writer);
                let (mut gaps, mut blocks) = (GammaReader::new(writer.finish()), Vec::new());
                while let Some(gap) = gaps.next() {
                    blocks.push(blocks.last().map_or(gap - 1, |last| last + gap));
                }
                assert_eq!(blocks.len(), postings.count as usize);
                assert_eq!(blocks.last(), Some(&postings.last));
                found.insert(gram.number(), blocks);
            }
            start = buckets.end;
        }
        assert_eq!(found, expected);
        builder.clear();
    }
}

/// How many tables, lists and words are allocated.
fn allocated(builder: &RunBuilder) -> [usize; 3] {
    let RunBuilder { tables, lists, words, .. } = builder;
    [tables.items.capacity(), lists.items.capacity(), words.items.capacity()]
}

#[test]
fn a_run_is_full_before_its_memory_grows() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut alone = 0;
    for bytes in [0, 1 << 10, 1 << 18, 2 << 20] {
        let mut builder = RunBuilder::new(RunLimits { blocks: u32::MAX, bytes });
        let most = allocated(&builder);
        let beyond = MAX_BLOCK_GRAMS
            * (GRAMS_PER_TABLE * 4 + size_of::<GrowingList>() + WORDS_PER_PIECE as usize * 4);
        assert!(
            most[0] * GRAMS_PER_TABLE * 4 + most[1] * size_of::<GrowingList>() + most[2] * 4
                <= bytes + MIN_TABLES * GRAMS_PER_TABLE * 4 + beyond + 4096
        );
        // Grams of noise, of text, and those of few blocks alone, some of them in large blocks.
        for (range, most_grams) in
            [(GRAMS as u32, MAX_GRAMS), (GRAMS as u32, 4096), (FREQUENT_GRAMS, 4096), (5000, 4096)]
        {
            for _ in 0..2 {
                loop {
                    let count = if rng.u8(..8) == 0 { 8 * most_grams } else { most_grams };
                    let count = count.min(MAX_GRAMS);
                    let mut grams: Vec<_> = (0..count).map(|_| rng.u32(..range)).collect();
                    grams.sort_unstable();
                    grams.dedup();
                    if !builder.has_room(&grams) {
                        break;
                    }
                    let is_alone = grams.len() > MAX_BLOCK_GRAMS && builder.is_empty();
                    let is_full = builder.add(&grams);
                    assert!(is_alone || allocated(&builder) == most, "{bytes} {range}");
                    alone += usize::from(allocated(&builder) != most);
                    if is_full {
                        break;
                    }
                }
                builder.clear();
                assert_eq!(allocated(&builder), most, "{bytes} {range}");
            }
        }
    }
    assert!(alone > 0);
}
