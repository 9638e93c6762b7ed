//! Streams searched with helpers emit the events of one worker, and no later.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{
    parallel::{Helpers, with_helper},
    random::{Dice, Trial},
    record::{Event, finder_of},
};
use crate::{
    BinaryPolicy, ChunkHelpers, LineKind, SearchConfig, Searcher, Stream, parallel::StreamSizes,
};

/// Returns its bytes in pieces, and may block before each; then the end, or an error and the end.
struct Pieces {
    state: Mutex<State>,
    /// A read is in progress.
    is_read: AtomicBool,
}

struct State {
    bytes: Vec<u8>,
    at: usize,
    most: usize,
    /// One in this many calls of `is_ready` returns false; 0 for none.
    pauses: usize,
    dice: Dice,
    fails: bool,
}

impl Pieces {
    fn new(bytes: &[u8], most: usize, pauses: usize, fails: bool) -> Pieces {
        let bytes = bytes.to_vec();
        let state = State { bytes, at: 0, most, pauses, dice: Dice::new(most as u64), fails };
        Pieces { state: Mutex::new(state), is_read: AtomicBool::new(false) }
    }

    fn is_drained(&self) -> bool {
        let state = self.state.lock().unwrap();
        state.at == state.bytes.len()
    }
}

impl Stream for Pieces {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // Ordering: Relaxed, the state is behind the lock.
        assert!(!self.is_read.swap(true, Ordering::Relaxed), "read by two");
        let mut state = self.state.lock().unwrap();
        if state.at == state.bytes.len() && std::mem::take(&mut state.fails) {
            self.is_read.store(false, Ordering::Relaxed);
            return Err(io::Error::other("unreadable"));
        }
        let most = state.most;
        let given =
            (1 + state.dice.below(most)).min(buffer.len()).min(state.bytes.len() - state.at);
        buffer[..given].copy_from_slice(&state.bytes[state.at..][..given]);
        state.at += given;
        self.is_read.store(false, Ordering::Relaxed);
        Ok(given)
    }

    fn is_ready(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        let pauses = state.pauses;
        pauses == 0 || !state.dice.one_in(pauses)
    }

    fn wait(&self) {}
}

fn emitted(
    trial: &Trial,
    pieces: &Arc<Pieces>,
    cut: &StreamSizes,
    helpers: &mut dyn ChunkHelpers,
) -> (Vec<Event>, bool) {
    let mut searcher = trial.searcher(4);
    let mut finder = finder_of(trial.pattern, &trial.config);
    let mut record = trial.record();
    let stream = Arc::clone(pieces) as Arc<dyn Stream>;
    let searched = searcher.search_stream_with(&mut finder, &stream, *cut, helpers, &mut record);
    (record.events, searched.is_ok())
}

#[test]
fn streams_agree_with_the_reference() {
    let mut dice = Dice::new(3);
    let mut shared = 0;
    for _ in 0..2_000 {
        let trial = Trial::throw(&mut dice, false);
        let expected = trial.expected(&mut finder_of(trial.pattern, &trial.config));
        let cut = StreamSizes { shared_from: dice.below(40) as u64, chunk: 1 + dice.below(100) };
        let (most, pauses) = (1 + dice.below(30), dice.below(6));
        let about = || {
            let StreamSizes { shared_from, chunk: size } = cut;
            format!("chunks of {size} after {shared_from}, {most} {pauses}: {}", trial.about())
        };
        let pieces = Arc::new(Pieces::new(&trial.bytes, most, pauses, false));
        let mut helpers = Helpers::absent(dice.below(3));
        let (events, is_ok) = emitted(&trial, &pieces, &cut, &mut helpers);
        assert_eq!((events, is_ok), (expected.clone(), true), "{}", about());
        shared += u64::from(helpers.were_called);

        let pieces = Arc::new(Pieces::new(&trial.bytes, most, pauses, false));
        let (events, is_ok) = with_helper(finder_of(trial.pattern, &trial.config), |helpers| {
            emitted(&trial, &pieces, &cut, helpers)
        });
        assert_eq!((events, is_ok), (expected, true), "helped: {}", about());
    }
    assert!(shared > 300, "{shared}");
}

#[test]
fn lines_before_an_error_are_emitted() {
    let mut dice = Dice::new(5);
    for _ in 0..2_000 {
        let trial = Trial { binary: BinaryPolicy::Text, ..Trial::throw(&mut dice, false) };
        let (most, pauses) = (1 + dice.below(30), dice.below(6));
        let alone = StreamSizes { shared_from: u64::MAX, chunk: 1 };
        let shared = StreamSizes { shared_from: dice.below(40) as u64, chunk: 1 + dice.below(100) };
        let emit = |cut| {
            let pieces = Arc::new(Pieces::new(&trial.bytes, most, pauses, true));
            emitted(&trial, &pieces, cut, &mut Helpers::absent(1))
        };
        let (expected, actual) = (emit(&alone), emit(&shared));
        assert_eq!(actual, expected, "{}", trial.about());
    }
}

