//! Indexes and bitmaps that the tests write themselves. `tests/choose.rs` at the top has those
//! that git writes.

use fastrand::Rng;

use super::{
    TrackedFiles,
    bitmap::positions,
    check_index,
    index::{Entry, IndexFile, Link, parse},
    input::Input,
};

const FILE: u32 = 0o100_644;

fn entry(name: &str, mode: u32) -> Entry {
    Entry { name: name.as_bytes().into(), mode }
}

/// A random bitmap: the positions of its bits, and how git would write it.
fn bitmap(rng: &mut Rng) -> (Vec<usize>, Vec<u8>) {
    let (mut set, mut words, mut at) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rng.usize(..4) {
        let (value, run, plain) = (rng.bool(), rng.usize(..3), rng.usize(..3));
        words.push(u64::from(value) | (run as u64) << 1 | (plain as u64) << 33);
        set.extend((at..at + 64 * run).filter(|_| value));
        at += 64 * run;
        for _ in 0..plain {
            let word = rng.u64(..);
            words.push(word);
            set.extend((0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| at + bit));
            at += 64;
        }
    }
    // The last word may be used in part.
    let bits = at - if at > 0 { rng.usize(..64) } else { 0 };
    set.retain(|position| *position < bits);
    let mut bytes = Vec::new();
    bytes.extend((bits as u32).to_be_bytes());
    bytes.extend((words.len() as u32).to_be_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend(0u32.to_be_bytes());
    (set, bytes)
}

#[test]
fn bitmaps_are_read_as_they_are_written() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..2000 {
        let (set, bytes) = bitmap(&mut rng);
        let mut input = Input(&bytes);
        assert_eq!(positions(&mut input), Ok(set));
        assert_eq!(input.0, b"");
        let short = rng.usize(..bytes.len());
        assert!(positions(&mut Input(&bytes[..short])).is_err());
    }
}

/// An index with these entries, as git would write it.
fn written(file: &IndexFile, version: u32, hash_len: usize, bitmaps: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend((file.entries.len() as u32).to_be_bytes());
    let mut before: &[u8] = b"";
    for entry in &file.entries {
        let start = bytes.len();
        bytes.extend([7; 24]);
        bytes.extend(entry.mode.to_be_bytes());
        bytes.extend(vec![9; 12 + hash_len]);
        let has_more = version > 2 && entry.name.len() % 2 == 1;
        let flags = entry.name.len().min(0xfff) as u16 | if has_more { 0x4000 } else { 0 };
        bytes.extend(flags.to_be_bytes());
        bytes.extend(if has_more { &[0x20, 0][..] } else { &[] });
        if version == 4 {
            let same = before.iter().zip(&entry.name).take_while(|(a, b)| a == b).count();
            let mut dropped = before.len() - same;
            let mut number = vec![(dropped % 128) as u8];
            while dropped >= 128 {
                dropped = dropped / 128 - 1;
                number.insert(0, (dropped % 128) as u8 | 0x80);
            }
            bytes.extend(number);
            bytes.extend(&entry.name[same..]);
            bytes.push(0);
            before = &entry.name;
        } else {
            bytes.extend(&*entry.name);
            bytes.extend(vec![0; 8 - (bytes.len() - start) % 8]);
        }
    }
    let mut extension = |name: &[u8], contents: &[u8]| {
        bytes.extend(name);
        bytes.extend((contents.len() as u32).to_be_bytes());
        bytes.extend(contents);
    };
    extension(b"TREE", b"whatever");
    if let Some(link) = &file.link {
        extension(b"link", &[&link.base, bitmaps.concat().as_slice()].concat());
    }
    bytes.extend(vec![5; hash_len]);
    bytes
}

/// Random entries, sorted.
fn entries(rng: &mut Rng) -> Vec<Entry> {
    let mut names: Vec<String> = (0..rng.usize(..20))
        .map(|_| {
            let part = |rng: &mut Rng| {
                let long = "l".repeat(if rng.usize(..40) == 0 { 5000 } else { 1 });
                [*rng.choice(&["a", "b.c", "é", "-"]).unwrap(), &long].concat()
            };
            (0..1 + rng.usize(..3)).map(|_| part(rng)).collect::<Vec<_>>().join("/")
        })
        .collect();
    names.sort();
    names.dedup();
    names.iter().map(|name| entry(name, FILE)).collect()
}

