//! Indexes and bitmaps that the tests write themselves. `tests/hs/choose.rs` at the top has those
//! that git writes.

use fastrand::Rng;

use super::{
    TrackedFiles,
    bitmap::Bitmap,
    check_index,
    index::{IndexFile, Link, TrackedEntry, parse},
    input::UnreadBytes,
};

const FILE: u32 = 0o100_644;

fn entry(name: &str, mode: u32) -> TrackedEntry {
    TrackedEntry { name: name.as_bytes().into(), mode }
}

/// A bitmap, from how git would write it.
fn read(bytes: &[u8]) -> Bitmap {
    Bitmap::read(&mut UnreadBytes(bytes)).unwrap()
}

/// The bitmap with bits at these positions, which are sorted, in plain words.
fn bitmap_of(positions: &[usize]) -> Bitmap {
    let mut words = vec![0u64; positions.last().map_or(0, |last| last / 64 + 1)];
    positions.iter().for_each(|at| words[at / 64] |= 1 << (at % 64));
    let marker = (words.len() as u64) << 33;
    words.insert(0, marker);
    read(&written_bitmap(64 * (words.len() - 1), &words))
}

fn written_bitmap(bits: usize, words: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((bits as u32).to_be_bytes());
    bytes.extend((words.len() as u32).to_be_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend(0u32.to_be_bytes());
    bytes
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
    (set, written_bitmap(bits, &words))
}

#[test]
fn bitmaps_are_read_as_they_are_written() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..2000 {
        let (set, bytes) = bitmap(&mut rng);
        let mut input = UnreadBytes(&bytes);
        let read = Bitmap::read(&mut input).unwrap();
        assert_eq!(read.positions().collect::<Vec<_>>(), set);
        assert_eq!(input.0, b"");
        let short = rng.usize(..bytes.len());
        assert!(Bitmap::read(&mut UnreadBytes(&bytes[..short])).is_err());
    }
}

#[test]
fn bitmaps_that_contradict_themselves_are_refused() {
    let marker = |value: u64, run: u64, plain: u64| value | run << 1 | plain << 33;
    for (bits, words, error) in [
        (64, vec![marker(1, 2, 0)], "a run is too long"),
        (64, vec![marker(0, 1, 1), 0], "a bitmap has too many words"),
        (64, vec![marker(0, 0, 1), 0, marker(1, 1, 0)], "a run is too long"),
        (128, vec![marker(0, 0, 2), 0], "a bitmap ends early"),
        ((1 << 28) + 1, vec![], "a bitmap is too large"),
    ] {
        let bytes = written_bitmap(bits, &words);
        assert_eq!(Bitmap::read(&mut UnreadBytes(&bytes)), Err(error), "{words:x?}");
    }
}

#[test]
fn bits_without_entries_take_no_memory() {
    // Both bitmaps have 2^28 bits, which would take 4 GiB as positions.
    let bits = 1 << 28;
    let all = written_bitmap(bits, &[1 | (bits as u64 / 64) << 1]);
    assert_eq!(read(&all).positions().take(3).collect::<Vec<_>>(), [0, 1, 2]);
    let shared = || IndexFile { entries: vec![entry("a", FILE)], link: None };
    let bytes = |deleted: &[u8], replaced: &[u8]| {
        let link = Link { base: [1; 20].into(), ..Link::default() };
        let file = IndexFile { entries: vec![], link: Some(link) };
        written(&file, 2, 20, &[deleted.to_vec(), replaced.to_vec()])
    };
    let none = written_bitmap(0, &[]);
    for (deleted, replaced) in [(&all, &all), (&all, &none), (&none, &all)] {
        let index = parse(&bytes(deleted, replaced)).unwrap();
        let error = TrackedFiles::new(index, shared()).unwrap_err();
        assert_eq!(error, "it does not fit its shared index");
    }
    let index = parse(&bytes(&none, &none)).unwrap();
    assert!(TrackedFiles::new(index, shared()).unwrap().contains_file(b"a"));
}

#[cfg(unix)]
#[test]
fn pipes_are_not_opened_in_place_of_a_repository() {
    let temp = tempfile::tempdir().unwrap();
    let pipe = temp.path().join(".git");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let error = TrackedFiles::read(temp.path(), &|_| false).unwrap_err();
    assert_eq!(error.to_string(), "not a regular file");
}

#[test]
fn files_that_lead_out_are_not_read() {
    let temp = tempfile::tempdir().unwrap();
    let git = temp.path().join(".git");
    std::fs::create_dir(&git).unwrap();
    let file = |name, link| IndexFile { entries: vec![entry(name, FILE)], link };
    let link = Link { base: [1; 20].into(), ..Link::default() };
    let bytes = written(&file("own", Some(link)), 2, 20, &[]);
    std::fs::write(git.join("index"), bytes).unwrap();
    let base = "01".repeat(20);
    let shared = written(&file("shared", None), 2, 20, &[]);
    std::fs::write(git.join(format!("sharedindex.{base}")), shared).unwrap();
    let tracked = TrackedFiles::read(temp.path(), &|_| false).unwrap();
    assert!(tracked.contains_file(b"own") && tracked.contains_file(b"shared"));
    let index = |path: &std::ffi::CStr| path == c".git/index";
    let tracked = TrackedFiles::read(temp.path(), &index).unwrap();
    assert!(!tracked.contains_file(b"own") && !tracked.contains_file(b"shared"));
    let shared = |path: &std::ffi::CStr| !index(path);
    assert!(TrackedFiles::read(temp.path(), &shared).is_err());
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
fn entries(rng: &mut Rng) -> Vec<TrackedEntry> {
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
            let ((_, one), (_, other)) = (bitmap(&mut rng), bitmap(&mut rng));
            let (deleted, replaced) = (read(&one), read(&other));
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
        let (deleted, replaced) = (bitmap_of(&deleted), bitmap_of(&replaced));
        let link = Some(Link { base: [1; 20].into(), deleted, replaced });
        let index = IndexFile { entries: own, link };
        let tracked = TrackedFiles::new(index, IndexFile { entries: shared, link: None }).unwrap();
        let found: Vec<_> = tracked.entries.iter().map(|entry| entry.name.clone()).collect();
        assert_eq!(found, expected);
    }
    let deleted = bitmap_of(&[0]);
    let link = Some(Link { base: [1; 20].into(), deleted, ..Link::default() });
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
