//! Corpora small enough to be made in a moment, and what goes wrong with them.

use std::{
    fs,
    io::Read,
    os::unix::fs::{MetadataExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use walkdir::WalkDir;

use super::{
    catalog::{self, CATALOG},
    debian::SCRIPT,
    open,
    order::{Choice, SAMPLE, Wish},
    place::{self, Space},
    shape::Shape,
    state::{Manifest, Place, open_scaled},
};
use crate::checksum::splitmix64;

/// Of a sample: a project, forty notes, and so on.
const TINY: u64 = 10;

fn wish(seed: u64) -> Wish<'static> {
    Wish { seed, scale: TINY, from: None }
}

/// A directory of corpora.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(TempDir::new().unwrap())
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn place(&self, name: &str) -> Place<'_> {
        Place::of(self.dir(), name).unwrap()
    }

    fn make(&self, name: &str, wish: Wish<'_>) -> Shape {
        self.place(name).make(wish).unwrap().shape
    }

    /// Why the corpus cannot be made.
    fn refusal(&self, name: &str, wish: Wish<'_>) -> String {
        self.place(name).make(wish).unwrap_err().to_string()
    }

    fn state(&self, name: &str) -> &'static str {
        self.place(name).state().unwrap().summary().0
    }

    fn advice(&self, name: &str) -> Option<String> {
        let place = self.place(name);
        place.advice(&place.state().unwrap())
    }

    fn open(&self, name: &str) -> Result<Shape, String> {
        open(self.dir(), name).map(|corpus| corpus.shape).map_err(|error| error.to_string())
    }
}

/// A checksum of every path and what is there, in order.
fn contents(dir: &Path) -> u64 {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.iter().fold(0, |sum, path| {
        let bytes = if path.is_symlink() {
            fs::read_link(path).unwrap().into_os_string().into_encoded_bytes()
        } else if path.is_dir() {
            contents(path).to_le_bytes().to_vec()
        } else {
            fs::read(path).unwrap()
        };
        let name = path.file_name().unwrap().as_encoded_bytes();
        name.iter().chain(&bytes).fold(sum, |sum, byte| splitmix64(sum ^ u64::from(*byte)))
    })
}

fn files_with(dir: &Path, needle: &str) -> usize {
    let files = WalkDir::new(dir).into_iter().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.file_type().is_file());
    let bytes = files.map(|entry| fs::read(entry.path()).unwrap());
    bytes.filter(|bytes| memchr::memmem::find(bytes, needle.as_bytes()).is_some()).count()
}

/// What a function of the script that fetches from Debian makes of a text.
fn script(function: &str, input: &str) -> String {
    let temp = TempDir::new().unwrap();
    let path = temp.path().join("input");
    fs::write(&path, input).unwrap();
    let mut sh = Command::new("sh");
    sh.args(["-c", SCRIPT, "sh", function]).stdin(fs::File::open(path).unwrap());
    String::from_utf8(sh.output().unwrap().stdout).unwrap()
}

