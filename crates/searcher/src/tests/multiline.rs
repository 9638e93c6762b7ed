//! Matches that span lines: a slow, obvious search, random haystacks checked against it, and single
//! cases.

use std::{
    ops::Range,
    sync::{Arc, LazyLock},
};

use heist_matcher::{Finder, Matcher};

use super::{
    cases::numbered,
    parallel::{Helpers, Memory, with_helper},
    random::{Dice, times},
    record::{Dribble, Event, Record, file, print},
    reference::{is_selected, kind_of, split},
};
use crate::{BinaryPolicy, ChunkHelpers, End, Finish, LineKind, SearchConfig, Searcher, Source};

static PATTERNS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("multiline.txt").lines().collect());

fn finder(pattern: &str, config: &SearchConfig) -> Finder {
    let config = heist_matcher::Config {
        multiline: true,
        line_terminator: config.line_terminator,
        crlf: config.crlf,
        // Then words do not end at a byte that is not part of a character, which depends on the
        // bytes before it.
        unicode: pattern.contains(r"\b{") || pattern.contains(r"\B"),
        ban_nul: false,
        size_limit: 1 << 24,
        dfa_size_limit: 1 << 24,
        ..heist_matcher::Config::default()
    };
    let matcher = Matcher::new(&[pattern.to_owned()], &config).unwrap();
    assert!(matcher.spans_lines(), "{pattern}");
    matcher.finder()
}

/// Whether the last line of `bytes` lacks its terminator.
fn is_open(config: &SearchConfig, bytes: &[u8]) -> bool {
    !bytes.ends_with(&[config.line_terminator])
}

/// Whether a match touches the line at `line`. An empty match at the very end touches a last line
/// without terminator.
fn touches(config: &SearchConfig, bytes: &[u8], line: &Range<usize>, found: &Range<usize>) -> bool {
    let is_open_end = line.end == bytes.len() && is_open(config, bytes);
    if found.is_empty() {
        line.contains(&found.start) || (is_open_end && found.start == line.end)
    } else {
        found.start < line.end && found.end > line.start
    }
}

/// Every match that counts, in order.
fn matches(
    config: &SearchConfig,
    finder: &mut Finder,
    bytes: &[u8],
    lines: &[Range<usize>],
) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len()
        && let Some(found) = finder.find_at(bytes, at)
        && (found.start < bytes.len() || is_open(config, bytes))
    {
        at = found.end.max(found.start + 1);
        if config.invert {
            let last = lines.iter().rev().find(|line| touches(config, bytes, line, &found));
            at = at.max(last.map_or(0, |line| line.end));
        }
        all.push(found);
        if !config.invert && config.max_matches.is_some_and(|most| all.len() as u64 >= most) {
            break;
        }
    }
    if !config.invert && config.max_matches == Some(0) { Vec::new() } else { all }
}

