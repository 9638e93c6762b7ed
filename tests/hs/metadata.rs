//! Files chosen by size, time and identity, and from lists, against a walk that examines each path.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata},
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use crate::harness::{
    Hs, TempTree, process,
    random::{Choose, Rng, env_number},
};

const DIRS: [&str; 5] = ["", "cave", "cave/deep", "den", "den/e"];
const NAMES: [&str; 6] = ["a", "b", "cave.c", "d", "gem", "z"];

/// Seconds since 1970: the time of every file, and of every limit, is a multiple of it.
const DAY: u64 = 24 * 60 * 60;

/// Makes files of random sizes and times, some of which have several names or links to them.
fn random_tree(tree: &TempTree, rng: &mut Rng) {
    for dir in DIRS {
        tree.dir(dir);
    }
    let mut made: Vec<String> = Vec::new();
    for _ in 0..rng.usize(1..14) {
        let path = Path::new(rng.pick(&DIRS)).join(rng.pick(&NAMES));
        let full = tree.join(&path);
        if full.symlink_metadata().is_ok() {
            continue;
        }
        let earlier = made.get(rng.usize(..made.len().max(1))).map(|path| tree.join(path));
        match (rng.usize(..5), earlier) {
            (0, Some(earlier)) => fs::hard_link(earlier, &full).expect("a name"),
            (1, Some(earlier)) => _ = tree.symlink(earlier, &path),
            (2, _) => _ = tree.symlink(tree.join("den"), &path),
            _ => {
                tree.file(&path, &b"gem gem gem"[..rng.usize(..12)]);
                let day = Duration::from_secs(DAY * rng.u64(1..6));
                let file = File::options().write(true).open(&full).expect("the file");
                file.set_modified(UNIX_EPOCH + day).expect("a time");
                made.push(path.to_str().expect("ASCII").to_owned());
            }
        }
    }
}

/// Flags that choose files by what the system knows of them.
#[derive(Debug)]
struct Choice {
    newer: Option<u64>,
    older: Option<u64>,
    min: Option<u64>,
    max: Option<u64>,
    follows_files: bool,
    is_unique: bool,
    /// Files have to contain a word, too.
    searches: bool,
    /// Files and directories, without a link.
    list: Option<Vec<String>>,
}

/// A file that is found: its path and its identity.
#[derive(Debug)]
struct Found {
    path: String,
    id: (u64, u64),
}

