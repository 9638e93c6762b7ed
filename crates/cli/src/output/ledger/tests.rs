//! The ledger under random interleavings, compared with a sorted list; and its limits.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::Arc,
    thread,
};

use heist_printer::Output;
use heist_walk::{Entry, Error, Helpers, Root, Visitor, WalkConfig};

use super::*;
use crate::output::{
    FlushMode,
    sorted::{Repeat, SortedOutput},
};

/// A writer that stores everything it receives.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).expect("only text is printed")
    }
}

fn paper(flush_mode: FlushMode) -> (Paper, SharedOutput<Paper>) {
    let paper = Paper::default();
    (paper.clone(), SharedOutput::new(paper, flush_mode, false))
}

fn key(number: usize) -> Key {
    (number as u64).to_be_bytes().to_vec()
}

fn number(key: &Key) -> u64 {
    u64::from_be_bytes(key.as_slice().try_into().expect("eight bytes"))
}

fn piece(text: &str, separator_len: usize) -> OutputPiece {
    OutputPiece { bytes: text.into(), separator_len }
}

/// Returns `range` as printed by [`print_number`] for each of its numbers.
fn numbers(range: Range<u64>) -> String {
    range.map(print_number).collect()
}

fn print_number(number: u64) -> String {
    format!("{number} ")
}

/// Prints `text` as the whole result of the current file.
fn print(local: &mut SortedOutput<'_, Paper>, text: &str) {
    local.begin_file(b"");
    local.buffer().extend_from_slice(text.as_bytes());
    assert!(local.commit().is_continue());
    assert!(local.end_file().is_continue());
}

/// Visits `files`, which are one item, and prints `text` of each number.
fn visit(
    local: &mut SortedOutput<'_, Paper>,
    files: &[(Key, OwnedEntry)],
    text: impl Fn(u64) -> String,
) {
    local.begin(&files[0].0);
    for (key, file) in files {
        let file = file.as_entry(key);
        assert!(local.enter(&file, Repeat::Free).is_continue(), "the file is not deferred");
        print(local, &text(number(key)));
        assert!(local.leave(&file).is_continue());
    }
    local.end();
}

/// Visits `files` as long as the ledger hands out any.
fn visit_all(
    ledger: &Ledger,
    local: &mut SortedOutput<'_, Paper>,
    files: &Deferred,
    text: impl Fn(u64) -> String,
) {
    while let Some(taken) = ledger.take(files) {
        visit(local, &files[taken], &text);
    }
}

/// Returns `count` files with the keys 0, 1 and so on. They are never opened.
fn files(count: usize) -> Deferred {
    /// The first file of a walk.
    struct First(Option<OwnedEntry>);
    impl Visitor for First {
        fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
            self.0 = Some(file.to_owned_entry(None));
            ControlFlow::Break(())
        }
        fn error(&mut self, error: Error) {
            panic!("{error}");
        }
    }
    let temp = tempfile::tempdir().expect("a directory");
    std::fs::write(temp.path().join("file"), "").expect("a file");
    let roots = vec![Root::Path(temp.path().to_path_buf())];
    let config = WalkConfig { roots, ..WalkConfig::default() };
    let filter = heist_filter::Filter::new(heist_filter::FilterConfig::default()).expect("no glob");
    let report = heist_walk::walk(&config, &filter, |_| First(None)).expect("no panic");
    let file = report.visitors.into_iter().find_map(|first| first.0).expect("one file");
    (0..count).map(|number| (key(number), file.clone())).collect()
}

