//! The walk against a slow, plain one on random trees, and special cases one by one: with every
//! queue, both systems, one worker and many.

use std::{
    collections::BTreeMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use heist_filter::{Filter, Problem};
use heist_queue::{QueueKind, Sharing};

use crate::{
    Assist, DirVisitor, Entry, Error, FileId, Helpers, OrderedVisitor, Reader, Root, Visitor,
    WalkConfig, sys,
};

/// The methods of a visitor whose walk meets no error.
macro_rules! expect_no_errors {
    () => {
        fn error(&mut self, error: crate::Error) {
            panic!("{error}");
        }

        fn problem(&mut self, problem: heist_filter::Problem) {
            panic!("{problem:?}");
        }
    };
}

mod checkouts;
mod files;
mod hooks;
mod known;
mod limits;
mod links;
mod order;
mod random;
mod shards;
mod sharing;
/// Names and files that only Unix has.
#[cfg(unix)]
mod unix;

use links::{has_links, symlink};

/// Records what it receives.
#[derive(Debug, Default)]
struct Notes {
    files: Vec<PathBuf>,
    errors: Vec<String>,
    /// The number of files after which the walk is stopped.
    enough: Option<usize>,
}

impl Visitor for Notes {
    fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        if !file.is_stdin() {
            drop(file.open().unwrap_or_else(|e| panic!("{file:?}: {e}")));
        }
        self.files.push(file.path());
        if self.enough.is_some_and(|n| self.files.len() >= n) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        self.errors.push(error.to_string());
    }

    fn problem(&mut self, problem: Problem) {
        panic!("no ignore file is read here: {problem:?}");
    }
}

impl OrderedVisitor for Notes {}
impl Assist for Notes {}
impl DirVisitor for Notes {}

fn everything() -> Filter {
    let config = heist_filter::FilterConfig { hidden: true, ..Default::default() };
    let filter = Filter::new(config).expect("no glob, no type");
    assert!(filter.wants_everything());
    filter
}

/// Each path with how often it was visited, and the errors, sorted.
fn visit(config: &WalkConfig) -> (BTreeMap<PathBuf, usize>, Vec<String>) {
    let report = crate::walk(config, &everything(), |_| Notes::default()).expect("no panic");
    merge(report.visitors)
}

fn merge(visitors: Vec<Notes>) -> (BTreeMap<PathBuf, usize>, Vec<String>) {
    let mut files = BTreeMap::new();
    let mut errors = Vec::new();
    for notes in visitors {
        for path in notes.files {
            *files.entry(path).or_insert(0) += 1;
        }
        errors.extend(notes.errors);
    }
    errors.sort();
    (files, errors)
}

/// Every combination of queue and system, with one worker and with `workers`, and with the ways of
/// sharing in turn.
fn variants(roots: &[Root], workers: usize) -> Vec<WalkConfig> {
    let mut variants = Vec::new();
    for &queue in QueueKind::ALL {
        for reader in [Reader::Native, Reader::Portable] {
            for workers in [1, workers] {
                let sharing = Sharing::ALL[variants.len() / 2 % Sharing::ALL.len()];
                variants.push(WalkConfig {
                    sharing,
                    roots: roots.to_vec(),
                    workers,
                    queue,
                    reader,
                    slice: 2,
                    ..WalkConfig::default()
                });
            }
        }
    }
    variants
}

fn once(paths: impl IntoIterator<Item = PathBuf>) -> BTreeMap<PathBuf, usize> {
    paths.into_iter().map(|path| (path, 1)).collect()
}

#[track_caller]
fn expect(config: &WalkConfig, paths: &[PathBuf], errors: &[&str]) {
    let (seen, found_errors) = visit(config);
    assert_eq!(seen, once(paths.to_vec()), "{config:?}");
    assert_eq!(found_errors, errors, "{config:?}");
}

fn root(path: impl Into<PathBuf>) -> Vec<Root> {
    vec![Root::Path(path.into())]
}

/// A number from the environment, which makes a test longer.
fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn every_variant_finds_what_the_plain_walk_finds() {
    let trees = from_environment("HEIST_WALK_TREES", 100);
    // With how many numbers of workers, from 2 to 32, each tree is walked. One worker always is.
    let crews = from_environment("HEIST_WALK_CREWS", 1);
    let first = from_environment("HEIST_WALK_SEED", 0);
    for seed in first..first + trees {
        let temp = tempfile::tempdir().unwrap();
        random::grow(temp.path(), seed);
        for follow in [false, true] {
            let expected = once(random::plain_walk(temp.path(), follow));
            for helpers in 0..crews {
                let workers = 2 + ((seed + helpers) % 31) as usize;
                for mut config in variants(&root(temp.path()), workers) {
                    config.follow = follow;
                    let (seen, _) = visit(&config);
                    let differences: Vec<_> = seen
                        .iter()
                        .filter(|pair| expected.get(pair.0) != Some(pair.1))
                        .chain(expected.iter().filter(|pair| !seen.contains_key(pair.0)))
                        .collect();
                    assert!(differences.is_empty(), "seed {seed}, {config:?}: {differences:?}");
                }
            }
        }
    }
}

#[test]
fn a_flat_directory_larger_than_a_listing_is_seen_whole() {
    let temp = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for i in 0..12_000 {
        let path = temp.path().join(format!("a-rather-long-name-{i}"));
        fs::write(&path, "").unwrap();
        expected.push(path);
    }
    for config in variants(&root(temp.path()), 4) {
        expect(&config, &expected, &[]);
    }
}

