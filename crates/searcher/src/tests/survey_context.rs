//! Context in large files of which only the lines are read that may match, and those around them:
//! the events are those of a search in memory, or of one that reads the whole file.

use heist_matcher::MatcherConfig;

use super::{
    file_of,
    survey::{SIZE, search, search_with},
};
use crate::{
    BinaryPolicy, LineKind, SearchConfig, Searcher,
    survey::PIECE,
    trial::{Event, Help, Record, Trial, with_helpers},
};

/// Lines ended by `end`, some of which contain the needle: single ones, groups, and the first and
/// last ones of chunks.
fn text_with_groups(rng: &mut fastrand::Rng, end: &[u8], most: usize) -> Vec<u8> {
    let (mut bytes, mut group) = (Vec::new(), 0_usize);
    // Groups of hits, or one in 20 kB: near others, with bytes between them that are not copied.
    let (rare, longest) = [(40_000 / most as u32, 1), (3000, 20)][rng.usize(..2)];
    let len = 6 * SIZE + rng.usize(..SIZE);
    while bytes.len() < len {
        let first = bytes.len();
        bytes.extend((0..rng.usize(..most)).map(|_| b'a' + rng.u8(..20)));
        if rng.u32(..rare) == 0 {
            group = longest;
        }
        let next = bytes.len() + end.len();
        let is_at_edge = first / SIZE != next / SIZE || first.is_multiple_of(SIZE);
        let is_hit = group > 0 && (longest == 1 || rng.u8(..3) == 0);
        group = group.saturating_sub(1);
        if is_hit || is_at_edge && rng.bool() {
            bytes.extend_from_slice(b"needle");
        }
        bytes.extend_from_slice(end);
        if is_at_edge && rng.u8(..4) == 0 {
            // The next line ends, or begins, at an edge.
            let edge = bytes.len().next_multiple_of(PIECE);
            bytes.resize(edge - end.len(), b'x');
            bytes.extend_from_slice(end);
        }
    }
    if rng.bool() {
        bytes.truncate(bytes.len() - rng.usize(..=most + end.len()));
    }
    bytes
}

#[test]
fn context_in_surveyed_files_is_that_of_a_search_in_memory() {
    let rng = &mut fastrand::Rng::with_seed(160);
    let (mut context, mut gaps) = (0, 0);
    for round in 0..80 {
        let (end, crlf): (&[u8], _) =
            [(&b"\n"[..], false), (b"\r\n", true), (b"\0", false)][[0, 0, 1, 2][rng.usize(..4)]];
        let most = [2, 40, 400, 5000, 9000][rng.usize(..5)];
        let mut bytes = text_with_groups(rng, end, most);
        if rng.u8(..5) == 0 {
            let at = rng.usize(..bytes.len());
            bytes[at] = 0;
        }
        let file = file_of(&bytes);
        for pattern in ["needle", "needle$", "[a-c]needle"] {
            let line_terminator = end[end.len() - 1];
            let binaries = [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert];
            let config = SearchConfig {
                line_terminator,
                crlf,
                before_context: [0, 1, 2, 3, 6, 20][rng.usize(..6)],
                after_context: [0, 1, 2, 5, 40, 1000][rng.usize(..6)],
                line_numbers: rng.u8(..4) > 0,
                max_matches: (rng.u8(..4) == 0).then(|| rng.u64(..40)),
                binary: if line_terminator == 0 { binaries[0] } else { binaries[rng.usize(..3)] },
                ..SearchConfig::default()
            };
            let break_at = if rng.u8(..6) == 0 { 1 + rng.usize(..20) } else { usize::MAX };
            let trial = Trial::new(config.clone(), pattern, &MatcherConfig::default(), b"");
            let trial = trial.expect("a regex");
            let matcher = &trial.matcher;
            let record = || Record { break_at, ..Record::new(round % 3 == 0) };
            let [mut mapped, mut helped, mut read] = [record(), record(), record()];
            search(&file, matcher, &config, &mut mapped);
            let searched = with_helpers(&trial, Help::Thread, |helpers| {
                search_with(&file, matcher, &config, helpers, &mut helped)
            });
            searched.expect("it can be read");
            let unmapped = SearchConfig { memory_maps: false, ..config.clone() };
            search(&file, matcher, &unmapped, &mut read);
            let case = format!("{pattern} {config:?} in round {round}");
            let events = |record: &Record| match record.events.len() > break_at {
                // How far it was searched before the sink returned `Break` depends on the way.
                true => record.events[..break_at].to_vec(),
                false => record.events.clone(),
            };
            assert!(events(&mapped) == events(&read), "{case}");
            assert!(events(&helped) == events(&read), "{case}, with a helper");
            if !bytes.contains(&0) || config.binary == BinaryPolicy::Text {
                let mut whole = record();
                let mut searcher = Searcher::new(config.clone());
                let searched = searcher.search_slice(&mut matcher.finder(), &bytes, &mut whole);
                searched.expect("nothing can fail");
                assert!(events(&mapped) == events(&whole), "{case}, in memory");
            }
            for event in &read.events {
                context += usize::from(
                    matches!(event, Event::Line { kind, .. } if *kind != LineKind::Match),
                );
                gaps += usize::from(*event == Event::Gap);
            }
        }
    }
    assert!(context > 5000 && gaps > 500, "{context} {gaps}");
}

#[test]
fn line_ends_are_not_counted_where_nothing_was_read() {
    fn line(bytes: &mut Vec<u8>, text: &[u8], len: usize) {
        let end = bytes.len() + len - 1;
        bytes.extend_from_slice(text);
        bytes.resize(end, b'x');
        bytes.push(b'\n');
    }
    let rng = &mut fastrand::Rng::with_seed(61);
    let mut bytes = Vec::new();
    // Chunks that end in a long line are read. The others get their buffers, full of line ends.
    for chunk in 1..=4 {
        while bytes.len() < chunk * SIZE - 1000 {
            line(&mut bytes, b"", 8);
        }
        line(&mut bytes, b"", 6000);
    }
    // The context is longer than the gap before it, of which little is read.
    while bytes.len() < 24 * SIZE {
        line(&mut bytes, b"needle", 20);
        for len in [6000, rng.usize(6000..9000)] {
            line(&mut bytes, b"", len);
        }
        line(&mut bytes, b"needle", 20);
        for _ in 0..rng.usize(9..14) {
            line(&mut bytes, b"", rng.usize(500..9000));
        }
    }
    let file = file_of(&bytes);
    let trial =
        Trial::new(SearchConfig::default(), "needle", &MatcherConfig::default(), b"").unwrap();
    for (before_context, after_context) in [(1, 0), (1, 1), (2, 0), (0, 2)] {
        let config = SearchConfig { before_context, after_context, ..SearchConfig::default() };
        let [mut mapped, mut whole] = [Record::new(false), Record::new(false)];
        search(&file, &trial.matcher, &config, &mut mapped);
        let mut searcher = Searcher::new(config);
        let searched = searcher.search_slice(&mut trial.matcher.finder(), &bytes, &mut whole);
        searched.expect("nothing can fail");
        assert!(mapped.events == whole.events, "{before_context} and {after_context}");
    }
}
