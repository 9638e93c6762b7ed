//! Which files a search need not read, because an index proves that nothing matches in them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use heist_index::{Candidates, Home, Plan, Scope, Stamp, StampTrust, Verdict};
use heist_matcher::Matcher;
use heist_walk::{Entry, FileId, FileMetadata};

/// The indexes that cover the roots of a search. All workers share them.
#[derive(Default)]
pub(crate) struct Indexes(Vec<Covered>);

/// What one index proves about the files of a search.
struct Covered {
    /// The directory that was indexed.
    root: PathBuf,
    /// The device of the tree. An index covers no other.
    device: u64,
    candidates: Candidates,
}

impl Indexes {
    /// Opens the indexes in `home` that cover a root, for a search of lines that match. Those that
    /// cannot be used are left out, and all of them if they prove nothing for the pattern.
    pub(crate) fn open(home: PathBuf, matcher: &Matcher, mut roots: Vec<PathBuf>) -> Indexes {
        let plan = Plan::of_all(matcher.requirements());
        if plan.is_anything() {
            return Indexes::default();
        }
        let scope = if matcher.spans_lines() { Scope::File } else { Scope::Line };
        let home = Home::new(home);
        roots.sort_unstable();
        let mut indexes: Vec<Covered> = Vec::new();
        for dir in roots.iter().filter_map(|root| fs::canonicalize(root).ok()) {
            // An index keeps files open, so that it is opened once for all roots in its directory.
            if !indexes.iter().any(|covered| dir.starts_with(&covered.root)) {
                indexes.extend(Covered::by(&home, &dir, &plan, scope));
            }
        }
        Indexes(indexes)
    }

    /// How long `file` is, if it certainly contains no match.
    pub(crate) fn len_without_match(&self, file: &Entry<'_>) -> Option<u64> {
        if self.0.is_empty() {
            return None;
        }
        let FileMetadata { id, size, mode, modified, changed } = file.file_metadata().ok()?;
        let stamp = Stamp::new(id.inode, size, mode, modified, changed);
        let rules_out = |covered: &Covered| {
            covered.device == id.device
                && covered.candidates.verdict(&stamp) == Verdict::CannotMatch
        };
        self.0.iter().any(rules_out).then_some(size)
    }
}

impl Covered {
    /// What the index in `home` proves that covers `dir`, an absolute path without links, if there
    /// is one and it can be used.
    fn by(home: &Home, dir: &Path, plan: &Plan, scope: Scope) -> Option<Covered> {
        let index = home.find(dir).ok()?;
        if let StampTrust::Nothing(_) = StampTrust::of(index.root()).ok()? {
            return None;
        }
        let device = FileId::of(&fs::metadata(index.root()).ok()?)?.device;
        // What is reported about a binary file depends on its bytes.
        let candidates = index.candidates(plan, scope).ok()?.with_special_files();
        Some(Covered { root: index.root().to_owned(), device, candidates })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        fs::File,
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::Duration,
    };

    use heist_index::Builder;

    use super::*;
    use crate::{Format, MatcherConfig, Search, Summary, engine::indexes_of};

    const PATTERNS: [&str; 5] = ["silver", "gold(en)? ring", "no such text", "ring\nsilver", "^$"];

    /// A tree in which each file has a few of these lines, and the place for its index.
    struct Indexed {
        temp: tempfile::TempDir,
        random: u64,
    }

    impl Indexed {
        fn new() -> Indexed {
            let temp = tempfile::tempdir_in(skipped_tests::place()).unwrap();
            fs::create_dir_all(temp.path().join("tree/deep")).unwrap();
            let mut indexed = Indexed { temp, random: 1 };
            (0..60).for_each(|file| indexed.write(file));
            // Just written, they might be written again within the same tick of the clock.
            thread::sleep(Duration::from_millis(200));
            let tree = indexed.temp.path().canonicalize().unwrap().join("tree");
            let home = Home::new(indexed.home());
            let builder = Builder::new(&home.dir_of(&tree), &tree).unwrap();
            let mut collector = builder.collector();
            for file in 0..60 {
                collector.add(&mut File::open(indexed.path(file)).unwrap()).unwrap();
            }
            drop(collector);
            builder.finish(1).unwrap();
            indexed
        }

        fn home(&self) -> PathBuf {
            self.temp.path().join("cache")
        }

        fn path(&self, file: u64) -> PathBuf {
            let dir = if file.is_multiple_of(2) { "tree" } else { "tree/deep" };
            self.temp.path().join(format!("{dir}/{file}.txt"))
        }

        /// A number below `end`, by Knuth's MMIX generator.
        fn below(&mut self, end: u64) -> u64 {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.random >> 33) % end
        }

