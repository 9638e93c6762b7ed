//! Large files of which only the lines are read where a survey finds that they may match: the
//! events are those of a search in memory. A file that is written to meanwhile does no harm.

use std::{
    fs::File,
    io::{self, Seek},
    os::unix::fs::FileExt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use heist_matcher::{Matcher, MatcherConfig};

use super::file_of;
use crate::{
    BinaryPolicy, ChunkHelpers, End, LineKind, NoHelpers, SearchConfig, Searcher, Source,
    UnreadMatches,
    survey::{PIECE, Survey},
    trial::{Event, Help, Record, Trial, with_helpers},
};

/// The size of a chunk.
pub(super) const SIZE: usize = 256 << 10;

fn matcher(pattern: &str) -> Matcher {
    let config = MatcherConfig { ban_nul: false, ..MatcherConfig::default() };
    Matcher::new([pattern], &config).expect("it is a regex")
}

/// Searches `file` in chunks.
pub(super) fn search(file: &File, matcher: &Matcher, config: &SearchConfig, record: &mut Record) {
    let searched = search_with(file, matcher, config, &mut NoHelpers, record);
    searched.expect("it can be read");
}

pub(super) fn search_with(
    file: &File,
    matcher: &Matcher,
    config: &SearchConfig,
    helpers: &mut dyn ChunkHelpers,
    record: &mut Record,
) -> io::Result<()> {
    let reader = Arc::new(file.try_clone().expect("it can be shared"));
    let source = Source { reader, end: End::EmptyRead };
    let mut searcher = Searcher::new(config.clone());
    searcher.search_large(&mut matcher.finder(), source, SIZE, helpers, record)
}

/// The events, with the length of each line in place of the line. How many lines were counted, and
/// how far, before the sink returned `Break` depends on how they are grouped.
fn outline(record: &Record) -> Vec<String> {
    let is_broken = record.events.len() > record.break_at;
    let of_event = |event: &Event| match event {
        Event::Count(_) if is_broken => "Count".to_owned(),
        Event::Finish(_) if is_broken => "Finish".to_owned(),
        Event::Line { kind, text, offset, number } => {
            format!("{kind:?} {} at {offset} {number:?}", text.len())
        }
        other => format!("{other:?}"),
    };
    record.events.iter().map(of_event).collect()
}

/// Lines of random length, some of them with a needle or a part of one.
fn text(rng: &mut fastrand::Rng, len: usize) -> Vec<u8> {
    const WORDS: [&str; 6] = ["needle", "NEEDLE", "need le", "need1e", "other", "needles"];
    let mut bytes = Vec::with_capacity(len + 1000);
    while bytes.len() < len {
        let most = if rng.u8(..) == 0 { 3 * PIECE } else { 80 };
        bytes.extend((0..rng.usize(..most)).map(|_| b'a' + rng.u8(..20)));
        if rng.u16(..3000) == 0 {
            bytes.extend_from_slice(rng.choice(WORDS).expect("there are some").as_bytes());
        }
        bytes.push(b'\n');
    }
    // A needle across or beside the edges of pieces and chunks.
    for _ in 0..8 {
        let edge = PIECE * rng.usize(1..len / PIECE);
        let at = edge + 3 - rng.usize(..12);
        bytes[at..at + 6].copy_from_slice(b"needle");
        if rng.bool() {
            bytes[at + 6] = b'\n';
        }
    }
    if rng.u8(..4) == 0 {
        let at = rng.usize(..len);
        bytes[at] = 0;
    }
    bytes
}

#[test]
fn surveyed_files_have_the_events_of_a_search_in_memory() {
    let is_used = |file: &File, matcher: &Matcher| {
        let fingerprint = matcher.fingerprint(b"").expect("there are needles");
        let survey = Survey::new(file, SIZE, fingerprint, None, b'\n')?;
        survey.look(file, SIZE as u64, SIZE).map(drop)
    };
    let rng = &mut fastrand::Rng::with_seed(25);
    let mut was_used = 0;
    for round in 0..24 {
        let len = 8 * SIZE + rng.usize(..SIZE);
        let bytes = text(rng, len);
        let file = file_of(&bytes);
        for pattern in ["needle", "(?i)needle", r"need\w+s|other$", "needle$", "^needle"] {
            let matcher = matcher(pattern);
            was_used += usize::from(is_used(&file, &matcher).is_some());
            let config = SearchConfig {
                line_numbers: rng.bool(),
                max_matches: (rng.u8(..3) == 0).then(|| rng.u64(..40)),
                binary: *rng
                    .choice(&[BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert])
                    .expect("there are three"),
                ..SearchConfig::default()
            };
            let record = || Record { counts: round % 2 == 0, ..Record::new(round % 3 == 0) };
            let [mut mapped, mut read] = [record(), record()];
            search(&file, &matcher, &config, &mut mapped);
            let unmapped = SearchConfig { memory_maps: false, ..config.clone() };
            search(&file, &matcher, &unmapped, &mut read);
            assert!(mapped.events == read.events, "{pattern} {config:?} in round {round}");
            if !bytes.contains(&0) {
                let mut whole = record();
                let mut searcher = Searcher::new(config.clone());
                let searched = searcher.search_slice(&mut matcher.finder(), &bytes, &mut whole);
                searched.expect("nothing can fail");
                assert!(mapped.events == whole.events, "{pattern} {config:?} in round {round}");
            }
        }
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(was_used > 60, "only {was_used} files could be mapped");
    }
}

/// Checks the matches of the lines that were accepted unread. Returns how many lines these are.
fn check_unread(record: &Record, matcher: &Matcher, case: &str) -> usize {
    let finder = &mut matcher.finder();
    for (line, matches) in &record.unread {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut next = |at: &mut usize| {
            let found = finder.find_at(line, *at)?;
            *at = found.end;
            Some(found)
        };
        let mut at = 0;
        let expected = std::iter::from_fn(|| next(&mut at));
        if record.unread_matches == UnreadMatches::First {
            assert_eq!(matches.first(), expected.take(1).last().as_ref(), "{case}");
        } else {
            assert_eq!(matches, &expected.collect::<Vec<_>>(), "{case}");
        }
    }
    record.unread.len()
}

#[test]
fn lines_of_any_length_are_counted() {
    let rng = &mut fastrand::Rng::with_seed(3);
    let (mut found, mut stopped, mut unread) = (0, 0, 0);
    for round in 0..120 {
        // Lines longer than chunks; parts of the needle, sometimes all of it or a NUL byte.
        let mut bytes: Vec<u8> =
            (0..5 * SIZE + rng.usize(..SIZE)).map(|_| rng.u8(97..123)).collect();
        for _ in 0..[0, 3, 20][rng.usize(..3)] {
            let at = rng.usize(..bytes.len());
            bytes[at] = b'\n';
        }
        for _ in 0..[0, 20][rng.usize(..2)] {
            let at = rng.usize(..bytes.len() - 6);
            bytes[at..at + 5].copy_from_slice(b"need1");
        }
        for _ in 0..[0, 1, 8, 60][rng.usize(..4)] {
            let edge = rng.usize(1..bytes.len() / PIECE) * PIECE;
            let at = if rng.bool() { edge - rng.usize(..8) } else { rng.usize(..edge) };
            bytes[at..at + 6].copy_from_slice(b"needle");
        }
        for _ in 0..[0, 4][rng.usize(..2)] {
            // Lines that end at an edge, with a needle on one side and what resembles it on the
            // other.
            let edge = rng.usize(1..bytes.len() / PIECE) * PIECE;
            let alike: &[u8] = b"nXed1 neXd1 neeX1 needX Xeedle nXedle neXdle neeXle needXe needlX";
            if rng.bool() {
                bytes[edge - 6..edge].copy_from_slice(b"need1\n");
                bytes[edge..edge + alike.len()].copy_from_slice(alike);
            } else {
                bytes[edge - alike.len()..edge].copy_from_slice(alike);
                bytes[edge..edge + 6].copy_from_slice(b"\nneed1");
            }
        }
        if rng.u8(..4) == 0 {
            let at = rng.usize(..bytes.len());
            bytes[at] = 0;
        }
        if rng.u8(..8) == 0 {
            bytes[..9].copy_from_slice("\u{FEFF}needle".as_bytes());
        }
        if rng.bool() {
            bytes.iter_mut().step_by(317).for_each(|byte| *byte = b' ');
        }
        let patterns = [
            "needle",
            "need",
            "\u{FEFF}needle",
            "need(le|1)",
            "need.e",
            r"\w+need[^ ]{1,9}",
            r"ne?ed",
        ];
        let pattern = patterns[rng.usize(..patterns.len())];
        let unread_matches =
            [UnreadMatches::First, UnreadMatches::All, UnreadMatches::Texts][rng.usize(..3)];
        let (file, matcher) = (file_of(&bytes), matcher(pattern));
        let break_at = if rng.u8(..3) == 0 { 1 + rng.usize(..2) } else { usize::MAX };
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            let config = SearchConfig { binary, ..SearchConfig::default() };
            let record = || {
                let counts = round % 3 > 0;
                Record { counts, break_at, unread_matches, ..Record::new(round % 5 == 0) }
            };
            let [mut mapped, mut copied, mut read] = [record(), record(), record()];
            search(&file, &matcher, &config, &mut mapped);
            let config = SearchConfig { memory_maps: false, ..config };
            // Two workers: read in chunks. One: block by block.
            let trial = Trial::new(config.clone(), pattern, &MatcherConfig::default(), b"");
            let searched = with_helpers(&trial.expect("a regex"), Help::Thread, |helpers| {
                search_with(&file, &matcher, &config, helpers, &mut copied)
            });
            searched.expect("it can be read");
            search(&file, &matcher, &config, &mut read);
            let case = format!("{pattern} {binary:?} in round {round}");
            assert_eq!(outline(&mapped), outline(&read), "{case}, mapped");
            assert_eq!(outline(&copied), outline(&read), "{case}, copied");
            for record in [&mapped, &copied, &read] {
                unread += check_unread(record, &matcher, &case);
            }
            found += usize::from(read.events.iter().any(|event| matches!(event, Event::Count(_))));
            stopped += usize::from(read.events.len() > break_at);
        }
    }
    assert!(found > 50 && stopped > 10 && unread > 100, "{found} {stopped} {unread}");
}

