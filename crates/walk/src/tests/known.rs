//! Directories that are known.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use heist_filter::Fingerprint;

use super::{root, variants, visit};
use crate::{FileMetadata, FileType, KnownDirs, KnownEntry, Shortcut};

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

    fn is_passed_over(file: u32) -> bool {
        !file.is_multiple_of(3) && !Files::is_changed(file)
    }
}

impl KnownDirs for Files {
    fn root(&self, _: &Path) -> Option<u32> {
        Some(7)
    }

    fn is_unchanged(&self, dir: u32, _: &mut dyn FnMut() -> io::Result<FileMetadata>) -> bool {
        assert_eq!(dir, 7);
        true
    }

    fn is_file_unchanged(
        &self,
        file: u32,
        look: &mut dyn FnMut() -> io::Result<FileMetadata>,
    ) -> bool {
        assert!(!file.is_multiple_of(3), "only files with a shortcut");
        // Ordering: Relaxed; the number is read after the walk.
        self.looks.fetch_add(1, Ordering::Relaxed);
        // Each file has another length.
        let len = look().map(|now| now.size);
        assert!(cfg!(not(unix)) || len.is_ok_and(|len| len == file.into()));
        !Files::is_changed(file)
    }

    fn entries(
        &self,
        _: u32,
        from: usize,
        add: &mut dyn FnMut(KnownEntry<'_>) -> bool,
    ) -> io::Result<bool> {
        let mut entries = self.names.iter().zip(0..).skip(from);
        Ok(entries.any(|(name, number)| {
            !add(KnownEntry {
                name: name.as_bytes(),
                file_type: Some(FileType::File),
                inode: 1,
                number: Some(number),
                is_wanted: None,
                shortcut: match number.is_multiple_of(3) {
                    true => Shortcut::None,
                    false => Shortcut::PassOver,
                },
            })
        }))
    }

    fn is_judged_by(&self, _: u32, _: Fingerprint) -> bool {
        false
    }

    fn rules(
        &self,
        _: u32,
        _: Fingerprint,
        _: &mut dyn FnMut(&[u8]) -> io::Result<FileMetadata>,
    ) -> Option<Fingerprint> {
        None
    }
}

#[test]
fn unchanged_files_are_passed_over() {
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
        let expected = (0..FILES).filter(|&file| !Files::is_passed_over(file));
        let mut expected: Vec<_> =
            expected.map(|file| temp.path().join(&names[file as usize])).collect();
        expected.sort();
        assert!(visited.values().all(|&times| times == 1));
        assert_eq!(visited.into_keys().collect::<Vec<_>>(), expected);
        // Ordering: Relaxed; the walk has ended.
        assert_eq!(files.looks.load(Ordering::Relaxed), 200, "each once");
    }
}