#[test]
fn a_missing_root_is_an_error_and_the_others_are_walked() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("there");
    fs::write(&file, "").unwrap();
    let missing = temp.path().join("missing");
    let roots =
        [Root::Path(missing.clone()), Root::Path(file.clone()), Root::Path(temp.path().into())];
    for config in variants(&roots, 2) {
        let (seen, errors) = visit(&config);
        assert_eq!(seen, BTreeMap::from([(file.clone(), 2)]));
        let error = fs::metadata(&missing).unwrap_err();
        assert_eq!(errors, [format!("{}: {error}", missing.display())]);
    }
}

#[test]
fn an_empty_path_is_missing_too() {
    for config in variants(&root(Path::new("")), 2) {
        let (seen, errors) = visit(&config);
        assert_eq!(seen, BTreeMap::new());
        assert_eq!(errors, [format!("'': {}", fs::metadata("").unwrap_err())]);
    }
}

#[test]
fn standard_input_is_a_root() {
    let config = WalkConfig { roots: vec![Root::Stdin], ..WalkConfig::default() };
    expect(&config, &[PathBuf::from("-")], &[]);
}

#[test]
fn depth_is_counted_from_the_root() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir_all(temp.path().join("a/b")).unwrap();
    let paths = ["1", "a/2", "a/b/3"].map(|name| temp.path().join(name));
    for path in &paths {
        fs::write(path, "").unwrap();
    }
    for mut config in variants(&root(temp.path()), 2) {
        for depth in 0..4 {
            config.max_depth = Some(depth);
            expect(&config, &paths[..depth.min(3)], &[]);
        }
    }
    let named = WalkConfig { roots: root(&paths[0]), max_depth: Some(0), ..WalkConfig::default() };
    expect(&named, &paths[..1], &[]);
}

#[test]
fn links_are_skipped_unless_followed() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let (real, link) = (temp.path().join("real"), temp.path().join("link"));
    fs::write(&real, "").unwrap();
    symlink("real", &link).unwrap();
    for mut config in variants(&root(temp.path()), 2) {
        expect(&config, std::slice::from_ref(&real), &[]);
        config.follow = true;
        expect(&config, &[real.clone(), link.clone()], &[]);
    }
    let named = WalkConfig { roots: root(&link), ..WalkConfig::default() };
    expect(&named, &[link], &[]);
}

#[test]
fn a_loop_is_an_error_and_the_rest_is_walked() {
    if !has_links() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let sub = temp.path().join("sub");
    fs::create_dir(&sub).unwrap();
    let file = sub.join("file");
    fs::write(&file, "").unwrap();
    symlink("..", sub.join("up")).unwrap();
    symlink("nowhere", sub.join("void")).unwrap();
    let found = format!(
        "File system loop found: {} points to an ancestor {}",
        sub.join("up").display(),
        temp.path().display()
    );
    let error = fs::metadata(sub.join("void")).unwrap_err();
    let broken = format!("{}: {error}", sub.join("void").display());
    let mut errors = [found.as_str(), broken.as_str()];
    errors.sort_unstable();
    for mut config in variants(&root(temp.path()), 3) {
        config.follow = true;
        expect(&config, std::slice::from_ref(&file), &errors);
    }
}

#[test]
fn large_files_and_the_output_file_are_skipped() {
    let temp = tempfile::tempdir().unwrap();
    let paths = ["10", "11", "out"].map(|name| temp.path().join(name));
    for (path, size) in paths.iter().zip([10, 11, 1]) {
        fs::write(path, vec![b'x'; size]).unwrap();
    }
    let skip: FileId = sys::System::status(Reader::Native, &paths[2]).unwrap().id;
    for mut config in variants(&root(temp.path()), 2) {
        (config.max_filesize, config.skip) = (Some(10), Some(skip));
        expect(&config, &paths[..1], &[]);
    }
    let named =
        WalkConfig { roots: root(&paths[1]), max_filesize: Some(10), ..WalkConfig::default() };
    expect(&named, &paths[1..2], &[]);
}

#[test]
fn a_stop_ends_the_walk_early() {
    let temp = tempfile::tempdir().unwrap();
    random::grow(temp.path(), 7);
    for config in variants(&root(temp.path()), 4) {
        let stopping = |_| Notes { enough: Some(1), ..Notes::default() };
        let report = crate::walk(&config, &everything(), stopping).expect("no panic");
        assert_eq!(report.stop, heist_queue::Stop::Quit);
        let seen: usize = report.visitors.iter().map(|v| v.files.len()).sum();
        assert!((1..=config.workers).contains(&seen), "each worker sees at most one: {seen}");
    }
}

#[test]
fn the_unnamed_root_shows_no_prefix() {
    let config = WalkConfig { max_depth: Some(1), ..WalkConfig::default() };
    let (seen, _) = visit(&config);
    assert!(seen.contains_key(Path::new("Cargo.toml")), "{seen:?}");
    let named = WalkConfig { roots: root("./"), max_depth: Some(1), ..WalkConfig::default() };
    let (seen, _) = visit(&named);
    assert!(seen.keys().any(|path| path.as_os_str() == "./Cargo.toml"), "{seen:?}");
}