#[test]
fn files_that_change_are_searched_without_harm() {
    let rng = &mut fastrand::Rng::with_seed(7);
    let bytes = text(rng, 16 * SIZE);
    let file = file_of(&bytes);
    let is_over = &AtomicBool::new(false);
    thread::scope(|scope| {
        // Dropped in a panic, too: the writer must not go on forever.
        let _end = Ends(is_over);
        scope.spawn(|| {
            let mut rng = fastrand::Rng::with_seed(8);
            // Ordering: Relaxed; the flag guards nothing.
            while !is_over.load(Ordering::Relaxed) {
                let at = rng.usize(..bytes.len() - 100);
                let (len, line) = (bytes.len() as u64, b"a needle\nneedle");
                let changed = match rng.u8(..8) {
                    0 => file.set_len(at as u64).and_then(|()| file.set_len(len)),
                    1 => file.set_len(at as u64).and_then(|()| file.write_all_at(&bytes, 0)),
                    _ => file.write_all_at(&line[rng.usize(..line.len())..], at as u64),
                };
                changed.expect("it is a file");
            }
        });
        for round in 0..200 {
            let pattern = ["needle", "(?i)needle", "need[lm]e$"][round % 3];
            let binary = [BinaryPolicy::Text, BinaryPolicy::Quit][round % 2];
            let (before_context, after_context) = [(0, 0), (2, 3)][round / 6 % 2];
            let config =
                SearchConfig { binary, before_context, after_context, ..SearchConfig::default() };
            let mut record = Record::new(false);
            let matcher = matcher(pattern);
            match search_with(&file, &matcher, &config, &mut NoHelpers, &mut record) {
                // A line was to be read again, and was truncated.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
                searched => searched.expect("it can be read"),
            }
            let has_needle = |line: &[u8]| {
                line.to_ascii_lowercase().windows(6).any(|part| part == b"needle")
                    || pattern.ends_with('$') && line.windows(6).any(|part| part == b"needme")
            };
            for event in &record.events {
                if let Event::Line { kind: LineKind::Match, text, .. } = event {
                    assert!(has_needle(text), "{:?}", text.escape_ascii().to_string());
                }
            }
        }
    });
}