/// An item is a range of numbers. It either spawns its second part, or prints its first number.
#[test]
fn numbers_come_in_order_whichever_item_is_done_first() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(1..=60);
        let (paper, out) = paper(if seed % 2 == 0 { FlushMode::Block } else { FlushMode::Line });
        let expected = (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let ledger = Ledger::new([key(0)], Waiting::Forbidden);
        let whole = 0..count;
        let mut items = vec![whole];
        while !items.is_empty() {
            let index = random.usize(..items.len());
            let item = items[index].clone();
            let own = key(item.start);
            if item.len() > 1 && random.usize(..3) == 0 {
                let middle = random.usize(item.start + 1..item.end);
                ledger.open(&mut std::iter::once(key(middle).as_slice()));
                items[index].end = middle;
                items.push(middle..item.end);
                continue;
            }
            let printed = Some((own.clone(), piece(&format!(",{}", item.start), 1)));
            let to = (item.len() > 1).then(|| key(item.start + 1));
            ledger.settle(&out, Some(&own), to, printed, Flush::WhenDue, &mut Vec::new());
            items[index].start += 1;
            if items[index].is_empty() {
                items.swap_remove(index);
            }
            assert!(expected.starts_with(&paper.text()), "seed {seed}: {}", paper.text());
        }
        ledger.finish(&out);
        assert_eq!(paper.text(), expected, "seed {seed}");
        assert_eq!(ledger.lock().bytes, 0, "seed {seed}: all bytes have been accounted for");
    }
}

#[test]
fn threads_that_share_a_list_print_it_in_order() {
    for (limit, flush_mode) in
        [(1 << 20, FlushMode::Block), (50, FlushMode::Line), (0, FlushMode::Block)]
    {
        let (paper, out) = paper(flush_mode);
        let ledger = Ledger::with_limits([], Waiting::Forbidden, limit, limit);
        let files = files(500);
        ledger.begin_pass(&files, FILES_PER_BATCH);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut local = SortedOutput::new(&out, &ledger);
                    visit_all(&ledger, &mut local, &files, print_number);
                });
            }
        });
        ledger.finish(&out);
        assert_eq!(paper.text(), numbers(0..500), "limit {limit}");
    }
}

#[test]
fn files_beyond_the_limit_are_deferred_and_come_in_their_place() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(10)], Waiting::Forbidden, 20, 20);
    let files = files(20);
    let mut far = SortedOutput::new(&out, &ledger);
    far.begin(&key(10));
    for (key, file) in &files[10..] {
        if far.enter(&file.as_entry(key), Repeat::Free).is_continue() {
            print(&mut far, "0123456789");
        }
        assert!(far.try_flush().is_continue());
        assert!(ledger.lock().bytes <= 30, "more is held than the limit and one file");
    }
    far.end();
    assert_eq!(paper.text(), "", "the first files are still to come");
    let mut near = SortedOutput::new(&out, &ledger);
    visit(&mut near, &files[..10], print_number);
    let deferred = ledger.take_deferred();
    assert_eq!(deferred.len(), 7, "three files reach the limit");
    ledger.begin_pass(&deferred, 1);
    visit_all(&ledger, &mut near, &deferred, |_| "ABCDEFGHIJ".to_owned());
    ledger.finish(&out);
    let expected = numbers(0..10) + &"0123456789".repeat(3) + &"ABCDEFGHIJ".repeat(7);
    assert_eq!(paper.text(), expected);
}

#[test]
fn deferred_files_come_between_others() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::new([key(0)], Waiting::Forbidden);
    let files = files(40);
    for (number, (own, file)) in (0..).zip(&files) {
        let next = key(number + 1);
        if number % 2 == 0 {
            ledger.defer(Some(own), next, own.clone(), file.clone());
        } else {
            let printed = (own.clone(), piece(&format!("{number} "), 0));
            ledger.settle(
                &out,
                Some(own),
                Some(next),
                Some(printed),
                Flush::WhenDue,
                &mut Vec::new(),
            );
        }
    }
    ledger.settle(&out, Some(&key(40)), None, None, Flush::Now, &mut Vec::new());
    let deferred = ledger.take_deferred();
    ledger.begin_pass(&deferred, 1);
    visit_all(&ledger, &mut SortedOutput::new(&out, &ledger), &deferred, print_number);
    ledger.finish(&out);
    assert_eq!(paper.text(), numbers(0..40));
}