/// The events of `bytes`, if no NUL byte matters.
fn expected(
    config: &SearchConfig,
    finder: &mut Finder,
    bytes: &[u8],
    wants_unmatched: bool,
) -> Vec<Event> {
    let lines: Vec<Range<usize>> = split(bytes, config.line_terminator)
        .iter()
        .scan(0, |at, line| {
            *at += line.len();
            Some(*at - line.len()..*at)
        })
        .collect();
    let found = matches(config, finder, bytes, &lines);
    let is_touched =
        |line: &Range<usize>| found.iter().any(|found| touches(config, bytes, line, found));
    let most = config.max_matches.map_or(usize::MAX, |most| most as usize);
    let mut chosen: Vec<usize> =
        (0..lines.len()).filter(|i| is_touched(&lines[*i]) != config.invert).collect();
    let is_limited = if config.invert { chosen.len() >= most } else { found.len() >= most };
    if config.invert {
        chosen.truncate(most);
    }
    // In the context after the last match that counts, lines are matched as if each were alone,
    // except in an inverted search.
    let in_context = |line: &Range<usize>| {
        if config.invert {
            !is_touched(line)
        } else {
            is_selected(config, finder, &bytes[line.clone()])
        }
    };
    let selected: Vec<bool> = lines.iter().map(in_context).collect();
    let mut considered = lines.len();
    if is_limited && !config.passthru {
        considered =
            chosen.last().map_or(0, |last| considered.min(last + config.after_context + 1));
    }
    let mut events: Vec<Event> = Vec::new();
    let mut last = None;
    for i in 0..considered {
        let Some((kind, _)) = kind_of(config, &selected, &chosen, is_limited, i) else {
            continue;
        };
        let bytes = &bytes[lines[i].clone()];
        let is_block = !config.invert && chosen.contains(&i);
        if let (true, Some(Event::Line { text, .. })) =
            (is_block && i > 0 && chosen.contains(&(i - 1)), events.last_mut())
        {
            text.extend(bytes);
        } else {
            let has_context = config.before_context > 0 || config.after_context > 0;
            if has_context && last.is_some_and(|last| last + 1 < i) {
                events.push(Event::Gap);
            }
            let number = config.line_numbers.then_some(i as u64 + 1);
            let offset = lines[i].start as u64;
            events.push(Event::Line { kind, text: bytes.to_vec(), offset, number });
        }
        last = Some(i);
    }
    if events.is_empty() && !wants_unmatched {
        return events;
    }
    let bytes_searched = lines.get(considered).map_or(bytes.len(), |line| line.start) as u64;
    events.insert(0, Event::Begin);
    events.push(Event::Finish(Finish { bytes_searched, binary_offset: None }));
    events
}

/// A random search and its events.
struct Case {
    config: SearchConfig,
    bytes: Vec<u8>,
    pattern: String,
    wants_unmatched: bool,
    expected: Vec<Event>,
}

impl Case {
    fn draw(dice: &mut Dice) -> Case {
        let config = SearchConfig {
            encoding: crate::Encoding::Auto,
            stop_on_nonmatch: false,
            binary: BinaryPolicy::Text,
            ..dice.config(false)
        };
        let bytes = dice.bytes(&config, false);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes).to_vec();
        let mut pattern = dice.pick(&PATTERNS).to_owned();
        if config.line_terminator == 0 {
            pattern = pattern.replace("\\n", "\\x00").replace("\\s", "[\\s\\x00]");
        }
        let wants_unmatched = dice.one_in(3);
        let mut finder = finder(&pattern, &config);
        let expected = expected(&config, &mut finder, &bytes, wants_unmatched);
        Case { config, bytes, pattern, wants_unmatched, expected }
    }
}

#[test]
fn every_way_of_reading_agrees_with_the_reference() {
    let mut dice = Dice::new(3);
    for _ in 0..6_000 * times() {
        let Case { config, bytes, pattern, wants_unmatched, expected } = Case::draw(&mut dice);
        let (bytes, mut finder) = (bytes.as_slice(), finder(&pattern, &config));
        let about = || format!("{pattern:?} in \"{}\" {config:?}", bytes.escape_ascii());
        let mut searcher = Searcher::with_sizes(config.clone(), dice.pick(&[4, 9, 4096]), 16);
        for end in [End::ShortRead, End::EmptyRead] {
            let mut record = Record::new(wants_unmatched);
            let source = file(bytes, end);
            searcher.search(&mut finder, source, &mut record).unwrap();
            assert_eq!(record.events, expected, "{end:?}: {}", about());
        }
        let mut record = Record::new(wants_unmatched);
        let reader = Dribble { bytes, most: 1 + dice.below(7), is_interrupted: false };
        let source = Source { reader, end: End::Stream };
        searcher.search(&mut finder, source, &mut record).unwrap();
        assert_eq!(record.events, expected, "pipe: {}", about());
    }
}

