//! Searches decoded from an input, run by the searcher in every way of reading and by the reference
//! of its tests.

use heist_matcher::{Boundary, Case, MatcherConfig as Patterns};
use heist_searcher::{
    BinaryPolicy, Encoding, End, SearchConfig,
    trial::{Help, Trial, Way},
};

use crate::Input;

/// Checks a search block by block, and of a slice, against the reference.
pub fn check_blocks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (head, most) = (4 + input.below(64), 1 + input.below(64));
    let Some(trial) = decode(&mut input, false) else { return };
    let trial = Trial { head, ..trial };
    let (expected, mut worker) = (trial.expected(), trial.worker());
    let reads = |most| move |end| Way::Reads(most, end);
    let mut ways = vec![Way::Slice];
    ways.extend([End::ShortRead, End::EmptyRead].map(reads(usize::MAX)));
    if !trial.depends_on_blocks() {
        ways.extend([End::EmptyRead, End::Stream].map(reads(most)));
    }
    // Twice, since the buffers must not keep anything of the first haystack.
    for way in ways.iter().chain(&ways) {
        trial.check(&mut worker, way, &expected);
    }
}

/// Checks a search of a file in chunks, some of which a helper searches, against the reference.
pub fn check_chunks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (size, most, count) = (input.below(256), 1 + input.below(64), input.below(3));
    let help = Help::InTurn(count, input.byte());
    let Some(trial) = decode(&mut input, false) else { return };
    let most = if trial.depends_on_blocks() { usize::MAX } else { most };
    let way = Way::Chunks { size: 2 * trial.capacity + size, most, help };
    trial.check(&mut trial.worker(), &way, &trial.expected());
}

/// Checks a search for matches that span lines, in chunks, against a search of the whole haystack.
pub fn check_spans(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (size, count) = (input.below(256), input.below(3));
    let help = Help::InTurn(count, input.byte());
    let Some(trial) = decode(&mut input, true) else { return };
    if !trial.matcher.spans_lines() {
        return;
    }
    let expected = trial.run(&mut trial.worker(), &Way::Slice);
    let way = Way::Chunks { size: 2 * trial.capacity + size, most: usize::MAX, help };
    trial.check(&mut trial.worker(), &way, &expected.events);
}

/// Checks a search of a pipe whose writer pauses, in chunks, some of which a helper searches,
/// against the reference.
pub fn check_stream(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (start, size, count) = (input.byte(), 1 + input.below(128), input.below(3));
    let (calls, most, pauses) = (input.byte(), 1 + input.below(64), input.byte());
    let Some(trial) = decode(&mut input, false) else { return };
    // Short reads make other blocks than the reference.
    if trial.depends_on_blocks() {
        return;
    }
    let way = Way::Stream {
        shared_from: u64::from(start),
        size,
        reads: vec![most],
        pauses: u64::from_ne_bytes([pauses; 8]),
        help: Help::InTurn(count, calls),
    };
    trial.check(&mut trial.worker(), &way, &trial.expected());
}

/// Decodes a search, whose matches can span lines if `multiline`. `None` if the pattern is invalid,
/// or if the haystack is UTF-16, which the reference does not decode.
fn decode(input: &mut Input<'_>, multiline: bool) -> Option<Trial> {
    let (bits, lines, more) = (input.byte(), input.byte(), input.byte());
    let capacity = 4 + input.below(32);
    let line_terminator = if bits & 1 != 0 { 0 } else { b'\n' };
    let binary = [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert];
    let config = SearchConfig {
        line_terminator,
        crlf: line_terminator == b'\n' && bits & 2 != 0,
        invert: bits & 4 != 0,
        line_numbers: bits & 8 == 0,
        before_context: usize::from(lines & 7),
        after_context: usize::from(lines >> 3 & 7),
        passthru: lines >> 6 == 3,
        surroundings: None,
        max_matches: (bits & 16 != 0).then_some(u64::from(more & 3)),
        stop_on_nonmatch: bits & 32 != 0,
        encoding: if bits & 64 != 0 { Encoding::None } else { Encoding::Marked },
        binary: binary[usize::from(more >> 2) % 3],
        memory_maps: true,
    };
    let patterns = Patterns {
        unicode: more & 16 == 0,
        case: if more & 32 != 0 { Case::Insensitive } else { Case::Sensitive },
        boundary: [Boundary::None, Boundary::Word, Boundary::Line][usize::from(more >> 6) % 3],
        multiline,
        size_limit: 1 << 20,
        dfa_size_limit: 1 << 20,
        ..Patterns::default()
    };
    let pattern = input.text_until(0xFF).filter(|pattern| pattern.len() <= 40)?;
    let rest = input.rest();
    let haystack = &rest[..rest.len().min(600)];
    let is_decoded = haystack.starts_with(b"\xFF\xFE") || haystack.starts_with(b"\xFE\xFF");
    if config.encoding == Encoding::Marked && is_decoded {
        return None;
    }
    let wants_unmatched = bits & 128 != 0;
    let trial = Trial::new(config, pattern, &patterns, haystack).ok()?;
    Some(Trial { head: 4, capacity, wants_unmatched, ..trial })
}