#[test]
fn a_large_file_streams_at_the_frontier_and_is_deferred_elsewhere() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(1)], Waiting::Forbidden, usize::MAX, 3 << 20);
    let files = files(2);
    let line = "x".repeat((1 << 16) - 1) + "\n";
    let print_large = |local: &mut SortedOutput<'_, Paper>, lines: usize| {
        local.begin_file(b"--\n");
        for _ in 0..lines {
            local.buffer().extend_from_slice(line.as_bytes());
            local.commit()?;
        }
        local.end_file()
    };
    let mut far = SortedOutput::new(&out, &ledger);
    let last = files[1].1.as_entry(&files[1].0);
    far.begin(&files[1].0);
    assert!(far.enter(&last, Repeat::Free).is_continue());
    assert!(print_large(&mut far, 100).is_break(), "its search is abandoned");
    let _ = far.end_file();
    assert!(far.leave(&last).is_break(), "it is deferred");
    far.end();
    assert_eq!(ledger.lock().bytes, 0);
    let mut near = SortedOutput::new(&out, &ledger);
    near.begin(&files[0].0);
    assert!(near.enter(&files[0].1.as_entry(&files[0].0), Repeat::Free).is_continue());
    assert!(print_large(&mut near, 50).is_continue());
    assert_eq!(paper.text(), line.repeat(50), "nothing precedes it, so there is no separator");
    near.end();
    let deferred = ledger.take_deferred();
    ledger.begin_pass(&deferred, 1);
    let taken = ledger.take(&deferred).expect("one file");
    near.begin(&deferred[taken.start].0);
    assert!(near.enter(&last, Repeat::Free).is_continue());
    assert!(print_large(&mut near, 100).is_continue());
    near.end();
    ledger.finish(&out);
    assert_eq!(paper.text(), line.repeat(50) + "--\n" + &line.repeat(100));
}

#[test]
fn a_file_that_must_not_be_searched_twice_is_held_whole_or_not_begun() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(1)], Waiting::Forbidden, usize::MAX, 3 << 20);
    let files = files(3);
    let [near_file, far_file, pipe] = [0, 1, 2].map(|n| files[n].1.as_entry(&files[n].0));
    let text = "x".repeat(1 << 20);
    let mut far = SortedOutput::new(&out, &ledger);
    far.begin(&files[1].0);
    assert!(far.enter(&far_file, Repeat::Unwanted).is_continue());
    far.begin_file(b"");
    for _ in 0..10 {
        far.buffer().extend_from_slice(text.as_bytes());
        assert!(far.commit().is_continue(), "it is held beyond the limit");
    }
    assert!(far.end_file().is_continue() && far.leave(&far_file).is_continue());
    assert!(
        far.enter(&pipe, Repeat::Impossible).is_break(),
        "there is room, but it is not at the frontier"
    );
    far.end();
    let mut near = SortedOutput::new(&out, &ledger);
    near.begin(&files[0].0);
    assert!(near.enter(&near_file, Repeat::Impossible).is_continue(), "it is at the frontier");
    print(&mut near, "first ");
    near.end();
    assert_eq!(ledger.take_deferred().len(), 1);
    ledger.finish(&out);
    assert_eq!(paper.text(), format!("first {}", text.repeat(10)));
}

#[test]
fn a_pipe_that_never_reaches_the_frontier_is_not_begun() {
    let (_, out) = paper(FlushMode::Block);
    let ledger = Ledger::new([], Waiting::Forbidden);
    let files = files(2);
    ledger.begin_pass(&files, 1);
    let _ = [ledger.take(&files), ledger.take(&files)].map(|taken| taken.expect("a file"));
    let mut first = SortedOutput::new(&out, &ledger);
    first.begin(&files[0].0);
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut second = SortedOutput::new(&out, &ledger);
            second.begin(&files[1].0);
            second.enter(&files[1].1.as_entry(&files[1].0), Repeat::Impossible)
        });
        drop(first);
        assert!(second.join().expect("it ends").is_break());
    });
}

