//! Files searched in chunks, alone and with help, emit the events of a search block by block.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    thread,
};

use heist_matcher::Finder;

use super::{
    random::{Dice, Trial, times},
    record::{Event, Record, finder_of},
};
use crate::{
    ChunkHelpers, Chunks, End, ReadAt, SearchConfig, Searcher, Source, parallel::FileCursor,
};

/// A file in memory that returns at most `most` bytes per read, and an error after `fails_at`.
pub(super) struct Memory {
    bytes: Vec<u8>,
    most: usize,
    fails_at: u64,
    /// How often it was read from its start.
    begun: AtomicUsize,
}

impl Memory {
    pub(super) fn of(bytes: &[u8]) -> Memory {
        let begun = AtomicUsize::new(0);
        Memory { bytes: bytes.to_vec(), most: usize::MAX, fails_at: u64::MAX, begun }
    }

    /// A file that returns at most `most` bytes per read.
    pub(super) fn slow(bytes: &[u8], most: usize) -> Memory {
        Memory { most, ..Memory::of(bytes) }
    }

    /// How often it was read from its start.
    pub(super) fn begun(&self) -> usize {
        // Ordering: Relaxed, a statistic.
        self.begun.load(Ordering::Relaxed)
    }
}

impl ReadAt for Memory {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset == 0 {
            // Ordering: Relaxed, a statistic.
            self.begun.fetch_add(1, Ordering::Relaxed);
        }
        let given = buffer.len().min(self.most);
        if offset + given as u64 > self.fails_at {
            return Err(io::Error::other("unreadable"));
        }
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let given = given.min(rest.len());
        buffer[..given].copy_from_slice(&rest[..given]);
        Ok(given)
    }
}

/// Helpers that leave everything to the searcher, unless there are `calls`.
pub(super) struct Helpers {
    count: usize,
    /// Whether chunks were begun.
    pub(super) were_called: bool,
    /// The number of calls after which the run is over.
    calls_left: usize,
    /// Passes the chunks of each call on to a helper.
    calls: Option<Sender<Arc<Chunks>>>,
    chunks: Option<Arc<Chunks>>,
}

impl Helpers {
    /// Helpers that never help.
    pub(super) fn absent(count: usize) -> Helpers {
        Helpers { count, were_called: false, calls_left: usize::MAX, calls: None, chunks: None }
    }
}

impl ChunkHelpers for Helpers {
    fn count(&self) -> usize {
        self.count
    }

    fn begin(&mut self, chunks: &Arc<Chunks>) {
        self.were_called = true;
        self.chunks = Some(Arc::clone(chunks));
    }

    fn call(&mut self) {
        self.calls_left = self.calls_left.saturating_sub(1);
        if let Some(calls) = &self.calls {
            calls.send(Arc::clone(self.chunks.as_ref().unwrap())).unwrap();
        }
    }

    fn is_stopped(&self) -> bool {
        self.calls_left == 0
    }

    fn end(&mut self) {
        self.chunks = None;
    }
}

/// Calls `search` with a helper that searches with `finder` whenever it is called.
pub(super) fn with_helper<T>(mut finder: Finder, search: impl FnOnce(&mut Helpers) -> T) -> T {
    let (calls, called) = mpsc::channel::<Arc<Chunks>>();
    thread::scope(|scope| {
        scope.spawn(move || called.iter().for_each(|chunks| chunks.help(&mut finder)));
        // Drops the sender, also by a panic, so that the helper ends.
        search(&mut Helpers { calls: Some(calls), ..Helpers::absent(1) })
    })
}

/// A searcher and the size of its chunks.
struct Try<'a> {
    searcher: &'a mut Searcher,
    finder: &'a mut Finder,
    size: usize,
}

impl Try<'_> {
    fn events(
        &mut self,
        file: Arc<Memory>,
        helpers: &mut dyn ChunkHelpers,
        mut record: Record,
    ) -> Vec<Event> {
        let source = Source { reader: file, end: End::EmptyRead };
        let Try { searcher, finder, size, .. } = self;
        let searched = searcher.search_large(finder, source, *size, helpers, &mut record);
        assert!(searched.is_ok() || record.events.last() == Some(&Event::Abandon));
        record.events
    }
}

