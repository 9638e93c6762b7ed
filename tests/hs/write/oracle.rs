//! Random trees, searches and flags: what `--write` makes of each file is what the slow way makes
//! of it. That reads the whole file, replaces with another program's engine, and writes.
//!
//! The engine is `regex-automata` for each line or the whole text, and perl for `-P`. Then
//! `git apply` makes the same bytes of the patch that `--dry-run` prints, and `--undo` puts bytes,
//! modes, owners, times and attributes back. `HS_TEST_TREES` is the number of trees.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use rustix::fs::{XattrFlags, lgetxattr, lsetxattr};

use super::searches::{Search, UTF8_MARK};
use crate::harness::{
    Hs, TempTree, has_git,
    random::{Choose, Rng, env_number},
    succeeds, sys,
};

/// The name of an attribute that some files have.
const ATTRIBUTE_NAME: &str = "user.heist";

/// What remains of a file that is replaced, besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    mode: u32,
    owner: (u32, u32),
    attribute: Option<Vec<u8>>,
}

/// A file of a tree, with the time at which it was modified.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    text: Vec<u8>,
    kept: Kept,
    modified: SystemTime,
}

/// Why a file is not written, as far as the tree decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Written,
    /// Neither searched nor named.
    LeftOut,
    /// Refused and named if it has a match.
    Refused,
    /// Refused if its match is found: a NUL byte can end the search.
    Binary,
}

/// A text in one of several encodings.
fn text(rng: &mut Rng) -> Vec<u8> {
    let words: [&[u8]; 14] = [
        b"before",
        b"before",
        b"beforehand",
        b"Before",
        b"x",
        "é".as_bytes(),
        b"a-b",
        b"aa",
        b", ",
        b" ",
        b" ",
        b"\t",
        b"xx",
        b"BEFORE",
    ];
    let mut text = Vec::new();
    if rng.chance(8) {
        text.extend_from_slice(UTF8_MARK);
    }
    let (is_latin, is_crlf) = (rng.chance(15), rng.chance(20));
    for _ in 0..if rng.chance(3) { 2000 } else { rng.usize(..12) } {
        for _ in 0..rng.usize(..6) {
            text.extend_from_slice(rng.pick(&words));
            if is_latin && rng.chance(20) {
                text.push(0xe9);
            }
        }
        text.extend_from_slice(if is_crlf {
            b"\r\n"
        } else {
            rng.pick(&[b"\n" as &[u8], b"\n", b"\n\n"])
        });
    }
    text.extend_from_slice(rng.pick(&[b"" as &[u8], b"", b"before", b"x before y"]));
    text
}

/// Fills the tree. Returns the fate of each file under `search`.
fn fill(rng: &mut Rng, tree: &TempTree, search: &Search) -> BTreeMap<String, Fate> {
    let names = [
        "a", "b.txt", "c d", "é", "q\"q", "d/e", "d/f.txt", "d/g/h", "i.log", "d/j.log", ".hid",
        "d/.hid/k", "tab\tl", "b\\s",
    ];
    tree.file(".ignore", "*.log\n");
    let rules = if search.wants(".ignore") { Fate::Written } else { Fate::LeftOut };
    let mut fates = BTreeMap::from([(".ignore".to_owned(), rules)]);
    for _ in 0..rng.usize(1..7) {
        let name = rng.pick(&names);
        if fates.contains_key(name) {
            continue;
        }
        let mut text = text(rng);
        let mut fate = Fate::Written;
        if rng.chance(8) && !text.is_empty() {
            let at = rng.usize(..text.len());
            text.insert(at, 0);
            if !search.text {
                fate = Fate::Binary;
            }
        }
        if rng.chance(3) {
            text.splice(0..0, *b"version https://git-lfs.github.com/spec/v1\n");
            fate = if fate == Fate::Written { Fate::Refused } else { fate };
        }
        tree.file(name, &text);
        let path = tree.join(name);
        if rng.chance(40) {
            tree.chmod(name, rng.pick(&[0o600, 0o664, 0o755, 0o4711, 0o640]));
        }
        if rng.chance(5) {
            tree.chmod(name, rng.pick(&[0o444, 0o400]));
            fate = if fate == Fate::Written { Fate::Refused } else { fate };
        }
        if rng.chance(20) {
            let flags = XattrFlags::empty();
            // Some file systems have no attributes.
            let _ = lsetxattr(&path, ATTRIBUTE_NAME, b"kept\0value", flags);
        }
        if sys::is_root() && rng.chance(15) {
            let mode = fs::metadata(&path).expect("a file").permissions();
            std::os::unix::fs::chown(&path, Some(1000), Some(1001)).expect("an owner");
            fs::set_permissions(&path, mode).expect("a mode");
        }
        let time = SystemTime::UNIX_EPOCH
            + Duration::new(rng.u64(1..2_000_000_000), rng.u32(..1_000_000_000));
        // A file that may not be written to can be opened to read it.
        fs::File::open(&path).expect("a file").set_modified(time).expect("a time");
        if !search.wants(name) {
            fate = Fate::LeftOut;
        }
        fates.insert(name.to_owned(), fate);
    }
    fates
}

