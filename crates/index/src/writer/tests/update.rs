//! Updates of an index while its tree changes.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::DirEntryExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use super::text;
use crate::{
    EntryKind, Error, Home, Plan, Scope, SnapshotBuilder, Stamp, Verdict,
    writer::{Builder, Built, builder::MAX_SMALL, decoded::is_decoded},
};

/// A tree with an index, and what its files contain.
pub(super) struct Changing {
    _temp: TempDir,
    pub(super) home: Home,
    pub(super) root: PathBuf,
    pub(super) contents: BTreeMap<PathBuf, Vec<u8>>,
}

impl Changing {
    pub(super) fn new() -> Changing {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("tree");
        fs::create_dir(&root).unwrap();
        let home = Home::new(temp.path().join("home"));
        Changing { _temp: temp, home, root, contents: BTreeMap::new() }
    }

    pub(super) fn with_home(home: PathBuf) -> Changing {
        Changing { home: Home::new(home), ..Changing::new() }
    }

    /// Notes what a file contains now.
    pub(super) fn note(&mut self, name: &str, bytes: Vec<u8>) {
        self.contents.insert(self.root.join(name), bytes);
    }

    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) {
        let path = self.root.join(name);
        fs::write(&path, bytes).unwrap();
        self.contents.insert(path, bytes.to_vec());
    }

    pub(super) fn dir(&self) -> PathBuf {
        self.home.dir_of(&self.root)
    }

    /// Waits until the files are settled, and brings the index up to date.
    pub(super) fn update(&self) -> Built {
        thread::sleep(Duration::from_millis(120));
        self.try_update().unwrap()
    }

    pub(super) fn try_update(&self) -> Result<Built, Error> {
        let builder = Builder::update(&self.dir(), &self.root)?;
        self.collect(&builder)?;
        builder.finish(2)
    }

    /// Waits until the files are settled, and brings the index up to date with a snapshot.
    fn update_with_snapshot(&self) -> Built {
        thread::sleep(Duration::from_millis(120));
        let mut snapshot = SnapshotBuilder::default();
        snapshot.dir(b"", stamp(&self.root), 0);
        for entry in fs::read_dir(&self.root).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            snapshot.entry(name.as_encoded_bytes(), EntryKind::File, entry.ino(), 0);
        }
        let builder = Builder::update(&self.dir(), &self.root).unwrap();
        self.collect(&builder).unwrap();
        builder.finish_with_snapshot(2, snapshot).unwrap()
    }

    pub(super) fn collect(&self, builder: &Builder) -> Result<(), Error> {
        let mut collector = builder.collector();
        for entry in fs::read_dir(&self.root).unwrap() {
            let path = entry.unwrap().path();
            if !collector.keep(&stamp(&path)) {
                collector.add(&mut File::open(path).unwrap())?;
            }
        }
        Ok(())
    }

    /// Checks that nothing that matches is left out. Returns how many files cannot match, and how
    /// many are not covered.
    pub(super) fn check(&self) -> (usize, usize) {
        self.try_check().unwrap()
    }

    pub(super) fn try_check(&self) -> Result<(usize, usize), Error> {
        let index = self.home.find(&self.root)?;
        let (mut excluded, mut unknown) = (0, 0);
        for needle in ["bravo", "echo x", "foo(b", "charliealpha", "aaaa"] {
            let plan = Plan::of(
                &regex_syntax::parse(&format!("(?i){}", regex_syntax::escape(needle))).unwrap(),
            );
            let candidates = index.candidates(&plan, Scope::Line)?;
            for (path, bytes) in &self.contents {
                let verdict = candidates.verdict(&stamp(path));
                excluded += usize::from(verdict == Verdict::CannotMatch);
                unknown += usize::from(verdict == Verdict::NotCovered);
                let lower = bytes.to_ascii_lowercase();
                let is_in = lower.windows(needle.len()).any(|window| window == needle.as_bytes());
                assert!(
                    !is_in || verdict != Verdict::CannotMatch,
                    "{needle} in {}",
                    path.display()
                );
                self.check_ranges(&candidates, path, &lower, needle)?;
            }
        }
        Ok((excluded, unknown))
    }

    /// Checks that every occurrence lies in a range, and that ranges are as described.
    fn check_ranges(
        &self,
        candidates: &crate::Candidates,
        path: &Path,
        lower: &[u8],
        needle: &str,
    ) -> Result<(), Error> {
        let Some(ranges) = candidates.ranges(&stamp(path))? else { return Ok(()) };
        let whole = |range: &crate::CandidateRange| {
            range.offset as usize..(range.offset + range.len) as usize
        };
        for range in &ranges {
            let before =
                lower[..range.offset as usize].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(before as u64, range.lines_before);
            assert!(range.offset == 0 || lower[range.offset as usize - 1] == b'\n');
        }
        for (at, window) in lower.windows(needle.len()).enumerate() {
            let is_inside = || ranges.iter().any(|range| whole(range).contains(&at));
            assert!(
                window != needle.as_bytes() || is_inside(),
                "{needle} at {at} of {}",
                path.display()
            );
        }
        Ok(())
    }
}

