//! Indexes of small trees against what their files contain.

mod crash;
#[cfg(target_os = "linux")]
mod memory;
mod trust;
mod update;
mod verify;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use regex_automata::meta::Regex;
use regex_syntax::ParserBuilder;
use skipped_tests::skip;
use tempfile::TempDir;

use super::decoded::is_decoded;
use crate::{Added, Builder, Error, Home, Index, Plan, Scope, Stamp, Verdict};

/// A tree with an index.
struct Tree {
    temp: TempDir,
    root: PathBuf,
}

impl Tree {
    /// A tree of files with these contents, which are settled.
    fn new(contents: &[Vec<u8>]) -> Tree {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("tree");
        fs::create_dir(&root).unwrap();
        for (index, bytes) in contents.iter().enumerate() {
            fs::write(root.join(index.to_string()), bytes).unwrap();
        }
        thread::sleep(Duration::from_millis(250));
        Tree { temp, root }
    }

    fn home(&self) -> Home {
        Home::new(self.temp.path().join("home"))
    }

    /// The file of the only segment.
    fn segment_path(&self) -> PathBuf {
        let names = fs::read_dir(self.home().dir_of(&self.root)).unwrap();
        let mut paths = names.map(|entry| entry.unwrap().path());
        let is_segment = |path: &PathBuf| path.to_str().unwrap().contains("/segment-");
        paths.find(is_segment).unwrap()
    }

    fn path(&self, file: usize) -> PathBuf {
        self.root.join(file.to_string())
    }

    fn stamp(&self, file: usize) -> Stamp {
        Stamp::of(&fs::metadata(self.path(file)).unwrap()).unwrap()
    }

    /// Indexes so many files by so many collectors, in runs of so many blocks.
    fn index(&self, files: usize, collectors: usize, run_blocks: u32) -> Index {
        let mut builder = Builder::new(&self.home().dir_of(&self.root), &self.root).unwrap();
        builder.workspace.run_limits.blocks = run_blocks;
        let share = files.div_ceil(collectors);
        for start in (0..files).step_by(share) {
            let mut collector = builder.collector();
            for file in start..files.min(start + share) {
                let mut opened = File::open(self.path(file)).unwrap();
                assert_eq!(collector.add(&mut opened).unwrap(), Added::Covered);
            }
        }
        builder.finish(2).unwrap();
        self.home().find(&self.root).unwrap()
    }
}

/// A text of lines of a few words.
fn text(rng: &mut fastrand::Rng) -> Vec<u8> {
    const WORDS: [&str; 14] = [
        "alpha",
        "Bravo",
        "CHARLIE",
        "delta_echo",
        "x",
        "\t",
        "ß",
        "ſ",
        "\u{212a}",
        "foo(bar)",
        "\0",
        "öÄ",
        "0x1f",
        "\r",
    ];
    let lines = match rng.u8(..8) {
        0 => 0,
        1 => 3000,
        _ => rng.usize(..60),
    };
    let mut text = Vec::new();
    for _ in 0..lines {
        for _ in 0..rng.usize(..6) {
            match rng.u8(..6) {
                0 => text.extend((0..rng.usize(..5)).map(|_| rng.u8(b'a'..b'f'))),
                1 if rng.u8(..50) == 0 => text.push(rng.u8(..)),
                _ => text.extend_from_slice(rng.choice(WORDS).unwrap().as_bytes()),
            }
            text.push(b' ');
        }
        text.push(b'\n');
    }
    // Files that a search decodes are not covered.
    if is_decoded(&text) { Vec::new() } else { text }
}

/// A pattern whose parts occur in such texts.
fn pattern(rng: &mut fastrand::Rng, depth: u8) -> String {
    const PARTS: [&str; 20] = [
        "alpha",
        "ra",
        "vo ",
        "char",
        "a_e",
        "x",
        r"\w",
        "[a-c]",
        "[xyz0]",
        ".",
        r"\s",
        "ß",
        "s",
        "k",
        r"\(bar",
        "0x1",
        r"\d",
        "e",
        "[^a]",
        r"(?-u:\xc3)",
    ];
    let part = |rng: &mut fastrand::Rng| rng.choice(PARTS).unwrap().to_string();
    if depth == 0 {
        return part(rng);
    }
    let mut sub = || pattern(rng, depth - 1);
    let (a, b) = (sub(), sub());
    match rng.u8(..9) {
        0 => format!("(?:{a}|{b})"),
        1 => format!("(?:{a})?{b}"),
        2 => format!("(?:{a})+"),
        3 => format!("(?i:{a}){b}"),
        4 => format!("(?:{a}){{2,3}}{b}"),
        5 => format!("{a}.*{b}"),
        _ => format!("{a}{b}"),
    }
}

