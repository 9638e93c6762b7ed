//! Directories that are known.

use std::{
    fs, io,
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use heist_filter::{Filter, FilterConfig, Fingerprint};

use super::{root, variants, visit};
use crate::{
    Assist, DirVisitor, Entry, Error, FileMetadata, FileType, Helpers, KnownDir, KnownDirs,
    KnownEntry, Look, OrderedVisitor, Shortcut, Visitor, Wants, Whole, walk_with_hooks,
};

/// A directory of files, of which every third has no shortcut, and every other one has changed.
#[derive(Debug)]
struct Files {
    names: Vec<String>,
    looks: AtomicUsize,
}

impl Files {
    fn is_changed(file: u32) -> bool {
        file.is_multiple_of(2)
    }

    fn is_skipped(file: u32) -> bool {
        !file.is_multiple_of(3) && !Files::is_changed(file)
    }
}

impl KnownDirs for Files {
    fn root(&self, _: &Path) -> Option<u32> {
        Some(7)
    }

    fn dir(&self, number: u32) -> Option<Box<dyn KnownDir<'_> + '_>> {
        assert_eq!(number, 7);
        let entry = |(name, number): (_, u32)| KnownEntry {
            name,
            file_type: Some(FileType::File),
            inode: 1,
            number: Some(number),
            is_wanted: None,
            shortcut: match number.is_multiple_of(3) {
                true => Shortcut::None,
                false => Shortcut::SkipUnchanged,
            },
        };
        let entries = self.names.iter().map(String::as_bytes).zip(0..).map(entry).collect();
        Some(Box::new(Unchanged { entries, is_judged: false }))
    }

    fn skips_file(&self, file: u32, look: Look<'_>) -> bool {
        assert!(!file.is_multiple_of(3), "only files with a shortcut");
        // Ordering: Relaxed; the number is read after the walk.
        self.looks.fetch_add(1, Ordering::Relaxed);
        // Each file has another length.
        let len = look().map(|now| now.size);
        assert!(cfg!(not(unix)) || len.is_ok_and(|len| len == file.into()));
        !Files::is_changed(file)
    }
}

/// A directory that has not changed, and was judged by all rules or by none.
struct Unchanged<'k> {
    entries: Vec<KnownEntry<'k>>,
    is_judged: bool,
}

impl<'k> KnownDir<'k> for Unchanged<'k> {
    fn is_unchanged(&self, _: Look<'_>) -> bool {
        true
    }

    fn entries(&self) -> Box<dyn Iterator<Item = KnownEntry<'k>> + 'k> {
        Box::new(self.entries.clone().into_iter())
    }

    fn is_judged_by(&self, _: Fingerprint) -> bool {
        self.is_judged
    }

    fn rules(
        &self,
        _: Fingerprint,
        _: &mut dyn FnMut(&[u8]) -> io::Result<FileMetadata>,
    ) -> Option<Fingerprint> {
        None
    }
}

#[test]
fn unchanged_files_are_skipped() {
    const FILES: u32 = 300;
    let temp = tempfile::tempdir().unwrap();
    let names: Vec<_> = (0..FILES).map(|file| format!("file{file}")).collect();
    for (name, len) in names.iter().zip(0..) {
        fs::write(temp.path().join(name), vec![b'x'; len]).unwrap();
    }
    for config in variants(&root(temp.path()), 3) {
        let files = Arc::new(Files { names: names.clone(), looks: AtomicUsize::new(0) });
        let config = crate::WalkConfig { known_dirs: Some(files.clone()), slice: 16, ..config };
        let (visited, errors) = visit(&config);
        assert!(errors.is_empty(), "{errors:?}");
        let expected = (0..FILES).filter(|&file| !Files::is_skipped(file));
        let mut expected: Vec<_> =
            expected.map(|file| temp.path().join(&names[file as usize])).collect();
        expected.sort();
        assert!(visited.values().all(|&times| times == 1));
        assert_eq!(visited.into_keys().collect::<Vec<_>>(), expected);
        // Ordering: Relaxed; the walk has ended.
        assert_eq!(files.looks.load(Ordering::Relaxed), 200, "each once");
    }
}

