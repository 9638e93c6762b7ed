//! Large files in which matches that span lines are ruled out before they are in memory.

use std::{fs::File, sync::Arc};

use heist_matcher::{Matcher, MatcherConfig};

use super::file_of;
use crate::{
    BinaryPolicy, End, NoHelpers, SearchConfig, Searcher, Source, aligned::AlignedBytes,
    rule_out::RuleOut, survey::PIECE, trial::Record,
};

/// The size of a chunk.
const SIZE: usize = 128 << 10;

fn matcher(pattern: &str) -> Matcher {
    let config = MatcherConfig { multiline: true, ban_nul: false, ..MatcherConfig::default() };
    Matcher::new([pattern], &config).expect("it is a regex")
}

/// Whether it is ruled out that anything is found in `file`.
fn is_ruled_out(file: &File, matcher: &Matcher, config: &SearchConfig, record: &Record) -> bool {
    let rule_out = RuleOut { config, head: b"abc", source: file, size: SIZE };
    rule_out.finds_nothing(&matcher.finder(), &mut AlignedBytes::default(), record)
}

fn check_search(bytes: &[u8], file: &File, matcher: &Matcher, config: &SearchConfig) {
    let [mut found, mut expected] = [Record::new(false), Record::new(false)];
    let source =
        Source { reader: Arc::new(file.try_clone().expect("a handle")), end: End::EmptyRead };
    let mut searcher = Searcher::new(config.clone());
    let finder = &mut matcher.finder();
    let searched = searcher.search_large(finder, source, SIZE, &mut NoHelpers, &mut found);
    searched.expect("it can be read");
    searcher.search_slice(finder, bytes, &mut expected).expect("nothing can fail");
    assert!(found.events == expected.events);
}

#[test]
fn a_needle_is_found_wherever_it_is() {
    let rng = &mut fastrand::Rng::with_seed(143);
    let (pattern, needle): (_, &[u8]) = (r"[^z]+needle:\s", b"needle:");
    let matcher = matcher(pattern);
    let can_map = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    for round in 0..120 {
        let len = 4 * SIZE + [0, 1, 5, PIECE, PIECE + 1, rng.usize(..SIZE)][round % 6];
        let mut bytes: Vec<u8> = (0..len).map(|_| rng.u8(97..122)).collect();
        for _ in 0..[0, 200][rng.usize(..2)] {
            let at = rng.usize(..len - 10);
            bytes[at..at + 10].copy_from_slice(b"ne1dle: \nx");
        }
        let edges = [0, SIZE, 2 * SIZE, 3 * SIZE, 4 * SIZE, len, PIECE * rng.usize(1..len / PIECE)];
        let at = (edges[rng.usize(..7)] + 4).saturating_sub(rng.usize(..14)).min(len - 7);
        let has_needle = round % 4 > 0;
        if has_needle {
            bytes[at..at + needle.len()].copy_from_slice(needle);
        }
        let file = file_of(&bytes);
        let config = SearchConfig::default();
        let is_ruled_out = is_ruled_out(&file, &matcher, &config, &Record::new(false));
        assert_eq!(is_ruled_out, can_map && !has_needle, "{at} of {len}");
        check_search(&bytes, &file, &matcher, &config);
    }
}

#[test]
fn a_file_full_of_what_resembles_needles_is_read() {
    let matcher = matcher(r"\s+needle:");
    let mut bytes = b"needl: ".repeat(4 * SIZE / 7 + 1);
    let can_map = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    for has_needle in [false, true] {
        if has_needle {
            let at = bytes.len() - 100;
            bytes[at..at + 8].copy_from_slice(b" needle:");
        }
        let (file, config) = (file_of(&bytes), SearchConfig::default());
        let is_ruled_out = is_ruled_out(&file, &matcher, &config, &Record::new(false));
        assert_eq!(is_ruled_out, can_map && !has_needle);
        check_search(&bytes, &file, &matcher, &config);
    }
}

#[test]
fn what_cannot_be_ruled_out() {
    let bytes = b"a line\n".repeat(SIZE);
    let file = file_of(&bytes);
    let wanted = |config: SearchConfig, pattern: &str, wants_unmatched| {
        let matcher = matcher(pattern);
        check_search(&bytes, &file, &matcher, &config);
        is_ruled_out(&file, &matcher, &config, &Record::new(wants_unmatched))
    };
    let (config, pattern) = (SearchConfig::default, r"\s+needle:");
    assert!(!wanted(config(), pattern, true), "the end of the search is emitted");
    assert!(!wanted(config(), r"\s+x?[^y]", false), "there is no needle");
    assert!(!wanted(config(), r"needle", false), "matches span no lines");
    assert!(!wanted(config(), r"\se\s", false), "the needle is common");
    for config in [
        SearchConfig { invert: true, ..config() },
        SearchConfig { passthru: true, ..config() },
        SearchConfig { memory_maps: false, ..config() },
    ] {
        assert!(!wanted(config.clone(), pattern, false), "{config:?}");
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            assert!(wanted(SearchConfig { binary, ..config() }, pattern, false), "{binary:?}");
        }
    }
}