#[test]
fn indexes_are_read_as_they_are_written() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..500 {
        let hash_len = *rng.choice(&[20, 32]).unwrap();
        let version = rng.u32(2..=4);
        let mut bitmaps = Vec::new();
        let link = rng.bool().then(|| {
            let ((deleted, one), (replaced, other)) = (bitmap(&mut rng), bitmap(&mut rng));
            bitmaps = vec![one, other];
            Link { base: vec![3; hash_len].into(), deleted, replaced }
        });
        let file = IndexFile { entries: entries(&mut rng), link };
        let bytes = written(&file, version, hash_len, &bitmaps);
        assert_eq!(parse(&bytes).as_ref(), Ok(&file), "version {version}");
        // What is damaged may be read, but does no harm.
        let mut damaged = bytes.clone();
        let at = rng.usize(..damaged.len());
        damaged[at] = rng.u8(..);
        check_index(&damaged, &bytes);
        check_index(&bytes[..at], &bytes);
        check_index(&bytes, &damaged);
    }
}

#[test]
fn names_that_explode_are_refused() {
    let name = "x".repeat(3000);
    let entries = (0..3000).map(|_| entry(&name, FILE)).collect();
    let bytes = written(&IndexFile { entries, link: None }, 4, 20, &[]);
    assert_eq!(parse(&bytes), Err("its names are too long"));
}

#[test]
fn a_split_index_changes_the_shared_one() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..500 {
        let shared = entries(&mut rng);
        let some = |rng: &mut Rng| (0..shared.len()).filter(|_| rng.usize(..3) == 0).collect();
        let (deleted, replaced): (Vec<usize>, Vec<usize>) = (some(&mut rng), some(&mut rng));
        let added = entries(&mut rng);
        let own = replaced.iter().map(|_| entry("", FILE)).chain(added.iter().cloned()).collect();
        let mut expected: Vec<_> = shared
            .iter()
            .enumerate()
            .filter(|(position, _)| !deleted.contains(position))
            .map(|(_, entry)| entry)
            .chain(&added)
            .map(|entry| entry.name.clone())
            .collect();
        expected.sort();
        expected.dedup();
        let link = Some(Link { base: [1; 20].into(), deleted, replaced });
        let index = IndexFile { entries: own, link };
        let tracked = TrackedFiles::new(index, IndexFile { entries: shared, link: None }).unwrap();
        let found: Vec<_> = tracked.entries.iter().map(|entry| entry.name.clone()).collect();
        assert_eq!(found, expected);
    }
    let link = Some(Link { base: [1; 20].into(), deleted: vec![0], replaced: vec![] });
    let index = IndexFile { entries: vec![], link };
    assert!(TrackedFiles::new(index, IndexFile::default()).is_err());
}

#[test]
fn directories_contain_what_lies_below() {
    let entries = vec![
        entry("a-b", FILE),
        entry("a/b/c", FILE),
        entry("a0", FILE),
        entry("module", 0o160_000),
        entry("sparse/", 0o040_000),
    ];
    let tracked =
        TrackedFiles::new(IndexFile { entries, link: None }, IndexFile::default()).unwrap();
    for (path, expected) in [
        ("a-b", true),
        ("a", false),
        ("a/b", false),
        ("a/b/c", true),
        ("a/b/c/d", false),
        ("module", false),
        ("module/x", false),
        ("sparse/x", true),
        ("sparse/x/y", true),
        ("sparse2/x", false),
        ("z", false),
    ] {
        assert_eq!(tracked.contains_file(path.as_bytes()), expected, "{path}");
    }
    for (path, expected) in [
        ("a-b/", false),
        ("a/", true),
        ("a/b/", true),
        ("a/b/c/", false),
        ("module/", true),
        ("sparse/", true),
        ("sparse/x/", true),
        ("b/", false),
        ("", false),
    ] {
        let found = !path.is_empty() && tracked.contains_dir(path.as_bytes());
        assert_eq!(found, expected, "{path}");
    }
}