/// Returns the number of trials whose events came from chunks alone.
fn check(nuls: bool, trials: u64) -> u64 {
    let mut dice = Dice::new(trials + 1);
    let mut from_chunks = 0;
    for _ in 0..trials * times() {
        let mut trial = Trial::throw(&mut dice, nuls);
        trial.capacity = dice.pick(&[4, 5, 8, 16]);
        let mut finder = finder_of(trial.pattern, &trial.config);
        let expected = trial.expected(&mut finder);
        let mut searcher = trial.searcher(4);
        let size = 2 * trial.capacity + dice.below(300);
        let about = || format!("chunks of {size}: {}", trial.about());
        let mut a_try = Try { searcher: &mut searcher, finder: &mut finder, size };
        // Short reads make other blocks, which shows only if there are NUL bytes.
        let most = if nuls { usize::MAX } else { 1 + dice.below(7) };
        for most in [usize::MAX, most] {
            let file = Arc::new(Memory::slow(&trial.bytes, most));
            let mut helpers = Helpers::absent(dice.below(3));
            let emitted = a_try.events(Arc::clone(&file), &mut helpers, trial.record());
            assert_eq!(emitted, expected, "{}", about());
            // Read once for the first bytes, once for the first chunk, and not again.
            from_chunks += u64::from(helpers.were_called && file.begun() == 2);
        }
        let file = Arc::new(Memory::of(&trial.bytes));
        let emitted = with_helper(finder_of(trial.pattern, &trial.config), |helpers| {
            a_try.events(file, helpers, trial.record())
        });
        assert_eq!(emitted, expected, "helped: {}", about());
    }
    from_chunks / 2
}

#[test]
fn chunks_of_text_agree_with_the_reference() {
    let from_chunks = check(false, 4_000);
    assert!(from_chunks > 1_000, "{from_chunks}");
}

#[test]
fn chunks_with_nul_bytes_agree_with_the_reference() {
    let from_chunks = check(true, 4_000);
    assert!(from_chunks > 500, "{from_chunks}");
}

#[test]
fn an_error_comes_where_it_comes_block_by_block() {
    let mut dice = Dice::new(7);
    for _ in 0..2_000 * times() {
        let trial = Trial { capacity: 8, ..Trial::throw(&mut dice, false) };
        let mut finder = finder_of(trial.pattern, &trial.config);
        let mut searcher = trial.searcher(4);
        let fails_at = dice.below(trial.bytes.len() + 1) as u64;
        let file = Arc::new(Memory { most: 4, fails_at, ..Memory::of(&trial.bytes) });
        let reader = FileCursor { source: &*file, offset: 0 };
        let source = Source { reader, end: End::EmptyRead };
        let mut expected = trial.record();
        let failed = searcher.search(&mut finder, source, &mut expected).is_err();
        let source = Source { reader: file, end: End::EmptyRead };
        let (mut emitted, size) = (trial.record(), 16 + dice.below(300));
        let mut helpers = Helpers::absent(1);
        let searched = searcher.search_large(&mut finder, source, size, &mut helpers, &mut emitted);
        assert_eq!(searched.is_err(), failed, "{}", trial.about());
        assert_eq!(emitted.events, expected.events, "error at {fails_at}: {}", trial.about());
    }
}

#[test]
fn a_run_that_is_over_ends_the_search() {
    let config = SearchConfig { line_numbers: true, ..SearchConfig::default() };
    let mut finder = finder_of("a", &config);
    let mut searcher = Searcher::with_sizes(config, 4, 8);
    let file = Arc::new(Memory::of(&b"a\nb\n".repeat(100)));
    let mut a_try = Try { searcher: &mut searcher, finder: &mut finder, size: 16 };
    let mut helpers = Helpers { calls_left: 5, ..Helpers::absent(1) };
    let emitted = a_try.events(file, &mut helpers, Record::new(false));
    assert!((5..50).contains(&emitted.len()), "{emitted:?}");
    assert_eq!(emitted.last(), Some(&Event::Abandon));
}