#[test]
fn what_cannot_match_does_not() {
    let mut rng = fastrand::Rng::with_seed(11);
    let contents: Vec<_> = (0..80).map(|_| text(&mut rng)).collect();
    let tree = Tree::new(&contents);
    let mut proven = [0; 2];
    for run_blocks in [1, 3000, u32::MAX] {
        let index = tree.index(80, 3, run_blocks);
        for _ in 0..150 {
            let depth = rng.u8(..4);
            let pattern = pattern(&mut rng, depth);
            let hir = ParserBuilder::new().utf8(false).multi_line(true).build().parse(&pattern);
            let hir = hir.unwrap_or_else(|error| panic!("{pattern}: {error}"));
            let plan = Plan::of(&hir);
            let config = Regex::config().utf8_empty(false);
            let regex = Regex::builder().configure(config).build_from_hir(&hir).unwrap();
            for scope in [Scope::Line, Scope::File] {
                let candidates = index.candidates(&plan, scope).unwrap();
                for (file, contents) in contents.iter().enumerate() {
                    let matches = match scope {
                        Scope::Line => {
                            contents.split(|&byte| byte == b'\n').any(|l| regex.is_match(l))
                        }
                        Scope::File => regex.is_match(&contents[..]),
                    };
                    let verdict = candidates.verdict(&tree.stamp(file));
                    assert_ne!(verdict, Verdict::NotCovered);
                    assert!(
                        !matches || verdict == Verdict::MayMatch,
                        "{pattern} in {file}, {scope:?}, runs of {run_blocks}: {plan}"
                    );
                    proven[scope as usize] += usize::from(verdict == Verdict::CannotMatch);
                }
            }
        }
    }
    assert!(proven.iter().all(|&proven| proven > 2000), "{proven:?}");
}

#[test]
fn an_index_is_the_same_in_any_runs() {
    let mut rng = fastrand::Rng::with_seed(4);
    let contents: Vec<_> = (0..30).map(|_| text(&mut rng)).collect();
    let tree = Tree::new(&contents);
    let mut sizes = BTreeMap::new();
    for run_blocks in [1, 100, u32::MAX] {
        tree.index(30, 1, run_blocks);
        sizes.insert(fs::read(tree.segment_path()).unwrap(), run_blocks);
    }
    assert_eq!(sizes.len(), 1);
}

#[test]
fn files_that_changed_are_not_covered() {
    let tree = Tree::new(&[b"alpha\n".to_vec(), b"alpha\n".to_vec(), b"alpha\n".to_vec()]);
    let index = tree.index(3, 2, u32::MAX);
    let plan = Plan::of(&regex_syntax::parse("bravo").unwrap());
    let candidates = index.candidates(&plan, Scope::Line).unwrap();
    let verdict = |file| candidates.verdict(&tree.stamp(file));
    assert!((0..3).all(|file| verdict(file) == Verdict::CannotMatch));
    // The same length, and the same time of modification.
    let modified = fs::metadata(tree.path(0)).unwrap().modified().unwrap();
    fs::write(tree.path(0), b"bravo\n").unwrap();
    File::options().write(true).open(tree.path(0)).unwrap().set_modified(modified).unwrap();
    fs::rename(tree.path(1), tree.path(2)).unwrap();
    assert_eq!(verdict(0), Verdict::NotCovered);
    // A renamed file has another time of change.
    assert_eq!(verdict(2), Verdict::NotCovered);
}

#[test]
fn files_with_early_nul_bytes_are_known() {
    let long = |nul: usize| [&b"alpha\n".repeat(20_000)[..nul], b"\0", b"bravo\n"].concat();
    let contents = [
        (b"alpha\0bravo\n".to_vec(), true),
        (b"alpha bravo\n".to_vec(), false),
        // The first three bytes are searched on their own.
        (b"a\nb\0bravo and alpha\n".to_vec(), false),
        (b"abc\n\0bravo bravo\n".to_vec(), true),
        (long((64 << 10) - 1), true),
        (long(64 << 10), false),
    ];
    let tree = Tree::new(&contents.each_ref().map(|(bytes, _)| bytes.clone()));
    let index = tree.index(6, 2, u32::MAX);
    let plan = Plan::of(&regex_syntax::parse("bravo").unwrap());
    let candidates = index.candidates(&plan, Scope::Line).unwrap();
    let reporting = index.candidates(&plan, Scope::Line).unwrap().with_special_files();
    for (file, (_, is_unsearched)) in contents.iter().enumerate() {
        let stamp = tree.stamp(file);
        assert_eq!(candidates.verdict(&stamp), Verdict::MayMatch);
        let verdict = candidates.verdict_without_binary(&stamp);
        assert_eq!(verdict == Verdict::CannotMatch, *is_unsearched, "{file}");
        assert_eq!(reporting.verdict_without_binary(&stamp), Verdict::MayMatch);
    }
}