/// Links to some of the files: another name of one refuses it, a symbolic one does not change it.
fn link(
    rng: &mut Rng,
    tree: &TempTree,
    search: &Search,
    fates: &mut BTreeMap<String, Fate>,
) -> bool {
    let names: Vec<String> = fates.keys().cloned().collect();
    if rng.chance(10) {
        let name = &names[rng.usize(..names.len())];
        fs::hard_link(tree.join(name), tree.join("other.name")).expect("a link");
        let other = if search.wants("other.name") { Fate::Refused } else { Fate::LeftOut };
        fates.insert("other.name".into(), other);
        if fates[name] != Fate::LeftOut {
            fates.insert(name.clone(), Fate::Refused);
        }
    }
    let has_link = rng.chance(15);
    if has_link {
        tree.symlink("nowhere", "dangling");
        let name = &names[rng.usize(..names.len())];
        tree.symlink(tree.join(name), "z.link");
    }
    has_link
}

fn found(path: &Path) -> Found {
    let metadata = fs::symlink_metadata(path).expect("a file");
    let mut value = [0; 64];
    let attribute = lgetxattr(path, ATTRIBUTE_NAME, &mut value[..]).ok();
    Found {
        text: fs::read(path).unwrap_or_default(),
        kept: Kept {
            mode: metadata.permissions().mode(),
            owner: (metadata.uid(), metadata.gid()),
            attribute: attribute.map(|length| value[..length].to_vec()),
        },
        modified: metadata.modified().expect("a time"),
    }
}

/// All files below `dir`, but for those of git.
fn all_files(dir: &Path) -> BTreeMap<String, Found> {
    let mut all = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(at) = dirs.pop() {
        for entry in fs::read_dir(&at).expect("a directory") {
            let path = entry.expect("an entry").path();
            let kind = fs::symlink_metadata(&path).expect("an entry").file_type();
            if kind.is_dir() {
                dirs.push(path);
            } else if kind.is_file() {
                let name = path.strip_prefix(dir).expect("a path below");
                all.insert(name.to_str().expect("text").to_owned(), found(&path));
            }
        }
    }
    all
}

fn empty(dir: &Path) {
    for entry in fs::read_dir(dir).expect("the tree") {
        let path = entry.expect("an entry").path();
        match fs::symlink_metadata(&path).expect("an entry").is_dir() {
            true => fs::remove_dir_all(&path).expect("a directory"),
            false => fs::remove_file(&path).expect("a file"),
        }
    }
}

