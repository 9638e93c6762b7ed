//! The ledger under random interleavings, against a sorted list; and its bounds.

use std::{
    io::{self, Write},
    sync::Arc,
    thread,
};

use heist_printer::Output;

use super::*;
use crate::output::{
    FlushMode,
    sorted::{Repeat, SortedOutput},
};

/// Remembers what is written.
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

fn paper(buffering: FlushMode) -> (Paper, SharedOutput<Paper>) {
    let paper = Paper::default();
    (paper.clone(), SharedOutput::new(paper, buffering, false))
}

/// A small generator (splitmix64, Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

fn key(number: usize) -> Key {
    (number as u64).to_be_bytes().to_vec()
}

fn piece(text: &str, separator_len: usize) -> Piece {
    Piece { bytes: text.as_bytes().into(), separator_len }
}

/// Items are ranges of numbers: each gives its further part away, or prints its first number.
#[test]
fn whatever_is_done_first_the_numbers_come_in_order() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let count = 1 + random.below(60);
        let (paper, out) = paper(if seed % 2 == 0 { FlushMode::Block } else { FlushMode::Line });
        let ledger = Ledger::new([key(0)]);
        let whole = 0..count;
        let mut items = vec![whole];
        while !items.is_empty() {
            let index = random.below(items.len());
            let item = items[index].clone();
            let own = key(item.start);
            if item.len() > 1 && random.below(3) == 0 {
                let middle = item.start + 1 + random.below(item.len() - 1);
                ledger.open(&mut std::iter::once(key(middle).as_slice()));
                items[index].end = middle;
                items.push(middle..item.end);
                continue;
            }
            let text = format!(",{}", item.start);
            let printed = Some((own.clone(), piece(&text, 1)));
            let to = (item.len() > 1).then(|| key(item.start + 1));
            ledger.settle(&out, Some(&own), to, printed, Flush::WhenDue);
            items[index].start += 1;
            if items[index].is_empty() {
                items.swap_remove(index);
            }
            let expected: Vec<_> = (0..count).map(|n| n.to_string()).collect();
            let expected = expected.join(",");
            assert!(expected.starts_with(&paper.text()), "seed {seed}: {}", paper.text());
        }
        ledger.finish(&out);
        let expected: Vec<_> = (0..count).map(|n| n.to_string()).collect();
        assert_eq!(paper.text(), expected.join(","), "seed {seed}");
        assert_eq!(ledger.lock().bytes, 0, "seed {seed}: everything has been accounted for");
    }
}

#[test]
fn threads_that_share_a_list_print_it_in_order() {
    for (limit, buffering) in
        [(1 << 20, FlushMode::Block), (50, FlushMode::Line), (0, FlushMode::Block)]
    {
        let (paper, out) = paper(buffering);
        let ledger = Ledger::with_limits([], limit, limit);
        let files = files(500);
        ledger.begin_pass(&files, BATCH);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut local = SortedOutput::new(&out, &ledger);
                    while let Some(taken) = ledger.take(&files) {
                        local.begin(&files[taken.start].0);
                        for (key, file) in &files[taken] {
                            let file = file.as_entry(key);
                            assert!(
                                local.enter(&file, Repeat::Free).is_continue(),
                                "nothing is put off in a pass"
                            );
                            print(&mut local, &format!("{} ", number(key)));
                            assert!(local.leave(&file).is_continue());
                        }
                        local.end();
                    }
                });
            }
        });
        ledger.finish(&out);
        let expected: String = (0..500).map(|n| format!("{n} ")).collect();
        assert_eq!(paper.text(), expected, "limit {limit}");
    }
}

#[test]
fn what_is_too_much_is_put_off_and_comes_in_its_place() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(10)], 20, 20);
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
    near.begin(&key(0));
    for (key, file) in &files[..10] {
        assert!(
            near.enter(&file.as_entry(key), Repeat::Free).is_continue(),
            "what is at the frontier goes on"
        );
        print(&mut near, &format!("{} ", number(key)));
    }
    near.end();
    let put_off = ledger.take_put_off();
    assert_eq!(put_off.len(), 7, "three files were enough");
    ledger.begin_pass(&put_off, 1);
    while let Some(taken) = ledger.take(&put_off) {
        near.begin(&put_off[taken.start].0);
        for (key, file) in &put_off[taken] {
            assert!(near.enter(&file.as_entry(key), Repeat::Free).is_continue());
            print(&mut near, "ABCDEFGHIJ");
        }
        near.end();
    }
    ledger.finish(&out);
    let numbers: String = (0..10).map(|n| format!("{n} ")).collect();
    assert_eq!(paper.text(), numbers + &"0123456789".repeat(3) + &"ABCDEFGHIJ".repeat(7));
}

#[test]
fn what_was_put_off_comes_between_what_was_not() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::new([key(0)]);
    let files = files(40);
    for (number, (own, file)) in files.iter().enumerate() {
        let next = key(number + 1);
        if number % 2 == 0 {
            ledger.put_off(Some(own), next, own.clone(), file.clone());
        } else {
            let printed = (own.clone(), piece(&format!("{number} "), 0));
            ledger.settle(&out, Some(own), Some(next), Some(printed), Flush::WhenDue);
        }
    }
    ledger.settle(&out, Some(&key(40)), None, None, Flush::Now);
    let put_off = ledger.take_put_off();
    ledger.begin_pass(&put_off, 1);
    let mut local = SortedOutput::new(&out, &ledger);
    while let Some(taken) = ledger.take(&put_off) {
        local.begin(&put_off[taken.start].0);
        for (key, file) in &put_off[taken] {
            assert!(local.enter(&file.as_entry(key), Repeat::Free).is_continue());
            print(&mut local, &format!("{} ", number(key)));
        }
        local.end();
    }
    ledger.finish(&out);
    assert_eq!(paper.text(), (0..40).map(|n| format!("{n} ")).collect::<String>());
}