#[test]
fn what_is_not_settled_or_odd_is_not_covered() {
    let tree = Tree::new(&[b"\xff\xfea\0b\0".to_vec(), b"w\0i\0d\0e\0\n\0".to_vec()]);
    let builder = Builder::new(&tree.home().dir_of(&tree.root), &tree.root).unwrap();
    let mut collector = builder.collector();
    let mut add = |path: &Path| collector.add(&mut File::open(path).unwrap()).unwrap();
    assert_eq!(add(&tree.path(0)), Added::Odd);
    assert_eq!(add(&tree.path(1)), Added::Odd);
    assert_eq!(add(&tree.root), Added::Odd);
    fs::write(tree.path(2), "new").unwrap();
    assert_eq!(add(&tree.path(2)), Added::Unsettled);
}

#[test]
fn a_damaged_index_is_an_error_and_never_another_answer() {
    let mut rng = fastrand::Rng::with_seed(8);
    let contents: Vec<_> = (0..20).map(|_| text(&mut rng)).collect();
    let tree = Tree::new(&contents);
    let index = tree.index(20, 2, u32::MAX);
    let path = tree.segment_path();
    let whole = fs::read(&path).unwrap();
    let plan = Plan::of(&regex_syntax::parse("(?i)charlie|foo.*bar").unwrap());
    let verdicts = |index: &Index| -> Result<Vec<_>, Error> {
        let candidates = index.candidates(&plan, Scope::Line)?;
        Ok((0..20).map(|file| candidates.verdict(&tree.stamp(file))).collect())
    };
    let expected = verdicts(&index).unwrap();
    let mut noticed = 0;
    for _ in 0..400 {
        let mut damaged = whole.clone();
        match rng.bool() {
            true => damaged.truncate(rng.usize(..whole.len())),
            false => damaged[rng.usize(..whole.len())] ^= 1 << rng.u8(..8),
        }
        fs::write(&path, &damaged).unwrap();
        match tree.home().find(&tree.root).and_then(|index| verdicts(&index)) {
            Ok(found) if found == expected => {}
            Ok(found) => {
                // Files whose records cannot be read are not covered.
                noticed += 1;
                let mut pairs = found.iter().zip(&expected);
                assert!(pairs.all(|(found, expected)| {
                    found == expected || *found == Verdict::NotCovered
                }));
            }
            Err(Error::Absent) => panic!("a damaged index is not an absent one"),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > 200, "{noticed}");
}

#[test]
fn a_directory_that_others_may_write_to_is_not_trusted() {
    let tree = Tree::new(&[b"alpha\n".to_vec()]);
    tree.index(1, 1, u32::MAX);
    let home = tree.temp.path().join("home");
    let mode = fs::metadata(&home).unwrap().mode();
    assert_eq!(mode & 0o777, 0o700);
    fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    assert!(
        matches!(tree.home().find(&tree.root), Err(Error::At(_, error)) if matches!(*error, Error::Untrusted))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_are_mostly_holes_are_not_read() {
    use std::{io::Write, time::Instant};

    let tree = Tree::new(&[b"alpha\n".to_vec()]);
    let at = |name: &str| tree.root.join(name);
    let sparse = |name: &str, text: &[u8], len: u64| {
        let mut file = File::create(at(name)).unwrap();
        file.write_all(text).unwrap();
        file.set_len(len).unwrap();
    };
    sparse("image", b"", 1 << 40);
    sparse("text-first", &b"line\n".repeat(10_000), 1 << 40);
    sparse("little", b"line\n", 1 << 20);
    fs::write(at("plain"), vec![0; 20 << 20]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(150));
    let begun = Instant::now();
    let builder = Builder::new(&tree.home().dir_of(&tree.root), &tree.root).unwrap();
    let mut collector = builder.collector();
    for (name, expected) in [
        ("image", Added::Odd),
        ("text-first", Added::Odd),
        ("little", Added::Covered),
        ("plain", Added::Covered),
    ] {
        let added = collector.add(&mut File::open(at(name)).unwrap()).unwrap();
        assert_eq!(added, expected, "{name}");
    }
    drop(collector);
    assert_eq!(builder.finish(1).unwrap().files, 2);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn files_of_other_devices_are_not_covered() {
    let tree = Tree::new(&[b"alpha\n".to_vec()]);
    let elsewhere = Path::new("/dev/shm");
    let device = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.dev());
    if device(elsewhere).is_none_or(|other| Some(other) == device(&tree.root)) {
        return skip("/dev/shm is no other device");
    }
    let other = tempfile::NamedTempFile::new_in(elsewhere).unwrap();
    fs::write(&other, b"alpha\n").unwrap();
    thread::sleep(Duration::from_millis(250));
    let builder = Builder::new(&tree.home().dir_of(&tree.root), &tree.root).unwrap();
    let mut collector = builder.collector();
    let mut add = |path: &Path| collector.add(&mut File::open(path).unwrap()).unwrap();
    assert_eq!(add(other.path()), Added::Odd);
    assert_eq!(add(&tree.path(0)), Added::Covered);
    drop(collector);
    assert_eq!(builder.finish(1).unwrap().files, 1);
}
