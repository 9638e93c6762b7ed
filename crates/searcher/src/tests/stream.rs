//! Streams searched with helpers: single cases.

use std::{
    io,
    sync::{Arc, Mutex},
};

use super::random::{small, trial};
use crate::{
    BinaryPolicy, End, Flow, SearchConfig, Searcher, Stream,
    parallel::StreamSizes,
    sinks::Bytes,
    trial::{Help, Trial, Way, doubles::with_helpers},
};

fn way(shared_from: u64, size: usize, most: usize) -> Way {
    Way::Stream { shared_from, size, reads: vec![most], pauses: 0, help: Help::InTurn(1, 0) }
}

/// Lines that are kept are counted only once.
#[test]
fn much_context_is_that_of_the_reference() {
    let mut rng = fastrand::Rng::with_seed(40);
    for _ in 0..300 {
        let lines = rng.usize(..300);
        let line = |_| "x".repeat(rng.usize(..9)) + if rng.u8(..40) == 0 { "a" } else { "" };
        let text = (0..lines).map(line).collect::<Vec<_>>().join("\n");
        let before_context = rng.usize(..200);
        let config = SearchConfig {
            before_context,
            after_context: rng.usize(..9),
            ..SearchConfig::default()
        };
        let trial = small(trial(config, "a", text.as_bytes()));
        let (expected, mut worker) = (trial.expected(), trial.worker());
        let reads = [1, 7, usize::MAX].map(|most| Way::Reads(most, End::EmptyRead));
        for way in reads.iter().chain(&[way(20, 16, 5), way(0, 100, 50)]) {
            trial.check(&mut worker, way, &expected);
        }
    }
}

/// The bytes read before a NUL byte is seen are searched again, but their error need not occur
/// again.
#[test]
fn an_error_after_a_nul_byte_is_reported() {
    let bytes = [&b"a b\n".repeat(20)[..], b"a \0 b\n", &b"a b\n".repeat(5)].concat();
    let config = SearchConfig { binary: BinaryPolicy::Convert, ..SearchConfig::default() };
    let trial = Trial { fails_at: bytes.len(), ..small(trial(config, "a", &bytes)) };
    for size in [16, 64, 256] {
        let found = trial.run(&mut trial.worker(), &way(20, size, 50));
        assert!(found.is_cut && found.error.is_some(), "{size}: {found:?}");
    }
}

#[test]
fn a_limit_leaves_the_rest_unread() {
    let config = SearchConfig { max_matches: Some(9), ..SearchConfig::default() };
    let trial = small(trial(config, "a", &b"a\n".repeat(1000)));
    let found = trial.run(&mut trial.worker(), &way(8, 16, 5));
    assert_eq!(found.events.len(), 11, "{found:?}");
    assert!(found.left > 0);
}

/// A stream that returns one line per read and expects it to be emitted before the next: the
/// numbers of lines that were read and emitted.
struct Slow(Mutex<[usize; 2]>);

impl Stream for Slow {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let [read, emitted] = &mut *self.0.lock().unwrap();
        assert_eq!(read, emitted, "read on before all was emitted");
        if *read == 20 {
            return Ok(0);
        }
        *read += 1;
        buffer[..3].copy_from_slice(b"ab\n");
        Ok(3)
    }

    fn is_ready(&self) -> bool {
        false
    }

    fn wait(&self) {}
}

#[test]
fn lines_do_not_wait_for_those_behind_them() {
    let trial = trial(SearchConfig::default(), "a", b"");
    let slow = Arc::new(Slow(Mutex::new([0; 2])));
    let mut searcher = Searcher::with_sizes(trial.config.clone(), 4, 8);
    let mut sink = Bytes::new(|_, _| {
        slow.0.lock().unwrap()[1] += 1;
        Flow::Continue(())
    });
    let (stream, sizes) =
        (Arc::clone(&slow) as Arc<dyn Stream>, StreamSizes { shared_from: 7, chunk: 64 });
    with_helpers(&trial, Help::InTurn(1, 0), |helpers| {
        let mut finder = trial.matcher.finder();
        searcher.search_stream_with(&mut finder, &stream, sizes, helpers, &mut sink).unwrap();
        assert!(helpers.were_called);
    });
    assert_eq!(*slow.0.lock().unwrap(), [20, 20]);
}