/// Applies the patch to a copy of the files. Returns their texts.
fn patched(
    tree: &TempTree,
    old: &BTreeMap<String, Found>,
    patch: &[u8],
) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let copy = tree.home().join("copy");
    fs::create_dir(&copy).expect("a directory");
    for (name, file) in old {
        let path = copy.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("parents");
        fs::write(path, &file.text).expect("a copy");
    }
    let mut git = Command::new("git");
    git.args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]);
    git.current_dir(&copy).env("GIT_CEILING_DIRECTORIES", tree.home());
    git.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut git = git.spawn().expect("git runs");
    // Git can end before it has read all.
    let _ = git.stdin.take().expect("a pipe").write_all(patch);
    let output = git.wait_with_output().expect("git ends");
    let texts = all_files(&copy).into_iter().map(|(name, file)| (name, file.text)).collect();
    fs::remove_dir_all(&copy).expect("a copy");
    match output.status.success() {
        true => Ok(texts),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Writes, compares and puts back one random tree.
fn check(rng: &mut Rng, tree: &TempTree, hs: &Hs<'_>, has_perl: bool) {
    let search = loop {
        let search = Search::random(rng);
        if has_perl || !search.perl {
            break search;
        }
    };
    let mut fates = fill(rng, tree, &search);
    let has_link = link(rng, tree, &search, &mut fates);
    let old = all_files(&tree.path());
    let (mut expected, mut fails, mut may_fail) = (BTreeMap::new(), false, false);
    for (name, file) in &old {
        let fate = match fates[name] {
            // A NUL byte can end the search before a match is found.
            Fate::Refused if file.text.contains(&0) && !search.text => Fate::Binary,
            fate => fate,
        };
        let new = search.apply(&file.text);
        let changes = new != file.text;
        fails |= fate == Fate::Refused && changes;
        may_fail |= fate == Fate::Binary || has_link;
        let text = if fate == Fate::Written { new } else { file.text.clone() };
        expected.insert(name.clone(), text);
    }
    let about = |what: &str| format!("{what}: {search:?}\n{fates:?}\n{}", tree.describe());
    let dry = hs.args(&search.args).args(["--write", "--dry-run", "--sort=path"]);
    let Some(dry) = super::finished(dry) else { return };
    let write = hs.args(&search.args).args(["--write", "--yes"]);
    let Some(write) = super::finished(write) else { return };
    let now = all_files(&tree.path());
    let mut written = 0;
    assert!(now.keys().eq(old.keys()), "{}", about("files"));
    for (name, file) in &now {
        // A link can lead to a file that is not wanted for its name.
        let is_linked = has_link && search.follow && file.text == search.apply(&old[name].text);
        let shown = String::from_utf8_lossy(&file.text);
        let wanted = String::from_utf8_lossy(&expected[name]);
        assert!(
            file.text == expected[name] || is_linked,
            "{}\n{name}: {shown:?}\n{wanted:?}",
            about("text")
        );
        assert_eq!(file.kept, old[name].kept, "{}", about(name));
        written += usize::from(file.text != old[name].text);
    }
    let code = write.status.code();
    let messages = String::from_utf8_lossy(&write.stderr);
    match (fails, may_fail) {
        (true, _) => assert_eq!(code, Some(2), "{}{messages}", about("code")),
        (false, false) => {
            assert_eq!(code, Some(i32::from(written == 0)), "{}{messages}", about("code"));
        }
        (false, true) => assert!(code < Some(3), "{}", about("code")),
    }
    for (name, file) in &old {
        let is_refused = fates[name] == Fate::Refused && !file.text.contains(&0);
        if is_refused && search.apply(&file.text) != file.text {
            let last = Path::new(name).file_name().and_then(|it| it.to_str()).expect("text");
            let quoted = last.replace(['\t'], "");
            assert!(messages.contains(&quoted) || last != quoted, "{}{messages}", about("named"));
        }
    }
    if written > 0 && !(has_link && search.follow) {
        let texts = now.iter().map(|(name, file)| (name.clone(), file.text.clone())).collect();
        assert_eq!(patched(tree, &old, &dry.stdout), Ok(texts), "{}", about("patch"));
    }
    if written > 0 {
        let undo = super::finished(hs.args(["--undo"]));
        let undone = undo.map(|it| it.status.code());
        assert_eq!(undone, Some(Some(0)), "{}", about("undo"));
    }
    assert!(all_files(&tree.path()) == old, "{}", about("undo"));
}

hs_test!(random_trees_are_written_as_the_slow_way_writes_them, |tree, hs| {
    if !has_git() {
        return;
    }
    let has_perl = succeeds(Command::new("perl").args(["-e", "1"]));
    if !has_perl {
        skipped_tests::skip_part("-P", "perl is not installed");
    }
    let seed = env_number("HS_TEST_SEED", 0);
    for seed in seed..seed + env_number("HS_TEST_TREES", 60) {
        let mut rng = Rng::with_seed(seed);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(&mut rng, tree, hs, has_perl);
        }));
        if let Err(panic) = result {
            eprintln!("HS_TEST_SEED={seed}");
            std::panic::resume_unwind(panic);
        }
        empty(&tree.path());
    }
});
