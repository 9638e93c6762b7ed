//! Surroundings in random texts, against the slow, obvious way: all lines of a haystack, and what
//! each match adds to those that are emitted.

use std::{collections::BTreeMap, io, ops::Range, sync::Arc};

use fastrand::Rng;
use heist_matcher::{Finder, Matcher, MatcherConfig};

use crate::{
    BinaryPolicy, Encoding, Flow, FunctionLines, FunctionRules, Functions, Line, LineKind,
    LineRules, SearchConfig, Searcher, Sink, Source, Surroundings,
};

/// Lines that begin with `f` are function lines, except `fx`.
#[derive(Debug)]
struct Rules(Arc<FunctionLines>);

impl FunctionRules for Rules {
    fn functions_of(&self, path: &[u8], _: &[u8]) -> Functions {
        assert_eq!(path, b"a.c");
        Functions::Lines(Arc::clone(&self.0))
    }
}

/// These lines may match.
#[derive(Debug)]
struct Chosen(Arc<[Range<u64>]>);

impl LineRules for Chosen {
    fn lines_of(&self, path: &[u8]) -> io::Result<Option<Arc<[Range<u64>]>>> {
        assert_eq!(path, b"a.c");
        Ok(Some(Arc::clone(&self.0)))
    }
}

fn matcher(pattern: &str) -> Matcher {
    Matcher::new([pattern], &MatcherConfig::default()).unwrap()
}

fn functions() -> Arc<dyn FunctionRules> {
    let patterns = [vec!["^f".to_owned()], vec!["^fx".to_owned()]];
    let lines = FunctionLines::new(&patterns[0], &patterns[1], &MatcherConfig::default());
    Arc::new(Rules(Arc::new(lines.unwrap())))
}

/// The events of a search: kind, number and text of each line; gaps have the number 0.
#[derive(Debug, Default, PartialEq, Eq)]
struct Events(Vec<(LineKind, u64, String)>);

impl Events {
    fn add(&mut self, line: &Line<'_>) -> Flow {
        let text = String::from_utf8_lossy(line.bytes).into_owned();
        self.0.push((line.kind, line.number.unwrap(), text));
        Flow::Continue(())
    }
}

impl Sink for Events {
    fn matched(&mut self, line: &Line<'_>) -> Flow {
        self.add(line)
    }

    fn context_with(&mut self, _: &mut Finder, line: &Line<'_>) -> Flow {
        self.add(line)
    }

    fn gap(&mut self) -> Flow {
        self.0.push((LineKind::Other, 0, String::new()));
        Flow::Continue(())
    }
}

/// What the obvious search emits.
fn expected(text: &str, config: &SearchConfig) -> Events {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let wanted = config.surroundings.as_deref().unwrap();
    let is_blank = |i: usize| lines[i].trim().is_empty();
    let is_function = |i: usize| lines[i].starts_with('f') && !lines[i].starts_with("fx");
    let chosen = wanted.lines.as_ref().map(|rules| rules.lines_of(b"a.c").unwrap().unwrap());
    let is_chosen = |i: usize| {
        chosen.as_ref().is_none_or(|all| all.iter().any(|range| range.contains(&(i as u64 + 1))))
    };
    let is_match = |i: usize| lines[i].contains('m') != config.invert && is_chosen(i);
    let all: Vec<usize> = (0..lines.len()).filter(|&i| is_match(i)).collect();
    let most = config.max_matches.unwrap_or(u64::MAX) as usize;
    let matches = &all[..all.len().min(most)];
    let mut emitted: BTreeMap<usize, LineKind> =
        matches.iter().map(|&i| (i, LineKind::Match)).collect();
    for &at in matches {
        let up = |stop: &dyn Fn(usize) -> bool| (0..at).rev().find(|&i| stop(i));
        let mut first = at.saturating_sub(config.before_context);
        let mut last = (at + config.after_context).min(lines.len() - 1);
        let mut function = None;
        if wanted.paragraph && !is_blank(at) {
            first = first.min(up(&is_blank).map_or(0, |i| i + 1));
            let below = (at..lines.len()).find(|&i| is_blank(i));
            last = last.max(below.map_or(lines.len() - 1, |i| i - 1));
        }
        if wanted.function {
            let begin = if is_function(at) { Some(at) } else { up(&is_function) };
            function = begin.filter(|&i| i < at);
            let ends = |i: usize| is_blank(i) || is_function(i);
            let comment = |begin| (0..begin).rev().find(|&i| ends(i)).map_or(0, |i| i + 1);
            first = first.min(begin.map_or(0, comment));
            let next = (at + 1..lines.len()).find(|&i| is_function(i)).unwrap_or(lines.len());
            last = last.max((at..next).rev().find(|&i| i == at || !is_blank(i)).unwrap());
        }
        if wanted.function_line && function.is_none() {
            function = up(&is_function);
        }
        if wanted.until.is_some() {
            let end = (at + 1..lines.len()).find(|&i| lines[i].contains('u'));
            last = last.max(end.unwrap_or(lines.len() - 1));
        }
        if let Some(function) = function {
            emitted.entry(function).or_insert(LineKind::Function);
        }
        for before in first..at {
            emitted.entry(before).or_insert(LineKind::Before);
        }
        for after in at + 1..=last {
            let is_left_out = matches.len() < all.len() && is_match(after);
            let kind = if is_left_out { LineKind::Match } else { LineKind::After };
            emitted.entry(after).or_insert(kind);
        }
    }
    let has_context = wanted.has_context() || config.before_context + config.after_context > 0;
    let mut events = Events::default();
    let mut next = None;
    for (i, kind) in emitted {
        if has_context && next.is_some_and(|next| next < i) {
            events.0.push((LineKind::Other, 0, String::new()));
        }
        events.0.push((kind, i as u64 + 1, lines[i].to_owned()));
        next = Some(i + 1);
    }
    events
}