#[test]
fn a_shape_counts_everything_but_the_repository() {
    let temp = TempDir::new().unwrap();
    let top = temp.path();
    fs::create_dir_all(top.join("a/b")).unwrap();
    fs::create_dir_all(top.join(".git/objects")).unwrap();
    fs::create_dir_all(top.join("a/.git")).unwrap();
    fs::write(top.join("a/b/file"), "12345").unwrap();
    symlink("nowhere", top.join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, top.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let shape = Shape::of(top).unwrap();
    let numbers = [shape.files, shape.directories, shape.symlinks, shape.others];
    assert_eq!(numbers, [1, 4, 1, 1], "{shape:?}");
    assert_eq!([shape.bytes, shape.depth, shape.widest], [5, 3, 3], "{shape:?}");
    fs::write(top.join(".git/HEAD"), "changed").unwrap();
    assert_eq!(Shape::of(top).unwrap(), shape);
    fs::rename(top.join("a/b/file"), top.join("a/b/elif")).unwrap();
    let renamed = Shape::of(top).unwrap();
    let difference = renamed.difference(&shape).unwrap();
    assert!(difference.contains("digest"), "{difference}");
    assert_eq!(Shape { digest: shape.digest, ..renamed }, shape, "nothing else differs");
}

#[test]
fn a_large_directory_is_counted() {
    let shape = Home::new().make("flat", Wish { scale: 3, ..wish(1) });
    assert_eq!([shape.files, shape.directories, shape.widest], [3000, 1, 3000]);
    assert_eq!([shape.bytes, shape.depth], [3000 * 18, 1]);
}

#[test]
fn a_seed_makes_the_same_bytes_everywhere() {
    let [one, same, other] = [Home::new(), Home::new(), Home::new()];
    let first = one.make("sample", wish(1));
    assert_eq!(same.make("sample", wish(1)), first);
    assert_eq!(contents(&one.dir().join("sample")), contents(&same.dir().join("sample")));
    assert_ne!(other.make("sample", wish(2)).digest, first.digest);
    // A change of the recipe raises its version in the catalogue, and changes these.
    assert_eq!(one.place("sample").entry.version, 2);
    assert_eq!(first.digest, DIGEST, "{first:?}");
    assert_eq!(contents(&one.dir().join("sample")), CONTENTS);
}

#[test]
fn a_sample_has_what_searches_look_for() {
    let home = Home::new();
    home.make("sample", Wish { scale: 60, ..wish(1) });
    let top = home.dir().join("sample");
    for (needle, expected) in [
        ("zqxjkvbpw", 0..1),
        ("PM_RESUME", 1..10),
        ("ERR_SYS", 1..10),
        ("pm_resume", 1..10),
        ("static", 101..usize::MAX),
        ("{\n\treturn 0;", 11..usize::MAX),
    ] {
        let files = files_with(&top, needle);
        assert!(expected.contains(&files), "{needle} in {files}");
    }
    assert!(top.join(".git/HEAD").is_file());
}

#[test]
fn git_takes_a_sample_for_a_repository_and_follows_its_rules() {
    let home = Home::new();
    home.make("sample", wish(1));
    let top = home.dir().join("sample");
    let files = |rules: &[&str]| {
        let mut git = Command::new("git");
        // A repository may belong to another user, as in containers.
        git.args(["-c", "safe.directory=*", "ls-files", "-o"]).args(rules).current_dir(&top);
        let output = git.env_remove("GIT_DIR").output().ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8(output.stdout).unwrap().lines().count())
    };
    let (Some(all), Some(wanted)) = (files(&[]), files(&["--exclude-standard"])) else {
        eprintln!("skipped: git is not installed");
        return;
    };
    let shape = Shape::of(&top).unwrap();
    assert_eq!(all as u64, shape.files + shape.symlinks);
    assert!(wanted + 20 < all && wanted > all / 2, "{wanted} of {all}");
}

#[test]
fn the_sample_is_made_when_it_is_opened_and_others_are_not() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path().join("not/yet");
    let error = open(&dir, "wide").unwrap_err().to_string();
    assert!(error.contains("benchsuite corpora make wide --dir "), "{error}");
    assert!(!dir.exists());
    let corpus = open_scaled(&dir, SAMPLE, TINY).unwrap();
    assert_eq!(corpus.name, "sample");
    assert!(corpus.path.is_absolute() && corpus.path.is_dir() && !corpus.is_file());
    assert_eq!(open(&dir, SAMPLE).unwrap().shape, corpus.shape);
    let error = open(&dir, "samples").unwrap_err().to_string();
    assert!(error.contains("there are sample, zipped, linux"), "{error}");
}