#[test]
fn a_large_file_streams_when_it_is_its_turn_and_is_put_off_when_it_is_not() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(1)], usize::MAX, 3 << 20);
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
    assert!(print_large(&mut far, 100).is_break(), "it is stopped on the way");
    let _ = far.end_file();
    assert!(far.leave(&last).is_break(), "it was put off");
    far.end();
    assert_eq!(ledger.lock().bytes, 0);
    let mut near = SortedOutput::new(&out, &ledger);
    near.begin(&files[0].0);
    assert!(near.enter(&files[0].1.as_entry(&files[0].0), Repeat::Free).is_continue());
    assert!(print_large(&mut near, 50).is_continue());
    assert_eq!(paper.text(), line.repeat(50), "no separator comes first");
    near.end();
    let put_off = ledger.take_put_off();
    ledger.begin_pass(&put_off, 1);
    let taken = ledger.take(&put_off).expect("one file");
    near.begin(&put_off[taken.start].0);
    assert!(near.enter(&last, Repeat::Free).is_continue());
    assert!(print_large(&mut near, 100).is_continue());
    near.end();
    ledger.finish(&out);
    assert_eq!(paper.text(), line.repeat(50) + "--\n" + &line.repeat(100));
}

#[test]
fn what_must_not_be_searched_twice_is_held_whole_or_not_begun() {
    let (paper, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([key(0), key(1)], usize::MAX, 3 << 20);
    let files = files(3);
    let [near_file, far_file, pipe] = [0, 1, 2].map(|n| files[n].1.as_entry(&files[n].0));
    let text = "x".repeat(1 << 20);
    let mut far = SortedOutput::new(&out, &ledger);
    far.begin(&files[1].0);
    assert!(far.enter(&far_file, Repeat::Unwanted).is_continue());
    far.begin_file(b"");
    for _ in 0..10 {
        far.buffer().extend_from_slice(text.as_bytes());
        assert!(far.commit().is_continue(), "it goes on beyond the limit");
    }
    assert!(far.end_file().is_continue() && far.leave(&far_file).is_continue());
    assert!(far.enter(&pipe, Repeat::Impossible).is_break(), "there is room, but it is not next");
    far.end();
    let mut near = SortedOutput::new(&out, &ledger);
    near.begin(&files[0].0);
    assert!(near.enter(&near_file, Repeat::Impossible).is_continue(), "it is next");
    print(&mut near, "first ");
    near.end();
    assert_eq!(ledger.take_put_off().len(), 1);
    ledger.finish(&out);
    assert_eq!(paper.text(), format!("first {}", text.repeat(10)));
}

#[test]
fn a_pipe_whose_turn_never_comes_is_not_begun() {
    let (_, out) = paper(FlushMode::Block);
    let ledger = Ledger::new([]);
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
        assert!(second.join().expect("it comes to an end").is_break());
    });
}

#[test]
fn nobody_waits_for_a_worker_that_is_gone() {
    let (_, out) = paper(FlushMode::Block);
    let ledger = Ledger::with_limits([], 0, 0);
    let files = files(2 * BATCH);
    ledger.begin_pass(&files, BATCH);
    let taken = [ledger.take(&files), ledger.take(&files)].map(|taken| taken.expect("two batches"));
    let mut first = SortedOutput::new(&out, &ledger);
    first.begin(&files[taken[0].start].0);
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut second = SortedOutput::new(&out, &ledger);
            second.begin(&files[taken[1].start].0);
            for (key, file) in &files[taken[1].clone()] {
                assert!(second.enter(&file.as_entry(key), Repeat::Free).is_continue());
                print(&mut second, "something");
            }
        });
        drop(first);
        second.join().expect("it comes to an end");
    });
}

fn number(key: &Key) -> u64 {
    u64::from_be_bytes(key.as_slice().try_into().expect("eight bytes"))
}

fn print(local: &mut SortedOutput<'_, Paper>, text: &str) {
    local.begin_file(b"");
    local.buffer().extend_from_slice(text.as_bytes());
    assert!(local.commit().is_continue());
    assert!(local.end_file().is_continue());
}

/// So many files, which are never opened.
fn files(count: usize) -> Files {
    let temp = tempfile::tempdir().expect("a directory");
    std::fs::write(temp.path().join("file"), "").expect("a file");
    (0..count).map(|number| (key(number), stored(temp.path()))).collect()
}

/// A file out of a walk, which is where they come from.
fn stored(dir: &std::path::Path) -> OwnedEntry {
    use heist_walk::{Entry, Error, Helpers, Root, Visitor, WalkConfig};
    use std::ops::ControlFlow;
    struct Keep(Option<OwnedEntry>);
    impl Visitor for Keep {
        fn entry(&mut self, file: &Entry<'_>, _: &mut dyn Helpers) -> ControlFlow<()> {
            self.0 = Some(file.to_owned_entry(None));
            ControlFlow::Break(())
        }
        fn error(&mut self, error: Error) {
            panic!("{error}");
        }
        fn problem(&mut self, problem: heist_filter::Problem) {
            panic!("{problem:?}");
        }
    }
    let config = WalkConfig { roots: vec![Root::Path(dir.to_path_buf())], ..WalkConfig::default() };
    let filter = heist_filter::Filter::new(heist_filter::FilterConfig::default()).expect("no glob");
    let report = heist_walk::walk(&config, &filter, |_| Keep(None)).expect("no panic");
    report.visitors.into_iter().find_map(|keep| keep.0).expect("one file")
}