        /// Writes other lines of the same length to `file`.
        fn write(&mut self, file: u64) {
            const FILE_LINES: [&str; 6] = [
                "silver ...\n",
                "golden ring",
                "gold ring..",
                "some text.\n",
                "\n.........\n",
                "a\0b.......\n",
            ];
            let text: String = (0..4).map(|_| FILE_LINES[self.below(6) as usize]).collect();
            fs::write(self.path(file), text).unwrap();
        }

        /// Changes the tree as other programs do.
        fn change(&mut self) {
            let (file, other) = (self.below(60), self.below(60));
            let path = self.path(file);
            match self.below(5) {
                0 => drop(fs::remove_file(path)),
                1 => drop(fs::rename(path, self.path(other))),
                2 => drop(fs::copy(path, self.path(other))),
                3 => {
                    // With the time of modification as before.
                    let Ok(before) = fs::metadata(&path) else { return };
                    self.write(file);
                    let file = File::options().write(true).open(path).unwrap();
                    file.set_modified(before.modified().unwrap()).unwrap();
                }
                _ => self.write(file),
            }
        }
    }

    fn searches(indexed: &Indexed) -> impl Iterator<Item = Search> {
        PATTERNS.into_iter().flat_map(move |pattern| {
            let config = MatcherConfig { multiline: pattern.contains('\n'), ..Default::default() };
            let search = Search::with_matcher(Matcher::new([pattern], &config).unwrap())
                .root(indexed.temp.path().join("tree"))
                .threads(1)
                .sorted();
            let named = search.clone().walk(crate::Walk::default().name_skipped(100));
            [search.clone().invert(), search.clone().binary_as_text(), search.context(1, 0), named]
        })
    }

    /// All that a search reports, but for the times in JSON.
    fn report(search: &Search) -> String {
        let mut report = String::new();
        for format in [Format::Lines, Format::Json] {
            let mut out = Vec::new();
            let summary = search.print(format, &mut out).unwrap();
            for line in String::from_utf8_lossy(&out).lines() {
                let is_timed = line.contains("\"elapsed");
                report += line.split_once("\"elapsed").filter(|_| is_timed).map_or(line, |it| it.0);
                if let Some((_, bytes)) = line.split_once("\"bytes_searched\"") {
                    report += bytes.split(',').next().unwrap();
                }
                report.push('\n');
            }
            report += &format!("{summary:?}\n");
        }
        let hits = search.run(|hit| report += &format!("{:?} {}\n", hit.path(), hit.text()));
        let Summary { files_searched, errors, skipped, .. } = hits.unwrap();
        assert!(errors.is_empty());
        report + &format!("{files_searched} {skipped:?}")
    }

    #[test]
    fn searches_report_the_same_with_an_index_as_without() {
        let mut indexed = Indexed::new();
        for round in 0..6 {
            for search in searches(&indexed) {
                let with_index = search.clone().indexes_in(indexed.home());
                assert_eq!(report(&with_index), report(&search), "round {round}: {search:?}");
            }
            (0..8).for_each(|_| indexed.change());
        }
    }

    #[test]
    fn unchanged_files_without_a_match_are_ruled_out() {
        let mut indexed = Indexed::new();
        let search = Search::new("no such text").unwrap().root(indexed.temp.path().join("tree"));
        let search = search.indexes_in(indexed.home());
        let ruled_out = |search: &Search| {
            let (options, count) = (&search.options, AtomicUsize::new(0));
            let indexes = indexes_of(options);
            let visited = options.walk.clone().run(|entry| {
                let is_ruled_out = indexes.len_without_match(entry).is_some();
                // Ordering: Relaxed, the sum is read after the walk.
                count.fetch_add(is_ruled_out.into(), Ordering::Relaxed);
            });
            assert_eq!(visited.unwrap().entries, 60);
            count.into_inner()
        };
        if matches!(StampTrust::of(indexed.temp.path()).unwrap(), StampTrust::Nothing(_)) {
            skipped_tests::skip("the file system's times of change are not trusted");
            return;
        }
        let special = (0..60).filter(|file| fs::read(indexed.path(*file)).unwrap().contains(&0));
        let before = ruled_out(&search);
        assert_eq!(before, 60 - special.count());
        assert_eq!(ruled_out(&search.clone().invert()), 0);
        let text = (0..60).find(|file| !fs::read(indexed.path(*file)).unwrap().contains(&0));
        indexed.write(text.unwrap());
        assert_eq!(ruled_out(&search), before - 1);
        // What is damaged is not used.
        for index in fs::read_dir(indexed.home()).unwrap() {
            let manifest = index.unwrap().path().join("manifest");
            let mut bytes = fs::read(&manifest).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(&manifest, bytes).unwrap();
        }
        assert_eq!(ruled_out(&search), 0);
    }
}