#[test]
fn the_state_of_a_corpus_is_noticed_and_its_remedy_named() {
    let (home, small) = (Home::new(), Wish { scale: 1, ..wish(1) });
    let (corpus, manifest) = (home.dir().join("wide"), home.dir().join("wide.json"));
    fs::create_dir(home.dir().join("wide.partial-x")).unwrap();
    fs::write(home.dir().join("wide.partial-x/rest"), "").unwrap();
    assert_eq!(home.state("wide"), "half-made");
    let error = home.open("wide").unwrap_err();
    assert!(error.contains("half made"), "{error}");

    let mut made = home.place("wide").make(small).unwrap();
    assert_eq!([made.shape.files, made.shape.directories], [450, 301]);
    assert_eq!(home.state("wide"), "ready");
    assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 2, "the tree and its manifest");

    // An old recipe is reported, and an adopted tree has none.
    for (version, is_reported) in [(made.version + 1, true), (Manifest::ADOPTED, false)] {
        made.version = version;
        made.write(home.place("wide")).unwrap();
        assert_eq!(home.advice("wide").is_some(), is_reported, "{:?}", home.advice("wide"));
        assert_eq!(home.open("wide").unwrap(), made.shape);
    }

    // A tree without a manifest may be used, and one with an unreadable manifest may not.
    fs::remove_file(&manifest).unwrap();
    assert_eq!(home.state("wide"), "no manifest");
    let advice = home.advice("wide").unwrap();
    assert!(advice.contains("check --adopt wide"), "{advice}");
    assert_eq!(home.open("wide").unwrap().files, 450);
    fs::write(&manifest, "{").unwrap();
    let error = home.open("wide").unwrap_err();
    assert!(error.contains("wide.json: "), "{error}");

    home.make("wide", small);
    fs::remove_file(corpus.join("crate-000007-0.1.7/Cargo.toml")).unwrap();
    assert_eq!(home.state("wide"), "changed");
    let error = home.open("wide").unwrap_err();
    assert!(error.contains("449 files instead of 450") && error.contains("--again"), "{error}");

    // What is there stays if making fails.
    fs::rename(corpus, home.dir().join("big")).unwrap();
    home.refusal("big", small);
    assert_eq!(Shape::of(&home.dir().join("big")).unwrap().files, 449);
    assert!(home.place("big").partials().is_empty());
}