/// The identity of a file.
fn id(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

impl Choice {
    fn new(tree: &TempTree, rng: &mut Rng) -> Choice {
        let mut some =
            |chance: u32, from: u64, to: u64| rng.chance(chance).then(|| rng.u64(from..to));
        let (newer, older) = (some(40, 1, 4), some(40, 4, 7));
        let (min, max) = (some(30, 0, 5), some(30, 5, 12));
        let [follows_files, is_unique, searches] = [(); 3].map(|()| rng.chance(40));
        let list = rng.chance(30).then(|| {
            let roots = (0..rng.usize(1..5)).map(|_| match rng.pick(&DIRS) {
                "" => Path::new("").join(rng.pick(&NAMES)),
                dir if rng.chance(50) => dir.into(),
                dir => Path::new(dir).join(rng.pick(&NAMES)),
            });
            let is_real = |path: &Path| {
                tree.join(path).symlink_metadata().is_ok_and(|found| !found.is_symlink())
            };
            let real = roots.filter(|path| is_real(path));
            real.map(|path| path.to_str().expect("ASCII").to_owned()).collect()
        });
        Choice { newer, older, min, max, follows_files, is_unique, searches, list }
    }

    fn args(&self) -> Vec<String> {
        let mut args = vec!["--hidden".to_owned()];
        for (name, day) in [("newer", self.newer), ("older", self.older)] {
            args.extend(day.map(|day| format!("--{name}=@{}", day * DAY)));
        }
        for (name, size) in [("min", self.min), ("max", self.max)] {
            args.extend(size.map(|size| format!("--{name}-filesize={size}")));
        }
        for (flag, is_given) in
            [("--follow=files", self.follows_files), ("--unique", self.is_unique)]
        {
            args.extend(is_given.then(|| flag.to_owned()));
        }
        match self.searches {
            true => args.extend(["-l".to_owned(), "gem".to_owned()]),
            false => args.push("--files".to_owned()),
        }
        args
    }

    /// Whether a file below a directory is chosen.
    fn has(&self, metadata: &Metadata) -> bool {
        let (day, size) = (metadata.mtime() as u64 / DAY, metadata.len());
        self.newer.is_none_or(|newer| day >= newer)
            && self.older.is_none_or(|older| day < older)
            && self.min.is_none_or(|min| size >= min)
            && self.max.is_none_or(|max| size <= max)
    }

    /// Adds a file that is chosen, unless it is searched and has no match.
    fn add(&self, path: String, metadata: &Metadata, found: &mut Vec<Found>) {
        let id = id(metadata);
        let is_repeated = self.is_unique && found.iter().any(|other| other.id == id);
        if !is_repeated && (!self.searches || metadata.len() >= 3) {
            found.push(Found { path, id });
        }
    }

    /// Whether the list names the file as well, so that it is searched as a named one.
    fn is_named(&self, tree: &TempTree, metadata: &Metadata) -> bool {
        let is_it =
            |path: &String| tree.join(path).metadata().is_ok_and(|it| id(&it) == id(metadata));
        self.is_unique && self.list.iter().flatten().any(is_it)
    }

    /// Adds the files below a directory, in the order of their paths.
    fn walk(&self, tree: &TempTree, dir: &str, found: &mut Vec<Found>) {
        let entries = fs::read_dir(tree.join(dir)).expect("a directory");
        let names: BTreeSet<_> =
            entries.map(|entry| entry.expect("an entry").file_name()).collect();
        for name in names {
            let path = Path::new(dir).join(name).to_str().expect("ASCII").to_owned();
            let metadata = tree.join(&path).symlink_metadata().expect("metadata");
            if metadata.is_dir() {
                self.walk(tree, &path, found);
                continue;
            }
            let metadata = match metadata.is_symlink() {
                true if !self.follows_files => continue,
                true => tree.join(&path).metadata().expect("a target"),
                false => metadata,
            };
            if metadata.is_file() && self.has(&metadata) && !self.is_named(tree, &metadata) {
                self.add(path, &metadata, found);
            }
        }
    }

    /// All files that are chosen. Files that a list names are, whatever their metadata.
    fn found(&self, tree: &TempTree) -> Vec<Found> {
        let mut found = Vec::new();
        let Some(list) = &self.list else {
            self.walk(tree, "", &mut found);
            return found;
        };
        for path in list {
            let metadata = tree.join(path).metadata().expect("a path of the list");
            match metadata.is_dir() {
                true => self.walk(tree, path, &mut found),
                false => self.add(path.clone(), &metadata, &mut found),
            }
        }
        found
    }
}

hs_test!(files_are_chosen_by_their_metadata, |_, _| {
    if process::oracle().is_some() {
        return;
    }
    let (mut counts, seed) = ([0, 0], env_number("HS_TEST_SEED", 1));
    for seed in seed..seed + env_number("HS_TEST_TREES", 30) {
        let tree = TempTree::new("metadata");
        let (mut rng, hs) = (Rng::with_seed(seed), Hs::new(&tree));
        random_tree(&tree, &mut rng);
        for _ in 0..3 {
            let choice = Choice::new(&tree, &mut rng);
            let order = rng.pick(&["--sort=path", "-j1", "-j4"]);
            let mut run = hs.args(choice.args()).arg(order).differs_from_ripgrep("it has none");
            if let Some(list) = &choice.list {
                run = match rng.chance(50) {
                    true => run.arg("--files-from=-").stdin(list.join("\n")),
                    false => run.arg("--files0-from=-").stdin(list.join("\0")),
                };
            }
            let run = run.unix_only("Wine shows what a link points to");
            let Some(outcome) = run.outcome() else { return };
            let messages = String::from_utf8_lossy(&outcome.stderr);
            let is_fine = messages.is_empty() || messages.contains("No files were searched");
            assert!(is_fine, "seed {seed}: {messages}");
            let text = String::from_utf8(outcome.stdout).expect("names are ASCII");
            let mut shown: Vec<&str> = text.lines().collect();
            let found = choice.found(&tree);
            let mut expected: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
            let what = format!("seed {seed}: {choice:?} {order} of {}", tree.describe());
            if order == "--sort=path" || !choice.is_unique {
                if order != "--sort=path" {
                    shown.sort_unstable();
                    expected.sort_unstable();
                }
                assert_eq!(shown, expected, "{what}");
            } else {
                // Any name of a file can be the one that is found.
                let id_at = |path: &&str| id(&tree.join(path).metadata().expect("a file"));
                let ids: BTreeSet<_> = shown.iter().map(id_at).collect();
                assert_eq!(ids.len(), shown.len(), "{what}: {shown:?}");
                assert_eq!(ids, found.iter().map(|file| file.id).collect(), "{what}");
            }
            counts[0] += shown.len();
            counts[1] += usize::from(choice.is_unique && !shown.is_empty());
        }
    }
    assert!(counts[0] > 100 && counts[1] > 10, "{counts:?}");
});