pub(super) fn stamp(path: &Path) -> Stamp {
    Stamp::of(&fs::metadata(path).unwrap()).unwrap()
}

#[test]
fn an_update_reads_what_has_changed() {
    let mut tree = Changing::new();
    for name in 0..20 {
        tree.write(&name.to_string(), b"alpha bravo\n");
    }
    let built = tree.update();
    assert_eq!((built.files, built.text, built.kept, built.dropped), (20, 240, 0, 0));
    let manifest = || fs::read(tree.dir().join("manifest")).unwrap();
    let before = manifest();
    let built = tree.update();
    assert_eq!((built.files, built.kept, built.dropped), (20, 20, 0));
    assert_eq!(manifest(), before);

    tree.write("3", b"charlie\n");
    tree.write("new", b"charlie\n");
    fs::remove_file(tree.root.join("4")).unwrap();
    tree.contents.remove(&tree.root.join("4"));
    let (_, unknown) = tree.check();
    assert_eq!(unknown, 2 * 5);
    let built = tree.update();
    assert_eq!((built.files, built.text, built.kept, built.dropped), (20, 18 * 12 + 16, 18, 2));
    assert_eq!(tree.check().1, 0);
    let index = tree.home.find(&tree.root).unwrap();
    assert_eq!((index.files_covered(), index.text()), (20, 232));

    fs::rename(tree.root.join("5"), tree.root.join("moved")).unwrap();
    for path in fs::read_dir(&tree.root).unwrap() {
        let path = path.unwrap().path();
        if !path.ends_with("moved") {
            fs::remove_file(path).unwrap();
        }
    }
    let built = tree.update();
    // A renamed file has another time of change.
    assert_eq!((built.files, built.kept), (1, 0));
    fs::remove_file(tree.root.join("moved")).unwrap();
    let built = tree.update();
    let index = tree.home.find(&tree.root).unwrap();
    assert_eq!((built.files, built.size, index.segments()), (0, index.size(), 0));
}

/// A tree with a file so large that what is added later remains in segments of its own.
fn with_large_file(rng: &mut fastrand::Rng) -> Changing {
    let mut tree = Changing::new();
    let large: Vec<_> = (0..500).flat_map(|_| text(rng)).collect();
    tree.write("large", &large);
    tree
}

#[test]
fn what_is_merged_is_what_would_be_built_anew() {
    let mut rng = fastrand::Rng::with_seed(12);
    let mut tree = with_large_file(&mut rng);
    for name in 0..40 {
        tree.write(&name.to_string(), &text(&mut rng));
    }
    tree.update();
    let (mut most, mut excluded) = (0, 0);
    for step in 0..25 {
        for _ in 0..rng.usize(..=step % 4) {
            let name = rng.usize(..60).to_string();
            match rng.u8(..4) {
                0 => {
                    let _ = fs::remove_file(tree.root.join(&name));
                    let path = tree.root.join(name);
                    tree.contents.remove(&path);
                }
                _ => tree.write(&name, &text(&mut rng)),
            }
        }
        tree.check();
        let built = tree.update();
        let (now_excluded, unknown) = tree.check();
        excluded += now_excluded;
        assert_eq!((unknown, built.files), (0, tree.contents.len() as u64));
        let segments = tree.home.find(&tree.root).unwrap().segments();
        most = most.max(segments);
        let files = fs::read_dir(tree.dir()).unwrap().count();
        assert_eq!(files, segments + 3, "manifest, lock, tag and segments");
    }
    assert!((3..=MAX_SMALL + 1).contains(&most), "{most}");
    assert!(excluded > 1000, "{excluded}");
}