#[test]
fn a_users_tree_is_linked_without_its_repositories() {
    let (home, temp) = (Home::new(), TempDir::new().unwrap());
    let from = temp.path().join("checkout");
    fs::create_dir_all(from.join("sub/.git")).unwrap();
    fs::create_dir(from.join(".git")).unwrap();
    fs::write(from.join(".git/HEAD"), "theirs").unwrap();
    fs::write(from.join("sub/main.c"), "int main;\n").unwrap();
    fs::write(from.join(".gitignore"), "*.o\n/*\n!/debian/\n").unwrap();
    symlink("sub", from.join("link")).unwrap();
    let dir = home.dir();
    let made = home.make("linux", Wish { from: Some(&from), ..wish(1) });
    assert_eq!([made.files, made.directories, made.symlinks], [2, 2, 1]);
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    assert_eq!(inode(&dir.join("linux/sub/main.c")), inode(&from.join("sub/main.c")));
    let ignore = |path: &Path| fs::read_to_string(path.join(".gitignore")).unwrap();
    assert_eq!(ignore(&dir.join("linux")), "*.o\n");
    assert_eq!(ignore(&from), "*.o\n/*\n!/debian/\n", "the user's own is left alone");
    assert_ne!(fs::read_to_string(dir.join("linux/.git/HEAD")).unwrap(), "theirs");
    // The sources of that tree, again and again until there are enough.
    let big = home.make("big", Wish { scale: 1, ..wish(1) });
    assert!(big.bytes > (1 << 30) / 1000 && big.bytes < (1 << 30) / 1000 + 10);
    assert!(open(dir, "big").unwrap().is_file());
    // A tree is not copied into itself.
    let inside = Home(TempDir::new_in(&from).unwrap());
    let error = inside.refusal("linux", Wish { from: Some(&from), ..wish(1) });
    assert!(error.contains("into themselves"), "{error}");
    assert_eq!(fs::read_dir(inside.dir()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn what_is_made_from_another_needs_it() {
    let home = Home::new();
    let sample = home.make("sample", wish(1));
    let zipped = home.make("zipped", wish(1));
    assert_eq!((zipped.files, zipped.symlinks), (sample.files, 0));
    assert_eq!(zipped.directories, sample.directories);
    let read = |path: &str| fs::read(home.dir().join(path)).unwrap();
    let mut text = Vec::new();
    let gzip = read("zipped/README.md.gz");
    flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut text).unwrap();
    assert_eq!(text, read("sample/README.md"));

    let error = home.refusal("big", wish(1));
    assert!(error.contains("benchsuite corpora make linux big"), "{error}");
    fs::create_dir(home.dir().join("linux")).unwrap();
    let error = home.refusal("big", wish(1));
    assert!(error.contains("no C source"), "{error}");
}

#[test]
fn lack_of_room_is_reported_before_anything_is_written() {
    let temp = TempDir::new().unwrap();
    let huge = Space { bytes: u64::MAX, inodes: 1 };
    let error = place::check_room(temp.path(), huge).unwrap_err().to_string();
    assert!(error.contains("are needed"), "{error}");
    place::check_room(temp.path(), Space::default()).unwrap();
}

#[test]
fn home_follows_the_variables() {
    let home = |set: &[(&str, &str)]| {
        let find = |name: &str| set.iter().find(|(known, _)| *known == name);
        place::home_from(|name| find(name).map(|(_, value)| value.into()))
    };
    assert_eq!(home(&[("BENCHSUITE_CORPORA", "/b"), ("HOME", "/h")]), Some("/b".into()));
    let cache = [("XDG_CACHE_HOME", "/c"), ("HOME", "/h")];
    assert_eq!(home(&cache), Some("/c/heist/corpora".into()));
    let relative = [("XDG_CACHE_HOME", "c"), ("HOME", "/h")];
    assert_eq!(home(&relative), Some("/h/.cache/heist/corpora".into()));
    assert_eq!(home(&[]), None);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_system_has_a_type() {
    assert_eq!(place::file_system(Path::new("/proc")).as_deref(), Some("proc"));
    assert_eq!(place::file_system(Path::new("/no/such/place")), None);
}

#[test]
fn archives_are_searched_for_sources_as_well() {
    let list = "# deb http://a old\ndeb [arch=x] http://a stable main\ndeb-src http://a b\n";
    let expected = "# deb http://a old\ndeb [arch=x] http://a stable main\n\
        deb-src [arch=x] http://a stable main\ndeb-src http://a b\n";
    assert_eq!(script("with_source_lines", list), expected);
    let stanzas = "Types: deb\nURIs: http://a\n\nTypes: deb-src\nURIs: http://b\n";
    let expected = "Types: deb deb-src\nURIs: http://a\n\nTypes: deb-src\nURIs: http://b\n";
    assert_eq!(script("with_source_types", stanzas), expected);
}

#[test]
fn the_package_of_the_current_kernel_is_found() {
    let depends = "linux-source\n  Depends: linux-source-6.1\n  Suggests: x\n";
    assert_eq!(script("needed_package", depends), "linux-source-6.1\n");
    assert_eq!(script("needed_package", "linux-source\n"), "");
}

#[test]
fn names_are_distinct_and_sizes_readable() {
    let names: std::collections::BTreeSet<&str> = CATALOG.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), CATALOG.len());
    assert!(CATALOG.iter().all(|entry| entry.version > 0 && entry.space.bytes > 0));
    assert_eq!(catalog::find(SAMPLE).unwrap().choice, Choice::Seed);
    let sizes = [7, 1_200, 108_736_607, 6_540_000_000].map(place::size);
    assert_eq!(sizes, ["7 B", "1.2 kB", "108.7 MB", "6.5 GB"]);
}

/// The checksums of the tiny sample of seed 1.
const DIGEST: u64 = 10_224_273_322_090_375_003;
const CONTENTS: u64 = 3_167_432_886_481_259_447;
