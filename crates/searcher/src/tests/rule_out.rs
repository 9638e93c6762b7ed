//! Large files in which matches are ruled out before they are in memory, or searched block by
//! block.

use std::{fs::File, sync::Arc};

use heist_matcher::{Matcher, MatcherConfig};

use super::file_of;
use crate::{
    BinaryPolicy, End, LARGE, NoHelpers, SearchConfig, Searcher, Sink, Source,
    aligned::AlignedBytes,
    decode::Form,
    route::{Cut, Ending, Extent, Facts, FirstRead, Route, route},
    rule_out::RuleOut,
    survey::PIECE,
    trial::Record,
};

/// The size of a chunk.
const SIZE: usize = 128 << 10;

fn matcher(pattern: &str) -> Matcher {
    let config = MatcherConfig { multiline: true, ban_nul: false, ..MatcherConfig::default() };
    Matcher::new([pattern], &config).expect("it is a regex")
}

/// Whether it is ruled out that anything is found in `file`.
fn is_ruled_out(file: &File, matcher: &Matcher, config: &SearchConfig, record: &Record) -> bool {
    let finder = matcher.finder();
    let extent = Extent::LargeFile(LARGE);
    let first = FirstRead { bytes: b"abc", form: Form::Raw, end: End::EmptyRead, extent };
    let facts = Facts::new(config, &finder, record.wants(), &first);
    // Chunks have given up.
    let facts = facts.after(Route::Chunks(Cut::Summaries), false);
    let rule_out = RuleOut { config, head: b"abc", source: file, size: SIZE };
    route(&facts) == Route::RuleOut
        && rule_out.end(None, &finder, &mut AlignedBytes::default()) == Ending::Over
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

#[test]
fn long_lines_and_nul_bytes_without_a_needle_are_not_searched() {
    let rng = &mut fastrand::Rng::with_seed(160);
    let can_map = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    let matcher = matcher("zneed[lm]e");
    assert!(!matcher.spans_lines());
    for round in 0..96 {
        // All chunks of a small file may be read.
        let is_small = round % 4 < 2;
        let len = if is_small { SIZE } else { 4 * SIZE } + rng.usize(100..SIZE);
        let mut bytes: Vec<u8> = (0..len).map(|_| rng.u8(97..122)).collect();
        for _ in 0..rng.usize(..20) {
            let at = rng.usize(..len - 6);
            bytes[at..at + 6].copy_from_slice(b"zneed\n");
        }
        let has_nul = round % 3 == 0;
        if has_nul {
            let at = rng.usize(..len);
            bytes[at] = 0;
        }
        let has_needle = rng.bool();
        if has_needle {
            let edge = [0, SIZE, len / SIZE * SIZE, len, PIECE * rng.usize(1..len / PIECE)];
            let at = (edge[rng.usize(..5)] + 4).saturating_sub(rng.usize(..14)).min(len - 7);
            bytes[at..at + 7].copy_from_slice(b"zneedle");
        }
        let has_nul = bytes.contains(&0);
        let file = file_of(&bytes);
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            let config = SearchConfig { binary, before_context: round % 2, ..Default::default() };
            let is_ruled_out = is_ruled_out(&file, &matcher, &config, &Record::new(false));
            let is_over = binary == BinaryPolicy::Quit && has_nul;
            assert!(!is_ruled_out || !has_needle, "{binary:?} in round {round}");
            let is_certain = is_small && can_map && !has_needle && !is_over;
            assert!(is_ruled_out || !is_certain, "{binary:?} in round {round}");
            if !has_nul || binary == BinaryPolicy::Text {
                check_search(&bytes, &file, &matcher, &config);
            }
        }
    }
}

#[test]
fn a_file_of_lines_that_has_to_be_read_is_searched() {
    // Every piece resembles a needle.
    let alike = b"n_eedle: ne_edle: nee_dle: need_le: needl_e: needle_: ";
    let bytes = alike.repeat(8 * SIZE / alike.len() + 1);
    let (file, config) = (file_of(&bytes), SearchConfig::default());
    assert!(!is_ruled_out(&file, &matcher("needle:"), &config, &Record::new(false)));
}
