//! Hits in batches: pages, the lines around hits, and what ends a search.

use std::{
    fs,
    time::{Duration, Instant},
};

use heist::{BatchOptions, Batches, Cut, HitInContext, Search, Shown};

/// A tree with ten files of three lines that match, and a line between two of them that does not.
fn tree() -> tempfile::TempDir {
    let temp = tempfile::tempdir_in(skipped_tests::place()).unwrap();
    for number in 0..10 {
        fs::write(temp.path().join(number.to_string()), "x 1\ny\nx 2\nx 3\n").unwrap();
    }
    temp
}

fn search(tree: &tempfile::TempDir) -> Search {
    Search::new("x").unwrap().root(tree.path()).sorted()
}

fn all(search: Search, options: BatchOptions) -> (Vec<HitInContext>, Shown) {
    let batches = Batches::new(search, options);
    let mut hits = Vec::new();
    while let Some(batch) = batches.next_batch() {
        assert!(!batch.is_empty());
        hits.extend(batch);
    }
    (hits, batches.finish().unwrap())
}

fn places(hits: &[HitInContext]) -> Vec<(String, u64)> {
    let place = |found: &HitInContext| {
        (found.hit.path.to_string_lossy().into_owned(), found.hit.line_number)
    };
    hits.iter().map(place).collect()
}

#[test]
fn pages_make_the_whole() {
    let tree = tree();
    let (whole, shown) = all(search(&tree), BatchOptions::default());
    assert_eq!((whole.len(), shown.results, shown.files, shown.files_searched), (30, 30, 10, 10));
    assert_eq!((shown.cut, shown.next), (None, None));
    for limit in [1, 7, 30, 31] {
        let (mut pages, mut next) = (Vec::new(), Some(0));
        while let Some(offset) = next {
            let options = BatchOptions { offset, timeout: None };
            let (page, shown) = all(search(&tree).limit(limit), options);
            assert_eq!(shown.results, page.len() as u64);
            assert!(page.len() as u64 <= limit);
            assert_eq!(shown.cut == Some(Cut::Limit), shown.next.is_some());
            pages.extend(page);
            next = shown.next;
        }
        assert_eq!(places(&pages), places(&whole), "pages of {limit}");
    }
}

#[test]
fn unsorted_results_have_no_next_page() {
    let tree = tree();
    let search = Search::new("x").unwrap().root(tree.path()).limit(5);
    let (hits, shown) = all(search, BatchOptions::default());
    assert_eq!((hits.len(), shown.cut, shown.next), (5, Some(Cut::Limit), None));
}

#[test]
fn hits_have_the_lines_around_them() {
    let tree = tree();
    let (hits, _) = all(search(&tree).context(1, 2).limit(3), BatchOptions::default());
    let lines = |lines: &[heist::OwnedHit]| -> Vec<u64> {
        lines.iter().map(|line| line.line_number).collect()
    };
    let around: Vec<_> =
        hits.iter().map(|found| (lines(&found.before), lines(&found.after))).collect();
    assert_eq!(
        around,
        [(vec![], vec![2, 3]), (vec![2], vec![4]), (vec![3], vec![])],
        "lines that match are lines around others, and the next file's are not"
    );
}

#[test]
fn a_search_ends_early() {
    let tree = tree();
    let batches = Batches::new(search(&tree), BatchOptions::default());
    batches.close();
    assert!(batches.next_batch().is_none());
    let shown = batches.finish().unwrap();
    assert!(matches!(shown.cut, None | Some(Cut::Cancelled)));

    let options = BatchOptions { timeout: Some(Duration::ZERO), ..BatchOptions::default() };
    let (hits, shown) = all(search(&tree), options);
    assert!(hits.is_empty());
    assert_eq!((shown.cut, shown.next), (Some(Cut::Time), Some(0)));

    let (hits, shown) = all(search(&tree).limit(0), BatchOptions::default());
    assert!(hits.is_empty());
    assert_eq!(shown.cut, Some(Cut::Limit));
}

#[test]
fn a_reader_need_not_wait_for_hits() {
    let tree = tree();
    let batches = Batches::new(search(&tree), BatchOptions::default());
    let started = Instant::now();
    let mut hits = 0;
    while let Some(batch) = batches.next_batch_within(Duration::from_micros(100)) {
        hits += batch.len();
        assert!(started.elapsed() < Duration::from_secs(60));
    }
    assert_eq!(hits, 30);
}

#[test]
fn what_cannot_be_searched_is_an_error() {
    let tree = tree();
    let missing = tree.path().join("missing");
    let (hits, shown) = all(search(&tree).root(&missing), BatchOptions::default());
    assert_eq!(hits.len(), 30);
    assert_eq!(
        shown.errors.iter().map(|error| error.path()).collect::<Vec<_>>(),
        [Some(&*missing)]
    );
    let walk = heist::Walk::default().file_type("no such type");
    let batches = Batches::new(search(&tree).walk(walk), BatchOptions::default());
    assert!(batches.next_batch().is_none());
    assert!(matches!(batches.finish(), Err(heist::Error::Filter(_))));
}