#[test]
fn no_worker_waits_for_one_that_is_gone() {
    let (_, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([], Waiting::Forbidden, 0, 0);
    let files = files(2 * FILES_PER_BATCH);
    ledger.begin_pass(&files, FILES_PER_BATCH);
    let taken = [ledger.take(&files), ledger.take(&files)].map(|taken| taken.expect("two batches"));
    let mut first = SortedOutput::new(&out, &ledger);
    first.begin(&files[taken[0].start].0);
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut second = SortedOutput::new(&out, &ledger);
            visit(&mut second, &files[taken[1].clone()], print_number);
        });
        drop(first);
        second.join().expect("it ends");
    });
}

#[test]
fn workers_that_take_items_in_order_wait_instead_of_deferring_files() {
    for limit in [0, 50, 1 << 20] {
        let (paper, out) = paper(FlushMode::Block);
        let files = files(400);
        let items: Vec<_> = files.chunks(8).collect();
        let seeds = items.iter().map(|files| files[0].0.clone());
        let ledger = Ledger::with_limits(seeds, Waiting::Allowed, limit, limit);
        let next = Mutex::new(items.iter());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut local = SortedOutput::new(&out, &ledger);
                    loop {
                        let Some(item) = next.lock().unwrap().next() else { break };
                        visit(&mut local, item, |number| print_number(number).repeat(3));
                    }
                });
            }
        });
        assert!(ledger.take_deferred().is_empty(), "limit {limit}");
        ledger.finish(&out);
        let expected: String = (0..400).map(|number| print_number(number).repeat(3)).collect();
        assert_eq!(paper.text(), expected, "limit {limit}");
    }
}

#[test]
fn a_large_file_waits_for_the_frontier_where_workers_may_wait() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(1)], Waiting::Allowed, 3 << 20, 3 << 20);
    let files = files(2);
    let line = "x".repeat((1 << 16) - 1) + "\n";
    thread::scope(|scope| {
        let far = scope.spawn(|| {
            let mut far = SortedOutput::new(&out, &ledger);
            far.begin(&files[1].0);
            let file = files[1].1.as_entry(&files[1].0);
            assert!(far.enter(&file, Repeat::Free).is_continue());
            far.begin_file(b"");
            for _ in 0..100 {
                far.buffer().extend_from_slice(line.as_bytes());
                assert!(far.commit().is_continue());
            }
            assert!(far.end_file().is_continue() && far.leave(&file).is_continue());
            far.end();
        });
        while ledger.lock().waiters == 0 {
            thread::yield_now();
        }
        assert_eq!(paper.text(), "", "the first file is still to come");
        visit(&mut SortedOutput::new(&out, &ledger), &files[..1], |_| "first\n".to_owned());
        far.join().expect("it ends");
    });
    ledger.finish(&out);
    assert_eq!(paper.text(), format!("first\n{}", line.repeat(100)));
}

#[test]
fn no_worker_waits_for_a_deferred_file() {
    let (paper, out) = paper(FlushMode::Block);
    let seeds = (0..3).map(key);
    let ledger = Ledger::with_limits(seeds, Waiting::Allowed, 0, 0);
    let files = files(3);
    let file = |number: usize| files[number].1.as_entry(&files[number].0);
    thread::scope(|scope| {
        let far = scope.spawn(|| {
            let mut far = SortedOutput::new(&out, &ledger);
            far.begin(&files[2].0);
            assert!(far.enter(&file(2), Repeat::Free).is_continue());
            print(&mut far, "last ");
            // This fills the ledger.
            assert!(far.try_flush().is_continue());
            let deferred = far.enter(&file(2), Repeat::Free);
            far.end();
            deferred
        });
        while ledger.lock().waiters == 0 {
            thread::yield_now();
        }
        let mut near = SortedOutput::new(&out, &ledger);
        near.begin(&files[1].0);
        assert!(near.enter(&file(1), Repeat::Impossible).is_break(), "it is not at the frontier");
        near.end();
        assert!(far.join().expect("it ends").is_break(), "it does not wait for the pipe");
        near.begin(&files[0].0);
        assert!(near.enter(&file(0), Repeat::Free).is_continue());
        print(&mut near, "first ");
        near.end();
    });
    assert_eq!(paper.text(), "first ");
    assert_eq!(ledger.take_deferred().len(), 2);
}
