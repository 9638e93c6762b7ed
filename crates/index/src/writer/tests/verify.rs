//! Verifying indexes, also those that claim what is not so.

use std::{
    fs::{self, File},
    path::Path,
    thread,
    time::Duration,
};

use super::{
    text,
    update::{Changing, stamp},
};
use crate::{
    Error,
    layout::{FileRecord, Mark, SEGMENT, SegmentParts},
    manifest::{Manifest, segment_name},
    pages::PageWriter,
    writer::{Builder, Verified, Verifier},
};

impl Changing {
    pub(super) fn verify(&self) -> Result<Verified, Error> {
        let verifier = Verifier::new(&self.dir(), &self.root)?;
        let mut collector = verifier.collector();
        for path in self.contents.keys() {
            collector.add(&stamp(path), &mut File::open(path).unwrap())?;
        }
        drop(collector);
        verifier.finish(2)
    }
}

#[test]
fn verifying_compares_what_files_contain() {
    let mut rng = fastrand::Rng::with_seed(20);
    let mut tree = Changing::new();
    assert!(matches!(tree.verify(), Err(Error::Absent)));
    for name in 0..30 {
        tree.write(&name.to_string(), &text(&mut rng));
    }
    tree.update();
    tree.write("30", b"alpha bravo\n");
    tree.update();
    let verified = tree.verify().unwrap();
    assert_eq!((verified.files, verified.changed, verified.differing.len()), (31, 0, 0));

    tree.write("7", b"changed\n");
    let verified = tree.verify().unwrap();
    assert_eq!((verified.files, verified.changed, verified.differing.len()), (30, 1, 0));

    // An index that claims that a file contained what another one does.
    tree.write("8", b"bravo alpha\n");
    tree.write("9", b"alpha bravo\n");
    thread::sleep(Duration::from_millis(120));
    let builder = Builder::update(&tree.dir(), &tree.root).unwrap();
    let mut collector = builder.collector();
    assert!(collector.keep(&stamp(&tree.root.join("10"))));
    collector.add(&mut File::open(tree.root.join("8")).unwrap()).unwrap();
    drop(collector);
    let claimed = stamp(&tree.root.join("9"));
    builder.workspace.collected.lock().unwrap()[0].files[0].stamp = claimed;
    builder.finish(1).unwrap();
    let verified = tree.verify().unwrap();
    assert_eq!((verified.files, verified.changed, verified.differing), (1, 0, vec![claimed]));
}

/// Writes the only segment of an index again, with one bit changed, and all checksums as they are
/// for what is written.
fn rewrite_segment(dir: &Path, at: impl FnOnce(SegmentParts) -> u64) {
    let (mut manifest, _) = Manifest::read(dir).unwrap();
    let info = &mut manifest.segments[0];
    let path = dir.join(segment_name(info.number));
    let (pages, parts) = SEGMENT.open(&path, info.len, info.checksum).unwrap();
    let end = parts.iter().map(|part| part.end).max().unwrap();
    let mut bytes = pages.read(0..end).unwrap().to_vec();
    bytes[at(parts.clone().into()) as usize] ^= 1 << 3;
    let mut writer = PageWriter::new(Vec::new());
    writer.write(&bytes).unwrap();
    info.checksum = SEGMENT.finish(&mut writer, parts).unwrap().checksum;
    fs::write(path, writer.out()).unwrap();
    manifest.publish(dir).unwrap();
}

#[test]
fn verifying_compares_what_the_index_has_twice() {
    let mut tree = Changing::new();
    for name in 0..5 {
        tree.write(&name.to_string(), &b"alpha bravo\n".repeat(1000));
    }
    let fault = |at: &dyn Fn(SegmentParts) -> u64| {
        Builder::new(&tree.dir(), &tree.root).unwrap().finish(1).unwrap();
        assert_eq!(tree.update().files, 5);
        rewrite_segment(&tree.dir(), at);
        tree.home.find(&tree.root).unwrap().check().unwrap();
        match tree.verify() {
            Err(error) => error.to_string(),
            Ok(verified) => format!("{verified:?}"),
        }
    };
    // The padding of a record, which is in no other table.
    let text = fault(&|parts| parts.files.start + FileRecord::ENCODED_LEN as u64 - 1);
    assert!(text.starts_with("Verified { files: 5, changed: 0, differing: [] }"), "{text}");
    for mark in 0..Mark::ALL.len() as u64 {
        let text = fault(&|parts| parts.marks.start + mark);
        assert!(text.ends_with("the index is damaged (the marks of files)"), "{text}");
        assert!(text.starts_with(tree.dir().join("segment-").to_str().unwrap()), "{text}");
    }
    let text = fault(&|parts| parts.starts.start);
    assert!(text.ends_with("the index is damaged (the starts of files)"), "{text}");
    let text = fault(&|parts| parts.files.start + FileRecord::ENCODED_LEN as u64 + 36);
    assert!(text.contains("the index is damaged (the "), "{text}");
}