/// Searches in chunks of `size` bytes.
fn in_chunks(
    (searcher, finder): (&mut Searcher, &mut Finder),
    source: Source<Arc<Memory>>,
    size: usize,
    helpers: &mut dyn ChunkHelpers,
    mut record: Record,
) -> Record {
    searcher.search_large(finder, source, size, helpers, &mut record).unwrap();
    record
}

#[test]
fn chunks_agree_with_the_reference() {
    let mut dice = Dice::new(5);
    let mut from_chunks = 0;
    for _ in 0..12_000 * times() {
        let Case { config, bytes, pattern, wants_unmatched, expected } = Case::draw(&mut dice);
        let (bytes, mut finder) = (bytes.as_slice(), finder(&pattern, &config));
        let mut searcher = Searcher::with_sizes(config.clone(), 4, 4);
        let mut whole = Record::new(false);
        searcher.search_slice(&mut finder, bytes, &mut whole).unwrap();
        let size = 8 + dice.below(60);
        let about =
            || format!("chunks of {size}: {pattern:?} in \"{}\" {config:?}", bytes.escape_ascii());
        let most = dice.pick(&[1, 3, usize::MAX]);
        let file = Arc::new(Memory::slow(bytes, most));
        let mut helpers = Helpers::absent(dice.below(3));
        let search = (&mut searcher, &mut finder);
        let record = Record::new(wants_unmatched);
        let source = |file| Source { reader: file, end: End::EmptyRead };
        let emitted = in_chunks(search, source(Arc::clone(&file)), size, &mut helpers, record);
        assert_eq!(emitted.events, expected, "{}", about());
        assert_eq!(emitted.blocks, whole.blocks, "{}", about());
        from_chunks += u64::from(helpers.were_called && file.begun() == 2);
        let emitted = with_helper(finder.matcher().finder(), |helpers| {
            let search = (&mut searcher, &mut finder);
            let source = source(Arc::new(Memory::of(bytes)));
            in_chunks(search, source, size, helpers, Record::new(wants_unmatched))
        });
        assert_eq!(emitted.events, expected, "helped: {}", about());
    }
    assert!(from_chunks > 3_000, "{from_chunks}");
}

/// The start of a possible match at the end of a chunk is resolved in the next chunk, wherever it
/// is and however many lines are context.
#[test]
fn a_beginning_before_a_chunk_does_not_keep_all_that_follows() {
    for (line, before_context) in [(7, 0), (15, 0), (12, 5), (0, 20)] {
        let lines = |number| if number == line { "xxxxfoo\n" } else { "xxxxxxx\n" };
        let text: String = (0..400).map(lines).collect();
        let config =
            SearchConfig { before_context, binary: BinaryPolicy::Text, ..SearchConfig::default() };
        let mut finder = finder("foo\\s+bar", &config);
        let file = Arc::new(Memory::of(text.as_bytes()));
        let source = Source { reader: Arc::clone(&file), end: End::EmptyRead };
        let mut searcher = Searcher::with_sizes(config, 4, 4);
        let mut helpers = Helpers::absent(1);
        let search = (&mut searcher, &mut finder);
        let emitted = in_chunks(search, source, 128, &mut helpers, Record::new(false));
        assert_eq!(emitted.events, []);
        assert_eq!(file.begun(), 2, "line {line}, {before_context} lines before");
    }
}

/// The printed events of `bytes`, and the matches of each block.
fn emit(
    config: &SearchConfig,
    pattern: &str,
    bytes: &[u8],
    binary: BinaryPolicy,
) -> (String, Vec<Vec<Range<usize>>>) {
    let config = &SearchConfig { binary, ..config.clone() };
    let mut record = Record::new(false);
    let mut searcher = Searcher::new(config.clone());
    searcher.search_slice(&mut finder(pattern, config), bytes, &mut record).unwrap();
    let mut searcher = Searcher::with_sizes(config.clone(), 4, 4);
    let search = (&mut searcher, &mut finder(pattern, config));
    let mut helpers = Helpers::absent(1);
    let source = Source { reader: Arc::new(Memory::of(bytes)), end: End::EmptyRead };
    let emitted = in_chunks(search, source, 8, &mut helpers, Record::new(false));
    assert_eq!((&emitted.events, &emitted.blocks), (&record.events, &record.blocks));
    (print(&record.events), record.blocks)
}