fn found(text: &str, config: &SearchConfig, head: usize) -> Events {
    let mut finder = matcher("m").finder();
    let mut events = Events::default();
    let mut searcher = Searcher::with_sizes(config.clone(), head, 8);
    searcher.set_path(b"a.c");
    let source = Source::reader(text.as_bytes());
    searcher.search(&mut finder, source, &mut events).unwrap();
    events
}

/// Some ranges of lines.
fn chosen(rng: &mut Rng) -> Arc<dyn LineRules> {
    let (mut ranges, mut end) = (Vec::new(), 1);
    for _ in 0..rng.u8(..4) {
        let start = end + rng.u64(..4);
        end = start + rng.u64(1..4);
        ranges.push(start..end);
    }
    Arc::new(Chosen(ranges.into()))
}

#[test]
fn surroundings_are_those_of_the_obvious_search() {
    let mut rng = Rng::with_seed(27);
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..rng.usize(..14) {
            text += rng.choice(["f", "fx", "", " ", "x", "m", "fm", "u", "um", "f u"]).unwrap();
            text += "\n";
        }
        if rng.bool() {
            text.pop();
        }
        let surroundings = Surroundings {
            function_line: rng.bool(),
            function: rng.u8(..4) == 0,
            paragraph: rng.u8(..4) == 0,
            until: (rng.u8(..4) == 0).then(|| matcher("u")),
            functions: Some(functions()),
            lines: (rng.u8(..3) == 0).then(|| chosen(&mut rng)),
        };
        let config = SearchConfig {
            before_context: if rng.bool() { rng.usize(..3) } else { 0 },
            after_context: if rng.bool() { rng.usize(..3) } else { 0 },
            max_matches: (rng.u8(..4) == 0).then(|| rng.u64(1..3)),
            invert: rng.u8(..4) == 0,
            surroundings: Some(Arc::new(surroundings)),
            ..SearchConfig::default()
        };
        let expected = expected(&text, &config);
        for head in [4, 1 << 10] {
            let found = found(&text, &config, head);
            assert_eq!(found, expected, "round {round}, head {head}: {text:?}\n{config:#?}");
        }
    }
}

#[test]
fn lines_from_the_first_nul_byte_on_are_no_context() {
    let surroundings = Surroundings { paragraph: true, ..Surroundings::default() };
    let text = "a\nm\nb\nc\0c\nm\nd\n";
    let lines = |binary| {
        let config = SearchConfig {
            binary,
            encoding: Encoding::None,
            surroundings: Some(Arc::new(surroundings.clone())),
            ..SearchConfig::default()
        };
        let events = found(text, &config, 1 << 10);
        events.0.iter().map(|(_, number, _)| *number).collect::<Vec<_>>()
    };
    assert_eq!(lines(BinaryPolicy::Text), [1, 2, 3, 4, 5, 6]);
    assert!(!lines(BinaryPolicy::Convert).contains(&4));
    assert!(!lines(BinaryPolicy::Quit).contains(&4));
}

#[test]
fn blocks_of_lines_have_surroundings_too() {
    let config = MatcherConfig { multiline: true, ..MatcherConfig::default() };
    let matcher = Matcher::new(["m\nm"], &config).unwrap();
    let surroundings = Surroundings {
        function_line: true,
        paragraph: true,
        functions: Some(functions()),
        ..Surroundings::default()
    };
    let config =
        SearchConfig { surroundings: Some(Arc::new(surroundings)), ..SearchConfig::default() };
    let mut searcher = Searcher::new(config);
    searcher.set_path(b"a.c");
    let mut events = Events::default();
    let text = b"f\n\nx\nm\nm\ny\n\nz\n";
    searcher.search_slice(&mut matcher.finder(), text, &mut events).unwrap();
    let seen = events.0.iter().map(|(kind, number, _)| (*kind, *number)).collect::<Vec<_>>();
    let expected = [
        (LineKind::Function, 1),
        (LineKind::Other, 0),
        (LineKind::Before, 3),
        (LineKind::Match, 4),
        (LineKind::After, 6),
    ];
    assert_eq!(seen, expected);
}