/// The bytes read before a NUL byte is seen are searched again, but their error need not occur
/// again.
#[test]
fn an_error_after_a_nul_byte_is_reported() {
    let bytes = [&b"a b\n".repeat(20)[..], b"a \0 b\n", &b"a b\n".repeat(5)].concat();
    let trial = Trial::of(SearchConfig::default(), "a", &bytes, BinaryPolicy::Convert);
    for size in [16, 64, 256] {
        let pieces = Arc::new(Pieces::new(&bytes, 50, 0, true));
        let cut = StreamSizes { shared_from: 20, chunk: size };
        let mut helpers = Helpers::absent(2);
        let (events, is_ok) = emitted(&trial, &pieces, &cut, &mut helpers);
        assert!(helpers.were_called && !is_ok, "{size}: {events:?}");
    }
}

/// Checks the effects of NUL bytes that do not depend on blocks.
#[test]
fn nul_bytes_are_detected_everywhere() {
    let mut dice = Dice::new(11);
    for _ in 0..2_000 {
        let lines = 20 + dice.below(60);
        let mut bytes = b"a b\n".repeat(lines);
        let nul = 4 * dice.below(lines) + 1;
        bytes[nul] = 0;
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            let config = SearchConfig { line_numbers: true, ..SearchConfig::default() };
            let trial = Trial::of(config, "a", &bytes, binary);
            let cut =
                StreamSizes { shared_from: dice.below(100) as u64, chunk: 16 + dice.below(40) };
            let pieces = Arc::new(Pieces::new(&bytes, 50, dice.below(4), false));
            let (events, is_ok) = emitted(&trial, &pieces, &cut, &mut Helpers::absent(2));
            assert!(is_ok);
            let offsets: Vec<_> = events.iter().filter_map(offset).collect();
            let reported = events.iter().find_map(|event| match event {
                Event::Binary(offset) => Some(*offset),
                _ => None,
            });
            let Some(Event::Finish(finish)) = events.last() else {
                panic!("{events:?}");
            };
            let is_text = binary == BinaryPolicy::Text;
            assert_eq!(finish.binary_offset, (!is_text).then_some(nul as u64));
            let all: Vec<_> = (0..lines as u64).map(|line| 4 * line).collect();
            if binary == BinaryPolicy::Quit {
                // No line of the NUL byte's block, and all lines of earlier blocks.
                assert!(all.starts_with(&offsets) && 4 * offsets.len() <= nul + 4, "{events:?}");
            } else {
                assert_eq!((reported, offsets), (finish.binary_offset, all));
            }
        }
    }
}

fn offset(event: &Event) -> Option<u64> {
    match event {
        Event::Line { kind: LineKind::Match, offset, .. } => Some(*offset),
        _ => None,
    }
}

/// A stream that returns one line per read and expects it to be emitted before the next.
struct Slow {
    lines: Mutex<usize>,
    seen: Arc<Mutex<usize>>,
}

impl Stream for Slow {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut lines = self.lines.lock().unwrap();
        assert_eq!(*lines, *self.seen.lock().unwrap(), "read on before all was emitted");
        if *lines == 20 {
            return Ok(0);
        }
        *lines += 1;
        buffer[..3].copy_from_slice(b"ab\n");
        Ok(3)
    }

    fn is_ready(&self) -> bool {
        false
    }

    fn wait(&self) {}
}

/// Counts lines where the stream can see it.
struct Watcher(Arc<Mutex<usize>>);

impl crate::Sink for Watcher {
    fn matched_with(&mut self, _: &mut heist_matcher::Finder, _: &crate::Line<'_>) -> crate::Flow {
        *self.0.lock().unwrap() += 1;
        crate::Flow::Continue(())
    }
}

#[test]
fn lines_do_not_wait_for_those_behind_them() {
    let config = SearchConfig::default();
    let mut finder = finder_of("a", &config);
    let mut searcher = Searcher::with_sizes(config, 4, 8);
    let seen = Arc::new(Mutex::new(0));
    let slow = Arc::new(Slow { lines: Mutex::new(0), seen: Arc::clone(&seen) });
    let mut helpers = Helpers::absent(1);
    let mut watcher = Watcher(Arc::clone(&seen));
    let (slow, sizes) = (slow as Arc<dyn Stream>, StreamSizes { shared_from: 7, chunk: 64 });
    searcher.search_stream_with(&mut finder, &slow, sizes, &mut helpers, &mut watcher).unwrap();
    assert!(helpers.were_called);
    assert_eq!(*seen.lock().unwrap(), 20);
}

#[test]
fn a_limit_leaves_the_rest_unread() {
    let config = SearchConfig { max_matches: Some(9), ..SearchConfig::default() };
    let bytes = b"a\n".repeat(1000);
    let trial = Trial::of(config, "a", &bytes, BinaryPolicy::Text);
    let pieces = Arc::new(Pieces::new(&bytes, 5, 0, false));
    let cut = StreamSizes { shared_from: 8, chunk: 16 };
    let (events, _) = emitted(&trial, &pieces, &cut, &mut Helpers::absent(1));
    assert_eq!(events.len(), 11, "{events:?}");
    assert!(!pieces.is_drained());
}