#[test]
fn blocks_bring_their_matches() {
    let config = numbered();
    let text = BinaryPolicy::Text;
    let emitted = emit(&config, "a\\nb|c", b"xa\nb c\nx\nc\n", text);
    assert_eq!(emitted, ("1:xa\\nb c\n4:c\n".into(), vec![vec![1..4, 5..6], vec![9..10]]));
    // An empty match directly after another does not count, but its line is emitted.
    assert_eq!(emit(&config, "a\\n|^", b"a\nb\n", text), ("1:a\\nb\n".into(), vec![vec![0..2]]));
    // Nor does one after the last byte.
    assert_eq!(emit(&config, "\\z|\\nq", b"a", text), ("1:a\n".into(), vec![vec![]]));
    assert_eq!(emit(&config, "\\z|\\nq", b"a\n", text), (String::new(), vec![]));
}

#[test]
fn the_limit_is_one_of_matches_and_shows_all_of_its_lines() {
    let bytes = b"foo foo\nbar foo\nfoo\n";
    for (most, shown) in [(1, "1:foo foo\n"), (2, "1:foo foo\n"), (3, "1:foo foo\\nbar foo\n")] {
        let config = SearchConfig { max_matches: Some(most), ..numbered() };
        assert_eq!(emit(&config, "foo|x\\ny", bytes, BinaryPolicy::Text).0, shown);
    }
    let config = SearchConfig { max_matches: Some(1), ..numbered() };
    let (_, blocks) = emit(&config, "fo|o foo\\nb", bytes, BinaryPolicy::Text);
    assert_eq!(blocks, [vec![0..2, 2..8]], "cut off at the end of the line");
    let config = SearchConfig { max_matches: Some(1), invert: true, ..numbered() };
    assert_eq!(emit(&config, "foo|x\\ny", b"foo\n1\nfoo\n2\n", BinaryPolicy::Text).0, "2:1\n");
}

#[test]
fn nul_bytes_are_searched_for_at_the_front_and_in_emitted_lines() {
    let mut late = b"a\nb\n".to_vec();
    late.extend(b"xxxxxxxxxxxxxxx\n".repeat(6000));
    late.extend(b"x\0x\na\nb\0\nq\n");
    let about = late.len() - 4;
    let (quit, convert) = (BinaryPolicy::Quit, BinaryPolicy::Convert);
    assert_eq!(emit(&numbered(), "a\\nb", b"a\nb\n\0", quit).0, "");
    assert_eq!(emit(&numbered(), "a\\nb", b"a\nb\n\0", convert).0, "binary 4\n1:a\\nb\n");
    assert_eq!(emit(&numbered(), "a\\nb", &late, quit).0, format!("1:a\\nb\nbinary {about}\n"));
    let emitted = format!("1:a\\nb\nbinary {about}\n6004:a\\nb\\x00\n");
    assert_eq!(emit(&numbered(), "a\\nb", &late, convert).0, emitted);
    // A NUL byte elsewhere is never seen, as in ripgrep.
    assert_eq!(emit(&numbered(), "q\\n", &late, quit).0, "6006:q\n");
}

#[test]
fn a_huge_haystack_is_whole() {
    let mut bytes = b"a\n".to_vec();
    bytes.resize(6 << 20, b'x');
    bytes.extend(b"\nb\n");
    let mut record = Record::new(false);
    let mut searcher = Searcher::new(numbered());
    let source = file(&bytes, End::EmptyRead);
    searcher
        .search(&mut finder("(?s)a.*b", &SearchConfig::default()), source, &mut record)
        .unwrap();
    let Event::Line { kind: LineKind::Match, text, .. } = &record.events[1] else {
        panic!("no line");
    };
    assert_eq!(text.len(), bytes.len());
}