#[test]
fn a_snapshot_has_the_numbers_of_files() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut tree = Changing::new();
    for name in 0..30 {
        tree.write(&name.to_string(), &text(&mut rng));
    }
    tree.update_with_snapshot();
    tree.write("31", &text(&mut rng));
    tree.write("7", &text(&mut rng));
    for round in 0..2 {
        let built = tree.update_with_snapshot();
        assert_eq!((built.files, built.kept), (31, 29 + 2 * round));
        let index = tree.home.find(&tree.root).unwrap();
        assert_eq!(index.size(), built.size);
        index.check().unwrap();
        let snapshot = index.snapshot().unwrap().unwrap();
        let dirs = snapshot.read(0..1).unwrap();
        assert_eq!(dirs.get(0).unwrap().entries().filter_map(|entry| entry.file()).count(), 31);
        for needle in ["bravo", "charliealpha", "0x1f x"] {
            let plan = Plan::of(&regex_syntax::parse(needle).unwrap());
            let candidates = index.candidates(&plan, Scope::Line).unwrap();
            let mut paths: Vec<_> = candidates
                .files(false)
                .into_iter()
                .flat_map(|file| snapshot.paths(file).unwrap())
                .collect();
            paths.sort_unstable();
            let may_match = |path: &&PathBuf| candidates.verdict(&stamp(path)) == Verdict::MayMatch;
            let name = |path: &PathBuf| path.file_name().unwrap().as_encoded_bytes().to_vec();
            let expected: Vec<_> = tree.contents.keys().filter(may_match).map(name).collect();
            assert_eq!(paths, expected);
        }
    }
    // Without changes the snapshot remains, but not with files that it does not know.
    tree.update();
    assert!(tree.home.find(&tree.root).unwrap().snapshot().unwrap().is_some());
    tree.write("32", b"alpha\n");
    tree.update();
    assert!(tree.home.find(&tree.root).unwrap().snapshot().unwrap().is_none());
}

#[test]
fn files_that_may_match_are_those_with_such_a_verdict() {
    let mut rng = fastrand::Rng::with_seed(12);
    let mut tree = with_large_file(&mut rng);
    for round in 0..3 {
        for name in 0..12 {
            let mut bytes = text(&mut rng);
            match name % 4 {
                0 => bytes.insert(0, 0),
                1 => bytes.extend("\u{212a}\n\0".bytes()),
                2 => bytes.clear(),
                _ => {}
            }
            if is_decoded(&bytes) {
                bytes.clear();
            }
            tree.write(&format!("{round} {name}"), &bytes);
        }
        tree.update_with_snapshot();
    }
    let index = tree.home.find(&tree.root).unwrap();
    assert!(index.segments() > 1);
    let snapshot = index.snapshot().unwrap().unwrap();
    for (needle, skips_binary) in
        [("bravo", true), ("bravo", false), ("(?i)bravok", true), ("charliealpha\nb", false)]
    {
        let plan = Plan::of(&regex_syntax::parse(needle).unwrap());
        for scope in [Scope::Line, Scope::File] {
            let candidates = || index.candidates(&plan, scope).unwrap();
            for candidates in [
                candidates(),
                candidates().with_special_files(),
                candidates().without_young_files(),
            ] {
                let paths = candidates.files(skips_binary).into_iter();
                let mut paths: Vec<_> =
                    paths.flat_map(|file| snapshot.paths(file).unwrap()).collect();
                paths.sort_unstable();
                let may_match = |path: &&PathBuf| {
                    let stamp = stamp(path);
                    Verdict::CannotMatch
                        != match skips_binary {
                            true => candidates.verdict_without_binary(&stamp),
                            false => candidates.verdict(&stamp),
                        }
                };
                let name = |path: &PathBuf| path.file_name().unwrap().as_encoded_bytes().to_vec();
                let expected: Vec<_> = tree.contents.keys().filter(may_match).map(name).collect();
                assert_eq!(paths, expected, "{needle} {skips_binary} {scope:?}");
            }
        }
    }
}

#[test]
fn two_writers_do_not_meet() {
    let tree = Changing::new();
    let builder = Builder::update(&tree.dir(), &tree.root).unwrap();
    let Err(error) = tree.try_update() else { panic!("two writers") };
    let expected =
        format!("{}: process {} is writing the index", tree.dir().display(), std::process::id());
    assert_eq!(error.to_string(), expected);
    assert!(tree.home.drop_index(&tree.root).is_err());
    builder.finish(1).unwrap();
    tree.update();
    tree.home.drop_index(&tree.root).unwrap();
    assert!(matches!(tree.home.find(&tree.root), Err(Error::Absent)));
    assert!(matches!(tree.home.drop_index(&tree.root), Err(Error::Absent)));
}

#[test]
fn readers_find_an_index_while_it_is_replaced() {
    let mut tree = Changing::new();
    tree.write("a", b"alpha\n");
    tree.update();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..300 {
                let builder = Builder::new(&tree.dir(), &tree.root).unwrap();
                builder.collector().add(&mut File::open(tree.root.join("a")).unwrap()).unwrap();
                builder.finish(1).unwrap();
            }
        });
        let plan = Plan::of(&regex_syntax::parse("bravo").unwrap());
        let mut reads = 0;
        while !writer.is_finished() {
            let index = tree.home.find(&tree.root).unwrap();
            let candidates = index.candidates(&plan, Scope::Line).unwrap();
            assert_eq!(candidates.verdict(&stamp(&tree.root.join("a"))), Verdict::CannotMatch);
            reads += 1;
        }
        assert!(reads > 10);
    });
}