/// Sets the flag when it is dropped.
struct Ends<'f>(&'f AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        // Ordering: Relaxed; the flag guards nothing.
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn lines_that_match_near_their_beginnings() {
    let rng = &mut fastrand::Rng::with_seed(147);
    let (mut found, mut emitted) = (0, 0);
    for round in 0..160 {
        let crlf = rng.u8(..4) == 0;
        let end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        // Most lines are long and have a digit among their first bytes. Some have none there, or
        // none at all, or are short.
        let mut bytes = Vec::new();
        if rng.u8(..8) == 0 {
            bytes.extend_from_slice("\u{FEFF}".as_bytes());
        }
        while bytes.len() < 5 * SIZE {
            let most = [20, 5000, 20_000, 2 * SIZE][rng.usize(..4)];
            let first = bytes.len();
            bytes.extend((0..rng.usize(..most)).map(|_| rng.u8(97..123)));
            let len = bytes.len() - first;
            let early =
                [10, 3000, 4200, 70_000, usize::MAX][[0, 0, 0, 1, 1, 2, 3, 4][rng.usize(..8)]];
            if len > 0 && early < usize::MAX {
                bytes[first + rng.usize(..len.min(early))] = b'7';
            }
            bytes.extend_from_slice(end);
            if bytes.len() > SIZE && rng.u8(..4) == 0 {
                // A line that ends at an edge.
                let edge = bytes.len().next_multiple_of(PIECE);
                bytes.resize(edge - end.len(), b'x');
                bytes.extend_from_slice(end);
            }
        }
        if rng.bool() {
            bytes.truncate(bytes.len() - end.len());
        }
        if rng.u8(..4) == 0 {
            let at = rng.usize(..bytes.len());
            bytes[at] = 0;
        }
        // The first line decides how the others are searched.
        let first = bytes.iter().position(|byte| byte.is_ascii_alphabetic()).unwrap_or(0);
        bytes.splice(first..first, b"a7".iter().copied().chain([b'x'; 70_000]));
        let pattern = [r"[a-z]\d", r"\d", r"^\S*\d", r"\b", "7", r"\d[a-z]+$"][rng.usize(..6)];
        let matcher_config = MatcherConfig { ban_nul: false, crlf, ..MatcherConfig::default() };
        let matcher = Matcher::new([pattern], &matcher_config).expect("it is a regex");
        let file = file_of(&bytes);
        let break_at = if rng.u8(..4) == 0 { 1 + rng.usize(..2) } else { usize::MAX };
        for binary in [BinaryPolicy::Text, BinaryPolicy::Quit, BinaryPolicy::Convert] {
            let line_numbers = rng.bool();
            let config = SearchConfig { binary, crlf, line_numbers, ..SearchConfig::default() };
            let counts = round % 2 == 0;
            let unread_matches = UnreadMatches::None;
            let record =
                || Record { counts, break_at, unread_matches, ..Record::new(round % 5 == 0) };
            let [mut mapped, mut copied, mut whole] = [record(), record(), record()];
            search(&file, &matcher, &config, &mut mapped);
            let unmapped = SearchConfig { memory_maps: false, ..config.clone() };
            let trial = Trial::new(unmapped.clone(), pattern, &matcher_config, b"");
            let searched = with_helpers(&trial.expect("a regex"), Help::Thread, |helpers| {
                search_with(&file, &matcher, &unmapped, helpers, &mut copied)
            });
            searched.expect("it can be read");
            let source = Source { reader: &file, end: End::EmptyRead };
            let mut searcher = Searcher::new(config.clone());
            (&file).seek(io::SeekFrom::Start(0)).expect("it is a file");
            searcher.search(&mut matcher.finder(), source, &mut whole).expect("it can be read");
            let case = format!("{pattern} {binary:?} crlf {crlf} in round {round}");
            assert_eq!(outline(&mapped), outline(&whole), "{case}, mapped");
            assert_eq!(outline(&copied), outline(&whole), "{case}, copied");
            assert!(mapped.lines().eq(whole.lines()), "{case}, mapped");
            found += usize::from(whole.events.iter().any(|event| matches!(event, Event::Count(_))));
            emitted += whole.lines().count();
        }
    }
    assert!(found > 50 && emitted > 1000, "{found} {emitted}");
}