/// A directory of directories, each of which may be visited whole. Holds their names.
#[derive(Debug)]
struct Wholes(Vec<String>);

impl KnownDirs for Wholes {
    fn root(&self, _: &Path) -> Option<u32> {
        Some(0)
    }

    fn dir(&self, number: u32) -> Option<Box<dyn KnownDir<'_> + '_>> {
        let entry = |(name, number)| KnownEntry {
            name,
            file_type: Some(FileType::Dir),
            inode: 1,
            number: Some(number),
            is_wanted: Some(true),
            shortcut: Shortcut::Whole,
        };
        let entries = self.0.iter().map(String::as_bytes).zip(1..).map(entry).collect();
        (number == 0).then(|| Box::new(Unchanged { entries, is_judged: true }) as Box<_>)
    }

    fn skips_file(&self, _: u32, _: Look<'_>) -> bool {
        false
    }
}

/// Visits every directory whole but each fifth one, whose file the walk finds.
struct ByDir {
    at_once: bool,
    wholes: Vec<u32>,
    files: Vec<Vec<u8>>,
}

impl Visitor for ByDir {
    const WANTED_ENTRIES: Wants = Wants { whole_dirs: true, ..Wants::ONLY_FILES };

    fn entry(&mut self, entry: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
        self.files.push(entry.name().to_vec());
        ControlFlow::Continue(())
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

impl DirVisitor for ByDir {
    fn whole(&mut self, path: &[u8], number: u32, when: Whole) -> Option<ControlFlow<()>> {
        assert!(path.ends_with(format!("dir{number}{}", std::path::MAIN_SEPARATOR).as_bytes()));
        if number.is_multiple_of(5) || when == Whole::Found && !self.at_once {
            return None;
        }
        self.wholes.push(number);
        Some(ControlFlow::Continue(()))
    }
}

impl OrderedVisitor for ByDir {}
impl Assist for ByDir {}

#[test]
fn directories_are_visited_whole_once_or_walked() {
    const DIRS: u32 = 23;
    let temp = tempfile::tempdir().unwrap();
    for number in 1..=DIRS {
        let dir = temp.path().join(format!("dir{number}"));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(format!("file{number}")), "").unwrap();
    }
    let rules = FilterConfig { dot: true, fingerprints: true, ..FilterConfig::default() };
    let filter = Filter::new(rules).unwrap();
    for config in variants(&root(temp.path()), 3) {
        for at_once in [false, true] {
            let wholes = Wholes((1..=DIRS).map(|number| format!("dir{number}")).collect());
            let known_dirs: Option<Arc<dyn KnownDirs>> = Some(Arc::new(wholes));
            let config = crate::WalkConfig { known_dirs, order: None, ..config.clone() };
            let visitor = |_| ByDir { at_once, wholes: Vec::new(), files: Vec::new() };
            let report = walk_with_hooks(&config, &filter, visitor).unwrap();
            let several = report.visitors.iter().filter(|it| !it.wholes.is_empty()).count();
            assert!(!at_once || several == 1, "the worker that finds them visits them");
            let mut wholes: Vec<_> =
                report.visitors.iter().flat_map(|it| it.wholes.iter().copied()).collect();
            if config.workers == 1 || at_once {
                assert!(wholes.is_sorted(), "in the order in which they were listed");
            }
            wholes.sort_unstable();
            let (expected, walked): (Vec<_>, Vec<_>) =
                (1..=DIRS).partition(|number| !number.is_multiple_of(5));
            assert_eq!(wholes, expected);
            let mut files: Vec<_> = report.visitors.into_iter().flat_map(|it| it.files).collect();
            let mut names: Vec<_> =
                walked.iter().map(|number| format!("file{number}").into_bytes()).collect();
            files.sort_unstable();
            names.sort_unstable();
            assert_eq!(files, names);
        }
    }
}
